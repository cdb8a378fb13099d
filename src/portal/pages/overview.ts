import { findPlan } from '../../catalog/index.ts';
import { findNextToClose, type ListedInvoice, listDueInvoices, viewAsOfNow } from '../../invoicing/index.ts';
import type { Instant } from '../../kernel/time.ts';
import { formatsOf, type Html, html } from '../../pages/index.ts';
import { findSubscriptions, type SubscriptionRow } from '../../subscriptions/index.ts';
import type { PortalPage, Visit } from '../frame/page.ts';
import { doneNote } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { PORTAL_WORDS } from '../words/words.ts';

/** The most subscriptions on a page. */
const MOST_SUBSCRIPTIONS = 50;

/** The open invoices, the plans, and the estimates of the next invoices. */
export async function overviewPage(dependencies: PortalDependencies, visit: Visit): Promise<PortalPage> {
  const { tx, merchantId, customerId, look, now } = visit;
  const words = PORTAL_WORDS[look.locale];
  const due = await listDueInvoices(tx, { merchantId, customerId }, now);
  const page = { limit: MOST_SUBSCRIPTIONS, offset: 0 };
  const { rows } = await findSubscriptions(tx, merchantId, { customerId }, page);
  const plans: Html[] = [];
  for (const subscription of rows) plans.push(await planRow(dependencies, visit, subscription));
  return {
    title: words.tabs.overview,
    tab: 'overview',
    body: html`<section aria-labelledby="due">
<h1 class="unseen">${words.tabs.overview}</h1>
${doneNote(visit)}
<h2 id="due">${words.toPay}</h2>
${due.length === 0 ? html`<p class="soft">${words.nothingToPay}</p>` : due.map((each) => dueRow(dependencies, visit, each))}
</section>
<section aria-labelledby="plans"><h2 id="plans">${words.yourPlans}</h2>
${plans.length === 0 ? html`<p class="soft">${words.noPlans}</p>` : plans}
</section>`,
  };
}

/** The address of an invoice's page, which leads to its payment session. */
const payPath = ({ base }: Visit, invoiceId: string): string =>
  `${base.replace(/\/portal$/, '')}/pay/invoices/${invoiceId}`;

function dueRow(_: PortalDependencies, visit: Visit, { invoice, standing }: ListedInvoice): Html {
  const { look, base } = visit;
  const words = PORTAL_WORDS[look.locale];
  const { money, day } = formatsOf(look.locale);
  const amount = money(invoice.unpaidAmount, invoice.currency);
  const due = day(invoice.dueAt as Instant);
  const name = invoice.invoiceNumber ?? '';
  const failed = invoice.status === 'PAYMENT_FAILED' && standing !== 'onItsWay';
  return html`<div class="row"><div><strong>${amount}</strong> <a href="${base}/invoices/${invoice.id}">${words.invoice} ${name}</a>
<span class="note">${standing === 'overdue' ? words.wasDueOn(due) : words.dueOn(due)} ${standing === 'overdue' ? html`<span class="tag bad">${words.standings.overdue}</span>` : null}</span>
${failed ? html`<span class="note">${words.lastChargeFailed} <a href="${base}/cards">${words.checkCards}</a></span>` : null}</div>
<div class="acts">${
    standing === 'onItsWay'
      ? html`<span class="tag">${words.standings.onItsWay}</span>`
      : html`<form method="post" action="${payPath(visit, invoice.id)}"><button class="small" type="submit">${words.pay(amount)}<span class="unseen"> ${words.forInvoice(name)}</span></button></form>`
  }</div></div>
`;
}

async function planRow({ invoicing }: PortalDependencies, visit: Visit, subscription: SubscriptionRow): Promise<Html> {
  const { tx, look, base } = visit;
  const words = PORTAL_WORDS[look.locale];
  const { money, day } = formatsOf(look.locale);
  const plan = await findPlan(tx, subscription.planId);
  const open = subscription.status === 'active' ? await findNextToClose(tx, subscription.id, null) : undefined;
  const stands = open && (await viewAsOfNow(invoicing, tx, open));
  const total = stands && money(stands.invoice.grandTotal, stands.invoice.currency);
  const estimate =
    total === undefined
      ? html`<span class="note">${words.noEstimate}</span>`
      : html`<span><span class="note">${words.estimate}</span> <strong>${total}</strong></span>`;
  return html`<div class="row"><div><strong dir="auto">${planName(plan)}</strong> ${subscription.name === planName(plan) ? null : html`<span class="note" dir="auto">${subscription.name}</span>`}
<span class="note">${standingOf(visit, subscription)}</span>
${open === undefined ? null : html`<span class="note">${words.nextInvoice(day(open.periodEnd))}</span>`}</div>
<div class="acts">${open === undefined ? null : estimate}
<a class="button small second" href="${base}/subscriptions/${subscription.id}">${words.see}<span class="unseen"> ${planName(plan)}</span></a></div></div>
`;
}

/** The name of a plan for customers. */
export const planName = (
  plan: { readonly name: string; readonly invoiceDisplayName?: string | null } | undefined,
): string => (plan === undefined ? '' : (plan.invoiceDisplayName ?? plan.name));

/** When a plan ends or has ended, where it does. */
export function standingOf({ look }: Pick<Visit, 'look'>, subscription: SubscriptionRow): string {
  const words = PORTAL_WORDS[look.locale];
  const { day } = formatsOf(look.locale);
  if (subscription.status === 'pending_payment') return words.waitsForPayment;
  if (subscription.terminatedAt !== null) return words.endedOn(day(subscription.terminatedAt));
  return subscription.endingAt === null ? '' : words.endsOn(day(subscription.endingAt));
}
