import type { Database, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { type Instant, isAfter, SECONDS_PER_HOUR } from '../../kernel/time.ts';
import { deleteConfirmed, deleteOldConfirmed, selectConfirmed, upsertConfirmed } from './confirmed.sql.ts';
import type { Confirmed, RegisterAnswer, TaxIdRegister, VatNumber } from './register.ts';

/** The register is asked again after a day. A payment that begins until then may take another day. */
const ASKED_AGAIN_HOURS = 24;
const KEPT_HOURS = 2 * ASKED_AGAIN_HOURS;
const MOST_FORGOTTEN = 5_000;

const oldestKept = (now: Instant): Instant => now.subtract({ hours: KEPT_HOURS });

/** The confirmation of a number in the last two days (docs/decisions/0235). */
export const findConfirmed = (tx: Tx, number: VatNumber, now: Instant): Promise<Confirmed | undefined> =>
  selectConfirmed(tx, number, oldestKept(now));

/**
 * Asks a register about a number that somebody types, unless it has confirmed the number within a day, and stores a
 * confirmation. The register is asked outside any transaction.
 * @returns `valid` also if an earlier confirmation still holds, because the register does not answer now
 */
export async function confirmTaxId(
  database: Pick<Database, 'transaction'>,
  register: TaxIdRegister,
  merchantId: string,
  number: VatNumber,
  now: Instant,
): Promise<RegisterAnswer['outcome']> {
  const inMerchant = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.transaction({ merchants: [merchantId] }, work, { byKeys: 'one thing' });
  const known = await inMerchant((tx) => findConfirmed(tx, number, now));
  if (known && isAfter(known.confirmedAt, now.subtract({ hours: ASKED_AGAIN_HOURS }))) return 'valid';
  const answer = await register.check(number);
  if (answer.outcome === 'valid')
    await inMerchant((tx) => upsertConfirmed(tx, number, { ...answer, confirmedAt: now }));
  else if (answer.outcome === 'invalid') await inMerchant((tx) => deleteConfirmed(tx, number));
  else if (known) return 'valid';
  return answer.outcome;
}

/** Forgets the confirmations that no sign-up needs any more. */
export const forgetConfirmedTaxIds: Chore = {
  name: 'forgetting confirmed tax numbers',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database, now) => {
    while ((await deleteOldConfirmed(database, oldestKept(now), MOST_FORGOTTEN)) === MOST_FORGOTTEN);
  },
};
