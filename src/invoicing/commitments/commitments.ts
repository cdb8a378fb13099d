import { effectiveNow, effectiveNowForReading } from '../../clocks/index.ts';
import { findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { decimalOf, plain, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { digitsProblem } from '../../kernel/money.ts';
import { type FieldError, fail, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOf, isAfter, isBefore } from '../../kernel/time.ts';
import { selectPostpaidOf, selectTrueUps } from '../difference/commitments.sql.ts';
import { storedLineOf } from '../drafts/calculated-line.ts';
import { freeze } from '../drafts/freeze-terms.ts';
import { previewTogether } from '../drafts/preview.ts';
import { loadSpent } from '../drafts/spending.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectWaiting } from '../invoice/invoices.sql.ts';
import { checkChosen } from '../terms/applies-to.ts';
import type { Commitment } from '../terms/commitment.ts';
import { lockBilling } from '../usage/billing-lock.sql.ts';
import { insertCommitment, selectCommitment, updateCommitment } from './commitments.sql.ts';
import { type ReadCommitment, standingOf } from './figures.ts';
import type { CommitmentCreateBody, CommitmentUpdateBody } from './schemas.ts';

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
  const { subscriptionId } = body;
  const subscription = await checkReference(tx, 'subscription', subscriptionId, 'subscriptionId');
  if (!subscription.ok) return subscription;
  const terms = await dependencies.source.terms(tx, subscriptionId);
  const clock =
    body.testClockId == null
      ? ok(terms.clockId)
      : await clockForCustomer(dependencies, tx, body.customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  const commitment: Commitment = {
    merchantId: tx.merchantId,
    id: newId('commitment'),
    customerId: body.customerId,
    subscriptionId,
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
    trueUp: body.trueUp ?? 'segment',
    onEnd: body.onEnd ?? 'owed',
    endedAt: null,
    endReason: null,
    testClockId: clock.value,
    createdAt: now,
    updatedAt: now,
  };
  const errors = faultsOf(commitment, now);
  const wrong = (isWrong: boolean, field: string, message: string) => {
    if (isWrong) errors.push({ field, message });
  };
  wrong(terms.customerId !== body.customerId, 'subscriptionId', 'must be of this customer');
  wrong(terms.clockId !== clock.value, 'testClockId', 'must be the clock of the subscription');
  wrong(terms.currency !== body.currency, 'currency', 'must be that of the subscription');
  const { endsAt } = terms.bounds;
  wrong(endsAt !== null && !isAfter(endsAt, now), 'subscriptionId', 'must be of a subscription that has not ended');
  if (errors.length > 0) return invalid(errors);
  const named = await checkChosen(tx, commitment.appliesTo);
  if (!named.ok) return named;
  await lockBilling(tx, [subscriptionId]);
  await insertCommitment(tx, commitment);
  await dependencies.source.markCommitted(tx, subscriptionId);
  return ok(await readCommitment(dependencies, tx, commitment, wall));
}

function faultsOf({ segments, currency }: Commitment, now: Instant): FieldError[] {
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
  const { now, status } = found.value;
  if (status === 'ended') return fail('INVALID_TRANSITION', {}, 'The commitment has ended.');
  const ended = await updateCommitment(tx, id, { endedAt: now, endReason: reason }, now);
  return ok(await readCommitment(dependencies, tx, ended, wall));
}

/** A commitment that is locked with the billing of its subscription, and where it stands now. */
async function lockWithNow({ source }: InvoicingDependencies, tx: Tx, id: string, wall: Instant) {
  const seen = await selectCommitment(tx, id);
  if (!seen) return notFound('commitment');
  const now = await effectiveNow(tx, seen.testClockId, wall);
  await lockBilling(tx, [seen.subscriptionId]);
  const commitment = (await selectCommitment(tx, id, true)) as Commitment;
  const { bounds } = await source.terms(tx, seen.subscriptionId);
  return ok({ commitment, now, status: standingOf(commitment, bounds.endsAt, now).status });
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
  for (const [subscriptionId, those] of Map.groupBy(commitments, (each) => each.subscriptionId)) {
    const [{ merchantId, testClockId }] = those as [Commitment, ...Commitment[]];
    const own = tx.of(merchantId); // an operator's list has several
    const now = await effectiveNowForReading(own, testClockId, wall);
    for (const read of await readOf(dependencies, own, subscriptionId, those, now)) found.set(read.commitment.id, read);
  }
  return commitments.map(({ id }) => found.get(id) as ReadCommitment);
}

/** Commitments of one subscription: what is spent for one depends on those before it. */
async function readOf(
  dependencies: InvoicingDependencies,
  tx: Tx,
  subscriptionId: string,
  commitments: readonly Commitment[],
  now: Instant,
): Promise<ReadCommitment[]> {
  const { source } = dependencies;
  const terms = await source.terms(tx, subscriptionId);
  const all = await selectPostpaidOf(tx, subscriptionId);
  const waiting = (await selectWaiting(tx, [subscriptionId])).get(subscriptionId) ?? [];
  const previews = await previewTogether(dependencies, tx, waiting);
  const frozen = await freeze(dependencies, tx, { terms }, { gracePeriodEnd: now, periodStart: now, periodEnd: now });
  const lines = previews.flatMap(({ invoice, calculation }) =>
    calculation.lines.map((line) => storedLineOf(invoice, line)),
  );
  const spent = await loadSpent(tx, source, terms, all, { lines, invoiceId: '', frozen }, now);
  const asked = await selectTrueUps(tx, subscriptionId);
  return commitments.map((commitment) => {
    const own = spent[all.findIndex(({ id }) => id === commitment.id)] ?? [];
    return {
      commitment,
      endsAt: terms.bounds.endsAt,
      spent: commitment.segments.map((_, place) => own[place] ?? ZERO),
      invoiceIds: commitment.segments.map((_, place) => {
        const first = asked.find((each) => each.commitmentId === commitment.id && each.segment === place);
        return first?.invoiceId ?? null;
      }),
      now,
    };
  });
}
