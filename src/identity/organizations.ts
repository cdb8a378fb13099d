import { isDeepStrictEqual } from 'node:util';
import { checkReference, ownerOf, type Tx } from '../db/index.ts';
import { type Address, type Caller, hasRole, type Page, type PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { fail, forbidden, invalid, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { EnvironmentName } from './keys.ts';
import {
  insertOrganization,
  lockOrganization,
  type OrganizationChange,
  type OrganizationFilter,
  type OrganizationRow,
  selectConsumerByEmail,
  selectOrganization,
  selectOrganizations,
  selectOrganizationsOf,
  selectOrganizationsPage,
  setAdmittedMerchant,
  updateOrganization,
} from './organizations.sql.ts';
import {
  changedSettings,
  checkSettings,
  checkTaxRegistrations,
  type MerchantSettings,
  publicSettings,
  type SettingsInput,
  settingsWithDefaults,
} from './settings.ts';

/**
 * A merchant, one of its consumers, or the platform. `merchantId` is whose resource it is: a merchant's own id for
 * itself, for a consumer the merchant that made it. `email` is what a consumer is found again by, lower-cased.
 */
export interface Organization extends Omit<OrganizationRow, 'settings' | 'environment'> {
  /** A merchant's, with every default filled in; null for consumers and for the platform, which have none. */
  readonly settings: MerchantSettings | null;
}

const toOrganization = ({ settings, environment, ...row }: OrganizationRow): Organization => ({
  ...row,
  settings: row.type === 'merchant' ? settingsWithDefaults(settings, environment) : null,
});

/** An organization as answers show it. */
export const publicOrganization = (organization: Organization) => ({
  id: organization.id,
  object: 'organization' as const,
  merchantId: organization.merchantId,
  type: organization.type,
  name: organization.name,
  legalName: organization.legalName,
  taxId: organization.taxId,
  address: organization.address,
  billingEmails: organization.billingEmails,
  email: emailOf(organization),
  phone: organization.phone,
  defaultCurrency: organization.defaultCurrency,
  settings: organization.settings ? publicSettings(organization.settings) : {},
  createdAt: formatInstant(organization.createdAt),
  updatedAt: formatInstant(organization.updatedAt),
});

/** The address of an organization for emails: a consumer's own address, else the first of the billing addresses. */
export const emailOf = ({ email, billingEmails }: Pick<Organization, 'email' | 'billingEmails'>): string | null =>
  email ?? billingEmails[0] ?? null;

/** An organization that belongs to the merchant; undefined where it has none of this id. */
export async function findOrganization(tx: Tx, id: string): Promise<Organization | undefined> {
  const row = await selectOrganization(tx, id);
  return row && toOrganization(row);
}

/** Those of some organizations that belong to the merchant, by their ids. */
export async function findOrganizationsOf(tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, Organization>> {
  const rows = await selectOrganizationsOf(tx, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, toOrganization(row)]));
}

/** Those of some organizations that this transaction may see, by their ids. */
export async function findOrganizations(tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, Organization>> {
  const rows = await selectOrganizations(tx, [...new Set(ids)]);
  return new Map(rows.map((row) => [row.id, toOrganization(row)]));
}

/** A merchant, which has settings with every default filled in. */
export interface MerchantOrganization extends Organization {
  readonly settings: MerchantSettings;
}

/** The merchant of a transaction: many rules ask for it, and it is read once. */
const merchants = new WeakMap<Tx, MerchantOrganization>();

/** A merchant. @throws where there is no such merchant: a fault of ours */
export async function findMerchant(tx: Tx): Promise<MerchantOrganization> {
  const known = merchants.get(tx);
  if (known) return known;
  const found = await findOrganization(tx, tx.merchantId);
  if (!found?.settings) throw new Error(`Merchant ${tx.merchantId} does not exist.`);
  const merchant = { ...found, settings: found.settings };
  merchants.set(tx, merchant);
  return merchant;
}

/** A merchant's settings. @throws where there is no such merchant: a fault of ours */
export const merchantSettings = async (tx: Tx): Promise<MerchantSettings> => (await findMerchant(tx)).settings;

/** One page of organizations, newest first; of all merchants where `merchantId` is null. */
export async function listOrganizations(
  tx: Tx,
  filter: OrganizationFilter,
  page: PageRequest,
): Promise<Page<Organization>> {
  const { data, total } = await selectOrganizationsPage(tx, filter, page);
  return { data: data.map(toOrganization), total };
}

interface Particulars {
  legalName?: string | null;
  taxId?: string | null;
  address?: Address | null;
  billingEmails?: string[];
  phone?: string | null;
  defaultCurrency?: string | null;
}

export interface NewOrganization extends Particulars {
  type: 'merchant' | 'consumer';
  name: string;
  /** The merchant that a consumer belongs to; a merchant belongs to itself. */
  merchantId?: string;
  settings?: SettingsInput;
}

/**
 * Creates a merchant, or a consumer of a merchant. It may run in a transaction of nobody's: the new merchant's rows
 * come into its view. A consumer is found again by the first of its billing addresses.
 * @returns 400 where a merchant is given a merchant or a consumer is given none or has settings; 404 for an unknown
 *   merchant; 409 `CONSUMER_EXISTS`.
 */
export async function createOrganization(
  tx: Tx,
  input: NewOrganization,
  environment: EnvironmentName,
  now: Instant,
): Promise<Result<Organization>> {
  const { type, merchantId, settings = {}, ...particulars } = input;
  const id = newId('organization');
  const checked = checkSettings(settings, environment, { isConnected: false, taxProblem: null }); // it is new
  if (!checked.ok) return checked;
  const registered = await checkTaxRegistrations(settings);
  if (!registered.ok) return registered;
  if (type === 'merchant') {
    if (merchantId !== undefined) return invalidField('merchantId', 'is only for a consumer');
    await setAdmittedMerchant(tx.of(id));
    const row = await insertOrganization(
      tx,
      { ...particulars, type, id, merchantId: id, settings: changedSettings({}, settings) },
      now,
    );
    return row ? ok(toOrganization(row)) : fail('CONSUMER_EXISTS');
  }
  if (input.settings !== undefined) return invalidField('settings', 'are only for a merchant');
  if (merchantId === undefined) return invalidField('merchantId', 'is required for a consumer');
  const owner = await ownerOf(tx, merchantId);
  if (owner === null) return notFound('organization', 'merchantId');
  await setAdmittedMerchant(tx.of(owner));
  const merchant = await selectOrganization(tx.of(merchantId), merchantId);
  if (merchant?.type !== 'merchant') return invalidField('merchantId', 'must be a merchant');
  const email = particulars.billingEmails?.[0]?.toLowerCase();
  const row = await insertOrganization(
    tx,
    { ...particulars, type, id, merchantId, ...(email !== undefined && { email }) },
    now,
  );
  return row ? ok(toOrganization(row)) : fail('CONSUMER_EXISTS', { email });
}

/** Settings are the admins' business (api.md, Identity: roles). */
export const checkSettingsRole = (caller: Caller, settings: SettingsInput | undefined): Result<void> =>
  settings === undefined || hasRole(caller, 'admin') ? ok(undefined) : forbidden('Only an admin changes settings.');

export interface OrganizationPatch extends Particulars {
  name?: string;
  settings?: SettingsInput;
}

/** The dependencies of organizations on the environment. */
export interface OrganizationDependencies {
  readonly environment: EnvironmentName;
  /** Has a merchant connected an account at this provider that works? */
  isConnected(tx: Tx, provider: string): Promise<boolean>;
  /**
   * Why a tax provider that is connected cannot calculate tax; null: it can. It may have to be asked (`AskOutside`).
   */
  taxProblem(tx: Tx, provider: 'stripe_tax'): Promise<string | null>;
  /** The hook of other domains in the same transaction, after a change of a consumer's particulars. */
  onConsumerChanged?(tx: Tx, consumer: { merchantId: string; consumerId: string }, now: Instant): Promise<void>;
}

/**
 * Changes an organization. Its settings are the admins' business, and rate limits the platform's; a merchant's or the
 * platform's own particulars are the admins' too, those of consumers any member's (api.md, Identity: roles).
 */
export async function changeOrganization(
  tx: Tx,
  caller: Caller,
  { merchantId, id }: { merchantId: string; id: string },
  patch: OrganizationPatch,
  { environment, isConnected, taxProblem, onConsumerChanged }: OrganizationDependencies,
  now: Instant,
): Promise<Result<Organization>> {
  const row = await lockOrganization(tx, id);
  if (!row) return notFound('organization');
  if (row.type !== 'consumer' && !hasRole(caller, 'admin'))
    return forbidden('Only an admin may change this organization.');
  const { settings: input, ...particulars } = patch;
  const change: OrganizationChange = { ...particulars };
  if (input !== undefined) {
    if (row.type !== 'merchant') return invalid([{ field: 'settings', message: 'are only for a merchant' }]);
    const asksForTax = input.taxProvider === 'stripe_tax';
    const asksForStripe = asksForTax || input.paymentProvider === 'stripe';
    const isThere = asksForStripe && (await isConnected(tx, 'stripe'));
    const checked = checkSettings(input, environment, {
      isConnected: isThere,
      taxProblem: asksForTax && isThere ? await taxProblem(tx, 'stripe_tax') : null,
    });
    if (!checked.ok) return checked;
    const plans = await checkPlans(tx, input);
    if (!plans.ok) return plans;
    const registered = await checkTaxRegistrations(input);
    if (!registered.ok) return registered;
    change.settings = changedSettings(row.settings, input);
    if (!caller.isOperator && !isDeepStrictEqual(change.settings.rateLimits, row.settings.rateLimits))
      return forbidden('Only a platform operator sets rate limits.');
  }
  const changed = await updateOrganization(tx, { merchantId, id }, change, now);
  merchants.delete(tx);
  if (row.type === 'consumer') await onConsumerChanged?.(tx, { merchantId, consumerId: id }, now);
  return ok(toOrganization(changed));
}

/** The plans that customers may choose are the merchant's own. */
async function checkPlans(tx: Tx, { portal }: SettingsInput): Promise<Result<void>> {
  for (const [index, id] of (portal?.planChange?.plans ?? []).entries()) {
    const owned = await checkReference(tx, 'plan', id, `settings.portal.planChange.plans.${index}`);
    if (!owned.ok) return owned;
  }
  return ok(undefined);
}

export interface ConsumerDetails {
  name: string;
  email: string;
  phone?: string | null;
  address?: Address | null;
}

const consumerRow = (merchantId: string, { name, email, phone, address }: ConsumerDetails) => ({
  id: newId('organization'),
  merchantId,
  type: 'consumer' as const,
  name,
  email: email.toLowerCase(),
  billingEmails: [email],
  phone: phone ?? null,
  address: address ?? null,
});

/** A new consumer of the merchant, which is not found by its e-mail address: others may have the same one. */
export async function createConsumer(tx: Tx, details: ConsumerDetails, now: Instant): Promise<Organization> {
  const row = await insertOrganization(tx, { ...consumerRow(tx.merchantId, details), foundByEmail: false }, now);
  if (!row) throw new Error('A consumer that is not found by its e-mail address met another one.');
  return toOrganization(row);
}

/**
 * The merchant's consumer that is found by this e-mail address (in any case), made where there is none. One that exists
 * is left as it is. Two at once make one: the second waits at the unique index for the first.
 */
export async function findOrCreateConsumer(
  tx: Tx,
  details: ConsumerDetails,
  now: Instant,
): Promise<{ consumer: Organization; created: boolean }> {
  const made = await insertOrganization(tx, consumerRow(tx.merchantId, details), now);
  const row = made ?? (await selectConsumerByEmail(tx, details.email.toLowerCase()));
  if (!row) throw new Error('A consumer was neither created nor found.');
  return { consumer: toOrganization(row), created: made !== undefined };
}

/** Stores the sent name, phone, address and billing e-mail of a consumer; absent fields stay unchanged. */
export async function changeConsumer(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  { name, email, phone, address }: ConsumerDetails,
  now: Instant,
): Promise<void> {
  const change = { name, billingEmails: [email], ...(phone && { phone }), ...(address && { address }) };
  await updateOrganization(tx, { merchantId, id }, change, now);
}

/** The particulars of a consumer on documents. */
export interface ConsumerParticulars {
  readonly name: string;
  readonly billingEmails: string[];
  readonly phone: string | null;
  readonly address: Address | null;
}

/** Replaces all of it. */
export const changeConsumerParticulars = async (
  tx: Tx,
  of: { merchantId: string; id: string },
  particulars: ConsumerParticulars,
  now: Instant,
): Promise<void> => void (await updateOrganization(tx, of, particulars, now));

/**
 * The consumer, locked until the transaction ends, so that its customer is made once; undefined where it is none of the
 * merchant's.
 */
export async function lockConsumer(tx: Tx, id: string): Promise<Organization | undefined> {
  const row = await lockOrganization(tx, id);
  return row?.type === 'consumer' ? toOrganization(row) : undefined;
}
