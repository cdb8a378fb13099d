import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/** The beginning and the end of subscriptions, and the contents of their invoices (domain.md §3), by test clocks. */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment({ recomputed: true });
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

/** An invoice as a line of a table: status, dates and total. */
const summary = ({ status, periodStart, periodEnd, grandTotal }: Resource) =>
  `${status} ${periodStart.slice(0, 10)} ${periodEnd.slice(0, 10)} ${grandTotal}`;
const summaries = async (subscription: Resource) => (await shop.invoices(subscription)).map(summary);

describe('a subscription begins', () => {
  it('with a trial: nothing of it is billed, periods count from its end', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric();
    const usage = await shop.usagePrice({ billableMetricId: metric.id });
    const plan = await shop.plan([await shop.feePrice(), usage], { trialPeriod: 'P14D' });
    const subscription = await shop.subscribe(plan, { clock });
    expect(subscription).toMatchObject({ status: 'active', payment: null, startedAt: START });
    expect(await shop.invoices(subscription)).toEqual([]);
    await shop.use(subscription.id, '2026-01-14T23:59:59Z', 100);
    await shop.use(subscription.id, '2026-01-15T00:00:00Z', 7);
    await shop.advance(clock, '2026-01-15T00:00:00Z');
    expect(await summaries(subscription)).toEqual(['ACTIVE 2026-01-15 2026-02-15 17.00']);
    await shop.advance(clock, '2026-03-15T00:00:00Z');
    expect(await summaries(subscription)).toEqual([
      'ISSUED 2026-01-15 2026-02-15 17.00',
      'ISSUED 2026-02-15 2026-03-15 10.00',
      'ACTIVE 2026-03-15 2026-04-15 10.00',
    ]);
  });

  it('one cadence ago: the period that is over is billed at once, at the time that it is', async () => {
    const clock = await shop.clock('2026-02-01T00:00:00Z');
    const metric = await shop.metric();
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const customer = await shop.customer();
    await shop.use(customer.id, '2026-01-10T00:00:00Z', 4); // before there was a subscription
    const subscription = await shop.subscribe(plan, { clock, customer, startedAt: START });
    await env.runDueWork();
    const [over, open] = await shop.invoices(subscription);
    expect(summary(over)).toBe('ISSUED 2026-01-01 2026-02-01 4.00');
    expect(over.issuedAt).toBe('2026-02-01T00:00:00Z'); // never back-dated
    expect(summary(open)).toBe('ACTIVE 2026-02-01 2026-03-01 0.00');
    const early = await shop.clock('2026-02-01T00:00:01Z');
    await expect(shop.subscribe(plan, { clock: early, startedAt: START })).rejects.toThrow('startedAt');
  });

  it('later: it is active, and its first invoice opens then', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock, startedAt: '2026-03-31T12:00:00Z' });
    expect(subscription).toMatchObject({ status: 'active', payment: null });
    await shop.advance(clock, '2026-03-31T11:59:59Z');
    expect(await shop.invoices(subscription)).toEqual([]);
    await shop.advance(clock, '2026-05-31T12:00:00Z');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ periodStart }) => periodStart)).toEqual([
      '2026-03-31T12:00:00Z',
      '2026-04-30T12:00:00Z', // from the anchor: April has no 31st, May has
      '2026-05-31T12:00:00Z',
    ]);
    expect(invoices[0].createdAt).toBe('2026-03-31T12:00:00Z');
  });

  it('and is ended before it began: nothing was ever billed', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), {
      clock,
      startedAt: '2026-02-01T00:00:00Z',
    });
    const ended = await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Changed my mind' });
    expect(ended).toMatchObject({ status: 'terminated', terminatedAt: START, terminationReason: 'Changed my mind' });
    await shop.advance(clock, 'P3M');
    expect(await shop.invoices(subscription)).toEqual([]);
  });

  it('and is ended in its trial, or planned to: nothing was ever billed', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()], { trialPeriod: 'P14D' });
    const stopped = await shop.subscribe(plan, { clock });
    const planned = await shop.subscribe(plan, { clock, endingAt: '2026-01-10T00:00:00Z' });
    await shop.advance(clock, '2026-01-05T00:00:00Z');
    await shop.act(`/v0/subscriptions/${stopped.id}/termination`, { reason: 'Not for us' });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    expect([await shop.invoices(stopped), await shop.invoices(planned)]).toEqual([[], []]);
    expect((await shop.read(`/v0/subscriptions/${planned.id}`)).terminatedAt).toBe('2026-01-10T00:00:00Z');
  });

  it('between two recurrences of the plan’s anchor: the first fee is prorated, the next are whole', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice()], { billingAnchor: '2026-01-15T00:00:00Z' });
    const subscription = await shop.subscribe(plan, { clock });
    await shop.advance(clock, '2026-02-15T00:00:00Z');
    const [first, second] = await shop.invoices(subscription);
    expect(summary(first)).toBe('ISSUED 2026-01-01 2026-01-15 4.52'); // 10.00 × 14 of the 31 days from 15 Dec
    expect(summary(second)).toBe('ISSUED 2026-01-15 2026-02-15 10.00');
    expect(first).toMatchObject({ billingAnchor: '2026-01-15T00:00:00Z', sequenceNumber: 1 });
  });

  it('with a fee each year and usage each month: two series, each with its own numbers', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric();
    const prices = [
      await shop.feePrice({ billingCadence: 'P12M', properties: { unitPrice: '120' } }),
      await shop.usagePrice({ billableMetricId: metric.id }),
    ];
    const subscription = await shop.subscribe(await shop.plan(prices), { clock });
    await shop.use(subscription.id, '2026-02-10T00:00:00Z', 3);
    await shop.advance(clock, '2027-01-01T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    const of = (cadence: string) => invoices.filter(({ billingCadence }) => billingCadence === cadence);
    expect(of('P1Y').map(summary)).toEqual([
      'ISSUED 2026-01-01 2027-01-01 120.00',
      'ACTIVE 2027-01-01 2028-01-01 120.00',
    ]);
    expect(of('P1M').map(({ sequenceNumber }) => sequenceNumber)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(
      of('P1M')
        .filter(({ grandTotal }) => grandTotal !== '0.00')
        .map(summary),
    ).toEqual(['PAID 2026-02-01 2026-03-01 3.00'.replace('PAID', 'ISSUED')]);
    expect(of('P1M')[0].status).toBe('PAID'); // no usage and no debt
    const numbers = invoices.map(({ invoiceNumber }) => invoiceNumber).filter((number) => number !== null);
    expect(new Set(numbers).size).toBe(13);
  });
});

describe('a subscription ends', () => {
  it('by a termination in the middle: the fee is cut by the second, usage is billed to there', async () => {
    const clock = await shop.clock(START);
    const metric = await shop.metric();
    const plan = await shop.plan([
      await shop.feePrice({ properties: { unitPrice: '31' } }),
      await shop.usagePrice({ billableMetricId: metric.id }),
    ]);
    const customer = await shop.customer();
    const subscription = await shop.subscribe(plan, { clock, customer });
    await shop.use(customer.id, '2026-01-10T11:59:59Z', 5);
    await shop.use(customer.id, '2026-01-10T12:00:00Z', 1000); // at its end it is over
    await shop.advance(clock, '2026-01-10T12:00:00Z');
    const ended = await shop.act(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Moved away' });
    expect(ended).toMatchObject({
      status: 'terminated',
      terminatedAt: '2026-01-10T12:00:00Z',
      terminatedBy: subscription.merchantId,
      terminationReason: 'Moved away',
    });
    await env.runDueWork();
    const [invoice, ...others] = await shop.invoices(subscription);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({ status: 'ISSUED', periodStart: START, periodEnd: '2026-01-10T12:00:00Z' });
    expect(invoice.lines.map(({ totalPrice }: Resource) => totalPrice)).toEqual(['9.50', '5.00']);
    expect(
      await env.client(env.platform.key).post(`/v0/subscriptions/${subscription.id}/termination`, { reason: 'Again' }),
    ).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION' },
    });
  });

  it('at the end that was planned, and not before', async () => {
    const clock = await shop.clock(START);
    const plan = await shop.plan([await shop.feePrice({ properties: { unitPrice: '28' } })]);
    const subscription = await shop.subscribe(plan, { clock, endingAt: '2026-02-15T00:00:00Z' });
    await shop.advance(clock, '2026-02-14T23:59:59Z');
    expect((await shop.read(`/v0/subscriptions/${subscription.id}`)).status).toBe('active');
    expect(await summaries(subscription)).toEqual([
      'ISSUED 2026-01-01 2026-02-01 28.00',
      'ACTIVE 2026-02-01 2026-02-15 14.00',
    ]);
    await shop.advance(clock, '2026-04-01T00:00:00Z');
    expect(await shop.read(`/v0/subscriptions/${subscription.id}`)).toMatchObject({
      status: 'terminated',
      terminatedAt: '2026-02-15T00:00:00Z',
      terminatedBy: null,
    });
    expect(await summaries(subscription)).toEqual([
      'ISSUED 2026-01-01 2026-02-01 28.00',
      'ISSUED 2026-02-01 2026-02-15 14.00',
    ]);
  });

  it('at another end than was planned first, or at none: the open period follows', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), {
      clock,
      endingAt: '2026-01-20T00:00:00Z',
    });
    const periodEnd = async () => (await shop.invoices(subscription))[0].periodEnd;
    expect(await periodEnd()).toBe('2026-01-20T00:00:00Z');
    await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: '2026-01-25T00:00:00Z' });
    expect(await periodEnd()).toBe('2026-01-25T00:00:00Z');
    expect(await shop.change(`/v0/subscriptions/${subscription.id}`, { endingAt: null })).toMatchObject({
      endingAt: null,
    });
    expect(await periodEnd()).toBe('2026-02-01T00:00:00Z');
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await summaries(subscription)).toEqual([
      'ISSUED 2026-01-01 2026-02-01 10.00',
      'ACTIVE 2026-02-01 2026-03-01 10.00',
    ]);
  });

  // Proves 4.subscriptions.patch.terminatedAt.clamped.
  it.each([
    { asked: '2030-01-01T00:00:00Z', ended: '2026-01-16T12:00:00Z', fee: '15.50' }, // clamped to the clock (§4)
    { asked: '2026-01-11T00:00:00Z', ended: '2026-01-11T00:00:00Z', fee: '10.00' },
    { asked: '2026-01-01T00:00:01Z', ended: '2026-01-01T00:00:01Z', fee: '0.00' },
  ])('by terminatedAt $asked at 2026-01-16T12:00:00Z: at $ended', async ({ asked, ended, fee }) => {
    const clock = await shop.clock(START);
    const customer = await shop.customer();
    const subscription = await shop.subscribe(
      await shop.plan([await shop.feePrice({ properties: { unitPrice: '31' } })]),
      { clock, customer },
    );
    await shop.advance(clock, '2026-01-16T12:00:00Z');
    const changed = await shop.change(`/v0/subscriptions/${subscription.id}`, {
      terminatedAt: asked,
      terminatedBy: customer.id,
      terminationReason: 'Asked',
    });
    expect(changed).toMatchObject({ status: 'terminated', terminatedAt: ended, terminatedBy: customer.id });
    await env.runDueWork();
    const [invoice, ...others] = await shop.invoices(subscription);
    expect([invoice.periodEnd, invoice.grandTotal, others]).toEqual([ended, fee, []]);
    expect(invoice.issuedAt).toBe('2026-01-16T12:00:00Z');
  });
});

it('ended in the past also cuts the period that is in its grace; one that was issued is credited', async () => {
  const clock = await shop.clock(START);
  const metric = await shop.metric();
  const prices = [
    await shop.feePrice({ properties: { unitPrice: '31' } }),
    await shop.usagePrice({ billableMetricId: metric.id, properties: { unitPrice: '0.5' } }),
    await shop.feePrice({ billingCadence: 'P1W' }),
  ];
  const subscription = await shop.subscribe(await shop.plan(prices, { gracePeriod: 'PT48H' }), { clock });
  await shop.use(subscription.id, '2026-01-19T00:00:00Z', 2);
  await shop.use(subscription.id, '2026-01-21T00:00:00Z', 100);
  await shop.advance(clock, '2026-02-02T00:00:00Z');
  await shop.change(`/v0/subscriptions/${subscription.id}`, { terminatedAt: '2026-01-20T00:00:00Z' });
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  const invoices = await shop.invoices(subscription);
  const of = (cadence: string) => invoices.filter(({ billingCadence }) => billingCadence === cadence).map(summary);
  expect(of('P1M')).toEqual(['ISSUED 2026-01-01 2026-01-20 20.00']); // 19 of 31 days, and 2 units
  expect(of('P1W')).toEqual([
    'ISSUED 2026-01-01 2026-01-08 10.00',
    'ISSUED 2026-01-08 2026-01-15 10.00',
    'ISSUED 2026-01-15 2026-01-22 10.00', // these two had been issued; the one from 29 January on is removed
    'PAID 2026-01-22 2026-01-29 10.00',
  ]);
  const weeks = invoices.filter(({ billingCadence }) => billingCadence === 'P1W');
  // 2 of 7 days, and all
  expect(weeks.map(({ unpaidAmount }) => unpaidAmount)).toEqual(['10.00', '10.00', '7.14', '0.00']);
});

it('bills a fee of P0D in arrears once, on the first invoice of the plan’s own series', async () => {
  const clock = await shop.clock(START);
  const prices = [
    await shop.feePrice({ invoiceDisplayName: 'Set-up', billingCadence: 'P0D', properties: { unitPrice: '99.90' } }),
    await shop.feePrice({ invoiceDisplayName: 'Weekly', billingCadence: 'P1W' }),
    await shop.feePrice({ invoiceDisplayName: 'Monthly' }),
  ];
  const subscription = await shop.subscribe(await shop.plan(prices), { clock });
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  const invoices = await shop.invoices(subscription);
  const names = (cadence: string) =>
    invoices
      .filter(({ billingCadence, status }) => billingCadence === cadence && status === 'ISSUED')
      .map(({ lines }) =>
        lines.map(({ invoiceDisplayName, totalPrice }: Resource) => `${invoiceDisplayName} ${totalPrice}`),
      );
  expect(names('P1M')).toEqual([['Monthly 10.00', 'Set-up 99.90'], ['Monthly 10.00']]);
  expect(names('P1W')).toEqual(Array.from({ length: 8 }, () => ['Weekly 10.00']));
});

it('bills a fee of P0D whole when the subscription ends in its first period', async () => {
  const clock = await shop.clock(START);
  const prices = [
    await shop.feePrice({ billingCadence: 'P0D', properties: { unitPrice: '99.90' } }),
    await shop.feePrice(),
  ];
  const subscription = await shop.subscribe(await shop.plan(prices), { clock, endingAt: '2026-01-16T12:00:00Z' });
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  expect((await shop.invoices(subscription))[0].lines.map(({ totalPrice }: Resource) => totalPrice).toSorted()).toEqual(
    ['5.00', '99.90'],
  );
});

it('keeps its plan version after later versions', async () => {
  const clock = await shop.clock(START);
  const [cheap, dear] = [await shop.feePrice(), await shop.feePrice({ properties: { unitPrice: '50' } })];
  const plan = await shop.plan([cheap]);
  const early = await shop.subscribe(plan, { clock });
  await shop.create(`/v0/plans/${plan.id}/versions`, {
    replacePrices: [{ replacesPriceId: cheap.id, withPriceId: dear.id }],
  });
  const late = await shop.subscribe(plan, { clock });
  expect([early.planVersionNumber, late.planVersionNumber]).toEqual([1, 2]);
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  expect((await shop.invoices(early)).map(({ grandTotal }) => grandTotal)).toEqual(['10.00', '10.00']);
  expect((await shop.invoices(late)).map(({ grandTotal }) => grandTotal)).toEqual(['50.00', '50.00']);
});

it('warns of transfers without a bank account, until there is one', async () => {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true });
  const path = `/v0/subscriptions/${subscription.id}`;
  const warning = expect.stringContaining('settings.bankTransfer');
  expect(subscription).toMatchObject({ status: 'active', warnings: [warning] });
  expect((await merchant.get(path)).body.warnings).toEqual([warning]);
  expect((await shop.change(path, { name: 'Other' })).warnings).toEqual([warning]);
  expect(await shop.change(path, { bankTransferOnly: false })).not.toHaveProperty('warnings');
  const settings = (bankTransfer: object | null) =>
    merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { bankTransfer } });
  await settings({ iban: 'DE89370400440532013000' });
  expect(await shop.change(path, { bankTransferOnly: true })).not.toHaveProperty('warnings');
  await settings(null);
});

// Proves 2.subscription.paymentTermDays.due, 4.subscriptions.patch.paymentTermDays.
it('gives a later invoice the payment term of that moment, and keeps those that were issued (§2, §4)', async () => {
  const clock = await shop.clock(START);
  const plan = await shop.plan([await shop.feePrice()]);
  const subscription = await shop.subscribe(plan, { clock, bankTransferOnly: true, paymentTermDays: 30 });
  await shop.advance(clock, '2026-02-01T00:00:00Z');
  await shop.change(`/v0/subscriptions/${subscription.id}`, { paymentTermDays: 7 });
  await shop.advance(clock, '2026-03-01T00:00:00Z');
  const [first, second] = await shop.invoices(subscription);
  expect([first.dueAt, first.paymentTermDays]).toEqual(['2026-03-03T00:00:00Z', 30]);
  expect([second.dueAt, second.paymentTermDays]).toEqual(['2026-03-08T00:00:00Z', 7]);
});

describe('PATCH of a subscription', () => {
  const path = ({ id }: Resource) => `/v0/subscriptions/${id}`;

  it('changes name and metadata, and leaves what is not sent', async () => {
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), {
      clock: await shop.clock(START),
      metadata: { tier: 'gold', seats: 3 },
    });
    const renamed = await shop.change(path(subscription), { name: 'Renamed' });
    expect([renamed.name, renamed.metadata]).toEqual(['Renamed', { tier: 'gold', seats: 3 }]);
    const changed = await shop.change(path(subscription), { metadata: { tier: 'silver' } });
    expect([changed.name, changed.metadata]).toEqual(['Renamed', { tier: 'silver' }]);
    expect(await shop.read(path(subscription))).toEqual(changed);
    const { data } = await shop.read(`/v0/auditLog?resourceId=${subscription.id}`);
    expect(data[0]).toMatchObject({ before: { metadata: { seats: 3 } }, after: { metadata: { tier: 'silver' } } });
  });

  it('and a change of its plan and its end show in the audit log what it was before, as GET showed it', async () => {
    const plan = await shop.plan([await shop.feePrice()]);
    const subscription = await shop.subscribe(plan, { clock: await shop.clock(START) });
    const logged = async (operation: string) =>
      (await shop.read(`/v0/auditLog?operation=${operation}&limit=1`)).data[0].before;
    const steps = [
      ['updateSubscription', () => shop.change(path(subscription), { name: 'Renamed' })],
      [
        'changeSubscriptionPlan',
        async () =>
          shop.create(`${path(subscription)}/changes`, { planId: (await shop.plan([await shop.feePrice()])).id }),
      ],
      ['terminateSubscription', () => shop.act(`${path(subscription)}/termination`, { reason: 'Over' })],
    ] as const;
    for (const [operation, step] of steps) {
      const before = await shop.read(path(subscription));
      await step();
      expect(await logged(operation), operation).toEqual(before);
    }
  });

  // Proves 2.subscription.paymentTermDays.bankTransfer.
  it.each([
    { bankTransferOnly: false, field: 'bankTransferOnly' },
    { bankTransferOnly: false, paymentTermDays: 10, field: 'paymentTermDays' },
  ])('refuses terms of payment without bankTransferOnly: $field', async ({ field, ...body }) => {
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), {
      clock: await shop.clock(START),
      bankTransferOnly: true,
      paymentTermDays: 30,
    });
    expect(await merchant.patch(path(subscription), body)).toMatchObject({
      status: 400,
      body: { error: 'validation_error', errors: [{ field }] },
    });
    expect(await shop.change(path(subscription), { bankTransferOnly: false, paymentTermDays: 0 })).toMatchObject({
      bankTransferOnly: false,
      paymentTermDays: 0,
    });
  });

  it('lets a subscription that was paid by card be paid by transfer, with terms, from the next invoice on', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    const change = { bankTransferOnly: true, paymentTermDays: 30 };
    expect(await shop.change(path(subscription), change)).toMatchObject(change);
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const [january, february] = await shop.invoices(subscription);
    expect([january.dueAt, january.paymentUrl]).toEqual(['2026-02-01T00:00:00Z', expect.any(String)]);
    expect([february.dueAt, february.paymentUrl]).toEqual(['2026-03-31T00:00:00Z', null]);
  });

  it('refuses bankTransferOnly while the first payment is awaited', async () => {
    const plan = await shop.plan([await shop.feePrice({ paymentTerm: 'in_advance' })]);
    const subscription = await shop.subscribe(plan, { clock: await shop.clock(START) });
    expect(subscription.status).toBe('pending_payment');
    expect(await merchant.patch(path(subscription), { bankTransferOnly: true })).toMatchObject({
      status: 409,
      body: { code: 'INVALID_TRANSITION' },
    });
    expect((await shop.change(path(subscription), { bankTransferOnly: false, name: 'Same' })).name).toBe('Same');
  });

  it('has open periods follow autoApprove, null being the plan’s; a draft stays one', async () => {
    const clock = await shop.clock(START);
    const subscription = await shop.subscribe(await shop.plan([await shop.feePrice()]), { clock });
    await shop.change(path(subscription), { autoApprove: false });
    await shop.advance(clock, '2026-02-01T00:00:00Z');
    expect(await shop.change(path(subscription), { autoApprove: null })).toMatchObject({ autoApprove: null });
    await shop.advance(clock, '2026-03-01T00:00:00Z');
    const invoices = await shop.invoices(subscription);
    expect(invoices.map(({ status, autoApprove }) => `${status} ${autoApprove}`)).toEqual([
      'DRAFT false',
      'ISSUED true',
      'ACTIVE true',
    ]);
  });
});
