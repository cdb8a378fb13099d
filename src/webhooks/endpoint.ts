import { type Instant, isAfter } from '../kernel/time.ts';

export const ENDPOINT_STATUSES = ['enabled', 'disabled'] as const;
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number];

/** Why an endpoint gets nothing: requested by hand; it answered 410; it failed for five days. */
export const DISABLED_REASONS = ['request', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An endpoint of a merchant for webhooks. */
export interface Endpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  /** Kinds of events; `*` means all. */
  readonly eventTypes: readonly string[];
  readonly description: string | null;
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | null;
  /** Sealed, as the one before it. */
  readonly secret: string;
  /** It signs too, until then. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: Instant | null;
  readonly failingSince: Instant | null;
  readonly toldAt: Instant | null;
  /** Since `failingSince`. */
  readonly failedAttempts: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Endpoints of a merchant at most. */
export const MOST_ENDPOINTS = 20;

/** How long the secret before the last rotation signs too. */
export const OVERLAP_HOURS = 24;

/** The sealed secrets that sign for an endpoint now. */
export const secretsOf = (
  { secret, previousSecret, previousSecretUntil }: Pick<Endpoint, 'secret' | 'previousSecret' | 'previousSecretUntil'>,
  now: Instant,
): string[] =>
  previousSecret !== null && previousSecretUntil !== null && isAfter(previousSecretUntil, now)
    ? [secret, previousSecret]
    : [secret];

type Standing = Pick<Endpoint, 'status' | 'disabledReason' | 'failingSince' | 'toldAt' | 'failedAttempts'>;

/** The standing of an endpoint after a change of its status, if any: an endpoint that is enabled again starts anew. */
export function decideStanding(before: Standing, status: EndpointStatus | undefined): Standing {
  const { disabledReason, failingSince, toldAt, failedAttempts } = before;
  const health = { failingSince, toldAt, failedAttempts };
  if (status === undefined || status === before.status) return { status: before.status, disabledReason, ...health };
  if (status === 'disabled') return { status, disabledReason: 'request', ...health };
  return { status, disabledReason: null, failingSince: null, toldAt: null, failedAttempts: 0 };
}
