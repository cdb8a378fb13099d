import { numbersOf, verdict } from './support/arguments.ts';
import { type Answer, type Caller, makePlan, openSandbox, type Sandbox } from './support/sandbox.ts';
import { processorSeconds, withStack } from './support/stack.ts';

/**
 * What a page costs that is seen for the first time: each of many sign-up links, portals and invoices once, one after
 * another; processor time of Node (the benchmark is the server, and asks without a socket) and of PostgreSQL. See
 * README.md.
 */

const { merchants, each } = numbersOf({ merchants: 20, each: 20 });
const WANTED_MILLISECONDS = 15;

interface Request {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function ask(sandbox: Sandbox, request: Request) {
  const reply = await sandbox.environment.server.inject(request);
  if (reply.statusCode >= 400) throw new Error(`${request.method} ${request.url}: ${reply.statusCode} ${reply.body}`);
  return reply;
}

/** Opens a link to the portal. @returns the request for the page behind it */
async function enter(sandbox: Sandbox, link: string): Promise<Request> {
  const { pathname, search } = new URL(link);
  const page = await ask(sandbox, { method: 'GET', url: `${pathname}${search}` });
  const fields = [...page.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const payload = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value])).toString();
  const opened = await ask(sandbox, { method: 'POST', url: '/portal/open', headers: FORM, payload });
  const cookie = [opened.headers['set-cookie']].flat().map((text) => String(text).split(';')[0]);
  return { method: 'GET', url: String(opened.headers.location), headers: { cookie: cookie.join('; ') } };
}

async function invoiceOf(call: Caller, customer: Answer): Promise<Answer> {
  const line = { displayName: 'Workshop', quantity: '2', unitPrice: '40.00' };
  return call('POST', '/v2/invoices', {
    ...{ customerId: customer.id, currency: 'USD', autoApprove: true },
    lines: [line, { ...line, displayName: 'Travel' }],
  });
}

/** The pages of one merchant. */
async function pagesOf(sandbox: Sandbox) {
  const call = await sandbox.merchant();
  const plan = await makePlan(call);
  const pages: Record<string, Request[]> = { 'sign-up': [], portal: [], invoice: [] };
  for (let place = 0; place < each; place += 1) {
    const link = await call('POST', '/v0/checkoutLinks', { planId: plan.id });
    const address = { line1: 'Main Street 1', city: 'Springfield', zipCode: '12345', country: 'US' };
    const consumer = { name: `Customer ${place}`, email: `customer-${place}@example.com`, address };
    const customer = await call('POST', '/v0/customers', { consumer });
    const startedAt = Temporal.Now.instant().toString();
    await call('POST', '/v0/subscriptions', {
      ...{ name: 'Subscription', planId: plan.id, customerId: customer.id, startedAt },
    });
    const portal = await call('POST', `/v0/customers/${customer.id}/portal`, { expiresIn: 'PT1H' });
    const invoice = await invoiceOf(call, customer);
    pages['sign-up']?.push({ method: 'GET', url: `/pay/signup/${link.id}` });
    pages.portal?.push(await enter(sandbox, String(portal.url)));
    pages.invoice?.push({ method: 'GET', url: `/pay/invoices/${invoice.id}` });
  }
  return pages;
}

await withStack(async (stack) => {
  const sandbox = await openSandbox(await stack.database());
  const found: Record<string, Request[]>[] = [];
  for (let merchant = 0; merchant < merchants; merchant += 1) found.push(await pagesOf(sandbox));
  for (const name of ['sign-up', 'portal', 'invoice']) {
    const requests = found.flatMap((pages) => pages[name] ?? []);
    const [node, postgres] = [process.cpuUsage(), processorSeconds(stack.postgresId)];
    for (const request of requests) await ask(sandbox, request);
    const { user, system } = process.cpuUsage(node);
    const [ofNode, ofPostgres] = [
      (user + system) / 1000 / requests.length,
      ((processorSeconds(stack.postgresId) - postgres) * 1000) / requests.length,
    ];
    const kept = ofNode + ofPostgres <= WANTED_MILLISECONDS;
    console.log(
      `  ${name.padEnd(8)} Node ${ofNode.toFixed(1)} + PostgreSQL ${ofPostgres.toFixed(1)} ms a page   ` +
        `wanted ≤ ${WANTED_MILLISECONDS}   ${verdict(kept)}`,
    );
  }
  await sandbox.environment.close();
});
