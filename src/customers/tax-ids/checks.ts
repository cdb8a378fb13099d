import type { Database, Tx } from '../../db/index.ts';
import type { DueKind } from '../../jobs/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { DescribeTaxId } from '../../tax/index.ts';
import { decideFirst, decideOutcome, isAbout, retryAt, type TaxIdCheck, type TaxIdSubject } from './check.ts';
import { deleteCheck, selectChecks, updateOutcome, upsertCheck } from './checks.sql.ts';
import { findConfirmed } from './confirmed.ts';
import type { TaxIdRegister, VatNumber } from './register.ts';

/** The owner of the tax id. */
interface Holder {
  readonly merchantId: string;
  readonly customerId: string;
}

/** The checks of some customers, by the customers' ids. */
export async function loadChecks(tx: Tx, holders: readonly Holder[]): Promise<ReadonlyMap<string, TaxIdCheck>> {
  if (holders.length === 0) return new Map();
  const merchantIds = new Set(holders.map(({ merchantId }) => merchantId));
  const customerIds = holders.map(({ customerId }) => customerId);
  const checks = await selectChecks(tx, [...merchantIds], customerIds);
  return new Map(checks.map((check) => [check.customerId, check]));
}

/**
 * Begins a check where the tax id or the country is another one than was checked. A number that the register has
 * confirmed in the last two days is valid at once. Otherwise only the form is looked at here: the register is asked by
 * due work, outside any transaction.
 * @param subject null: there is no tax id any more
 */
export async function watchTaxId(
  tx: Tx,
  describeTaxId: DescribeTaxId,
  holder: Holder,
  subject: TaxIdSubject | null,
  now: Instant,
): Promise<void> {
  const check = (await loadChecks(tx, [holder])).get(holder.customerId);
  if (subject === null) {
    if (check) await deleteCheck(tx, holder.customerId);
    return;
  }
  if (check && isAbout(check, subject)) return;
  const form = await describeTaxId(subject.taxId, subject.country);
  const confirmed = form.kind === 'registered' ? await findConfirmed(tx, form, now) : undefined;
  const known = confirmed && decideOutcome({ outcome: 'valid', ...confirmed }, confirmed.confirmedAt);
  await upsertCheck(tx, holder, subject, known ?? decideFirst(form, now), now);
}

/** The dependencies of a question to a register. */
export interface TaxIdDependencies {
  /** null: no register is asked, and ids stay `unchecked`. */
  readonly register: TaxIdRegister | null;
  readonly describeTaxId: DescribeTaxId;
  readonly database: Pick<Database, 'transaction'>;
  /** Makes the call beside background jobs, which do not wait for it. */
  call(merchantId: string, work: () => Promise<void>): Promise<void>;
  /** Wall time. */
  readonly now: () => Instant;
}

/** The tax id of a customer as it is now; null where it has none, or is gone. */
export type FindTaxId = (tx: Tx, customerId: string) => Promise<TaxIdSubject | null>;

/**
 * Asks the register about tax ids. The step commits when it would ask again, which is also the retry of a call that was
 * lost; the call follows the commit, and its outcome has a transaction of its own (docs/decisions/0112).
 */
export const taxIdDueKind = (dependencies: TaxIdDependencies, findTaxId: FindTaxId): DueKind => ({
  kind: 'tax_id_check',
  step: async (tx, { merchantId, id: customerId }, now) => {
    const holder = { merchantId, customerId };
    const check = (await loadChecks(tx, [holder])).get(customerId);
    const subject = await findTaxId(tx, customerId);
    if (subject === null || !check) {
      await deleteCheck(tx, customerId);
      return;
    }
    const form = await dependencies.describeTaxId(subject.taxId, subject.country);
    const known = isAbout(check, subject) ? check : { ...check, ...decideFirst(form, now) };
    if (form.kind !== 'registered') {
      await upsertCheck(tx, holder, subject, { ...known, attempts: 0, nextActionAt: null }, now);
      return;
    }
    const attempts = known.attempts + 1;
    await upsertCheck(tx, holder, subject, { ...known, attempts, nextActionAt: retryAt(attempts, now) }, now);
    const { register } = dependencies;
    if (register !== null)
      return async () => void dependencies.call(merchantId, () => ask(dependencies, register, holder, subject, form));
  },
});

async function ask(
  { database, now }: TaxIdDependencies,
  register: TaxIdRegister,
  holder: Holder,
  subject: TaxIdSubject,
  number: VatNumber,
): Promise<void> {
  const answer = await register.check({ prefix: number.prefix, number: number.number });
  const at = now();
  const outcome = decideOutcome(answer, at);
  if (outcome === null) return;
  await database.transaction({ merchants: [holder.merchantId] }, (tx) =>
    updateOutcome(tx, holder, subject, outcome, at),
  );
}
