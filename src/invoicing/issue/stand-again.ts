import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { giveBackAfterVoid } from '../credits/give-credits.ts';
import { lockCredits } from '../difference/billing-credits.sql.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { bySubscription, type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import { correctAtOnce } from './corrections.ts';

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
 * The billing credits that may pay an invoice, locked: what takes of them at once waits until it stands again. Wallets
 * are locked later.
 */
export const lockCreditsFor = async (tx: Tx, invoice: InvoiceRow): Promise<string[]> =>
  (
    await lockCredits(tx, [
      ...[invoice.customerId, payerOf(invoice)],
      ...invoice.sections.map(({ customerId }) => customerId),
    ])
  ).map(({ id }) => id);
