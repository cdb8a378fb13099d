import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { Database, sql } from '../../src/db/index.ts';
import {
  createServer,
  type Role,
  type Route,
  routesOf,
  type ServerOptions,
  Strict,
  Type,
} from '../../src/http/index.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type CodesOf, fail, ok } from '../../src/kernel/result.ts';
import { cloneDatabase } from './environment.ts';

const api = routesOf('Things');

/** The edge alone, over the routes of a test: real server, real database, and callers without key rows. */
export interface Edge {
  server: FastifyInstance;
  database: Database;
  url: string;
  /** A caller of a new merchant, or another one of the same. */
  caller(role?: Role, organizationId?: string): EdgeCaller;
  operator: EdgeCaller;
  close(): Promise<void>;
}

export interface EdgeCaller {
  key: string;
  organizationId: string;
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    options?: { body?: unknown; payload?: string | Buffer; headers?: Record<string, string> },
  ): Promise<EdgeAnswer>;
}

export interface EdgeAnswer {
  status: number;
  headers: Record<string, string | number | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  text: string;
}

export const edgeTestErrors = { THING_REFUSED: { status: 409, message: 'Not this thing.' } } as const;

declare module '../../src/kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof edgeTestErrors> {}
}

export const Thing = Type.Object(
  { id: Type.String(), object: Type.Literal('thing'), merchantId: Type.String(), name: Type.String() },
  { $id: 'Thing' },
);

/** An act of a test in the middle of a creation, before the row is written. */
export type During = (name: string) => Promise<void> | void;

/** POST and GET of a small resource: names that begin with `refuse` are a 409, `throw` fails. */
export const thingRoutes = (during: During = () => undefined): readonly Route[] => [
  api.post('/v0/things', 'createThing', {
    summary: 'Create a thing',
    access: { role: 'member', merchant: 'body' },
    body: Strict({ name: Type.String(), merchantId: Type.Optional(Type.String()) }, { $id: 'ThingCreate' }),
    replies: { 201: Thing },
    errors: [409],
    handler: async ({ tx, merchantId, body: { name } }) => {
      const id = newId('product');
      await tx.run(sql`insert into thing (merchant_id, id, name) values (${merchantId}, ${id}, ${name})`);
      await during(name);
      if (name.startsWith('throw')) throw new Error(`internal detail about ${name}`);
      return name.startsWith('refuse')
        ? fail('THING_REFUSED', { name })
        : ok({ id, object: 'thing', merchantId, name });
    },
  }),
  api.get('/v0/things/:id', 'getThing', {
    summary: 'Get a thing',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'product' } },
    replies: { 200: Thing },
    handler: async ({ tx, params: { id } }) => {
      const { merchantId, name } = await tx.one<{ merchantId: string; name: string }>(
        sql`select merchant_id, name from thing where id = ${id}`, // by id alone: the database hides other rows
      );
      return ok({ id, object: 'thing', merchantId, name });
    },
  }),
];

const THINGS = `
  create table thing (merchant_id text not null, id text not null, name text not null, primary key (merchant_id, id));
  call resource_table('thing');`;

/** Runs SQL as the owner of the database. */
export async function asOwner(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(text);
  } finally {
    await client.end();
  }
}

/** Opens an edge on a database of its own, or on the one of `url`. */
export async function openEdge(
  routes: readonly Route[] = thingRoutes(),
  { url: givenUrl, ...options }: Partial<ServerOptions> & { url?: string } = {},
): Promise<Edge> {
  const { url, drop } = givenUrl === undefined ? await cloneDatabase() : { url: givenUrl, drop: async () => undefined };
  await asOwner(url, THINGS);
  const database = options.database ?? new Database({ url, onConnectionError: () => undefined });
  const callers = new Map<string, { role: Role; organizationId: string; isOperator: boolean }>();
  const server = await createServer({
    database,
    routes,
    errorTables: [edgeTestErrors],
    authenticate: async (token) => {
      const found = callers.get(token ?? '');
      if (!found) return { code: token === undefined ? 'API_KEY_MISSING' : 'API_KEY_INVALID' };
      return { caller: { userId: 'usr_1', keyId: 'key_1', ...found } };
    },
    audit: async () => undefined,
    now: () => Temporal.Instant.from('2026-01-01T00:00:00Z'),
    logger: pino({ level: 'silent' }),
    baseUrl: 'http://localhost',
    checkReplies: true,
    ...options,
  });
  const addCaller = (role: Role, organizationId: string, isOperator: boolean): EdgeCaller => {
    const key = newId('apiKey');
    callers.set(key, { role, organizationId, isOperator });
    return {
      key,
      organizationId,
      call: async (method, url, { body, payload, headers = {} } = {}) => {
        const content = payload ?? (body === undefined ? undefined : JSON.stringify(body));
        const reply = await server.inject({
          method,
          url,
          headers: {
            authorization: `Bearer ${key}`,
            ...(content === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(content === undefined ? {} : { payload: content }),
        });
        const isJson = String(reply.headers['content-type'] ?? '').startsWith('application/json');
        return {
          status: reply.statusCode,
          headers: reply.headers,
          text: reply.payload,
          body: isJson && reply.payload !== '' ? reply.json() : reply.payload,
        };
      },
    };
  };
  return {
    server,
    database,
    url,
    caller: (role = 'admin', organizationId = newId('organization')) => addCaller(role, organizationId, false),
    operator: addCaller('admin', newId('organization'), true),
    close: async () => {
      await server.close();
      await database.close();
      await drop();
    },
  };
}
