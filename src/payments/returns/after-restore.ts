import { currentLife, type Database, isInDoubt, type Life, ownerOf, selectAllMerchants } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { type Instant, isBefore, SECONDS_PER_HOUR } from '../../kernel/time.ts';
import { connectionOf, type RemoteDependencies } from '../calls/dependencies.ts';
import { ProviderAway, ProviderRefused } from '../provider/remote.ts';
import { insertComparison, isCompared } from './after-restore.sql.ts';
import { recordUnmatchedPayment } from './unmatched.ts';

/** Charges that are due after a restore are made, or found, within this time. What is left then belongs to nothing. */
const FIRST_HOUR = { hours: 1 };
/** `restoredTo` is read once a minute. What is known already is not listed. */
const BEFORE = { minutes: 5 };

/**
 * After a restore: money that a provider took in the lost time and that no record here explains, such as a payment page
 * that was made and paid then. A person decides about it (decision 0250).
 */
export const comparisonChore = (remote: RemoteDependencies): Chore => ({
  name: 'comparing payments with their providers after a restore',
  everySeconds: SECONDS_PER_HOUR / 6,
  run: async (database, now) => {
    const life = await database.transaction('nobody', currentLife);
    if (!isInDoubt(life, now) || isBefore(now, life.beganAt.add(FIRST_HOUR))) return;
    for (const merchantId of await database.transaction('every merchant, reading', selectAllMerchants))
      await compare(database, remote, { merchantId, life }, now);
  },
});

/** A provider that cannot be asked now is asked the next time. */
async function compare(
  database: Database,
  remote: RemoteDependencies,
  { merchantId, life }: { readonly merchantId: string; readonly life: Life },
  now: Instant,
): Promise<void> {
  const scope = { merchants: [merchantId] };
  const connection = await database.transaction(scope, async (tx) =>
    (await isCompared(tx, life.number)) ? null : connectionOf(tx, remote, 'stripe'),
  );
  if (!connection) return;
  const { provider, account } = connection;
  try {
    const taken = await provider.listCharges(account, (life.restoredTo ?? life.beganAt).subtract(BEFORE));
    await database.transaction(scope, async (tx) => {
      for (const { invoiceId, reference, amount, currency } of taken) {
        const owner = invoiceId === null ? null : await ownerOf(tx, invoiceId);
        if (owner && owner !== merchantId) continue; // two merchants may have one account
        await recordUnmatchedPayment(
          tx,
          {
            ...{ merchantId, invoiceId, reference, amount, currency },
            ...{ sessionId: null, chargeId: null, provider: 'stripe', reason: 'too_late' },
          },
          now,
          true,
        );
      }
      await insertComparison(tx, life.number, now);
    });
  } catch (error) {
    if (!(error instanceof ProviderAway || error instanceof ProviderRefused)) throw error;
  }
}
