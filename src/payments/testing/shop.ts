import pg from 'pg';
import pino from 'pino';
import { type Answer, cloneDatabase } from '../../../test/support/environment.ts';
import { clockBook, clockErrors, clockRoutes } from '../../clocks/index.ts';
import { customerErrors, customerRoutes } from '../../customers/index.ts';
import { Database, sql, type Tx } from '../../db/index.ts';
import { createServer } from '../../http/index.ts';
import {
  Authenticator,
  createApiKey,
  createMerchant,
  createUser,
  type EnvironmentName,
  ensurePlatform,
  generateApiKey,
  identityErrors,
  identityRoutes,
  recordAudit,
} from '../../identity/index.ts';
import { createRunner } from '../../jobs/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, ok, orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { describeTaxId } from '../../tax/index.ts';
import { ProviderCallQueue } from '../calls/provider-client.ts';
import { createPayments, type EntityDescription, openSession, type PaymentHandlers, paymentErrors } from '../index.ts';
import { sandboxProvider } from '../provider/sandbox-provider.ts';
import type { TestCard } from '../provider/test-cards.ts';
import type { PaymentSession } from '../records/session.ts';
import { completeSession } from '../sessions/completion.ts';
import { FakeProvider, fakeAccount } from './fake-provider.ts';

/** A call of a handler, in the order of the commits. */
export interface HandlerCall {
  entityId: string;
  kind: 'completed' | 'declined' | 'expired';
  sessionId: string;
  receiptId: string | null;
  detail: string | null;
}

type Call = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

export interface Shopkeeper {
  id: string;
  customerId: string;
  get: Call;
  post: Call;
  patch: Call;
  delete: Call;
}

/**
 * A domain of toys instead of invoices. A toy is `open` until it is paid or cancelled. A table stores the calls of the
 * handlers, so a rollback also removes them.
 */
const TOYS = `
  create table toy (
    merchant_id text not null, id text not null, status text not null default 'open', paid numeric not null default 0,
    primary key (merchant_id, id));
  call tenant_table('toy');
  create table toy_call (
    merchant_id text not null, n bigint generated always as identity, entity_id text not null, kind text not null,
    session_id text not null, receipt_id text, detail text);
  call tenant_table('toy_call');`;

const DAY = { hours: 24 } as const;

/**
 * An API with payments, customers, identity and clocks on a database of its own, and the toy upstream behind payments.
 */
export async function openShop(options: { environment?: EnvironmentName } = {}) {
  const environment = options.environment ?? 'sandbox';
  const { url, drop } = await cloneDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(TOYS);
  await owner.end();

  let wallTime = Temporal.Instant.from('2026-03-01T12:00:00Z');
  const now = () => wallTime;
  const database = new Database({ url, connections: 30 });
  const logger = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const platformKey = generateApiKey(environment);
  await ensurePlatform(database, platformKey, now(), environment);
  const authenticator = new Authenticator({ database, now });
  const descriptions = new Map<string, EntityDescription>();
  const handlers = toyHandlers(descriptions);
  const provider = new FakeProvider();
  const remote = {
    providers: [provider],
    accountOf: async (_tx: Tx) => fakeAccount(_tx.merchantId),
    refused: async () => undefined,
    database,
    now,
    onTrouble: (error: Error) => logger.error({ err: error }, 'a call to the provider'),
  };
  const payments = createPayments({ environment, publicUrl: 'https://pay.example', handlers, remote });
  const dependencies = {
    handlers,
    provider: sandboxProvider,
    remote: { ...remote, providerClient: new ProviderCallQueue(now, remote.onTrouble) },
  };
  const runner = createRunner({ database, kinds: payments.dueKinds, clocks: clockBook, now, logger });
  const server = await createServer({
    database,
    routes: [
      ...identityRoutes({ environment, isConnected: async () => true, taxProblem: async () => null }),
      ...clockRoutes({ environment, runner, blockers: async () => [] }),
      ...customerRoutes({ describeTaxId, onExternalIdChanged: async () => undefined, blockers: [] }),
      ...payments.routes,
    ],
    errorTables: [identityErrors, clockErrors, customerErrors, paymentErrors],
    authenticate: (token, address) => authenticator.authenticate(token, address),
    audit: recordAudit,
    now,
    logger,
    baseUrl: 'https://pay.example',
    checkReplies: true,
  });

  const call = async (
    key: string | null,
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const reply = await server.inject({
      method,
      url: path,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const isJson = String(reply.headers['content-type'] ?? '').startsWith('application/json');
    return {
      status: reply.statusCode,
      body: isJson && reply.payload !== '' ? JSON.parse(reply.payload) : reply.payload,
      headers: reply.headers,
      text: reply.payload,
      bytes: reply.rawPayload,
    };
  };
  const callsOf = (key: string | null) => ({
    get: ((path, _body, headers) => call(key, 'GET', path, undefined, headers)) as Call,
    post: ((path, body, headers) => call(key, 'POST', path, body, headers)) as Call,
    patch: ((path, body, headers) => call(key, 'PATCH', path, body, headers)) as Call,
    delete: ((path, _body, headers) => call(key, 'DELETE', path, undefined, headers)) as Call,
  });
  const inMerchant = <T>(merchantId: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.transaction({ merchants: [merchantId] }, work);

  return {
    database,
    /** The provider outside our database; `parts` are for operations beside the API. */
    provider,
    dependencies,
    async runDueWork() {
      while ((await runner.runOnce()) > 0) await payments.idle();
    },
    platform: callsOf(platformKey),
    nobody: callsOf(null),
    inMerchant,
    now,
    setNow: (at: string) => {
      wallTime = Temporal.Instant.from(at);
    },
    /** Sets the description of an entity for the hosted page; without it the page has none. */
    describe: (entityId: string, description: EntityDescription) => descriptions.set(entityId, description),

    /** A merchant with an admin's key and a customer. */
    async merchant(settings: Record<string, unknown> = {}, name = 'Halcyon Labs'): Promise<Shopkeeper> {
      const made = await database.transaction('nobody', async (tx) =>
        orThrow(await createMerchant(tx, { name, adminEmail: 'ada@shop.example', settings }, environment, now())),
      );
      const calls = callsOf(made.secret);
      const consumer = { name: 'Grace', email: 'grace@buyer.example', address: {} };
      const customer = await calls.post('/v0/customers', { consumer });
      if (customer.status !== 201) throw new Error(customer.text);
      return { id: made.organization.id, customerId: customer.body.id, ...calls };
    },

    /** The calls of another user of the merchant. */
    async userOf(merchant: Shopkeeper, role: 'viewer' | 'member') {
      const secret = await inMerchant(merchant.id, async (tx) => {
        const email = `${role}@shop.example`;
        const user = orThrow(await createUser(tx, { organizationId: merchant.id, email, role }, now()));
        const owned = { merchantId: merchant.id, userId: user.id };
        return orThrow(await createApiKey(tx, owned, { name: role }, environment, now())).secret;
      });
      return callsOf(secret);
    },

    /** Something that can be paid. */
    async toy(merchant: { id: string }, id = newId('invoice')): Promise<string> {
      await inMerchant(merchant.id, (tx) =>
        tx.run(sql`insert into toy (merchant_id, id) values (${merchant.id}, ${id})`),
      );
      return id;
    },
    toyStatus: (merchant: { id: string }, id: string) =>
      inMerchant(merchant.id, (tx) =>
        tx.one<{ status: string; paid: Decimal }>(
          sql`select status, paid from toy where merchant_id = ${merchant.id} and id = ${id}`,
        ),
      ),
    handlerCalls: (merchant: { id: string }, entityId: string) =>
      inMerchant(merchant.id, (tx) =>
        tx.rows<HandlerCall>(
          sql`select entity_id, kind, session_id, receipt_id, detail from toy_call where entity_id = ${entityId} order by n`,
        ),
      ),
    published: (merchant: { id: string }, sessionId: string) =>
      inMerchant(merchant.id, async (tx) => {
        const rows = await tx.rows<{ type: string }>(
          sql`select type from outbox where data->>'paymentSessionId' = ${sessionId} order by seq`,
        );
        return rows.map(({ type }) => type);
      }),

    /** Opens a session for a toy that can be paid for a day. */
    open(
      merchant: { id: string; customerId?: string },
      entityId: string,
      more: Partial<Parameters<typeof openSession>[1]> & { at?: Instant } = {},
    ): Promise<PaymentSession> {
      const { at = now(), ...rest } = more;
      return inMerchant(merchant.id, async (tx) =>
        orThrow(
          await openSession(
            tx,
            {
              merchantId: merchant.id,
              mode: 'payment',
              entityType: 'invoice',
              entityId,
              customerId: merchant.customerId ?? null,
              amount: decimal('69.44'),
              currency: 'USD',
              provider: 'sandbox',
              expiresAt: at.add(DAY),
              ...rest,
            } as Parameters<typeof openSession>[1],
            at,
          ),
        ),
      );
    },
    /** Completes a session at a given moment, beside the API. */
    completeAt: (merchant: { id: string }, id: string, card: TestCard, at: Instant) =>
      inMerchant(merchant.id, (tx) => completeSession(tx, dependencies, { merchantId: merchant.id, id, card }, at)),
    async close() {
      await server.close();
      await runner.stop();
      await payments.close();
      await database.close();
      await drop();
    },
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

function toyHandlers(descriptions: ReadonlyMap<string, EntityDescription>): PaymentHandlers {
  const record = (
    tx: Tx,
    kind: HandlerCall['kind'],
    { merchantId, session }: { merchantId: string; session: PaymentSession },
    more: { receiptId?: string; detail?: string } = {},
  ) =>
    tx.run(sql`insert into toy_call (merchant_id, entity_id, kind, session_id, receipt_id, detail)
      values (${merchantId}, ${session.entityId}, ${kind}, ${session.id}, ${more.receiptId ?? null}, ${more.detail ?? null})`);
  return {
    async completed(tx, event) {
      const { merchantId, session, amount } = event;
      const paid = await tx.run(sql`update toy set status = 'paid', paid = paid + ${amount}
        where merchant_id = ${merchantId} and id = ${session.entityId} and status <> 'cancelled'`);
      if (paid === 0) return fail('INVALID_TRANSITION', { status: 'cancelled' });
      await record(tx, 'completed', event, {
        receiptId: event.receiptId,
        detail: `${amount.toFixed()} ${event.currency}`,
      });
      return ok(undefined);
    },
    async declined(tx, event) {
      await record(tx, 'declined', event, { detail: event.reason });
    },
    charged: () => Promise.reject(new Error('Toys are not charged.')),
    async expired(tx, sessions) {
      for (const session of sessions) {
        const { merchantId, entityId: id } = session;
        await tx.run(sql`update toy set status = 'cancelled'
          where merchant_id = ${merchantId} and id = ${id} and status = 'open'`);
        await record(tx, 'expired', { merchantId, session });
      }
    },
    describe: async (_tx, { entityId }) => descriptions.get(entityId) ?? null,
    async lock(tx, { merchantId, entityId }) {
      await tx.rows(sql`select from toy where merchant_id = ${merchantId} and id = ${entityId} for update`);
    },
  };
}
