import type { Instant } from '../../kernel/time.ts';
import { figuresOf, pluralOf } from '../../look/index.ts';
import {
  addressBlock,
  billTable,
  contactLinks,
  downloadLinks,
  frame,
  type Html,
  html,
  logoImage,
  openForm,
  type PageTotal,
  partyLines,
} from '../../pages/index.ts';
import type { PaymentReceipt } from '../../payments/index.ts';
import { isPayableByCard, moneyPaid, standingWords } from './standing.ts';
import { downloadsOf, type InvoiceView } from './view.ts';
import { INVOICE_WORDS } from './words.ts';

/** The page of an invoice for its customer: its status, the ways to pay, the payments, and the documents. */
export function invoicePage(view: InvoiceView): string {
  const { standing, invoice, seller } = view;
  const { heading } = standingWords(standing, view, view.look.locale);
  const name = [view.title, invoice.invoiceNumber].filter((part) => part !== null).join(' ');
  return frame(
    `${heading} – ${name} – ${seller.name}`,
    view.look,
    html`<div class="sheet two">
${summary(view, name)}
<section aria-labelledby="standing">
${standingBox(view)}
${waysToPay(view)}
${paymentsOf(view)}
${documents(view)}
${contact(view)}
</section>
</div>`,
  );
}

/** The subject of the invoice. The big figure is the amount due, or the paid amount. */
function summary(view: InvoiceView, name: string): Html {
  const { invoice, seller, bill, look } = view;
  const { currency, grandTotal: total, unpaidAmount: unpaid } = invoice;
  const { money } = figuresOf(look.locale);
  return html`<section class="summary">
${logoImage(view.hasLogo ? `${invoice.id}/logo` : undefined)}
<p class="seller"><bdi>${seller.name}</bdi></p>
<h1 dir="auto">${name}</h1>
<p class="amount">${money(isAsked(view) ? unpaid : total, currency)}</p>
${datesOf(view)}
${invoice.buyer && html`<h2 class="label">${INVOICE_WORDS[look.locale].billedTo}</h2>${addressBlock(partyLines(invoice.buyer, seller, look.locale))}`}
${invoice.buyer?.servedName === undefined ? null : html`<p class="soft">${INVOICE_WORDS[look.locale].suppliedTo} <bdi>${invoice.buyer.servedName}</bdi></p>`}
${billTable(look.locale, bill, leftOf(view))}
</section>`;
}

const isAsked = ({ standing }: InvoiceView): boolean =>
  standing === 'asked' || standing === 'overdue' || standing === 'onItsWay';

function datesOf({ invoice, look }: InvoiceView): Html {
  const { day } = figuresOf(look.locale);
  const words = INVOICE_WORDS[look.locale];
  const { issuedAt: issued, dueAt: due, paymentTermDays: days, livesBySession: isOffer } = invoice;
  return html`<p class="soft">${words.issued(day(issued as Instant))}</p>
${isOffer || due === null ? null : html`<p class="soft">${days === 0 ? words.dueOnReceipt : words.dueOn(day(due), `${days} ${pluralOf(look.locale, days, words.days)}`)}</p>`}`;
}

/** What has been paid and credited of the total, and what is left to pay. */
function leftOf(view: InvoiceView): PageTotal[] {
  const { grandTotal: total, unpaidAmount: unpaid, creditedAmount: credited } = view.invoice;
  const paid = moneyPaid(view.invoice);
  const words = INVOICE_WORDS[view.look.locale];
  return [
    ...(paid.isZero() ? [] : [{ label: words.amountPaid, amount: paid.negated() }]),
    ...(credited.isZero() ? [] : [{ label: words.credited, amount: credited.negated() }]),
    ...(isAsked(view) && !unpaid.eq(total) ? [{ label: words.toPay, amount: unpaid, isStrong: true }] : []),
  ];
}

function standingBox(view: InvoiceView): Html {
  const { standing } = view;
  const { heading, text } = standingWords(standing, view, view.look.locale);
  const look = standing === 'overdue' ? 'notice' : standing === 'paid' ? 'good-news' : 'plain';
  return html`<div class="${look}"><h2 id="standing">${heading}</h2>${text}</div>
${declined(view)}`;
}

/** A charge of a stored card that did not work, and what comes next. */
function declined({ standing, invoice, look }: InvoiceView): Html | null {
  if (invoice.status !== 'PAYMENT_FAILED' || (standing !== 'asked' && standing !== 'overdue')) return null;
  const { failureReason: reason, nextActionAt: again } = invoice;
  const words = INVOICE_WORDS[look.locale];
  const declines: Readonly<Record<string, string>> = words.declines;
  const next = again === null ? '' : ` ${words.chargedAgain(figuresOf(look.locale).day(again))}`;
  return html`<div class="notice"><strong>${declines[reason ?? ''] ?? words.declines.other}</strong>${words.nothingCharged}${next}</div>`;
}

/** The button where a card can pay it; else the account for a transfer, or whom to ask for one. */
function waysToPay(view: InvoiceView): Html | null {
  const { standing, invoice, seller } = view;
  const words = INVOICE_WORDS[view.look.locale];
  const amount = figuresOf(view.look.locale).money(invoice.unpaidAmount, invoice.currency);
  if (isPayableByCard(view)) return openForm(invoice.id, words.payByCard(amount));
  if (standing !== 'asked' && standing !== 'overdue') return null;
  const account = accountRows(view);
  const name = html`<bdi>${seller.name}</bdi>`;
  const rows = [
    ...account,
    factRow(words.amountToSend, amount),
    ...(invoice.invoiceNumber === null ? [] : [factRow(words.reference, invoice.invoiceNumber)]),
  ];
  const note = view.bankTransfer?.note;
  return html`<h3>${words.payByTransfer}</h3>
${account.length > 0 ? null : html`<p>${words.askForDetails(name)}</p>${contactLinks(contactOf(view))}`}
<dl>${rows}</dl>${note ? html`<p class="soft" dir="auto">${note}</p>` : null}`;
}

/** A fact to be copied: one click selects it. */
const factRow = (label: string, value: string): Html =>
  html`<div><dt>${label}</dt><dd><bdi class="copy">${value}</bdi></dd></div>`;

/** The account of the merchant, a row for each of its parts. */
function accountRows({ bankTransfer, look }: InvoiceView): Html[] {
  const words = INVOICE_WORDS[look.locale];
  const { holder, iban, account, bic, bank } = bankTransfer ?? {};
  const rows: [string, string | null | undefined][] = [
    [words.holder, holder],
    ['IBAN', iban?.replace(/(.{4})(?=.)/g, '$1 ')],
    [words.account, account],
    ['BIC', bic],
    [words.bank, bank],
  ];
  return rows.flatMap(([label, value]) => (value ? [factRow(label, value)] : []));
}

const contactOf = ({ seller }: InvoiceView) => ({ email: seller.emails?.[0] ?? null, phone: seller.phone ?? null });

/** The payments with their means and times, and their refunds. */
function paymentsOf(view: InvoiceView): Html | null {
  const { invoice, payments, creditNotes } = view;
  const formats = figuresOf(view.look.locale);
  const { money } = formats;
  const words = INVOICE_WORDS[view.look.locale];
  const { currency, walletApplied: fromWallet, issuedAt } = invoice;
  const rows = [
    ...(fromWallet.isZero() ? [] : [row(view, words.fromBalance, issuedAt, money(fromWallet, currency))]),
    ...payments.map((payment) =>
      row(
        view,
        methodOf(view, payment),
        payment.receivedAt,
        money(payment.amount, currency),
        returnOf(view, payment),
        receiptOf(view, payment),
      ),
    ),
    ...creditNotes.map(({ number, createdAt, total }) =>
      row(view, `${words.creditNote} ${number}`, createdAt, money(total.negated(), currency)),
    ),
  ];
  return rows.length === 0 ? null : html`<h3>${words.paymentsAndCredits}</h3><dl>${rows}</dl>`;
}

const row = (
  { look }: InvoiceView,
  what: string,
  at: Instant | null,
  amount: string,
  note = '',
  link: Html | null = null,
): Html =>
  html`<div><dt>${at === null ? what : INVOICE_WORDS[look.locale].on(what, figuresOf(look.locale).day(at))}${link && html`<br>${link}`}</dt><dd><span class="figure">${amount}</span>${note === '' ? null : html`<br><span class="note">${note}</span>`}</dd></div>`;

const methodOf = ({ look }: InvoiceView, { method, cardBrand: brand, cardLast4: last4 }: PaymentReceipt): string =>
  brand !== null && last4 !== null
    ? figuresOf(look.locale).card({ brand, last4 })
    : INVOICE_WORDS[look.locale].methods[method];

/** Of an invoice without a number there are no documents. */
const receiptOf = ({ invoice, look }: InvoiceView, { id }: PaymentReceipt): Html | null =>
  invoice.invoiceNumber === null
    ? null
    : html`<a href="${invoice.id}/receipts/${id}">${INVOICE_WORDS[look.locale].receiptPdf}</a>`;

function returnOf({ look }: InvoiceView, { returnStatus, returnedAt }: PaymentReceipt): string {
  const words = INVOICE_WORDS[look.locale];
  if (returnStatus === 'returned' && returnedAt) return words.sentBack(figuresOf(look.locale).day(returnedAt));
  return returnStatus === 'requested' || returnStatus === 'manual' ? words.beingSentBack : '';
}

function documents(view: InvoiceView): Html | null {
  const words = INVOICE_WORDS[view.look.locale];
  const links = downloadLinks(downloadsOf(view, view.invoice.id));
  if (view.invoice.invoiceNumber === null) return null;
  return html`<h3>${words.documents}</h3>${links ?? html`<p class="soft">${words.notReady}</p>`}`;
}

/** The seller, and its contact: as at issue, as on the document. */
function contact(view: InvoiceView): Html {
  const { seller, look } = view;
  return html`<h3>${INVOICE_WORDS[look.locale].questions}</h3>
${addressBlock(partyLines({ ...seller, name: seller.legalName ?? seller.name }, view.invoice.buyer ?? {}, look.locale))}
${contactLinks(contactOf(view))}`;
}
