import { effectiveNow, effectiveNowForReading } from '../../clocks/index.ts';
import { findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { decimal, decimalOf, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { digitsProblem } from '../../kernel/money.ts';
import { type FieldError, fail, invalid, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf, isAfter, isBefore } from '../../kernel/time.ts';
import { type AskedTrueUp, selectCommitmentsOf, selectTrueUps } from '../difference/commitments.sql.ts';
import { loadTogether, type Together } from '../drafts/commitments-together.ts';
import { withOpenPeriods } from '../drafts/preview.ts';
import { loadSpent, type SpendingSubscription } from '../drafts/spending.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies, NamedOrder } from '../invoice/dependencies.ts';
import { checkChosen, isAmong } from '../terms/applies-to.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import type { Commitment } from '../terms/commitment.ts';
import { agreedDates } from '../terms/prepaid.ts';
import { decideAgreedPrices, lockAgreed, withAgreedPrices } from './agreed-prices.ts';
import { insertCommitment, selectCommitment, updateCommitment } from './commitments.sql.ts';
import { type ReadCommitment, standingOf } from './figures.ts';
import {
  selectAskedDates,
  selectCreditsOfCommitments,
  selectCustomerCommitments,
  updatePriorityOfCredits,
} from './prepaid.sql.ts';
import { settlePrepaid } from './prepaid.ts';
import type { CommitmentCreateBody, CommitmentUpdateBody } from './schemas.ts';
import { customersOf, lockScope, termsOfAll, termsOfCommitment } from './scope.ts';
import { selectOwnTrueUps } from './true-ups.sql.ts';
import { settleTrueUps, watchTrueUps } from './true-ups.ts';

/**
 * POST /v0/commitments (commercial.md §4).
 * @returns every wrong field; 403 or 404 of a named resource
 */
export async function createCommitment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  body: CommitmentCreateBody,
  wall: Instant,
): Promise<Result<ReadCommitment>> {
  const customer = await checkReference(tx, 'customer', body.customerId, 'customerId');
  if (!customer.ok) return customer;
  if (!(await findCustomer(tx, body.customerId, { keep: true }))) return notFound('customer', 'customerId');
  const subscriptionId = body.subscriptionId ?? null;
  if (subscriptionId !== null) {
    const subscription = await checkReference(tx, 'subscription', subscriptionId, 'subscriptionId');
    if (!subscription.ok) return subscription;
  }
  const orderId = body.orderId ?? null;
  if (orderId !== null && subscriptionId !== null)
    return invalidField('orderId', 'must not be set beside subscriptionId');
  const named = orderId === null ? ok(null) : await dependencies.lockNamedOrder(tx, orderId, wall);
  if (!named.ok) return named;
  const order = named.value;
  const of = { customerId: body.customerId, subscriptionId, orderId };
  const terms = await termsOfCommitment(dependencies.source, tx, of);
  const clock =
    (terms ?? order) !== null && body.testClockId == null
      ? ok(terms === null ? (order?.testClockId ?? null) : terms.clockId)
      : await clockForCustomer(dependencies, tx, body.customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  const without: Commitment = {
    merchantId: tx.merchantId,
    id: newId('commitment'),
    ...of,
    name: body.name,
    currency: body.currency,
    type: body.type,
    segments: body.segments.map(({ startDate, endDate, amount }) => ({
      startDate: formatInstant(instantOf(startDate)),
      endDate: formatInstant(instantOf(endDate)),
      amount: plain(decimalOf(amount)),
    })),
    appliesTo: { planIds: [], priceIds: [], billableMetricIds: [], feeIds: [], ...body.appliesTo },
    priority: body.priority ?? 0,
    ...(body.type === 'postpaid' ? { ...POSTPAID, trueUp: body.trueUp ?? 'segment' } : prepaidFieldsOf(body)),
    onEnd: body.onEnd ?? 'owed',
    overrides: [],
    endedAt: null,
    endReason: null,
    clockId: clock.value,
    createdAt: now,
    updatedAt: now,
    nextActionAt: null,
  };
  const errors = [...faultsOfType(body), ...faultsOf(without, now)];
  errors.push(...faultsOfSubscription(terms, without, now), ...faultsOfOrder(order, without));
  if (errors.length > 0) return invalid(errors);
  const chosen = await checkChosen(tx, without.appliesTo);
  if (!chosen.ok) return chosen;
  const agreed = await decideAgreedPrices(dependencies.source, tx, body.overrides ?? [], without, terms);
  if (!agreed.ok) return agreed;
  const commitment = { ...without, overrides: agreed.value };
  await lockAgreed(dependencies.source, tx, commitment);
  await lockScope(tx, commitment);
  await withAgreedPrices(dependencies, tx, commitment, () => insertCommitment(tx, commitment), now);
  if (subscriptionId !== null) await dependencies.source.markCommitted(tx, subscriptionId);
  if (commitment.type === 'prepaid') await settlePrepaid(dependencies, tx, commitment, now);
  else if (subscriptionId === null) await watchTrueUps(tx, commitment, now);
  return ok(await readCommitment(dependencies, tx, commitment, wall));
}

/** The faults of a commitment beside its subscription. */
function faultsOfSubscription(terms: BillingTerms | null, commitment: Commitment, now: Instant): FieldError[] {
  if (terms === null) return [];
  const errors: FieldError[] = [];
  const wrong = (isWrong: boolean, field: string, message: string) => {
    if (isWrong) errors.push({ field, message });
  };
  wrong(terms.customerId !== commitment.customerId, 'subscriptionId', 'must be of this customer');
  wrong(terms.clockId !== commitment.clockId, 'testClockId', 'must be the clock of the subscription');
  wrong(terms.currency !== commitment.currency, 'currency', 'must be that of the subscription');
  const { endsAt } = terms.bounds;
  wrong(endsAt !== null && !isAfter(endsAt, now), 'subscriptionId', 'must be of a subscription that has not ended');
  return errors;
}

/** The faults of a commitment beside its order. */
function faultsOfOrder(order: NamedOrder | null, { customerId, clockId, currency }: Commitment): FieldError[] {
  if (order === null) return [];
  const errors: FieldError[] = [];
  if (order.customerId !== customerId) errors.push({ field: 'orderId', message: 'must be of this customer' });
  if (order.cancelledAt !== null)
    errors.push({ field: 'orderId', message: 'must be of an order that is not cancelled' });
  if (order.testClockId !== clockId) errors.push({ field: 'testClockId', message: 'must be the clock of the order' });
  if (order.currency !== currency) errors.push({ field: 'currency', message: 'must be that of the order' });
  return errors;
}

const POSTPAID = { trueUp: null, invoiceAt: null, availableOn: null, rollover: null } as const;

/** The fields of a prepaid commitment as they are stored. */
function prepaidFieldsOf({ invoiceAt, availableOn, rollover }: CommitmentCreateBody) {
  return {
    ...POSTPAID,
    invoiceAt:
      invoiceAt == null || invoiceAt === 'start'
        ? ('start' as const)
        : invoiceAt.map(({ date, amount }) => ({
            date: formatInstant(instantOf(date)),
            amount: plain(decimalOf(amount)),
          })),
    availableOn: availableOn ?? 'issue',
    rollover: rollover ? { fraction: plain(decimalOf(rollover.fraction)), days: rollover.days } : null,
  };
}

/** Fields that only the other type has. */
const OF_TYPE = {
  postpaid: ['invoiceAt', 'availableOn', 'rollover'],
  prepaid: ['trueUp'],
} as const satisfies Record<CommitmentCreateBody['type'], readonly (keyof CommitmentCreateBody)[]>;

const faultsOfType = (body: CommitmentCreateBody): FieldError[] =>
  OF_TYPE[body.type].flatMap((field) =>
    body[field as keyof CommitmentCreateBody] == null
      ? []
      : [{ field, message: `must not be set: a ${body.type} commitment has none` }],
  );

function faultsOf({ segments, currency, invoiceAt }: Commitment, now: Instant): FieldError[] {
  const errors: FieldError[] = [];
  const wrong = (isWrong: boolean, field: string, message: string) => {
    if (isWrong) errors.push({ field, message });
  };
  for (const [place, { startDate, endDate, amount }] of segments.entries()) {
    const field = `segments.${place}`;
    const [start, end] = [Temporal.Instant.from(startDate), Temporal.Instant.from(endDate)];
    const before = segments[place - 1];
    wrong(!isBefore(start, end), `${field}.endDate`, 'must be after startDate');
    wrong(
      before !== undefined && before.endDate !== startDate,
      `${field}.startDate`,
      'must be the endDate of the segment before it',
    );
    wrong(place === 0 && !isAfter(end, now), `${field}.endDate`, 'must be in the future');
    wrong(decimalPlaces(amount) > minorDigits(currency), `${field}.amount`, digitsProblem(currency));
  }
  if (invoiceAt === null || invoiceAt === 'start') return errors;
  for (const [place, { amount }] of invoiceAt.entries())
    wrong(decimalPlaces(amount) > minorDigits(currency), `invoiceAt.${place}.amount`, digitsProblem(currency));
  const total = sum(segments.map(({ amount }) => decimal(amount)));
  const asked = sum(invoiceAt.map(({ amount }) => decimal(amount)));
  wrong(
    !asked.eq(total),
    'invoiceAt',
    `must come to ${plain(total)}, as the segments do, and comes to ${plain(asked)}`,
  );
  return errors;
}

const decimalPlaces = (amount: string): number => amount.split('.')[1]?.length ?? 0;

/** GET /v0/commitments/{id}; 404. */
export async function getCommitment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  wall: Instant,
): Promise<Result<ReadCommitment>> {
  const commitment = await selectCommitment(tx, id);
  return commitment ? ok(await readCommitment(dependencies, tx, commitment, wall)) : notFound('commitment');
}

/**
 * PATCH /v0/commitments/{id}.
 * @returns INVALID_TRANSITION where `onEnd` of an ended one is to change
 */
export async function changeCommitment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  { name, priority, onEnd }: CommitmentUpdateBody,
  wall: Instant,
): Promise<Result<ReadCommitment>> {
  const found = await lockWithNow(dependencies, tx, id, wall);
  if (!found.ok) return found;
  const { commitment, now, status } = found.value;
  if (status === 'ended' && onEnd !== undefined && onEnd !== commitment.onEnd)
    return fail('INVALID_TRANSITION', {}, 'The commitment has ended, so that its end is decided.');
  const changed = await updateCommitment(tx, id, { name, priority, onEnd } as Partial<Commitment>, now);
  await updatePriorityOfCredits(tx, id, changed.priority, now);
  return ok(await readCommitment(dependencies, tx, changed, wall));
}

/**
 * POST /v0/commitments/{id}/end: now, before its term. The next invoice of the subscription asks what `onEnd` says.
 * @returns INVALID_TRANSITION where it has ended
 */
export async function endCommitment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  reason: string | null,
  wall: Instant,
): Promise<Result<ReadCommitment>> {
  const found = await lockWithNow(dependencies, tx, id, wall);
  if (!found.ok) return found;
  const { commitment, now, status } = found.value;
  if (status === 'ended') return fail('INVALID_TRANSITION', {}, 'The commitment has ended.');
  const end = () => updateCommitment(tx, id, { endedAt: now, endReason: reason }, now);
  const ended = await withAgreedPrices(dependencies, tx, commitment, end, now);
  if (ended.type === 'prepaid') await settlePrepaid(dependencies, tx, ended, now);
  else if (ended.subscriptionId === null) await settleTrueUps(dependencies, tx, ended, now);
  return ok(await readCommitment(dependencies, tx, ended, wall));
}

/** A commitment that is locked with the billing of its subscriptions, and where it stands now. */
async function lockWithNow({ source }: InvoicingDependencies, tx: Tx, id: string, wall: Instant) {
  const seen = await selectCommitment(tx, id);
  if (!seen) return notFound('commitment');
  const now = await effectiveNow(tx, seen.clockId, wall);
  await lockAgreed(source, tx, seen);
  await lockScope(tx, seen);
  const commitment = (await selectCommitment(tx, id, true)) as Commitment;
  const terms = await termsOfCommitment(source, tx, seen);
  return ok({ commitment, now, status: standingOf(commitment, terms?.bounds.endsAt ?? null, now).status });
}

async function readCommitment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  wall: Instant,
): Promise<ReadCommitment> {
  const [read] = await readCommitments(dependencies, tx, [commitment], wall);
  return read as ReadCommitment;
}

/** Commitments with what is spent for them now, open periods included. */
export async function readCommitments(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitments: readonly Commitment[],
  wall: Instant,
): Promise<ReadCommitment[]> {
  const found = new Map<string, ReadCommitment>();
  const onClocks = Map.groupBy(commitments, ({ merchantId, clockId }) => `${merchantId} ${clockId}`);
  for (const those of onClocks.values()) {
    const { merchantId, clockId } = those[0] as Commitment;
    const own = tx.of(merchantId); // an operator's list has several
    const now = await effectiveNowForReading(own, clockId, wall);
    for (const read of await readOnClock(dependencies, own, those, now)) found.set(read.commitment.id, read);
  }
  return commitments.map(({ id }) => found.get(id) as ReadCommitment);
}

/** Commitments of a merchant on one clock: the open periods of all who spend for them are calculated together. */
async function readOnClock(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitments: readonly Commitment[],
  now: Instant,
): Promise<ReadCommitment[]> {
  const groups = Map.groupBy(commitments, ({ customerId, subscriptionId, orderId, currency, type }) =>
    [customerId, subscriptionId, orderId, currency, type].join(' '),
  );
  const asked: AskedTogether[] = [];
  for (const those of groups.values()) {
    const all = those as [Commitment, ...Commitment[]];
    const terms = await termsOfCommitment(dependencies.source, tx, all[0]);
    asked.push({ ...{ those: all, terms }, together: await spendingOf(dependencies, tx, all[0], terms) });
  }
  const spending = asked.flatMap(({ together }) => together.subscriptions);
  const once = new Map(spending.map((terms) => [terms.subscriptionId, terms]));
  const open = await withOpenPeriods(dependencies, tx, [...once.values()], now);
  const openOf = new Map(open.map((each) => [each.terms.subscriptionId, each]));
  const read: ReadCommitment[] = [];
  for (const each of asked) read.push(...(await readOf(dependencies, tx, each, openOf, now)));
  return read;
}

/** What invoices asked of what was missing to commitments: of a subscription, or their own. */
const askedOf = async (
  tx: Tx,
  subscriptionId: string | null,
  commitments: readonly Commitment[],
): Promise<readonly Pick<AskedTrueUp, 'commitmentId' | 'segment' | 'invoiceId'>[]> =>
  subscriptionId === null
    ? selectOwnTrueUps(
        tx,
        commitments.map(({ id }) => id),
      )
    : selectTrueUps(tx, subscriptionId);

/**
 * Commitments of one type, of one subscription, of an order or of all of a customer: what is spent for one depends on
 * those before it.
 */
interface AskedTogether {
  readonly those: readonly [Commitment, ...Commitment[]];
  readonly terms: BillingTerms | null;
  readonly together: Together;
}

async function readOf(
  { source }: InvoicingDependencies,
  tx: Tx,
  { those: commitments, terms, together }: AskedTogether,
  openOf: ReadonlyMap<string, SpendingSubscription>,
  now: Instant,
): Promise<ReadCommitment[]> {
  const [{ subscriptionId, type }] = commitments;
  const endsAt = terms?.bounds.endsAt ?? null;
  const all = together.commitments.map(({ commitment }) => commitment);
  const subscriptions = together.subscriptions.map((of) => openOf.get(of.subscriptionId) as SpendingSubscription);
  const spent = await loadSpent(tx, source, subscriptions, together.commitments, now);
  const asked = type === 'postpaid' ? await askedOf(tx, subscriptionId, commitments) : [];
  const prepaid = type === 'prepaid' ? await loadPrepaid(tx, commitments) : null;
  return commitments.map((commitment) => {
    const { id, invoiceAt, segments } = commitment;
    const own = spent[all.findIndex((each) => each.id === id)] ?? [];
    const ofDates = agreedDates(commitment).map(({ place }) => prepaid?.invoiceOf(id, place) ?? null);
    return {
      commitment,
      endsAt,
      spent: segments.map((_, place) => own[place] ?? ZERO),
      invoiceIds: segments.map((_, place) => {
        if (invoiceAt === 'start') return ofDates[place] ?? null;
        return asked.find((each) => each.commitmentId === id && each.segment === place)?.invoiceId ?? null;
      }),
      ofDates,
      creditIds: segments.map((_, place) => prepaid?.creditOf(id, place) ?? null),
      now,
    };
  });
}

/** The commitments among which the spending of some is divided, and the subscriptions that spend. */
async function spendingOf(
  { source }: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  terms: BillingTerms | null,
): Promise<Together> {
  if (commitment.type === 'postpaid') return loadTogether(tx, source, commitment, terms);
  const all = await (terms === null
    ? selectCustomerCommitments(tx, commitment)
    : selectCommitmentsOf(tx, terms.subscriptionId, 'prepaid'));
  const subscriptions =
    terms === null ? await termsOfAll(source, tx, await customersOf(tx, commitment), commitment) : [terms];
  const endsAt = terms?.bounds.endsAt ?? null;
  return {
    commitments: all.map((each) => ({ commitment: each, endsAt, holds: (own) => isAmong(own, each) })),
    subscriptions,
  };
}

/** The invoices of the dates of prepaid commitments, and the first billing credit of each segment. */
async function loadPrepaid(tx: Tx, commitments: readonly Commitment[]) {
  const ids = commitments.map(({ id }) => id);
  const dates = await selectAskedDates(tx, ids);
  const credits = await selectCreditsOfCommitments(tx, ids);
  return {
    invoiceOf: (id: string, place: number) =>
      dates.find((date) => date.commitmentId === id && date.place === place)?.invoiceId,
    creditOf: (id: string, place: number) =>
      credits.find(
        ({ commitmentId, segment, rolledFrom, isUndone }) =>
          commitmentId === id && segment === place && rolledFrom === null && !isUndone,
      )?.id,
  };
}
