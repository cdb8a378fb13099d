import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Answer, type Client, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';

interface Operation {
  operationId: string;
  requestBody?: { content?: Record<string, { example?: unknown }> };
}

/** The examples, in an order in which earlier ones make the records of later ones. */
const ORDER = [
  ...['createOrganization', 'updateOrganization', 'createUser', 'updateUser', 'createApiKey'],
  ...['createProduct', 'updateProduct', 'createItem', 'updateItem', 'createFeature', 'updateFeature'],
  ...['createBillableMetric', 'updateBillableMetric', 'createCost', 'updateCost', 'createFee', 'updateFee'],
  ...['createPrice', 'updatePrice', 'createPlan', 'updatePlan', 'createPlanVersion', 'updatePlanVersion'],
  ...['createCustomer', 'updateCustomer', 'createExternalReference', 'updateExternalReference'],
  ...['createEvents', 'createAlert', 'updateAlert', 'createTestClock', 'advanceTestClock'],
  ...['createEntitlement', 'createGrant', 'purchaseGrant', 'createReservation', 'settleReservation'],
  ...['resetEntitlement', 'putMerchantIntegration'],
  ...['createWebhookEndpoint', 'updateWebhookEndpoint', 'redeliverWebhookEvents'],
  ...['createSubscription', 'updateSubscription', 'createSubscriptionAdjustment', 'reconcileSubscription'],
  ...['migratePlan', 'createSubscriptionPortal', 'terminateSubscription'],
  ...['createInvoice', 'approveInvoice', 'openInvoicePaymentSession', 'recordInvoicePayment'],
  ...['topUpWallet', 'createPayment', 'setUpPaymentMethod', 'createCheckoutLink', 'createCustomerPortal'],
  ...['createOrder', 'updateOrder', 'createOrderLineItem', 'updateOrderLineItem'],
  ...['createBillingSchedule', 'updateBillingSchedule', 'replaceScheduleIntervals'],
  'createOrder', // another one: the schedule of the first bills only one of its lines, so nobody can approve that
  ...['createOrderApproval', 'createApproval', 'createSource', 'updateSource', 'createSourceRule', 'updateSourceRule'],
];
const OF_OPERATORS = new Set(['createOrganization', 'updateOrganization']);

/** An id of an example, in place of the resource of its kind. */
const EXAMPLE_ID = /\b([a-z]+_)8c3d5e0f1a2b4c6d\b/g;

let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
});
afterAll(() => env.close());

it('sends the examples of the reference, and each works', async () => {
  const { body: document } = await env.client().get('/openapi.json');
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>);
  const operations = new Map(
    paths.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [operation.operationId, { path, method, operation }]),
    ),
  );
  const merchant = await env.merchant();
  const ids = new Map([['org_', merchant.id]]);
  const last = new Map<string, string>(); // by the path of the collection
  const refused: string[] = [];
  for (const operationId of ORDER) {
    const { path, method, operation } = operations.get(operationId) as {
      path: string;
      method: 'post' | 'put' | 'patch';
      operation: Operation;
    };
    const example = operation.requestBody?.content?.['application/json']?.example;
    expect(example, operationId).toBeDefined();
    const sent = JSON.parse(
      JSON.stringify(example).replaceAll(EXAMPLE_ID, (id, prefix: string) => ids.get(prefix) ?? id),
    ) as unknown;
    const target = path.replaceAll(/\{[A-Za-z]+\}/g, (_, at: number) => last.get(path.slice(0, at - 1)) ?? 'unknown');
    const client: Client = OF_OPERATORS.has(operationId) ? env.platform : merchant;
    const answer: Answer = await client[method](target, sent);
    if (answer.status >= 300) refused.push(`${operationId} ${target}: ${answer.status} ${answer.text}`);
    const { id, versionNumber } = answer.body;
    if (method !== 'post' || typeof id !== 'string') continue;
    last.set(path, path.endsWith('/versions') ? String(versionNumber) : id);
    if (!OF_OPERATORS.has(operationId)) ids.set(`${id.split('_')[0]}_`, id);
  }
  expect(refused).toEqual([]);
});
