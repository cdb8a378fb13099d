import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { selectCouponPage, selectRedemptionPage } from '../subscription/coupons.sql.ts';
import { changeCoupon, createCoupon, getCoupon } from './coupons.ts';
import { createRedemption, endRedemption, toRedemptionReplies } from './redemptions.ts';
import {
  CouponCreateBody,
  CouponListQuery,
  CouponReply,
  CouponUpdateBody,
  RedemptionCreateBody,
  RedemptionReply,
  toCouponReply,
} from './schemas.ts';

const api = routesOf('Coupons');
const one = { of: 'id', kind: 'coupon' } as const;
const ofSubscription = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'subscription' } }) as const;

/** `/v0/coupons` and the coupons of a subscription (commercial.md §2). */
export const couponRoutes: readonly Route[] = [
  api.post('/v0/coupons', 'createCoupon', {
    summary: 'Create a coupon',
    description:
      'A fraction or an amount off, for one or more periods of a plan, or for ever. It does not change afterwards, ' +
      'but for its name, limits and metadata. A code that another coupon has is a 409 `KEY_TAKEN`.',
    access: { role: 'member', merchant: 'body' },
    body: CouponCreateBody,
    replies: { 201: CouponReply },
    errors: [409],
    handler: ({ tx, body, now }) => createCoupon(tx, body, now),
  }),
  api.list('/v0/coupons', 'listCoupons', {
    summary: 'List coupons',
    description: 'The newest coupon comes first.',
    access: { role: 'viewer', merchant: 'query' },
    query: CouponListQuery,
    of: CouponReply,
    list: ({ tx, merchantId, query, page }) => selectCouponPage(tx, merchantId, query, page),
    each: (coupon, { now }) => toCouponReply(coupon, now),
  }),
  api.get('/v0/coupons/:id', 'getCoupon', {
    summary: 'Retrieve a coupon',
    description: '`status` says whether it can be redeemed.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: CouponReply },
    handler: ({ tx, params, now }) => getCoupon(tx, params.id, now),
  }),
  api.patch('/v0/coupons/:id', 'updateCoupon', {
    summary: 'Update a coupon',
    description: 'A field that is not sent stays as it is. Subscriptions that have redeemed it keep it.',
    access: { role: 'member', merchant: one },
    body: CouponUpdateBody,
    replies: { 200: CouponReply },
    handler: ({ tx, params, body, now }) => changeCoupon(tx, params.id, body, now),
  }),
  api.post('/v0/subscriptions/:id/coupons', 'redeemCoupon', {
    summary: 'Redeem a coupon for a subscription',
    description:
      'The charges whose service begins in the window of the redemption cost less. The window begins with the first ' +
      'period that is not billed yet, and no change of the plan moves it. Refusals are 409 with their reason.',
    access: ofSubscription('member'),
    body: RedemptionCreateBody,
    replies: { 201: RedemptionReply, 200: RedemptionReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      createdReply(await createRedemption(tx, params.id, body, now), ({ reply }) => reply),
  }),
  api.list('/v0/subscriptions/:id/coupons', 'listRedemptions', {
    summary: 'List the coupons of a subscription',
    description: 'The newest redemption comes first.',
    access: ofSubscription('viewer'),
    of: RedemptionReply,
    list: async ({ tx, params, page, now }) => {
      const { rows, total } = await selectRedemptionPage(tx, params.id, page);
      return { rows: await toRedemptionReplies(tx, rows, params.id, now), total };
    },
  }),
  api.delete('/v0/subscriptions/:id/coupons/:redemptionId', 'endRedemption', {
    summary: 'End a coupon of a subscription',
    description:
      'It ends now: service that began before keeps it, and what it gave stays. If nothing is billed since its start, ' +
      'the redemption is deleted, and the coupon can be redeemed once more.',
    access: ofSubscription('member'),
    errors: [409],
    handler: ({ tx, params, now }) => {
      const { id, redemptionId } = params as { id: string; redemptionId: string };
      return endRedemption(tx, id, redemptionId, now);
    },
  }),
];
