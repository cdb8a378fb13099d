import { checkReference, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { normaliseProperties, type Pricing } from '../../invoicing/rating/index.ts';
import { decimalOf, decimalOrNull, jsonNumber, ONE, plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import type { Feature } from '../features/feature.ts';
import { lockFeatureShared } from '../features/features.sql.ts';
import { lockFeeShared } from '../fees/fees.sql.ts';
import { lockMetricsShared } from '../metrics/metrics.sql.ts';
import { checkReferences } from '../references-in-body.ts';
import { displayUnitIn, percentNumber, readCadence, toDecimal } from '../words.ts';
import type { Price } from './price.ts';
import {
  insertPrice,
  isFeatureOnMetrics,
  lockPrice,
  markPriceDeleted,
  selectPrice,
  selectPrices,
  selectVersionsOfPrice,
  updatePrice,
} from './prices.sql.ts';
import type { PriceCreateBody, PriceUpdateBody } from './schema.ts';
import { BOOLEAN_BY_DEFAULT, withDefaults } from './template.ts';
import { changedFields, checkSurroundings, checkTerms, type PriceTerms } from './terms.ts';

/** A price as it is answered. */
export const toPriceReply = (price: Price) => ({
  id: price.id,
  object: 'price' as const,
  merchantId: price.merchantId,
  billableMetricId: price.billableMetricId ?? undefined,
  feeId: price.feeId ?? undefined,
  invoiceDisplayName: price.invoiceDisplayName,
  paymentTerm: price.paymentTerm,
  model: price.pricing.model,
  properties: price.pricing.properties,
  billingCadence: price.billingCadence,
  quantity: jsonNumber(price.quantity),
  minimumAmount: price.minimumAmount ? plain(price.minimumAmount) : undefined,
  maximumAmount: price.maximumAmount ? plain(price.maximumAmount) : undefined,
  currencyPrices: price.currencyPrices,
  taxRate: percentNumber(price.taxRate),
  displayUnit: price.displayUnit,
  groupFilters: price.groupFilters ?? undefined,
  grantDiscountEnabled: price.grantDiscountEnabled,
  features: price.features,
  createdAt: formatInstant(price.createdAt),
  updatedAt: formatInstant(price.updatedAt),
});
type PriceReply = ReturnType<typeof toPriceReply>;

/** Makes a price of exactly one metric or fee. */
export async function createPrice(tx: Tx, body: PriceCreateBody, now: Instant): Promise<Result<PriceReply>> {
  const { billableMetricId = null, feeId = null } = body;
  if ((billableMetricId === null) === (feeId === null)) {
    const message = 'is required, or feeId: exactly one of the two';
    return invalid([{ field: 'billableMetricId', message }]);
  }
  const terms = termsOf(body);
  const surrounded = await checkAll(tx, terms, { billableMetricId, feeId });
  if (!surrounded.ok) return surrounded;
  const identity = {
    id: newId('price'),
    merchantId: tx.merchantId,
    billableMetricId,
    feeId,
    createdAt: now,
    deletedAt: null,
  };
  const price = assemble(identity, terms, surrounded.value, now);
  await insertPrice(tx, price);
  return ok(toPriceReply(price));
}

/** Prices of one merchant, or (null, for operators) of all, newest first. */
export async function listPrices(
  tx: Tx,
  merchantId: string | null,
  filter: { billableMetricId?: string; feeId?: string },
  page: PageRequest,
) {
  const { rows, total } = await selectPrices(tx, merchantId, filter, page);
  return { data: rows.map(toPriceReply), total };
}

/** One price; 404. */
export async function getPrice(tx: Tx, id: string): Promise<Result<PriceReply>> {
  const price = await selectPrice(tx, id);
  return price ? ok(toPriceReply(price)) : notFound('price');
}

/**
 * Changes the fields of the body; the metric or fee of the price stays. A price in any version can only change its
 * display name (domain.md §2) and its display unit: `PRICE_IN_USE`.
 */
export async function changePrice(
  tx: Tx,
  id: string,
  body: PriceUpdateBody,
  now: Instant,
): Promise<Result<PriceReply>> {
  const price = await lockPrice(tx, id);
  if (!price) return notFound('price');
  const before = currentTerms(price);
  const terms = changedTerms(before, body);
  const surrounded = await checkAll(tx, terms, price);
  if (!surrounded.ok) return surrounded;
  const fields = changedFields(before, terms).filter((field) => !WORDS.includes(field));
  if (fields.length > 0) {
    const [holder] = await selectVersionsOfPrice(tx, id);
    if (holder) return fail('PRICE_IN_USE', { fields, planId: holder.planId, versionNumber: holder.versionNumber });
  }
  const changed = assemble(price, terms, surrounded.value, now);
  await updatePrice(tx, changed);
  return ok(toPriceReply(changed));
}

/** What only pages and documents say: it moves no money. */
const WORDS: readonly string[] = ['invoiceDisplayName', 'displayUnit'];

/** Deletes a price that no version holds but archived ones, which keep it: `PRICE_IN_USE` with the blockers. */
export async function deletePrice(tx: Tx, id: string, now: Instant): Promise<Result<undefined>> {
  const price = await lockPrice(tx, id);
  if (!price) return notFound('price');
  const holders = await selectVersionsOfPrice(tx, id);
  const items = holders.filter(({ status }) => status !== 'archived');
  if (items.length > 0)
    return fail('PRICE_IN_USE', {
      blockers: [{ type: 'planVersion', count: items.length, items: items.slice(0, 100) }],
    });
  await markPriceDeleted(tx, id, now);
  return ok(undefined);
}

/** A feature with its template; a boolean one needs none. */
const carriedBy = (feature: PriceCreateBody['feature']): PriceTerms['feature'] | undefined =>
  feature && {
    featureId: feature.featureId,
    entitlementTemplate: withDefaults(feature.entitlementTemplate ?? BOOLEAN_BY_DEFAULT, 'billing'),
  };

/** The prices of other currencies, with every number read. */
const inCurrencies = (given: PriceCreateBody['currencyPrices']): PriceTerms['currencyPrices'] =>
  Object.fromEntries(
    Object.entries(given ?? {}).map(([currency, { properties, minimumAmount, maximumAmount }]) => [
      currency,
      {
        properties: normaliseProperties(properties),
        minimumAmount: minimumAmount == null ? null : plain(decimalOf(minimumAmount)),
        maximumAmount: maximumAmount == null ? null : plain(decimalOf(maximumAmount)),
      },
    ]),
  );

/** The terms of a body, with the defaults of api.md and every number read. */
const termsOf = (body: PriceCreateBody): PriceTerms => ({
  invoiceDisplayName: body.invoiceDisplayName,
  paymentTerm: body.paymentTerm,
  model: body.model ?? 'standard',
  properties: normaliseProperties(body.properties),
  billingCadence: body.billingCadence == null ? null : readCadence(body.billingCadence),
  quantity: decimalOrNull(body.quantity) ?? ONE,
  minimumAmount: decimalOrNull(body.minimumAmount),
  maximumAmount: decimalOrNull(body.maximumAmount),
  currencyPrices: inCurrencies(body.currencyPrices),
  taxRate: decimalOrNull(body.taxRate),
  displayUnit: displayUnitIn(body.displayUnit) ?? null,
  groupFilters: body.groupFilters ?? null,
  grantDiscountEnabled: body.grantDiscountEnabled ?? false,
  feature: carriedBy(body.feature) ?? null,
});

const currentTerms = (price: Price): PriceTerms => {
  const [feature] = price.features;
  return {
    invoiceDisplayName: price.invoiceDisplayName,
    paymentTerm: price.paymentTerm,
    model: price.pricing.model,
    properties: price.pricing.properties,
    billingCadence: price.billingCadence,
    quantity: price.quantity,
    minimumAmount: price.minimumAmount,
    maximumAmount: price.maximumAmount,
    currencyPrices: price.currencyPrices,
    taxRate: price.taxRate,
    displayUnit: price.displayUnit,
    groupFilters: price.groupFilters,
    grantDiscountEnabled: price.grantDiscountEnabled,
    feature: feature ? { featureId: feature.featureId, entitlementTemplate: feature.entitlementTemplate } : null,
  };
};

/** The terms after a change: absent fields stay, null clears. */
function changedTerms(before: PriceTerms, body: PriceUpdateBody): PriceTerms {
  const given = {
    ...body,
    properties: body.properties && normaliseProperties(body.properties),
    billingCadence: body.billingCadence && readCadence(body.billingCadence),
    feature: carriedBy(body.feature),
    quantity: toDecimal(body.quantity),
    minimumAmount: toDecimal(body.minimumAmount),
    maximumAmount: toDecimal(body.maximumAmount),
    currencyPrices: body.currencyPrices === undefined ? undefined : inCurrencies(body.currencyPrices),
    taxRate: toDecimal(body.taxRate),
    displayUnit: displayUnitIn(body.displayUnit),
  };
  return { ...before, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}

/** Checks the terms alone and in their context, and answers all faults at once. @returns the feature that they carry */
async function checkAll(
  tx: Tx,
  terms: PriceTerms,
  of: Pick<Price, 'billableMetricId' | 'feeId'>,
): Promise<Result<Feature | null>> {
  const errors = checkTerms(terms, of.feeId === null ? 'metric' : 'fee');
  const surrounded = await surround(tx, terms, of);
  if (errors.length === 0) return surrounded;
  const further = !surrounded.ok && surrounded.refusal.kind === 'validation' ? surrounded.refusal.errors : [];
  return invalid([...errors, ...further]);
}

/** Finds and locks the context of the terms, and checks them in it. @returns the feature that the price carries */
async function surround(
  tx: Tx,
  terms: PriceTerms,
  { billableMetricId, feeId }: Pick<Price, 'billableMetricId' | 'feeId'>,
): Promise<Result<Feature | null>> {
  if (feeId !== null) {
    const known = await checkReference(tx, 'fee', feeId, 'feeId');
    if (!known.ok) return known;
    if (!(await lockFeeShared(tx, feeId))) return notFound('fee', 'feeId');
  }
  const carried = await carriedFeature(tx, terms);
  if (!carried.ok) return carried;
  const namedIds = namedMetricIds(terms);
  const own = billableMetricId === null ? [] : [{ id: billableMetricId, field: 'billableMetricId' }];
  const named = namedIds.map((id, index) => ({ id, field: `feature.entitlementTemplate.billableMetricIds.${index}` }));
  const knownMetrics = await checkReferences(tx, 'billable metric', [...own, ...named]);
  if (!knownMetrics.ok) return knownMetrics;
  const held = await lockMetricsShared(
    tx,
    [...own, ...named].map(({ id }) => id),
  );
  const metrics = new Map(held.map((metric) => [metric.id, metric]));
  const errors = checkSurroundings(terms, {
    metric: metrics.get(billableMetricId ?? '') ?? null,
    feature: carried.value,
    namedMetrics: namedIds.flatMap((id) => metrics.get(id) ?? []),
    isFeatureOnMetrics: carried.value !== null && (await isFeatureOnMetrics(tx, carried.value.id)),
  });
  return errors.length > 0 ? invalid(errors) : carried;
}

/** The feature that the terms name, held against its deletion. */
async function carriedFeature(tx: Tx, { feature }: PriceTerms): Promise<Result<Feature | null>> {
  if (feature === null) return ok(null);
  const known = await checkReference(tx, 'feature', feature.featureId, 'feature.featureId');
  if (!known.ok) return known;
  const held = await lockFeatureShared(tx, feature.featureId);
  return held ? ok(held) : notFound('feature', 'feature.featureId');
}

/** The metrics that a metered template names, in its order. */
function namedMetricIds({ feature }: PriceTerms): readonly string[] {
  const template = feature?.entitlementTemplate;
  return (template?.type === 'metered' && template.billableMetricIds) || [];
}

/** A price of its terms. A feature keeps its place (the id) as long as it is the same one. */
function assemble(
  identity: Pick<Price, 'id' | 'merchantId' | 'billableMetricId' | 'feeId' | 'createdAt' | 'deletedAt'> &
    Partial<Pick<Price, 'features'>>,
  { model, properties, currencyPrices, feature: carried, ...terms }: PriceTerms,
  feature: Feature | null,
  now: Instant,
): Price {
  const { id, merchantId, billableMetricId, feeId, createdAt, deletedAt } = identity;
  const kept = identity.features?.find(({ featureId }) => featureId === feature?.id);
  return {
    id,
    merchantId,
    billableMetricId,
    feeId,
    createdAt,
    deletedAt,
    ...terms,
    pricing: { model, properties } as Pricing, // checked by checkTerms
    currencyPrices: currencyPrices as Price['currencyPrices'],
    features:
      carried && feature
        ? [
            {
              id: kept?.id ?? newId('priceFeature'),
              featureId: feature.id,
              entitlementTemplate: carried.entitlementTemplate,
              feature: { key: feature.key, name: feature.name, type: feature.type },
            },
          ]
        : [],
    updatedAt: now,
  };
}
