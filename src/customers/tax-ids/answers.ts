import type { Database, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { type Instant, SECONDS_PER_HOUR } from '../../kernel/time.ts';
import { deleteOldAnswers, selectAnswer, upsertAnswer } from './answers.sql.ts';
import type { KeptAnswer, RegisterAnswer, TaxIdRegister, VatNumber } from './register.ts';

/** A sign-up can be paid a day after its number was typed; the customer is made then. */
const KEPT_HOURS = 48;
const MOST_FORGOTTEN = 5_000;

const oldestKept = (now: Instant): Instant => now.subtract({ hours: KEPT_HOURS });

/** The answer of a register that somebody had about a number in the last two days (docs/decisions/0235). */
export const recentAnswer = (tx: Tx, number: VatNumber, now: Instant): Promise<KeptAnswer | undefined> =>
  selectAnswer(tx, number, oldestKept(now));

/**
 * Asks a register about a number that somebody types, unless there is a recent answer, and keeps what it says. The
 * register is asked outside any transaction.
 */
export async function askAndKeep(
  database: Pick<Database, 'transaction'>,
  register: TaxIdRegister,
  merchantId: string,
  number: VatNumber,
  now: Instant,
): Promise<RegisterAnswer['outcome']> {
  const scope = { merchants: [merchantId] };
  const kept = await database.transaction(scope, (tx) => recentAnswer(tx, number, now), { byKeys: 'one thing' });
  if (kept) return kept.outcome;
  const answer = await register.check(number);
  if (answer.outcome === 'unavailable') return answer.outcome;
  const known = { name: null, address: null, ...answer, answeredAt: now };
  await database.transaction(scope, (tx) => upsertAnswer(tx, number, known), { byKeys: 'one thing' });
  return answer.outcome;
}

/** Forgets the answers that no sign-up needs any more. */
export const forgetTaxIdAnswers: Chore = {
  name: 'forgetting answers about tax numbers',
  everySeconds: SECONDS_PER_HOUR,
  run: async (database, now) => {
    while ((await deleteOldAnswers(database, oldestKept(now), MOST_FORGOTTEN)) === MOST_FORGOTTEN);
  },
};
