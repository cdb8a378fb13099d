import { Readable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import type { Parameter } from './parameters.ts';
import { type EngineMode, engineMode } from './tables.sql.ts';

/** A statement in ClickHouse's own language. Values go in as parameters, `{name:Type}`. */
export interface Statement {
  readonly text: string;
  readonly parameters?: Readonly<Record<string, Parameter>>;
}

/**
 * A ClickHouse, as far as we use one. Settings are part of the statements: as options of a request they outlive it on
 * some connections.
 */
export interface ClickHouse {
  /** The answer by columns, each the list of its values, all of the same length; numbers beyond 53 bits as text. */
  columns(statement: Statement, end?: AbortSignal): Promise<unknown[][]>;
  run(text: string): Promise<void>;
  /** An insert that ends in `format JSONEachRow`, with its lines. */
  insert(text: string, lines: string): Promise<void>;
  close(): Promise<void>;
}

/** Over a client with any connection: the network in production, the engine in this process in tests. */
export const overClient = (client: ClickHouseClient): ClickHouse => ({
  // One JSON document: an answer that was cut off is no JSON, where cut-off lines would pass for all of them.
  columns: async ({ text, parameters }, end) => {
    const found = await client.query({
      query: text,
      format: 'JSONCompactColumns',
      ...(parameters !== undefined && { query_params: parameters }),
      ...(end !== undefined && { abort_signal: end }),
    });
    const columns: unknown = JSON.parse(await found.text());
    if (!Array.isArray(columns)) throw new Error('The answer is no list of columns.');
    return columns as unknown[][];
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

/** Did ClickHouse report a missing table? It was dropped then: that is no temporary failure. */
export const isGone = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && GONE.has(String(error.type));

/** Longer than any of our statements may take there. */
const REQUEST_MILLISECONDS = 12_000;
const CONNECTIONS = 8;
/** The client's own log would tell whole requests on standard error; its errors are thrown, and we tell them. */
const LOG_NOTHING = 127;

export interface Connected {
  readonly clickhouse: ClickHouse;
  readonly mode: EngineMode;
  /** The address, without user and password. */
  readonly shownUrl: string;
}

/**
 * Connects to `CLICKHOUSE_URL`: `http://user:password@host:8123/database`, with `?cluster=name` for the replicated
 * tables of a cluster. The client is loaded here and nowhere else. Nothing is sent yet.
 * @param requestMilliseconds how long one request may take; default 12,000
 */
export async function connectClickHouse(
  url: string,
  requestMilliseconds: number = REQUEST_MILLISECONDS,
): Promise<Connected> {
  const { createClient } = await import('@clickhouse/client');
  const address = new URL(url);
  const cluster = address.searchParams.get('cluster');
  address.searchParams.delete('cluster');
  const client = createClient({
    url: address.href,
    application: 'reckoner',
    request_timeout: requestMilliseconds,
    max_open_connections: CONNECTIONS,
    use_multipart_params_auto: true,
    log: { level: LOG_NOTHING },
  });
  return {
    clickhouse: overClient(client),
    mode: engineMode(cluster),
    shownUrl: `${address.origin}${address.pathname}`,
  };
}
