import { findPlan, findPlanVersion, type Plan } from '../../catalog/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import { findNextToClose, type OpenInvoice, viewAsOfNow } from '../../invoicing/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';
import {
  findScheduledChange,
  findSubscription,
  quantitiesOf,
  type SubscriptionRow,
} from '../../subscriptions/index.ts';
import { explainedLines } from '../frame/lines.ts';
import type { FormFields, Outcome, PortalPage, Visit } from '../frame/page.ts';
import { doneNote, keyField } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { CHANGE_WORDS } from '../words/change-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import { applyRequestedChange, rightsOf } from './change.ts';
import { planName, standingOf } from './overview.ts';
import {
  type Credited,
  fieldsOf,
  fingerprintOf,
  type Preview,
  type RequestedChange,
  type Rights,
  readRequestedChange,
} from './requested-change.ts';

/** A subscription of the customer with its plan. */
interface Own {
  readonly subscription: SubscriptionRow;
  readonly plan: Plan;
}

/** The subscription that an address names; null where it is not this customer's. */
async function ownOf({ tx, customerId, params }: Visit): Promise<Own | null> {
  const subscription = await findSubscription(tx, params.subscriptionId ?? '');
  if (subscription?.customerId !== customerId) return null;
  const plan = await findPlan(tx, subscription.planId);
  return plan ? { subscription, plan } : null;
}

const pathOf = ({ base }: Visit, { id }: SubscriptionRow): string => `${base}/subscriptions/${id}`;

/** One plan of the customer: how it stands, the next invoice with its lines, and what may be changed. */
export async function subscriptionPage(dependencies: PortalDependencies, visit: Visit): Promise<PortalPage | null> {
  const own = await ownOf(visit);
  return own && ownPage(dependencies, visit, own);
}

async function ownPage(
  dependencies: PortalDependencies,
  visit: Visit,
  own: Own,
  problem: 'badQuantity' | 'notPossible' | null = null,
): Promise<PortalPage> {
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const { subscription, plan } = own;
  const rights = rightsOf(visit);
  const open = subscription.status === 'active' ? await findNextToClose(tx, subscription.id, null) : undefined;
  const next = open && (await viewAsOfNow(dependencies.invoicing, tx, open));
  const waiting = await findScheduledChange(tx, subscription.id);
  const target = waiting && (await findPlan(tx, waiting.planId));
  const mayChange = subscription.status === 'active' && !waiting && subscription.endingAt === null;
  const { day } = figuresOf(look.locale);
  return {
    title: planName(plan),
    tab: 'overview',
    ...(problem !== null && { status: problem === 'badQuantity' ? 400 : 409 }),
    body: html`<section><h1 dir="auto">${planName(plan)}</h1>
${doneNote(visit)}
${problem === null ? null : html`<p class="notice" role="alert">${words[problem]}</p>`}
${subscription.name === planName(plan) ? null : html`<p class="soft" dir="auto">${subscription.name}</p>`}
${standingOf(visit, subscription) === '' ? null : html`<p class="soft">${standingOf(visit, subscription)}</p>`}
${waiting ? html`<p class="plain">${words.planned(planName(target), day(waiting.effectiveAt))}</p>` : null}
${next ? invoiceTable(visit, words.nextInvoice(day(next.invoice.periodEnd)), next, words.soFar) : null}
</section>
${mayChange ? await planForm(visit, own, rights) : null}
${mayChange && rights.quantities ? await quantityForm(visit, own) : null}
${mayChange && rights.cancellation !== 'none' ? cancelForm(visit, own, rights.cancellation) : null}`,
  };
}

/** An open invoice as of now: its lines and its totals. */
function invoiceTable({ look }: Visit, heading: string, { invoice, lines }: OpenInvoice, note: string): Html {
  const words = PORTAL_WORDS[look.locale];
  const { money } = figuresOf(look.locale);
  return html`<h2>${heading}</h2><p class="amount">${money(invoice.grandTotal, invoice.currency)}</p><p class="soft">${note}</p>
${explainedLines(look.locale, invoice, lines)}
<dl class="facts"><div><dt>${words.subtotal}</dt><dd>${money(invoice.subtotal, invoice.currency)}</dd></div>
<div><dt>${words.tax}</dt><dd>${money(invoice.totalTax, invoice.currency)}</dd></div>
<div><dt>${words.total}</dt><dd>${money(invoice.grandTotal, invoice.currency)}</dd></div></dl>`;
}

/** The other plans that the merchant offers, in the same currency and taxed in the same way. */
async function planForm(visit: Visit, { subscription, plan }: Own, { planChange }: Rights): Promise<Html | null> {
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const offered: Plan[] = [];
  for (const id of planChange?.plans ?? []) {
    const each = id === plan.id ? undefined : await findPlan(tx, id);
    if (each?.currency === plan.currency && each.taxBehavior === plan.taxBehavior) offered.push(each);
  }
  if (offered.length === 0) return null;
  return html`<section aria-labelledby="change"><h2 id="change">${words.changePlan}</h2>
<form method="post" action="${pathOf(visit, subscription)}/preview">${keyField(visit)}
<fieldset><legend>${words.choose}</legend>${offered.map(
    (each, index) =>
      html`<label class="card"><input type="radio" name="plan" value="${each.id}"${index === 0 ? html` checked` : null}><span><span class="face" dir="auto">${planName(each)}</span>${each.description === null ? null : html`<span class="note" dir="auto">${each.description}</span>`}</span></label>`,
  )}</fieldset>
<button type="submit">${words.look}</button></form></section>`;
}

/** How many of each fee price there are, in fields. */
async function quantityForm(visit: Visit, { subscription }: Own): Promise<Html | null> {
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const version = await findPlanVersion(tx, subscription.planVersionId);
  const [quantities = {}] = await quantitiesOf(tx, [subscription]);
  const fees = (version?.prices ?? []).filter(({ id }) => Object.hasOwn(quantities, id));
  if (fees.length === 0) return null;
  return html`<section aria-labelledby="quantities"><h2 id="quantities">${words.changeQuantities}</h2>
<form method="post" action="${pathOf(visit, subscription)}/preview" novalidate>${keyField(visit)}
${fees.map(
  ({ id, invoiceDisplayName }) =>
    html`<div class="field short"><label for="${id}" dir="auto">${invoiceDisplayName}</label><input id="${id}" name="${id}" inputmode="numeric" autocomplete="off" maxlength="7" value="${decimal(quantities[id] as number).toFixed()}"></div>
`,
)}<button class="small" type="submit">${words.look}</button></form></section>`;
}

const cancelForm = (visit: Visit, { subscription }: Own, when: 'period_end' | 'now'): Html => {
  const words = CHANGE_WORDS[visit.look.locale];
  return html`<section aria-labelledby="cancel"><h2 id="cancel">${words.cancel}</h2><p class="soft">${words.cancelNote[when]}</p>
<form method="post" action="${pathOf(visit, subscription)}/preview">${keyField(visit)}<input type="hidden" name="cancel" value="${when}">
<button class="small second" type="submit">${words.look}<span class="unseen">: ${words.cancel}</span></button></form></section>`;
};

/** The request of a form, with effective now of the subscription. */
async function askedOf(visit: Visit, { subscription }: Own, form: FormFields, rights: Rights) {
  const now = await effectiveNowForReading(visit.tx, subscription.clockId, visit.now);
  return readRequestedChange(form, rights, now);
}

/** The effect of a change. It is made, described, and rolled back. */
export async function previewPage(dependencies: PortalDependencies, visit: Visit, form: FormFields): Promise<Outcome> {
  const own = await ownOf(visit);
  if (own === null) return null;
  const rights = rightsOf(visit);
  const requested = await askedOf(visit, own, form, rights);
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
  const of = { subscription: own.subscription, currency: own.plan.currency };
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
  const { requested, invoices, credited, toCredit } = preview;
  const amountOf = ({ amount, currency }: Credited) => figuresOf(look.locale).money(decimal(amount), currency);
  const hidden = Object.entries({ ...fieldsOf(requested), print: fingerprintOf(preview) });
  return {
    title: words.preview,
    tab: 'overview',
    body: html`<section><h1>${words.preview}</h1>
${hasChanged ? html`<p class="notice" role="alert">${words.hasChanged}</p>` : null}
<p>${await sentenceOf(visit, own, preview)}</p><p class="soft">${words.previewNote}</p>
${credited.map((each) => html`<p>${words.credited(amountOf(each))}</p>`)}${toCredit.map((each) => html`<p>${words.toCredit(amountOf(each))}</p>`)}
${invoices.length === 0 ? html`<p class="soft">${words.noInvoice}</p>` : null}
${invoices.map((each) => invoiceTable(visit, words.invoiceOf(day(each.invoice.periodEnd)), each, words.usageNote))}
<form method="post" action="${pathOf(visit, own.subscription)}/change">${keyField(visit)}${hidden.map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<button type="submit">${words.confirm[requested.kind]}</button></form>
<p><a href="${pathOf(visit, own.subscription)}">${words.back}</a></p>
</section>`,
  };
}

/** The result of the change, in a sentence. */
async function sentenceOf(visit: Visit, { subscription }: Own, { requested, at }: Preview): Promise<Html> {
  const { tx, look } = visit;
  const words = CHANGE_WORDS[look.locale];
  const when = figuresOf(look.locale).day(at);
  if (requested.kind === 'cancel') return html`${words.ends(when)}`;
  if (requested.kind === 'plan')
    return html`<span dir="auto">${words.movesTo(planName(await findPlan(tx, requested.planId)), when)}</span>`;
  const version = await findPlanVersion(tx, subscription.planVersionId);
  const named = (version?.prices ?? []).filter(({ id }) => Object.hasOwn(requested.quantities, id));
  return html`${words.newQuantities(when)} <span dir="auto">${named.map(({ id, invoiceDisplayName }) => `${invoiceDisplayName}: ${requested.quantities[id]}`).join(', ')}</span>`;
}

const DONE_WORDS = { plan: 'changed', quantities: 'changed', cancel: 'cancelled' } as const;

/**
 * Does what was shown. Where it would be something else by now, the new preview is shown and nothing is done; where it
 * was done already, the page of the plan says how it stands.
 */
export async function changePortal(dependencies: PortalDependencies, visit: Visit, form: FormFields): Promise<Outcome> {
  const own = await ownOf(visit);
  if (own === null) return null;
  const rights = rightsOf(visit);
  const requested = await askedOf(visit, own, form, rights);
  if (requested === null || requested === 'bad quantity') return { to: pathIn(own) };
  const of = { subscription: own.subscription, currency: own.plan.currency };
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
