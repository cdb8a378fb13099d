import { findPlans, type Plan } from '../../catalog/index.ts';
import { findChildren } from '../../customers/index.ts';
import {
  findNextToCloseOfEach,
  type InvoiceRow,
  type ListedInvoice,
  listDueInvoices,
  totalsAsOfNow,
} from '../../invoicing/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';
import { currentPause, findSubscriptionsOfCustomer, type SubscriptionRow } from '../../subscriptions/index.ts';
import { isPaidFor, type PortalPage, type Visit } from '../frame/page.ts';
import { doneNote } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import { payForm } from './invoices.ts';
import { ownNameOf } from './own-name.ts';

/** The most subscriptions on a page. */
const MOST_SUBSCRIPTIONS = 50;

/** The open invoices, the plans, and the estimates of the next invoices. */
export async function overviewPage(dependencies: PortalDependencies, visit: Visit): Promise<PortalPage> {
  const { tx, merchantId, customerId, look, now } = visit;
  const words = PORTAL_WORDS[look.locale];
  const due = await listDueInvoices(tx, { merchantId, customerId }, now);
  const plans = (await plansOf(dependencies, visit)).map((each) => planRow(visit, each));
  const start = html`<h1 class="unseen">${words.tabs.overview}</h1>
${doneNote(visit)}`;
  const toPay = html`<section aria-labelledby="due">
${start}
<h2 id="due">${words.toPay}</h2>
${due.length === 0 ? html`<p class="soft">${words.nothingToPay}</p>` : due.map((each) => dueRow(dependencies, visit, each))}
</section>
`;
  return {
    title: words.tabs.overview,
    tab: 'overview',
    body: html`${isPaidFor(visit) ? null : toPay}<section aria-labelledby="plans">
${isPaidFor(visit) ? start : null}
<h2 id="plans">${words.yourPlans}</h2>
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
  const { money, day } = figuresOf(look.locale);
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
      : payForm(
          payPath(visit, invoice.id),
          invoice,
          html`${words.pay(amount)}<span class="unseen"> ${words.forInvoice(name)}</span>`,
          html`${words.howToPay}<span class="unseen"> ${words.forInvoice(name)}</span>`,
        )
  }</div></div>
`;
}

/** A subscription with its plan, and its next invoice as it stands now. */
interface OwnPlan {
  readonly subscription: SubscriptionRow;
  readonly plan: Plan | undefined;
  readonly open: InvoiceRow | undefined;
  /** Null where it cannot be calculated now. */
  readonly total: Decimal | null;
  /** Whose it is, where it is another customer's, for which this one pays. */
  readonly of: string | null;
}

async function plansOf({ invoicing }: PortalDependencies, visit: Visit): Promise<OwnPlan[]> {
  const { tx, customerId } = visit;
  const children = await findChildren(tx, customerId, MOST_SUBSCRIPTIONS);
  const subscriptions: SubscriptionRow[] = [];
  for (const id of [customerId, ...children.keys()])
    if (subscriptions.length < MOST_SUBSCRIPTIONS)
      subscriptions.push(...(await findSubscriptionsOfCustomer(tx, id, MOST_SUBSCRIPTIONS - subscriptions.length)));
  const plans = await findPlans(
    tx,
    subscriptions.map(({ planId }) => planId),
  );
  const active = subscriptions.filter(({ status }) => status === 'active').map(({ id }) => id);
  const open = await findNextToCloseOfEach(tx, active);
  const totals = isPaidFor(visit) ? new Map<string, Decimal>() : await totalsAsOfNow(invoicing, tx, open);
  const openOf = new Map(open.map((invoice) => [invoice.subscriptionId, invoice]));
  return subscriptions.map((subscription) => {
    const next = openOf.get(subscription.id);
    const total = (next && totals.get(next.id)) ?? null;
    const of = children.get(subscription.customerId) ?? null;
    return { subscription, plan: plans.get(subscription.planId), open: next, total, of };
  });
}

function planRow(visit: Visit, { subscription, plan, open, total, of }: OwnPlan): Html {
  const { look, base } = visit;
  const words = PORTAL_WORDS[look.locale];
  const { money, day } = figuresOf(look.locale);
  const ownName = ownNameOf(subscription.name, [
    plan?.name ?? '',
    planName(plan),
    of ?? visit.customer.organization.name,
  ]);
  const estimate = isPaidFor(visit)
    ? null
    : open === undefined || total === null
      ? html`<span class="note">${words.noEstimate}</span>`
      : html`<span><span class="note">${words.estimate}</span> <strong>${money(total, open.currency)}</strong></span>`;
  return html`<div class="row"><div><strong><bdi>${planName(plan)}</bdi></strong>${ownName === null ? null : html` <span class="note"><bdi>${ownName}</bdi></span>`}${of === null ? null : html` <span class="note"><bdi>${of}</bdi></span>`}
<span class="note">${standingOf(visit, subscription)}</span>
${open === undefined ? null : html`<span class="note">${words.nextInvoice(day(open.periodEnd))}</span>`}</div>
<div class="acts">${open === undefined ? null : estimate}
<a class="button small second" href="${base}/subscriptions/${subscription.id}">${words.see}<span class="unseen"> <bdi>${planName(plan)}</bdi></span></a></div></div>
`;
}

/** The name of a plan for customers. */
export const planName = (
  plan: { readonly name: string; readonly invoiceDisplayName?: string | null } | undefined,
): string => (plan === undefined ? '' : (plan.invoiceDisplayName ?? plan.name));

/** When a plan ends or has ended, is paused, or is free for a trial, where it does. */
export function standingOf({ look }: Pick<Visit, 'look'>, subscription: SubscriptionRow): string {
  const words = PORTAL_WORDS[look.locale];
  const { day } = figuresOf(look.locale);
  if (subscription.status === 'pending_payment') return words.waitsForPayment;
  if (subscription.terminatedAt !== null) return words.endedOn(day(subscription.terminatedAt));
  const pause = currentPause(subscription);
  const paused =
    pause?.status !== 'paused'
      ? []
      : [
          pause.to === null
            ? words.pausedSince(day(Temporal.Instant.from(pause.from)))
            : words.pausedUntil(day(Temporal.Instant.from(pause.to))),
        ];
  const { trialEnd, billingOpened } = subscription;
  const trial = trialEnd === null || billingOpened || paused.length > 0 ? [] : [words.trialUntil(day(trialEnd))];
  const ends = subscription.endingAt === null ? [] : [words.endsOn(day(subscription.endingAt))];
  return [...paused, ...trial, ...ends].join(' · ');
}
