import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { EnvironmentName } from '../../identity/index.ts';
import { hasLogo, type MerchantOrganization } from '../../identity/index.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Instant } from '../../kernel/time.ts';
import { figuresOf, taxNames } from '../../look/index.ts';
import {
  billTable,
  type Contact,
  contactLinks,
  countryOptions,
  endFrame,
  frame,
  Html,
  html,
  type Look,
  logoImage,
  lookOf,
  type PageTotal,
} from '../../pages/index.ts';
import { type CheckoutLink, type LinkStatus, statusOf } from '../link/link.ts';
import { FIELDS, type Field, type FieldProblem, type Typed } from '../sign-up/details.ts';
import type { Offer } from '../sign-up/rehearse.ts';
import { priceList } from './price-list.ts';
import { SIGNUP_SCRIPT } from './script.ts';
import { SIGNUP_STYLE } from './style.ts';
import { CHECKOUT_WORDS, nextSentence } from './words.ts';

/** The merchant of the page, its language, and the status of its link. */
export interface PageFacts {
  readonly link: CheckoutLink;
  readonly status: LinkStatus;
  readonly look: Look;
  readonly seller: string;
  /** What the tax of the merchant is called. */
  readonly tax: string;
  /** How the merchant can be reached. */
  readonly contact: Contact;
  readonly hasLogo: boolean;
  /** The customer that the link is for, where it is there already. */
  readonly customerName: string | null;
}

/** The content of the form. */
export interface FormView extends PageFacts {
  readonly offer: Offer;
  readonly typed: Typed;
  /** The code of a coupon that the shown price has; null: none. */
  readonly code: string | null;
  /** A typed code is refused, or a coupon of the link is gone: the price is without it. */
  readonly refused: 'code' | 'coupon' | null;
  readonly problems: ReadonlyMap<Field, FieldProblem>;
  /** The price on the page is not the one that was shown before. */
  readonly hasChanged: boolean;
  /** The same details have subscribed a short time ago: sent again, the form begins another subscription. */
  readonly isRepeated: boolean;
  /** The verdict on the tax number, if it was requested. */
  readonly taxIdText: string;
}

/**
 * The merchant and the language of the page of a link: the customer's language, else the link's, else the browser's.
 */
export async function factsOf(
  tx: Tx,
  environment: EnvironmentName,
  { link, merchant }: { readonly link: CheckoutLink; readonly merchant: MerchantOrganization },
  asked: Locale,
  now: Instant,
): Promise<PageFacts> {
  const { customerId } = link;
  const customer = customerId === null ? undefined : await findCustomer(tx, customerId);
  const look = lookOf(environment, merchant.settings, customer?.locale, link.known?.locale ?? asked);
  return {
    link,
    status: statusOf(link, now),
    look,
    seller: merchant.name,
    tax: taxNames(look.locale, merchant).inSentence,
    contact: { email: merchant.billingEmails[0] ?? null, phone: merchant.phone },
    hasLogo: await hasLogo(tx),
    customerName: customer?.organization.name ?? null,
  };
}

/** The page of a link: the plan's prices, the amounts due now and later, and the subscriber's details. */
export function signupPage(view: FormView): string {
  const { look, offer, problems } = view;
  const words = CHECKOUT_WORDS[look.locale];
  const title = `${words.subscriptionTo(planName(offer))} – ${view.seller}`;
  return frame(
    problems.size > 0 ? `${words.problems} – ${title}` : title,
    look,
    html`<div class="sheet two">
${summary(view)}
<section aria-labelledby="details">
<h2 id="details">${view.customerName === null ? words.yourDetails : words.subscribe}</h2>
${view.refused === null ? null : notice(words.refused[view.refused])}
${view.hasChanged ? notice(words.changed) : null}
${view.isRepeated ? notice(words.repeated) : null}
${problemSummary(view)}
${form(view)}
<p class="fine">${words.worksUntil(figuresOf(look.locale).minute(view.link.expiresAt))}</p>
</section>
</div>`,
    SIGNUP_STYLE,
    SIGNUP_SCRIPT,
  );
}

const notice = ({ heading, text }: { readonly heading: string; readonly text: string }): Html =>
  html`<div class="notice" role="alert"><strong>${heading}</strong>${text}</div>`;

const planName = ({ plan }: Offer): string => plan.invoiceDisplayName ?? plan.name;
const sellerName = ({ seller }: PageFacts): Html => html`<bdi>${seller}</bdi>`;

function summary(view: FormView): Html {
  const { look, offer, link } = view;
  const words = CHECKOUT_WORDS[look.locale];
  const { money, day } = figuresOf(look.locale);
  const { plan, version, currency, dueNow, trialEndsAt } = offer;
  return html`<section class="summary">
${logoImage(view.hasLogo ? `${link.id}/logo` : undefined)}
<p class="seller">${sellerName(view)}</p>
<h1 dir="auto">${words.subscriptionTo(planName(offer))}</h1>
${dueNow.isZero() ? html`<p class="lead">${words.nothingNow}</p>` : html`<p class="amount">${money(dueNow, currency)}</p><p class="soft">${words.dueNow}</p>`}
${trialEndsAt === null ? null : html`<p class="soft">${words.trialUntil(day(trialEndsAt))}</p>`}
${plan.description === null ? null : html`<p class="soft" dir="auto">${plan.description}</p>`}
${offer.bill && billTable(look.locale, offer.bill, rowsBelow(view))}
${link.allowPromotionCodes ? codeForm(view) : null}
<p class="soft">${nextSentence(offer, look.locale)}</p>
${view.customerName === null && offer.bill ? html`<p class="soft">${words.beforeAddress(view.tax)}</p>` : null}
${version.prices.length === 0 ? null : html`<h2 class="after">${words.prices}</h2>${priceList(version.prices, { ...look, currency, planCadence: plan.billingCadence })}`}
${version.minimumAmount === null ? null : html`<p class="soft">${words.minimum(money(version.minimumAmount, currency))}</p>`}
</section>`;
}

/** The field for a code: the page shows its price at once. */
function codeForm({ look, link, code }: FormView): Html {
  const words = CHECKOUT_WORDS[look.locale];
  return html`<form method="get" action="${link.id}"><div class="field"><label for="code">${words.promotionCode}</label>
<input type="text" id="code" name="code" value="${code ?? ''}" autocomplete="off"></div>
<button type="submit" class="quiet">${words.applyCode}</button></form>`;
}

/** What a balance pays of the total, and what is due then. */
function rowsBelow({ look, offer: { fromBalance, dueNow } }: FormView): PageTotal[] {
  const words = CHECKOUT_WORDS[look.locale];
  if (fromBalance.isZero()) return [];
  return [
    { label: words.fromBalance, amount: fromBalance.negated() },
    { label: words.dueNow, amount: dueNow, isStrong: true },
  ];
}

/** All problems in one place, with a link to each field, because a screen reader reads this first. */
function problemSummary({ look, problems }: FormView): Html | null {
  if (problems.size === 0) return null;
  const words = CHECKOUT_WORDS[look.locale];
  const items = [...problems].map(
    ([field, problem]) => html`<li><a href="#${field}">${words[problem][field]}</a></li>`,
  );
  return html`<div class="notice" role="alert"><h3>${words.problems}</h3><ul>${items}</ul></div>`;
}

const LENGTH_OF_FORM = 22;

function form(view: FormView): Html {
  const { look, offer, link, customerName } = view;
  const words = CHECKOUT_WORDS[look.locale];
  const free = offer.keepsCard ? words.toCard : words.begin;
  const go = offer.dueNow.isZero() ? free : words.toPayment;
  return html`<form method="post" action="${link.id}" novalidate>
<input type="hidden" name="form" value="${randomBase62(LENGTH_OF_FORM)}">
<input type="hidden" name="version" value="${offer.version.id}">
${view.code === null ? null : html`<input type="hidden" name="code" value="${view.code}">`}
${view.isRepeated ? html`<input type="hidden" name="again" value="1">` : null}
<button type="submit" class="unseen" tabindex="-1" aria-hidden="true">${go}</button>
${customerName === null ? FIELDS.map((field) => fieldOf(view, field)) : html`<p>${words.for(html`<bdi>${customerName}</bdi>`)}</p>`}
${offer.keepsCard ? html`<p class="soft">${words.keepsCard(sellerName(view))}</p>` : null}
<button type="submit">${go}</button>
</form>`;
}

/** The names by which browsers fill in fields (WCAG 1.3.5). */
const AUTOCOMPLETE: Readonly<Record<Field, string>> = {
  name: 'name',
  email: 'email',
  line1: 'address-line1',
  line2: 'address-line2',
  zipCode: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
  country: 'country',
  taxId: 'off',
};
const OPTIONAL: ReadonlySet<Field> = new Set(['line2', 'zipCode', 'state', 'taxId']);

function fieldOf(view: FormView, field: Field): Html {
  const { look, typed, problems } = view;
  const words = CHECKOUT_WORDS[look.locale];
  const problem = problems.get(field);
  const notes = [
    ...(field === 'taxId' ? [html`<p class="hint" id="taxId-hint">${words.taxIdHint}</p>`] : []),
    ...(problem ? [html`<p class="problem" id="${field}-problem">${words[problem][field]}</p>`] : []),
  ];
  const described = [
    ...(field === 'taxId' ? ['taxId-hint', 'taxId-check'] : []),
    ...(problem ? [`${field}-problem`] : []),
  ].join(' ');
  const attributes = html` id="${field}" name="${field}" autocomplete="${AUTOCOMPLETE[field]}"${OPTIONAL.has(field) ? null : new Html(' aria-required="true"')}${problem ? new Html(' aria-invalid="true"') : null}${described === '' ? null : html` aria-describedby="${described}"`}`;
  const label = html`<label for="${field}">${words.fields[field]}${OPTIONAL.has(field) ? html` <span class="note">(${words.optional})</span>` : null}</label>`;
  return html`<div class="field">${label}${notes}
${field === 'country' ? countryField(view, attributes) : html`<input type="${field === 'email' ? 'email' : 'text'}" value="${typed[field]}" dir="auto"${attributes}>`}
${field === 'taxId' ? taxIdCheck(view) : null}</div>
`;
}

function countryField({ look, typed }: FormView, attributes: Html): Html {
  const words = CHECKOUT_WORDS[look.locale];
  return html`<select${attributes}><option value="">${words.chooseCountry}</option>${countryOptions(look.locale, typed.country)}</select>`;
}

/** The button checks without JavaScript; the script says the same while one types. */
const taxIdCheck = (view: FormView): Html =>
  html`<p class="hint" id="taxId-check" role="status">${view.taxIdText}</p>
<button type="submit" class="quiet" name="check" value="1">${CHECKOUT_WORDS[view.look.locale].checkTaxId}</button>`;

/** A closed link: the reason, and the way back. */
export function closedPage(facts: PageFacts, why: 'used' | 'expired' | 'unavailable'): string {
  const { look, link, seller } = facts;
  const words = CHECKOUT_WORDS[look.locale];
  const { heading, text } = words[why];
  const back = why === 'used' ? link.successRedirectUrl : link.failureRedirectUrl;
  return endFrame(look, {
    title: `${heading} – ${seller}`,
    sign: why === 'used' ? 'check' : 'clock',
    heading,
    body: html`<p class="soft">${sellerName(facts)}</p>
<p class="soft">${text}</p>
${wayOn(facts, back, '../..', why === 'used')}
${why === 'used' ? null : contactLinks(facts.contact)}`,
  });
}

/** A subscription that has begun without a payment. */
export function begunPage(facts: PageFacts, plan: string): string {
  const { look, link, seller } = facts;
  const words = CHECKOUT_WORDS[look.locale];
  return endFrame(look, {
    title: `${words.subscribed} – ${seller}`,
    sign: 'check',
    heading: words.subscribed,
    body: html`<p class="soft">${sellerName(facts)}</p>
<p class="soft" dir="auto">${words.subscriptionTo(plan)}</p>
${wayOn(facts, link.successRedirectUrl, '../../..', true)}`,
  });
}

/** Where the merchant said, else to the portal for somebody who has subscribed. */
function wayOn(facts: PageFacts, back: string | null, root: string, hasSubscribed: boolean): Html | null {
  const words = CHECKOUT_WORDS[facts.look.locale];
  const seller = sellerName(facts);
  if (back !== null) return html`<a class="button" rel="noreferrer" href="${back}">${words.returnTo(seller)}</a>`;
  if (!hasSubscribed) return null;
  return html`<a class="button" href="${root}/portal/${facts.link.merchantId}">${words.accountWith(seller)}</a>`;
}
