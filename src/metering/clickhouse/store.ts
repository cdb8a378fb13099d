import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import type { EngineMode } from './tables.sql.ts';

/** A list goes in as `{name:Array(…)}`, which ClickHouse refuses where it cannot read it; of JSON it would make an empty one. */
export type Parameter = string | readonly bigint[] | readonly (string | null)[];

/** A statement in ClickHouse's own language. Values go in as parameters, `{name:Type}`. */
export interface Statement {
  readonly text: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
}

/** A ClickHouse, as far as we use one. Settings are part of the statements: as options of a request they outlive it on some connections. */
export interface ClickHouse {
  /** The rows as lists of values; numbers beyond 53 bits as text. */
  rows(statement: Statement): Promise<unknown[][]>;
  run(text: string): Promise<void>;
  /** An insert that ends in `format JSONEachRow`, with its lines. */
  insert(text: string, lines: string): Promise<void>;
  close(): Promise<void>;
}

/** Over a client, whatever its connection: the network in production, the engine in this process in tests. */
export const overClient = (client: ClickHouseClient): ClickHouse => ({
  rows: async ({ text, parameters }) => {
    const found = await client.query({
      query: text,
      format: 'JSONCompactEachRow',
      ...(parameters !== undefined && { query_params: parameters }),
    });
    return (await found.json()) as unknown[][];
  },
  run: async (text) => {
    await client.command({ query: text });
  },
  insert: async (text, lines) => {
    const { stream } = await client.exec({ query: text, values: Readable.from([lines]) });
    for await (const _ of stream); // an insert has no rows; the stream's end is its end
  },
  close: () => client.close(),
});

const GONE = new Set(['UNKNOWN_TABLE', 'UNKNOWN_DATABASE']);

/** Did ClickHouse say that a table is not there? Somebody dropped it then: that is no failure of the moment. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && GONE.has(String(error.type));

/** Longer than any of our statements may take there, shorter than PostgreSQL lets a transaction wait for us. */
const REQUEST_MILLISECONDS = 12_000;
const CONNECTIONS = 8;

/**
 * Connects to `CLICKHOUSE_URL`: `http://user:password@host:8123/database`, with `?cluster=name` for the replicated tables
 * of a cluster. The client is loaded here and nowhere else. Nothing is sent yet.
 */
export async function connectClickHouse(url: string): Promise<{ clickhouse: ClickHouse; mode: EngineMode }> {
  const { createClient } = await import('@clickhouse/client');
  const address = new URL(url);
  const cluster = address.searchParams.get('cluster');
  address.searchParams.delete('cluster');
  const client = createClient({
    url: address.href,
    application: 'reckoner',
    request_timeout: REQUEST_MILLISECONDS,
    max_open_connections: CONNECTIONS,
    use_multipart_params_auto: true,
  });
  return { clickhouse: overClient(client), mode: cluster === null ? { kind: 'single' } : { kind: 'cluster', cluster } };
}
