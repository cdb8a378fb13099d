import pg from 'pg';
import { CONNECT_MILLISECONDS, Hosts } from './connection/index.ts';

const PAUSE_MILLISECONDS = 200;

/** Nothing more is asked in this transaction, and no limit of the server may end it. */
const BEGIN = `begin;
  set local statement_timeout = 0; set local transaction_timeout = 0;
  set local idle_in_transaction_session_timeout = 0`;

/**
 * Shows other processes that this one lives, by a lock on a connection of its own: both end with the process, however
 * it ends. The lock belongs to a transaction that stays open, because a pooler of transactions gives a connection to
 * others after each. It reads nothing, so it keeps no old rows from being removed.
 */
export class Presence {
  readonly #hosts: Hosts;
  readonly #onTrouble: (error: Error) => void;
  #number: number | null = null;
  #isLocked = false;
  #client: pg.Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isSearching = false;
  #connecting: Promise<void> | undefined;
  #isClosed = false;

  constructor(url: string, onTrouble: (error: Error) => void) {
    this.#hosts = new Hosts(url);
    this.#onTrouble = onTrouble;
  }

  /** The number under which others see this process; null while they do not. */
  get number(): number | null {
    return this.#isLocked ? this.#number : null;
  }

  /** The number that this process has, also while others do not see it; null before its first connection. */
  get ownNumber(): number | null {
    return this.#number;
  }

  /** @returns after the first try to connect; it never rejects */
  start(): Promise<void> {
    if (!this.#client && !this.#isSearching) this.#connecting = this.#search();
    return this.#connecting ?? Promise.resolve();
  }

  async #search(): Promise<void> {
    this.#isSearching = true;
    const found = await this.#hosts.choose().catch((error: unknown) => error as Error);
    this.#isSearching = false;
    if (this.#isClosed) return;
    if (typeof found === 'string') await this.#connect(found);
    else this.#tryLater(found);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#connecting;
    this.#isLocked = false;
    await this.#client?.end();
  }

  async #connect(url: string): Promise<void> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      keepAlive: true,
      application_name: 'reckoner',
    });
    this.#client = client;
    client.on('error', (error) => this.#lost(client, error));
    try {
      await client.connect();
      const { rows } = await client.query<{ number: number }>('select join_workers($1) as number', [this.#number]);
      this.#number = rows[0]?.number ?? null;
      await client.query(BEGIN);
      await client.query('select lock_worker($1)', [this.#number]);
      this.#isLocked = this.#client === client;
    } catch (error) {
      this.#lost(client, error as Error);
    }
  }

  /** Once for each connection: it is tried again after a moment. */
  #lost(client: pg.Client, error: Error): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isLocked = false;
    client.end().catch(() => undefined);
    this.#hosts.forget();
    if (!this.#isClosed) this.#tryLater(error);
  }

  #tryLater(error: Error): void {
    this.#onTrouble(error);
    this.#retry = setTimeout(() => void this.start(), PAUSE_MILLISECONDS);
  }
}
