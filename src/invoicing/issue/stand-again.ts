import type { Tx } from '../../db/index.ts';
import { fail, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { giveBackAfterVoid } from '../credits/give-credits.ts';
import { selectOverdrawn } from '../difference/billing-credits.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { bySubscription, type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { correctAtOnce } from './supplementary.ts';

/**
 * An invoice stands again, because its refund was voided or because it was paid after its write-off: what could not be
 * credited meanwhile is credited now, unused time and less usage alike (domain.md §4, Late usage).
 */
export async function standAgain(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  for (const own of bySubscription(invoice)) {
    await giveBackAfterVoid(dependencies, tx, own, now);
    await correctAtOnce(dependencies, tx, own, now);
  }
}

/**
 * What credit notes gave back to billing credits counts as used again when they are void.
 * @returns INVALID_TRANSITION where it is used otherwise by now; the caller rolls back
 */
export async function checkCreditsLeft(tx: Tx, invoice: InvoiceRow): Promise<Result<void>> {
  const [over] = await selectOverdrawn(tx, [
    ...[invoice.customerId, payerOf(invoice)],
    ...invoice.sections.map(({ customerId }) => customerId),
  ]);
  if (!over) return ok(undefined);
  const why = `The billing credit "${over.name}" has paid other charges with what it had back.`;
  return fail('INVALID_TRANSITION', {}, why);
}
