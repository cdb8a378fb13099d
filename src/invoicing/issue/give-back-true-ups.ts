import type { Tx } from '../../db/index.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { TrueUpLine } from '../difference/commitments.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { creditCommitment } from './credit-part.ts';

/**
 * Gives back by credit notes what was asked too much for a commitment: the last invoice first, at most what is left of
 * each.
 * @returns false where an invoice cannot be credited now
 */
export async function giveBackTrueUps(
  dependencies: InvoicingDependencies,
  tx: Tx,
  asked: readonly Pick<TrueUpLine, 'commitmentId' | 'invoiceId' | 'lineId' | 'left' | 'notes'>[],
  tooMuch: Decimal,
  now: Instant,
): Promise<boolean> {
  let open = tooMuch;
  for (const { commitmentId, invoiceId, lineId, left, notes } of asked.toReversed()) {
    const amount = Decimal.min(open, left);
    if (amount.lte(0)) continue;
    const key = `${commitmentId} ${lineId} ${notes}`;
    const part = { lineItemId: lineId, amount, key, reason: 'Less is missing to the commitment.' };
    if (!(await creditCommitment(dependencies, tx, invoiceId, part, now)).ok) return false;
    open = open.minus(amount);
  }
  return true;
}
