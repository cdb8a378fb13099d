import { findPayers, withChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind, StepList } from '../../jobs/index.ts';
import { Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { formatMoney, roundTo } from '../../kernel/money.ts';
import { earliest, type Instant, isAfter, latest } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import { publish } from '../../webhooks/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { payerOf } from '../invoice/invoice.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import { payDebtsByCredits } from '../paying/debts-of-credits.ts';
import { appliesTo, isAmong } from '../terms/applies-to.ts';
import { endOf } from '../terms/billing-credit.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { type KnownCredit, selectCreditsOf, updateEarned, updateExpiryTold } from './billing-credits.sql.ts';
import { balanceOf, figuresOf } from './figures.ts';
import { openUses } from './open-uses.ts';
import { selectTopUp } from './top-ups.sql.ts';
import { AGAIN, roomAt, topUpWhereLow } from './top-ups.ts';
import {
  type CreditWatch,
  type Exhausted,
  lockParentsOfWatchesNow,
  lockWatches,
  replaceExhausted,
  updateWatch,
} from './watch.sql.ts';

/** Without a top-up, credits are low at this part of what was granted and is not over (commercial.md §3). */
const LOW = decimal('0.2');
/** The interval of looks without a known event; on a test clock there are none. */
const ROUND = { hours: 1 };

/** Customers whose credits are looked at in one transaction. */
const MOST_LOOKS = 20;

/** Looks at the credits of customers: after usage, and when something else has changed what is available. */
export function creditWatchDueKind(dependencies: InvoicingDependencies): DueKind {
  const steps: StepList['steps'] = async (tx, records, now) => {
    await lookAtCredits(dependencies, tx, await lockWatches(tx, idsOf(records)), now);
    return records.map(() => ({ isLater: false }));
  };
  return {
    kind: 'credit_watch',
    list: { most: MOST_LOOKS, steps },
    lockParents: (tx, records) => lockParentsOfWatchesNow(tx, idsOf(records)),
    step: async (tx, record, now) => {
      await steps(tx, [record], now);
    },
  };
}

const idsOf = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

/** The credits that a look is about: what each has, and what open periods would take. */
interface Seen {
  readonly credits: readonly KnownCredit[];
  readonly openOf: (creditId: string) => Decimal;
}

/**
 * What follows from the balances of credits of some customers of one merchant.
 * @param watches locked, after the credits and the top-ups of their customers
 * @param now effective now for them
 */
async function lookAtCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  watches: readonly CreditWatch[],
  now: Instant,
): Promise<void> {
  const customers = watches.map(({ customerId }) => customerId);
  const payers = await findPayers(tx, customers);
  const owners = [...new Set(customers.map((id) => payers.get(id) ?? id))];
  const openOf = await openUses(dependencies, tx, owners, now);
  for (const watch of watches)
    await followBalance(dependencies, tx, watch, { payerId: payers.get(watch.customerId) ?? null, openOf }, now);
}

/** Webhooks, access, a top-up, the revenue of what was used, and the end of debts. */
async function followBalance(
  dependencies: InvoicingDependencies,
  tx: Tx,
  watch: CreditWatch,
  { payerId, openOf }: { readonly payerId: string | null; readonly openOf: Seen['openOf'] },
  now: Instant,
): Promise<void> {
  const { customerId, currency, clockId } = watch;
  const credits = await creditsOf(tx, [customerId], watch);
  const balance = balanceOf(credits, openOf, now);
  const topUp = await selectTopUp(tx, customerId, true);
  const own = topUp?.currency === currency && topUp.clockId === clockId ? topUp : undefined;
  const isGranted = balance.granted.gt(0);
  const isLow = isGranted && balance.available.lte(own?.threshold ?? lowAt(credits, now));
  const isExhausted = isGranted && balance.available.isZero();
  const data = { customerId, currency, available: formatMoney(balance.available, currency) };
  await tellExpired(tx, { credits, openOf }, now);
  if (isLow && !watch.isLow) await tell(tx, 'billing_credit.low.v0', data, now);
  if (isExhausted && !watch.isExhausted) await tell(tx, 'billing_credit.exhausted.v0', data, now);
  await earn(tx, { credits, openOf }, now);
  await limitAccess(dependencies, tx, watch, { payerId, openOf }, now);
  const topped = own && (await topUpWhereLow(dependencies, tx, own, balance.available, now));
  await payDebtsByCredits(
    tx,
    credits.map(({ id }) => id),
    now,
  );
  const isAgain = topped?.status === 'active' && topped.declines > (own?.declines ?? 0);
  const room = topped ? roomAt(topped, balance.available, now) : null;
  const nextActionAt = isAgain ? now.add(AGAIN) : nextLook(credits, { isOnClock: clockId !== null, room }, now);
  await updateWatch(tx, watch, { isLow, isExhausted, nextActionAt }, now);
}

/** What a customer has left of its credits on a clock, and since when the newest is there; null: it has none. */
export async function findCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  of: Pick<CreditWatch, 'customerId' | 'currency' | 'clockId'>,
  now: Instant,
): Promise<{ available: Decimal; granted: Decimal; since: Instant } | null> {
  const credits = (await creditsOf(tx, [of.customerId], of)).filter((credit) => !isAfter(credit.effectiveAt, now));
  const [first] = credits;
  if (!first) return null;
  const { available, granted } = balanceOf(credits, await openUses(dependencies, tx, [of.customerId], now), now);
  return { available, granted, since: credits.map(({ effectiveAt }) => effectiveAt).reduce(latest, first.effectiveAt) };
}

type CreditScope = Pick<CreditWatch, 'currency' | 'clockId'>;
const creditsOf = async (tx: Tx, customerIds: readonly string[], { currency, clockId }: CreditScope) =>
  (await selectCreditsOf(tx, customerIds)).filter(
    (credit) => credit.currency === currency && credit.testClockId === clockId,
  );

const isOver = (credit: KnownCredit, now: Instant): boolean => {
  const end = endOf(credit);
  return end !== null && !isAfter(end, now);
};

const lowAt = (credits: readonly KnownCredit[], now: Instant): Decimal =>
  sum(
    credits.filter((each) => !isAfter(each.effectiveAt, now) && !isOver(each, now)).map(({ amount }) => amount),
  ).times(LOW);

const tell = (
  tx: Tx,
  type: 'billing_credit.low.v0' | 'billing_credit.exhausted.v0' | 'billing_credit.expired.v0',
  data: Readonly<Record<string, string>>,
  now: Instant,
) => publish(tx, { merchantId: tx.merchantId, type, data: { merchantId: tx.merchantId, ...data } }, now);

/** Says once of each credit that it expired with something left that did not go on to another one. */
async function tellExpired(tx: Tx, { credits, openOf }: Seen, now: Instant): Promise<void> {
  const expired = credits.filter(
    (each) =>
      !each.isExpiryTold &&
      isOver(each, now) &&
      figuresOf(each, openOf(each.id), now).expired.gt(each.released ?? ZERO),
  );
  if (expired.length === 0) return;
  for (const { customerId, id: billingCreditId } of expired)
    await tell(tx, 'billing_credit.expired.v0', { customerId, billingCreditId }, now);
  await updateExpiryTold(
    tx,
    expired.map(({ id }) => id),
  );
}

/**
 * What of the price of a credit is revenue: the share that was used, and all of it when nothing is left to use
 * (commercial.md §3). Of one that is undone nothing is, because its invoice gave the price back.
 */
export function earnedOf(credit: KnownCredit, open: Decimal, now: Instant): Decimal {
  const { price, amount, currency, used, isUndone, released } = credit;
  if (price === null || isUndone) return ZERO;
  const { expired, voided } = figuresOf(credit, open, now);
  const moved = released ?? ZERO; // it shows as expired or voided, and is no revenue of this credit
  const gone = used.plus(expired).plus(voided).minus(moved);
  const kept = amount.minus(moved);
  const priceOfKept = roundTo(price.times(kept).div(amount), currency, 'half-away-from-zero');
  if (gone.gte(kept)) return priceOfKept;
  return Decimal.max(ZERO, roundTo(price.times(gone).div(amount), currency, 'half-away-from-zero'));
}

/** Books by how much what credits earned has changed. */
async function earn(tx: Tx, { credits, openOf }: Seen, now: Instant): Promise<void> {
  for (const credit of credits) {
    const earned = earnedOf(credit, openOf(credit.id), now);
    const more = earned.minus(credit.earned);
    if (more.isZero()) continue;
    const invoice = credit.invoiceId === null ? undefined : await selectInvoice(tx, credit.invoiceId);
    const customerId = invoice ? payerOf(invoice) : credit.customerId;
    await post(
      tx,
      {
        merchantId: tx.merchantId,
        key: `earned:${credit.id}:${newId('ledgerTransaction')}`,
        reason: 'credits_earned',
        currency: credit.currency,
        entries: [
          { account: 'deferred_credits', customerId, amount: more },
          { account: 'revenue', customerId: null, amount: more.negated() },
        ],
      },
      now,
    );
    await updateEarned(tx, credit.id, earned);
  }
}

/** What subscriptions that require credits no longer give access to, theirs and those of who is paid for. */
async function limitAccess(
  { source }: InvoicingDependencies,
  tx: Tx,
  watch: CreditWatch,
  { payerId, openOf }: { readonly payerId: string | null; readonly openOf: Seen['openOf'] },
  now: Instant,
): Promise<void> {
  const { customerId, currency, clockId } = watch;
  const customers = await withChildren(tx, [customerId]);
  const ids = await source.requiringCredits(tx, customers);
  const all = [...(await source.termsOf(tx, ids)).values()];
  const isOwn = (terms: BillingTerms) => terms.currency === currency && terms.clockId === clockId;
  const requiring = all.filter(isOwn);
  const owners = [...new Set([...customers, ...(payerId === null ? [] : [payerId])])];
  const credits = requiring.length === 0 ? [] : await creditsOf(tx, owners, watch);
  const left = credits
    .map((credit) => ({ credit, left: figuresOf(credit, openOf(credit.id), now).remaining }))
    .filter(({ credit, left: rest }) => rest.gt(0) && !isAfter(credit.effectiveAt, now));
  const payers = [customerId, payerId];
  const exhausted = requiring.flatMap((terms) =>
    exhaustedOf(
      terms,
      left.map(({ credit }) => credit).filter((credit) => [...payers, terms.customerId].includes(credit.customerId)),
    ),
  );
  const others = all.filter((terms) => !isOwn(terms)).map(({ subscriptionId }) => subscriptionId);
  await replaceExhausted(tx, customers, exhausted, others);
}

/** @param credits those with something left, of its customer and of who pays */
function exhaustedOf(terms: BillingTerms, credits: readonly KnownCredit[]): Exhausted[] {
  const { subscriptionId, customerId, planId, prices } = terms;
  const own = credits.filter((credit) => isAmong(terms, credit));
  if (own.length === 0) return [{ customerId, subscriptionId, billableMetricId: '' }];
  const metrics = Map.groupBy(
    prices.filter(({ metric }) => metric !== null),
    ({ metric }) => (metric as NonNullable<typeof metric>).id,
  );
  return [...metrics].flatMap(([billableMetricId, those]) =>
    those.some((price) => own.some((credit) => appliesTo(credit.appliesTo, { planId, price })))
      ? []
      : [{ customerId, subscriptionId, billableMetricId }],
  );
}

/** The next time at which a credit begins or ends, or a month gives room to a top-up; else a round. */
function nextLook(
  credits: readonly KnownCredit[],
  { isOnClock, room }: { readonly isOnClock: boolean; readonly room: Instant | null },
  now: Instant,
): Instant | null {
  const bounds = [room, ...credits.flatMap((credit) => [credit.effectiveAt, endOf(credit)])];
  const coming = bounds.filter((at): at is Instant => at !== null && isAfter(at, now));
  const times = isOnClock ? coming : [...coming, now.add(ROUND)];
  return times.length === 0 ? null : times.reduce(earliest);
}
