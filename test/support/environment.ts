import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { expect, inject } from 'vitest';
import {
  auditDatabase,
  type Environment,
  type EnvironmentOptions,
  openEnvironment,
  recomputeDatabase,
  wallClock,
} from '../../src/app.ts';
import { type Database, type DatabaseOptions, sql } from '../../src/db/index.ts';
import { type DocumentRenderer, eInvoiceOf, type InvoiceDocument } from '../../src/documents/index.ts';
import { viewOf } from '../../src/documents/view.ts';
import { type EnvironmentName, generateApiKey } from '../../src/identity/index.ts';
import { hashApiKey, keyDisplay } from '../../src/identity/keys.ts';
import { newId } from '../../src/kernel/ids.ts';
import { generateMasterKey } from '../../src/kernel/sealing.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { SHARED_MERCHANTS, TEMPLATE } from './database-server.ts';

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  headers: Record<string, string | number | string[] | undefined>;
  text: string;
  bytes: Buffer;
}

/** Calls the API as one key's owner. */
export interface Client {
  key: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

export interface Merchant extends Client {
  id: string;
  userId: string;
}

export interface TestEnvironment extends Environment {
  url: string;
  masterKey: string;
  /** A platform operator. */
  platform: Client;
  /** A client with any key, or none. */
  client(key?: string): Client;
  /** A new merchant with an admin (or another role) and its key. */
  merchant(role?: 'admin' | 'member' | 'viewer'): Promise<Merchant>;
  /** Another user's key of the same merchant. */
  userOf(merchant: { id: string }, role: 'admin' | 'member' | 'viewer'): Promise<Merchant>;
  /** Moves wall time for the API and the worker to this instant, until the next move. Null: the time of the machine. */
  setNow(at: string | null): void;
}

export async function asSuperuser(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** The same database for the role that the program's connections log in as. */
export function loginUrl(url: string): string {
  const login = new URL(url);
  login.username = 'reckoner_login';
  return login.href;
}

/** A database of its own, cloned from the migrated template, or from another one. */
export async function cloneDatabase(template = TEMPLATE): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `t_${randomBytes(6).toString('hex')}`;
  await asSuperuser(`create database ${name} template ${template} strategy file_copy`);
  const url = inject('postgresUrl').replace(/\/postgres(?=\?|$)/, `/${name}`);
  return { url, drop: () => asSuperuser(`drop database ${name} with (force)`) };
}

/**
 * Sets no type, which takes time in each test that bills: a document is the text that the page shows, so that
 * equal documents are equal bytes and others are not.
 * @throws for a value that is no document, as the renderer of the program does
 */
const plainRenderer: DocumentRenderer = {
  render: async (document) => {
    const electronic = 'lines' in document ? eInvoiceOf(document) : null;
    if ('lines' in document) await keepEInvoice(document);
    return new TextEncoder().encode(`%PDF-1.7\n${JSON.stringify([viewOf(document), electronic])}`);
  },
  close: async () => undefined,
};

/**
 * The variable E_INVOICES names a folder in which the e-invoice of every document of the tests is left, for
 * `scripts/check-e-invoices.ts`. Parties get the details that tests mostly leave out, and without which there is none.
 */
async function keepEInvoice(document: InvoiceDocument): Promise<void> {
  const folder = process.env.E_INVOICES;
  if (!folder) return;
  const country = { address: { country: 'DE' } };
  const seller = { taxId: 'DE123456789', ...country, ...document.seller };
  const made = eInvoiceOf({ ...document, seller, buyer: { ...document.buyer, ...country } });
  if ('xml' in made) await writeFile(join(folder, `${randomUUID()}.xml`), made.xml);
}

/** No test calls Stripe: a test that needs it opens the server of `test/stripe`. */
const NOBODY_LISTENS = 'http://127.0.0.1:1';

/**
 * No worker drives a test clock after the request that advances it: a test environment runs background jobs only when a
 * test asks for it. So the request waits until the clock has arrived, even on a busy machine.
 */
const LONGEST_ADVANCE_MILLISECONDS = 3_600_000;

/** The environments of this worker for the files that need none of their own; each is opened by the first of them. */
const shared = new Map<'plain' | 'typeset', Promise<TestEnvironment>>();

/**
 * The environment of this worker, which its files share one after another. Each file makes merchants of its own and
 * begins with the wall clock. At its close the invoices of its merchants are calculated again if it asks for that. The
 * auditor checks all records once, at the end of the run (`database-server.ts`).
 *
 * A file that runs the due work, or that looks at all merchants, at the database, at the program's settings or at its
 * limits, opens an environment of its own.
 * @param options `recomputed: true` and `documents: 'typeset'` as in `openTestEnvironment`
 */
export async function sharedEnvironment(
  options: { recomputed?: true; documents?: 'typeset' } = {},
): Promise<TestEnvironment> {
  const { documents } = options;
  const kind = documents ?? 'plain';
  const opened = shared.get(kind) ?? openTestEnvironment({ audited: false, ...(documents && { documents }) });
  shared.set(kind, opened);
  const environment = await opened;
  environment.setNow(null);
  const file = expect.getState().testPath;
  const merchants: string[] = [];
  return {
    ...environment,
    merchant: async (role) => {
      const merchant = await environment.merchant(role);
      merchants.push(merchant.id);
      appendFileSync(
        join(inject('runFolder'), SHARED_MERCHANTS),
        `${loginUrl(environment.url)} ${merchant.id} ${file}\n`,
      );
      return merchant;
    },
    runDueWork: () => Promise.reject(new Error('Due work is that of all merchants: open an environment of its own.')),
    deliverWebhooks: () => Promise.reject(new Error('Webhooks are those of all merchants: open an environment.')),
    close: async () => {
      if (options.recomputed) await expectRecomputed(environment.url, merchants);
    },
  };
}

/** @throws if the events give other invoices, of these merchants or of all */
async function expectRecomputed(
  url: string,
  merchants?: readonly string[],
  archive?: EnvironmentOptions['archive'],
): Promise<void> {
  const { differing } = await recomputeDatabase(loginUrl(url), merchants && { merchants }, archive);
  if (differing.length > 0)
    throw new Error(`Invoices come out otherwise from the events: ${JSON.stringify(differing, null, 2)}`);
}

/**
 * A whole environment on a database of its own. The server answers by injection, and no port is open. At its close the
 * auditor checks the records of the tests.
 * @param options `recomputed: true` for stories that bill usage: their invoices are calculated again from the events,
 * which takes some milliseconds for each; `through` puts a layer between the two and answers its URL; `audited: false`
 * for tests that break the data on purpose; `documents: 'typeset'` for tests that read a PDF
 */
export async function openTestEnvironment(
  options: {
    environment?: EnvironmentName;
    template?: string;
    /** That of the template's secrets. */
    masterKey?: string;
    through?: (url: string) => Promise<string>;
    /** What `through` puts there is a pooler: work that needs a connection of its own goes around it. */
    pooled?: true;
    audited?: false;
    /** Answers are not held against their schemas: for measurements. */
    checkReplies?: false;
    /** A migrated database; absent: a new one of the test run. */
    database?: { url: string; drop: () => Promise<void> };
    recomputed?: true;
    documents?: 'typeset';
    openDatabase?: (options: DatabaseOptions) => Database;
    archive?: EnvironmentOptions['archive'];
    archiveMilliseconds?: number;
    mailServer?: EnvironmentOptions['mailServer'];
    logger?: EnvironmentOptions['logger'];
    stripeApiUrl?: string;
    viesUrl?: string;
    paymentProviders?: EnvironmentOptions['paymentProviders'];
    taxProviders?: EnvironmentOptions['taxProviders'];
    resolveHost?: EnvironmentOptions['resolveHost'];
    telemetry?: EnvironmentOptions['telemetry'];
    standby?: EnvironmentOptions['standby'];
    outcomeMilliseconds?: number;
    isLocal?: false;
    publicUrl?: string;
    trustedProxies?: readonly string[];
  } = {},
): Promise<TestEnvironment> {
  const kind = options.environment ?? 'sandbox';
  const { url, drop } = options.database ?? (await cloneDatabase(options.template));
  const databaseUrl = loginUrl((await options.through?.(url)) ?? url);
  const platformKey = generateApiKey(kind);
  const masterKey = options.masterKey ?? generateMasterKey();
  let fixedNow: Instant | null = null;
  let metricsAsked = 0;
  const environment = await openEnvironment({
    environment: kind,
    databaseUrl,
    ownerDatabaseUrl: url,
    ...(options.pooled && { directDatabaseUrl: loginUrl(url) }),
    publicUrl: options.publicUrl ?? 'http://localhost:4401',
    platformKey,
    masterKey: { key: masterKey },
    logger: options.logger ?? pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    now: () => fixedNow ?? wallClock(),
    failedMilliseconds: 0,
    metricsClock: () => (metricsAsked += 1_000),
    checkReplies: options.checkReplies ?? true,
    advanceMilliseconds: LONGEST_ADVANCE_MILLISECONDS,
    ...(options.documents !== 'typeset' && { renderer: plainRenderer }),
    ...(options.paymentProviders && { paymentProviders: options.paymentProviders }),
    ...(options.taxProviders && { taxProviders: options.taxProviders }),
    ...(options.archive && { archive: options.archive }),
    ...(options.archiveMilliseconds !== undefined && { archiveMilliseconds: options.archiveMilliseconds }),
    ...(options.mailServer && { mailServer: options.mailServer }),
    stripeApiUrl: options.stripeApiUrl ?? NOBODY_LISTENS,
    ...(options.viesUrl !== undefined && { viesUrl: options.viesUrl }),
    ...(options.resolveHost && { resolveHost: options.resolveHost }),
    ...(options.telemetry && { telemetry: options.telemetry }),
    ...(options.standby && { standby: options.standby }),
    ...(options.outcomeMilliseconds !== undefined && { outcomeMilliseconds: options.outcomeMilliseconds }),
    ...(options.openDatabase && { openDatabase: options.openDatabase }),
    ...(options.isLocal === false && { isLocal: false }),
    ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
  });
  const client = (key?: string) => clientOf(environment, key);
  const userOf = async (merchant: { id: string }, role: 'admin' | 'member' | 'viewer'): Promise<Merchant> => {
    const key = generateApiKey(kind);
    const userId = newId('user');
    const { prefix, last4 } = keyDisplay(key);
    await environment.database.transaction({ merchants: [merchant.id] }, async (tx) => {
      await tx.run(sql`insert into app_user (merchant_id, id, organization_id, email, role, created_at, updated_at)
        values (${merchant.id}, ${userId}, ${merchant.id}, ${`${role}@example.com`}, ${role}, now(), now())`);
      await tx.run(sql`insert into api_key (merchant_id, id, user_id, name, hash, prefix, last4, created_at)
        values (${merchant.id}, ${newId('apiKey')}, ${userId}, 'test', ${hashApiKey(key)}, ${prefix}, ${last4}, now())`);
    });
    return { ...client(key), id: merchant.id, userId };
  };
  return {
    ...environment,
    url,
    masterKey,
    platform: client(platformKey),
    client,
    userOf,
    merchant: async (role = 'admin') => {
      const id = newId('organization');
      await environment.database.transaction({ merchants: [id] }, (tx) =>
        tx.run(sql`insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
          values (${id}, ${id}, 'merchant', 'Test merchant', 'USD', now(), now())`),
      );
      return userOf({ id }, role);
    },
    setNow: (at) => {
      fixedNow = at === null ? null : Temporal.Instant.from(at);
    },
    close: async () => {
      await environment.close();
      const { archive } = options;
      const { violations } =
        options.audited === false ? { violations: [] } : await auditDatabase(loginUrl(url), archive);
      try {
        if (options.recomputed) await expectRecomputed(url, undefined, archive);
      } finally {
        await drop();
      }
      if (violations.length > 0)
        throw new Error(`The auditor found what must not be: ${JSON.stringify(violations, null, 2)}`);
    },
  };
}

/** A picture is sent with its own type, so a call of a route that takes a file has a body like any other. */
const isPng = (body: unknown): boolean => body instanceof Uint8Array && body[0] === 0x89;

function clientOf(environment: Environment, key?: string): Client {
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const reply = await environment.server.inject({
      method,
      url: path,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': isPng(body) ? 'image/png' : 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: isText ? (body as string) : JSON.stringify(body) }),
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
  return {
    key: key ?? '',
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, body, headers) => call('DELETE', path, body, headers),
  };
}
