import { effectiveNowForReading } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { bodyKey, findCreated } from '../../http/index.ts';
import {
  type BilledRedemption,
  type BillingTerms,
  type CouponDiscount,
  discountsOfRedemptions,
  findLastService,
  ownPeriodAt,
} from '../../invoicing/index.ts';
import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOrNull, isAfter, isBefore, latest } from '../../kernel/time.ts';
import { loadAgreement, termsUnder } from '../billing/agreement.ts';
import { holdLiving } from '../life/lock.ts';
import { type RedeemedCoupon, type Redemption, redemptionOf } from '../subscription/coupon.ts';
import { deleteRedemption, selectRedemption, selectRedemptionByKey } from '../subscription/coupons.sql.ts';
import { findCoupon, redeem } from '../subscription/redeem.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';
import { selectSubscription, updateSubscription } from '../subscription/subscriptions.sql.ts';
import type { RedemptionCreateBody } from './schemas.ts';

/** POST …/coupons: of a subscription that has not ended. The key again answers the first redemption. */
export async function createRedemption(tx: Tx, subscriptionId: string, body: RedemptionCreateBody, wall: Instant) {
  const held = await holdLiving(tx, subscriptionId, 'redeem', wall);
  const key = bodyKey('redemption', body);
  const find = (_: Tx, text: string) => selectRedemptionByKey(tx, subscriptionId, text);
  const known = held.ok ? await findCreated(tx, key, { find }) : ok(null);
  if (!known.ok) return known;
  if (!held.ok) return held;
  const { subscription, agreement, now } = held.value;
  const shown = async (redemption: Redemption, row: SubscriptionRow, isNew: boolean) => {
    const terms = termsUnder(agreement, row);
    const [reply] = await repliesOf(tx, [redemption], row, terms, now);
    return ok({ reply, isNew });
  };
  if (known.value) return shown(known.value, subscription, false);
  if ((body.couponId === undefined) === (body.code === undefined))
    return invalidField('couponId', 'give couponId or code, one of the two');
  const coupon = await findCoupon(tx, (body.couponId ?? body.code) as string, body.code ? 'code' : 'couponId');
  if (!coupon.ok) return coupon;
  const redeeming = { subscription, terms: termsUnder(agreement, subscription), now };
  const redeemed = await redeem(tx, redeeming, coupon.value, { from: instantOrNull(body.from), key });
  if (!redeemed.ok) return redeemed;
  const { redemption, redemptions } = redeemed.value;
  return shown(redemption, await updateSubscription(tx, subscription, { redemptions }, now), true);
}

/**
 * DELETE …/coupons/{id}: it ends now. What began before keeps it, and what it gave stays. Where it gave nothing and
 * nothing is billed since its start, it goes out whole.
 */
export async function endRedemption(tx: Tx, subscriptionId: string, id: string, wall: Instant): Promise<Result<void>> {
  const held = await holdLiving(tx, subscriptionId, 'endCoupon', wall);
  const redemption = held.ok ? await selectRedemption(tx, subscriptionId, id) : undefined;
  if (!held.ok) return held;
  const { subscription, agreement, now } = held.value;
  const redeemed = subscription.redemptions.find((each) => each.id === id);
  if (!redemption || !redeemed) return notFound('redemption');
  const { from, until } = redemptionOf(redeemed);
  const billed = await findLastService(tx, subscriptionId);
  const isUntouched = billed === null || isBefore(billed, from);
  const terms = termsUnder(agreement, subscription);
  const end = isUntouched ? now : await endOf(tx, terms, redeemed, now);
  if (!isUntouched && until !== null && !isAfter(until, end)) return ok(undefined);
  if (isUntouched) await deleteRedemption(tx, redemption);
  const redemptions = subscription.redemptions.flatMap((each): RedeemedCoupon[] => {
    if (each.id !== id) return [each];
    return isUntouched ? [] : [{ ...each, until: formatInstant(end) }];
  });
  await updateSubscription(tx, subscription, { redemptions }, now);
  return ok(undefined);
}

/**
 * When a redemption ends that is ended now: not before the last period for which an amount was given, nor before that
 * of a fee which begins now or later and was billed with it.
 */
async function endOf(tx: Tx, terms: BillingTerms, { id, percentOff }: RedeemedCoupon, now: Instant): Promise<Instant> {
  const given = (await discountsOfRedemptions(tx, terms)).filter(({ redemptionId }) => redemptionId === id);
  return given
    .filter(({ from }) => percentOff === null || !isBefore(from, now))
    .reduce((end, { from }) => latest(end, ownPeriodAt(terms, from)?.end ?? end), now);
}

/** Redemptions of a subscription as the API answers them. */
export async function toRedemptionReplies(tx: Tx, rows: readonly Redemption[], subscriptionId: string, wall: Instant) {
  const subscription = await selectSubscription(tx, subscriptionId);
  if (!subscription || rows.length === 0) return [];
  const now = await effectiveNowForReading(tx, subscription.clockId, wall);
  const terms = termsUnder(await loadAgreement(tx, subscription), subscription);
  return repliesOf(tx, rows, subscription, terms, now);
}

async function repliesOf(
  tx: Tx,
  rows: readonly Redemption[],
  { redemptions }: SubscriptionRow,
  terms: BillingTerms,
  now: Instant,
) {
  const given = Map.groupBy(await discountsOfRedemptions(tx, terms), ({ redemptionId }) => redemptionId);
  return rows.flatMap((row) => {
    const stored = redemptions.find(({ id }) => id === row.id);
    if (!stored) return [];
    const own = given.get(row.id) ?? [];
    const redeemed = redemptionOf(stored);
    const left = remainingOf(redeemed, terms, own, now);
    const isCarried = redeemed.carriesOver && (left === null || left.gt(0));
    return [
      {
        id: row.id,
        object: 'redemption' as const,
        couponId: row.couponId,
        subscriptionId: row.subscriptionId,
        customerId: row.customerId,
        from: formatInstant(redeemed.from),
        until: redeemed.until === null || isCarried ? null : formatInstant(redeemed.until),
        remainingAmount: left && formatMoney(left, terms.currency),
        totalDiscount: formatMoney(sum(own.map(({ amount }) => amount)), terms.currency),
        currency: terms.currency,
        createdAt: formatInstant(row.createdAt),
      },
    ];
  });
}

/** What is left of an amount for the running period: the first one while none runs. */
function remainingOf(
  { amountOff, carriesOver, from, until }: BilledRedemption,
  terms: BillingTerms,
  given: readonly CouponDiscount[],
  now: Instant,
): Decimal | null {
  if (amountOff === null) return null;
  const running = ownPeriodAt(terms, latest(from, now));
  let begun = 0;
  for (let cell = ownPeriodAt(terms, from); cell; cell = ownPeriodAt(terms, cell.end)) {
    const isOver = until !== null && !isBefore(cell.start, until);
    if (isOver || isAfter(cell.start, latest(from, now))) break;
    begun += 1;
  }
  const isIn = running !== null && (until === null || isBefore(running.start, until));
  const taken = given.filter(({ period }) => carriesOver || (running && period?.equals(running.start)));
  const all = carriesOver ? amountOff.times(begun) : isIn ? amountOff : ZERO;
  return Decimal.max(ZERO, all.minus(sum(taken.map(({ amount }) => amount))));
}
