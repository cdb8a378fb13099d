import type { AlertDependencies } from '../alerts/index.ts';
import { customerParty, findMailboxes, type NotificationKind } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { type EnvironmentName, findMerchant, type MerchantOrganization } from '../identity/index.ts';
import {
  type InvoiceFact,
  type InvoiceMails,
  type InvoiceRow,
  localeOf,
  type NotifiedInvoice,
  payUrl,
} from '../invoicing/index.ts';
import { newId } from '../kernel/ids.ts';
import { DEFAULT_LOCALE } from '../kernel/locale.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { figuresOf } from '../look/index.ts';
import type { ComingRenewal, EndingTrial } from '../subscriptions/index.ts';
import { writeAlertMails } from './alert-mails.ts';
import { type AttachmentRecord, fileNameOf } from './attachments.ts';
import { type InvoiceFacts, type RenewalFacts, renewalMail, trialMail } from './compose.ts';
import { accountOf, name, writerOf } from './correspondents.ts';
import { decideMail, outdatedBy } from './decide.ts';
import { invoiceMailContent } from './invoice-mails.ts';
import { MAIL_KINDS, type MailKind } from './kinds.ts';
import { hasMailAbout, insertMails, markMailsWithdrawn, type NewMail } from './mails.sql.ts';
import { type PortalLinkFacts, writePortalMail } from './portal-mail.ts';

interface WriterOptions {
  readonly environment: EnvironmentName;
  /** The base of links, without a slash at the end. */
  readonly publicUrl: string;
}

/** The writer of emails: handlers that wiring passes to the domains whose transactions have the events. */
export interface Mails {
  readonly invoices: InvoiceMails;
  readonly renewal: (tx: Tx, renewal: ComingRenewal, now: Instant) => Promise<void>;
  readonly trial: (tx: Tx, trial: EndingTrial, now: Instant) => Promise<void>;
  readonly alert: AlertDependencies['write'];
  readonly portalLink: (tx: Tx, link: PortalLinkFacts, now: Instant) => Promise<void>;
}

/** A mail before anybody knows whether its customer wants it. */
interface Draft {
  readonly mail: Omit<NewMail, 'id' | 'recipients' | 'status' | 'nextActionAt' | 'createdAt'>;
  /** Any of these settings of the customer lets the mail be written. */
  readonly wants: readonly NotificationKind[];
}

/** These bring the invoice to its customer. */
const BRINGS_INVOICE: readonly MailKind[] = ['invoiceIssued', 'invoicePaid', 'paymentFailed'];

/** In the sandbox everything is written and nothing is sent: whoever tries things out writes to nobody. */
export function createMails({ environment, publicUrl }: WriterOptions): Mails {
  const isSent = environment === 'production';
  const state = (now: Instant) =>
    ({ status: isSent ? 'pending' : 'held', nextActionAt: isSent ? now : null, createdAt: now }) as const;
  /** Writes those of some mails of one merchant that their customers want. */
  const write = async (tx: Tx, drafts: readonly Draft[], now: Instant): Promise<void> => {
    const [first] = drafts;
    if (!first) return;
    const customerIds = drafts.map(({ mail }) => mail.customerId);
    const mailboxes = await findMailboxes(tx, customerIds);
    const mails = drafts.flatMap(({ mail, wants }) => {
      const mailbox = mailboxes.get(mail.customerId);
      const isWanted = wants.some((kind) => mailbox?.notificationSettings[kind] ?? true);
      if (!mailbox || mailbox.emails.length === 0 || !isWanted) return [];
      return [{ ...mail, ...state(now), recipients: mailbox.emails, id: newId('mail') }];
    });
    if (mails.length > 0) await insertMails(tx, mails);
  };
  /** The mail about an event of an invoice; null if the event needs no mail. */
  const draftOf = async (
    tx: Tx,
    { invoice, fact }: NotifiedInvoice,
    merchant: MerchantOrganization,
    now: Instant,
  ): Promise<Draft | null> => {
    const { settings } = merchant;
    if (isSent) await withdrawOutdated(tx, invoice, fact);
    const decided = decideMail(fact, {
      isNumbered: invoice.invoiceNumber !== null,
      isBeingCharged: invoice.paymentInFlight,
      isOverNothing: invoice.grandTotal.isZero(),
      mailsZeroInvoices: settings.mail.zeroInvoices,
      isNotified: await isNotified(tx, invoice, fact),
      lacksRefundMail: fact.kind === 'refundVoided' && !(await hasRefundMail(tx, invoice, fact.note.id)),
    });
    if (decided === null) return null;
    const facts = factsOf(invoice, merchant, publicUrl);
    const content = await invoiceMailContent(tx, invoice, facts, fact, now);
    const { kind, occasion, bringsInvoice } = decided;
    const attachments = settings.mail.attachDocuments ? attachmentsOf(invoice, fact, bringsInvoice) : [];
    // A receipt that brings the invoice is wanted by who wants invoices, too.
    const wants = bringsInvoice ? [MAIL_KINDS[kind], 'invoiceIssued' as const] : [MAIL_KINDS[kind]];
    return { mail: { ...ofInvoice(invoice), kind, occasion, content, attachments }, wants };
  };
  const notifyAll: InvoiceMails['notifyAll'] = async (tx, notified, now) => {
    const [first] = notified;
    if (!first) return;
    const merchant = await findMerchant(tx);
    const drafts: Draft[] = [];
    for (const each of notified) {
      const draft = await draftOf(tx, each, merchant, now);
      if (draft !== null) drafts.push(draft);
    }
    await write(tx, drafts, now);
  };
  return {
    alert: async (tx, alert, trigger, currency, now) => {
      const mails = await writeAlertMails(tx, publicUrl, alert, trigger, currency);
      if (mails.length > 0)
        await insertMails(
          tx,
          mails.map((mail) => ({ ...mail, ...state(now), id: newId('mail') })),
        );
    },
    portalLink: async (tx, link, now) =>
      void (await insertMails(tx, [{ ...(await writePortalMail(tx, link)), ...state(now), id: newId('mail') }])),
    invoices: { notifyAll, notify: (tx, invoice, fact, now) => notifyAll(tx, [{ invoice, fact }], now) },
    renewal: async (tx, { merchantId, subscriptionId, customerId, planName, renewsAt, estimate, card }, now) => {
      const merchant = await findMerchant(tx);
      const seller = writerOf(merchant);
      const { name: buyerName, locale = DEFAULT_LOCALE } = await customerParty(tx, customerId);
      const cardName = card === null ? null : figuresOf(locale).card(card);
      const mail = {
        merchantId,
        kind: 'renewalReminder' as const,
        aboutId: subscriptionId,
        occasion: formatInstant(renewsAt),
        customerId,
        senderName: name(seller.name),
        replyTo: seller.email ?? null,
        content: renewalMail({
          ...{ locale, seller, buyerName, planName, renewsAt, estimate },
          card: cardName,
          account: renewalAccount(merchant, publicUrl),
        }),
        attachments: [],
      };
      await write(tx, [{ mail, wants: ['renewalReminder'] }], now);
    },
    trial: async (tx, { merchantId, subscriptionId, customerId, planName, trialEnd, follows, card }, now) => {
      const merchant = await findMerchant(tx);
      const seller = writerOf(merchant);
      const { name: buyerName, locale = DEFAULT_LOCALE } = await customerParty(tx, customerId);
      const cardName = card === null ? null : figuresOf(locale).card(card);
      const account = renewalAccount(merchant, publicUrl);
      const mail = {
        merchantId,
        kind: 'trialEnding' as const,
        aboutId: subscriptionId,
        occasion: formatInstant(trialEnd),
        customerId,
        senderName: name(seller.name),
        replyTo: seller.email ?? null,
        content: trialMail({ locale, seller, buyerName, planName, trialEnd, follows, card: cardName, account }),
        attachments: [],
      };
      await write(tx, [{ mail, wants: [MAIL_KINDS.trialEnding] }], now);
    },
  };
}

/** The portal, and what it lets customers do with a subscription. */
function renewalAccount(merchant: MerchantOrganization, publicUrl: string): RenewalFacts['account'] {
  const url = accountOf(merchant, publicUrl);
  const { planChange, cancellation } = merchant.settings.portal;
  return url === null ? null : { url, canChange: planChange !== null, canCancel: cancellation !== 'none' };
}

/** An event makes unsent mails untrue: a paid invoice is not asked for. */
async function withdrawOutdated(tx: Tx, { merchantId, id: aboutId }: InvoiceRow, fact: InvoiceFact) {
  const kinds = outdatedBy(fact);
  const occasion = fact.kind === 'refundVoided' ? fact.note.id : null;
  if (kinds.length > 0) await markMailsWithdrawn(tx, { merchantId, aboutId, kinds, occasion });
}

/** Has the customer got a mail about the invoice? It is read only where it decides: a new invoice had no mail. */
async function isNotified(tx: Tx, { merchantId, id: aboutId }: InvoiceRow, fact: InvoiceFact): Promise<boolean> {
  const isAsked =
    fact.kind === 'declined' || fact.kind === 'cancelled' || (fact.kind === 'paid' && fact.by === 'payment');
  return isAsked && hasMailAbout(tx, { merchantId, aboutId, kinds: BRINGS_INVOICE, occasion: null });
}

const hasRefundMail = (tx: Tx, { merchantId, id: aboutId }: InvoiceRow, occasion: string) =>
  hasMailAbout(tx, { merchantId, aboutId, kinds: ['invoiceRefunded'], occasion });

/** The documents that go with a mail about what happened. */
function attachmentsOf(invoice: InvoiceRow, fact: InvoiceFact, bringsInvoice: boolean): AttachmentRecord[] {
  const { id: invoiceId } = invoice;
  const number = invoice.invoiceNumber as string;
  const records: AttachmentRecord[] = [];
  if (bringsInvoice) records.push({ document: 'invoice', invoiceId, id: invoiceId, fileName: fileNameOf(number) });
  if ('paymentId' in fact && fact.kind !== 'reversed')
    records.push({ document: 'receipt', invoiceId, id: fact.paymentId, fileName: fileNameOf(`Receipt-${number}`) });
  if ('note' in fact && fact.note !== null && fact.kind !== 'refundVoided')
    records.push({ document: 'creditNote', invoiceId, id: fact.note.id, fileName: fileNameOf(fact.note.number) });
  return records;
}

const ofInvoice = ({ merchantId, id, customerId, payerId, seller }: InvoiceRow) => ({
  merchantId,
  aboutId: id,
  customerId: payerId ?? customerId,
  senderName: name(seller?.name ?? ''),
  replyTo: seller?.emails?.[0] ?? null,
});

/** @throws for an invoice that has no number: a fault of ours. */
function factsOf(invoice: InvoiceRow, merchant: MerchantOrganization, publicUrl: string): InvoiceFacts {
  const { seller, buyer, invoiceNumber: number, issuedAt, dueAt } = invoice;
  if (!seller || !buyer || number === null || !issuedAt || !dueAt)
    throw new Error(`Invoice ${invoice.id} has not been issued.`);
  return {
    locale: localeOf(invoice),
    seller: { ...seller, email: seller.emails?.[0], accent: merchant.settings.branding.color },
    buyerName: buyer.name,
    number,
    currency: invoice.currency,
    grandTotal: invoice.grandTotal,
    unpaid: invoice.unpaidAmount,
    credited: invoice.creditedAmount,
    paid: invoice.paidAmount.minus(invoice.creditedAmount),
    fromWallet: invoice.walletApplied,
    issuedAt,
    dueAt,
    page: payUrl(publicUrl, invoice.id),
    account: accountOf(merchant, publicUrl),
    paysOnline: invoice.paysOnline,
    bank: merchant.settings.bankTransfer,
  };
}
