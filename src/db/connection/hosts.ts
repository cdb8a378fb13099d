import pg from 'pg';
import { hostUrlsOf } from '../../kernel/database-url.ts';

/** A host that gives no connection within this time counts as away. */
export const CONNECT_MILLISECONDS = 2_000;

/** Thrown where none of several hosts is reached and accepts writes. */
export class NoPrimary extends Error {
  constructor(reasons: readonly unknown[]) {
    const words = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
    super(`No host of the database accepts writes: ${words.join('; ')}.`);
  }
}

/**
 * Null during recovery, which is the state of a standby. Each promotion begins a new timeline, whose number is at the
 * start of the name of a WAL file.
 */
const TIMELINE = `
  select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/**
 * The hosts of a connection string, and the one of them that accepts writes. node-postgres knows only one host.
 *
 * A primary that comes back after its standby was promoted would accept writes that get lost. Its timeline is older, so
 * a process that knows the newer one does not use it.
 */
export class Hosts {
  readonly #urls: readonly [string, ...string[]];
  #primary: string | undefined;
  #searching: Promise<string> | undefined;
  #timeline = '';

  /** @param url a connection string with one host or several */
  constructor(url: string) {
    this.#urls = hostUrlsOf(url);
    if (this.#urls.length === 1) this.#primary = this.#urls[0];
  }

  get isOne(): boolean {
    return this.#urls.length === 1;
  }

  /** The connection string of one host, for everything that the hosts have in common. */
  get first(): string {
    return this.#urls[0];
  }

  /** The connection string of the host that accepts writes; a single host is not asked. @throws NoPrimary */
  primary(): Promise<string> {
    if (this.#primary !== undefined) return Promise.resolve(this.#primary);
    this.#searching ??= this.#search().finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  /** The host was not reached, or is a standby: the next connection looks at all hosts again. */
  forget(): void {
    if (!this.isOne) this.#primary = undefined;
  }

  /** Asks all hosts at the same time. The first search waits for all, and takes the newest timeline. */
  async #search(): Promise<string> {
    const looks = this.#urls.map(async (url) => {
      const timeline = await timelineOf(url);
      if (timeline < this.#timeline) throw new Error(`a host has the old timeline ${timeline}`);
      return { url, timeline };
    });
    if (this.#timeline === '') {
      const all = (await Promise.allSettled(looks)).filter((look) => look.status === 'fulfilled');
      for (const { value } of all) if (value.timeline > this.#timeline) this.#timeline = value.timeline;
    }
    const timeline = this.#timeline;
    const newest = looks.map(async (look) => {
      const found = await look;
      if (found.timeline < timeline) throw new Error(`a host has the old timeline ${found.timeline}`);
      return found;
    });
    const found = await Promise.any(newest).catch((error: unknown) => {
      throw new NoPrimary(error instanceof AggregateError ? error.errors : [error]);
    });
    this.#timeline = found.timeline;
    this.#primary = found.url;
    return found.url;
  }
}

async function timelineOf(url: string): Promise<string> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MILLISECONDS,
    query_timeout: CONNECT_MILLISECONDS,
    application_name: 'reckoner',
  });
  client.on('error', () => undefined); // a connection that breaks is reported by the statement that meets it
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(TIMELINE);
    const timeline = rows[0]?.timeline ?? null;
    if (timeline === null) throw new Error('a host is a standby');
    return timeline;
  } finally {
    client.end().catch(() => undefined);
  }
}

/** A connection by itself, to the host that accepts writes. Its end is up to the caller. */
export async function connectTo(
  url: string,
  config: Omit<pg.ClientConfig, 'connectionString' | 'host' | 'port'>,
): Promise<pg.Client> {
  const client = new pg.Client({ ...config, connectionString: await new Hosts(url).primary() });
  client.on('error', () => undefined); // a connection that breaks is reported by the statement that meets it
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/**
 * The class of the connections of a pool: each leads to the host that accepts writes at its time.
 * @param settings what is added to the settings of the pool, read anew for each connection
 */
export const poolClient = (
  hosts: Hosts,
  settings: () => pg.ClientConfig,
): (new (
  config?: pg.ClientConfig,
) => pg.Client) =>
  class extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionTimeoutMillis: CONNECT_MILLISECONDS, ...settings() });
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (!hosts.isOne) return callback ? void this.#tell(callback) : this.#connectToPrimary();
      if (!callback) return super.connect();
      super.connect(callback);
      return undefined;
    }

    async #tell(callback: (error: Error) => void): Promise<void> {
      const failure = await this.#connectToPrimary().then(
        () => undefined,
        (error: unknown) => error,
      );
      callback(failure as Error);
    }

    async #connectToPrimary(): Promise<pg.Client> {
      const { hostname, port } = new URL(await hosts.primary());
      Object.assign(this, { host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''), port: Number(port || 5432) });
      try {
        await super.connect();
        const { rows } = await this.query<{ timeline: string | null }>(TIMELINE);
        if (rows[0]?.timeline == null) throw new NoPrimary(['a host is a standby']);
        return this;
      } catch (error) {
        hosts.forget();
        this.end().catch(() => undefined);
        throw error;
      }
    }
  };
