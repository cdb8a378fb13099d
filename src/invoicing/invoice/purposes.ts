import type { Tx } from '../../db/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CancellationCause, InvoicingDependencies, PurposeHandler } from './dependencies.ts';
import type { InvoiceRow } from './invoice.ts';

/** The handler of an invoice's purpose; null if it has none. @throws for a purpose that nobody handles. */
export function purposeOf(
  dependencies: Pick<InvoicingDependencies, 'purposes'>,
  type: string | null,
): PurposeHandler | null {
  if (type === null) return null;
  const handler = Object.hasOwn(dependencies.purposes, type) ? dependencies.purposes[type] : undefined;
  if (!handler) throw new Error(`No domain handles invoices of ${type}.`);
  return handler;
}

/** May a person issue the draft, as far as its purpose is concerned? */
export const mayIssue = async (
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
): Promise<Result<undefined>> =>
  (await purposeOf(dependencies, invoice.purposeType)?.mayIssue?.(tx, invoice)) ?? ok(undefined);

/**
 * Does what hangs on an invoice that is issued, is about to be paid, or whose charges could not be credited and count
 * again.
 */
export async function announce(
  dependencies: Pick<InvoicingDependencies, 'purposes'>,
  tx: Tx,
  invoice: InvoiceRow,
  what: 'issued' | 'settling' | 'standsAgain',
  now: Instant,
): Promise<void> {
  await purposeOf(dependencies, invoice.purposeType)?.[what]?.(tx, invoice, now);
}

/** Does what hangs on a paid invoice. @returns what `invoice.paid.v0` says of it. */
export const announcePaid = async (
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  now: Instant,
): Promise<Readonly<Record<string, string>>> =>
  (await purposeOf(dependencies, invoice.purposeType)?.paid(tx, invoice, now)) ?? {};

/** Undoes what an invoice had made, because what paid it came back, or it is given back. */
export const announceUndone = async (
  dependencies: Pick<InvoicingDependencies, 'purposes'>,
  tx: Tx,
  invoice: InvoiceRow,
  why: 'reversed' | 'givenBack',
  now: Instant,
): Promise<Result<undefined>> =>
  (await purposeOf(dependencies, invoice.purposeType)?.[why]?.(tx, invoice, now)) ?? ok(undefined);

/** Undoes what waited for an invoice that is cancelled. */
export async function announceCancelled(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  why: CancellationCause,
  now: Instant,
): Promise<void> {
  await purposeOf(dependencies, invoice.purposeType)?.cancelled?.(tx, invoice, why, now);
}

/** Locks what hangs on an invoice, for who is about to lock the invoice and may move it. */
export async function lockPurpose(
  dependencies: Pick<InvoicingDependencies, 'purposes'>,
  tx: Tx,
  { merchantId, purposeType: type, purposeId }: InvoiceRow,
  wait = true,
): Promise<void> {
  if (purposeId !== null) await purposeOf(dependencies, type)?.lock?.(tx, { merchantId, purposeId }, wait);
}
