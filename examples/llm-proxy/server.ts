/**
 * A proxy in front of language models that bills what goes through it. It meters tokens as credits, lets only the dear
 * plan use the dear model, and hears from Reckoner by webhooks when credits run low or a subscription begins.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { ApiError, Reckoner, unwrap, WebhookSignatureError } from '@reckoner/sdk';
import { fileStore } from '@reckoner/sdk/file';
import { CREDITS, FEATURES, openCatalog } from './catalog.ts';
import { complete, type Question } from './upstream.ts';

const port = Number(process.env.PROXY_PORT ?? 4500);
const address = `http://localhost:${port}`;
const reckoner = new Reckoner({ buffer: { store: fileStore(process.env.EVENTS_FOLDER ?? './.events') } });
const { plans } = await openCatalog(reckoner);
const secret = await openEndpoint(`${address}/hooks`);

/** What each workspace was told, newest last: an application would write a mail. */
const notices = new Map<string, Set<string>>();

class Refusal extends Error {
  readonly status: number;
  readonly more: object;
  constructor(status: number, message: string, more: object = {}) {
    super(message);
    this.status = status;
    this.more = more;
  }
}

/** The secret of an endpoint is shown once, so each start makes its own, and takes the old one away. */
async function openEndpoint(url: string): Promise<string> {
  for await (const old of reckoner.webhookEndpoints.list())
    if (old.url === url) await reckoner.webhookEndpoints.delete(old.id);
  const made = await reckoner.webhookEndpoints.create({
    url,
    eventTypes: ['entitlement.balance_low.v0', 'entitlement.exhausted.v0', 'subscription.updated.v0'],
  });
  if (made.secret === undefined) throw new Error('The endpoint has no secret.');
  return made.secret;
}

type SignUp = Record<'workspace' | 'name' | 'email', string>;

/** A workspace signs up: a customer of ours, on the free plan. */
async function signUp({ workspace, name, email }: SignUp) {
  await reckoner.customers.create({ externalId: workspace, consumer: { name, email, address: { country: 'US' } } });
  await reckoner.attach({ externalCustomerId: workspace, planId: plans.free });
  return { workspace, plan: 'free' };
}

/** The credits of the new plan count from its next month on; reconciling gives the difference at once. */
async function upgrade(workspace: string) {
  const { subscription, outcome } = await reckoner.attach({ externalCustomerId: workspace, planId: plans.pro });
  await reckoner.subscriptions.reconcile(subscription.id);
  return { outcome };
}

async function chat(workspace: string, question: Question, signal: AbortSignal) {
  const rate = CREDITS.get(question.model);
  if (rate === undefined) throw new Refusal(404, `There is no model ${question.model}.`);
  if (!Array.isArray(question.messages)) throw new Refusal(400, 'messages is a list.');
  if (question.model === 'atlas-pro') await expectAllowed(workspace, FEATURES.proModels);
  await expectAllowed(workspace, FEATURES.credits);
  const answer = await complete(question, signal);
  const credits = (answer.usage.total_tokens * rate) / 1000;
  await reckoner.track({
    ...{ type: 'llm.request', source: 'llm-proxy', externalSubject: workspace, idempotencyKey: answer.id },
    data: { model: question.model, credits: credits.toFixed(3) },
  });
  return answer;
}

async function expectAllowed(workspace: string, feature: string): Promise<void> {
  const { allowed, reason, upgrades } = await reckoner.check({ externalCustomerId: workspace, feature });
  if (allowed) return;
  const status = reason === 'unknown_customer' ? 401 : reason === 'not_entitled' ? 403 : 402;
  throw new Refusal(status, `${feature}: ${reason}`, { reason, upgrades: upgrades.map(({ name }) => name) });
}

/** What Reckoner reports. It may come twice: saying it again changes nothing. */
async function hear(request: IncomingMessage, body: string): Promise<void> {
  const event = await unwrap(body, request.headers, secret);
  switch (event.type) {
    case 'entitlement.balance_low.v0':
      return tell(event.data.customerId, `Only ${event.data.value} ${event.data.name} are left.`);
    case 'entitlement.exhausted.v0':
      return tell(event.data.customerId, `All ${event.data.name} are used up.`);
    case 'subscription.updated.v0':
      return tell(event.data.customerId, 'Your plan has changed.');
    default: // the endpoint asks for no other
  }
}

async function tell(customerId: string, words: string): Promise<void> {
  const { externalId } = await reckoner.customers.get(customerId);
  if (externalId !== undefined) notices.set(externalId, (notices.get(externalId) ?? new Set()).add(words));
}

async function answer(request: IncomingMessage): Promise<unknown> {
  const body = Buffer.concat(await request.toArray()).toString();
  const workspace = request.headers.authorization?.replace(/^Bearer /, '') ?? ''; // an application has keys of its own
  switch (`${request.method} ${request.url}`) {
    case 'POST /sign-up':
      return signUp(JSON.parse(body) as SignUp);
    case 'POST /upgrade':
      return upgrade(workspace);
    case 'POST /v1/chat/completions':
      return chat(workspace, JSON.parse(body) as Question, AbortSignal.timeout(60_000));
    case 'GET /notices':
      return [...(notices.get(workspace) ?? [])];
    case 'POST /hooks':
      return hear(request, body);
    default:
      throw new Refusal(404, 'There is no such page.');
  }
}

async function respond(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    return { status: 200, body: (await answer(request)) ?? null };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: { error: error.message, ...error.more } };
    if (error instanceof WebhookSignatureError) return { status: 401, body: { error: error.message } };
    if (error instanceof SyntaxError) return { status: 400, body: { error: 'The body is not JSON.' } };
    if (error instanceof ApiError && error.status < 500)
      return { status: error.status, body: { error: error.message } };
    console.error(error);
    return { status: 502, body: { error: 'It did not work. Please try again.' } };
  }
}

const server = createServer((request, response) => {
  void respond(request).then(({ status, body }) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
});

server.listen(port, () => console.log(`The proxy answers at ${address}`));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    server.close();
    void reckoner.buffer.close().then(() => process.exit());
  });
