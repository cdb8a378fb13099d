import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import { type Decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { orThrow } from '../../kernel/result.ts';
import { earliest, HOURS_PER_DAY, type Instant, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { loadTogether, type Together } from '../drafts/commitments-together.ts';
import { withOpenPeriods } from '../drafts/preview.ts';
import { loadSpent } from '../drafts/spending.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { giveBackTrueUps } from '../issue/give-back-true-ups.ts';
import { makeOneOffInvoice } from '../issue/make-one-off.ts';
import { type Commitment, missingTo, type Target, targetsOf } from '../terms/commitment.ts';
import { selectCommitment } from './commitments.sql.ts';
import { lockScopesNow } from './prepaid.ts';
import {
  insertOwnTrueUp,
  insertTrueUpWatch,
  isTrueUpOnItsWay,
  lockTrueUpWatch,
  type OpenPeriod,
  selectLastClosing,
  selectOpenPeriods,
  selectOwnTrueUps,
  updateTrueUpWatch,
} from './true-ups.sql.ts';

/** After how long a look that something holds up is taken again. */
const LATER = { hours: 1 };

/** Postpaid commitments of several subscriptions ask what is missing, and follow late usage, in the background. */
export const trueUpDueKind = (dependencies: InvoicingDependencies): DueKind => ({
  kind: 'true_up_watch',
  lockParents: lockScopesNow,
  step: async (tx, { id }, now) => {
    await settleTrueUps(dependencies, tx, (await selectCommitment(tx, id, true)) as Commitment, now);
  },
});

/** A new commitment of several subscriptions: its first look is when its first segment, or its term, ends. */
export async function watchTrueUps(tx: Tx, commitment: Commitment, now: Instant): Promise<void> {
  const [first] = targetsOf(commitment, null);
  await insertTrueUpWatch(tx, commitment, first?.end ?? now);
}

/** A target that has come, as far as its look goes. */
interface Looked {
  readonly target: Target;
  /** After this instant nothing is asked or given back for it. */
  readonly over: Instant;
  /** Something has to come first: a calculation, or that an invoice can be credited. */
  readonly isHeldUp: boolean;
}

/**
 * Brings a postpaid commitment of several subscriptions to where it stands now (docs/decisions/0275): for each target
 * that has come, what is missing less what its invoices asked is asked by an invoice, or given back by a credit note.
 * It waits for the invoices that end by then; what of longer periods lies before it counts as it stands. All of it
 * follows from the history, so a second call does nothing. The caller has locked the billing of its subscriptions.
 */
export async function settleTrueUps(
  dependencies: InvoicingDependencies,
  tx: Tx,
  commitment: Commitment,
  now: Instant,
): Promise<void> {
  const { id, segments } = commitment;
  const settled = await lockTrueUpWatch(tx, id);
  const targets = targetsOf(commitment, null).filter(({ segment }) => segment >= settled);
  const due = targets.filter(({ end }) => !isAfter(end, now));
  const together = await loadTogether(tx, dependencies.source, commitment, null);
  const holds = together.commitments.find((each) => each.commitment.id === id)?.holds;
  const ids = together.subscriptions.filter((terms) => holds?.(terms)).map(({ subscriptionId }) => subscriptionId);
  const open = await selectOpenPeriods(tx, ids);
  const isOnItsWay = await isTrueUpOnItsWay(tx, id);
  const isAwaited = ({ end }: Target) => isOnItsWay || open.some(({ periodEnd }) => !isAfter(periodEnd, end));
  const asking = due.filter((target) => !isAwaited(target));
  const followed = await followTargets(dependencies, tx, { commitment, together, asking }, now);
  const { lateUsageDays } = await merchantSettings(tx);
  const looked: Looked[] = [];
  for (const target of due) {
    const late = target.end.add({ hours: HOURS_PER_DAY * lateUsageDays });
    const over = latest(late, (await selectLastClosing(tx, ids, late)) ?? late);
    const isStuck = open.some((each) => !isAfter(each.periodStart, late) && !isAfter(each.gracePeriodEnd, now));
    looked.push({ target, over, isHeldUp: isStuck || isAwaited(target) || !followed.has(target) });
  }
  const left = looked.filter(({ over, isHeldUp }) => isHeldUp || isBefore(now, over));
  const next = [...left.map(({ target }) => target), ...targets.filter(({ end }) => isAfter(end, now))][0];
  await updateTrueUpWatch(tx, id, next?.segment ?? segments.length, nextLook(targets, left, open, now));
}

/** When a target comes, a closing may change what is missing, or a target is over; null: never. */
function nextLook(
  targets: readonly Target[],
  left: readonly Looked[],
  open: readonly OpenPeriod[],
  now: Instant,
): Instant | null {
  const closings = open
    .filter(({ periodStart }) => left.some(({ over }) => !isAfter(periodStart, over)))
    .map(({ gracePeriodEnd }) => gracePeriodEnd);
  const known = [...targets.map(({ end }) => end), ...left.map(({ over }) => over), ...closings];
  const to = known.filter((at) => isAfter(at, now));
  if (left.some(({ target, isHeldUp }) => isHeldUp && !isAwaitedLater(target, open, now))) to.push(now.add(LATER));
  const [first] = to;
  return first ? to.reduce(earliest, first) : null;
}

/** Does a target wait for a closing that is to come? */
const isAwaitedLater = ({ end }: Target, open: readonly OpenPeriod[], now: Instant): boolean =>
  open.some(({ periodEnd, gracePeriodEnd }) => !isAfter(periodEnd, end) && isAfter(gracePeriodEnd, now)) &&
  !open.some(({ gracePeriodEnd }) => !isAfter(gracePeriodEnd, now));

/** Asks what is missing to targets, or gives back what is not. @returns those for which that is done */
async function followTargets(
  dependencies: InvoicingDependencies,
  tx: Tx,
  {
    commitment,
    together,
    asking,
  }: { readonly commitment: Commitment; readonly together: Together; readonly asking: readonly Target[] },
  now: Instant,
): Promise<ReadonlySet<Target>> {
  if (asking.length === 0) return new Set();
  const subscriptions = await withOpenPeriods(dependencies, tx, together.subscriptions, now);
  const spent = await loadSpent(tx, dependencies.source, subscriptions, together.commitments, null);
  const own = spent[together.commitments.findIndex((each) => each.commitment.id === commitment.id)] ?? [];
  const all = await selectOwnTrueUps(tx, [commitment.id]);
  const followed = new Set<Target>();
  for (const target of asking) {
    const reached = commitment.trueUp === 'term' ? sum(own) : (own[target.segment] ?? ZERO);
    const asked = all.filter(({ segment }) => segment === target.segment);
    const before = sum(asked.map(({ net }) => net));
    const difference = missingTo(target.amount, reached).minus(before);
    if (difference.gt(0)) await ask(dependencies, tx, commitment, { target, reached, before, difference }, now);
    const isDone = !difference.lt(0) || (await giveBackTrueUps(dependencies, tx, asked, difference.negated(), now));
    if (isDone) followed.add(target);
  }
  return followed;
}

interface Asked {
  readonly target: Target;
  readonly reached: Decimal;
  readonly before: Decimal;
  readonly difference: Decimal;
}

/** An invoice of the customer with one line, taxed as the customer is. */
async function ask(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { id, merchantId, customerId, clockId, currency, name }: Commitment,
  { target, reached, before, difference }: Asked,
  now: Instant,
): Promise<void> {
  const invoiceId = newId('invoice');
  const { segment, start, end, amount } = target;
  await insertOwnTrueUp(tx, { commitmentId: id, segment, invoiceId }, now);
  const made = await makeOneOffInvoice(
    dependencies,
    tx,
    {
      ...{ id: invoiceId, merchantId, customerId, subscriptionId: null, clockId, currency, planId: null },
      kind: 'ad_hoc',
      lines: [
        {
          ...{ displayName: `${name}: true-up`, quantity: ONE, unitPrice: difference, type: 'true_up' },
          service: { from: start, to: end },
          trueUp: {
            ...{ commitmentId: id, segment, amount: plain(amount), spent: plain(reached) },
            ...{ before: plain(before), asked: plain(difference) },
          },
        },
      ],
      ...{ paymentTermDays: 0, autoApprove: true, livesBySession: false, purpose: null },
    },
    now,
  );
  orThrow(made);
}
