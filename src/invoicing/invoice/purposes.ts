import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CancellationCause, InvoicingParts, PurposeHandler } from './dependencies.ts';
import type { InvoiceRow } from './invoice.ts';

/** The handler of an invoice's purpose; null if it has none. @throws for a purpose that nobody handles. */
export function purposeOf(parts: Pick<InvoicingParts, 'purposes'>, type: string | null): PurposeHandler | null {
  if (type === null) return null;
  const handler = Object.hasOwn(parts.purposes, type) ? parts.purposes[type] : undefined;
  if (!handler) throw new Error(`No domain handles invoices of ${type}.`);
  return handler;
}

/** Does what hangs on a paid invoice. @returns what `invoice.paid.v0` says of it. */
export const tellPaid = async (
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<Readonly<Record<string, string>>> =>
  (await purposeOf(parts, invoice.purposeType)?.paid(tx, invoice, now)) ?? {};

/** Undoes what waited for an invoice that is cancelled. */
export async function tellCancelled(
  parts: InvoicingParts,
  tx: Tx,
  invoice: InvoiceRow,
  why: CancellationCause,
  now: Instant,
): Promise<void> {
  await purposeOf(parts, invoice.purposeType)?.cancelled?.(tx, invoice, why, now);
}

/** The charges of an invoice that could not be credited count again. */
export async function tellStandsAgain(
  parts: Pick<InvoicingParts, 'purposes'>,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<void> {
  await purposeOf(parts, invoice.purposeType)?.standsAgain?.(tx, invoice, now);
}

/** Locks what hangs on an invoice, for who is about to lock the invoice and may move it. */
export async function lockPurpose(
  parts: Pick<InvoicingParts, 'purposes'>,
  tx: Tx,
  { merchantId, purposeType: type, purposeId }: InvoiceRow,
  wait = true,
): Promise<void> {
  if (purposeId !== null) await purposeOf(parts, type)?.lock?.(tx, { merchantId, purposeId }, wait);
}
