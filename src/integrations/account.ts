import type { Tx } from '../db/index.ts';
import type { Sealer } from '../kernel/sealing.ts';
import type { Instant } from '../kernel/time.ts';
import { lockIntegrationOfProvider, selectIntegrationOfProvider, updateIntegration } from './integrations.sql.ts';
import { openSecret } from './integrations.ts';

/** A merchant's account at a payment provider, with the secrets that open it. */
export interface OpenedAccount {
  readonly merchantId: string;
  readonly externalId: string;
  readonly secretKey: string;
  readonly webhookSecret: string | null;
}

/** The account that a merchant has connected; null where there is none, or it does not work. */
export async function findProviderAccount(tx: Tx, sealer: Sealer, provider: string): Promise<OpenedAccount | null> {
  const integration = await selectIntegrationOfProvider(tx, provider);
  if (integration?.status !== 'active') return null;
  const secretKey = openSecret(sealer, integration, 'secretKey');
  if (secretKey === null) return null;
  const { externalId } = integration;
  return {
    merchantId: tx.merchantId,
    externalId: externalId ?? '',
    secretKey,
    webhookSecret: openSecret(sealer, integration, 'webhookSecret'),
  };
}

/** Has a merchant connected an account of this provider that works, as far as anybody knows? */
export const isConnected = async (tx: Tx, provider: string): Promise<boolean> =>
  (await selectIntegrationOfProvider(tx, provider))?.status === 'active';

/** A call has shown that the keys of an account do not work any more. Keys that were put since are not to blame. */
export async function markRefused(
  tx: Tx,
  sealer: Sealer,
  { provider, secretKey }: { merchantId: string; provider: string; secretKey: string },
  reason: string,
  now: Instant,
): Promise<void> {
  const integration = await lockIntegrationOfProvider(tx, provider);
  if (integration?.status !== 'active' || openSecret(sealer, integration, 'secretKey') !== secretKey) return;
  await updateIntegration(tx, { ...integration, status: 'error', statusReason: reason, updatedAt: now });
}
