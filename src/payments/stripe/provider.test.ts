import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StripeAccount } from '../../../test/stripe/account.ts';
import type { CardName } from '../../../test/stripe/cards.ts';
import { openStripeServer, type StripeServer } from '../../../test/stripe/server.ts';
import { decimal } from '../../kernel/decimal.ts';
import {
  type CheckoutRequest,
  type CheckoutState,
  type ProviderAccount,
  ProviderAway,
  type ProviderNotice,
  ProviderRefused,
  type RemoteProvider,
} from '../provider/remote.ts';
import { fromStripeUnits, toStripeUnits } from './amounts.ts';
import { EVENT_KINDS } from './notices.ts';
import { createStripeProvider } from './provider.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');

let server: StripeServer;
let stripe: RemoteProvider;
let books: StripeAccount;
let account: ProviderAccount;
beforeAll(async () => {
  server = await openStripeServer(() => NOW.epochMilliseconds / 1_000);
  stripe = createStripeProvider({ environment: 'sandbox', apiUrl: server.url, timeoutMilliseconds: 500 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.faults.clear();
  books = server.account();
  account = {
    merchantId: 'org_1',
    externalId: books.id,
    secretKey: books.secretKey,
    webhookSecret: books.webhookSecret,
  };
});

let made = 0;
const checkout = (fields: Partial<CheckoutRequest> = {}): CheckoutRequest => {
  made += 1;
  return {
    key: `ps_${made}:1`,
    mode: 'payment',
    sessionId: `ps_${made}`,
    invoiceId: `inv_${made}`,
    customer: { id: `cus${made}`, email: 'ada@example.com', name: 'Ada', reference: null },
    amount: decimal('12.00'),
    currency: 'USD',
    title: 'Invoice INV-000001',
    lines: [{ description: 'Flat fee', amount: decimal('10.00') }],
    saveMethod: false,
    expiresAt: NOW.add({ hours: 24 }),
    returnUrl: 'http://localhost:4401/pay/ps_1/return',
    cancelUrl: 'http://localhost:4401/pay/ps_1',
    ...fields,
  };
};

/** A card that a customer has stored. */
async function stored(card: CardName = 'visa'): Promise<string> {
  const { reference } = await stripe.openCheckout(account, checkout({ mode: 'setup', amount: decimal('0') }));
  books.payPage(reference, card);
  const state = await stripe.readCheckout(account, reference);
  if (state.status !== 'stored') throw new Error(`The card is ${state.status}.`);
  return state.card.token;
}

const charge = async (fields: { key?: string; token?: string; amount?: string; currency?: string } = {}) => ({
  key: fields.key ?? `inv_${++made}:1`,
  token: fields.token ?? (await stored()),
  amount: decimal(fields.amount ?? '12.00'),
  currency: fields.currency ?? 'USD',
  invoiceId: 'inv_1',
});

describe('amounts', () => {
  it.each([
    { amount: '12.34', currency: 'USD', units: 1234 },
    { amount: '0.5', currency: 'EUR', units: 50 },
    { amount: '1200', currency: 'JPY', units: 1200 },
    { amount: '5.12', currency: 'KWD', units: 5120 },
    { amount: '500', currency: 'ISK', units: 50_000 },
    { amount: '500', currency: 'UGX', units: 50_000 },
    { amount: '1000', currency: 'MGA', units: 1000 },
    { amount: '10.45', currency: 'HUF', units: 1045 }, // only payouts need whole forints
    { amount: '10.45', currency: 'TWD', units: 1045 },
  ])('$amount $currency is $units at Stripe, and back', ({ amount, currency, units }) => {
    expect(toStripeUnits(decimal(amount), currency)).toBe(units);
    expect(fromStripeUnits(units, currency.toLowerCase()).eq(decimal(amount))).toBe(true);
  });

  it.each([
    { amount: '5.124', currency: 'KWD' },
    { amount: '0.001', currency: 'TND' },
    { amount: '10.2', currency: 'MGA' },
    { amount: '0.001', currency: 'USD' },
    { amount: '1000000.00', currency: 'USD' },
  ])('$amount $currency is refused, because Stripe cannot take it', ({ amount, currency }) => {
    expect(() => toStripeUnits(decimal(amount), currency)).toThrow(ProviderRefused);
  });

  it('come back as they were, in every currency that Stripe knows', () => {
    const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'ISK', 'UGX', 'MGA', 'BHD', 'CLP', 'HUF');
    fc.assert(
      fc.property(currencies, fc.integer({ min: 1, max: 99_999 }), (currency, steps) => {
        const units = steps * { KWD: 10, BHD: 10, ISK: 100, UGX: 100 }[currency as 'KWD'] || steps;
        expect(toStripeUnits(fromStripeUnits(units, currency), currency)).toBe(units);
      }),
    );
  });
});

describe('probe', () => {
  it('answers the id of the account', async () => {
    expect(await stripe.probe(account)).toEqual({ externalId: books.id });
  });

  it('refuses a key that Stripe does not know, and never repeats it', async () => {
    const error = await stripe.probe({ ...account, secretKey: 'sk_test_wrong_key' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ProviderRefused', about: 'account' });
    expect(String(error)).not.toContain('wrong_key');
  });

  it.each([
    { environment: 'sandbox', secretKey: 'sk_live_1', expected: 'sk_test_' },
    { environment: 'sandbox', secretKey: 'pk_test_1', expected: 'sk_test_' },
    { environment: 'production', secretKey: 'rk_test_1', expected: 'sk_live_' },
  ] as const)('refuses $secretKey in $environment before any call', async ({ environment, secretKey, expected }) => {
    const atStripe = createStripeProvider({ environment });
    await expect(atStripe.probe({ ...account, secretKey })).rejects.toThrow(expected);
  });
});

describe('a page', () => {
  it('takes the money, and names us in all that Stripe keeps of it', async () => {
    const request = checkout({ saveMethod: true });
    const opened = await stripe.openCheckout(account, request);
    expect(opened).toMatchObject({
      reference: expect.stringMatching(/^cs_test_/),
      url: expect.stringMatching(/^http/),
    });
    expect(await stripe.readCheckout(account, opened.reference)).toEqual({ status: 'open' });
    books.payPage(opened.reference);
    const state = (await stripe.readCheckout(account, opened.reference)) as CheckoutState & { status: 'paid' };
    expect(state).toMatchObject({
      status: 'paid',
      reference: expect.stringMatching(/^pi_/),
      currency: 'USD',
      card: { brand: 'visa', last4: '4242' },
      storedCard: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2034 },
    });
    expect(state.amount.toFixed(2)).toBe('12.00');
    const marks = { reckoner_session: request.sessionId, reckoner_invoice: request.invoiceId };
    expect(books.intents.get(state.reference)).toMatchObject({ metadata: marks, customer: opened.customerReference });
    expect(books.sessions.get(opened.reference)).toMatchObject({
      client_reference_id: request.sessionId,
      metadata: marks,
    });
    expect(books.customers.get(opened.customerReference as string)).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada',
      metadata: { reckoner_customer: request.customer?.id },
    });
  });

  it('is the same page under the same key, and its customer is made once', async () => {
    const request = checkout();
    server.faults.plan('lost', 'POST', /sessions$/);
    await expect(stripe.openCheckout(account, request)).rejects.toThrow(ProviderAway);
    const first = await stripe.openCheckout(account, request);
    const renamed = { ...request, customer: { ...(request.customer as object), name: 'Ada L.' } } as CheckoutRequest;
    expect(await stripe.openCheckout(account, renamed)).toEqual(first);
    expect([books.sessions.size, books.customers.size]).toEqual([1, 1]);
  });

  it('is opened for a new customer where the account has lost the one before', async () => {
    const request = checkout();
    const { customerReference: before } = await stripe.openCheckout(account, request);
    books.deleteCustomer(before as string);
    const again = checkout({
      customer: { id: request.customer?.id as string, email: null, name: null, reference: before },
    });
    const { customerReference: after } = await stripe.openCheckout(account, again);
    expect(after).not.toBe(before);
    expect(books.customers.has(after as string)).toBe(true);
  });

  it('needs no customer, and keeps no card unless it is told to', async () => {
    const opened = await stripe.openCheckout(account, checkout({ customer: null }));
    expect(opened.customerReference).toBeNull();
    books.payPage(opened.reference, 'mastercard');
    const state = await stripe.readCheckout(account, opened.reference);
    expect(state).toMatchObject({ status: 'paid', card: { brand: 'mastercard', last4: '4444' }, storedCard: null });
  });

  it('stays open after a declined card', async () => {
    const { reference } = await stripe.openCheckout(account, checkout());
    expect(books.payPage(reference, 'declined')).toEqual({ accepted: false });
    expect(await stripe.readCheckout(account, reference)).toEqual({ status: 'open' });
  });

  it.each([
    { accepted: true, expected: { status: 'paid', card: null, storedCard: null } },
    { accepted: false, expected: { status: 'failed', reason: 'card_declined' } },
  ])('waits for a bank that answers later: $expected.status', async ({ accepted, expected }) => {
    const { reference } = await stripe.openCheckout(account, checkout());
    books.payPageLater(reference);
    expect(await stripe.readCheckout(account, reference)).toEqual({ status: 'processing' });
    books.completePage(reference, accepted);
    expect(await stripe.readCheckout(account, reference)).toMatchObject(expected);
  });

  it('ends once; a page that was paid says so', async () => {
    const open = await stripe.openCheckout(account, checkout());
    expect(await stripe.expireCheckout(account, open.reference)).toEqual({ status: 'expired' });
    expect(await stripe.expireCheckout(account, open.reference)).toEqual({ status: 'expired' });
    const paid = await stripe.openCheckout(account, checkout());
    books.payPage(paid.reference);
    expect(await stripe.expireCheckout(account, paid.reference)).toMatchObject({ status: 'paid' });
    await expect(stripe.expireCheckout(account, 'cs_test_unknown')).rejects.toThrow(ProviderRefused);
  });

  it.each([
    { amount: '1200', currency: 'JPY', units: 1200 },
    { amount: '5.120', currency: 'KWD', units: 5120 },
  ])('asks for $amount $currency as $units', async ({ amount, currency, units }) => {
    const { reference } = await stripe.openCheckout(account, checkout({ amount: decimal(amount), currency }));
    expect(books.sessions.get(reference)).toMatchObject({ amount_total: units, currency: currency.toLowerCase() });
    books.payPage(reference);
    const state = (await stripe.readCheckout(account, reference)) as CheckoutState & { status: 'paid' };
    expect([state.amount.eq(decimal(amount)), state.currency]).toEqual([true, currency]);
  });

  it('is refused below the least amount of Stripe', async () => {
    await expect(stripe.openCheckout(account, checkout({ amount: decimal('0.10') }))).rejects.toThrow('at least');
  });
});

describe('a charge of a stored card', () => {
  it('takes the money once, however often it is asked for', async () => {
    const request = await charge();
    const first = await stripe.charge(account, request);
    expect(first).toMatchObject({ status: 'accepted', currency: 'USD' });
    expect(await stripe.charge(account, request)).toEqual(first);
    expect(await stripe.findCharge(account, request)).toEqual(first);
    expect(books.intents.size).toBe(1);
  });

  it('is listed from a time on, and found by its invoice in doubt, unless it was declined', async () => {
    const request = await charge();
    const made = await stripe.charge(account, request);
    const refused = await charge({ key: 'inv_2:1', token: await stored('declinedLater') });
    const declined = { ...refused, invoiceId: 'inv_2' };
    await stripe.charge(account, declined);
    const taken = await stripe.listCharges(account, Temporal.Instant.fromEpochMilliseconds(0));
    expect(taken).toMatchObject([
      { invoiceId: request.invoiceId, reference: (made as { reference: string }).reference },
    ]);
    expect(await stripe.listCharges(account, Temporal.Instant.from('2100-01-01T00:00:00Z'))).toEqual([]);
    const again = { ...request, key: `${request.invoiceId}:1001` };
    expect(await stripe.findCharge(account, again)).toEqual({ status: 'none' });
    expect(await stripe.findCharge(account, { ...again, isInDoubt: true })).toEqual(made);
    const other = { ...declined, key: 'inv_2:1001', isInDoubt: true };
    expect(await stripe.findCharge(account, other)).toEqual({ status: 'none' });
  });

  it.each([
    { card: 'declinedLater', reason: 'card_declined' },
    { card: 'insufficientLater', reason: 'insufficient_funds' },
    { card: 'authenticated', reason: 'authentication_required' },
  ] as const)('of $card is declined: $reason', async ({ card, reason }) => {
    const request = await charge({ token: await stored(card) });
    const declined = { status: 'declined', reason, reference: expect.stringMatching(/^pi_/) };
    expect(await stripe.charge(account, request)).toEqual(declined);
    expect(await stripe.findCharge(account, request)).toEqual(declined);
  });

  it('of a card that the owner of the account has removed is declined', async () => {
    const token = await stored();
    books.deleteCustomer(token.split('/')[0] as string);
    const request = await charge({ token });
    expect(await stripe.charge(account, request)).toEqual({
      status: 'declined',
      reference: null,
      reason: 'card_declined',
    });
    expect(await stripe.findCharge(account, request)).toEqual({ status: 'none' });
  });

  it.each(['lost', 'error_after', 'hang'] as const)(
    'is unknown where its answer is %s, and is found afterwards',
    async (fault) => {
      const request = await charge();
      server.faults.plan(fault, 'POST', /payment_intents$/);
      await expect(stripe.charge(account, request)).rejects.toThrow(ProviderAway);
      expect(await stripe.findCharge(account, request)).toMatchObject({ status: 'accepted' });
      expect(books.intents.size).toBe(1);
    },
  );

  it.each(['reset', 'error_before', 'rate_limit', 'flood'] as const)(
    'is unknown where the request meets %s, and is made by the next try',
    async (fault) => {
      const request = await charge();
      server.faults.plan(fault, 'POST', /payment_intents$/);
      await expect(stripe.charge(account, request)).rejects.toThrow(ProviderAway);
      expect(await stripe.findCharge(account, request)).toEqual({ status: 'none' });
      expect(await stripe.charge(account, request)).toMatchObject({ status: 'accepted' });
    },
  );

  it('is unknown where the key was used for something else', async () => {
    const request = await charge();
    await stripe.charge(account, request);
    await expect(stripe.charge(account, { ...request, amount: decimal('13.00') })).rejects.toThrow(ProviderAway);
    expect(books.intents.size).toBe(1);
  });

  it('is found behind a hundred others', async () => {
    const token = await stored();
    const wanted = await charge({ token });
    await stripe.charge(account, wanted);
    for (let n = 0; n < 120; n += 1) await stripe.charge(account, await charge({ token }));
    expect(await stripe.findCharge(account, wanted)).toMatchObject({ status: 'accepted' });
  });

  it('is refused for a card of the sandbox, and for a revoked key', async () => {
    await expect(stripe.charge(account, await charge({ token: 'pm_ok/ps_1:1' }))).rejects.toThrow(ProviderRefused);
    const request = await charge();
    books.rollKey();
    await expect(stripe.charge(account, request)).rejects.toMatchObject({ about: 'account' });
  });

  it('happens once, whatever goes wrong on the way', async () => {
    const token = await stored();
    const faults = ['lost', 'reset', 'error_before', 'error_after', 'rate_limit'] as const;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const before = books.intents.size;
        const request = await charge({ token });
        server.faults.sow(seed, 0.6, faults);
        for (let tries = 0; tries < 4; tries += 1) await stripe.charge(account, request).catch(() => null);
        server.faults.clear();
        const found = await stripe.findCharge(account, request);
        expect(books.intents.size - before).toBe(found.status === 'none' ? 0 : 1);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a refund', () => {
  const charged = async (): Promise<string> => {
    const done = await stripe.charge(account, await charge());
    return done.reference as string;
  };
  const refund = (chargeReference: string, amount = '12.00') => ({
    key: `return:pay_${++made}`,
    chargeReference,
    amount: decimal(amount),
    currency: 'USD',
  });

  it('sends the money back once, and is found', async () => {
    const request = refund(await charged());
    expect(await stripe.findRefund(account, request)).toEqual({ status: 'none' });
    const first = await stripe.refund(account, request);
    expect(first).toMatchObject({ status: 'succeeded' });
    expect(await stripe.refund(account, request)).toEqual(first);
    expect(await stripe.findRefund(account, request)).toEqual(first);
    expect(books.refunds.size).toBe(1);
  });

  it('whose answer is lost is found', async () => {
    const request = refund(await charged());
    server.faults.plan('lost', 'POST', /refunds$/);
    await expect(stripe.refund(account, request)).rejects.toThrow(ProviderAway);
    expect(await stripe.findRefund(account, request)).toMatchObject({ status: 'succeeded' });
  });

  it.each(['succeeded', 'failed'] as const)('may be pending, and then %s', async (status) => {
    const request = refund(await charged());
    books.nextRefundStatus = 'pending';
    const { reference } = await stripe.refund(account, request);
    expect(await stripe.findRefund(account, request)).toEqual({ status: 'pending', reference });
    books.finishRefund(reference, status);
    expect(await stripe.findRefund(account, request)).toMatchObject({ status, reference });
  });

  it('is refused where the owner has refunded the payment already', async () => {
    const reference = await charged();
    books.refundAtDashboard(reference);
    await expect(stripe.refund(account, refund(reference))).rejects.toThrow('already been refunded');
  });
});

describe('a notice', () => {
  const body = JSON.stringify({
    id: 'evt_1',
    object: 'event',
    type: 'refund.created',
    data: { object: { id: 're_1' } },
  });
  const read = (signature: string | undefined, text = body, secret: string | null = books.webhookSecret) =>
    stripe.readNotice({ ...account, webhookSecret: secret }, Buffer.from(text), { 'stripe-signature': signature }, NOW);

  it('is read where its signature is right and new', () => {
    const notice = { id: 'evt_1', kind: 'refund.created', objectReference: 're_1' };
    expect(read(books.signature(body))).toEqual(notice);
    expect(read(books.signature(body, { secondsOld: 300 }))).toEqual(notice);
  });

  it.each<{ what: string; notice: () => ProviderNotice | null }>([
    { what: 'signed with another secret', notice: () => read(books.signature(body, { forged: true })) },
    { what: 'signed 301 seconds ago', notice: () => read(books.signature(body, { secondsOld: 301 })) },
    { what: 'changed by one byte', notice: () => read(books.signature(body), `${body} `) },
    { what: 'without a signature', notice: () => read(undefined) },
    { what: 'with a signature that is no signature', notice: () => read('t=1,v0=abc') },
    { what: 'of an account without a webhook secret', notice: () => read(books.signature(body), body, null) },
    { what: 'that is no JSON', notice: () => read(books.signature('{'), '{') },
    { what: 'that is no event', notice: () => read(books.signature('{"id":1}'), '{"id":1}') },
    {
      what: 'signed under an empty secret',
      notice: () => {
        const at = NOW.epochMilliseconds / 1_000;
        const mac = createHmac('sha256', '').update(`${at}.${body}`).digest('hex');
        return read(`t=${at},v1=${mac}`, body, '');
      },
    },
  ])('is not believed $what', ({ notice }) => {
    expect(notice()).toBeNull();
  });

  /** The facts of each event, in their order. */
  const factsOf = async () => {
    const facts: unknown[][] = [];
    for (const { id, type, data } of books.events)
      facts.push([
        ...(await stripe.resolve(account, { id, kind: type, objectReference: (data.object as { id: string }).id })),
      ]);
    return facts.flat();
  };

  it('about a page leads to the page, by whichever event', async () => {
    const { reference } = await stripe.openCheckout(account, checkout());
    books.payPage(reference);
    const facts = await factsOf();
    expect(facts).toHaveLength(2);
    for (const fact of facts) expect(fact).toMatchObject({ kind: 'checkout', reference, state: { status: 'paid' } });
  });

  it('about a stored card leads to its page', async () => {
    await stored();
    const facts = await factsOf();
    expect(facts).toHaveLength(2);
    for (const fact of facts) expect(fact).toMatchObject({ kind: 'checkout', state: { status: 'stored' } });
  });

  it('about a charge, its refund and its dispute tells how they stand now', async () => {
    const request = await charge();
    const { reference } = await stripe.charge(account, request);
    const own = { key: 'return:pay_1', chargeReference: reference as string, amount: decimal('2'), currency: 'USD' };
    await stripe.refund(account, own);
    books.refundAtDashboard(reference as string, 300);
    const dispute = books.dispute(reference as string);
    books.closeDispute(dispute.id, 'lost');
    books.events.splice(
      0,
      books.events.findIndex(({ type }) => type === 'payment_intent.succeeded'),
    );
    const facts = (await factsOf()) as { kind: string; key?: string | null; status?: string }[];
    expect(facts.filter(({ kind }) => kind === 'charge')).toMatchObject([{ key: request.key }]);
    const refunds = facts.filter(({ kind }) => kind === 'refund');
    expect(new Set(refunds.map(({ key }) => key))).toEqual(new Set(['return:pay_1', null]));
    expect(refunds[0]).toMatchObject({ chargeReference: reference, currency: 'USD' });
    const disputes = facts.filter(({ kind }) => kind === 'dispute');
    expect(disputes).toHaveLength(3);
    for (const each of disputes)
      expect(each).toMatchObject({ chargeReference: reference, status: 'lost', reason: 'fraudulent' });
  });

  it('of another program, or of a kind that nobody needs, is no fact', async () => {
    const foreign = await stripe.openCheckout(account, checkout());
    const session = books.sessions.get(foreign.reference) as { metadata: object };
    session.metadata = {};
    books.payPage(foreign.reference);
    for (const intent of books.intents.values()) intent.metadata = {};
    const [intent] = [...books.intents.keys()];
    books.refundAtDashboard(intent as string, 100);
    books.dispute(intent as string);
    books.emitOther('customer.created');
    expect(await factsOf()).toEqual([]);
  });

  it('is read again from Stripe, for each kind that an endpoint there should send', async () => {
    expect(EVENT_KINDS).toHaveLength(18);
    for (const kind of EVENT_KINDS) {
      server.requests.length = 0;
      await stripe.resolve(account, { id: 'evt', kind, objectReference: 'no_such_thing' }).catch(() => []);
      expect(server.requests, kind).toMatchObject([{ method: 'GET' }]);
    }
  });
});

it('knows each account by its own key: what one has, another does not', async () => {
  const { reference } = await stripe.openCheckout(account, checkout());
  const other = server.account();
  const foreign = { ...account, secretKey: other.secretKey, externalId: other.id };
  await expect(stripe.readCheckout(foreign, reference)).rejects.toThrow(ProviderRefused);
});

it('asks in the version of the API that the SDK pins, and repeats nothing by itself', async () => {
  server.requests.length = 0;
  server.faults.plan('error_before', 'GET', /account$/);
  await expect(stripe.probe(account)).rejects.toThrow(ProviderAway);
  expect(server.requests).toMatchObject([{ path: '/v1/account', version: '2026-10-28.endive' }]);
});
