import type { Tx } from '../db/index.ts';
import { Reply, type Route, routesOf } from '../http/index.ts';
import { showInvoice } from '../invoicing/index.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import {
  ChangeCreateBody,
  ListedChangeReply,
  PlanSimulationReply,
  SimulationCreateBody,
  SubscriptionChangeReply,
} from './changes/change-schemas.ts';
import { cancelChange, changePlan } from './changes/changes.ts';
import type { ChangeOrder } from './changes/decide-changes.ts';
import { simulatePlan } from './changes/simulate.ts';
import { type HeldSubscription, holdForChange } from './life/lock.ts';
import { factsOf, quantitiesOf, toSubscriptionReply } from './life/present.ts';
import { planMigrationRoutes } from './plan-migration/routes.ts';
import { type ChangeRow, selectChanges } from './subscription/changes.sql.ts';
import type { SubscriptionDependencies } from './subscription/dependencies.ts';
import { feeQuantitiesOf } from './subscription/quantities.ts';

const plans = routesOf('Plans');

const api = routesOf('Subscriptions');
const ofSubscription = (role: 'viewer' | 'member') => ({ role, merchant: { of: 'id', kind: 'subscription' } }) as const;

/** Changes of the plan of subscriptions, one by one and of a whole version (domain.md §3, Plan change). */
export const changeRoutes = (dependencies: SubscriptionDependencies): readonly Route[] => [
  api.post('/v0/subscriptions/:id/changes', 'changeSubscriptionPlan', {
    summary: 'Change the plan, the version or the quantities of a subscription',
    description:
      'The change takes effect now, or at the end of the open period. At least one of `planId`, `versionNumber`, ' +
      '`quantities` and `priceOverrides` is required; without a plan the version stays. `invoicePreview` is the ' +
      'first invoice on which the change shows. With `dryRun` nothing is written, and the answer is 200 with the same ' +
      'preview. One change can be scheduled at a time: another one is 409 `CHANGE_SCHEDULED`.',
    access: ofSubscription('member'),
    saysBefore: true,
    body: ChangeCreateBody,
    replies: { 201: SubscriptionChangeReply, 200: SubscriptionChangeReply },
    errors: [409],
    handler: async ({ tx, params, body, now, wasBefore }) => {
      const { dryRun = false, quantities, ...named } = body;
      const order = { ...named, ...(quantities && { quantities }) };
      const isEmpty = order.planId === undefined && order.versionNumber === undefined && order.quantities === undefined;
      if (isEmpty && order.priceOverrides == null)
        return invalidField('planId', 'is required, unless versionNumber, quantities or priceOverrides is given');
      const { planId } = order;
      const held = await holdForChange(tx, { id: params.id, planId }, now);
      if (!held.ok) return held;
      const { subscription } = held.value;
      wasBefore(toSubscriptionReply(subscription, factsOf(held.value), null)); // an active one waits for nothing
      const work = () => changeAndShow(dependencies, tx, held.value, order, dryRun);
      const shown = await (dryRun ? tx.savepoint(work, () => false) : work());
      return shown.ok ? ok(new Reply(dryRun ? 200 : 201, shown.value)) : shown;
    },
  }),
  api.list('/v0/subscriptions/:id/changes', 'listSubscriptionChanges', {
    summary: 'List the changes of a subscription',
    description: 'The newest change comes first. The list includes applied, scheduled and cancelled changes.',
    access: ofSubscription('viewer'),
    of: ListedChangeReply,
    list: async ({ tx, params, page }) => {
      const { rows, total } = await selectChanges(tx, params.id, page);
      const quantities = await quantitiesOf(tx, rows);
      return { rows: rows.map((row, index) => toChangeReply(row, quantities[index] ?? {})), total };
    },
  }),
  api.delete('/v0/subscriptions/:id/changes/:changeId', 'cancelSubscriptionChange', {
    summary: 'Cancel a scheduled change',
    description:
      'The subscription keeps its present version. What an invoice billed ahead for the change is given back. ' +
      'A change that is applied cannot be cancelled (409), nor one that has come: the period before it is billed.',
    access: ofSubscription('member'),
    errors: [409],
    handler: async ({ tx, now, params }) => {
      const { id, changeId } = params as { id: string; changeId: string };
      return cancelChange(dependencies, tx, { subscriptionId: id, id: changeId }, now);
    },
  }),
  ...planMigrationRoutes(dependencies),
  simulationRoute,
];

/** The bill of a plan that a customer does not have. */
const simulationRoute: Route = plans.post('/v0/plans/:id/simulate', 'simulatePlan', {
  summary: 'Simulate the invoice of a plan',
  description:
    'Previews the invoice of a plan for the usage of a customer, or for quantities that you send. `replacePrices` ' +
    'tries other prices. The time counts as one whole period of every price. Nothing is stored.',
  access: { role: 'member', merchant: { of: 'id', kind: 'plan' } },
  body: SimulationCreateBody,
  replies: { 200: PlanSimulationReply },
  idempotent: false,
  handler: ({ tx, params, body }) => simulatePlan(tx, params.id, body),
});

/** How many lines a preview shows; the others are in GET …/lineItems of the invoice. */
const MOST_LINES = 1000;

async function changeAndShow(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  held: HeldSubscription,
  order: ChangeOrder,
  isDry: boolean,
): Promise<Result<unknown>> {
  const changed = await changePlan(dependencies, tx, held, order);
  if (!changed.ok) return changed;
  const { change, version, terms, invoice } = changed.value;
  const { taxation } = held;
  const expanded = { expand: 'lineItems' as const, lineItemsLimit: MOST_LINES };
  const preview = invoice && (await showInvoice(dependencies.invoicing, tx, invoice, expanded, { terms, taxation }));
  const shown = toChangeReply(change, feeQuantitiesOf(version, change.quantities));
  return ok({ change: { ...shown, ...(isDry && { id: null }) }, invoicePreview: preview });
}

const toChangeReply = (change: ChangeRow, quantities: object) => ({
  id: change.id as string | null,
  object: 'subscription_change' as const,
  subscriptionId: change.subscriptionId,
  status: change.status,
  effective: change.effective,
  effectiveAt: formatInstant(change.effectiveAt),
  fromPlanVersionId: change.fromPlanVersionId,
  planId: change.planId,
  planVersionId: change.planVersionId,
  planVersionNumber: change.planVersionNumber,
  quantities,
  priceOverrides: change.priceOverrides,
  droppedPriceOverrides: change.droppedPriceOverrides,
  endedRedemptionIds: change.endedRedemptionIds,
  proration: change.proration,
  credit: change.credit,
  createdAt: formatInstant(change.createdAt),
});
