import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_VERSION, StripeAccount } from './account.ts';
import { createFaults, type Fault, type Faults } from './faults.ts';
import { decodeForm, type Form, formOf, listOf, mapOf, textOf } from './form.ts';
import { stripeId } from './objects.ts';
import { invalidRequest, StripeProblem } from './problem.ts';

/** A received request, for tests that read our calls. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Form;
  readonly idempotencyKey: string | null;
  readonly version: string | null;
  readonly fault: Fault | null;
  /** The answer; absent without one. */
  answer?: { readonly status: number; readonly body: object };
}

/** The part of Stripe's API that the program uses, on this machine. */
export interface StripeServer {
  readonly url: string;
  readonly faults: Faults;
  readonly requests: SeenRequest[];
  /** A new account with keys of its own. */
  account(options?: { livemode?: boolean }): StripeAccount;
  /** As after a day: idempotency keys are forgotten. */
  forgetKeys(): void;
  close(): Promise<void>;
}

/** @param now seconds since 1970; by default wall time */
export async function openStripeServer(now: () => number = () => Date.now() / 1000): Promise<StripeServer> {
  const accounts: StripeAccount[] = [];
  const faults = createFaults();
  const requests: SeenRequest[] = [];
  const replies = new Map<string, KeptReply>();
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stripe');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const method = request.method ?? 'GET';
    const params = decodeForm(method === 'POST' ? Buffer.concat(chunks).toString('utf8') : url.search.slice(1));
    const idempotencyKey = (request.headers['idempotency-key'] as string | undefined) ?? null;
    const fault = faults.next(method, url.pathname);
    const version = (request.headers['stripe-version'] as string | undefined) ?? null;
    const seen: SeenRequest = { method, path: url.pathname, params, idempotencyKey, version, fault };
    requests.push(seen);
    if (fault === 'reset') return void response.destroy();
    if (fault === 'error_before') return send(response, { status: 500, body: broken });
    if (fault === 'rate_limit') return send(response, { status: 429, body: tooMany });
    if (fault === 'flood') return send(response, { status: 200, body: { id: 'x'.repeat(4_000_000) } });
    const account = accounts.find(({ secretKey }) => request.headers.authorization === `Bearer ${secretKey}`);
    if (!account) return send(response, { status: 401, body: unknownKey });
    if (version !== API_VERSION) return send(response, { status: 400, body: otherVersion });
    const reply = once(account, { method, path: url.pathname, params, idempotencyKey }, fault === 'error_after');
    if (fault === 'lost') return void response.destroy();
    if (fault === 'hang') return;
    seen.answer = reply;
    send(response, reply);
  }

  /** Under one key one answer, also where it was an error; see Stripe's page on idempotent requests. */
  function once(
    account: StripeAccount,
    request: { method: string; path: string; params: Form; idempotencyKey: string | null },
    breaks: boolean,
  ): Reply {
    const { method, path, params, idempotencyKey } = request;
    if (method !== 'POST' || idempotencyKey === null) return perform(account, method, path, params);
    const place = `${account.id} ${idempotencyKey}`;
    const fingerprint = JSON.stringify([path, params]);
    const kept = replies.get(place);
    if (kept && kept.fingerprint !== fingerprint) return { status: 400, body: otherParameters(idempotencyKey) };
    if (kept) return { ...kept.reply, replayed: true };
    const done = perform(account, method, path, params);
    // A request that was refused before its beginning is not kept.
    const reply = breaks ? { status: 500, body: broken } : done;
    if (reply.status !== 400 && reply.status !== 404) replies.set(place, { fingerprint, reply });
    return reply;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    faults,
    requests,
    account: ({ livemode = false } = {}) => {
      const account = new StripeAccount({ livemode, serverUrl: url, now });
      accounts.push(account);
      return account;
    },
    forgetKeys: () => replies.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Reply {
  readonly status: number;
  readonly body: object;
  readonly replayed?: boolean;
}

interface KeptReply {
  readonly fingerprint: string;
  readonly reply: Reply;
}

function send(response: ServerResponse, { status, body, replayed = false }: Reply): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': stripeId('req'),
    'stripe-version': API_VERSION,
    ...(replayed && { 'idempotent-replayed': 'true' }),
  });
  response.end(JSON.stringify(body, null, 2));
}

const broken = { error: { type: 'api_error', message: 'An unknown error occurred.' } };
const tooMany = { error: { type: 'invalid_request_error', code: 'rate_limit', message: 'Too many requests.' } };
const unknownKey = { error: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_****' } };
const otherVersion = { error: { type: 'invalid_request_error', message: `This server speaks ${API_VERSION}.` } };
const otherParameters = (key: string) => ({
  error: {
    type: 'idempotency_error',
    message:
      'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
      `Try using a key other than '${key}'.`,
  },
});

interface Operation {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  /** The parameters that it takes; another one is a 400, as at Stripe. */
  readonly params: readonly string[];
  run(account: StripeAccount, params: Form, id: string): object;
}

const PAGE = ['limit', 'starting_after', 'ending_before', 'created'];

/** The operations that the program uses. */
export const OPERATIONS: readonly Operation[] = [
  { method: 'GET', path: /^\/v1\/account$/, params: [], run: ({ object }) => object },
  {
    method: 'POST',
    path: /^\/v1\/customers$/,
    params: ['email', 'name', 'description', 'metadata'],
    run: (account, params) => account.createCustomer(params),
  },
  {
    method: 'POST',
    path: /^\/v1\/customers\/([^/]+)$/,
    params: ['email', 'name', 'description', 'metadata'],
    run: (account, params, id) => account.updateCustomer(id, params),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions$/,
    params: [
      'mode',
      'customer',
      'customer_email',
      'client_reference_id',
      'metadata',
      'line_items',
      'payment_intent_data',
      'setup_intent_data',
      'payment_method_types',
      'currency',
      'expires_at',
      'success_url',
      'cancel_url',
      'locale',
    ],
    run: (account, params) => account.createSession(params),
  },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions$/,
    params: ['payment_intent', 'customer', ...PAGE],
    run: ({ sessions }, params) => page(sessions, params, ['payment_intent', 'customer'], '/v1/checkout/sessions'),
  },
  {
    method: 'POST',
    path: /^\/v1\/checkout\/sessions\/([^/]+)\/expire$/,
    params: [],
    run: (account, _, id) => account.expireSession(id),
  },
  read(/^\/v1\/checkout\/sessions\/([^/]+)$/, 'checkout.session', ({ sessions }, id) => sessions.get(id)),
  {
    method: 'POST',
    path: /^\/v1\/payment_intents$/,
    params: [
      'amount',
      'currency',
      'customer',
      'payment_method',
      'payment_method_types',
      'confirm',
      'off_session',
      'metadata',
      'description',
    ],
    run: (account, params) => account.createIntent(params),
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_intents$/,
    params: ['customer', 'created', ...PAGE],
    run: ({ intents }, params) => page(intents, params, ['customer'], '/v1/payment_intents'),
  },
  read(/^\/v1\/payment_intents\/([^/]+)$/, 'payment_intent', ({ intents }, id) => intents.get(id)),
  read(/^\/v1\/setup_intents\/([^/]+)$/, 'setup_intent', ({ setups }, id) => setups.get(id)),
  read(/^\/v1\/payment_methods\/([^/]+)$/, 'payment_method', ({ methods }, id) => methods.get(id)),
  read(/^\/v1\/charges\/([^/]+)$/, 'charge', ({ charges }, id) => charges.get(id)),
  read(/^\/v1\/disputes\/([^/]+)$/, 'dispute', ({ disputes }, id) => disputes.get(id)),
  {
    method: 'POST',
    path: /^\/v1\/refunds$/,
    params: ['payment_intent', 'amount', 'metadata'],
    run: (account, params) => account.createRefund(params),
  },
  {
    method: 'GET',
    path: /^\/v1\/refunds$/,
    params: ['payment_intent', 'charge', ...PAGE],
    run: ({ refunds }, params) => page(refunds, params, ['payment_intent', 'charge'], '/v1/refunds'),
  },
  read(/^\/v1\/refunds\/([^/]+)$/, 'refund', ({ refunds }, id) => refunds.get(id)),
  { method: 'GET', path: /^\/v1\/tax\/settings$/, params: [], run: ({ tax }) => tax.settings() },
  {
    method: 'POST',
    path: /^\/v1\/tax\/calculations$/,
    params: [
      'currency',
      'line_items',
      'customer',
      'customer_details',
      'ship_from_details',
      'shipping_cost',
      'tax_date',
    ],
    run: ({ tax }, params) => tax.calculate(params),
  },
  {
    method: 'GET',
    path: /^\/v1\/tax\/calculations\/([^/]+)\/line_items$/,
    params: ['limit', 'starting_after', 'ending_before'],
    run: ({ tax }, params, id) => tax.calculationItems(id, params),
  },
  {
    method: 'POST',
    path: /^\/v1\/tax\/transactions\/create_from_calculation$/,
    params: ['calculation', 'reference', 'metadata', 'posted_at'],
    run: ({ tax }, params) => tax.commit(params),
  },
  {
    method: 'POST',
    path: /^\/v1\/tax\/transactions\/create_reversal$/,
    params: ['mode', 'original_transaction', 'reference', 'flat_amount', 'line_items', 'metadata', 'shipping_cost'],
    run: ({ tax }, params) => tax.reverse(params),
  },
  {
    method: 'GET',
    path: /^\/v1\/tax\/transactions\/([^/]+)\/line_items$/,
    params: ['limit', 'starting_after', 'ending_before'],
    run: ({ tax }, params, id) => tax.transactionItems(id, params),
  },
  {
    method: 'GET',
    path: /^\/v1\/tax\/transactions\/([^/]+)$/,
    params: [],
    run: ({ tax }, params, id) => tax.transaction(id, params),
  },
];

function read(path: RegExp, kind: string, find: (account: StripeAccount, id: string) => object | undefined): Operation {
  return {
    method: 'GET',
    path,
    params: [],
    run: (account, _, id) => {
      const thing = find(account, id);
      if (!thing) throw invalidRequest(`No such ${kind}: '${id}'`, 'resource_missing', 'id');
      return thing;
    },
  };
}

function perform(account: StripeAccount, method: string, path: string, params: Form): Reply {
  const operation = OPERATIONS.find((each) => each.method === method && each.path.test(path));
  const id = operation?.path.exec(path)?.[1] ?? '';
  try {
    if (!operation)
      throw new StripeProblem(404, { type: 'invalid_request_error', message: `Unrecognized URL: ${path}` });
    const unknown = Object.keys(params).find((name) => name !== 'expand' && !operation.params.includes(name));
    if (unknown !== undefined)
      throw invalidRequest(`Received unknown parameter: ${unknown}`, 'parameter_unknown', unknown);
    checkMetadata(mapOf(params, 'metadata'));
    const thing = structuredClone(operation.run(account, params, id));
    return { status: 200, body: expand(account, thing, listOf(params, 'expand').map(String)) };
  } catch (error) {
    if (!(error instanceof StripeProblem)) throw error;
    return { status: error.status, body: { error: error.error } };
  }
}

/** Stripe's limits. */
function checkMetadata(metadata: Record<string, string>): void {
  for (const [key, value] of Object.entries(metadata)) {
    if (key.length > 40 || value.length > 500)
      throw invalidRequest('Metadata keys have up to 40 characters, and values up to 500.', undefined, 'metadata');
  }
}

/** Newest first, filtered, one page. */
function page(things: ReadonlyMap<string, object>, params: Form, filters: readonly string[], url: string): object {
  const since = Number(textOf(formOf(params, 'created'), 'gte') ?? 0);
  const all = [...things.values()]
    .toReversed()
    .map((thing) => thing as Record<string, unknown>)
    .filter((thing) => Number(thing.created) >= since)
    .filter((thing) => filters.every((name) => textOf(params, name) === null || thing[name] === params[name]));
  const after = textOf(params, 'starting_after');
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const limit = Number(textOf(params, 'limit') ?? 10);
  return { object: 'list', data: all.slice(from, from + limit), has_more: all.length > from + limit, url };
}

/** Puts objects in the place of their ids: `payment_intent.payment_method`, `data.payment_intent`. */
function expand(account: StripeAccount, thing: object, paths: readonly string[]): object {
  for (const path of paths) expandPath(account, thing as Record<string, unknown>, path.split('.'));
  return thing;
}

function expandPath(account: StripeAccount, thing: Record<string, unknown>, [name = '', ...rest]: string[]): void {
  const value = thing[name];
  if (Array.isArray(value)) {
    for (const each of value) expandPath(account, each, rest);
    return;
  }
  if (typeof value === 'string') thing[name] = structuredClone(account.find(value));
  const inner = thing[name];
  if (rest.length > 0 && typeof inner === 'object' && inner !== null)
    expandPath(account, inner as Record<string, unknown>, rest);
}
