import {
  currencyErrors,
  findPlan,
  findPlans,
  findPlanVersion,
  findPlanVersions,
  type Plan,
  type PricedVersion,
} from '../../catalog/index.ts';
import { priceList } from '../../checkout/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import { findPayer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findNextToClose, type OpenInvoice, viewAsOfNow, withOverrides } from '../../invoicing/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import { breakable, figuresOf, taxNames } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';
import {
  findOverrides,
  findPinned,
  findScheduledChange,
  findSubscription,
  type PlanAtVersion,
  pinnedIn,
  quantitiesOf,
  type SubscriptionRow,
} from '../../subscriptions/index.ts';
import { explainedLines, linesWithoutMoney } from '../frame/lines.ts';
import { type FormFields, isPaidFor, type Outcome, type PortalPage, type Visit } from '../frame/page.ts';
import { doneNote, keyField } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { CHANGE_WORDS } from '../words/change-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import { applyRequestedChange, endOfCustomer, rightsOf } from './change.ts';
import { planName, standingOf } from './overview.ts';
import { ownNameOf } from './own-name.ts';
import {
  type Credited,
  fieldsOf,
  fingerprintOf,
  type Preview,
  type RequestedChange,
  type Rights,
  readRequestedChange,
} from './requested-change.ts';

/** A subscription of the customer with its plan and the prices in its currency. */
interface Own extends PlanAtVersion {
  readonly subscription: SubscriptionRow;
}

/** The subscription that an address names; null where this customer neither has it nor pays for it. */
async function ownOf({ tx, customerId, params }: Visit): Promise<Own | null> {
  const subscription = await findSubscription(tx, params.subscriptionId ?? '');
  if (!subscription) return null;
  if (subscription.customerId !== customerId && (await findPayer(tx, subscription.customerId)) !== customerId)
    return null;
  return { subscription, ...(await findPinned(tx, [subscription]))(subscription) };
}

const pathOf = ({ base }: Visit, { id }: SubscriptionRow): string => `${base}/subscriptions/${id}`;

/** One plan of the customer: how it stands, the next invoice with its lines, and what may be changed. */
export async function subscriptionPage(dependencies: PortalDependencies, visit: Visit): Promise<PortalPage | null> {
  const own = await ownOf(visit);
  return own && ownPage(dependencies, visit, own);
}

/** The ways in which a change can fail, with the status of the page that says so. */
const PROBLEMS = { badQuantity: 400, notPossible: 409 } as const;
type Problem = keyof typeof PROBLEMS;

async function ownPage(
  dependencies: PortalDependencies,
  visit: Visit,
  own: Own,
  problem: Problem | null = null,
): Promise<PortalPage> {
  const { tx, look, customer } = visit;
  const words = CHANGE_WORDS[look.locale];
  const { subscription, plan, version } = own;
  const rights = rightsOf(visit);
  const open = subscription.status === 'active' ? await findNextToClose(tx, subscription.id, null) : undefined;
  const next = open && (await viewAsOfNow(dependencies.invoicing, tx, open));
  const waiting = await findScheduledChange(tx, subscription.id);
  const target = waiting && (await findPlan(tx, waiting.planId));
  const mayChange = !isPaidFor(visit) && subscription.status === 'active' && !waiting && subscription.endingAt === null;
  const end = isPaidFor(visit) ? null : await endOfCustomer(tx, subscription);
  const { day } = figuresOf(look.locale);
  const ownName = ownNameOf(subscription.name, [plan.name, planName(plan), customer.organization.name]);
  return {
    title: planName(plan),
    tab: 'overview',
    ...(problem !== null && { status: PROBLEMS[problem] }),
    body: html`<section><h1><bdi>${planName(plan)}</bdi></h1>
${doneNote(visit)}
${problem === null ? null : html`<p class="notice" role="alert">${words[problem]}</p>`}
${ownName === null ? null : html`<p class="soft"><bdi>${ownName}</bdi></p>`}
${standingOf(visit, subscription) === '' ? null : html`<p><strong>${standingOf(visit, subscription)}</strong></p>`}
${end === null ? null : previewForm(visit, subscription, html`<input type="hidden" name="keep" value="yes">`, words.keep)}
${waiting ? html`<p class="plain">${words.planned(html`<bdi>${planName(target)}</bdi>`, day(waiting.effectiveAt))}</p>` : null}
${next ? invoiceTable(visit, words.nextInvoice(day(next.invoice.periodEnd)), next, hasUsage(version) ? words.soFar : null) : null}
</section>
${mayChange ? await planForm(visit, own) : null}
${mayChange && rights.quantities ? await quantityForm(visit, own) : null}
${mayChange && rights.cancellation !== 'none' ? cancelForm(visit, own, rights.cancellation) : null}`,
  };
}

/** Does a version price any usage? */
const hasUsage = (version: PricedVersion | undefined): boolean =>
  version?.prices.some(({ metric }) => metric !== null) === true;

/** An open invoice as of now: its lines and its totals. */
function invoiceTable(visit: Visit, heading: string, { invoice, lines }: OpenInvoice, note: string | null): Html {
  const { locale } = visit.look;
  const words = PORTAL_WORDS[locale];
  const { money } = figuresOf(locale);
  const fact = (label: string, value: Decimal) =>
    html`<div><dt>${label}</dt><dd>${breakable(money(value, invoice.currency))}</dd></div>`;
  if (isPaidFor(visit)) return html`<h2>${heading}</h2>${linesWithoutMoney(visit, lines)}`;
  return html`<h2>${heading}</h2><p class="amount">${breakable(money(invoice.grandTotal, invoice.currency))}</p>${note === null ? null : html`<p class="soft">${note}</p>`}
${explainedLines(visit, invoice, lines)}
<dl class="facts">${fact(words.subtotal, invoice.subtotal)}${invoice.totalTax.isZero() ? null : fact(taxNames(locale, invoice.seller ?? visit.merchant).sum, invoice.totalTax)}${fact(words.total, invoice.grandTotal)}</dl>`;
}

/** A form that leads to the preview of a change. It changes nothing, so it is a GET: going back to it works. */
const previewForm = (
  visit: Visit,
  subscription: SubscriptionRow,
  fields: Html | readonly Html[],
  label: string,
): Html =>
  html`<form method="get" action="${pathOf(visit, subscription)}/preview">${fields}
<button class="small second" type="submit">${label}</button></form>`;

/** The plans to which the customer may move, with their prices; none is chosen. The present one stands above them. */
async function planForm(visit: Visit, { subscription, ...pinned }: Own): Promise<Html | null> {
  const { plan, version, currency } = pinned;
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const offered = await offersOf(tx, pinned, rightsOf(visit));
  if (offered.length === 0) return null;
  const now = await effectiveNowForReading(tx, subscription.clockId, visit.now);
  const writing = { locale: look.locale, currency };
  const overrides = (await findOverrides(tx, [subscription]))(subscription, pinned);
  return html`<section aria-labelledby="change"><h2 id="change">${words.changePlan}</h2>
${previewForm(
  visit,
  subscription,
  html`<fieldset><legend class="unseen">${words.choose}</legend>
<div class="card now"><div><span class="face"><bdi>${planName(plan)}</bdi> <span class="tag">${words.current}</span></span>${priceList(withOverrides(version.prices, overrides, now), { ...writing, planCadence: plan.billingCadence })}</div></div>
${offered.map(
  ({ plan: each, version: offer }) =>
    html`<div class="card"><input id="${each.id}" type="radio" name="plan" value="${each.id}" required><div><label class="face" for="${each.id}"><bdi>${planName(each)}</bdi></label>${each.description === null ? null : html`<span class="note"><bdi>${each.description}</bdi></span>`}${priceList(offer.prices, { ...writing, planCadence: each.billingCadence })}</div></div>`,
)}</fieldset>`,
  words.look,
)}</section>`;
}

/** The other plans that the merchant offers, in the same currency and taxed in the same way. */
async function offersOf(tx: Tx, { plan, currency }: PlanAtVersion, { planChange }: Rights): Promise<PlanAtVersion[]> {
  const ids = (planChange?.plans ?? []).filter((id) => id !== plan.id);
  const plans = await findPlans(tx, ids);
  const fitting = ids.flatMap((id) => {
    const each = plans.get(id);
    return each?.taxBehavior === plan.taxBehavior ? [each] : [];
  });
  const versions = await findPlanVersions(
    tx,
    fitting.map(({ defaultVersionId: id }) => id),
  );
  return fitting.flatMap((each) => {
    const version = versions.get(each.defaultVersionId);
    if (!version || currencyErrors(each, version, currency, 'planId').length > 0) return [];
    return [pinnedIn({ plan: each, version }, currency)];
  });
}

/** How many of each fee price there are, in fields. */
async function quantityForm(visit: Visit, { subscription, version }: Own): Promise<Html | null> {
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const [quantities = {}] = await quantitiesOf(tx, [subscription]);
  const fees = version.prices.filter(({ id }) => Object.hasOwn(quantities, id));
  if (fees.length === 0) return null;
  const fields = fees.map(
    ({ id, invoiceDisplayName }) =>
      html`<div class="field short"><label for="${id}"><bdi>${invoiceDisplayName}</bdi></label><input id="${id}" name="${id}" inputmode="numeric" autocomplete="off" maxlength="7" required value="${decimal(quantities[id] as number).toFixed()}"></div>
`,
  );
  return html`<section aria-labelledby="quantities"><h2 id="quantities">${words.changeQuantities}</h2>
${previewForm(visit, subscription, fields, words.look)}</section>`;
}

const cancelForm = (visit: Visit, { subscription }: Own, when: 'period_end' | 'now'): Html => {
  const words = CHANGE_WORDS[visit.look.locale];
  return html`<section aria-labelledby="cancel"><h2 id="cancel">${words.cancel}</h2><p class="soft">${words.cancelNote[when]}</p>
${previewForm(visit, subscription, html`<input type="hidden" name="cancel" value="${when}">`, words.cancelButton)}</section>`;
};

/** The request of a form, with effective now of the subscription. */
async function askedOf(visit: Visit, { subscription }: Own, form: FormFields, rights: Rights) {
  const now = await effectiveNowForReading(visit.tx, subscription.clockId, visit.now);
  return readRequestedChange(form, rights, now);
}

/** The effect of a change. It is made, described, and rolled back. */
export async function previewPage(dependencies: PortalDependencies, visit: Visit): Promise<Outcome> {
  const own = await ownOf(visit);
  if (own === null || isPaidFor(visit)) return null;
  const rights = rightsOf(visit);
  const requested = await askedOf(visit, own, visit.query, rights);
  if (requested === null) return { to: pathIn(own) };
  if (requested === 'bad quantity') return ownPage(dependencies, visit, own, 'badQuantity');
  return shownOr(dependencies, visit, own, requested, rights);
}

const pathIn = ({ subscription }: Own): string => `/subscriptions/${subscription.id}`;

/** The preview of a requested change; if the domains refuse the change, the page of the plan. */
async function shownOr(
  dependencies: PortalDependencies,
  visit: Visit,
  own: Own,
  requested: RequestedChange,
  rights: Rights,
  problem = false,
): Promise<PortalPage> {
  const of = { subscription: own.subscription, currency: own.currency };
  const would = await visit.tx.savepoint(
    () => applyRequestedChange(dependencies, visit, of, requested, rights),
    () => false,
  );
  if (!would.ok) return ownPage(dependencies, visit, own, 'notPossible');
  return { ...(await previewOf(visit, own, would.value, problem)), ...(problem && { status: 409 }) };
}

async function previewOf(visit: Visit, own: Own, preview: Preview, hasChanged: boolean): Promise<PortalPage> {
  const { look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const { day } = figuresOf(look.locale);
  const { requested, invoices, credited, toCredit, versionId } = preview;
  const amountOf = ({ amount, currency }: Credited) => figuresOf(look.locale).money(amount, currency);
  const hidden = Object.entries({ ...fieldsOf(requested), print: fingerprintOf(preview) });
  const bearsUsage = hasUsage(await findPlanVersion(visit.tx, versionId ?? own.subscription.planVersionId));
  const usageNote = bearsUsage && !(requested.kind === 'cancel' && requested.when === 'now') ? words.usageNote : null;
  return {
    title: words.headings[requested.kind],
    tab: 'overview',
    body: html`<section><h1>${words.headings[requested.kind]}</h1>
${hasChanged ? html`<p class="notice" role="alert">${words.hasChanged}</p>` : null}
<p>${await sentenceOf(visit, own, preview)}</p><p class="soft">${words.previewNote}</p>
${credited.map((each) => html`<p>${words.credited(amountOf(each))}</p>`)}${toCredit.map((each) => html`<p>${words.toCredit(amountOf(each))}</p>`)}
${invoices.length === 0 ? html`<p class="soft">${words.noInvoice}</p>` : null}
${invoices.map((each) => invoiceTable(visit, words.invoiceOf(day(each.invoice.periodEnd)), each, usageNote))}
<form method="post" action="${pathOf(visit, own.subscription)}/change">${keyField(visit)}${hidden.map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<div class="acts-of-form"><button class="small" type="submit">${confirmLabel(visit, preview)}</button>
<a class="button small second" href="${pathOf(visit, own.subscription)}">${words.back}</a></div></form>
</section>`,
  };
}

/** The button that makes the change: it says when the change comes. */
function confirmLabel(visit: Visit, { requested, at }: Preview): string {
  const { confirm } = CHANGE_WORDS[visit.look.locale];
  const day = figuresOf(visit.look.locale).day(at);
  if (requested.kind === 'keep') return confirm.keep;
  if (requested.kind === 'quantities') return confirm.quantities;
  if (requested.kind === 'cancel') return requested.when === 'now' ? confirm.cancelNow : confirm.cancelOn(day);
  return rightsOf(visit).planChange?.effective === 'periodEnd' ? confirm.planOn(day) : confirm.planNow;
}

/** The result of the change, in a sentence. */
async function sentenceOf(visit: Visit, { plan, version }: Own, { requested, at }: Preview): Promise<Html> {
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const when = figuresOf(look.locale).day(at);
  const named = (of: Plan | undefined) => html`<bdi>${planName(of)}</bdi>`;
  if (requested.kind === 'cancel') return words.ends(named(plan), when);
  if (requested.kind === 'keep') return words.continues(named(plan), when);
  if (requested.kind === 'plan') return words.movesTo(named(await findPlan(tx, requested.planId)), when);
  const counted = version.prices.filter(({ id }) => Object.hasOwn(requested.quantities, id));
  return html`${words.newQuantities(when)} ${counted.map(({ id, invoiceDisplayName }, index) => html`${index === 0 ? '' : ', '}<bdi>${invoiceDisplayName}</bdi>: ${String(requested.quantities[id])}`)}`;
}

const DONE_WORDS = { plan: 'changed', quantities: 'changed', cancel: 'cancelled', keep: 'kept' } as const;

/**
 * Does what was shown. Where it would be something else by now, the new preview is shown and nothing is done; where it
 * was done already, the page of the plan says how it stands.
 */
export async function changePortal(dependencies: PortalDependencies, visit: Visit, form: FormFields): Promise<Outcome> {
  const own = await ownOf(visit);
  if (own === null || isPaidFor(visit)) return null;
  const rights = rightsOf(visit);
  const requested = await askedOf(visit, own, form, rights);
  if (requested === null || requested === 'bad quantity') return { to: pathIn(own) };
  const of = { subscription: own.subscription, currency: own.currency };
  const done = await visit.tx.savepoint(
    () => applyRequestedChange(dependencies, visit, of, requested, rights),
    (result) => result.ok && fingerprintOf(result.value) === form.print,
  );
  if (!done.ok) return { to: pathIn(own) };
  if (fingerprintOf(done.value) !== form.print) return shownOr(dependencies, visit, own, requested, rights, true);
  const { at, versionId } = done.value;
  const { planId, planVersionId: heldId, quantities, endingAt } = own.subscription;
  const before = { planId, planVersionId: heldId, quantities, endingAt: endingAt && formatInstant(endingAt) };
  await visit.audit(own.subscription.id, before, {
    wish: fieldsOf(requested), // the name in stored audit entries
    at: formatInstant(at),
    planVersionId: versionId,
  });
  return { to: `${pathIn(own)}?done=${doneWord(requested, rights)}` };
}

function doneWord(requested: RequestedChange, { planChange }: Rights): string {
  if (requested.kind === 'cancel' && requested.when === 'period_end') return 'ending';
  if (requested.kind === 'plan' && planChange?.effective === 'periodEnd') return 'scheduled';
  return DONE_WORDS[requested.kind];
}
