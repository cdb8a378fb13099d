import { findTaxPlace, storeTaxVerdict } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import type { DueKind, FollowUp } from '../../jobs/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { byProviderClient, nextLookUp, ProviderAway, ProviderRefused, writeOutcome } from '../../payments/index.ts';
import {
  type TaxAddress,
  type TaxConnection,
  type TaxProviderDependencies,
  taxConnectionOf,
} from '../../tax-providers/index.ts';
import { selectAddressCheck, updateAddressCheck } from './addresses.sql.ts';

/** Checks the addresses of new customers, and changed ones, with the merchant's tax provider (`validTaxAddress`). */
export const taxAddressDueKind = (dependencies: TaxProviderDependencies): DueKind => ({
  kind: 'tax_address',
  step: (tx, { id }, now) => stepAddress(dependencies, tx, id, now),
});

/**
 * It commits when the provider is asked again; the call follows. Our own rule says before whether there is anything to
 * ask.
 */
async function stepAddress(
  dependencies: TaxProviderDependencies,
  tx: Tx,
  id: string,
  now: Instant,
): Promise<FollowUp | undefined> {
  const check = await selectAddressCheck(tx, id);
  const { taxProvider } = await merchantSettings(tx);
  const { address } = await findTaxPlace(tx, id);
  const connection =
    taxProvider === 'internal' || address === null ? null : await taxConnectionOf(tx, dependencies, taxProvider);
  if (!connection || address === null) {
    await updateAddressCheck(tx, check, check.lookUps, null);
    return;
  }
  const { lookUps, at } = nextLookUp(check.askedAt, check.lookUps, now);
  await updateAddressCheck(tx, check, lookUps, at);
  return byProviderClient(dependencies, { merchantId: tx.merchantId, clockId: null }, async () => {
    const message = await ask(connection, address);
    if (message === undefined) return; // it is asked again
    await writeOutcome(dependencies, tx.merchantId, async (own, wall) => {
      await storeTaxVerdict(own, { merchantId: tx.merchantId, customerId: id }, { address, message }, wall);
      await updateAddressCheck(own, check, lookUps, null);
    });
  });
}

/** @returns the fault of the address; null: none; undefined: unknown */
async function ask({ provider, account }: TaxConnection, address: TaxAddress): Promise<string | null | undefined> {
  try {
    const { valid, message } = await provider.validateAddress(account, address);
    return valid ? null : (message ?? 'The tax provider does not know this address.');
  } catch (error) {
    if (error instanceof ProviderAway || error instanceof ProviderRefused) return undefined;
    throw error;
  }
}
