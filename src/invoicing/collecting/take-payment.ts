import type { Tx } from '../../db/index.ts';
import type { Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { standAgain } from '../issue/stand-again.ts';
import { type IncomingPayment, receivePayment } from '../paying/pay.ts';

/** Money came in for an invoice (`receivePayment`). One that was written off and is paid now stands again. */
export async function takePayment(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  payment: IncomingPayment,
  now: Instant,
): Promise<Result<InvoiceRow>> {
  const received = await receivePayment(dependencies, tx, invoice, payment, now);
  if (received.ok && invoice.status === 'WRITTEN_OFF' && received.value.status === 'PAID')
    await standAgain(dependencies, tx, received.value, now);
  return received;
}
