import type { Tx } from '../../db/index.ts';
import { checkChosen } from '../../invoicing/index.ts';
import { minorDigits } from '../../kernel/currency.ts';
import { type Decimal, decimalOf } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { digitsProblem } from '../../kernel/money.ts';
import { type FieldError, fail, invalid, notFound, ok } from '../../kernel/result.ts';
import { type Instant, instantOrNull } from '../../kernel/time.ts';
import type { Coupon } from '../subscription/coupon.ts';
import { insertCoupon, selectCoupon, updateCoupon } from '../subscription/coupons.sql.ts';
import { type CouponCreateBody, type CouponUpdateBody, toCouponReply } from './schemas.ts';

/**
 * POST /v0/coupons (commercial.md §2).
 * @returns every wrong field; 403 or 404 of a named resource; KEY_TAKEN where another coupon has the code
 */
export async function createCoupon(tx: Tx, body: CouponCreateBody, now: Instant) {
  const coupon: Coupon = {
    merchantId: tx.merchantId,
    id: newId('coupon'),
    name: body.name,
    code: body.code ?? null,
    percentOff: body.percentOff == null ? null : decimalOf(body.percentOff),
    amountOff: body.amountOff == null ? null : decimalOf(body.amountOff),
    currency: body.currency ?? null,
    duration: body.duration,
    durationInPeriods: body.durationInPeriods ?? null,
    carriesOver: body.carriesOver ?? false,
    appliesTo: { planIds: [], priceIds: [], billableMetricIds: [], feeIds: [], ...body.appliesTo },
    minimumAmount: body.minimumAmount == null ? null : decimalOf(body.minimumAmount),
    maxRedemptions: body.maxRedemptions ?? null,
    maxRedemptionsPerCustomer: body.maxRedemptionsPerCustomer ?? 1,
    newCustomersOnly: body.newCustomersOnly ?? false,
    redeemBy: instantOrNull(body.redeemBy),
    metadata: body.metadata ?? {},
    archived: false,
    redemptionCount: 0,
    createdAt: now,
    updatedAt: now,
  };
  const errors = faultsOf(coupon);
  if (errors.length > 0) return invalid(errors);
  const named = await checkChosen(tx, coupon.appliesTo);
  if (!named.ok) return named;
  const made = await insertCoupon(tx, coupon);
  return made ? ok(toCouponReply(made, now)) : fail('KEY_TAKEN', { field: 'code' }, 'Another coupon has this code.');
}

function faultsOf(coupon: Coupon): FieldError[] {
  const { percentOff, amountOff, currency, duration, durationInPeriods, carriesOver, minimumAmount } = coupon;
  const errors: FieldError[] = [];
  const wrong = (isWrong: boolean, field: string, message: string) => {
    if (isWrong) errors.push({ field, message });
  };
  wrong((percentOff === null) === (amountOff === null), 'percentOff', 'give percentOff or amountOff, one of the two');
  const needs = amountOff === null ? 'minimumAmount' : 'amountOff';
  wrong(currency === null && (amountOff ?? minimumAmount) !== null, 'currency', `is required with ${needs}`);
  wrong(
    duration === 'periods' && durationInPeriods === null,
    'durationInPeriods',
    'is required with the duration "periods"',
  );
  wrong(
    duration !== 'periods' && durationInPeriods !== null,
    'durationInPeriods',
    'is for the duration "periods" only',
  );
  wrong(carriesOver && amountOff === null, 'carriesOver', 'is for coupons with amountOff only');
  if (currency === null) return errors;
  const tooFine = (amount: Decimal | null): boolean =>
    amount !== null && amount.decimalPlaces() > minorDigits(currency);
  wrong(tooFine(amountOff), 'amountOff', digitsProblem(currency));
  wrong(tooFine(minimumAmount), 'minimumAmount', digitsProblem(currency));
  return errors;
}

/** One coupon; 404. */
export async function getCoupon(tx: Tx, id: string, now: Instant) {
  const coupon = await selectCoupon(tx, id);
  return coupon ? ok(toCouponReply(coupon, now)) : notFound('coupon');
}

/** Changes the fields of the body; metadata is replaced whole. What is redeemed goes on as it was. */
export async function changeCoupon(tx: Tx, id: string, { redeemBy, ...body }: CouponUpdateBody, now: Instant) {
  const changes = { ...body, ...(redeemBy !== undefined && { redeemBy: instantOrNull(redeemBy) }) };
  const coupon = await updateCoupon(tx, id, changes, now);
  return coupon ? ok(toCouponReply(coupon, now)) : notFound('coupon');
}
