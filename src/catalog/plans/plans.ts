import { checkReference, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { decimalOrNull } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type FieldError, fail, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf, instantOrNull, normaliseCadence } from '../../kernel/time.ts';
import type { CatalogOptions } from '../options.ts';
import type { Price } from '../prices/price.ts';
import { selectPricesOfVersions } from '../prices/prices.sql.ts';
import { toPriceReply } from '../prices/prices.ts';
import { percentNumber, readCadence, toDecimal } from '../words.ts';
import { cadenceOf, checkCadence, checkDuration, intervalOf } from './cadence.ts';
import { currencyMinimumsOf, ownCurrencyErrors } from './in-currency.ts';
import {
  insertPlan,
  lockPlan,
  type Plan,
  type PlanChange,
  type PlanFilter,
  selectPlan,
  selectPlans,
  updatePlan,
} from './plans.sql.ts';
import { namePrices, publishPrices, takePrices } from './publish-prices.ts';
import type { PlanCreateBody, PlanUpdateBody } from './schema.ts';
import { checkTemplatesAgree } from './version-prices.ts';
import { NO_TERMS, toTermsReply, type VersionTerms } from './version-terms.ts';
import { insertVersion, selectVersionIds, selectVersionTerms } from './versions.sql.ts';

/** A plan as it is answered, with the prices and the terms of its default version. */
export const toPlanReply = (plan: Plan, prices: readonly Price[], terms: VersionTerms) => ({
  id: plan.id,
  object: 'plan' as const,
  merchantId: plan.merchantId,
  productId: plan.productId,
  name: plan.name,
  description: plan.description ?? undefined,
  invoiceDisplayName: plan.invoiceDisplayName ?? undefined,
  currency: plan.currency,
  billingCadence: plan.billingCadence,
  billingInterval: intervalOf(plan.billingCadence),
  billingVersion: plan.billingVersion,
  billingAnchor: plan.billingAnchor && formatInstant(plan.billingAnchor),
  gracePeriod: plan.gracePeriod,
  trialPeriod: plan.trialPeriod,
  autoApprove: plan.autoApprove,
  defaultTaxCode: plan.defaultTaxCode,
  defaultTaxRate: percentNumber(plan.defaultTaxRate),
  taxBehavior: plan.taxBehavior,
  renewalReminderEnabled: plan.renewalReminderEnabled,
  renewalReminderDays: plan.renewalReminderDays,
  metadata: plan.metadata,
  defaultVersionId: plan.defaultVersionId,
  ...toTermsReply(terms),
  paymentTerm: {
    in_arrears: prices.some((price) => price.paymentTerm === 'in_arrears'),
    in_advance: prices.some((price) => price.paymentTerm === 'in_advance'),
  },
  prices: prices.map(toPriceReply),
  createdAt: formatInstant(plan.createdAt),
  updatedAt: formatInstant(plan.updatedAt),
});
type PlanReply = ReturnType<typeof toPlanReply>;

/** Makes a plan and publishes version 1 of it, with the prices that the body names. */
export async function createPlan(tx: Tx, body: PlanCreateBody, now: Instant): Promise<Result<PlanReply>> {
  const errors = checkTimes(body);
  if (errors.length > 0) return invalid(errors);
  const product = await checkReference(tx, 'product', body.productId, 'productId');
  if (!product.ok) return product;
  const priceIds = body.prices ?? [];
  const prices = await takePrices(tx, namePrices(priceIds));
  if (!prices.ok) return prices;
  const disagreements = checkTemplatesAgree(prices.value, (id) => `prices.${priceIds.indexOf(id)}`);
  if (disagreements.length > 0) return invalid(disagreements);

  const terms: VersionTerms = {
    minimumAmount: decimalOrNull(body.minimumAmount),
    currencyMinimums: currencyMinimumsOf(body.currencyMinimums),
    trialRequiresPaymentMethod: body.trialRequiresPaymentMethod ?? NO_TERMS.trialRequiresPaymentMethod,
    trialEndBehavior: body.trialEndBehavior ?? NO_TERMS.trialEndBehavior,
  };
  const priced = { prices: prices.value, ...terms };
  const wrongCurrencies = ownCurrencyErrors(body.currency, priced, (id) => `prices.${priceIds.indexOf(id)}`);
  if (wrongCurrencies.length > 0) return invalid(wrongCurrencies);
  const versionId = newId('planVersion');
  const plan = await insertPlan(tx, {
    id: newId('plan'),
    merchantId: tx.merchantId,
    productId: body.productId,
    name: body.name,
    description: body.description ?? null,
    invoiceDisplayName: body.invoiceDisplayName ?? null,
    currency: body.currency,
    billingCadence: cadenceOf(body) ?? 'P1M',
    billingVersion: body.billingVersion ?? 1,
    billingAnchor: instantOrNull(body.billingAnchor),
    gracePeriod: body.gracePeriod ?? 'PT0S',
    trialPeriod: body.trialPeriod ?? null,
    autoApprove: body.autoApprove ?? true,
    defaultTaxCode: body.defaultTaxCode ?? 'eservice',
    defaultTaxRate: decimalOrNull(body.defaultTaxRate),
    taxBehavior: body.taxBehavior ?? 'exclusive',
    renewalReminderEnabled: body.renewalReminderEnabled ?? true,
    renewalReminderDays: body.renewalReminderDays ?? 3,
    metadata: body.metadata ?? {},
    defaultVersionId: versionId,
    createdAt: now,
    updatedAt: now,
  });
  const first = {
    id: versionId,
    merchantId: tx.merchantId,
    planId: plan.id,
    versionNumber: 1,
    basedOnVersionId: null,
    ...terms,
  };
  const published = { status: 'published', publishedAt: now, createdAt: now, updatedAt: now } as const;
  await insertVersion(tx, { ...first, ...published }, priceIds);
  return ok(toPlanReply(plan, prices.value, terms));
}

/** Checks the rules of cadence, grace and trial that the schema cannot express. */
function checkTimes(body: Pick<PlanUpdateBody, 'billingCadence' | 'gracePeriod' | 'trialPeriod'>): FieldError[] {
  return [
    ...(body.billingCadence === undefined ? [] : checkCadence('billingCadence', readCadence(body.billingCadence))),
    ...(body.gracePeriod === undefined ? [] : checkDuration('gracePeriod', body.gracePeriod)),
    ...(body.trialPeriod == null ? [] : checkDuration('trialPeriod', body.trialPeriod)),
  ];
}

/** Plans of one merchant, or (null, for operators) of all, newest first. */
export async function listPlans(tx: Tx, merchantId: string | null, filter: PlanFilter, page: PageRequest) {
  const { rows, total } = await selectPlans(tx, merchantId, filter, page);
  const merchantIds = [...new Set(rows.map((plan) => plan.merchantId))];
  const versionIds = rows.map((plan) => plan.defaultVersionId);
  const prices = await selectPricesOfVersions(tx, merchantIds, versionIds);
  const terms = await selectVersionTerms(tx, merchantIds, versionIds);
  const data = rows.map((plan) => {
    const { defaultVersionId: id } = plan;
    return toPlanReply(plan, prices.get(id) ?? [], terms.get(id) ?? NO_TERMS);
  });
  return { data, total };
}

/** Plans of products to which the customer has no active subscription. */
export async function listAvailablePlans(
  tx: Tx,
  query: { customerId: string; productId?: string; search?: string },
  page: PageRequest,
  { findActivePlans }: CatalogOptions,
) {
  const { customerId, productId, search } = query;
  const notInProductsOf = await findActivePlans(tx, customerId);
  return listPlans(tx, tx.merchantId, { productId, search, notInProductsOf }, page);
}

const replyWith = async (tx: Tx, plan: Plan): Promise<Result<PlanReply>> => {
  const { defaultVersionId: id } = plan;
  const prices = await selectPricesOfVersions(tx, [plan.merchantId], [id]);
  const terms = await selectVersionTerms(tx, [plan.merchantId], [id]);
  return ok(toPlanReply(plan, prices.get(id) ?? [], terms.get(id) ?? NO_TERMS));
};

/** One plan; 404. */
export async function getPlan(tx: Tx, id: string): Promise<Result<PlanReply>> {
  const plan = await selectPlan(tx, id);
  return plan ? replyWith(tx, plan) : notFound('plan');
}

/**
 * Changes what the body names. Currency, cadence, tax behaviour and product are what the bills of running subscriptions
 * stand on: they can change while there is none, else `PLAN_IN_USE`. Other prices are the next version, published.
 */
export async function changePlan(
  tx: Tx,
  id: string,
  body: PlanUpdateBody,
  now: Instant,
  options: CatalogOptions,
): Promise<Result<PlanReply>> {
  const errors = checkTimes(body);
  if (errors.length > 0) return invalid(errors);
  const plan = await lockPlan(tx, id);
  if (!plan) return notFound('plan');
  if (body.productId !== undefined) {
    const product = await checkReference(tx, 'product', body.productId, 'productId');
    if (!product.ok) return product;
  }
  const change = changeOf(body);
  const fields = heldFields(plan, change);
  if (fields.length > 0 && (await hasSubscriptions(tx, plan, options))) return fail('PLAN_IN_USE', { fields });
  const currency = body.currency ?? plan.currency;
  const published =
    body.prices === undefined ? ok(null) : await publishPrices(tx, { ...plan, currency }, body.prices, now);
  if (!published.ok) return published;
  if (currency !== plan.currency) {
    const wrongCurrency = await errorsOfCurrency(tx, plan, currency);
    if (wrongCurrency.length > 0) return invalid(wrongCurrency);
  }
  const version = published.value === null ? {} : { defaultVersionId: published.value };
  return replyWith(tx, await updatePlan(tx, id, { ...change, ...version }, now));
}

/** What any version of a plan says of the currency that is to be the plan's own. */
async function errorsOfCurrency(tx: Tx, { merchantId, id }: Plan, currency: string): Promise<FieldError[]> {
  const versionIds = await selectVersionIds(tx, id);
  const prices = await selectPricesOfVersions(tx, [merchantId], versionIds);
  const terms = await selectVersionTerms(tx, [merchantId], versionIds);
  const errors = versionIds.flatMap((each) =>
    ownCurrencyErrors(currency, { prices: prices.get(each) ?? [], ...(terms.get(each) ?? NO_TERMS) }, () => 'currency'),
  );
  return errors.slice(0, 1).map(({ message }) => ({ field: 'currency', message }));
}

function changeOf(body: PlanUpdateBody): PlanChange {
  const { billingInterval: _, prices: __, billingAnchor, defaultTaxRate, ...others } = body;
  const given = {
    ...others,
    billingCadence: cadenceOf(body),
    billingAnchor: billingAnchor && instantOf(billingAnchor),
    defaultTaxRate: toDecimal(defaultTaxRate),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The fields of a change that running subscriptions hold. */
function heldFields(plan: Plan, change: PlanChange): string[] {
  const same = (field: 'productId' | 'currency' | 'taxBehavior') =>
    change[field] === undefined || change[field] === plan[field];
  const sameCadence =
    change.billingCadence === undefined ||
    normaliseCadence(change.billingCadence) === normaliseCadence(plan.billingCadence);
  const held = (['productId', 'currency', 'taxBehavior'] as const).filter((field) => !same(field));
  return sameCadence ? held : [...held, 'billingCadence'];
}

async function hasSubscriptions(tx: Tx, plan: Plan, { countSubscriptions }: CatalogOptions): Promise<boolean> {
  const versionIds = await selectVersionIds(tx, plan.id);
  const counts = await countSubscriptions(tx, versionIds);
  return [...counts.values()].some((count) => count > 0);
}
