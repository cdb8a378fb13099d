import { LRUCache } from 'lru-cache';
import { type Database, sql } from '../db/index.ts';
import type { Authentication, Caller, Role } from '../http/index.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import { FailedAuthentications } from './failed-authentications.ts';
import { hashApiKey } from './keys.ts';

interface FoundKey {
  key_id: string;
  user_id: string;
  organization_id: string;
  organization_type: string;
  role: Role;
  expires_at: Instant | null;
}

const KEPT_MILLISECONDS = 900; // a revocation takes effect within a second (api.md, Identity)
const KEYS_KEPT = 10_000;

/**
 * Finds the caller of an API key (§5): by the key's SHA-256 through an index, so nothing is compared in a time that
 * depends on the key. Unknown, revoked and malformed keys get the same answer on the same road. A key that was found is
 * remembered for less than a second; what changes about it (revocation, its user's role) holds everywhere after that.
 */
export class Authenticator {
  readonly #database: Database;
  readonly #now: () => Instant;
  readonly #known: LRUCache<string, FoundKey>;
  readonly #failures: FailedAuthentications;

  /** Look-ups under way, by hash: those who come with the same key meanwhile wait for the one. */
  readonly #asking = new Map<string, Promise<FoundKey | undefined>>();

  /** @param elapsed milliseconds on a clock that never goes back, for how long a key is remembered. */
  constructor(database: Database, now: () => Instant, elapsed: () => number = () => performance.now()) {
    this.#database = database;
    this.#now = now;
    this.#failures = new FailedAuthentications(now);
    this.#known = new LRUCache({
      max: KEYS_KEPT,
      ttl: KEPT_MILLISECONDS,
      ttlResolution: 0,
      perf: { now: elapsed },
    });
  }

  /**
   * @param token what stood behind `Bearer`; undefined where nothing did
   * @param address where the call comes from: failures are counted by it, and above 1,000 a minute held up
   */
  async authenticate(token: string | undefined, address: string): Promise<Authentication> {
    const found = await this.#check(token);
    if ('caller' in found) return found;
    const retryAfterSeconds = this.#failures.count(address);
    return retryAfterSeconds === null ? found : { code: 'RATE_LIMITED', retryAfterSeconds };
  }

  async #check(token: string | undefined): Promise<Authentication> {
    if (token === undefined) return { code: 'API_KEY_MISSING' };
    const found = await this.#find(token);
    if (!found) return { code: 'API_KEY_INVALID' };
    if (found.expires_at && !isBefore(this.#now(), found.expires_at)) return { code: 'API_KEY_EXPIRED' };
    return { caller: callerOf(found) };
  }

  async #find(token: string): Promise<FoundKey | undefined> {
    const hash = hashApiKey(token);
    const id = hash.toString('base64');
    const known = this.#known.get(id);
    if (known) return known;
    const asking = this.#asking.get(id) ?? this.#ask(id, hash).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking;
  }

  async #ask(id: string, hash: Buffer): Promise<FoundKey | undefined> {
    const now = this.#now();
    const found = await this.#database.transaction('nobody', async (tx) => {
      const row = await tx.maybe<FoundKey>(sql`select * from find_api_key(${hash})`);
      if (row) await tx.run(sql`select touch_api_key(${hash}, ${now})`);
      return row;
    });
    if (found) this.#known.set(id, found);
    return found;
  }
}

const callerOf = (found: FoundKey): Caller => ({
  userId: found.user_id,
  keyId: found.key_id,
  organizationId: found.organization_id,
  role: found.role,
  isOperator: found.organization_type === 'platform',
});
