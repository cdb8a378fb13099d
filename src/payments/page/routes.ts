import { effectiveNowForReading } from '../../clocks/index.ts';
import { findLocale } from '../../customers/index.ts';
import type { Database, Tx } from '../../db/index.ts';
import { Formed, Reply, type Route, routesOf, Strict, Text, Type } from '../../http/index.ts';
import { type EnvironmentName, findMerchant } from '../../identity/index.ts';
import { isId } from '../../kernel/ids.ts';
import { type Locale, localeAskedFor } from '../../kernel/locale.ts';
import { ok, orThrow, RefusalError } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { errorPage, FORM, HTML, lookOf, PRIVATE, pageReply, unknownReply } from '../../pages/index.ts';
import { openCheckout, readSession } from '../checkouts/checkouts.ts';
import type { ProviderName } from '../provider/provider.ts';
import { TEST_CARDS, type TestCard } from '../provider/test-cards.ts';
import { completeSession, type PaymentDependencies } from '../sessions/completion.ts';
import type { PaymentEnvironment } from '../sessions/session-routes.ts';
import { findSession } from '../sessions/sessions.ts';
import { checkoutPage, looksAgainAt, type PageView } from './page.ts';
import { PAGE_PROBLEMS, type PageProblem } from './words.ts';

const api = routesOf('Pages');

/** The hosted page of a session. Anybody with its secret address may pay; nothing else is required of a customer. */
export const pageRoutes = (
  dependencies: PaymentDependencies,
  { environment, publicUrl }: PaymentEnvironment,
): readonly Route[] => {
  /** Test cards are impossible in production. */
  const takesCardsHere = (provider: ProviderName): boolean => provider !== 'sandbox' || environment === 'sandbox';
  const pageFor = (view: PageView) =>
    pageReply(200, checkoutPage(view), view.look, {
      looksAgainAt: looksAgainAt(view),
      formsLeadTo: view.session.provider === 'sandbox' ? view.session.successRedirectUrl : 'https:',
      showsLogo: view.entity?.logo !== undefined,
    });
  const show = api.get('/pay/:id', 'showPaymentPage', {
    summary: 'The hosted page of a payment session',
    access: { public: true },
    query: Strict({
      look: Type.Optional(Formed('^(?:off|[0-9]{1,2})$', 'must be a number, or off')),
      problem: Type.Optional(Text({ maxLength: 20 })),
    }),
    replies: { 200: HTML, 303: HTML, 404: HTML },
    hidden: true,
    errorPage: errorPage(environment),
    free: async ({ database, now, params, query, request }) => {
      const id = params.id;
      const asked = localeAskedFor(request.headers['accept-language']);
      const unknown = unknownReply(environment, asked);
      const merchantId = await merchantOf(database, id);
      if (merchantId === null) return ok(unknown);
      const view = await viewOf(database, dependencies, { merchantId, id, environment, asked }, now);
      if (!view || !takesCardsHere(view.session.provider)) return ok(unknown);
      const { status, successRedirectUrl: onward } = view.session;
      // After the wait for the bank, the customer goes to the target of an immediate payment.
      if (query.look !== undefined && status === 'completed' && onward !== null)
        return ok(new Reply(303, '', { ...PRIVATE, location: onward }));
      const looks = query.look === 'off' ? null : Number(query.look ?? 0);
      return ok(pageFor({ ...view, looks, problem: PAGE_PROBLEMS.find((each) => each === query.problem) }));
    },
  });
  const pay = api.post('/pay/:id', 'payOnPage', {
    summary: 'Pay on the hosted page',
    access: { public: true },
    body: Strict({ paymentMethod: Type.Optional(Text({ maxLength: 100 })) }),
    contentTypes: [FORM],
    bodyLimit: 4096,
    replies: { 303: HTML, 404: HTML },
    hidden: true,
    errorPage: errorPage(environment),
    free: async ({ database, now, params, body, request, endSlot }) => {
      const id = params.id;
      const asked = localeAskedFor(request.headers['accept-language']);
      const unknown = unknownReply(environment, asked);
      const merchantId = await merchantOf(database, id);
      if (merchantId === null) return ok(unknown);
      // After a form a browser shows what it is sent to, so that "back" and a reload show a page and send nothing.
      const to = (location: string) => ok(new Reply(303, '', { ...PRIVATE, location }));
      const again = (problem: PageProblem) => to(`./${id}?problem=${problem}`);
      const provider = await providerOf(database, { merchantId, id });
      if (provider === null || !takesCardsHere(provider)) return ok(unknown);
      if (provider !== 'sandbox') {
        endSlot();
        const opening = await openCheckout(dependencies, { merchantId, id }, publicUrl);
        if (opening.kind === 'opened') return to(opening.url);
        const problems = { away: 'providerAway', notConnected: 'notConnected', refused: 'notPayable' } as const;
        return again(problems[opening.kind]);
      }
      const card = TEST_CARDS.find((each) => each === body.paymentMethod);
      if (!card) return again('chooseCard');
      const session = await payOnce(database, dependencies, { merchantId, id, card }, now);
      if (session === null) return again('notPayable');
      const isDone = session.status === 'completed' && session.successRedirectUrl !== null;
      return to(isDone ? (session.successRedirectUrl as string) : `./${id}`);
    },
  });
  const back = api.get('/pay/:id/return', 'returnToPaymentPage', {
    summary: 'The page after a payment at a provider',
    access: { public: true },
    replies: { 303: HTML, 404: HTML },
    hidden: true,
    errorPage: errorPage(environment),
    free: async ({ database, params, request, endSlot }) => {
      const id = params.id;
      const asked = localeAskedFor(request.headers['accept-language']);
      const unknown = unknownReply(environment, asked);
      const merchantId = await merchantOf(database, id);
      if (merchantId === null) return ok(unknown);
      endSlot(); // the provider is asked
      await readSession(dependencies, { merchantId, id });
      const session = await database.transaction({ merchants: [merchantId] }, (tx) => findSession(tx, id));
      const isDone = session?.status === 'completed' && session.successRedirectUrl !== null;
      return ok(new Reply(303, '', { location: isDone ? (session.successRedirectUrl as string) : `../${id}` }));
    },
  });
  return [show, pay, back];
};

/** The provider for the card of a session; null if there is no such session. */
const providerOf = (
  database: Database,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<ProviderName | null> =>
  database.transaction({ merchants: [merchantId] }, async (tx) => (await findSession(tx, id))?.provider ?? null);

/** In a transaction of its own that a refusal undoes. @returns null where it is refused. */
async function payOnce(
  database: Database,
  dependencies: PaymentDependencies,
  { merchantId, id, card }: { merchantId: string; id: string; card: TestCard },
  now: Instant,
) {
  try {
    return await database.transaction(
      { merchants: [merchantId] },
      async (tx) => orThrow(await completeSession(tx, dependencies, { merchantId, id, card }, now)),
      { byKeys: 'one thing' },
    );
  } catch (error) {
    if (error instanceof RefusalError) return null;
    throw error;
  }
}

/** The merchant of a session, from its address alone. */
const merchantOf = async (database: Database, id: string): Promise<string | null> =>
  isId('paymentSession', id) ? database.owners.find(id) : null;

const viewOf = (
  database: Database,
  { handlers }: PaymentDependencies,
  {
    merchantId,
    id,
    environment,
    asked,
  }: { merchantId: string; id: string; environment: EnvironmentName; asked: Locale },
  now: Instant,
): Promise<PageView | null> => {
  const describe = async (tx: Tx): Promise<PageView | null> => {
    const session = await findSession(tx, id);
    if (!session) return null;
    const { entityType, entityId } = session;
    const entity = await handlers.describe(tx, { merchantId, sessionId: id, entityType, entityId, asked }, now);
    const merchant = await findMerchant(tx);
    const at = await effectiveNowForReading(tx, session.clockId, now);
    const locale = session.customerId === null ? null : await findLocale(tx, session.customerId);
    const look = lookOf(environment, merchant.settings, locale, entity?.locale ?? asked);
    const contact = { email: merchant.billingEmails[0] ?? null, phone: merchant.phone };
    return { session, entity, seller: merchant.name, contact, look, now: at };
  };
  return database.transaction({ merchants: [merchantId] }, describe, { byKeys: 'one thing' });
};
