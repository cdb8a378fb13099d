import { PriceReply } from '../catalog/index.ts';
import { findTaxation } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { Intended, listReply, pageOf, Reply, type Route, routesOf } from '../http/index.ts';
import { findInvoice, type InvoiceRow } from '../invoicing/index.ts';
import { notFound, ok, type Result } from '../kernel/result.ts';
import { type Instant, instantOf } from '../kernel/time.ts';
import type { Payments } from '../payments/index.ts';
import { adjustmentRoutes } from './adjustments/adjustment-routes.ts';
import { changeRoutes } from './change-routes.ts';
import { couponRoutes } from './coupons/routes.ts';
import { createSubscription } from './life/create.ts';
import { feePrice } from './life/fee-price.ts';
import { type HeldSubscription, holdActive, holdLiving } from './life/lock.ts';
import { patchSubscription, terminateSubscription } from './life/patch.ts';
import { pauseSubscription, resumeSubscription } from './life/pause.ts';
import { paymentOf } from './life/payment.ts';
import { customerDetails, factsOf, loadShown, toSubscriptionReply } from './life/present.ts';
import { reconcileSubscription } from './life/reconcile.ts';
import { previewSubscription } from './life/rehearse.ts';
import { warningsAbout } from './life/warnings.ts';
import type { SubscriptionDependencies } from './subscription/dependencies.ts';
import {
  PauseBody,
  ReconciliationBody,
  ResumptionBody,
  SubscriptionCreateBody,
  SubscriptionListQuery,
  SubscriptionListReply,
  SubscriptionPreviewReply,
  SubscriptionReconciliationReply,
  SubscriptionReply,
  SubscriptionUpdateBody,
  TerminationBody,
} from './subscription/schemas.ts';
import type { SubscriptionRow } from './subscription/subscription.ts';
import { selectSubscription, selectSubscriptions } from './subscription/subscriptions.sql.ts';

const catalog = routesOf('Catalog');

const api = routesOf('Subscriptions');
const ofSubscription = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'subscription' } }) as const;

/** Every route about subscriptions (§4 Subscriptions; api.md, Subscriptions). */
export const subscriptionRoutes = (
  dependencies: SubscriptionDependencies,
  { awaitOutcome }: Pick<Payments, 'awaitOutcome'>,
): readonly Route[] => [
  api.post('/v0/subscriptions', 'createSubscription', {
    summary: 'Create a subscription',
    description:
      'Puts a customer on the default version of a plan, and pins that version. Invoices follow automatically. If ' +
      'the plan asks for money in advance, `payment` has the amount and the page; the subscription is active once it ' +
      'is paid. The same `idempotencyKey` again answers 200 with the first subscription. With `autoCharge` the ' +
      'answer waits up to 10 seconds for the payment provider that charges the stored card.',
    access: { role: 'member', merchant: 'body', by: ['customerId', 'planId'] },
    body: SubscriptionCreateBody,
    replies: { 201: SubscriptionReply, 200: SubscriptionReply },
    errors: [409],
    outcome: {
      wait: ({ merchantId, intent: { invoiceId } }, signal) =>
        awaitOutcome({ merchantId, invoiceId: invoiceId as string }, signal),
      answer: async ({ tx, now, intent: { subscriptionId, invoiceId } }) => {
        const subscription = await selectSubscription(tx, subscriptionId as string);
        const upfront = await findInvoice(tx, invoiceId as string);
        return subscription && upfront
          ? ok(new Reply(201, await show(dependencies, tx, subscription, now, upfront)))
          : notFound('subscription');
      },
    },
    handler: async ({ tx, body, now }) => {
      const created = await createSubscription(dependencies, tx, body, now);
      if (!created.ok) return created;
      const { subscription, isNew, upfront, from } = created.value;
      const facts = from && {
        ...{ pinned: from.pinned, at: from.now },
        taxation: await findTaxation(tx, subscription.customerId),
      };
      const shown = facts
        ? toSubscriptionReply(subscription, facts, await paymentOf(dependencies, tx, subscription, upfront))
        : await show(dependencies, tx, subscription, now);
      const standing = new Reply(isNew ? 201 : 200, { ...shown, ...(await warningsAbout(tx, subscription)) });
      return ok(
        upfront?.paymentInFlight === true
          ? new Intended({ subscriptionId: subscription.id, invoiceId: upfront.id }, standing)
          : standing,
      );
    },
  }),
  api.post('/v0/subscriptions/preview', 'previewSubscription', {
    summary: 'Preview the first invoices of a new subscription',
    description:
      'Takes what creates a subscription, and answers what is invoiced as billing starts, and the invoice after it ' +
      'without any usage. Their ids are of no stored invoice. Nothing is stored, and no card is charged.',
    access: { role: 'member', merchant: 'body', by: ['customerId', 'planId'] },
    body: SubscriptionCreateBody,
    replies: { 200: SubscriptionPreviewReply },
    errors: [409],
    idempotent: false,
    handler: ({ tx, body, now }) => previewSubscription(dependencies, tx, body, now),
  }),
  api.get('/v0/subscriptions', 'listSubscriptions', {
    summary: 'List subscriptions, newest first',
    description: 'The newest subscription comes first. Several filters narrow each other.',
    access: { role: 'viewer', merchant: 'query', by: ['customerId', 'planId', 'testClockId', 'consumerId'] },
    query: SubscriptionListQuery,
    replies: { 200: SubscriptionListReply },
    handler: async ({ tx, merchantId, query, now }) => {
      const page = pageOf(query);
      const {
        limit: _limit,
        offset: _offset,
        after: _after,
        include,
        merchantId: _merchantId,
        startedBefore,
        updatedFrom,
        ...filters
      } = query;
      const at = {
        ...(startedBefore !== undefined && { startedBefore: instantOf(startedBefore) }),
        ...(updatedFrom !== undefined && { updatedFrom: instantOf(updatedFrom) }),
      };
      const { rows, total } = await selectSubscriptions(tx, merchantId, { ...filters, ...at }, page);
      const facts = await loadShown(tx, rows, now);
      const data = [];
      for (const row of rows) {
        const own = tx.of(row.merchantId); // an operator's list has several
        data.push({
          ...toSubscriptionReply(row, facts(row), await paymentOf(dependencies, own, row)),
          ...(include === 'customer' && { customer: await customerDetails(own, row) }),
        });
      }
      return ok(listReply({ data, total }, page));
    },
  }),
  api.get('/v0/subscriptions/:id', 'getSubscription', {
    summary: 'Retrieve a subscription',
    description: '`payment` is there as long as the first payment is asked, and null afterwards.',
    access: ofSubscription('viewer'),
    replies: { 200: SubscriptionReply },
    handler: async ({ tx, params, now }) => {
      const subscription = await selectSubscription(tx, params.id);
      if (!subscription) return notFound('subscription');
      return ok({ ...(await show(dependencies, tx, subscription, now)), ...(await warningsAbout(tx, subscription)) });
    },
  }),
  api.patch('/v0/subscriptions/:id', 'updateSubscription', {
    summary: 'Update a subscription',
    description:
      'Fields that are absent stay unchanged, and `metadata` is replaced whole. `terminatedAt` ends the ' +
      'subscription: a time in the future counts as now, and a time at or before `startedAt` is a 400. ' +
      '`autoApprove`, `bankTransferOnly` and `paymentTermDays` apply to invoices that are issued later.',
    access: ofSubscription('member'),
    saysBefore: true,
    body: SubscriptionUpdateBody,
    replies: { 200: SubscriptionReply },
    errors: [409],
    handler: async ({ tx, params, body, now, wasBefore }) => {
      const held = await holdLiving(tx, params.id, 'update', now);
      const change = (each: HeldSubscription) => patchSubscription(dependencies, tx, each, body);
      return held.ok ? showChanged(dependencies, tx, held.value, change, wasBefore) : held;
    },
  }),
  api.post('/v0/subscriptions/:id/termination', 'terminateSubscription', {
    summary: 'Terminate a subscription',
    description:
      'The subscription ends now. Its open periods end with it and are invoiced, and its entitlements end. Charges ' +
      'in advance for the unused time are credited as `credit` says. A subscription that has ended is a 409.',
    access: ofSubscription('member'),
    saysBefore: true,
    body: TerminationBody,
    replies: { 200: SubscriptionReply },
    errors: [409],
    handler: async ({ tx, params, body, now, wasBefore }) => {
      const held = await holdLiving(tx, params.id, 'terminate', now);
      const change = (each: HeldSubscription) => terminateSubscription(dependencies, tx, each, body);
      return held.ok ? showChanged(dependencies, tx, held.value, change, wasBefore) : held;
    },
  }),
  api.post('/v0/subscriptions/:id/pause', 'pauseSubscription', {
    summary: 'Pause a subscription',
    description:
      'From now on, or from the end of the open period, it has no fees and gives no access. Its status stays ' +
      '`active`. Fees that are paid for the time of the pause are credited as `credit` says, by the second. A ' +
      'subscription that is not active or is paused already is a 409.',
    access: ofSubscription('member'),
    saysBefore: true,
    body: PauseBody,
    replies: { 200: SubscriptionReply },
    errors: [409],
    handler: async ({ tx, params, body, now, wasBefore }) => {
      const held = await holdActive(tx, params.id, 'pause', now);
      const change = (each: HeldSubscription) => pauseSubscription(dependencies, tx, each, body);
      return held.ok ? showChanged(dependencies, tx, held.value, change, wasBefore) : held;
    },
  }),
  api.post('/v0/subscriptions/:id/resume', 'resumeSubscription', {
    summary: 'Resume a paused subscription',
    description:
      'Its fees and its access go on from now. A pause that has not begun is withdrawn. A subscription that is not ' +
      'paused is a 409.',
    access: ofSubscription('member'),
    saysBefore: true,
    body: ResumptionBody,
    replies: { 200: SubscriptionReply },
    errors: [409],
    handler: async ({ tx, params, body, now, wasBefore }) => {
      const held = await holdActive(tx, params.id, 'resume', now);
      const change = (each: HeldSubscription) => resumeSubscription(dependencies, tx, each, body);
      return held.ok ? showChanged(dependencies, tx, held.value, change, wasBefore) : held;
    },
  }),
  api.post('/v0/subscriptions/:id/reconciliations', 'reconcileSubscription', {
    summary: 'Reconcile entitlements with the plan',
    description:
      'Gives the subscription the features that the default version of its plan has now. Prices stay pinned. With ' +
      '`dryRun` nothing is written, and the answer is 200 with the same outcome.',
    access: ofSubscription('member'),
    body: ReconciliationBody,
    replies: { 201: SubscriptionReconciliationReply, 200: SubscriptionReconciliationReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => {
      const dryRun = body.dryRun ?? false;
      const reconciled = await reconcileSubscription(tx, params.id, dryRun, now);
      return reconciled.ok ? ok(new Reply(dryRun ? 200 : 201, reconciled.value)) : reconciled;
    },
  }),
  catalog.get('/v0/fees/:id/price/:subscriptionId', 'getFeePrice', {
    summary: 'Retrieve the price of a fee for a subscription',
    description:
      'Answers the price of the fee in the version to which the subscription is pinned. `taxRate` is the rate, in ' +
      'percent, at which it would be taxed now. If the version has no price of the fee, the answer is a 404.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'fee' } },
    replies: { 200: PriceReply },
    handler: ({ tx, params, now }) => feePrice(tx, params, now),
  }),
  ...adjustmentRoutes(dependencies),
  ...changeRoutes(dependencies),
  ...couponRoutes,
];

/** @param upfront the invoice that it asks with, in the transaction that made it */
async function show(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  subscription: SubscriptionRow,
  now: Instant,
  upfront: InvoiceRow | null = null,
) {
  const facts = await loadShown(tx, [subscription], now);
  return toSubscriptionReply(
    subscription,
    facts(subscription),
    await paymentOf(dependencies, tx, subscription, upfront),
  );
}

/** Changes a subscription, and shows it as it was and as it is. */
async function showChanged(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  held: HeldSubscription,
  change: (held: HeldSubscription) => Promise<Result<SubscriptionRow>>,
  wasBefore: (resource: unknown) => void,
): Promise<Result<unknown>> {
  const facts = factsOf(held);
  const shown = async (subscription: SubscriptionRow) =>
    toSubscriptionReply(subscription, facts, await paymentOf(dependencies, tx, subscription));
  wasBefore(await shown(held.subscription));
  const changed = await change(held);
  return changed.ok ? ok({ ...(await shown(changed.value)), ...(await warningsAbout(tx, changed.value)) }) : changed;
}
