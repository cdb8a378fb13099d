import { type Database, Gathering } from '../../db/index.ts';
import { recentlyUsed } from '../../kernel/recently-used.ts';
import { type Instant, latest } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type BalanceQuestion, creditBalances } from './billing-credits.ts';
import type { CreditBalance } from './figures.ts';

const MERCHANTS_KEPT = 10_000;
/** Balances that are calculated together at most. */
const MOST = 50;

/** A request for a balance. */
interface Asker {
  readonly database: Database;
  readonly merchantId: string;
  readonly now: Instant;
  readonly signal: AbortSignal;
  readonly endSlot: () => void;
}

type Asked = BalanceQuestion & Pick<Asker, 'now' | 'signal'>;

/**
 * Balances of credits. Those of a merchant that are asked at the same time are calculated together, in a transaction
 * that begins after the requests (docs/decisions/0282). The first request of a set occupies its slot until the answer.
 */
export function gatheredBalances(dependencies: InvoicingDependencies) {
  const merchants = recentlyUsed<string, Gathering<Asked, CreditBalance>>(MERCHANTS_KEPT);
  const gatheringOf = ({ database, merchantId }: Asker) =>
    new Gathering((asked: readonly Asked[]) => {
      const wall = asked.map(({ now }) => now).reduce(latest);
      const [{ signal }, ...others] = asked as [Asked];
      return database.transaction({ merchants: [merchantId] }, (tx) => creditBalances(dependencies, tx, asked, wall), {
        byKeys: 'a list',
        ...(others.length === 0 && { signal }),
      });
    }, MOST);
  return (asker: Asker, question: BalanceQuestion): Promise<CreditBalance> => {
    const { merchantId, now, signal } = asker;
    const gathering = merchants.get(merchantId) ?? gatheringOf(asker);
    merchants.set(merchantId, gathering);
    if (gathering.isJoined) asker.endSlot();
    return gathering.ask({ ...question, now, signal });
  };
}
