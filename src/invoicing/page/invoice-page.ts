import type { Instant } from '../../kernel/time.ts';
import {
  downloadLinks,
  type Formats,
  formatsOf,
  frame,
  type Html,
  html,
  lineTables,
  logoImage,
  openForm,
} from '../../pages/index.ts';
import type { PaymentReceipt } from '../../payments/index.ts';
import { isPayableByCard, moneyPaid, standingWords } from './standing.ts';
import { downloadsOf, type InvoiceView } from './view.ts';

/**
 * The page of an invoice, for the customer who got it: how it stands, how to pay it, what was paid, and its
 * documents.
 */
export function invoicePage(view: InvoiceView): string {
  const { standing, invoice, seller } = view;
  const { heading } = standingWords(standing, view, view.look.locale);
  const name = [view.title, invoice.invoice_number].filter((part) => part !== null).join(' ');
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

/** What it is for. The big figure is what is asked, or what was. */
function summary(view: InvoiceView, name: string): Html {
  const { invoice, seller, lines } = view;
  const { currency, grand_total: total, unpaid_amount: unpaid } = invoice;
  const { money } = formatsOf(view.look.locale);
  return html`<section class="summary">
${logoImage(view.hasLogo ? `${invoice.id}/logo` : undefined)}
<p class="seller"><bdi>${seller.name}</bdi></p>
<h1 dir="auto">${name}</h1>
<p class="amount">${money(isAsked(view) ? unpaid : total, currency)}</p>
${datesOf(view)}
${lineTables(view.look.locale, { lines, currency }, totalsOf(view))}
</section>`;
}

const isAsked = ({ standing }: InvoiceView): boolean =>
  standing === 'asked' || standing === 'overdue' || standing === 'onItsWay';

function datesOf({ invoice, look }: InvoiceView): Html {
  const { day } = formatsOf(look.locale);
  const { issued_at: issued, due_at: due, payment_term_days: days, lives_by_session: isOffer } = invoice;
  const terms =
    days === 0 ? 'on receipt' : `${day(due as Instant)}, ${days} ${days === 1 ? 'day' : 'days'} after issue`;
  return html`<p class="soft">Issued ${day(issued as Instant)}</p>
${isOffer || due === null ? null : html`<p class="soft">Due ${terms}</p>`}`;
}

function totalsOf(view: InvoiceView) {
  const { grand_total: total, unpaid_amount: unpaid, credited_amount: credited } = view.invoice;
  const paid = moneyPaid(view.invoice);
  return [
    ['Total', total],
    ...(paid.isZero() ? [] : [['Paid', paid.negated()] as const]),
    ...(credited.isZero() ? [] : [['Credited', credited.negated()] as const]),
    ...(isAsked(view) && !unpaid.eq(total) ? [['To pay', unpaid] as const] : []),
  ] as const;
}

function standingBox(view: InvoiceView): Html {
  const { standing } = view;
  const { heading, text } = standingWords(standing, view, view.look.locale);
  const look = standing === 'overdue' ? 'notice' : standing === 'paid' ? 'good-news' : 'plain';
  return html`<div class="${look}"><h2 id="standing">${heading}</h2>${text}</div>
${declined(view)}`;
}

const DECLINES: Readonly<Record<string, string>> = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card had insufficient funds.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code was wrong.',
  authentication_required: 'The bank asks the owner of the card to confirm the payment.',
  processing_error: 'The bank could not process the payment.',
  no_payment_method: 'There was no card to charge.',
};

/** A charge of a stored card that did not work, and what comes next. */
function declined({ standing, invoice, look }: InvoiceView): Html | null {
  if (invoice.status !== 'PAYMENT_FAILED' || (standing !== 'asked' && standing !== 'overdue')) return null;
  const { failure_reason: reason, next_action_at: again } = invoice;
  const next =
    again === null ? '' : ` It is charged again on ${formatsOf(look.locale).day(again)}, unless you pay before.`;
  return html`<div class="notice"><strong>${DECLINES[reason ?? ''] ?? 'The last payment did not work.'}</strong>Nothing was charged.${next}</div>`;
}

/** The button where a card can pay it; else whom to ask. */
function waysToPay(view: InvoiceView): Html | null {
  const { standing, invoice, seller } = view;
  if (isPayableByCard(view))
    return openForm(
      invoice.id,
      `Pay ${formatsOf(view.look.locale).money(invoice.unpaid_amount, invoice.currency)} by card`,
    );
  if (standing !== 'asked' && standing !== 'overdue') return null;
  const account = accountRows(view);
  const quote = html`Pay by bank transfer, and give <strong>${invoice.invoice_number ?? ''}</strong> as the reference.`;
  if (account.length === 0) return html`<p>${quote} If you have no bank details, ask <bdi>${seller.name}</bdi>.</p>`;
  return html`<p>${quote}</p><dl>${account}</dl>${view.bankTransfer?.note ? html`<p class="soft" dir="auto">${view.bankTransfer.note}</p>` : null}`;
}

/** The account of the merchant, a row for each of its parts. */
function accountRows({ bankTransfer }: InvoiceView): Html[] {
  const { holder, iban, account, bic, bank } = bankTransfer ?? {};
  const rows: [string, string | null | undefined][] = [
    ['Account holder', holder],
    ['IBAN', iban?.replace(/(.{4})(?=.)/g, '$1 ')],
    ['Account', account],
    ['BIC', bic],
    ['Bank', bank],
  ];
  return rows.flatMap(([label, value]) =>
    value ? [html`<div><dt>${label}</dt><dd><bdi>${value}</bdi></dd></div>`] : [],
  );
}

const METHODS: Readonly<Record<PaymentReceipt['method'], string>> = {
  card: 'Card',
  bank_transfer: 'Bank transfer',
  cash: 'Cash',
  other: 'Other means',
};

/** What was paid how and when, and what of it went back. */
function paymentsOf(view: InvoiceView): Html | null {
  const { invoice, payments, creditNotes } = view;
  const formats = formatsOf(view.look.locale);
  const { money } = formats;
  const { currency, wallet_applied: fromWallet, issued_at: issuedAt } = invoice;
  const rows = [
    ...(fromWallet.isZero() ? [] : [row(formats, 'From your balance', issuedAt, money(fromWallet, currency))]),
    ...payments.map((payment) =>
      row(
        formats,
        methodOf(payment, formats),
        payment.received_at,
        money(payment.amount, currency),
        returnOf(payment, formats),
        receiptOf(view, payment),
      ),
    ),
    ...creditNotes.map(({ number, created_at, total }) =>
      row(formats, `Credit note ${number}`, created_at, money(total.negated(), currency)),
    ),
  ];
  return rows.length === 0 ? null : html`<h3>Payments and credits</h3><dl>${rows}</dl>`;
}

const row = (
  { day }: Formats,
  what: string,
  at: Instant | null,
  amount: string,
  note = '',
  link: Html | null = null,
): Html =>
  html`<div><dt>${what}${at === null ? '' : `, ${day(at)}`}${link && html`<br>${link}`}</dt><dd><span class="figure">${amount}</span>${note === '' ? null : html`<br><span class="note">${note}</span>`}</dd></div>`;

const methodOf = ({ method, card_brand: brand, card_last4: last4 }: PaymentReceipt, { card }: Formats): string =>
  brand !== null && last4 !== null ? card({ brand, last4 }) : METHODS[method];

/** Of an invoice without a number there are no documents. */
const receiptOf = ({ invoice }: InvoiceView, { id }: PaymentReceipt): Html | null =>
  invoice.invoice_number === null ? null : html`<a href="${invoice.id}/receipts/${id}">Receipt (PDF)</a>`;

function returnOf({ return_status, returned_at }: PaymentReceipt, { day }: Formats): string {
  if (return_status === 'returned' && returned_at) return `sent back on ${day(returned_at)}`;
  return return_status === 'requested' || return_status === 'manual' ? 'is being sent back' : '';
}

function documents(view: InvoiceView): Html | null {
  const links = downloadLinks(downloadsOf(view, view.invoice.id));
  if (view.invoice.invoice_number === null) return null;
  return html`<h3>Documents</h3>${links ?? html`<p class="soft">The document is not ready yet. Please look again later.</p>`}`;
}

/** Who sells, and how to reach them: as it was at issue, as on the document. */
function contact({ seller }: InvoiceView): Html {
  const { line1, line2, zipCode, city, state, country } = seller.address ?? {};
  const place = [zipCode, city, state].filter((part) => part !== undefined && part !== '').join(' ');
  const lines = [seller.legalName ?? seller.name, line1, line2, place, countryName(country)].filter(
    (line): line is string => line !== undefined && line !== '',
  );
  const [email] = seller.emails ?? [];
  return html`<h3>Questions?</h3>
<address>${lines.map((line) => html`<bdi>${line}</bdi><br>`)}
${email === undefined ? null : html`<a href="mailto:${encodeURIComponent(email).replace('%40', '@')}">${email}</a><br>`}
${seller.phone === undefined ? null : html`<a href="tel:${seller.phone.replace(/[^+\d]/g, '')}">${seller.phone}</a><br>`}
</address>`;
}

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/** The name of a country by its code; what is no code stands as it was written. */
const countryName = (country: string | undefined): string | undefined =>
  country !== undefined && /^[A-Z]{2}$/.test(country) ? COUNTRIES.of(country) : country;
