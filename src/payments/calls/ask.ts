import type { Instant } from '../../kernel/time.ts';
import {
  ProviderAway,
  ProviderRefused,
  type RemoteCharge,
  type RemoteChargeRequest,
  type RemoteRefund,
  type RemoteRefundRequest,
} from '../provider/remote.ts';
import type { Connection } from './dependencies.ts';
import { isRepeatable } from './look-ups.ts';

/** The request to a provider, its time, and whether this is the first call. */
export interface Asked<Request> {
  readonly request: Request;
  readonly isFirst: boolean;
  readonly since: Instant;
  /** A call that the provider does not have is not made again. */
  readonly isOnlyLookedUp?: boolean;
}

/** No call of this account can work (a revoked key). This one had no effect. */
export interface AccountRefused {
  readonly status: 'account refused';
  readonly reason: string;
}

/**
 * Charges a card, or looks up what came of an earlier call, or of one that a restored database does not know. A charge
 * that the provider does not have is made again under the same key; when the provider may have forgotten the key, it
 * counts as declined.
 * @returns null where the outcome is still unknown
 */
export async function askCharge(
  { provider, account }: Connection,
  { request, isFirst, since }: Asked<RemoteChargeRequest>,
  now: Instant,
): Promise<RemoteCharge | AccountRefused | null> {
  const declined = { status: 'declined', reference: null, reason: 'processing_error' } as const;
  try {
    if (isFirst && !request.isInDoubt) return await provider.charge(account, request);
    const found = await provider.findCharge(account, request);
    if (found.status !== 'none') return found;
    return isRepeatable(since, now) ? await provider.charge(account, request) : declined;
  } catch (error) {
    if (error instanceof ProviderAway) return null;
    if (error instanceof ProviderRefused && error.about === 'account') return refusal(error);
    // A refusal says that this call had no effect. Nobody knows that of the calls before.
    if (error instanceof ProviderRefused) return isFirst ? declined : null;
    throw error;
  }
}

/**
 * The same for a refund. What the provider refuses is a failed refund, and so is one that the provider does not have
 * when it may have forgotten the key, or when somebody else has taken the money meanwhile: a person must see to it.
 */
export async function askRefund(
  { provider, account }: Connection,
  { request, isFirst, since, isOnlyLookedUp = false }: Asked<RemoteRefundRequest>,
  now: Instant,
): Promise<RemoteRefund | AccountRefused | null> {
  try {
    if (isFirst) return await provider.refund(account, request);
    const found = await provider.findRefund(account, request);
    if (found.status !== 'none') return found;
    if (isRepeatable(since, now) && !isOnlyLookedUp) return await provider.refund(account, request);
    return { status: 'failed', reference: '', reason: 'The provider has no such refund.' };
  } catch (error) {
    if (error instanceof ProviderAway) return null;
    if (error instanceof ProviderRefused && error.about === 'account') return refusal(error);
    if (error instanceof ProviderRefused && isFirst) return { status: 'failed', reference: '', reason: error.message };
    if (error instanceof ProviderRefused) return null;
    throw error;
  }
}

const refusal = ({ message }: ProviderRefused): AccountRefused => ({ status: 'account refused', reason: message });
