/**
 * The used part of the ClickHouse client. The package is loaded when CLICKHOUSE_URL is set and not before, so its own
 * types are not needed to check the rest.
 */
declare module '@clickhouse/client' {
  export interface ClickHouseClient {
    query(request: {
      query: string;
      query_params?: Readonly<Record<string, unknown>>;
      format: 'JSONCompactColumns';
      abort_signal?: AbortSignal;
    }): Promise<{ text(): Promise<string> }>;
    command(request: { query: string }): Promise<unknown>;
    exec(request: {
      query: string;
      values: import('node:stream').Readable;
    }): Promise<{ stream: import('node:stream').Readable }>;
    close(): Promise<void>;
  }

  export function createClient(configuration: {
    url?: string;
    application?: string;
    request_timeout?: number;
    max_open_connections?: number;
    use_multipart_params_auto?: boolean;
    log?: { level: number };
    connection?: unknown;
  }): ClickHouseClient;
}
