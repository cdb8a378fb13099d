import {
  type CustomerInvoice,
  type ListedInvoice,
  listCustomerInvoices,
  viewCustomerInvoice,
} from '../../invoicing/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { downloadLinks, type Html, html, openForm, type PageDownload } from '../../pages/index.ts';
import { explainedLines, stretch } from '../frame/lines.ts';
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

/** The invoices of the customer, newest first. */
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
    : html`<div class="wide"><table><caption class="unseen">${words.tabs.invoices}</caption>
<thead><tr><th scope="col">${words.number}</th><th scope="col">${words.issued}</th><th scope="col">${words.state}</th><th scope="col" class="end">${words.total}</th></tr></thead>
<tbody>${invoices.map((each) => invoiceRow(visit, each))}</tbody></table></div>`
}
${pager(visit, `${base}/invoices`, { page: number, pages })}
</section>`,
  };
}

const TAGS: Readonly<Record<string, string>> = { overdue: 'tag bad', paid: 'tag good' };

const nameOf = (visit: Visit, number: string | null): string => number ?? PORTAL_WORDS[visit.look.locale].unnumbered;

function invoiceRow(visit: Visit, { invoice, standing }: ListedInvoice): Html {
  const { look, base } = visit;
  const { money, day } = figuresOf(look.locale);
  return html`<tr><th scope="row"><a href="${base}/invoices/${invoice.id}">${nameOf(visit, invoice.invoiceNumber)}</a></th>
<td class="start">${day(invoice.issuedAt as Instant)}</td>
<td class="start"><span class="${TAGS[standing] ?? 'tag'}">${PORTAL_WORDS[look.locale].standings[standing]}</span></td>
<td>${money(invoice.grandTotal, invoice.currency)}</td></tr>
`;
}

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
  return {
    title: `${words.invoice} ${nameOf(visit, invoice.invoiceNumber)}`,
    tab: 'invoices',
    body: html`<section><h1>${words.invoice} ${nameOf(visit, invoice.invoiceNumber)}</h1>
<p class="soft">${words.issued} ${formats.day(invoice.issuedAt as Instant)} <span class="${TAGS[standing] ?? 'tag'}">${words.standings[standing]}</span></p>
<dl class="facts">${factsOf(visit, view)}</dl>
${isAsked && invoice.unpaidAmount.gt(0) ? openForm(page, words.pay(amount)) : null}
<p><a href="${page}">${words.openInvoicePage}</a></p>
</section>
<section aria-labelledby="lines"><h2 id="lines">${words.lines}</h2>
${explainedLines(look.locale, invoice, rows)}
${missing > 0 ? html`<p class="soft">${words.moreLines(missing)}</p>` : null}
</section>
${documentsOf(visit, view, page)}`,
  };
}

/** The totals, each made of the ones before it. */
function factsOf({ look }: Visit, { invoice }: CustomerInvoice): Html[] {
  const words = PORTAL_WORDS[look.locale];
  const { money, quantity: number } = figuresOf(look.locale);
  const { currency, creditedAmount: credited, paidAmount: paid } = invoice;
  const fact = (label: string, value: string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const came = paid.minus(credited);
  return [
    ...(invoice.periodStart.equals(invoice.periodEnd)
      ? []
      : [fact(words.period, stretch(look.locale, invoice.periodStart, invoice.periodEnd))]),
    fact(words.subtotal, money(invoice.subtotal, currency)),
    ...invoice.taxes.map(({ rate, amount }) =>
      fact(words.taxOf(number(decimal(rate))), money(decimal(amount), currency)),
    ),
    fact(words.total, money(invoice.grandTotal, currency)),
    ...(came.gt(0) ? [fact(words.amountPaid, money(came.negated(), currency))] : []),
    ...(credited.isZero() ? [] : [fact(words.credited, money(credited.negated(), currency))]),
    fact(words.leftToPay, money(invoice.unpaidAmount, currency)),
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
