import { effectiveNowForReading } from '../../clocks/index.ts';
import { findLocale } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type EnvironmentName, findMerchant, hasLogo, type MerchantSettings } from '../../identity/index.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Instant } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { type Look, lookOf, type PageBill, type PageDownload, partyLines } from '../../pages/index.ts';
import {
  checkTakesCards,
  type EntityDescription,
  isOver,
  openSessionOf,
  type PaymentReceipt,
  type PaymentSession,
  receiptsOf,
} from '../../payments/index.ts';
import { selectNewestCreditNotes } from '../credit-notes/credit-notes.sql.ts';
import { hasEInvoice } from '../documents/documents.sql.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import { type InvoiceRow, type PartyRecord, payerOf } from '../invoice/invoice.ts';
import { selectInvoice } from '../invoice/invoices.sql.ts';
import { isTopUp } from '../paying/sessions.ts';
import { billForCustomers } from './bill.ts';
import { isPayableByCard, type Standing, type StandingFacts, standingOf, standingWords } from './standing.ts';
import { INVOICE_WORDS } from './words.ts';

/** The view of an invoice for its customer. */
export interface InvoiceView extends StandingFacts {
  readonly invoice: InvoiceRow;
  readonly standing: Standing;
  readonly look: Look;
  /** Its name: `Invoice`. */
  readonly title: string;
  readonly seller: PartyRecord;
  /** Oldest first. */
  readonly payments: readonly PaymentReceipt[];
  readonly creditNotes: readonly CreditNoteRow[];
  /** As on the document. */
  readonly bill: PageBill;
  readonly hasEInvoice: boolean;
  readonly hasLogo: boolean;
  /** The account for transfers, where the merchant has given one. */
  readonly bankTransfer: MerchantSettings['bankTransfer'];
}

const MOST_NOTES = 100;

/**
 * @param asked the language that the browser asks for, where the customer has none
 * @returns null where there is no such invoice, or none that its customer may see yet
 */
export async function viewInvoice(
  tx: Tx,
  environment: EnvironmentName,
  id: string,
  wall: Instant,
  asked?: Locale,
): Promise<InvoiceView | null> {
  const invoice = await selectInvoice(tx, id);
  if (!invoice) return null;
  const now = await effectiveNowForReading(tx, invoice.clockId, wall);
  const creditNotes = await selectNewestCreditNotes(tx, id, MOST_NOTES);
  const merchant = await findMerchant(tx);
  const { name, settings } = merchant;
  const facts: StandingFacts & { invoice: InvoiceRow } = {
    invoice,
    refund: creditNotes.find(({ kind, status }) => kind === 'refund' && status === 'ISSUED') ?? null,
    hasSession: (await payableSession(tx, invoice, now)) !== null,
    takesCards: checkTakesCards(settings).ok,
    now,
  };
  const standing = standingOf(facts);
  if (standing === null) return null;
  const look = lookOf(environment, settings, await findLocale(tx, payerOf(invoice)), asked);
  const words = INVOICE_WORDS[look.locale];
  return {
    ...facts,
    standing,
    look,
    title: isTopUp(invoice) ? words.topUp : words.invoice,
    seller: invoice.seller ?? { name },
    payments: await receiptsOf(tx, id),
    creditNotes: creditNotes.filter(({ status }) => status === 'ISSUED').toReversed(),
    bill: await billForCustomers(tx, merchant, invoice, look.locale),
    bankTransfer: settings.bankTransfer,
    hasLogo: await hasLogo(tx),
    hasEInvoice: await hasEInvoice(tx, id),
  };
}

/** The session by which an invoice can be paid at this moment; null where there is none. */
export async function payableSession(tx: Tx, { id }: InvoiceRow, now: Instant): Promise<PaymentSession | null> {
  const session = await openSessionOf(tx, id);
  return session && session.status !== 'processing' && !isOver(session, now) ? session : null;
}

/**
 * The files that a customer may have of an invoice; receipts stand with their payments.
 * @param base the address of its page, relative to the page that shows them
 */
export function downloadsOf(
  { invoice, creditNotes, hasEInvoice, title, look }: InvoiceView,
  base: string,
): PageDownload[] {
  const words = INVOICE_WORDS[look.locale];
  if (invoice.invoiceNumber === null) return [];
  const hasDocument = invoice.documentFailure === null;
  return [
    ...(hasDocument ? [{ label: words.invoicePdf(title), href: `${base}/invoice.pdf` }] : []),
    ...(hasEInvoice ? [{ label: words.eInvoice, href: `${base}/invoice.xml` }] : []),
    ...creditNotes.map(({ id, number }) => ({
      label: words.creditNotePdf(number),
      href: `${base}/creditNotes/${id}`,
    })),
  ];
}

const receiptsFor = ({ invoice, payments, look }: InvoiceView, base: string): PageDownload[] =>
  invoice.invoiceNumber === null
    ? []
    : payments.map(({ id, receivedAt }) => ({
        label: INVOICE_WORDS[look.locale].receiptOf(figuresOf(look.locale).day(receivedAt)),
        href: `${base}/receipts/${id}`,
      }));

/** The invoice on the page of its payment session. */
export function describeForSession(view: InvoiceView): EntityDescription {
  const { invoice, title, seller, bill, standing, look } = view;
  const page = `invoices/${invoice.id}`;
  return {
    title,
    seller: seller.name,
    ...(view.hasLogo && { logo: `${page}/logo` }),
    number: invoice.invoiceNumber,
    bill,
    ...(invoice.buyer && { buyer: partyLines(invoice.buyer, seller, look.locale) }),
    dueAt: invoice.livesBySession ? null : invoice.dueAt,
    amount: invoice.unpaidAmount,
    standing: {
      isPayable: isPayableByCard(view),
      isPaid: standing === 'paid',
      ...standingWords(standing, view, look.locale),
      page,
      downloads: [...downloadsOf(view, page), ...receiptsFor(view, page)],
    },
  };
}
