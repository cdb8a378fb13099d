import type { Tx } from '../db/index.ts';
import type { Sealer } from '../kernel/sealing.ts';
import { selectIntegrationOfProvider } from './integrations.sql.ts';
import { openSecret } from './integrations.ts';

/** A merchant's account at a payment provider, with the secrets that open it. */
export interface OpenedAccount {
  readonly merchantId: string;
  readonly externalId: string;
  readonly secretKey: string;
  readonly webhookSecret: string | null;
}

/** The account that a merchant has connected; null where there is none, or it does not work. */
export async function findProviderAccount(
  tx: Tx,
  sealer: Sealer,
  merchantId: string,
  provider: string,
): Promise<OpenedAccount | null> {
  const integration = await selectIntegrationOfProvider(tx, merchantId, provider);
  if (integration?.status !== 'active') return null;
  const secretKey = openSecret(sealer, integration, 'secretKey');
  if (secretKey === null) return null;
  const { externalId } = integration;
  return {
    merchantId,
    externalId: externalId ?? '',
    secretKey,
    webhookSecret: openSecret(sealer, integration, 'webhookSecret'),
  };
}
