import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingFields } from '../../src/catalog/testing/build.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The quantities of a subscription's fee prices, and the bill of a change, on clocks (docs/seats.md). */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const seatPrice = (fields: object = {}) =>
  shop.feePrice({ invoiceDisplayName: 'Seats', quantity: 5, properties: { unitPrice: '31' }, ...fields });
const changesOf = (subscription: Resource) => `/v0/subscriptions/${subscription.id}/changes`;
const change = (subscription: Resource, body: object) => shop.create(changesOf(subscription), body);
const again = (subscription: Resource) => shop.read(`/v0/subscriptions/${subscription.id}`);

describe('the quantities of a subscription', () => {
  it('are those of its prices, unless the creation says others; every answer has them', async () => {
    const [seats, support, usage] = [await seatPrice(), await shop.feePrice(), await shop.usagePrice()];
    const plan = await shop.plan([seats, usage, support]);
    const clock = await shop.clock(START);
    const plain = await shop.subscribe(plan, { clock });
    expect(Object.entries(plain.quantities)).toEqual([
      [seats.id, 5],
      [support.id, 1],
    ]);
    const customer = await shop.customer();
    const larger = await shop.subscribe(plan, { clock, customer, quantities: { [support.id]: 0, [seats.id]: 12 } });
    expect(larger.quantities).toEqual({ [seats.id]: 12, [support.id]: 0 });
    expect(await again(larger)).toEqual(larger);
    const { data } = await shop.read(`/v0/subscriptions?customerId=${customer.id}&include=customer`);
    expect(data).toMatchObject([{ id: larger.id, quantities: larger.quantities }]);
    expect(await shop.change(`/v0/subscriptions/${larger.id}`, { name: 'Larger' })).toMatchObject({
      quantities: larger.quantities,
    });
    expect(await shop.act(`/v0/subscriptions/${larger.id}/termination`, { reason: 'Over' })).toMatchObject({
      quantities: larger.quantities,
    });
    const none = await shop.subscribe(await shop.plan([usage]), { clock, quantities: {} });
    expect(none.quantities).toEqual({});
  });

  it('belong to the version: a newer default one is not what a subscription has', async () => {
    const [seats, dearer] = [await seatPrice(), await seatPrice({ quantity: 7 })];
    const plan = await shop.plan([seats]);
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { clock, quantities: { [seats.id]: 6 } });
    await shop.create(`/v0/plans/${plan.id}/versions`, {
      replacePrices: [{ replacesPriceId: seats.id, withPriceId: dearer.id }],
    });
    expect((await again(subscription)).quantities).toEqual({ [seats.id]: 6 });
    expect((await shop.subscribe(plan, { clock })).quantities).toEqual({ [dearer.id]: 7 });
  });

  it('are the same creation again under one idempotencyKey, and other ones are another', async () => {
    const seats = await seatPrice();
    const plan = await shop.plan([seats]);
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const fields = { clock, customer, name: 'Team', idempotencyKey: `team-${seats.id}` };
    const first = await shop.subscribe(plan, { ...fields, quantities: { [seats.id]: 6 } });
    const body = {
      name: 'Team',
      planId: plan.id,
      customerId: customer.id,
      testClockId: clock.id,
      startedAt: START,
      idempotencyKey: fields.idempotencyKey,
    };
    const repeated = await merchant.post('/v0/subscriptions', { ...body, quantities: { [seats.id]: 6 } });
    expect(repeated).toMatchObject({ status: 200, body: { id: first.id, quantities: { [seats.id]: 6 } } });
    expect(await merchant.post('/v0/subscriptions', { ...body, quantities: { [seats.id]: 7 } })).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_KEY_REUSED' },
    });
  });
});

describe('quantities that are refused', () => {
  /** A plan, prices of other plans, and a function that sends quantities at the creation and by a change. */
  async function asking() {
    const [seats, usage, other] = [await seatPrice(), await shop.usagePrice(), await seatPrice()];
    const foreign = shopOf(await env.merchant());
    const theirs = await foreign.feePrice();
    const plan = await shop.plan([seats, usage]);
    const subscription = await shop.subscribe(plan, { clock: await shop.clock(START) });
    const body = { name: 'Team', planId: plan.id, customerId: subscription.customerId, startedAt: START };
    const clocked = { ...body, testClockId: subscription.testClockId };
    return {
      ...{ seats, usage, other, theirs, plan, subscription },
      creation: (quantities: unknown) => merchant.post('/v0/subscriptions', { ...clocked, quantities }),
      change: (quantities: unknown) => merchant.post(changesOf(subscription), { quantities }),
    };
  }

  it('name a price that the version has not, or that is of a metric: 400 with its field', async () => {
    const { seats, usage, other, theirs, creation, change: changed, subscription } = await asking();
    const unknown = 'price_0000000000000000000000';
    for (const ask of [creation, changed]) {
      for (const id of [usage.id, other.id, theirs.id, unknown]) {
        const answer = await ask({ [seats.id]: 6, [id]: 1 });
        expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
        expect(failingFields(answer)).toEqual([`quantities.${id}`]);
      }
      const several = await ask({ [other.id]: 1, [usage.id]: 1 });
      expect(failingFields(several).toSorted()).toEqual(
        [`quantities.${other.id}`, `quantities.${usage.id}`].toSorted(),
      );
    }
    expect((await again(subscription)).quantities).toEqual({ [seats.id]: 5 });
    expect((await shop.read(changesOf(subscription))).data).toEqual([]);
  });

  it('are no whole number from 0 to a thousand million', async () => {
    const { seats, creation, change: changed } = await asking();
    for (const ask of [creation, changed]) {
      for (const quantity of [-1, 1.5, 1_000_000_001, 1e300, '6', null, true, {}, [6]])
        expect(failingFields(await ask({ [seats.id]: quantity }))).toEqual([`quantities.${seats.id}`]);
      for (const [key, field] of Object.entries({ seats: 'quantities.seats', '': 'quantities.' }))
        expect(failingFields(await ask({ [key]: 1 }))).toEqual([field]);
      for (const quantities of ['6', 6, [6], true])
        expect(failingFields(await ask(quantities))).toEqual(['quantities']);
    }
    expect((await creation({ [seats.id]: 1_000_000_000 })).status).toBe(201);
  });

  it('are exactly what the subscription has', async () => {
    const { seats, subscription, plan } = await asking();
    const fieldsOf = async (body: object) => failingFields(await merchant.post(changesOf(subscription), body));
    expect(await fieldsOf({ quantities: { [seats.id]: 5 } })).toEqual([`quantities.${seats.id}`]);
    expect(await fieldsOf({ quantities: {} })).toEqual(['quantities']);
    expect(await fieldsOf({ planId: plan.id })).toEqual(['planId']);
    expect(await fieldsOf({ planId: plan.id, quantities: { [seats.id]: 5 } })).toEqual([`quantities.${seats.id}`]);
    expect(await fieldsOf({ versionNumber: 1, quantities: {} })).toEqual(['versionNumber']);
    expect(await fieldsOf({})).toEqual(['planId']);
    expect(await fieldsOf({ quantities: null })).toEqual(['planId']);
    await change(subscription, { quantities: { [seats.id]: 6 } });
    expect(await fieldsOf({ quantities: { [seats.id]: 6 }, effective: 'periodEnd' })).toEqual([
      `quantities.${seats.id}`,
    ]);
  });

  it('are of a price that is charged once, and that the subscription has', async () => {
    const setup = await shop.feePrice({ billingCadence: 'P0D' });
    const plan = await shop.plan([setup]);
    const subscription = await shop.subscribe(plan, { clock: await shop.clock(START), quantities: { [setup.id]: 3 } });
    const answer = await merchant.post(changesOf(subscription), { quantities: { [setup.id]: 4 } });
    expect(failingFields(answer)).toEqual([`quantities.${setup.id}`]);
  });

  it('come while another change is to come, or the subscription has ended: 409', async () => {
    const { seats, subscription } = await asking();
    await change(subscription, { quantities: { [seats.id]: 6 }, effective: 'periodEnd' });
    const more = () => merchant.post(changesOf(subscription), { quantities: { [seats.id]: 7 } });
    expect(await more()).toMatchObject({ status: 409, body: { code: 'CHANGE_SCHEDULED' } });
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    expect(await more()).toMatchObject({ status: 409, body: { code: 'INVALID_TRANSITION' } });
  });
});

describe('a change of quantities', () => {
  it('is previewed, applied at once, and in the list of changes', async () => {
    const [seats, support] = [await seatPrice(), await shop.feePrice()];
    const plan = await shop.plan([seats, support]);
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, '2026-01-11T00:00:00Z');
    const more = { quantities: { [seats.id]: 8 } };
    const dry = await shop.act(changesOf(subscription), { ...more, dryRun: true });
    expect((await again(subscription)).quantities).toEqual({ [seats.id]: 5, [support.id]: 1 });
    const done = await change(subscription, more);
    expect(done.change).toMatchObject({
      status: 'applied',
      effectiveAt: '2026-01-11T00:00:00Z',
      fromPlanVersionId: subscription.planVersionId,
      planVersionId: subscription.planVersionId,
      planVersionNumber: 1,
      quantities: { [seats.id]: 8, [support.id]: 1 },
    });
    expect({ ...dry.change, id: done.change.id }).toEqual(done.change);
    expect({ ...dry.invoicePreview, updatedAt: null }).toEqual({ ...done.invoicePreview, updatedAt: null });
    expect(await again(subscription)).toMatchObject({
      planVersionId: subscription.planVersionId,
      quantities: done.change.quantities,
    });
    await change(subscription, { quantities: { [support.id]: 2 } }); // the seats stay
    const { data } = await shop.read(changesOf(subscription));
    expect(data.map(({ quantities }: Resource) => quantities)).toEqual([
      { [seats.id]: 8, [support.id]: 2 },
      { [seats.id]: 8, [support.id]: 1 },
    ]);
  });

  it('comes at the end of the period, and does not where it is cancelled', async () => {
    const seats = await seatPrice();
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([seats]), { clock });
    const order = { quantities: { [seats.id]: 6 }, effective: 'periodEnd' };
    const first = await change(subscription, order);
    expect(first.change).toMatchObject({
      status: 'scheduled',
      effectiveAt: '2026-02-01T00:00:00Z',
      quantities: order.quantities,
    });
    expect((await again(subscription)).quantities).toEqual({ [seats.id]: 5 });
    expect((await merchant.delete(`${changesOf(subscription)}/${first.change.id}`)).status).toBe(204);
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect((await again(subscription)).quantities).toEqual({ [seats.id]: 5 });
    await change(subscription, order);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect((await again(subscription)).quantities).toEqual({ [seats.id]: 6 });
  });

  it('keeps a version that is archived by now, and the periods of a plan whose anchor has moved', async () => {
    const seats = await seatPrice();
    const plan = await shop.plan([seats]);
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.create(`/v0/plans/${plan.id}/versions`, { addPrices: [(await shop.feePrice()).id] });
    await shop.change(`/v0/plans/${plan.id}/versions/1`, { status: 'archived' });
    await shop.change(`/v0/plans/${plan.id}`, { billingAnchor: '2026-01-20T00:00:00Z' });
    await shop.advance(clock, '2026-01-10T00:00:00Z');
    await change(subscription, { quantities: { [seats.id]: 6 } });
    await shop.advance(clock, '2026-02-10T00:00:00Z');
    expect((await shop.invoices(subscription)).map(({ periodEnd }) => periodEnd)).toEqual([
      '2026-02-01T00:00:00Z',
      '2026-03-01T00:00:00Z',
    ]);
    expect(await again(subscription)).toMatchObject({ planVersionNumber: 1, quantities: { [seats.id]: 6 } });
  });

  it('leaves entitlements and the figures of plan versions as they are', async () => {
    const metric = await shop.metric();
    const feature = await shop.create('/v0/features', {
      key: `calls-${metric.id
        .slice(-8)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, 'x')}`,
      name: 'Calls',
      productId: metric.productId,
      type: 'metered',
    });
    const usage = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: {
        featureId: feature.id,
        entitlementTemplate: { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 },
      },
    });
    const seats = await seatPrice();
    const plan = await shop.plan([seats, usage]);
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(plan, { clock });
    await shop.use(subscription.id, START, 30);
    const entitled = () => shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
    const before = await entitled();
    expect(before.data).toMatchObject([{ balance: 70 }]);
    await change(subscription, { quantities: { [seats.id]: 8 } });
    expect(await entitled()).toEqual(before);
    const versions = await shop.read(`/v0/plans/${plan.id}/versions`);
    expect(versions.data).toMatchObject([{ versionNumber: 1, subscriptionCount: 1 }]);
  });
});

describe('a change of the plan', () => {
  it('keeps the quantities of prices that both versions have; others have their own, unless it says more', async () => {
    const [seats, support, gone, come] = [
      await seatPrice(),
      await shop.feePrice(),
      await shop.feePrice(),
      await shop.feePrice({ quantity: 4 }),
    ];
    const plan = await shop.plan([seats, support, gone]);
    const larger = await shop.plan([seats, support, come]);
    const clock = await shop.clock(START);
    const asked = { [seats.id]: 9, [support.id]: 2, [gone.id]: 3 };
    const subscription = await shop.subscribe(plan, { clock, quantities: asked });
    const moved = await change(subscription, { planId: larger.id, quantities: { [support.id]: 6 } });
    expect(moved.change.quantities).toEqual({ [seats.id]: 9, [support.id]: 6, [come.id]: 4 });
    expect((await again(subscription)).quantities).toEqual(moved.change.quantities);
    const back = await change(subscription, { planId: plan.id });
    expect(back.change.quantities).toEqual({ [seats.id]: 9, [support.id]: 6, [gone.id]: 1 });
    const refused = await merchant.post(changesOf(subscription), { planId: larger.id, quantities: { [gone.id]: 2 } });
    expect(failingFields(refused)).toEqual([`quantities.${gone.id}`]); // the new version has it not
  });

  it('takes both together where the version is the same: only the quantities change', async () => {
    const seats = await seatPrice();
    const plan = await shop.plan([seats]);
    const subscription = await shop.subscribe(plan, { clock: await shop.clock(START) });
    const { change: made } = await change(subscription, { planId: plan.id, quantities: { [seats.id]: 6 } });
    expect(made).toMatchObject({ planVersionNumber: 1, quantities: { [seats.id]: 6 } });
  });

  it('a migration keeps each subscription’s quantities; a reconciliation does not touch them', async () => {
    const seats = await seatPrice();
    const plan = await shop.plan([seats]);
    const clock = await shop.clock(START);
    const few = await shop.subscribe(plan, { clock, quantities: { [seats.id]: 2 } });
    const many = await shop.subscribe(plan, { clock, quantities: { [seats.id]: 200 } });
    const support = await shop.feePrice();
    await shop.create(`/v0/plans/${plan.id}/versions`, { addPrices: [support.id] });
    const migrated = await shop.create(`/v0/plans/${plan.id}/migrations`, { fromVersion: 1, toVersion: 2 });
    expect(migrated.subscriptions).toMatchObject([{ outcome: 'applied' }, { outcome: 'applied' }]);
    await shop.create(`/v0/subscriptions/${few.id}/reconciliations`);
    expect((await again(few)).quantities).toEqual({ [seats.id]: 2, [support.id]: 1 });
    expect((await again(many)).quantities).toEqual({ [seats.id]: 200, [support.id]: 1 });
  });

  it('a migration to another price for the same seats takes their number over', async () => {
    const [seats, support, usage] = [await seatPrice(), await shop.feePrice(), await shop.usagePrice()];
    const dearer = await seatPrice({ quantity: 10 });
    const plan = await shop.plan([seats, support, usage]);
    const clock = await shop.clock(START);
    const few = await shop.subscribe(plan, { clock, quantities: { [seats.id]: 2, [support.id]: 3 } });
    const own = await shop.subscribe(plan, { clock });
    const replacePrices = [{ replacesPriceId: seats.id, withPriceId: dearer.id }];
    await shop.create(`/v0/plans/${plan.id}/versions`, { replacePrices });
    const migration = { fromVersion: 1, toVersion: 2 };
    const migrations = `/v0/plans/${plan.id}/migrations`;
    for (const [wrong, field] of [
      [{ replacesPriceId: dearer.id, withPriceId: dearer.id }, 'replacePrices.0.replacesPriceId'],
      [{ replacesPriceId: usage.id, withPriceId: dearer.id }, 'replacePrices.0.replacesPriceId'],
      [{ replacesPriceId: seats.id, withPriceId: seats.id }, 'replacePrices.0.withPriceId'],
      [{ replacesPriceId: seats.id, withPriceId: usage.id }, 'replacePrices.0.withPriceId'],
    ] as const)
      expect(failingFields(await merchant.post(migrations, { ...migration, replacePrices: [wrong] }))).toEqual([field]);
    const twice = [...replacePrices, { replacesPriceId: support.id, withPriceId: dearer.id }];
    expect(failingFields(await merchant.post(migrations, { ...migration, replacePrices: twice }))).toEqual([
      'replacePrices.1.withPriceId',
    ]);
    await shop.create(migrations, { ...migration, replacePrices });
    expect((await again(few)).quantities).toEqual({ [dearer.id]: 2, [support.id]: 3 });
    expect((await again(own)).quantities).toEqual({ [dearer.id]: 5, [support.id]: 1 }); // the same number as before
  });
});

/** Each line of some invoices: quantity, days, net amount. */
const said = (invoices: readonly Resource[]): string[] =>
  invoices
    .flatMap(({ lines }) => lines)
    .map(
      ({ lineItemType, quantity, totalPrice, periodStart, periodEnd }: Resource) =>
        `${lineItemType === 'refund' ? 'credit' : quantity} ${day(periodStart)}/${day(periodEnd)} ${totalPrice}`,
    );
const day = (text: string) => text.slice(5, 10);

/** The issued invoices of a subscription less their credit notes, before tax. */
async function kept(subscription: Resource): Promise<string> {
  let cents = 0;
  const add = (amount: string, sign: 1 | -1) => {
    cents += sign * Math.round(Number(amount) * 100);
  };
  for (const { id, status, subtotal } of await shop.invoices(subscription)) {
    if (status === 'ACTIVE') continue;
    add(subtotal, 1);
    for (const note of (await shop.read(`/v2/invoices/${id}/creditNotes`)).data) add(note.amount, -1);
  }
  return (cents / 100).toFixed(2);
}

/** A step in the life of a subscription: at a time, so many seats. */
type Step = readonly [at: string, seats: number, fields?: object];

/**
 * A subscription to one price of seats from January on, its steps, and its invoices by a time. Each is paid at its
 * issue.
 */
async function lived(price: Resource, steps: readonly Step[], until: string, fields: Fields = {}) {
  const { plan: planFields = {}, ...others } = fields;
  const plan = await shop.plan([price], { gracePeriod: 'P0D', ...planFields });
  const clock = await shop.clock(START);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, ...others });
  const pay = async () => {
    for (const invoice of await shop.invoices(subscription)) if (invoice.status === 'ISSUED') await payInFull(invoice);
  };
  await pay();
  let now = START;
  for (const [at, seats, more] of steps) {
    if (at !== now) await shop.advance(clock, at);
    now = at;
    await pay();
    await change(subscription, { quantities: { [price.id]: seats }, ...more });
  }
  await shop.advance(clock, until);
  const invoices = await shop.invoices(subscription);
  const first = invoices.filter(({ billingCadence }) => billingCadence === 'P0D');
  return { clock, subscription, invoices, first, periods: invoices.filter((invoice) => !first.includes(invoice)) };
}
type Fields = Record<string, unknown> & { readonly plan?: object };

const payInFull = (invoice: Resource) =>
  shop.create(`/v2/invoices/${invoice.id}/payments`, {
    amount: invoice.unpaidAmount,
    method: 'bank_transfer',
    receivedAt: invoice.issuedAt,
    idempotencyKey: invoice.id,
  });

const FEBRUARY = '2026-02-01T00:00:00Z';
const MARCH = '2026-03-01T00:00:00Z';
const THE_11TH = '2026-01-11T00:00:00Z';
const THE_21ST = '2026-01-21T00:00:00Z';
const MIDDLE = '2026-01-16T12:00:00Z'; // half of January

/** 31.00 a month: 1.00 for each seat and day of January. */
const IN_ARREARS = { paymentTerm: 'in_arrears' };
const IN_ADVANCE = { paymentTerm: 'in_advance' };

describe('five seats, eight from the 11th, six from February', () => {
  const steps: Step[] = [
    [THE_11TH, 8],
    [THE_21ST, 6, { effective: 'periodEnd' }],
  ];

  it('in arrears: each number for its days', async () => {
    const { invoices } = await lived(await seatPrice(IN_ARREARS), steps, MARCH);
    const [january, february] = invoices;
    expect(said([january])).toEqual(['5 01-01/01-11 50.00', '8 01-11/02-01 168.00']); // 5 × 10 days, 8 × 21 days
    expect(january.subtotal).toBe('218.00');
    expect(said([february])).toEqual(['6 02-01/03-01 186.00']);
  });

  it('in advance: the remaining time of five seats is credited, and eight are charged', async () => {
    const { subscription, first, periods } = await lived(await seatPrice(IN_ADVANCE), steps, FEBRUARY);
    const [january] = periods;
    expect(said(first)).toEqual(['5 01-01/02-01 155.00']);
    expect(said([january]).toSorted()).toEqual([
      '6 02-01/03-01 186.00',
      '8 01-11/02-01 168.00',
      'credit 01-11/02-01 -105.00', // 5 × 21 days
    ]);
    expect(january.subtotal).toBe('249.00');
    expect(await kept(subscription)).toBe('404.00'); // January 50 + 168, February 186
  });

  it('in advance by the year, on a monthly plan: 1.00 for each seat and day', async () => {
    const yearly = await seatPrice({ ...IN_ADVANCE, billingCadence: 'P1Y', properties: { unitPrice: '365' } });
    const { invoices } = await lived(yearly, [['2026-07-01T00:00:00Z', 8]], '2026-08-01T00:00:00Z');
    expect(said(invoices.filter(({ status }) => status !== 'ACTIVE')).toSorted()).toEqual([
      '5 01-01/01-01 1825.00',
      '8 07-01/01-01 1472.00', // 184 days to go
      'credit 07-01/01-01 -920.00',
    ]);
  });
});

describe('models count the seats', () => {
  const tiered = (model: string, first: string, next: string) => ({
    model,
    properties: {
      tiers: [
        { upTo: '5', unitPrice: first },
        { upTo: null, unitPrice: next },
      ],
    },
  });
  it.each([
    // Half of January each. The prices of five and eight seats for a whole month:
    { price: tiered('graduated', '31', '15.50'), five: '77.50', eight: '100.75' }, // 155.00; 155.00 + 3 × 15.50
    { price: tiered('volume', '31', '20'), five: '77.50', eight: '80.00' }, // 155.00; 8 × 20.00
    // 1; 2 packages
    { price: { model: 'package', properties: { size: '5', price: '100' } }, five: '50.00', eight: '100.00' },
    {
      price: { model: 'standard', properties: { unitPrice: '31', includedUnits: '5' } },
      five: '0.00', // all of them are included
      eight: '46.50', // 3 × 31.00
    },
  ])('$price.model', async ({ price, five, eight }) => {
    const arrears = await lived(await seatPrice({ ...IN_ARREARS, ...price }), [[MIDDLE, 8]], FEBRUARY);
    expect(said(arrears.invoices.slice(0, 1))).toEqual([`5 01-01/01-16 ${five}`, `8 01-16/02-01 ${eight}`]);

    const advance = await lived(await seatPrice({ ...IN_ADVANCE, ...price }), [[MIDDLE, 8]], FEBRUARY);
    const january = advance.periods[0];
    const month = (half: string) => (2 * Number(half)).toFixed(2);
    expect(said([january]).toSorted()).toEqual(
      [
        `8 02-01/03-01 ${month(eight)}`,
        `8 01-16/02-01 ${eight}`,
        ...(five === '0.00' ? [] : [`credit 01-16/02-01 -${five}`]),
      ].toSorted(),
    );
  });
});

describe('there and back', () => {
  it.each([
    // The share of an amount for five seats over January: 155.00.
    {
      what: 'at one instant',
      steps: [
        [THE_11TH, 8],
        [THE_11TH, 5],
      ] as Step[],
      january: '155.00',
    },
    {
      what: 'thrice at one instant: the last counts',
      steps: [
        [THE_11TH, 8],
        [THE_11TH, 1],
        [THE_11TH, 8],
      ] as Step[],
      january: '218.00',
    },
    {
      what: 'ten days later',
      steps: [
        [THE_11TH, 8],
        [THE_21ST, 5],
      ] as Step[],
      january: '185.00',
    }, // 50 + 80 + 55
    {
      what: 'to none and back',
      steps: [
        [THE_11TH, 0],
        [THE_21ST, 5],
      ] as Step[],
      january: '105.00',
    }, // 50 + 0 + 55
    {
      what: 'to none at the very start',
      steps: [
        [START, 0],
        [THE_11TH, 5],
      ] as Step[],
      january: '105.00',
    }, // 0 + 5 × 21
    { what: 'to none for good', steps: [[THE_11TH, 0]] as Step[], january: '50.00' },
  ])('$what', async ({ steps, january }) => {
    const seatsAfter = (steps.at(-1) as Step)[1];
    const arrears = await lived(await seatPrice(IN_ARREARS), steps, FEBRUARY);
    expect(arrears.invoices[0].subtotal).toBe(january);

    // In advance the same, and February's seats.
    const advance = await lived(await seatPrice(IN_ADVANCE), steps, FEBRUARY);
    const both = Number(january) + seatsAfter * 31;
    expect(await kept(advance.subscription)).toBe(both.toFixed(2));
  });
});

describe('how a change of quantities cuts', () => {
  const EVENING = '2026-01-11T18:00:00Z';
  it.each([
    { proration: 'second', lines: ['5 01-01/01-11 53.75', '8 01-11/02-01 162.00'] }, // 10.75 and 20.25 days
    { proration: 'day', lines: ['5 01-01/01-11 50.00', '8 01-11/02-01 168.00'] },
    { proration: 'none', lines: ['5 01-01/02-01 155.00'] },
  ])('$proration', async ({ proration, lines }) => {
    const { invoices } = await lived(await seatPrice(IN_ARREARS), [[EVENING, 8, { proration }]], MARCH);
    expect(said(invoices.slice(0, 1))).toEqual(lines);
    expect(said(invoices.slice(1, 2))).toEqual(['8 02-01/03-01 248.00']);
  });

  it.each([
    { currency: 'JPY', unitPrice: '1000', five: '1613', eight: '5419' }, // 1612.9…, 5419.35…
    { currency: 'KWD', unitPrice: '1', five: '1.613', eight: '5.419' },
  ])('in $currency', async ({ currency, unitPrice, five, eight }) => {
    const price = await seatPrice({ ...IN_ARREARS, properties: { unitPrice } });
    const { invoices } = await lived(price, [[THE_11TH, 8]], FEBRUARY, { plan: { currency } });
    expect(said(invoices.slice(0, 1))).toEqual([`5 01-01/01-11 ${five}`, `8 01-11/02-01 ${eight}`]);
  });

  it('at the end of the subscription, and at closeNow, each number has its days', async () => {
    const ended = await lived(await seatPrice(IN_ARREARS), [[THE_11TH, 8]], THE_21ST);
    await shop.act(`/v0/subscriptions/${ended.subscription.id}/termination`, { reason: 'Over' });
    await shop.advance(ended.clock, FEBRUARY);
    expect(said(await shop.invoices(ended.subscription))).toEqual(['5 01-01/01-11 50.00', '8 01-11/01-21 80.00']);

    const cut = await lived(await seatPrice(IN_ARREARS), [[THE_11TH, 8]], THE_21ST);
    await shop.act(`/v2/invoices/${cut.invoices[0].id}/closeNow`);
    await shop.advance(cut.clock, FEBRUARY);
    const [first, remainder] = await shop.invoices(cut.subscription);
    expect([first.subtotal, remainder.subtotal]).toEqual(['130.00', '88.00']); // 218.00 in all
  });

  it('in advance and ended: the seats at the end are credited', async () => {
    const { clock, subscription } = await lived(await seatPrice(IN_ADVANCE), [[THE_11TH, 8]], THE_21ST);
    await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Over' });
    await shop.advance(clock, FEBRUARY);
    expect(await kept(subscription)).toBe('130.00'); // 5 × 10 days, 8 × 10 days
  });

  it('in a trial: what holds when it ends is charged first', async () => {
    const price = await seatPrice(IN_ADVANCE);
    const { first } = await lived(price, [['2026-01-10T00:00:00Z', 8]], '2026-01-16T00:00:00Z', {
      plan: { trialPeriod: 'P14D' },
    });
    expect(said(first)).toEqual(['8 01-15/02-15 248.00']);
  });

  it('a price that a plan change keeps continues as one charge, with its quantity', async () => {
    const [seats, support] = [await seatPrice(IN_ARREARS), await shop.feePrice({ properties: { unitPrice: '31' } })];
    const { clock, subscription } = await lived(seats, [[THE_11TH, 8]], THE_21ST);
    await change(subscription, { planId: (await shop.plan([seats, support], { gracePeriod: 'P0D' })).id });
    await shop.advance(clock, FEBRUARY);
    const [january] = await shop.invoices(subscription);
    expect(said([january])).toEqual(['5 01-01/01-11 50.00', '8 01-11/02-01 168.00', '1 01-21/02-01 11.00']);
  });
});
