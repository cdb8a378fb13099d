import { findPlan } from '../../catalog/index.ts';
import type { Database, Tx } from '../../db/index.ts';
import { Reply, type Route, routesOf, Strict, Text, Type } from '../../http/index.ts';
import { findLogo, findMerchant } from '../../identity/index.ts';
import { isId } from '../../kernel/ids.ts';
import { type Locale, localeAskedFor } from '../../kernel/locale.ts';
import { notFound, ok, orThrow, RefusalError, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import {
  errorPage,
  FORM,
  HTML,
  IMAGE,
  isForeign,
  LOGO_HEADERS,
  PRIVATE,
  pageReply,
  unknownReply,
} from '../../pages/index.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { CheckoutLink } from '../link/link.ts';
import { selectLink } from '../link/links.sql.ts';
import type { Checkout } from '../sign-up/checkout.ts';
import { selectCheckout, selectCheckoutOfForm } from '../sign-up/checkouts.sql.ts';
import type { Typed } from '../sign-up/details.ts';
import {
  DetailsBody,
  detailsSoFar,
  type Field,
  type FieldProblem,
  readDetails,
  typedFrom,
  typedIn,
  typedOf,
} from '../sign-up/details.ts';
import type { CheckoutInput, InputReason, RegisterAnswer } from '../sign-up/input.ts';
import { selectInput, upsertInput } from '../sign-up/inputs.sql.ts';
import type { Offer } from '../sign-up/rehearse.ts';
import { submit } from '../sign-up/submit.ts';
import { type OfferOf, Offers } from './offers.ts';
import { begunPage, closedPage, type FormView, factsOf, type PageFacts, signupPage } from './page.ts';
import { SIGNUP_SCRIPT } from './script.ts';
import { SIGNUP_STYLE } from './style.ts';
import { createTaxIdAsker, taxIdInWords } from './tell-tax-id.ts';

const api = routesOf('Pages');

const WORDS = { contentType: 'text/plain', description: 'The verdict on a tax number.' } as const;
const MOST_BYTES = 16_384;
const BY_LINK = { byKeys: 'one thing' } as const;

interface Found {
  readonly link: CheckoutLink;
  /** The plan and the merchant as they stand: an offer under others is another one. */
  readonly terms: readonly unknown[];
  readonly facts: PageFacts;
}

/**
 * The page of a sign-up link: anybody with its secret address may subscribe by it. It creates nothing before the
 * payment (docs/decisions/0120).
 */
export function signupRoutes(dependencies: CheckoutDependencies): readonly Route[] {
  const {
    environment,
    customerHooks: { describeTaxId },
  } = dependencies;
  const askRegister = createTaxIdAsker(dependencies);
  const offers = new Offers(dependencies);
  const usual = { access: { public: true }, hidden: true, errorPage: errorPage(environment) } as const;
  const show = api.get('/pay/signup/:id', 'showSignupPage', {
    ...usual,
    summary: 'The page of a sign-up link',
    query: Strict({
      form: Type.Optional(Text({ maxLength: 100 })),
      code: Type.Optional(Text({ maxLength: 255 })),
    }),
    replies: { 200: HTML, 404: HTML },
    free: async ({ database, params, query, request, now }) => {
      const asked = localeAskedFor(request.headers['accept-language']);
      const found = await findLink(dependencies, database, params.id, asked, now);
      if (found === null) return ok(unknownReply(environment, asked));
      return ok(
        await formReply(
          { dependencies, offers, database },
          found,
          { ...(await sentBefore(database, found.link, query.form)), code: codeIn(query.code) },
          now,
        ),
      );
    },
  });
  const send = api.post('/pay/signup/:id', 'signUp', {
    ...usual,
    summary: 'Submit the details of a new subscriber, and redirect to the payment',
    body: DetailsBody,
    contentTypes: [FORM],
    bodyLimit: MOST_BYTES,
    replies: { 303: HTML, 404: HTML },
    free: async ({ database, params, request, body, now, endSlot }) => {
      const asked = localeAskedFor(request.headers['accept-language']);
      const found = await findLink(dependencies, database, params.id, asked, now);
      if (found === null) return ok(unknownReply(environment, asked));
      const { link } = found;
      // After a form a browser shows what it is sent to, so that "back" and a reload show a page and send nothing.
      const to = (location: string) => ok(new Reply(303, '', { ...PRIVATE, location }));
      if (isForeign(request)) return to(link.id);
      const typed = link.customerId === null ? typedIn(body) : typedFrom(null);
      const { form } = body;
      const again = async (reason: InputReason, register: RegisterAnswer | null = null) => {
        const input = { merchantId: link.merchantId, linkId: link.id, form, typed, reason, register, createdAt: now };
        await database.transaction({ merchants: [link.merchantId] }, (tx) => upsertInput(tx, input), BY_LINK);
        const code = codeIn(body.code);
        const more = code === null ? '' : `&code=${encodeURIComponent(code)}`;
        return to(`${link.id}?form=${encodeURIComponent(form)}${more}`);
      };
      if (typed.taxId !== '') endSlot(); // the register is asked
      const answer = await askRegister(database, link.merchantId, typed, now);
      if (body.check !== undefined) return again('checked', answer);
      const taken = await takeForm({ dependencies, offers, database }, found, { ...body, typed }, now);
      return taken.kind === 'taken' ? to(whereTo(link, taken.checkout)) : again(taken.kind);
    },
  });
  const done = api.get('/pay/signup/:id/:checkoutId', 'showBegunSubscription', {
    ...usual,
    summary: 'The page of a subscription that has begun without a payment',
    replies: { 200: HTML, 404: HTML },
    free: async ({ database, params, request, now }) => {
      const asked = localeAskedFor(request.headers['accept-language']);
      const { id, checkoutId } = params as { id: string; checkoutId: string };
      const found = await findLink(dependencies, database, id, asked, now);
      const begun = found && (await begunBy(database, found.link, checkoutId));
      if (!begun) return ok(unknownReply(environment, asked));
      return ok(pageReply(200, begunPage(found.facts, begun), found.facts.look));
    },
  });
  const checkTaxId = api.post('/pay/signup/:id/taxId', 'checkTaxIdOnPage', {
    ...usual,
    summary: 'Say whether a tax number has the right form, and whether it is registered',
    body: Strict({ country: Text({ maxLength: 100 }), taxId: Text({ maxLength: 1_000 }) }),
    contentTypes: [FORM],
    bodyLimit: MOST_BYTES,
    replies: { 200: WORDS, 404: HTML },
    free: async ({ database, params, request, body, now, endSlot }) => {
      const asked = localeAskedFor(request.headers['accept-language']);
      const found = await findLink(dependencies, database, params.id, asked, now);
      if (found === null) return ok(unknownReply(environment, asked));
      endSlot(); // the register is asked
      const answer = await askRegister(database, found.link.merchantId, body, now);
      const text = await taxIdInWords(describeTaxId, found.facts.look.locale, body, answer);
      return ok(new Reply(200, text, { ...PRIVATE, 'content-type': 'text/plain; charset=utf-8' }));
    },
  });
  const logo = api.get('/pay/signup/:id/logo', 'showLogoOfSignupLink', {
    ...usual,
    summary: 'The logo of the merchant of a sign-up link',
    replies: { 200: IMAGE, 404: HTML },
    free: async ({ database, params }) => {
      const found = await inMerchantOf(database, params.id, async (tx) => findLogo(tx));
      if (!found) return notFound('logo');
      return ok(new Reply(200, found.content, { ...PRIVATE, ...LOGO_HEADERS, 'content-type': found.contentType }));
    },
  });
  return [show, send, logo, checkTaxId, done];
}

/** Runs in a transaction of the merchant whose link it is. @returns null where there is no such link */
async function inMerchantOf<T>(database: Database, id: string, work: (tx: Tx) => Promise<T>): Promise<T | null> {
  const merchantId = isId('checkoutLink', id) ? await database.owners.find(id) : null;
  return merchantId === null ? null : database.transaction({ merchants: [merchantId] }, work, BY_LINK);
}

const findLink = (
  { environment }: CheckoutDependencies,
  database: Database,
  id: string,
  asked: Locale,
  now: Instant,
): Promise<Found | null> =>
  inMerchantOf(database, id, async (tx) => {
    const link = await selectLink(tx, id);
    if (!link) return null;
    const merchant = await findMerchant(tx);
    const facts = await factsOf(tx, environment, { link, merchant }, asked, now);
    return { link, facts, terms: [await findPlan(tx, link.planId), merchant] };
  });

/** What the page shows in its fields, and why it is shown again. */
type Shown = Pick<CheckoutInput, 'typed' | 'register'> & { readonly reason: InputReason | null };

/** What an answer to a visitor is made with. */
interface Answering {
  readonly dependencies: CheckoutDependencies;
  readonly offers: Offers;
  readonly database: Database;
}

/**
 * What somebody has typed into a form that was sent, whose page is asked for again; else what is known of a person.
 * Whoever subscribed is forgotten here.
 */
async function sentBefore(database: Database, link: CheckoutLink, form: string | undefined): Promise<Shown> {
  const fresh: Shown = { typed: typedFrom(link.known), reason: null, register: null };
  if (form === undefined) return fresh;
  return database.transaction(
    { merchants: [link.merchantId] },
    async (tx) => {
      const input = await selectInput(tx, link.id, form);
      if (input) return input;
      const details = (await selectCheckoutOfForm(tx, link.id, form))?.typed;
      return details ? { ...fresh, typed: typedOf(details) } : fresh;
    },
    BY_LINK,
  );
}

const codeIn = (text: string | undefined): string | null => text?.trim() || null;

/** A link with the code that somebody has typed, where its page asks for one. */
const withCode = (link: CheckoutLink, code: string | null): CheckoutLink =>
  code === null || !link.allowPromotionCodes ? link : { ...link, coupons: [...link.coupons, code] };

/** The link as it can be sold: without a code that is refused, and without a coupon that is gone. */
async function sellable(
  offers: Offers,
  database: Database,
  of: OfferOf,
  code: string | null,
  now: Instant,
): Promise<{ offer: Result<Offer>; code: string | null; refused: FormView['refused'] }> {
  const { link } = of;
  const offerOf = (sold: CheckoutLink) => offers.recent(database, { ...of, link: sold }, now);
  const offer = await offerOf(withCode(link, code));
  if (offer.ok || (code === null && link.coupons.length === 0)) return { offer, code, refused: null };
  const isTyped = code !== null && link.allowPromotionCodes;
  const without = isTyped ? await offerOf(link) : offer;
  if (without.ok) return { offer: without, code: null, refused: 'code' };
  return { offer: await offerOf({ ...link, coupons: [] }), code: null, refused: 'coupon' };
}

/** The form, or why there is none. */
async function formReply(
  { dependencies, offers, database }: Answering,
  found: Found,
  { typed, reason, register, code: asked }: Shown & { readonly code: string | null },
  now: Instant,
): Promise<Reply> {
  const { facts } = found;
  const { look } = facts;
  const { describeTaxId } = dependencies.customerHooks;
  if (facts.status !== 'open') return pageReply(200, closedPage(facts, facts.status), look);
  const terms = [...found.terms, register]; // a confirmed number changes the tax
  const of = { ...found, terms, typed: await detailsSoFar(describeTaxId, typed, look.locale), locale: look.locale };
  // what a sent form was held against is kept by now
  const { offer, code, refused } = await sellable(offers, database, of, asked, now);
  if (!offer.ok) return pageReply(200, closedPage(facts, 'unavailable'), look);
  const read = reason === 'mistakes' ? await readDetails(describeTaxId, typed, look.locale) : null;
  const view: FormView = {
    ...facts,
    offer: offer.value,
    ...{ code, refused },
    typed,
    problems: read && !read.ok ? read.problems : new Map<Field, FieldProblem>(),
    hasChanged: reason === 'changed',
    isRepeated: reason === 'repeated',
    taxIdText: reason === 'checked' ? await taxIdInWords(describeTaxId, look.locale, typed, register) : '',
  };
  return pageReply(200, signupPage(view), look, {
    formsLeadTo: facts.link.successRedirectUrl,
    showsLogo: facts.hasLogo,
    style: SIGNUP_STYLE,
    script: SIGNUP_SCRIPT,
  });
}

type Taken =
  | { readonly kind: 'taken'; readonly checkout: Checkout }
  | { readonly kind: Exclude<InputReason, 'checked'> };

/** A sent form: the checkout to go on with, or why the form is shown again. */
async function takeForm(
  { dependencies, offers, database }: Answering,
  found: Found,
  {
    form,
    version,
    typed,
    again,
    code,
  }: { form: string; version: string; typed: Typed; again?: string | undefined; code?: string | undefined },
  now: Instant,
): Promise<Taken> {
  const { link, facts } = found;
  const { describeTaxId } = dependencies.customerHooks;
  const read = link.customerId === null ? await readDetails(describeTaxId, typed, facts.look.locale) : null;
  if (read && !read.ok) return { kind: 'mistakes' };
  const details = read?.details ?? null;
  const sold = withCode(link, codeIn(code));
  const { coupons } = sold;
  const offer = await offers.now(database, { ...found, link: sold, typed: details, locale: facts.look.locale }, now);
  if (!offer.ok || offer.value.version.id !== version) return { kind: 'changed' };
  const submission = { form, details, coupons, again: again !== undefined, offer: offer.value };
  const taken = await submitOnce(dependencies, database, link, submission, now);
  if (taken.ok) return { kind: 'taken', checkout: taken.value };
  const isRepeated = taken.refusal.kind === 'code' && taken.refusal.code === 'CHECKOUT_REPEATED';
  return { kind: isRepeated ? 'repeated' : 'changed' };
}

/** In a transaction of its own that a refusal undoes. */
async function submitOnce(
  dependencies: CheckoutDependencies,
  database: Database,
  link: CheckoutLink,
  submission: Parameters<typeof submit>[3],
  now: Instant,
): Promise<Result<Checkout>> {
  try {
    return ok(
      await database.transaction(
        { merchants: [link.merchantId] },
        async (tx) => orThrow(await submit(dependencies, tx, link, submission, now)),
        BY_LINK,
      ),
    );
  } catch (error) {
    if (error instanceof RefusalError) return { ok: false, refusal: error.refusal };
    throw error;
  }
}

/**
 * To the session that pays or keeps a card; else to where the merchant said, or to a page that says that it is done.
 */
const whereTo = (link: CheckoutLink, { id, sessionId }: Checkout): string =>
  sessionId === null ? (link.successRedirectUrl ?? `${link.id}/${id}`) : `../${sessionId}`;

/** The name of the plan of a subscription that has begun by a link; null where it has not. */
const begunBy = (
  database: Database,
  { merchantId, id, planId }: CheckoutLink,
  checkoutId: string,
): Promise<string | null> =>
  database.transaction({ merchants: [merchantId] }, async (tx) => {
    const checkout = isId('checkout', checkoutId) ? await selectCheckout(tx, checkoutId) : undefined;
    if (checkout?.linkId !== id || checkout.completedAt === null) return null;
    const plan = await findPlan(tx, planId);
    return plan ? (plan.invoiceDisplayName ?? plan.name) : '';
  });
