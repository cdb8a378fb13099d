import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import type { SubscriptionRow } from '../subscription/subscription.ts';

const NO_ACCOUNT =
  'Customers pay its invoices by bank transfer, and settings.bankTransfer of the organization has no account: they are ' +
  'asked to request it from you. PATCH /v0/organizations/{id} sets it.';

/** The facts that a merchant should know about a subscription that was made or changed all the same (decision 0224). */
export async function warningsAbout(
  tx: Tx,
  { bankTransferOnly, status }: SubscriptionRow,
): Promise<{ warnings?: readonly string[] }> {
  if (!bankTransferOnly || status === 'terminated') return {};
  const { bankTransfer } = await merchantSettings(tx);
  return bankTransfer === null ? { warnings: [NO_ACCOUNT] } : {};
}
