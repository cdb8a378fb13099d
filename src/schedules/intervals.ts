import { findPrices, resolveItems } from '../catalog/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { canonicalJson, type PageRequest } from '../http/index.ts';
import { decimalOf } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import { type FieldError, invalid, invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { type Instant, instantOf, instantOrNull } from '../kernel/time.ts';
import { findOrder } from '../orders/index.ts';
import { intervalProblems } from './check.ts';
import type { ScheduleDependencies } from './dependencies.ts';
import { deleteIntervals, insertIntervals, selectIntervalPage, selectIntervals } from './intervals.sql.ts';
import { contentOfInterval } from './present.ts';
import type { IntervalRow, ScheduleRow } from './schedule.ts';
import { type Asker, changeSchedule, type ScheduleKey } from './schedules.ts';
import type { ScheduleIntervalInput, ScheduleIntervalsReplaceBody } from './schemas.ts';

const at = (index: number): string => `intervals.${index}.`;

/** GET …/intervals: in the order in which they were sent. */
export const listIntervals = (tx: Tx, { id }: ScheduleKey, page: PageRequest) => selectIntervalPage(tx, id, page);

/**
 * PUT …/intervals: replaces all, or those of one order line. An interval that says the same as one before, or as one of
 * an approved content of the order, keeps its id: edited back, the order is what was approved.
 * @returns 404; 403; 400 by field; INVALID_TRANSITION
 */
export async function replaceIntervals(
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  body: ScheduleIntervalsReplaceBody,
  asker: Asker,
): Promise<Result<IntervalRow[]>> {
  const changed = await changeSchedule(dependencies, tx, key, asker, async (schedule, now) => {
    const known = await selectIntervals(tx, [key.merchantId], [key.id]);
    const line = body.orderLineItemId ?? null;
    const replaced = line === null ? known : known.filter(({ orderLineItemId }) => orderLineItemId === line);
    const drafts = body.intervals.map((input) => draftOf(schedule, input, line, now));
    const checked = await checkIntervals(dependencies, tx, schedule, drafts, body);
    if (!checked.ok) return checked;
    const kept = known.filter((interval) => !replaced.includes(interval));
    await deleteIntervals(
      tx,
      known.map(({ id }) => id),
    );
    const approved = await approvedIds(dependencies, tx, schedule);
    const taken = new Set(kept.map(({ id }) => id));
    await insertIntervals(tx, [...kept, ...withApprovedIds(withKnownIds(drafts, replaced), approved, taken)]);
    return ok(undefined);
  });
  return changed.ok ? ok(await selectIntervals(tx, [key.merchantId], [key.id])) : changed;
}

const draftOf = (
  { merchantId, id }: ScheduleRow,
  input: ScheduleIntervalInput,
  orderLineItemId: string | null,
  now: Instant,
): IntervalRow => ({
  merchantId,
  id: newId('scheduleInterval'),
  scheduleId: id,
  orderLineItemId: input.orderLineItemId ?? orderLineItemId,
  itemId: input.itemId ?? null,
  priceId: input.priceId ?? null,
  description: input.description ?? null,
  unitPrice: input.unitPrice == null ? null : decimalOf(input.unitPrice),
  baseQuantity: decimalOf(input.baseQuantity),
  quantityTransitions: (input.quantityTransitions ?? []).map(({ effectiveDate, quantity }) => ({
    effectiveDate: instantOf(effectiveDate),
    quantity: decimalOf(quantity),
  })),
  billingCadence: input.billingCadence,
  billingMode: input.billingMode ?? 'advance',
  billDate: instantOrNull(input.billDate),
  startDate: instantOf(input.startDate),
  endDate: instantOrNull(input.endDate),
  usageFilter: input.usageFilter ?? null,
  metadata: input.metadata ?? {},
  createdAt: now,
  updatedAt: now,
});

function withKnownIds(drafts: readonly IntervalRow[], known: readonly IntervalRow[]): IntervalRow[] {
  const left = Map.groupBy(known, contentOfInterval);
  return drafts.map((draft) => {
    const same = left.get(contentOfInterval(draft))?.shift();
    if (!same) return draft;
    const isKept = canonicalJson(same.metadata) === canonicalJson(draft.metadata);
    return isKept ? same : { ...same, metadata: draft.metadata, updatedAt: draft.updatedAt };
  });
}

/** The part of an order's content that says its intervals (`toScheduleContent`). */
interface ApprovedContent {
  readonly billingSchedules?: readonly {
    readonly id: string;
    readonly intervals: readonly { readonly id: string }[];
  }[];
}

/** The ids of a schedule's intervals in the approved contents of its order, by what they say. */
async function approvedIds(
  { orders }: ScheduleDependencies,
  tx: Tx,
  { merchantId, id: scheduleId, orderId }: ScheduleRow,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const contents = orderId === null ? [] : await orders.approvedContents(tx, { merchantId, id: orderId });
  const intervals = (contents as readonly ApprovedContent[])
    .flatMap(({ billingSchedules = [] }) => billingSchedules)
    .flatMap((schedule) => (schedule.id === scheduleId ? schedule.intervals : []))
    .map(({ id, ...terms }) => ({ id, says: canonicalJson(terms) }));
  return new Map(
    [...Map.groupBy(intervals, ({ says }) => says)].map(([says, those]) => [says, those.map(({ id }) => id)]),
  );
}

/** @param taken the ids that other intervals have */
function withApprovedIds(
  drafts: readonly IntervalRow[],
  approved: ReadonlyMap<string, readonly string[]>,
  taken: ReadonlySet<string>,
): IntervalRow[] {
  const used = new Set([...taken, ...drafts.map(({ id }) => id)]);
  return drafts.map((draft) => {
    const ids = approved.get(contentOfInterval(draft)) ?? [];
    const id = ids.includes(draft.id) ? undefined : ids.find((each) => !used.has(each));
    if (id === undefined) return draft;
    used.add(id);
    return { ...draft, id };
  });
}

async function checkIntervals(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  drafts: readonly IntervalRow[],
  { orderLineItemId }: ScheduleIntervalsReplaceBody,
): Promise<Result<unknown>> {
  const problems = drafts.flatMap((draft, index) => [
    ...intervalProblems(draft, schedule, at(index)),
    ...lineProblems(draft, schedule, at(index)),
  ]);
  if (problems.length > 0) return invalid(problems);
  for (const check of [checkLines, checkItems]) {
    const checked = await check(tx, schedule, drafts, orderLineItemId ?? null);
    if (!checked.ok) return checked;
  }
  const others = drafts.flatMap((draft, index) => otherLine(draft, orderLineItemId ?? null, at(index)));
  if (others.length > 0) return invalid(others);
  return checkPrices(dependencies, tx, schedule, drafts);
}

function lineProblems({ orderLineItemId }: IntervalRow, schedule: ScheduleRow, before: string): FieldError[] {
  if (orderLineItemId === null || schedule.orderId !== null) return [];
  return [{ field: `${before}orderLineItemId`, message: 'needs a schedule of an order' }];
}

/** A replacement of the intervals of one line may only have intervals of that line. */
function otherLine({ orderLineItemId }: IntervalRow, line: string | null, before: string): FieldError[] {
  if (line === null || line === orderLineItemId) return [];
  return [{ field: `${before}orderLineItemId`, message: `must be ${line}, the line item of the request` }];
}

/** Every line that is named is the order's. */
async function checkLines(
  tx: Tx,
  { merchantId, orderId }: ScheduleRow,
  drafts: readonly IntervalRow[],
  line: string | null,
): Promise<Result<unknown>> {
  const named = [
    ...(line === null ? [] : [{ id: line, field: 'orderLineItemId' }]),
    ...drafts.flatMap(({ orderLineItemId: id }, index) =>
      id === null ? [] : [{ id, field: `${at(index)}orderLineItemId` }],
    ),
  ];
  if (named.length === 0) return ok(undefined);
  if (orderId === null) return invalidField('orderLineItemId', 'needs a schedule of an order');
  const order = await findOrder(tx, { merchantId, id: orderId });
  const known = new Set(order?.lineItems.map(({ id }) => id));
  const missing = named.find(({ id }) => !known.has(id));
  if (!missing) return ok(undefined);
  const owned = await checkReference(tx, 'order line item', missing.id, missing.field);
  return owned.ok ? invalidField(missing.field, 'must be a line item of the order of the schedule') : owned;
}

async function checkItems(tx: Tx, _schedule: ScheduleRow, drafts: readonly IntervalRow[]): Promise<Result<unknown>> {
  const named = drafts.flatMap(({ itemId: id }, index) => (id === null ? [] : [{ id, field: `${at(index)}itemId` }]));
  if (named.length === 0) return ok(undefined);
  const found = await resolveItems(tx, [...new Set(named.map(({ id }) => id))]);
  const known = new Set(found.map(({ id }) => id));
  const missing = named.find(({ id }) => !known.has(id));
  if (!missing) return ok(undefined);
  const owned = await checkReference(tx, 'item', missing.id, missing.field);
  return owned.ok ? notFound('item', missing.field) : owned;
}

/** A schedule bills no usage, and nothing that the plan of its subscription bills already (domain.md §6). */
async function checkPrices(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  drafts: readonly IntervalRow[],
): Promise<Result<unknown>> {
  const { subscriptionId } = schedule;
  const named = drafts.flatMap(({ priceId: id }, index) => (id === null ? [] : [{ id, field: `${at(index)}priceId` }]));
  if (named.length === 0) return ok(undefined);
  for (const { id, field } of named) {
    const owned = await checkReference(tx, 'price', id, field);
    if (!owned.ok) return owned;
  }
  const prices = await findPrices(tx, [...new Set(named.map(({ id }) => id))]);
  const metered = new Set(prices.filter(({ billableMetricId }) => billableMetricId !== null).map(({ id }) => id));
  const terms = subscriptionId === null ? null : await dependencies.source.terms(tx, subscriptionId);
  const pinned = new Set(terms?.prices.map(({ id }) => id));
  const problems = named.flatMap(({ id, field }): FieldError[] => {
    if (metered.has(id)) return [{ field, message: 'must not be a metered price: a schedule bills no usage' }];
    return pinned.has(id) ? [{ field, message: "must not be a price of the subscription's plan version" }] : [];
  });
  return problems.length > 0 ? invalid(problems) : ok(undefined);
}

/** Schedules of some orders with their intervals, by the order's id. */
export async function schedulesWithIntervals(
  tx: Tx,
  schedules: readonly ScheduleRow[],
): Promise<{ schedule: ScheduleRow; intervals: IntervalRow[] }[]> {
  const merchantIds = [...new Set(schedules.map(({ merchantId }) => merchantId))];
  const intervals = await selectIntervals(
    tx,
    merchantIds,
    schedules.map(({ id }) => id),
  );
  const byId = Map.groupBy(intervals, ({ scheduleId }) => scheduleId);
  return schedules.map((schedule) => ({ schedule, intervals: byId.get(schedule.id) ?? [] }));
}
