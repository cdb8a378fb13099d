import {
  allOf,
  assignments,
  type Changed,
  changedRows,
  jsonb,
  keptTotal,
  pageOfRows,
  type Sql,
  sql,
  type Tx,
} from '../db/index.ts';
import type { Address, Page, PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { EnvironmentName } from './keys.ts';
import type { SettingsInput } from './settings.ts';

export interface OrganizationRow {
  id: string;
  merchantId: string;
  type: 'merchant' | 'consumer' | 'platform';
  name: string;
  legalName: string | null;
  taxId: string | null;
  address: Address | null;
  billingEmails: string[];
  email: string | null;
  phone: string | null;
  defaultCurrency: string | null;
  settings: SettingsInput;
  environment: EnvironmentName;
  createdAt: Instant;
  updatedAt: Instant;
}

const columns = sql`
  id, merchant_id, type, name, legal_name, tax_id, address,
  billing_emails, email, phone, default_currency, settings,
  (select environment_name()) as environment, created_at, updated_at`;

const jsonbOrNull = (value: unknown) => (value === null ? null : jsonb(value));

/**
 * Lets this transaction also see and write one more merchant's rows: for a creation whose merchant does not exist
 * before, and for an operator's that names a merchant beside the platform. The caller has checked that it may.
 */
export const setAdmittedMerchant = (tx: Tx): Promise<number> =>
  tx.run(sql`select set_config('reckoner.merchants', concat_ws(',',
    nullif(current_setting('reckoner.merchants', true), ''), ${tx.merchantId}::text), true)`);

export type NewRow = Pick<OrganizationRow, 'id' | 'merchantId' | 'type' | 'name'> &
  Partial<
    Pick<
      OrganizationRow,
      'legalName' | 'taxId' | 'address' | 'billingEmails' | 'email' | 'phone' | 'defaultCurrency' | 'settings'
    >
  > & {
    /** Consumers: false lets other consumers of the merchant have the same e-mail address. Default: true. */
    foundByEmail?: boolean;
  };

/**
 * A consumer that is found by its e-mail address is not inserted where the address is taken. A twin that is still being
 * written is waited for at the unique index.
 */
export const insertOrganization = (tx: Tx, row: NewRow, now: Instant): Promise<OrganizationRow | undefined> =>
  tx.maybe<OrganizationRow>(sql`
    insert into organization (merchant_id, id, type, name, legal_name, tax_id, address, billing_emails, email, phone,
                              default_currency, settings, found_by_email, created_at, updated_at)
    values (${row.merchantId}, ${row.id}, ${row.type}, ${row.name}, ${row.legalName ?? null}, ${row.taxId ?? null},
            ${jsonbOrNull(row.address ?? null)}, ${row.billingEmails ?? []}::text[], ${row.email ?? null},
            ${row.phone ?? null}, ${row.defaultCurrency ?? null}, ${jsonb(row.settings ?? {})},
            ${row.foundByEmail ?? true}, ${now}, ${now})
    on conflict (merchant_id, email) where type = 'consumer' and found_by_email do nothing
    returning ${columns}`);

export const selectOrganization = (tx: Tx, id: string): Promise<OrganizationRow | undefined> =>
  tx.maybe<OrganizationRow>(
    sql`select ${columns} from organization where merchant_id = ${tx.merchantId} and id = ${id}`,
    'organization',
  );

/** The same, with the row locked against other changes of it until the transaction ends. */
export const lockOrganization = (tx: Tx, id: string): Promise<OrganizationRow | undefined> =>
  tx.maybe<OrganizationRow>(sql`
    select ${columns} from organization where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

export const selectOrganizations = (tx: Tx, ids: readonly string[]): Promise<OrganizationRow[]> =>
  tx.rows<OrganizationRow>(sql`select ${columns} from organization where id = any (${[...ids]}::text[])`);

/** Those of some organizations that belong to the merchant. */
export const selectOrganizationsOf = (tx: Tx, ids: readonly string[]): Promise<OrganizationRow[]> =>
  tx.rows<OrganizationRow>(
    sql`select ${columns} from organization where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );

export const selectConsumerByEmail = (tx: Tx, email: string): Promise<OrganizationRow | undefined> =>
  tx.maybe<OrganizationRow>(sql`
    select ${columns} from organization
     where merchant_id = ${tx.merchantId} and type = 'consumer' and email = ${email} and found_by_email`);

/** The ids of organizations that changed, for lists of what shows them. */
export const changedOrganizations = (changed: Changed): Sql => changedRows('organization', 'id', changed);

export type OrganizationFilter = { merchantId: string | null; type?: string; name?: string; email?: string };

export async function selectOrganizationsPage(
  tx: Tx,
  filter: OrganizationFilter,
  page: PageRequest,
): Promise<Page<OrganizationRow>> {
  const where = allOf([
    filter.merchantId !== null && sql`merchant_id = ${filter.merchantId}`,
    filter.type !== undefined && sql`type = ${filter.type}`,
    filter.name !== undefined && nameHolds(filter.name),
    filter.email !== undefined && emailHolds(filter.email),
  ]);
  const { rows, total } = await pageOfRows<OrganizationRow>(
    tx,
    { kind: 'organization', select: columns, from: sql`organization`, where },
    page,
    keptTotal(tx, 'organization', filter.merchantId, filter, ['type']),
  );
  return { data: rows, total };
}

/** A part of a text, any case; `%`, `_` and `\` have no special meaning. */
const holding = (part: string): string => `%${part.replace(/[\\%_]/g, '\\$&')}%`;

const nameHolds = (part: string): Sql => sql`name ilike ${holding(part)}`;

const emailHolds = (part: string): Sql => sql`(email ilike ${holding(part)}
  or exists (select from unnest(billing_emails) as billing_email where billing_email ilike ${holding(part)}))`;

/** The addresses of consumers for emails: their billing e-mails, else the address of their creation; as a subselect. */
export const consumerEmails: Sql = sql`
  select merchant_id, id,
         case when cardinality(billing_emails) > 0 then billing_emails
              when email is not null then array[email]
              else '{}' end as emails
    from organization where type = 'consumer'`;

/** The ids of a merchant's consumers that were made with this e-mail address, in lower case: as a subselect. */
export const consumerIdsOfEmail = (merchantId: string, email: string): Sql => sql`
  select id from organization where merchant_id = ${merchantId} and type = 'consumer' and email = ${email}`;

export type OrganizationChange = Partial<
  Pick<
    OrganizationRow,
    'name' | 'legalName' | 'taxId' | 'address' | 'billingEmails' | 'phone' | 'defaultCurrency' | 'settings'
  >
>;

export const updateOrganization = (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  change: OrganizationChange,
  now: Instant,
): Promise<OrganizationRow> =>
  tx.one<OrganizationRow>(sql`
    update organization set ${assignments({
      name: change.name,
      legalName: change.legalName,
      taxId: change.taxId,
      address: change.address === undefined ? undefined : jsonbOrNull(change.address),
      billingEmails: change.billingEmails,
      phone: change.phone,
      defaultCurrency: change.defaultCurrency,
      settings: change.settings === undefined ? undefined : jsonb(change.settings),
      updatedAt: now,
    })} where merchant_id = ${merchantId} and id = ${id} returning ${columns}`);
