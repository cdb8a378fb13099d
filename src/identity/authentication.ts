import type { LRUCache } from 'lru-cache';
import { type Database, LookUp } from '../db/index.ts';
import type { Authentication, Caller } from '../http/index.ts';
import { addressGroup } from '../kernel/network-address.ts';
import { recentlyUsed } from '../kernel/recently-used.ts';
import { type Instant, isBefore } from '../kernel/time.ts';
import { type FoundKey, selectKeys } from './api-keys.sql.ts';
import { FailedAuthentications } from './failed-authentications.ts';
import { hashApiKey, isWellFormed } from './keys.ts';

const KEPT_MILLISECONDS = 900; // a revocation takes effect within a second (api.md, Identity)
const KEYS_KEPT = 10_000;

export interface AuthenticatorOptions {
  readonly database: Database;
  readonly now: () => Instant;
  /** Milliseconds on a clock that never goes back, for how long a key is remembered. */
  readonly elapsed?: () => number;
  /** Addresses come from a trusted proxy: one of this machine is then nothing special. */
  readonly isBehindProxy?: boolean;
}

/**
 * Finds the caller of an API key (§5): by the key's SHA-256 through an index, so nothing is compared in a time that
 * depends on the key. Unknown and revoked keys get the same answer on the same road; malformed ones are never looked
 * up. What was found is remembered for less than a second, also that a key is nobody's; what changes about a key
 * (revocation, its user's role) holds everywhere after that.
 */
export class Authenticator {
  readonly #now: () => Instant;
  /** By their hashes, as text. */
  readonly #lookUp: LookUp<FoundKey>;
  readonly #failures: FailedAuthentications;
  readonly #known: LRUCache<string, FoundKey>;
  readonly #unknown: LRUCache<string, true>;
  /** Hashes of keys that were once valid: these are always looked up, from every address. */
  readonly #seen = recentlyUsed<string, true>(KEYS_KEPT);
  /** Addresses above their limit of which a key that was never seen is being looked up. */
  readonly #trying = new Set<string>();

  constructor({ database, now, elapsed = () => performance.now(), isBehindProxy = false }: AuthenticatorOptions) {
    this.#now = now;
    this.#lookUp = new LookUp(async (ids) => {
      const hashes = ids.map((id) => Buffer.from(id, 'base64'));
      const found = await selectKeys(database, hashes, now());
      return new Map(found.map((key) => [key.hash.toString('base64'), key]));
    });
    this.#failures = new FailedAuthentications(now, { sparesThisMachine: !isBehindProxy });
    const kept = { ttl: KEPT_MILLISECONDS, ttlResolution: 0, perf: { now: elapsed } };
    this.#known = recentlyUsed(KEYS_KEPT, kept);
    this.#unknown = recentlyUsed(KEYS_KEPT, kept);
  }

  /**
   * @param token what stood behind `Bearer`; undefined where nothing did
   * @param address where the call comes from: failures are counted by it, and above 1,000 a minute held up
   * @returns a promise where the key must be looked up
   */
  authenticate(token: string | undefined, address: string): Authentication | Promise<Authentication> {
    if (token === undefined) return this.#counted({ code: 'API_KEY_MISSING' }, address);
    if (!isWellFormed(token)) return this.#counted({ code: 'API_KEY_INVALID' }, address);
    const id = hashApiKey(token).toString('base64');
    const known = this.#known.get(id);
    if (known) return this.#counted(this.#answer(known), address);
    return this.#lookedUp(id, address).then((found) => this.#counted(found, address));
  }

  /** The answer, unless it is a failure of an address with too many of them. */
  #counted(found: Authentication, address: string): Authentication {
    if ('caller' in found || found.code === 'RATE_LIMITED') return found;
    const retryAfterSeconds = this.#failures.count(address);
    return retryAfterSeconds === null ? found : { code: 'RATE_LIMITED', retryAfterSeconds };
  }

  async #lookedUp(id: string, address: string): Promise<Authentication> {
    if (this.#unknown.has(id)) return { code: 'API_KEY_INVALID' };
    const retryAfterSeconds = this.#seen.has(id) ? null : this.#failures.held(address);
    if (retryAfterSeconds === null) return this.#answer(await this.#find(id));
    return this.#try(id, address, retryAfterSeconds);
  }

  /**
   * A key that was never seen, from an address above its limit. It may be a new valid one, which is never refused: so
   * one of them at a time is looked up.
   */
  async #try(id: string, address: string, retryAfterSeconds: number): Promise<Authentication> {
    const group = addressGroup(address);
    if (this.#trying.has(group)) return { code: 'RATE_LIMITED', retryAfterSeconds };
    this.#trying.add(group);
    try {
      return this.#answer(await this.#find(id));
    } finally {
      this.#trying.delete(group);
    }
  }

  #answer(found: FoundKey | undefined): Authentication {
    if (!found) return { code: 'API_KEY_INVALID' };
    if (found.expiresAt && !isBefore(this.#now(), found.expiresAt)) return { code: 'API_KEY_EXPIRED' };
    return { caller: callerOf(found) };
  }

  async #find(id: string): Promise<FoundKey | undefined> {
    const found = await this.#lookUp.find(id);
    if (found) {
      this.#known.set(id, found);
      this.#seen.set(id, true);
    } else {
      this.#unknown.set(id, true);
      this.#seen.delete(id);
    }
    return found;
  }
}

const callerOf = (found: FoundKey): Caller => ({
  userId: found.userId,
  keyId: found.keyId,
  organizationId: found.organizationId,
  role: found.role,
  isOperator: found.organizationType === 'platform',
});
