import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { giveBackAfterVoid } from '../credits/give-credits.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
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
  await giveBackAfterVoid(dependencies, tx, invoice, now);
  await correctAtOnce(dependencies, tx, invoice, now);
}
