import { effectiveNow } from '../clocks/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { invalid, notFound, ok, type Result } from '../kernel/result.ts';
import { wrongState } from '../kernel/state-table.ts';
import { type Instant, instantOf } from '../kernel/time.ts';
import { changeOrder, lockOrder } from '../orders/index.ts';
import { scheduleProblems } from './check.ts';
import type { ScheduleDependencies } from './dependencies.ts';
import { followSubscription } from './push.ts';
import { restage } from './refresh.ts';
import type { ScheduleRow, ScheduleTerms } from './schedule.ts';
import {
  deleteScheduleRow,
  insertSchedule,
  lockScheduleRow,
  type ScheduleFilter,
  selectSchedulePage,
  selectSchedules,
  updateSchedule,
} from './schedules.sql.ts';
import type { BillingScheduleCreateBody, BillingScheduleUpdateBody } from './schemas.ts';
import { deleteStagedOf } from './staged.sql.ts';

/** The key of a schedule. */
export interface ScheduleKey {
  readonly merchantId: string;
  readonly id: string;
}

/** The caller, and the wall time. */
export interface Asker {
  readonly by: string;
  readonly wall: Instant;
}

type Terms = Partial<ScheduleTerms> & Pick<ScheduleRow, 'paymentTermDays'>;

const windowsOf = (windows: NonNullable<BillingScheduleCreateBody['customPeriodWindows']>) =>
  windows.map(({ start, end }) => ({ start: instantOf(start), end: instantOf(end) }));

/**
 * POST /v0/billingSchedules. @returns 404 or 403 for resources of the body; 400; INVALID_TRANSITION if the order or
 * subscription has ended
 */
export async function createSchedule(
  dependencies: ScheduleDependencies,
  tx: Tx,
  body: BillingScheduleCreateBody,
  asker: Asker,
): Promise<Result<ScheduleRow>> {
  const { orderId, subscriptionId } = body;
  if (orderId != null && subscriptionId != null) {
    const message = 'must be set on exactly one of orderId and subscriptionId';
    return invalid([
      { field: 'orderId', message },
      { field: 'subscriptionId', message },
    ]);
  }
  const terms = termsOf(body);
  const problems = scheduleProblems(terms);
  if (problems.length > 0) return invalid(problems);
  return orderId == null
    ? createOfSubscription(
        dependencies,
        tx,
        { merchantId: tx.merchantId, id: subscriptionId as string },
        { ...body, ...terms },
        asker,
      )
    : createOfOrder(dependencies, tx, { merchantId: tx.merchantId, id: orderId }, { ...body, ...terms }, asker);
}

type Draft = ScheduleTerms & Pick<BillingScheduleCreateBody, 'paymentTermDays' | 'metadata'>;

const termsOf = (body: BillingScheduleCreateBody): ScheduleTerms => ({
  startDate: instantOf(body.startDate),
  endDate: instantOf(body.endDate),
  billingAnchor: instantOf(body.billingAnchor),
  alignmentPolicy: body.alignmentPolicy ?? 'anchor',
  prorationPolicy: body.prorationPolicy ?? 'daily',
  periodPreset: body.periodPreset ?? 'P1M',
  customPeriodWindows: windowsOf(body.customPeriodWindows ?? []),
});

async function createOfOrder(
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  draft: Draft,
  { by, wall }: Asker,
): Promise<Result<ScheduleRow>> {
  const owned = await checkReference(tx, 'order', key.id, 'orderId');
  if (!owned.ok) return owned;
  const locked = await lockOrder(tx, key, wall);
  if (!locked.ok) return notFound('order', 'orderId');
  const { order, now } = locked.value;
  const made = await changeOrder(dependencies.orders, tx, order, { by, now }, async () => {
    const of = { orderId: order.id, subscriptionId: null, customerId: order.customerId, currency: order.currency };
    return ok(await insertSchedule(tx, rowOf(key.merchantId, { ...of, testClockId: order.testClockId }, draft, now)));
  });
  return made.ok ? reread(tx, made.value.value) : made;
}

async function createOfSubscription(
  dependencies: ScheduleDependencies,
  tx: Tx,
  { merchantId, id }: ScheduleKey,
  draft: Draft,
  { wall }: Asker,
): Promise<Result<ScheduleRow>> {
  const owned = await checkReference(tx, 'subscription', id, 'subscriptionId');
  if (!owned.ok) return owned;
  const { customerId, currency, clockId } = await dependencies.source.terms(tx, id);
  const now = await effectiveNow(tx, clockId, wall);
  const status = await dependencies.lockSubscription(tx, id);
  if (status === 'terminated')
    return wrongState({
      thing: 'subscription',
      status,
      trigger: 'schedule',
      allowedFrom: ['pending_payment', 'active'],
      done: 'scheduled',
    });
  const of = { orderId: null, subscriptionId: id, customerId, currency, testClockId: clockId };
  const made = await insertSchedule(tx, rowOf(merchantId, of, draft, now));
  return ok(await refreshOfSubscription(dependencies, tx, made, now));
}

const rowOf = (
  merchantId: string,
  of: Pick<ScheduleRow, 'orderId' | 'subscriptionId' | 'customerId' | 'currency' | 'testClockId'>,
  { paymentTermDays, metadata, ...draft }: Draft,
  now: Instant,
): ScheduleRow => ({
  merchantId,
  id: newId('billingSchedule'),
  ...of,
  status: 'draft',
  startDate: draft.startDate,
  endDate: draft.endDate,
  billingAnchor: draft.billingAnchor,
  alignmentPolicy: draft.alignmentPolicy,
  prorationPolicy: draft.prorationPolicy,
  periodPreset: draft.periodPreset,
  customPeriodWindows: draft.customPeriodWindows,
  paymentTermDays: paymentTermDays ?? null,
  metadata: metadata ?? {},
  activatedAt: null,
  cancelledAt: null,
  nextActionAt: null,
  createdAt: now,
  updatedAt: now,
});

async function reread(tx: Tx, { merchantId, id }: ScheduleKey): Promise<Result<ScheduleRow>> {
  const [schedule] = await selectSchedules(tx, [merchantId], [id]);
  return schedule ? ok(schedule) : notFound('billing schedule');
}

/** A schedule of a subscription in its present state, with its future invoices. */
async function refreshOfSubscription(
  dependencies: ScheduleDependencies,
  tx: Tx,
  schedule: ScheduleRow,
  now: Instant,
): Promise<ScheduleRow> {
  const subscriptionId = schedule.subscriptionId as string;
  const status = await dependencies.lockSubscription(tx, subscriptionId);
  const { bounds } = await dependencies.source.terms(tx, subscriptionId);
  const followed = await followSubscription(tx, schedule, status, bounds.endsAt, now);
  return restage(tx, followed, null, now);
}

/**
 * Changes a schedule: its order, or its subscription, is locked, then the schedule; afterwards it is staged anew.
 * @param change what is written @returns 404; INVALID_TRANSITION where it, or its order, is cancelled
 */
export async function changeSchedule(
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  { by, wall }: Asker,
  change: (schedule: ScheduleRow, now: Instant) => Promise<Result<unknown>>,
): Promise<Result<ScheduleRow>> {
  const known = await reread(tx, key);
  if (!known.ok) return known;
  const { orderId } = known.value;
  if (orderId !== null) {
    const locked = await lockOrder(tx, { merchantId: key.merchantId, id: orderId }, wall);
    if (!locked.ok) return locked;
    const { order, now } = locked.value;
    const changed = await changeOrder(dependencies.orders, tx, order, { by, now }, () =>
      lockAndChange(tx, key, now, change),
    );
    return changed.ok ? reread(tx, key) : changed;
  }
  const now = await effectiveNow(tx, known.value.testClockId, wall);
  await dependencies.lockSubscription(tx, known.value.subscriptionId as string);
  const changed = await lockAndChange(tx, key, now, change);
  if (!changed.ok) return changed;
  const after = await reread(tx, key);
  return after.ok ? ok(await refreshOfSubscription(dependencies, tx, after.value, now)) : after;
}

async function lockAndChange(
  tx: Tx,
  { id }: ScheduleKey,
  now: Instant,
  change: (schedule: ScheduleRow, now: Instant) => Promise<Result<unknown>>,
): Promise<Result<unknown>> {
  const schedule = await lockScheduleRow(tx, id);
  if (!schedule) return notFound('billing schedule');
  return schedule.status === 'cancelled' ? refusedFor(schedule, 'change', 'changed') : change(schedule, now);
}

const refusedFor = ({ status }: ScheduleRow, trigger: 'change' | 'remove', done: string) =>
  wrongState({
    thing: 'billing schedule',
    status,
    trigger,
    allowedFrom: trigger === 'remove' ? ['draft'] : ['draft', 'active', 'completed'],
    done,
  });

/** PATCH /v0/billingSchedules/{id}. @returns 404; 400; INVALID_TRANSITION */
export const updateScheduleBy = (
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  body: BillingScheduleUpdateBody,
  asker: Asker,
): Promise<Result<ScheduleRow>> =>
  changeSchedule(dependencies, tx, key, asker, async (schedule, now) => {
    const changes = changesOf(schedule, body);
    const problems = scheduleProblems({ ...schedule, ...changes });
    if (problems.length > 0) return invalid(problems);
    return ok(await updateSchedule(tx, schedule, { ...changes, metadata: body.metadata ?? schedule.metadata }, now));
  });

/** Custom windows go with their preset. */
function changesOf(schedule: ScheduleRow, body: BillingScheduleUpdateBody): Terms & ScheduleTerms {
  const preset = body.periodPreset ?? schedule.periodPreset;
  const isLeft = schedule.periodPreset === 'custom' && preset !== 'custom';
  const windows = body.customPeriodWindows && windowsOf(body.customPeriodWindows);
  return {
    startDate: body.startDate === undefined ? schedule.startDate : instantOf(body.startDate),
    endDate: body.endDate === undefined ? schedule.endDate : instantOf(body.endDate),
    billingAnchor: body.billingAnchor === undefined ? schedule.billingAnchor : instantOf(body.billingAnchor),
    alignmentPolicy: body.alignmentPolicy ?? schedule.alignmentPolicy,
    prorationPolicy: body.prorationPolicy ?? schedule.prorationPolicy,
    periodPreset: preset,
    customPeriodWindows: windows ?? (isLeft ? [] : schedule.customPeriodWindows),
    paymentTermDays: body.paymentTermDays === undefined ? schedule.paymentTermDays : body.paymentTermDays,
  };
}

/** DELETE /v0/billingSchedules/{id}: a draft, with its intervals. @returns 404; INVALID_TRANSITION */
export async function deleteSchedule(
  dependencies: ScheduleDependencies,
  tx: Tx,
  key: ScheduleKey,
  asker: Asker,
): Promise<Result<undefined>> {
  const known = await reread(tx, key);
  if (!known.ok) return known;
  const remove = async (schedule: ScheduleRow): Promise<Result<undefined>> => {
    if (schedule.status !== 'draft') return refusedFor(schedule, 'remove', 'deleted');
    await deleteStagedOf(tx, key.id);
    await deleteScheduleRow(tx, key);
    return ok(undefined);
  };
  const { orderId } = known.value;
  if (orderId !== null) {
    const locked = await lockOrder(tx, { merchantId: key.merchantId, id: orderId }, asker.wall);
    if (!locked.ok) return locked;
    const { order, now } = locked.value;
    const by = { by: asker.by, now };
    const done = await changeOrder(dependencies.orders, tx, order, by, () => lockAndRemove(tx, key, remove));
    return done.ok ? ok(undefined) : done;
  }
  return lockAndRemove(tx, key, remove);
}

async function lockAndRemove(
  tx: Tx,
  { id }: ScheduleKey,
  remove: (schedule: ScheduleRow) => Promise<Result<undefined>>,
): Promise<Result<undefined>> {
  const schedule = await lockScheduleRow(tx, id);
  return schedule ? remove(schedule) : notFound('billing schedule');
}

/** One schedule; 404. */
export const getSchedule = reread;

/** Schedules of one merchant, or (null, for operators) of all, newest first. */
export const listSchedules = (tx: Tx, merchantId: string | null, filter: ScheduleFilter, page: PageRequest) =>
  selectSchedulePage(tx, merchantId, filter, page);
