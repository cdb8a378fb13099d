import type { Instant } from '../kernel/time.ts';

export const INTEGRATION_STATUSES = ['active', 'disconnected', 'error'] as const;
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];

/** A connection of a merchant to an external system, with the merchant's account there (api.md). */
export interface Integration {
  readonly id: string;
  readonly merchantId: string;
  readonly provider: string;
  /** The merchant's account in the outside system. */
  readonly externalId: string | null;
  readonly status: IntegrationStatus;
  /** Why the connection does not work; only where the status is `error`, and where the provider was asked. */
  readonly statusReason: string | null;
  /** Without its secrets. */
  readonly config: Readonly<Record<string, unknown>>;
  /** By path in `config`, such as `credentials.token`; each is sealed. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly connectedAt: Instant;
  readonly disconnectedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

type Connection = Pick<Integration, 'status' | 'secrets' | 'connectedAt' | 'disconnectedAt'>;

/**
 * The connection after a change to a status, which is allowed from each. Who comes back is connected anew; who is
 * disconnected keeps no secrets. The same status again changes no time.
 */
export function decideConnection(before: Connection, status: IntegrationStatus, now: Instant): Connection {
  if (status === 'disconnected')
    return { ...before, status, secrets: {}, disconnectedAt: before.disconnectedAt ?? now };
  return {
    ...before,
    status,
    connectedAt: before.status === 'disconnected' ? now : before.connectedAt,
    disconnectedAt: null,
  };
}
