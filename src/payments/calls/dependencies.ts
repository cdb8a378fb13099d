import { type Database, LOCK_NOT_AVAILABLE, sqlState, type Tx, tryAgain } from '../../db/index.ts';
import type { FollowUp } from '../../jobs/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import type { ProviderAccount, RemoteProvider } from '../provider/remote.ts';
import type { ProviderClient } from './provider-client.ts';

/** The dependencies of calls to external providers. */
export interface RemoteDependencies {
  readonly providers: readonly RemoteProvider[];
  /** The account that the merchant has connected; null: none, or not any more. */
  accountOf(tx: Tx, provider: string): Promise<ProviderAccount | null>;
  /** The provider refuses this account (a revoked key): the merchant is shown that it does not work. */
  refused(tx: Tx, account: ProviderAccount, provider: string, reason: string): Promise<void>;
  readonly providerClient: ProviderClient;
  readonly database: Pick<Database, 'transaction'>;
  /** Wall time. */
  readonly now: () => Instant;
}

/** A provider with the account by which it is called. */
export interface Connection {
  readonly provider: RemoteProvider;
  readonly account: ProviderAccount;
}

/** The connection to a merchant's provider; null if there is none. */
export async function connectionOf(tx: Tx, remote: RemoteDependencies, name: ProviderName): Promise<Connection | null> {
  const provider = remote.providers.find((each) => each.name === name);
  const account = provider ? await remote.accountOf(tx, name) : null;
  return provider && account ? { provider, account } : null;
}

/** The provider refuses an account: its connection is an error until the merchant mends it. */
export const reportRefusal = (
  remote: RemoteDependencies,
  { provider, account }: Connection,
  reason: string,
): Promise<void> =>
  remote.database.transaction(
    { merchants: [account.merchantId] },
    (tx) => remote.refused(tx, account, provider.name, reason),
    { byKeys: 'one thing' },
  );

/** A call to a provider, with the storage of its outcome. It follows the commit of its intent. */
export type Call = () => Promise<void>;

/**
 * The follow-up of a step: a call by the provider client. Background jobs do not wait for it. A test clock does,
 * because its next jobs may depend on the outcome.
 */
export const byProviderClient =
  (
    { providerClient }: Pick<RemoteDependencies, 'providerClient'>,
    of: { merchantId: string; clockId: string | null },
    work: Call,
  ): FollowUp =>
  async () => {
    const over = providerClient.call(of.merchantId, work);
    if (of.clockId !== null) await over;
  };

/** Writes an outcome in its own transaction; it waits several times for another slow transaction. */
export const writeOutcome = <T>(
  { database, now }: Pick<RemoteDependencies, 'database' | 'now'>,
  merchantId: string,
  work: (tx: Tx, wall: Instant) => Promise<T>,
): Promise<T> =>
  tryAgain(() => database.transaction({ merchants: [merchantId] }, (tx) => work(tx, now()), { byKeys: 'one thing' }), {
    isWorthwhile: (error) => sqlState(error) === LOCK_NOT_AVAILABLE,
  });
