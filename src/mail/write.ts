import { customerParty, emailsFor } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { type EnvironmentName, findOrganization } from '../identity/index.ts';
import { type InvoiceLetters, type InvoiceRow, payUrl } from '../invoicing/index.ts';
import { newId } from '../kernel/ids.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { ComingRenewal } from '../subscriptions/index.ts';
import { type InvoiceFacts, issuedLetter, name, paidLetter, renewalLetter } from './compose.ts';
import { insertMail, type NewMail } from './mails.sql.ts';

interface WriterOptions {
  readonly environment: EnvironmentName;
  /** What links start with, without a slash at the end. */
  readonly publicUrl: string;
}

/** Who writes to customers: handlers that wiring gives to those in whose transactions it happens. */
export interface Letters {
  readonly invoices: InvoiceLetters;
  readonly renewal: (tx: Tx, renewal: ComingRenewal, now: Instant) => Promise<void>;
}

type Draft = Omit<NewMail, 'id' | 'recipients' | 'status' | 'next_action_at' | 'created_at'>;

/** In the sandbox everything is written and nothing is sent: whoever tries things out writes to nobody. */
export function createLetters({ environment, publicUrl }: WriterOptions): Letters {
  const isSent = environment === 'production';
  const write = async (tx: Tx, mail: Draft, now: Instant) => {
    const recipients = await emailsFor(tx, mail.merchant_id, mail.customer_id, mail.kind);
    if (recipients.length === 0) return;
    const state = { status: isSent ? 'pending' : 'held', next_action_at: isSent ? now : null } as const;
    await insertMail(tx, { ...mail, ...state, recipients, id: newId('mail'), created_at: now });
  };
  return {
    invoices: {
      issued: async (tx, invoice, now) => {
        if (invoice.lives_by_session) return; // whoever pays it is on the page already, and it has no number yet
        const letter = issuedLetter(factsOf(invoice, publicUrl));
        await write(tx, { ...ofInvoice(invoice), kind: 'invoiceIssued', letter }, now);
      },
      paid: async (tx, invoice, now) => {
        const facts = factsOf(invoice, publicUrl);
        if (facts.paid.isZero()) return; // no receipt for nothing
        await write(tx, { ...ofInvoice(invoice), kind: 'invoicePaid', letter: paidLetter(facts, now) }, now);
      },
    },
    renewal: async (tx, { merchantId, subscriptionId, customerId, planName, renewsAt }, now) => {
      const seller = await findOrganization(tx, merchantId, merchantId);
      if (!seller) throw new Error(`Merchant ${merchantId} has no organization.`);
      const { name: buyerName } = await customerParty(tx, merchantId, customerId);
      const mail = {
        merchant_id: merchantId,
        kind: 'renewalReminder' as const,
        about_id: subscriptionId,
        occasion: formatInstant(renewsAt),
        customer_id: customerId,
        sender_name: name(seller.name),
        reply_to: seller.billingEmails[0] ?? null,
        letter: renewalLetter({ sellerName: seller.name, buyerName, planName, renewsAt }),
      };
      await write(tx, mail, now);
    },
  };
}

const ofInvoice = ({ merchant_id, id, customer_id, seller }: InvoiceRow) => ({
  merchant_id,
  about_id: id,
  occasion: '',
  customer_id,
  sender_name: name(seller?.name ?? ''),
  reply_to: seller?.emails?.[0] ?? null,
});

/** @throws for an invoice that has not been issued: a fault of ours. */
function factsOf(invoice: InvoiceRow, publicUrl: string): InvoiceFacts {
  const { seller, buyer, invoice_number: number, issued_at: issuedAt, due_at: dueAt } = invoice;
  if (!seller || !buyer || number === null || !issuedAt || !dueAt)
    throw new Error(`Invoice ${invoice.id} has not been issued.`);
  return {
    sellerName: seller.name,
    buyerName: buyer.name,
    number,
    currency: invoice.currency,
    grandTotal: invoice.grand_total,
    unpaid: invoice.unpaid_amount,
    credited: invoice.credited_amount,
    paid: invoice.paid_amount.minus(invoice.credited_amount),
    issuedAt,
    dueAt,
    payUrl: invoice.pays_online ? payUrl(publicUrl, invoice.id) : null,
  };
}
