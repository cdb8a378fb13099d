import type { Tx } from '../db/index.ts';
import { type InvoiceFact, type InvoiceRow, localeOf } from '../invoicing/index.ts';
import { type Decimal, ZERO } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import { figuresOf, TERMS } from '../look/index.ts';
import { findMethod, findReceipt, type PaymentReceipt, receiptsOf } from '../payments/index.ts';
import {
  type CreditFacts,
  cancelledMail,
  creditedMail,
  type DeclineFacts,
  declinedMail,
  type InvoiceFacts,
  issuedMail,
  type PaymentFacts,
  paidMail,
  partPaidMail,
  refundedMail,
  refundVoidedMail,
  reversedMail,
} from './compose.ts';
import type { MailContent } from './content.ts';

/** The mail about what happened to an invoice, with what has to be looked up for it. */
export async function invoiceMailContent(
  tx: Tx,
  invoice: InvoiceRow,
  facts: InvoiceFacts,
  fact: InvoiceFact,
  now: Instant,
): Promise<MailContent> {
  switch (fact.kind) {
    case 'issued':
      return issuedMail(facts);
    case 'paid':
      if (invoice.grandTotal.isZero()) return issuedMail(facts);
      return paidMail(facts, fact.by === 'payment' ? await paymentOf(tx, invoice, fact.paymentId) : null, now);
    case 'partPaid':
      return partPaidMail(facts, await paymentOf(tx, invoice, fact.paymentId));
    case 'reversed':
      return reversedMail(facts, await paymentOf(tx, invoice, fact.paymentId));
    case 'declined':
      return declinedMail(facts, await declineOf(tx, invoice, fact));
    case 'refunded': {
      const { note, intoWallet } = fact;
      const returns = await returnsOf(tx, invoice, note.id);
      return refundedMail(facts, creditOf(note, { returns, off: ZERO, intoWallet }));
    }
    case 'refundVoided': {
      const { note, stopped, left } = fact;
      return refundVoidedMail(facts, { number: note.number, stopped, left });
    }
    case 'credited': {
      const { note, off, returned = ZERO, intoWallet } = fact;
      const returns = returned.isZero() ? [] : [{ amount: returned, to: 'sender' } as const];
      return creditedMail(facts, creditOf(note, { returns, off, intoWallet }));
    }
    case 'cancelled':
      return cancelledMail(facts, fact.note?.number ?? '', fact.intoWallet);
    case 'writtenOff':
      throw new Error('A written-off invoice has no email.');
  }
}

const creditOf = (
  { number, total }: { number: string; total: Decimal },
  more: Pick<CreditFacts, 'returns' | 'off' | 'intoWallet'>,
): CreditFacts => ({ number, total, ...more });

const cardOf = ({ cardBrand: brand, cardLast4: last4 }: PaymentReceipt, invoice: InvoiceRow): string | null =>
  brand === null || last4 === null ? null : figuresOf(localeOf(invoice)).card({ brand, last4 });

async function paymentOf(tx: Tx, invoice: InvoiceRow, id: string): Promise<PaymentFacts> {
  const payment = await findReceipt(tx, { merchantId: invoice.merchantId, invoiceId: invoice.id, id });
  if (!payment) throw new Error(`Payment ${id} is not of invoice ${invoice.id}.`);
  return {
    amount: payment.amount,
    method: cardOf(payment, invoice) ?? TERMS[localeOf(invoice)].methods[payment.method],
    receivedAt: payment.receivedAt,
  };
}

async function declineOf(
  tx: Tx,
  invoice: InvoiceRow,
  { paymentMethodId, reason, next }: Extract<InvoiceFact, { kind: 'declined' }>,
): Promise<DeclineFacts> {
  const card = paymentMethodId === null ? undefined : await findMethod(tx, paymentMethodId);
  return {
    card: card ? figuresOf(localeOf(invoice)).card(card) : null,
    reason,
    retryAt: next.kind === 'fails' ? next.retryAt : null,
    end: next.kind === 'ends' ? next.by : null,
  };
}

/** The ways of a refund: the amount of each payment, less its part in the wallet. */
async function returnsOf(tx: Tx, invoice: InvoiceRow, refundId: string): Promise<CreditFacts['returns']> {
  const going = (await receiptsOf(tx, invoice.id)).filter(
    ({ returnRefundId, returnStatus }) => returnRefundId === refundId && returnStatus !== 'stopped',
  );
  return going.map((payment) => ({
    amount: payment.amount.minus(payment.overpaid),
    to: payment.method === 'card' ? { card: cardOf(payment, invoice) } : 'sender',
  }));
}
