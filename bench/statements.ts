import { parseArgs } from 'node:util';
import { sentDuring } from '../test/support/sent-statements.ts';
import { type Caller, openSandbox } from './support/sandbox.ts';
import { withStack } from './support/stack.ts';

/**
 * How many statements each operation sends, and how many of them repeat an earlier one of their transaction to the
 * letter, values included. See README.md.
 */

/** The most statements that an operation may send. What has no number here is only shown. */
const WANTED: Readonly<Record<string, number>> = { create: 30, change: 35, end: 25 };

const { show } = parseArgs({ options: { show: { type: 'string' } } }).values;

/** Two plans, each of one fee in arrears. */
async function plans(call: Caller) {
  const product = await call('POST', '/v0/products', { name: 'Product', description: 'Product' });
  const fee = await call('POST', '/v0/fees', { name: 'Base', description: 'Base', productId: product.id });
  const priced = async (unitPrice: string) => {
    const price = await call('POST', '/v0/prices', {
      ...{ feeId: fee.id, invoiceDisplayName: 'Base', paymentTerm: 'in_arrears', billingCadence: 'P1M' },
      properties: { unitPrice },
    });
    return call('POST', '/v0/plans', {
      ...{ name: `Plan of ${unitPrice}`, productId: product.id, currency: 'USD', defaultTaxRate: 20 },
      prices: [price.id],
    });
  };
  return { product, cheap: await priced('20'), dear: await priced('30') };
}

async function measure(call: Caller): Promise<boolean> {
  const { product, cheap, dear } = await plans(call);
  const clock = await call('POST', '/v0/testClocks', { name: 'Clock', currentTime: '2026-01-01T00:00:00Z' });
  const person = (email: string) => ({ consumer: { name: 'Customer', email, address: { country: 'US' } } });
  const customer = await call('POST', '/v0/customers', person('customer@example.com'));
  const earlier = await call('POST', '/v0/customers', person('earlier@example.com'));
  const feature = await call('POST', '/v0/features', {
    name: 'Seats',
    key: 'seats',
    type: 'boolean',
    productId: product.id,
  });
  await call('POST', '/v1/entitlements', {
    customerId: customer.id,
    featureId: feature.id,
    template: { type: 'boolean' },
  });
  const subscribe = (customerId: string) =>
    call('POST', '/v0/subscriptions', {
      ...{ name: 'Subscription', planId: cheap.id, customerId },
      ...{ startedAt: '2026-01-01T00:00:00Z', testClockId: clock.id },
    });
  const advance = (to: string) => call('PATCH', `/v0/testClocks/${clock.id}`, { currentTime: to });
  const usage = { type: 'call', source: 'bench', subject: customer.id, data: { units: 1 } };

  let isKept = true;
  async function step<Answer>(name: string, work: () => Promise<Answer>): Promise<Answer> {
    const { answer, sent } = await sentDuring(work);
    const [count, again] = [sent.all.length, sent.repeated];
    const wanted = WANTED[name];
    const kept = wanted === undefined || (count <= wanted && again.length === 0);
    isKept &&= kept;
    const limit = wanted === undefined ? '' : `wanted ≤ ${wanted} and 0   ${kept ? 'yes' : 'NO'}`;
    console.log(`  ${name.padEnd(16)} ${String(count).padStart(4)} statements, ${again.length} repeated   ${limit}`);
    if (name === show)
      for (const statement of sent.all)
        console.log(`    ${again.includes(statement) ? '↻' : ' '} ${statement.slice(0, 400)}`);
    return answer;
  }

  await subscribe(earlier.id); // what is read once for the process is read
  const subscription = await step('create', () => subscribe(customer.id));
  await step('change', () => call('POST', `/v0/subscriptions/${subscription.id}/changes`, { planId: dear.id }));
  await step('end', () => call('POST', `/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' }));
  await step('close to issue', () => advance('2026-02-02T00:00:00Z'));
  const issued = await call('GET', `/v2/invoices?customerId=${earlier.id}&status=ISSUED`);
  const [invoice] = issued.data as readonly { id: string; grandTotal: string }[];
  if (!invoice) throw new Error('No invoice was issued.');
  const payment = { amount: invoice.grandTotal, method: 'bank_transfer', idempotencyKey: 'paid' };
  await step('pay', () => call('POST', `/v2/invoices/${invoice.id}/payments`, payment));
  await step('refund', () => call('POST', `/v2/invoices/${invoice.id}/refunds`, { reason: 'Over' }));
  await call('GET', `/v1/customers/${customer.id}/access`);
  await step('access', () => call('GET', `/v1/customers/${customer.id}/access`));
  await call('POST', '/v0/events', usage);
  await step('event', () => call('POST', '/v0/events', usage));
  return isKept;
}

await withStack(async (stack) => {
  const { environment, merchant } = await openSandbox(await stack.database());
  try {
    if (!(await measure(await merchant()))) process.exitCode = 1;
  } finally {
    await environment.close();
  }
});
