import { checkReference, type Tx } from '../../db/index.ts';
import { type BodyKey, keyColumns } from '../../http/index.ts';
import {
  appliesTo,
  type BillingTerms,
  couponWindow,
  findLastService,
  hasPlan,
  namesCharges,
} from '../../invoicing/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { isId, newId } from '../../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { type Coupon, periodsOf, type RedeemedCoupon, type Redemption, statusOf } from './coupon.ts';
import {
  insertRedemptions,
  lockCoupon,
  selectCoupon,
  selectCouponByCode,
  selectCustomerFacts,
  selectHeldRedemption,
} from './coupons.sql.ts';
import type { SubscriptionRow } from './subscription.ts';

/** Who redeems: the subscription and its plan as they stand. */
interface Redeeming {
  readonly subscription: Pick<SubscriptionRow, 'id' | 'customerId' | 'redemptions'>;
  readonly terms: BillingTerms;
  /** Effective now. */
  readonly now: Instant;
}

/** A redemption that was made, and all of the subscription with it. */
interface Redeemed {
  readonly redemption: Redemption;
  readonly redemptions: readonly RedeemedCoupon[];
}

/** A coupon by its id or, in any case, its code. @returns 404 of an unknown code; 403 or 404 of an id */
export async function findCoupon(tx: Tx, named: string, field: string): Promise<Result<Coupon>> {
  if (isId('coupon', named)) {
    const owned = await checkReference(tx, 'coupon', named, field);
    if (!owned.ok) return owned;
    const coupon = await selectCoupon(tx, named);
    if (coupon) return ok(coupon);
  }
  const coupon = await selectCouponByCode(tx, named);
  return coupon ? ok(coupon) : notFound('coupon', field);
}

/**
 * Redeems a coupon (commercial.md §2). The coupon is locked, so its redemptions are counted one after another.
 * @returns the refusal; of several reasons the first in the order of the contract
 */
export async function redeem(
  tx: Tx,
  { subscription, terms, now }: Redeeming,
  found: Coupon,
  asked: { readonly from: Instant | null; readonly key: BodyKey | null },
): Promise<Result<Redeemed>> {
  const { id: subscriptionId, customerId } = subscription;
  const held = await selectHeldRedemption(tx, subscriptionId, found.id);
  const isHeld = held !== undefined && !subscription.redemptions.some(({ id }) => id === held.id);
  const coupon = isHeld ? found : await lockCoupon(tx, found.id);
  const decided = isHeld
    ? ok(undefined)
    : decideRedemption(coupon, { ...(await selectCustomerFacts(tx, coupon.id, customerId)), terms, now });
  if (!decided.ok) return decided;
  const billed = await findLastService(tx, subscriptionId);
  const window = couponWindow(terms, { billed, from: asked.from, periods: periodsOf(coupon) });
  if ('refused' in window)
    return window.refused === 'too early'
      ? invalidField('from', 'lies in a period of which something is billed already')
      : notApplicable('The subscription has no period after what is billed.');
  const redemption: Redemption =
    held && isHeld
      ? held
      : {
          merchantId: tx.merchantId,
          id: newId('redemption'),
          couponId: coupon.id,
          customerId,
          subscriptionId,
          ...keyColumns(asked.key),
          givenBackAt: null,
          createdAt: now,
        };
  if (!isHeld) await insertRedemptions(tx, [redemption]);
  const redeemed: RedeemedCoupon = {
    id: redemption.id,
    couponId: coupon.id,
    name: coupon.name,
    percentOff: coupon.percentOff && plain(coupon.percentOff),
    amountOff: coupon.amountOff && plain(coupon.amountOff),
    carriesOver: coupon.carriesOver,
    minimumAmount: coupon.minimumAmount && plain(coupon.minimumAmount),
    appliesTo: coupon.appliesTo,
    from: formatInstant(window.from),
    until: window.until && formatInstant(window.until),
    createdAt: formatInstant(now),
  };
  return ok({ redemption, redemptions: [...subscription.redemptions, redeemed] });
}

const notApplicable = (message: string) => fail('COUPON_NOT_APPLICABLE', {}, message);

/** May a customer redeem a coupon for its subscription? Pure. */
function decideRedemption(
  coupon: Coupon,
  { redeemed, wasActive, terms, now }: { redeemed: number; wasActive: boolean; terms: BillingTerms; now: Instant },
): Result<void> {
  const { appliesTo: of, currency, maxRedemptionsPerCustomer: most } = coupon;
  const status = statusOf(coupon, now);
  if (status === 'archived') return notApplicable('The coupon is archived.');
  if (status === 'expired') return fail('COUPON_EXPIRED');
  if (redeemed >= most) return fail('COUPON_ALREADY_REDEEMED', { maxRedemptionsPerCustomer: most });
  if (status === 'exhausted') return fail('COUPON_EXHAUSTED', { maxRedemptions: coupon.maxRedemptions });
  if (currency !== null && currency !== terms.currency)
    return notApplicable(`The coupon is for ${currency}, and the subscription is in ${terms.currency}.`);
  if (!hasPlan(of, terms.planId)) return notApplicable('The coupon is not for the plan of the subscription.');
  if (namesCharges(of) && !terms.prices.some((price) => appliesTo(of, { planId: terms.planId, price })))
    return notApplicable('The coupon is for no price of the plan.');
  if (coupon.newCustomersOnly && wasActive) return notApplicable('The coupon is for new customers only.');
  return ok(undefined);
}

/** The coupons of a new subscription, by ids or codes, in their order. */
export async function redeemAll(
  tx: Tx,
  redeeming: Redeeming,
  named: readonly string[],
): Promise<Result<readonly RedeemedCoupon[]>> {
  let { redemptions } = redeeming.subscription;
  for (const [place, each] of named.entries()) {
    const coupon = await findCoupon(tx, each, `coupons.${place}`);
    if (!coupon.ok) return coupon;
    const subscription = { ...redeeming.subscription, redemptions };
    const redeemed = await redeem(tx, { ...redeeming, subscription }, coupon.value, { from: null, key: null });
    if (!redeemed.ok) return redeemed;
    ({ redemptions } = redeemed.value);
  }
  return ok(redemptions);
}

/**
 * Holds coupons for a subscription that its customer is about to pay: they count for the limits from now on.
 * @returns what refuses one
 */
export async function holdCoupons(
  tx: Tx,
  {
    subscriptionId,
    customerId,
    coupons,
  }: Pick<Redemption, 'subscriptionId' | 'customerId'> & { readonly coupons: readonly string[] },
  now: Instant,
): Promise<Result<void>> {
  for (const [place, each] of coupons.entries()) {
    const found = await findCoupon(tx, each, `coupons.${place}`);
    if (!found.ok) return found;
    const coupon = await lockCoupon(tx, found.value.id);
    if (statusOf(coupon, now) !== 'active') return fail('COUPON_EXHAUSTED', { maxRedemptions: coupon.maxRedemptions });
    const of = { merchantId: tx.merchantId, couponId: coupon.id, customerId, subscriptionId };
    const redemption = { ...of, id: newId('redemption'), ...keyColumns(null), givenBackAt: null, createdAt: now };
    await insertRedemptions(tx, [redemption]);
  }
  return ok(undefined);
}
