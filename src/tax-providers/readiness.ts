import { LRUCache } from 'lru-cache';
import type { Tx } from '../db/index.ts';
import { AskOutside } from '../http/index.ts';
import { ProviderAway, ProviderRefused } from '../payments/index.ts';
import { type TaxConnection, type TaxProviderDependencies, taxConnectionOf } from './dependencies.ts';
import type { TaxProviderName } from './port.ts';

const KEPT = 1_000;
const KEPT_MILLISECONDS = 30_000;

/**
 * Says why a connected provider cannot calculate tax; null: it can. The provider is asked outside the transaction, each
 * time anew: an answer is kept only until the request that asked for it is done again.
 */
export function createTaxReadiness(dependencies: Pick<TaxProviderDependencies, 'providers' | 'accountOf'>) {
  const answers = new LRUCache<string, { readonly problem: string | null }>({ max: KEPT, ttl: KEPT_MILLISECONDS });
  return async (tx: Tx, name: TaxProviderName): Promise<string | null> => {
    const key = `${tx.merchantId} ${name}`;
    const answer = answers.get(key);
    if (answer) {
      answers.delete(key);
      return answer.problem;
    }
    const connection = await taxConnectionOf(tx, dependencies, name);
    if (!connection) return 'The tax provider is not connected.';
    throw new AskOutside(async () => void answers.set(key, { problem: await problemOf(connection) }));
  };
}

async function problemOf({ provider, account }: TaxConnection): Promise<string | null> {
  try {
    const readiness = await provider.probe(account);
    return readiness.ready ? null : readiness.reason;
  } catch (error) {
    if (error instanceof ProviderAway || error instanceof ProviderRefused) return error.message;
    throw error;
  }
}
