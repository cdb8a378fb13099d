import pg from 'pg';
import { hostUrlsOf } from '../../kernel/database-url.ts';

/** A host that gives no connection within this time counts as away. */
export const CONNECT_MILLISECONDS = 2_000;

/** What a connection is for: `reads` prefer a standby, and take any host without one. */
export type Purpose = 'writes' | 'reads';

/** Thrown where none of several hosts is reached and accepts writes; for reads, where none is reached. */
export class NoPrimary extends Error {
  constructor(reasons: readonly unknown[], purpose: Purpose = 'writes') {
    const words = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason)));
    super(`No host of the database ${purpose === 'writes' ? 'accepts writes' : 'answers'}: ${words.join('; ')}.`);
  }
}

/**
 * Null during recovery, which is the state of a standby. Each promotion begins a new timeline, whose number is at the
 * start of the name of a WAL file.
 */
const TIMELINE = `
  select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/**
 * The hosts of a connection string, and the one of them that accepts writes, or the one for reads. node-postgres knows
 * only one host.
 *
 * A primary that comes back after its standby was promoted would accept writes that get lost. Its timeline is older, so
 * a process that knows the newer one does not use it.
 */
export class Hosts {
  readonly purpose: Purpose;
  readonly #urls: readonly [string, ...string[]];
  #chosen: string | undefined;
  #searching: Promise<string> | undefined;
  #timeline = '';

  /** @param url a connection string with one host or several */
  constructor(url: string, purpose: Purpose = 'writes') {
    this.purpose = purpose;
    this.#urls = hostUrlsOf(url);
    if (this.#urls.length === 1) this.#chosen = this.#urls[0];
  }

  get isOne(): boolean {
    return this.#urls.length === 1;
  }

  /** The connection string of one host, for everything that the hosts have in common. */
  get first(): string {
    return this.#urls[0];
  }

  /** The connection string of the host to connect to; a single host is not asked. @throws NoPrimary */
  choose(): Promise<string> {
    if (this.#chosen !== undefined) return Promise.resolve(this.#chosen);
    this.#searching ??= (this.purpose === 'writes' ? this.#searchPrimary() : this.#searchStandby()).finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  /** The host was not reached, or is another than it was: the next connection looks at all hosts again. */
  forget(): void {
    if (!this.isOne) this.#chosen = undefined;
  }

  /** Asks all hosts at the same time. A standby is taken as soon as one answers; another host only without any. */
  async #searchStandby(): Promise<string> {
    const looks = this.#urls.map(async (url) => ({ url, isStandby: (await timelineOf(url)) === null }));
    const standbys = looks.map(async (look) => {
      const found = await look;
      if (!found.isStandby) throw new Error('a host is no standby');
      return found;
    });
    const { url, isStandby } = await Promise.any(standbys)
      .catch(() => Promise.any(looks))
      .catch((error: unknown) => {
        throw new NoPrimary(reasonsOf(error), this.purpose);
      });
    if (isStandby) this.#chosen = url; // without one, the next connection looks again
    return url;
  }

  /** Asks all hosts at the same time. The first search waits for all, and takes the newest timeline. */
  async #searchPrimary(): Promise<string> {
    const looks = this.#urls.map(async (url) => {
      const timeline = await timelineOf(url);
      if (timeline === null) throw new Error('a host is a standby');
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
      throw new NoPrimary(reasonsOf(error));
    });
    this.#timeline = found.timeline;
    this.#chosen = found.url;
    return found.url;
  }
}

const reasonsOf = (error: unknown): readonly unknown[] => (error instanceof AggregateError ? error.errors : [error]);

/** Null: a standby. */
async function timelineOf(url: string): Promise<string | null> {
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
    return rows[0]?.timeline ?? null;
  } finally {
    client.end().catch(() => undefined);
  }
}

/** A connection by itself. Its end is up to the caller. */
export async function connectTo(
  url: string,
  config: Omit<pg.ClientConfig, 'connectionString' | 'host' | 'port'>,
  purpose: Purpose = 'writes',
): Promise<pg.Client> {
  const client = new pg.Client({ ...config, connectionString: await new Hosts(url, purpose).choose() });
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
 * The class of the connections of a pool: each leads to the host that is right at its time.
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
      // Before the pool listens, and between it and whoever waits for the connection, it may break unheard.
      this.on('error', () => undefined);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: (error: Error) => void): void;
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      if (!hosts.isOne) return callback ? void this.#tell(callback) : this.#connectToChosen();
      if (!callback) return super.connect();
      super.connect(callback);
      return undefined;
    }

    async #tell(callback: (error: Error) => void): Promise<void> {
      const failure = await this.#connectToChosen().then(
        () => undefined,
        (error: unknown) => error,
      );
      callback(failure as Error);
    }

    async #connectToChosen(): Promise<pg.Client> {
      const { hostname, port } = new URL(await hosts.choose());
      Object.assign(this, { host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''), port: Number(port || 5432) });
      try {
        await super.connect();
        const { rows } = await this.query<{ timeline: string | null }>(TIMELINE);
        if (rows[0]?.timeline == null && hosts.purpose === 'writes') throw new NoPrimary(['a host is a standby']);
        return this;
      } catch (error) {
        hosts.forget();
        this.end().catch(() => undefined);
        throw error;
      }
    }
  };
