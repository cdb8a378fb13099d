import type { Database, Tx } from '../db/index.ts';
import type { Instant } from '../kernel/time.ts';
import { type ProviderAccount, ProviderCallQueue, type ProviderClient } from '../payments/index.ts';
import type { TaxProvider, TaxProviderName } from './port.ts';

/** The dependencies of calls to tax providers. */
export interface TaxProviderDependencies {
  readonly providers: readonly TaxProvider[];
  /** The account of an integration that the merchant has connected; null: none, or not any more. */
  accountOf(tx: Tx, integration: string): Promise<ProviderAccount | null>;
  readonly providerClient: ProviderClient;
  readonly database: Pick<Database, 'transaction'>;
  /** Wall time. */
  readonly now: () => Instant;
}

/** How tax providers are reached. */
export interface TaxProviderOptions extends Omit<TaxProviderDependencies, 'providerClient'> {
  /** Called after a call to a provider, or the storage of its outcome, has failed. */
  readonly onTrouble: (error: Error) => void;
}

/** The dependencies, with a provider client of their own: a slow tax provider delays no payment. */
export const createTaxProviders = ({ onTrouble, ...options }: TaxProviderOptions): TaxProviderDependencies => ({
  ...options,
  providerClient: new ProviderCallQueue(options.now, onTrouble),
});

/** A provider with the account by which it is called. */
export interface TaxConnection {
  readonly provider: TaxProvider;
  readonly account: ProviderAccount;
}

/** The connection to a merchant's tax provider; null if there is none. */
export async function taxConnectionOf(
  tx: Tx,
  dependencies: Pick<TaxProviderDependencies, 'providers' | 'accountOf'>,
  name: TaxProviderName,
): Promise<TaxConnection | null> {
  const provider = dependencies.providers.find((each) => each.name === name);
  const account = provider ? await dependencies.accountOf(tx, provider.integration) : null;
  return provider && account ? { provider, account } : null;
}
