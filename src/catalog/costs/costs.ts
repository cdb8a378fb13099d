import { checkReference, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { decimalOf, plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { type FieldError, invalid, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOrNull } from '../../kernel/time.ts';
import type { TimeUnit } from '../../metering/index.ts';
import { type Aggregation, checkMeter } from '../meters/meter.ts';
import type { CatalogOptions } from '../options.ts';
import { toDecimal } from '../words.ts';
import {
  type Cost,
  type CostChange,
  insertCost,
  insertEarlierUnitCost,
  lockCost,
  markCostDeleted,
  selectCost,
  selectCosts,
  updateCost,
} from './costs.sql.ts';
import type { CostCreateBody, CostUpdateBody } from './schema.ts';
import { unitCostAt } from './unit-cost.ts';

/** A cost as it is answered (§2). Deleted ones are answered nowhere, so `deletedAt` is always null. */
export const toCostReply = (cost: Cost, now: Instant) => ({
  id: cost.id,
  object: 'cost' as const,
  type: cost.type,
  name: cost.name,
  currency: cost.currency,
  unitCost: plain(unitCostAt(cost, now)),
  unit: cost.unit,
  aggregation: cost.aggregation,
  eventType: cost.eventType,
  valueProperty: cost.valueProperty,
  groupBy: cost.groupBy,
  timeUnit: cost.timeUnit ?? null,
  productId: cost.productId,
  merchantId: cost.merchantId,
  createdAt: formatInstant(cost.createdAt),
  updatedAt: formatInstant(cost.updatedAt),
  deletedAt: null,
});
type CostReply = ReturnType<typeof toCostReply>;

/** The meter of a cost may be absent, but not half: events without a way to count them would silently cost nothing. */
export function checkCostMeter(meter: {
  aggregation: Aggregation | null;
  eventType: string | null;
  valueProperty: string | null;
  timeUnit?: TimeUnit | null;
}): FieldError[] {
  const { aggregation } = meter;
  if (aggregation !== null) return checkMeter({ ...meter, aggregation });
  return meter.eventType === null ? [] : [{ field: 'aggregation', message: 'is required with eventType' }];
}

/** Makes a cost by the rules of §4. */
export async function createCost(
  tx: Tx,
  body: CostCreateBody,
  now: Instant,
  { onMeterChanged }: CatalogOptions,
): Promise<Result<CostReply>> {
  const meter = {
    aggregation: body.aggregation ?? null,
    eventType: body.eventType ?? null,
    valueProperty: body.valueProperty ?? null,
    groupBy: body.groupBy ?? null,
    timeUnit: body.timeUnit ?? null,
  };
  const errors = checkCostMeter(meter);
  if (errors.length > 0) return invalid(errors);
  const product = await checkReference(tx, 'product', body.productId, 'productId');
  if (!product.ok) return product;
  const cost = await insertCost(tx, {
    id: newId('cost'),
    merchantId: tx.merchantId,
    productId: body.productId,
    type: 'metered',
    name: body.name,
    currency: body.currency,
    unitCost: decimalOf(body.unitCost),
    unit: body.unit ?? null,
    ...meter,
    eventFrom: null,
    createdAt: now,
    updatedAt: now,
  });
  await onMeterChanged?.(tx, cost);
  return ok(toCostReply(cost, now));
}

/** Costs of one merchant, or (null, for operators) of all, newest first; never deleted ones. */
export async function listCosts(
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string; eventType?: string },
  page: PageRequest,
  now: Instant,
) {
  const { rows, total } = await selectCosts(tx, merchantId, filter, page);
  return { data: rows.map((cost) => toCostReply(cost, now)), total };
}

/** One cost; 404, also when it was deleted. */
export async function getCost(tx: Tx, id: string, now: Instant): Promise<Result<CostReply>> {
  const cost = await selectCost(tx, id);
  return cost ? ok(toCostReply(cost, now)) : notFound('cost');
}

/**
 * Changes the fields of the body. Costs are on no invoice, so all fields can change at any time: reports show the
 * present values, but a unit cost holds from its instant on.
 */
export async function changeCost(
  tx: Tx,
  id: string,
  body: CostUpdateBody,
  now: Instant,
  { onMeterChanged }: CatalogOptions,
): Promise<Result<CostReply>> {
  const cost = await lockCost(tx, id);
  if (!cost) return notFound('cost');
  const { unitCost, effectiveFrom, ...others } = body;
  if (effectiveFrom !== undefined && unitCost === undefined)
    return invalidField('effectiveFrom', 'says when a unitCost begins: send both');
  const change: CostChange = Object.fromEntries(
    Object.entries({ ...others, unitCost: toDecimal(unitCost) }).filter(([, value]) => value !== undefined),
  );
  const errors = checkCostMeter({ ...cost, ...change });
  if (errors.length > 0) return invalid(errors);
  if (body.productId !== undefined) {
    const product = await checkReference(tx, 'product', body.productId, 'productId');
    if (!product.ok) return product;
  }
  if (unitCost !== undefined) await insertEarlierUnitCost(tx, cost, instantOrNull(effectiveFrom) ?? now);
  const changed = await updateCost(tx, id, change, now);
  await onMeterChanged?.(tx, changed);
  return ok(toCostReply(changed, now));
}

/** Deletes a cost: it is gone from every read, and reports count usage up to here. */
export async function deleteCost(tx: Tx, id: string, now: Instant): Promise<Result<undefined>> {
  return (await markCostDeleted(tx, id, now)) ? ok(undefined) : notFound('cost');
}
