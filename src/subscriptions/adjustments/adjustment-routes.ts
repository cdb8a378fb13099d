import { createdReply, type Route, routesOf } from '../../http/index.ts';
import { selectAdjustmentsPage } from '../subscription/adjustments.sql.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { AdjustmentCreateBody, SubscriptionAdjustmentReply } from './adjustment-schemas.ts';
import { createAdjustment, deleteAdjustment, toAdjustmentReply } from './adjustments.ts';

const api = routesOf('Subscriptions');
const ofSubscription = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'subscription' } }) as const;

/** `/v0/subscriptions/{id}/adjustments` (§4, Adjustment rules). */
export const adjustmentRoutes = (dependencies: SubscriptionDependencies): readonly Route[] => [
  api.post('/v0/subscriptions/:id/adjustments', 'createSubscriptionAdjustment', {
    summary: 'Create a discount for a subscription',
    description:
      'Each invoice that is calculated while the window is open gets one discount line for each charge, and tax is ' +
      'taken on the remainder. Existing invoices do not change, and neither do drafts. The same `idempotencyKey` ' +
      'again answers 200 with the first adjustment. Without a key, a retry makes a second discount, and discounts ' +
      'compound.',
    access: ofSubscription('member'),
    body: AdjustmentCreateBody,
    replies: { 201: SubscriptionAdjustmentReply, 200: SubscriptionAdjustmentReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      createdReply(await createAdjustment(tx, params.id, body, now), ({ adjustment }) => toAdjustmentReply(adjustment)),
  }),
  api.list('/v0/subscriptions/:id/adjustments', 'listSubscriptionAdjustments', {
    summary: 'List the adjustments of a subscription',
    description: 'The newest adjustment comes first.',
    access: ofSubscription('viewer'),
    of: SubscriptionAdjustmentReply,
    list: ({ tx, params, page }) => selectAdjustmentsPage(tx, params.id, page),
    each: toAdjustmentReply,
  }),
  api.delete('/v0/subscriptions/:id/adjustments/:adjustmentId', 'deleteSubscriptionAdjustment', {
    summary: 'Delete an adjustment',
    description:
      'Drafts that were calculated with it are calculated again. Once an invoice was issued under it, it is ' +
      'permanent: 409 `ADJUSTMENT_IN_USE`.',
    access: ofSubscription('member'),
    errors: [409],
    handler: async ({ tx, merchantId, params, now }) => {
      const { id, adjustmentId } = params as { id: string; adjustmentId: string };
      return deleteAdjustment(dependencies, tx, { merchantId, subscriptionId: id, id: adjustmentId }, now);
    },
  }),
];
