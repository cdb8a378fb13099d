import {
  allOf,
  assignments,
  insertion,
  jsonb,
  type PageRequest,
  pageOfRows,
  sql,
  type Tx,
  withJsonb,
} from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Coupon, Redemption } from './coupon.ts';

const COLUMNS = sql`merchant_id, id, name, code, percent_off, amount_off, currency, duration, duration_in_periods,
  carries_over, applies_to, minimum_amount, max_redemptions, max_redemptions_per_customer, new_customers_only,
  redeem_by, metadata, archived, redemption_count, created_at, updated_at`;

/** @returns nothing where another coupon has the code */
export const insertCoupon = (tx: Tx, coupon: Coupon): Promise<Coupon | undefined> =>
  tx.maybe<Coupon>(sql`
    ${insertion('coupon', withJsonb(coupon, 'appliesTo', 'metadata'), COLUMNS)}
    on conflict (merchant_id, lower(code)) where code is not null do nothing returning ${COLUMNS}`);

export const selectCoupon = (tx: Tx, id: string): Promise<Coupon | undefined> =>
  tx.maybe<Coupon>(sql`select ${COLUMNS} from coupon where merchant_id = ${tx.merchantId} and id = ${id}`);

/** The names of coupons by their ids. */
export const selectCouponNames = (tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]> =>
  tx.rows(sql`select id, name from coupon where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`);

export const selectCouponByCode = (tx: Tx, code: string): Promise<Coupon | undefined> =>
  tx.maybe<Coupon>(
    sql`select ${COLUMNS} from coupon where merchant_id = ${tx.merchantId} and lower(code) = lower(${code})`,
  );

/** Locks a coupon: its redemptions are counted one after another. */
export const lockCoupon = (tx: Tx, id: string): Promise<Coupon> =>
  tx.one<Coupon>(
    sql`select ${COLUMNS} from coupon where merchant_id = ${tx.merchantId} and id = ${id} for no key update`,
  );

export type CouponChanges = Partial<Pick<Coupon, 'name' | 'redeemBy' | 'maxRedemptions' | 'metadata' | 'archived'>>;

export const updateCoupon = (tx: Tx, id: string, changes: CouponChanges, now: Instant): Promise<Coupon | undefined> =>
  tx.maybe<Coupon>(sql`
    update coupon set ${assignments({
      ...changes,
      metadata: changes.metadata === undefined ? undefined : jsonb(changes.metadata),
      updatedAt: now,
    })}
     where merchant_id = ${tx.merchantId} and id = ${id} returning ${COLUMNS}`);

/** Newest first; of one merchant, or (null, for operators) of all. */
export const selectCouponPage = (
  tx: Tx,
  merchantId: string | null,
  { code }: { readonly code?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<Coupon>(
    tx,
    {
      kind: 'coupon',
      select: COLUMNS,
      from: sql`coupon`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        code !== undefined && sql`lower(code) = lower(${code})`,
      ]),
    },
    page,
  );

const REDEMPTION = sql`merchant_id, id, coupon_id, customer_id, subscription_id, idempotency_key, idempotency_print,
  given_back_at, created_at`;

/** Stores redemptions of coupons that the caller has locked, and counts them. */
export async function insertRedemptions(tx: Tx, redemptions: readonly Redemption[]): Promise<void> {
  for (const redemption of redemptions) {
    await tx.run(sql`${insertion('redemption', redemption, REDEMPTION)}`);
    await tx.run(sql`
      update coupon set redemption_count = redemption_count + 1
       where merchant_id = ${tx.merchantId} and id = ${redemption.couponId}`);
  }
}

export const selectRedemption = (tx: Tx, subscriptionId: string, id: string): Promise<Redemption | undefined> =>
  tx.maybe<Redemption>(sql`
    select ${REDEMPTION} from redemption
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and id = ${id}`);

export const selectRedemptionByKey = (tx: Tx, subscriptionId: string, key: string): Promise<Redemption | undefined> =>
  tx.maybe<Redemption>(sql`
    select ${REDEMPTION} from redemption
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and idempotency_key = ${key}`);

export const selectRedemptionPage = (tx: Tx, subscriptionId: string, page: PageRequest) =>
  pageOfRows<Redemption>(
    tx,
    {
      kind: 'redemption',
      select: REDEMPTION,
      from: sql`redemption`,
      exists: sql`merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}`,
    },
    page,
  );

/** How often a customer has redeemed a coupon, and whether any subscription of it was ever active. */
export const selectCustomerFacts = (
  tx: Tx,
  couponId: string,
  customerId: string,
): Promise<{ redeemed: number; wasActive: boolean }> =>
  tx.one<{ redeemed: number; wasActive: boolean }>(sql`
    select (select count(*)::int from redemption
             where merchant_id = ${tx.merchantId} and coupon_id = ${couponId} and customer_id = ${customerId}
               and given_back_at is null
               and exists (select from subscription s
                            where s.merchant_id = redemption.merchant_id and s.id = redemption.subscription_id)
           ) as redeemed,
           exists (select from subscription
                    where merchant_id = ${tx.merchantId} and customer_id = ${customerId}
                      and activated_at is not null) as was_active`);

/** The redemptions of a subscription that was never paid count no more. */
export const updateGivenBack = (tx: Tx, subscriptionId: string, now: Instant): Promise<number> =>
  tx.run(sql`
    with given_back as (
      update redemption set given_back_at = ${now}
       where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and given_back_at is null
      returning coupon_id)
    update coupon c set redemption_count = redemption_count - g.many
      from (select coupon_id, count(*)::int as many from given_back group by coupon_id) g
     where c.merchant_id = ${tx.merchantId} and c.id = g.coupon_id`);

/** A redemption that gave nothing goes out whole. */
export const deleteRedemption = (tx: Tx, { id, couponId }: Redemption): Promise<number> =>
  tx.run(sql`
    with deleted as (delete from redemption where merchant_id = ${tx.merchantId} and id = ${id} returning id)
    update coupon set redemption_count = redemption_count - 1
     where merchant_id = ${tx.merchantId} and id = ${couponId} and exists (select from deleted)`);

/** A redemption of a coupon by a subscription, whose page has shown it before there was a subscription. */
export const selectHeldRedemption = (
  tx: Tx,
  subscriptionId: string,
  couponId: string,
): Promise<Redemption | undefined> =>
  tx.maybe<Redemption>(sql`
    select ${REDEMPTION} from redemption
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and coupon_id = ${couponId}
       and given_back_at is null
     order by seq desc limit 1`);
