import {
  type CustomerInvoice,
  type InvoiceRow,
  type LineRow,
  type ListedInvoice,
  listCustomerInvoices,
  viewCustomerInvoice,
} from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { breakable, figuresOf, TERMS, taxNames } from '../../look/index.ts';
import { downloadLinks, type Html, html, type PageDownload, stackedTable, type TableRow } from '../../pages/index.ts';
import { explainedLines, linesWithoutMoney } from '../frame/lines.ts';
import type { PortalPage, Visit } from '../frame/page.ts';
import { pager } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { PORTAL_WORDS } from '../words/words.ts';

const PER_PAGE = 20;
const LAST_PAGE = 500;

/** The number of a page in an address; the first where it is none. */
export function pageNumber(text: string | undefined): number {
  const number = /^[1-9]\d{0,3}$/.test(text ?? '') ? Number(text) : 1;
  return Math.min(number, LAST_PAGE);
}

/** Does another customer pay an invoice? Then this one sees what it used, and no money. */
const hidesMoney = ({ customerId }: Visit, { payerId }: InvoiceRow): boolean =>
  payerId !== null && payerId !== customerId;

/** The invoices of the customer, newest first, and those that it pays for others. */
export async function invoicesPage(visit: Visit): Promise<PortalPage> {
  const { tx, merchantId, customerId, look, now, base, query } = visit;
  const words = PORTAL_WORDS[look.locale];
  const number = pageNumber(query.page);
  const asked = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE };
  const { invoices, count } = await listCustomerInvoices(tx, { merchantId, customerId }, asked, now);
  const pages = Math.max(1, Math.ceil(count / PER_PAGE));
  return {
    title: words.tabs.invoices,
    tab: 'invoices',
    body: html`<section><h1>${words.tabs.invoices}</h1>
${
  invoices.length === 0
    ? html`<p class="soft">${words.noInvoices}</p>`
    : stackedTable({
        ...{ caption: words.tabs.invoices, named: words.invoiceNumber },
        columns: [{ head: words.issued, isText: true }, { head: words.status, isText: true }, { head: words.total }],
        rows: invoices.map((each) => invoiceRow(visit, each)),
      })
}
${pager(visit, `${base}/invoices`, { page: number, pages })}
</section>`,
  };
}

const TAGS: Readonly<Record<string, string>> = { overdue: 'tag bad', paid: 'tag good' };

const nameOf = (visit: Visit, number: string | null): string => number ?? PORTAL_WORDS[visit.look.locale].unnumbered;

function invoiceRow(visit: Visit, { invoice, standing }: ListedInvoice): TableRow {
  const { look, base } = visit;
  const { money, shortDay } = figuresOf(look.locale);
  return {
    name: html`<a href="${base}/invoices/${invoice.id}">${nameOf(visit, invoice.invoiceNumber)}</a>`,
    cells: [
      shortDay(invoice.issuedAt as Instant),
      tagOf(visit, standing),
      hidesMoney(visit, invoice) ? null : breakable(money(invoice.grandTotal, invoice.currency)),
    ],
  };
}

const tagOf = ({ look }: Visit, standing: ListedInvoice['standing']): Html =>
  html`<span class="${TAGS[standing] ?? 'tag'}">${PORTAL_WORDS[look.locale].standings[standing]}</span>`;

/** The way to the page on which an invoice is paid; of one that no card can pay, to what that page says. */
export const payForm = (
  page: string,
  invoice: Pick<InvoiceRow, 'paysOnline' | 'livesBySession'>,
  pay: Html | string,
  howToPay: Html | string,
): Html =>
  invoice.paysOnline || invoice.livesBySession
    ? html`<form method="post" action="${page}"><button class="small" type="submit">${pay}</button></form>`
    : html`<a class="button small" href="${page}">${howToPay}</a>`;

/** One invoice: how it stands, its documents, and where each figure comes from. */
export async function invoicePage(dependencies: PortalDependencies, visit: Visit): Promise<PortalPage | null> {
  const { tx, merchantId, customerId, params, look, now, base } = visit;
  const of = { merchantId, customerId, id: params.invoiceId ?? '' };
  const view = await viewCustomerInvoice(dependencies, tx, of, now);
  if (view === null) return null;
  const words = PORTAL_WORDS[look.locale];
  const formats = figuresOf(look.locale);
  const { invoice, standing, rows } = view;
  const page = `${base.replace(/\/portal$/, '')}/pay/invoices/${invoice.id}`;
  const isAsked = standing === 'asked' || standing === 'overdue';
  const amount = formats.money(invoice.unpaidAmount, invoice.currency);
  const missing = invoice.itemCount - rows.length;
  const isHidden = hidesMoney(visit, invoice);
  return {
    title: `${words.invoice} ${nameOf(visit, invoice.invoiceNumber)}`,
    tab: 'invoices',
    body: html`<section><h1>${words.invoice} ${nameOf(visit, invoice.invoiceNumber)}</h1>
<p>${tagOf(visit, standing)}</p>
<dl class="facts">${isHidden ? timesOf(visit, invoice) : factsOf(visit, view)}</dl>
${!isHidden && isAsked && invoice.unpaidAmount.gt(0) ? payForm(page, invoice, words.pay(amount), words.howToPay) : null}
${isHidden ? null : html`<p><a href="${page}">${words.openInvoicePage}</a></p>`}
</section>
<section aria-labelledby="lines"><h2 id="lines">${words.lines}</h2>
${isHidden ? linesWithoutMoney(visit, rows) : inSections(visit, invoice, rows)}
${missing > 0 ? html`<p class="soft">${words.moreLines(missing)}</p>` : null}
</section>
${isHidden ? null : documentsOf(visit, view, page)}`,
  };
}

/** The lines of an invoice; of a grouped one those of each subscription with what they come to. */
function inSections(visit: Visit, invoice: InvoiceRow, rows: readonly LineRow[]): Html {
  if (invoice.sections.length === 0) return explainedLines(visit, invoice, rows);
  const { money } = figuresOf(visit.look.locale);
  const of = (id: string | null) => rows.filter(({ subscriptionId = null }) => subscriptionId === id);
  const others = of(null);
  return html`${invoice.sections.map(
    ({ subscriptionId, name, subtotal }) => html`<h3><bdi>${name}</bdi></h3>
${explainedLines(visit, invoice, of(subscriptionId))}
<p>${TERMS[visit.look.locale].subtotal}: ${breakable(money(subtotal, invoice.currency))}</p>`,
  )}${others.length === 0 ? null : explainedLines(visit, invoice, others)}`;
}

const fact = (label: string, value: string): Html => html`<div><dt>${label}</dt><dd>${breakable(value)}</dd></div>`;

/** The day of issue, and the period. */
function timesOf({ look }: Visit, invoice: InvoiceRow): Html[] {
  const words = PORTAL_WORDS[look.locale];
  const { day, period } = figuresOf(look.locale);
  return [
    fact(words.issued, day(invoice.issuedAt as Instant)),
    ...(invoice.periodStart.equals(invoice.periodEnd)
      ? []
      : [fact(words.period, period(invoice.periodStart, invoice.periodEnd))]),
  ];
}

/** The same, and the totals, each made of the ones before it. */
function factsOf(visit: Visit, { invoice }: CustomerInvoice): Html[] {
  const { look, merchant } = visit;
  const words = PORTAL_WORDS[look.locale];
  const { money, percent } = figuresOf(look.locale);
  const { currency, creditedAmount: credited, paidAmount: paid } = invoice;
  const tax = taxNames(look.locale, invoice.seller ?? merchant).sum;
  const came = paid.minus(credited);
  return [
    ...timesOf(visit, invoice),
    fact(words.subtotal, money(invoice.subtotal, currency)),
    ...invoice.taxes.map(({ rate, amount }) => fact(`${tax} ${percent(rate)}`, money(amount, currency))),
    fact(words.total, money(invoice.grandTotal, currency)),
    ...(came.gt(0) ? [fact(words.amountPaid, money(came.negated(), currency))] : []),
    ...(credited.isZero() ? [] : [fact(words.credited, money(credited.negated(), currency))]),
    fact(words.toPay, money(invoice.unpaidAmount, currency)),
  ];
}

/** The files of an invoice; of an offer without a number there are none. */
function documentsOf(visit: Visit, view: CustomerInvoice, page: string): Html | null {
  const { invoice, hasEInvoice, creditNotes, payments } = view;
  const words = PORTAL_WORDS[visit.look.locale];
  const { day } = figuresOf(visit.look.locale);
  if (invoice.invoiceNumber === null) return null;
  const files: PageDownload[] = [
    ...(invoice.documentFailure === null ? [{ label: words.pdf, href: `${page}/invoice.pdf` }] : []),
    ...(hasEInvoice ? [{ label: words.eInvoice, href: `${page}/invoice.xml` }] : []),
    ...payments.map(({ id, receivedAt: at }) => ({ label: words.receiptOf(day(at)), href: `${page}/receipts/${id}` })),
    ...creditNotes.map(({ id, number }) => ({ label: words.creditNotePdf(number), href: `${page}/creditNotes/${id}` })),
  ];
  return html`<section aria-labelledby="documents"><h2 id="documents">${words.documents}</h2>${downloadLinks(files)}</section>`;
}
