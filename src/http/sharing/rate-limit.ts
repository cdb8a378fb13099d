import type { LRUCache } from 'lru-cache';
import { recentlyUsed } from '../../kernel/recently-used.ts';

/** Requests per second that an operator allows an organization, and how many may come at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** `settings.rateLimits` of an organization: usage events have a bucket of their own. What is absent is unlimited. */
export interface RateLimits {
  readonly general?: RateLimit;
  readonly events?: RateLimit;
}

export type BucketName = keyof RateLimits;

/** The level of a bucket at a moment, in milliseconds of a clock that only goes forward. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

export interface Taken {
  readonly bucket: Bucket;
  readonly isAllowed: boolean;
  /** Requests that may still come at once. */
  readonly remaining: number;
  /** Whole seconds until the next request is let through; 0 when one is. */
  readonly secondsToNext: number;
  /** Whole seconds until the bucket is full again. */
  readonly secondsToFull: number;
}

/** Takes one token: a bucket holds `burst`, starts full, and fills by `perSecond`. A refused request takes nothing. */
export function takeToken(bucket: Bucket | undefined, limit: RateLimit, at: number): Taken {
  const { perSecond, burst } = limit;
  const seconds = bucket ? Math.max(0, at - bucket.at) / 1000 : 0;
  const tokens = Math.min(burst, (bucket?.tokens ?? burst) + seconds * perSecond);
  const isAllowed = tokens >= 1;
  const left = isAllowed ? tokens - 1 : tokens;
  return {
    bucket: { tokens: left, at },
    isAllowed,
    remaining: Math.floor(left),
    secondsToNext: left >= 1 ? 0 : Math.ceil((1 - left) / perSecond),
    secondsToFull: Math.ceil((burst - left) / perSecond),
  };
}

const KEPT_MILLISECONDS = 5_000; // a changed limit takes effect within this time
const ORGANIZATIONS_KEPT = 10_000;

export interface RateLimiterOptions {
  /** The limits of an organization; null: none. Asked at most every five seconds for each. */
  readonly limitsOf: (organizationId: string) => Promise<RateLimits | null>;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock?: () => number;
}

/**
 * May a request be answered, and the headers of its answer (draft-ietf-httpapi-ratelimit-headers); null if its
 * organization has no limit.
 */
type Permission = { readonly isAllowed: boolean; readonly headers: Record<string, string> } | null;

/** Request rates by organization, counted in this process: several processes allow as much as all of them together. */
export class RateLimiter {
  readonly #clock: () => number;
  readonly #limits: LRUCache<string, { limits: RateLimits | null }>;
  readonly #buckets = recentlyUsed<string, Bucket>(ORGANIZATIONS_KEPT);

  constructor(options: RateLimiterOptions) {
    this.#clock = options.clock ?? (() => performance.now());
    this.#limits = recentlyUsed(ORGANIZATIONS_KEPT, {
      ttl: KEPT_MILLISECONDS,
      perf: { now: this.#clock },
      ttlResolution: 0,
      fetchMethod: async (organizationId: string) => ({ limits: await options.limitsOf(organizationId) }),
    });
  }

  /**
   * Counts a request. @returns a promise where the limits of the organization must be looked up
   */
  take(organizationId: string, name: BucketName): Permission | Promise<Permission> {
    const known = this.#limits.get(organizationId);
    if (known) return this.#permission(organizationId, name, known.limits);
    return this.#limits
      .fetch(organizationId)
      .then((found) => this.#permission(organizationId, name, found?.limits ?? null));
  }

  #permission(organizationId: string, name: BucketName, limits: RateLimits | null): Permission {
    const limit = limits?.[name];
    if (!limit) return null;
    const key = `${name} ${organizationId}`;
    const taken = takeToken(this.#buckets.get(key), limit, this.#clock());
    this.#buckets.set(key, taken.bucket);
    return {
      isAllowed: taken.isAllowed,
      headers: {
        'ratelimit-policy': `"${name}";q=${limit.burst};w=${Math.ceil(limit.burst / limit.perSecond)}`,
        ratelimit: `"${name}";r=${taken.remaining};t=${taken.secondsToFull}`,
        ...(taken.isAllowed ? {} : { 'retry-after': String(taken.secondsToNext) }),
      },
    };
  }
}
