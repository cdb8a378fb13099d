import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditDatabase, recomputeDatabase } from '../../src/app.ts';
import { sql } from '../../src/db/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** Trials (commercial.md §6). Amounts are worked by hand: 310.00 are 10.00 a day in January. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let clock: Resource;
beforeAll(async () => {
  env = await openTestEnvironment();
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());
beforeEach(async () => {
  clock = await shop.clock(START);
});

type Fields = Record<string, unknown>;
const day = (date: number, month = 1): string => `2026-0${month}-${String(date).padStart(2, '0')}T00:00:00Z`;
const feeOf = (fields: Fields = {}) => shop.feePrice({ properties: { unitPrice: '310' }, ...fields });
const planOf = async (fields: Fields = {}, prices?: readonly Resource[]) =>
  shop.plan(prices ?? [await feeOf({ paymentTerm: 'in_advance' })], { trialPeriod: 'P14D', ...fields });
const sell = async (plan: Fields = {}, fields: Fields & { customer?: Resource } = {}): Promise<Resource> =>
  shop.subscribe(await planOf(plan), { clock, ...fields });
const path = (of: Resource, rest = '') => `/v0/subscriptions/${of.id}${rest}`;
const read = (of: Resource) => shop.read(path(of));
const moveTo = (of: Resource, trialEnd: string) => shop.change(path(of), { trialEnd });
const refusal = async (of: Resource, trialEnd: string) => {
  const { status, body } = await merchant.patch(path(of), { trialEnd });
  return { status, code: body.code, field: body.errors?.[0]?.field };
};
const complete = (of: Resource, paymentMethod = 'pm_ok') =>
  merchant.post(`/v0/paymentSessions/${of.payment.paymentSessionId}/complete`, { paymentMethod });
const storeCard = async (customerId: string) => {
  const { id } = await shop.create(`/v0/customers/${customerId}/paymentMethods`);
  await shop.act(`/v0/paymentSessions/${id}/complete`, { paymentMethod: 'pm_ok' });
};
/** The periods and amounts of a subscription's invoices, oldest first. */
const billed = async (of: Resource): Promise<string[]> =>
  (await shop.invoices(of)).map(({ kind, subtotal, lines, ...invoice }) => {
    const { periodStart, periodEnd } = kind === 'upfront' ? lines[0] : invoice;
    return [kind, periodStart.slice(5, 10), periodEnd.slice(5, 10), subtotal].join(' ');
  });
/** The webhooks about a subscription with this word, with their times. */
const told = (of: Resource, word: string) =>
  env.database.transaction({ merchants: [merchant.id] }, async (tx) =>
    (
      await tx.rows<{ type: string; at: Temporal.Instant }>(sql`
        select type, created_at as at from outbox
         where data ->> 'subscriptionId' = ${of.id} and type like ${`%${word}%`} order by seq`)
    ).map(({ type, at }) => `${type} ${at.toString().slice(5, 10)}`),
  );

describe('the terms of a plan', () => {
  it('are of its versions, and the next one has them unless it says otherwise', async () => {
    const plan = await planOf({ trialRequiresPaymentMethod: true, trialEndBehavior: 'terminate' });
    const terms = { trialRequiresPaymentMethod: true, trialEndBehavior: 'terminate' };
    expect(plan).toMatchObject(terms);
    const versions = `/v0/plans/${plan.id}/versions`;
    expect(await shop.create(versions, { trialEndBehavior: 'pause' })).toMatchObject({
      ...{ ...terms, trialEndBehavior: 'pause', versionNumber: 2 },
    });
    expect(await shop.read(`/v0/plans/${plan.id}`)).toMatchObject({ ...terms, trialEndBehavior: 'pause' });
    expect(await shop.read(`${versions}/1`)).toMatchObject(terms);
    const more = [...plan.prices.map(({ id }: Resource) => id), (await feeOf()).id];
    await shop.change(`/v0/plans/${plan.id}`, { prices: more });
    expect(await shop.read(`${versions}/3`)).toMatchObject({ ...terms, trialEndBehavior: 'pause' });
  });

  it('are refused where they are none', async () => {
    const answer = await merchant.post('/v0/plans', {
      ...{ name: 'Plan', currency: 'USD', productId: (await shop.product()).id },
      trialEndBehavior: 'charge',
    });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'trialEndBehavior' }] } });
  });
});

describe('`trialEnd`', () => {
  it('says when a trial ends, also after it, and null without one', async () => {
    const subscription = await sell();
    expect(subscription).toMatchObject({ status: 'active', payment: null, trialEnd: day(15) });
    await shop.advance(clock, day(20));
    expect(await read(subscription)).toMatchObject({ trialEnd: day(15) });
    expect(await sell({ trialPeriod: null })).toMatchObject({ trialEnd: null });
  });

  it('later: the first period begins there', async () => {
    const subscription = await sell();
    await shop.advance(clock, day(10));
    expect(await moveTo(subscription, day(20))).toMatchObject({ trialEnd: day(20) });
    await shop.advance(clock, day(19));
    expect(await billed(subscription)).toEqual([]);
    await shop.advance(clock, day(20));
    expect(await billed(subscription)).toEqual(['upfront 01-20 02-20 310.00', 'subscription 01-20 02-20 310.00']);
  });

  it('sooner, and now: it ends, and billing starts in the answer', async () => {
    const [sooner, now] = [await sell(), await sell()];
    await moveTo(sooner, day(5));
    await shop.advance(clock, day(3));
    expect(await moveTo(now, day(3))).toMatchObject({ trialEnd: day(3), status: 'active' });
    expect((await billed(now))[0]).toBe('upfront 01-03 02-03 310.00');
    await shop.advance(clock, day(6));
    expect((await billed(sooner))[0]).toBe('upfront 01-05 02-05 310.00');
  });

  it('at the instant of the start: it had no trial', async () => {
    const subscription = await sell({ trialEndBehavior: 'terminate' });
    expect(await moveTo(subscription, START)).toMatchObject({ trialEnd: START });
    expect((await billed(subscription))[0]).toBe('upfront 01-01 02-01 310.00');
  });

  it('with an anchor of the plan: the first period runs to its next recurrence', async () => {
    const subscription = await sell({ billingAnchor: '2025-12-01T00:00:00Z' });
    await moveTo(subscription, day(22));
    await shop.advance(clock, day(22));
    // 10 of 31 days
    expect((await billed(subscription))[0]).toBe('upfront 01-22 02-01 100.00');
  });

  it('by a client whose clock is behind by some seconds: now', async () => {
    env.setNow(START);
    const subscription = await shop.subscribe(await planOf(), { startedAt: '2025-12-31T00:00:00Z' });
    expect(await refusal(subscription, '2025-12-31T23:58:59Z')).toMatchObject({ status: 400, field: 'trialEnd' });
    expect(await moveTo(subscription, '2025-12-31T23:59:30Z')).toMatchObject({ trialEnd: START });
  });

  it('is refused in the past, where none runs, in a pause, and before the subscription is active', async () => {
    const [running, over, none, paused, pending] = [
      await sell(),
      await sell({ trialPeriod: 'P1D' }),
      await sell({ trialPeriod: null }),
      await sell(),
      await sell({ trialRequiresPaymentMethod: true }),
    ];
    await shop.advance(clock, day(5));
    await shop.act(path(paused, '/pause'), {});
    expect(await refusal(running, day(4))).toEqual({ status: 400, code: undefined, field: 'trialEnd' });
    for (const each of [over, none, paused])
      expect(await refusal(each, day(20))).toMatchObject({ status: 409, code: 'INVALID_TRANSITION' });
    expect(await refusal(pending, day(20))).toMatchObject({ status: 409, code: 'INVALID_TRANSITION' });
    const ahead = await shop.subscribe(await planOf(), { clock, startedAt: day(8) });
    expect(await refusal(ahead, day(7))).toMatchObject({ status: 400, field: 'trialEnd' });
  });

  it('moves a change that comes with it, and the periods of a version that came before', async () => {
    const subscription = await sell();
    const [twice, half] = [
      await feeOf({ paymentTerm: 'in_advance', properties: { unitPrice: '620' } }),
      await feeOf({ paymentTerm: 'in_advance', properties: { unitPrice: '155' } }),
    ];
    await shop.advance(clock, day(2));
    const changes = path(subscription, '/changes');
    await shop.create(changes, { planId: (await shop.plan([twice])).id });
    const { change } = await shop.create(changes, { planId: (await shop.plan([half])).id, effective: 'periodEnd' });
    expect(change).toMatchObject({ effectiveAt: day(15) });
    await moveTo(subscription, day(10));
    expect((await shop.read(changes)).data[0]).toMatchObject({ status: 'scheduled', effectiveAt: day(10) });
    await shop.advance(clock, day(12));
    expect((await shop.read(changes)).data[0]).toMatchObject({ status: 'applied', effectiveAt: day(10) });
    const [first, second] = await shop.invoices(subscription);
    expect([first.lines[0].periodStart, first.lines[0].periodEnd]).toEqual([day(10), day(10, 2)]);
    expect([second.periodStart, second.periodEnd]).toEqual([day(10), day(10, 2)]);
    await shop.advance(clock, day(10, 3));
    const periods = (await shop.invoices(subscription)).filter(({ kind }) => kind === 'subscription');
    // 155.00 for the first period, whoever has asked for it, and 155.00 for the second
    const asked = [first, ...periods.filter(({ status }) => status === 'ISSUED')]
      .flatMap(({ lines }) => lines)
      .filter(({ periodStart }: Resource) => periodStart < day(10, 3))
      .reduce((sum: number, { totalPrice }: Resource) => sum + Number(totalPrice), 0);
    expect(asked).toBe(310);
  });

  it('moves with a pause, and a resumption in it counts no periods anew', async () => {
    const subscription = await sell({}, { bankTransferOnly: true });
    await shop.act(path(subscription, '/pause'), { resumesAt: day(3), anchor: 'restart' });
    await shop.advance(clock, day(18));
    expect(await read(subscription)).toMatchObject({ trialEnd: day(17) });
    await shop.create(path(subscription, '/changes'), { priceOverrides: [] });
    await shop.advance(clock, day(18, 2));
    expect(await billed(subscription)).toEqual([
      ...['upfront 01-17 02-17 310.00', 'subscription 01-17 02-17 310.00', 'subscription 02-17 03-17 310.00'],
    ]);
  });

  it('moves the whole allowance of the first period with it', async () => {
    const metric = await shop.metric();
    const feature = await shop.create('/v0/features', {
      ...{ key: 'trial-calls', name: 'Calls', type: 'metered', productId: metric.productId },
    });
    const template = { type: 'metered', isSoftLimit: true, usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate: template },
    });
    const customer = await shop.customer();
    const plan = await planOf({}, [price]);
    const subscription = await shop.subscribe(plan, { clock, customer });
    const balance = async () => (await shop.read(`/v1/entitlements?customerId=${customer.id}`)).data[0].balance;
    await shop.use(subscription.id, day(1), 60);
    expect(await balance()).toBe(40);
    await moveTo(subscription, day(20));
    await shop.advance(clock, day(16));
    expect(await balance()).toBe(40); // the old end is no end
    await moveTo(subscription, day(16));
    expect(await balance()).toBe(100);
    await shop.use(subscription.id, day(16), 10);
    await shop.advance(clock, day(20));
    expect(await balance()).toBe(90);
    await shop.advance(clock, day(16, 2));
    expect(await balance()).toBe(100);
  });
});

describe('`subscription.trial_ending.v0`', () => {
  it('comes three days before, once for each end', async () => {
    const subscription = await sell();
    await shop.advance(clock, day(11));
    expect(await told(subscription, 'trial')).toEqual([]);
    await shop.advance(clock, day(13));
    expect(await told(subscription, 'trial')).toEqual(['subscription.trial_ending.v0 01-12']);
    await moveTo(subscription, day(25));
    await moveTo(subscription, day(15));
    expect(await told(subscription, 'trial')).toHaveLength(1);
    await moveTo(subscription, day(25));
    await shop.advance(clock, day(30));
    expect(await told(subscription, 'trial')).toEqual([
      'subscription.trial_ending.v0 01-12',
      'subscription.trial_ending.v0 01-22',
    ]);
  });

  it('comes with a mail to who pays, unless reminders are off', async () => {
    const [customer, payer] = [await shop.customer(), await shop.customer()];
    await shop.change(`/v0/customers/${customer.id}`, { payerId: payer.id });
    const subscription = await sell({ name: 'Pro', trialEndBehavior: 'terminate' }, { customer });
    const silent = await sell({}, { renewalReminderEnabled: false });
    await shop.advance(clock, day(12));
    const mailsOf = async (customerId: string) =>
      (await shop.read(`/v0/mails?customerId=${customerId}`)).data.map(({ kind, subject }: Resource) => [
        kind,
        subject,
      ]);
    expect(await mailsOf(payer.id)).toEqual([['trialEnding', 'Your free trial of Pro ends on 15 January 2026']]);
    for (const { customerId } of [subscription, silent]) expect(await mailsOf(customerId)).toEqual([]);
  });

  it('comes at once where the end is nearer, and not of an end that is now', async () => {
    const [short, moved, ended] = [await sell({ trialPeriod: 'P2D' }), await sell(), await sell()];
    expect(await told(short, 'trial')).toEqual(['subscription.trial_ending.v0 01-01']);
    await moveTo(moved, day(3));
    expect(await told(moved, 'trial')).toEqual(['subscription.trial_ending.v0 01-01']);
    await shop.advance(clock, day(5));
    await moveTo(ended, day(5));
    for (const each of [short, moved]) expect(await told(each, 'trial')).toHaveLength(1);
    expect(await told(ended, 'trial')).toEqual([]);
  });

  it('waits for the resumption of a trial that is paused', async () => {
    const subscription = await sell();
    await shop.advance(clock, day(5));
    await shop.act(path(subscription, '/pause'), {});
    await shop.advance(clock, day(20));
    expect(await told(subscription, 'trial')).toEqual([]);
    await shop.act(path(subscription, '/resume'), {});
    expect(await read(subscription)).toMatchObject({ trialEnd: day(30) });
    await shop.advance(clock, day(28));
    expect(await told(subscription, 'trial')).toEqual(['subscription.trial_ending.v0 01-27']);
  });
});

describe('at the end of a trial without a payment method', () => {
  it('`invoice`: billing starts', async () => {
    const subscription = await sell();
    await shop.advance(clock, day(16));
    expect((await billed(subscription))[0]).toBe('upfront 01-15 02-15 310.00');
  });

  it('`terminate`: it ends there, and nothing is billed', async () => {
    const [waiting, now] = [
      await sell({ trialEndBehavior: 'terminate' }),
      await sell({ trialEndBehavior: 'terminate' }),
    ];
    await shop.advance(clock, day(5));
    const ended = { status: 'terminated', terminationReason: 'trial_ended_without_payment_method', terminatedBy: null };
    expect(await moveTo(now, day(5))).toMatchObject({ ...ended, terminatedAt: day(5) });
    await shop.advance(clock, day(20));
    expect(await read(waiting)).toMatchObject({ ...ended, terminatedAt: day(15), trialEnd: day(15) });
    for (const each of [waiting, now]) expect(await billed(each)).toEqual([]);
  });

  it('`pause`: it waits, and a card alone resumes nothing; the first period begins with the resumption', async () => {
    const subscription = await sell({ trialEndBehavior: 'pause' });
    await shop.advance(clock, day(20));
    expect(await read(subscription)).toMatchObject({ status: 'active', pausedAt: day(15), resumesAt: null });
    await storeCard(subscription.customerId);
    await shop.advance(clock, day(25));
    expect(await billed(subscription)).toEqual([]);
    expect(await refusal(subscription, day(28))).toMatchObject({ status: 409, code: 'INVALID_TRANSITION' });
    const resumed = await shop.act(path(subscription, '/resume'), {});
    expect(resumed).toMatchObject({ pausedAt: null, trialEnd: day(15) });
    expect(await billed(subscription)).toEqual(['upfront 01-25 02-25 310.00', 'subscription 01-25 02-25 310.00']);
    expect(await told(subscription, 'sumed')).toEqual(['subscription.resumed.v0 01-25']);
  });

  it('`pause`, resumed at a time, and with the anchor of the plan', async () => {
    const fields = { trialEndBehavior: 'pause', billingAnchor: '2025-12-01T00:00:00Z' };
    const [planned, restarted] = [await sell(fields), await sell(fields)];
    await shop.advance(clock, day(16));
    await shop.change(path(planned), { resumesAt: day(22) });
    await shop.advance(clock, day(22));
    await shop.act(path(restarted, '/resume'), { anchor: 'restart' });
    await shop.advance(clock, day(23));
    // 10 of 31 days; and a whole month
    expect((await billed(planned))[0]).toBe('upfront 01-22 02-01 100.00');
    expect((await billed(restarted))[0]).toBe('upfront 01-22 02-22 310.00');
  });

  it('bills no usage of such a pause', async () => {
    const subscription = await shop.subscribe(await planOf({ trialEndBehavior: 'pause' }, [await shop.usagePrice()]), {
      clock,
    });
    await shop.advance(clock, day(20));
    for (const date of [10, 17]) await shop.use(subscription.id, day(date), 5);
    await shop.act(path(subscription, '/resume'), {});
    await shop.use(subscription.id, day(21), 7);
    await shop.advance(clock, day(20, 2));
    expect((await billed(subscription))[0]).toBe('subscription 01-20 02-20 7.00');
  });

  it.each(['terminate', 'pause'])(
    'a stored card, a payer with one, and bank transfers are methods: `%s`',
    async (is) => {
      const [customer, payer] = [await shop.customer(), await shop.customer()];
      await storeCard(payer.id);
      await shop.change(`/v0/customers/${customer.id}`, { payerId: payer.id });
      const [card, paid, transfer] = [
        await sell({ trialEndBehavior: is }),
        await sell({ trialEndBehavior: is }, { customer }),
        await sell({ trialEndBehavior: is }, { bankTransferOnly: true }),
      ];
      await storeCard(card.customerId);
      await shop.advance(clock, day(16));
      for (const each of [card, paid, transfer]) {
        expect(await read(each)).toMatchObject({ status: 'active', pausedAt: null });
        expect((await billed(each))[0]).toBe('upfront 01-15 02-15 310.00');
      }
    },
  );
});

describe('`trialRequiresPaymentMethod`', () => {
  const required = { trialRequiresPaymentMethod: true };

  it('the subscription waits for a card, and nothing is charged', async () => {
    const subscription = await sell(required);
    expect(subscription).toMatchObject({ status: 'pending_payment', trialEnd: day(15) });
    const { payment } = subscription;
    expect(payment).toEqual({
      ...{ status: 'pending', amount: '0.00', breakdown: { upfrontCharges: '0.00', walletCharge: '0.00' } },
      ...{ checkoutUrl: expect.stringContaining('/pay/'), paymentSessionId: expect.any(String) },
    });
    expect(await shop.read(`/v0/paymentSessions/${payment.paymentSessionId}`)).toMatchObject({
      ...{ mode: 'setup', amount: '0.00', entityType: 'subscription', subscriptionId: subscription.id },
    });
    expect(await read(subscription)).toMatchObject({ payment });
    expect((await complete(subscription, 'pm_declined')).body).toMatchObject({ status: 'failed' });
    expect(await read(subscription)).toMatchObject({ status: 'pending_payment' });
    expect((await complete(subscription)).body).toMatchObject({ status: 'completed' });
    expect(await read(subscription)).toMatchObject({ status: 'active', payment: null, trialEnd: day(15) });
    expect(await billed(subscription)).toEqual([]);
    expect(await told(subscription, 'activated')).toEqual(['subscription.activated.v0 01-01']);
    await shop.advance(clock, day(15));
    expect((await billed(subscription))[0]).toBe('upfront 01-15 02-15 310.00');
  });

  it('a session that expires unused, and a termination, end it', async () => {
    const [expired, ended] = [await sell(required), await sell(required)];
    const reason = 'Changed their mind';
    expect(await shop.act(path(ended, '/termination'), { reason })).toMatchObject({ status: 'terminated' });
    expect(await complete(ended)).toMatchObject({ status: 409 });
    await shop.advance(clock, day(2)); // four hours are over
    expect(await read(expired)).toMatchObject({
      ...{ status: 'terminated', terminationReason: 'payment_session_expired', payment: null },
    });
  });

  it('a card that comes after the end of the trial: billing starts at once', async () => {
    const plan = { ...required, trialPeriod: 'PT2H' };
    const subscription = await sell(plan);
    await shop.advance(clock, '2026-01-01T03:00:00Z');
    await complete(subscription);
    expect(await read(subscription)).toMatchObject({ status: 'active' });
    expect((await billed(subscription))[0]).toBe('upfront 01-01 02-01 310.00');
    expect(await told(subscription, 'trial')).toEqual([]);
  });

  it('asks nobody who has a method: a card, bank transfers; and no plan without a trial', async () => {
    const customer = await shop.customer();
    await storeCard(customer.id);
    for (const fields of [{ customer }, { bankTransferOnly: true }])
      expect(await sell(required, fields)).toMatchObject({ status: 'active', payment: null });
    const free = await feeOf();
    const plan = await planOf({ ...required, trialPeriod: null }, [free]);
    expect(await shop.subscribe(plan, { clock })).toMatchObject({ status: 'active' });
  });

  it('two subscriptions of one customer have a session each', async () => {
    const customer = await shop.customer();
    const [one, other] = [await sell(required, { customer }), await sell(required, { customer })];
    for (const each of [one, other]) await complete(each);
    for (const each of [one, other]) expect(await read(each)).toMatchObject({ status: 'active' });
  });

  it('is refused where nobody takes cards', async () => {
    const plain = await env.merchant();
    const own = shopOf(plain);
    await own.change(`/v0/organizations/${plain.id}`, { settings: { paymentProvider: 'none' } });
    const plan = await own.plan([], { ...required, trialPeriod: 'P14D' });
    const { id: customerId } = await own.customer();
    const answer = await plain.post('/v0/subscriptions', {
      name: 'Trial',
      planId: plan.id,
      customerId,
      startedAt: START,
    });
    expect(answer).toMatchObject({ status: 409, body: { code: 'NO_PAYMENT_PROVIDER' } });
  });
});

it('comes out the same from the events, and the audit holds', async () => {
  expect((await recomputeDatabase(env.url)).differing).toEqual([]);
  expect((await auditDatabase(env.url)).violations).toEqual([]);
});
