import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';
import type { EntitlementTemplate } from '../../catalog/index.ts';
import { sql, type Tx } from '../../db/index.ts';
import { decimal, jsonNumber, plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { orThrow } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { linkExternalSubject } from '../../metering/index.ts';
import { detailQuestion } from '../cache/questions.ts';
import { Readings } from '../cache/readings.ts';
import { entitlementDueKind } from '../changes/steps.ts';
import type { EntitlementRow, NewEntitlement } from '../entitlement/entitlement.ts';
import { insertEntitlement, updateEntitlement } from '../entitlement/entitlements.sql.ts';
import { insertGrant, type NewGrant } from '../entitlement/grants.sql.ts';
import { deleteSnapshotsFrom } from '../inputs/snapshots.sql.ts';
import { balanceOf } from './balances.ts';

/** Balances over stored usage: the counted customer, the time, and no effect of snapshots (domain.md §5). */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-06-15T12:00:00Z');
});
afterAll(() => env.close());

const at = (text: string): Instant => Temporal.Instant.from(text.length === 10 ? `${text}T00:00:00Z` : text);
const NOW = at('2026-06-15T12:00:00Z');

interface Story {
  readonly merchantId: string;
  readonly shop: Shop;
  readonly metric: Resource;
  readonly customer: Resource;
  readonly feature: Resource;
  inMerchant<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Monthly from January on, with 100 after each reset by default. */
  entitle(
    template?: Partial<Extract<EntitlementTemplate, { type: 'metered' }>>,
    row?: Partial<NewEntitlement>,
  ): Promise<EntitlementRow>;
  grant(entitlement: EntitlementRow, fields: Partial<Omit<NewGrant, 'amount'>> & { amount: string }): Promise<void>;
  /** balance, usage of the period and overage. */
  figures(entitlement: EntitlementRow, when?: string): Promise<string>;
}

async function openStory(metricFields: Record<string, unknown> = {}): Promise<Story> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metric = await shop.metric(metricFields);
  const feature = await shop.create('/v0/features', {
    key: 'calls',
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const customer = await shop.customer();
  const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
  return {
    merchantId: merchant.id,
    shop,
    metric,
    customer,
    feature,
    inMerchant,
    entitle: (template = {}, row = {}) =>
      inMerchant((tx) =>
        insertEntitlement(
          tx,
          {
            merchantId: merchant.id,
            id: newId('entitlement'),
            customerId: customer.id,
            featureId: feature.id,
            featureType: 'metered',
            productId: metric.productId,
            planId: null,
            subscriptionId: null,
            isFromPlan: false,
            clockId: null,
            activeFrom: at('2026-01-01'),
            activeTo: null,
            billableMetricIds: [metric.id],
            pauses: [],
            metadata: {},
            nextActionAt: null,
            ...row,
          },
          { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: jsonNumber(decimal(100)), ...template },
          NOW,
        ),
      ),
    grant: (entitlement, fields) =>
      inMerchant(async (tx) => {
        const effectiveAt = fields.effectiveAt ?? NOW;
        await deleteSnapshotsFrom(tx, entitlement, effectiveAt);
        await insertGrant(tx, {
          merchantId: merchant.id,
          id: newId('grant'),
          entitlementId: entitlement.id,
          origin: 'direct',
          priority: 0,
          effectiveAt,
          expiresAt: null,
          recurrencePeriod: null,
          resetMaxRollover: decimal('999999999999'),
          resetMinRollover: decimal(0),
          idempotencyKey: null,
          idempotencyPrint: null,
          invoiceId: null,
          createdAt: NOW,
          ...fields,
          amount: decimal(fields.amount),
        });
      }),
    figures: (entitlement, when) =>
      inMerchant(async (tx) => {
        const question = { at: when === undefined ? null : at(when) };
        const { available, usageInPeriod, overage } = await balanceOf(tx, entitlement, question, NOW);
        return [available, usageInPeriod, overage].map(plain).join(' ');
      }),
  };
}

const DATES = [
  '2026-01-01',
  '2026-01-20',
  '2026-02-01',
  '2026-03-10',
  '2026-04-01',
  '2026-05-31T23:59:59.999999Z',
  '2026-06-01',
];
const everywhere = async (story: Story, entitlement: EntitlementRow): Promise<string[]> => {
  const found = [await story.figures(entitlement)];
  for (const date of [...DATES, '2026-07-04']) found.push(await story.figures(entitlement, date));
  return found;
};

/** Runs the due step as at an instant. */
const step = (story: Story, { id }: EntitlementRow, when: string) =>
  story.inMerchant((tx) => entitlementDueKind().step(tx, { merchantId: story.merchantId, id }, at(when)));

const snapshotsOf = (story: Story, { id }: EntitlementRow) =>
  story.inMerchant(async (tx) => {
    const rows = await tx.rows<{ at: Instant }>(
      sql`select at from entitlement_snapshot where entitlement_id = ${id} order by at`,
    );
    return rows.map(({ at: reset }) => reset.toString());
  });

describe('usage that counts now', () => {
  it('is every accepted event of the current usage period, also one stamped ahead', async () => {
    const story = await openStory();
    const entitlement = await story.entitle();
    const { shop, customer } = story;
    expect(await story.figures(entitlement)).toBe('100 0 0');
    await shop.use(customer.id, '2026-05-31T23:59:59.999999Z', 50);
    await shop.use(customer.id, '2026-06-01T00:00:00Z', 1);
    await shop.use(customer.id, '2026-06-15T12:00:00Z', 2);
    await shop.use(customer.id, '2026-06-30T23:59:59.999999Z', 4);
    await shop.use(customer.id, '2026-07-01T00:00:00Z', 80);
    expect(await story.figures(entitlement)).toBe('93 7 0');
    expect(await story.figures(entitlement, '2026-06-15T12:00:00Z')).toBe('99 1 0');
    expect(await story.figures(entitlement, '2026-06-15T12:00:00.000001Z')).toBe('97 3 0');
    expect(await story.figures(entitlement, '2026-07-01')).toBe('100 0 0');
    expect(await story.figures(entitlement, '2026-07-02')).toBe('20 80 0');
  });

  it('starts again at the very instant of a reset, with the events from then on', async () => {
    const story = await openStory();
    const entitlement = await story.entitle({
      usagePeriod: { interval: 'P1M', anchor: formatInstant(at('2026-01-15T12:00:00Z')) },
    });
    await story.shop.use(story.customer.id, '2026-06-15T11:59:59.999999Z', 30);
    await story.shop.use(story.customer.id, '2026-06-15T12:00:00Z', 2);
    expect(await story.figures(entitlement)).toBe('98 2 0');
    expect(await story.figures(entitlement, '2026-06-15T12:00:00Z')).toBe('100 0 0');
    expect(await story.figures(entitlement, '2026-06-15T11:59:59.999999Z')).toBe('100 0 0');
  });

  it('is only what lies within the time of the entitlement', async () => {
    const story = await openStory();
    const entitlement = await story.entitle({}, { activeFrom: at('2026-06-02'), activeTo: at('2026-06-10') });
    for (const day of ['01', '02', '09', '10', '14'])
      await story.shop.use(story.customer.id, `2026-06-${day}T00:00:00Z`, 5);
    expect(await story.figures(entitlement)).toBe('90 10 0');
    expect(await story.figures(entitlement, '2026-06-01')).toBe('0 0 0');
    expect(await story.figures(entitlement, '2026-06-02')).toBe('100 0 0');
  });
});

describe('whose usage counts', () => {
  it('what is addressed to a subscription and to its customer, and the customer’s never twice', async () => {
    const story = await openStory();
    const { shop, customer, metric } = story;
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const [one, two] = [
      await shop.subscribe(plan, { customer, startedAt: '2026-06-01T00:00:00Z' }),
      await shop.subscribe(plan, { customer, startedAt: '2026-06-01T00:00:00Z' }),
    ];
    const older = await story.entitle(
      {},
      { subscriptionId: one.id, activeFrom: at('2026-06-01'), activeTo: at('2026-06-10') },
    );
    const younger = await story.entitle({}, { subscriptionId: two.id, activeFrom: at('2026-06-01') });
    const byHand = await story.entitle({}, { activeFrom: at('2026-06-01') });
    await shop.use(one.id, '2026-06-03T00:00:00Z', 1);
    await shop.use(two.id, '2026-06-03T00:00:00Z', 2);
    await shop.use(customer.id, '2026-06-03T00:00:00Z', 4);
    await shop.use(customer.id, '2026-06-10T00:00:00Z', 8);
    expect(await story.figures(older)).toBe('95 5 0');
    expect(await story.figures(younger)).toBe('90 10 0');
    expect(await story.figures(byHand)).toBe('88 12 0');
  });
});

describe('what is measured', () => {
  const events: readonly [string, Record<string, unknown>][] = [
    ['2026-05-20T00:00:00Z', { v: 3, user: 'ada' }],
    ['2026-06-02T00:00:00Z', { v: 7, user: 'ada' }],
    ['2026-06-03T00:00:00Z', { v: 2, user: 'ben' }],
    ['2026-06-04T00:00:00Z', { v: 5, user: 'ada' }],
  ];
  it.each([
    { aggregation: 'SUM', valueProperty: '$.v', now: '86 14 0', before: '93 7 0', may: '97 3 0' },
    { aggregation: 'COUNT', valueProperty: null, now: '97 3 0', before: '99 1 0', may: '99 1 0' },
    { aggregation: 'UNIQUE_COUNT', valueProperty: '$.user', now: '98 2 0', before: '99 1 0', may: '99 1 0' },
    { aggregation: 'MAX', valueProperty: '$.v', now: '93 7 0', before: '93 7 0', may: '97 3 0' },
    { aggregation: 'LATEST', valueProperty: '$.v', now: '95 5 0', before: '93 7 0', may: '97 3 0' },
  ])('$aggregation', async ({ aggregation, valueProperty, now, before, may }) => {
    const story = await openStory({ aggregation, valueProperty: valueProperty ?? undefined });
    const entitlement = await story.entitle();
    for (const [time, data] of events) await story.shop.use(story.customer.id, time, 0, { data });
    const seen = async () => [
      await story.figures(entitlement),
      await story.figures(entitlement, '2026-06-03'),
      await story.figures(entitlement, '2026-06-01'),
      await story.figures(entitlement, '2026-05-31'),
    ];
    const held = aggregation === 'LATEST' ? '97 3 0' : '100 0 0'; // a level continues after the reset
    expect(await seen()).toEqual([now, before, held, may]);
    await step(story, entitlement, '2026-06-01');
    await step(story, entitlement, '2026-06-02');
    expect(await snapshotsOf(story, entitlement)).toEqual(['2026-06-01T00:00:00Z']);
    expect(await seen()).toEqual([now, before, held, may]);
  });

  it('several metrics together', async () => {
    const story = await openStory();
    const { shop, customer, metric } = story;
    const second = await shop.metric({ productId: metric.productId, eventType: 'upload', aggregation: 'COUNT' });
    const entitlement = await story.entitle({}, { billableMetricIds: [metric.id, second.id] });
    await shop.use(customer.id, '2026-06-03T00:00:00Z', 4);
    await shop.use(customer.id, '2026-06-03T00:00:00Z', 9, { type: 'upload' });
    expect(await story.figures(entitlement)).toBe('95 5 0');
  });
});

describe('snapshots', () => {
  async function settledStory() {
    const story = await openStory();
    const entitlement = await story.entitle({
      resetMaxRollover: jsonNumber(decimal(40)),
      preserveOverageAtReset: true,
    });
    const { shop, customer } = story;
    await story.grant(entitlement, { amount: '500', effectiveAt: at('2026-01-15'), priority: 3 });
    await story.grant(entitlement, {
      amount: '7',
      effectiveAt: at('2026-02-03'),
      recurrencePeriod: 'P1W',
      priority: -1,
    });
    for (const month of ['01', '02', '03', '04', '05', '06'])
      for (const [day, units] of [
        ['02', 90],
        ['11', 45],
        ['28', 31],
      ] as const)
        await shop.use(customer.id, `2026-${month}-${day}T07:30:00Z`, units);
    const fresh = await everywhere(story, entitlement);
    for (const month of ['02', '03', '04', '05', '06']) {
      await step(story, entitlement, `2026-${month}-01`);
      await step(story, entitlement, `2026-${month}-01T00:00:20Z`);
    }
    return { story, entitlement, fresh };
  }
  const MONTHS = ['02', '03', '04', '05', '06'].map((month) => `2026-${month}-01T00:00:00Z`);

  it('are kept at each reset, and change no answer', async () => {
    const { story, entitlement, fresh } = await settledStory();
    expect(await snapshotsOf(story, entitlement)).toEqual(MONTHS);
    expect(await everywhere(story, entitlement)).toEqual(fresh);
  });

  it.each<{ what: string; happens: (story: Story, entitlement: EntitlementRow) => Promise<unknown> }>([
    { what: 'a late event', happens: ({ shop, customer }) => shop.use(customer.id, '2026-02-20T00:00:00Z', 13) },
    { what: 'an event in time', happens: ({ shop, customer }) => shop.use(customer.id, '2026-06-20T00:00:00Z', 13) },
    {
      what: 'an external subject that is linked late',
      happens: async (story) => {
        const { shop, customer, merchantId } = story;
        await shop.use(customer.id, '2026-03-05T00:00:00Z', 21, { subject: undefined, externalSubject: 'acme' });
        const link = { merchantId, externalId: 'acme', customerId: customer.id };
        await story.inMerchant((tx) => linkExternalSubject(tx, link, NOW));
      },
    },
    {
      what: 'a backdated grant',
      happens: (story, entitlement) =>
        story.grant(entitlement, { amount: '60', effectiveAt: at('2026-03-09'), priority: -5 }),
    },
    {
      what: 'a voided grant',
      happens: (story, entitlement) =>
        story.inMerchant(async (tx) => {
          const voidedAt = at('2026-04-20');
          await tx.run(sql`
            update entitlement_grant set voided_at = ${voidedAt} where entitlement_id = ${entitlement.id} and amount = 500`);
          await deleteSnapshotsFrom(tx, entitlement, voidedAt);
        }),
    },
    {
      what: 'a reset by hand',
      happens: (story, entitlement) =>
        story.inMerchant(async (tx) => {
          await tx.run(sql`
            insert into entitlement_reset (merchant_id, entitlement_id, at, retain_anchor, preserve_overage, created_at)
            values (${story.merchantId}, ${entitlement.id}, ${at('2026-06-12')}, false, false, ${NOW})`);
          await deleteSnapshotsFrom(tx, entitlement, at('2026-06-12'));
        }),
    },
  ])('hold no longer than they may: $what', async ({ what, happens }) => {
    const { story, entitlement, fresh } = await settledStory();
    await happens(story, entitlement);
    const changed = await everywhere(story, entitlement);
    await story.inMerchant((tx) => deleteSnapshotsFrom(tx, entitlement, at('2026-01-01')));
    expect(await everywhere(story, entitlement), what).toEqual(changed);
    expect(changed).not.toEqual(fresh);
  });

  it('are taken again at the next reset after late usage', async () => {
    const { story, entitlement } = await settledStory();
    await story.shop.use(story.customer.id, '2026-02-20T00:00:00Z', 13);
    await step(story, entitlement, '2026-06-20');
    expect(await snapshotsOf(story, entitlement)).toEqual([MONTHS[0], MONTHS[4]]);
    const kept = await everywhere(story, entitlement);
    await story.inMerchant((tx) => deleteSnapshotsFrom(tx, entitlement, at('2026-01-01')));
    expect(await everywhere(story, entitlement)).toEqual(kept);
  });

  it('let late usage be forgotten that is late for none of them, of any entitlement of the customer', async () => {
    const { story, entitlement } = await settledStory();
    const { shop, customer, metric } = story;
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const subscription = await shop.subscribe(plan, { customer, startedAt: '2026-06-01T00:00:00Z' });
    const ended = await story.entitle({}, { subscriptionId: subscription.id, activeTo: at('2026-03-15') });
    const other = await story.entitle({}, { subscriptionId: subscription.id });
    const reset = async (of: EntitlementRow, day: string) => {
      await step(story, of, day);
      await step(story, of, `${day}T00:00:20Z`);
    };
    for (const of of [ended, other]) await reset(of, '2026-03-01');
    const lateRows = () => story.inMerchant(async (tx) => (await tx.rows(sql`select 1 from usage_late`)).length);
    const everyone = async () => {
      const found = [];
      for (const of of [entitlement, ended, other]) found.push(await everywhere(story, of));
      return found;
    };
    const counts: number[] = [];
    for (const day of ['10', '11', '12', '13', '14']) {
      await shop.use(customer.id, `2026-02-${day}T00:00:00Z`, 3);
      await shop.use(subscription.id, `2026-02-${day}T00:00:00Z`, 5);
      counts.push(await lateRows());
      await step(story, entitlement, `2026-06-${day}`);
      counts.push(await lateRows());
    }
    expect(counts).toEqual([2, 0, 2, 0, 2, 0, 2, 0, 2, 0]);
    const kept = await everyone();
    for (const of of [entitlement, ended, other])
      await story.inMerchant((tx) => deleteSnapshotsFrom(tx, of, at('2026-01-01')));
    expect(await everyone()).toEqual(kept);
  });

  it('do not hold for other usage: the end of an older entitlement is moved', async () => {
    const story = await openStory();
    const { shop, customer, metric } = story;
    const plan = await shop.plan([await shop.usagePrice({ billableMetricId: metric.id })]);
    const [one, two] = [
      await shop.subscribe(plan, { customer, startedAt: '2026-06-01T00:00:00Z' }),
      await shop.subscribe(plan, { customer, startedAt: '2026-06-01T00:00:00Z' }),
    ];
    const template = { usagePeriod: { interval: 'P1D' } };
    const [older, younger] = [
      await story.entitle(template, { subscriptionId: one.id, activeFrom: at('2026-06-01') }),
      await story.entitle(
        { ...template, resetMaxRollover: jsonNumber(decimal(999)) },
        { subscriptionId: two.id, activeFrom: at('2026-06-01') },
      ),
    ];
    await shop.use(customer.id, '2026-06-03T00:00:00Z', 4);
    await step(story, younger, '2026-06-05');
    await step(story, younger, '2026-06-06');
    expect(await story.figures(younger, '2026-06-06')).toBe('600 0 0');
    await story.inMerchant((tx) => updateEntitlement(tx, older, { activeTo: at('2026-06-03') }, NOW));
    expect(await story.figures(younger, '2026-06-06')).toBe('596 0 0');
    const asked = { database: env.database, merchantId: story.merchantId, now: at('2026-06-06') };
    const signal = new AbortController().signal;
    const readings = new Readings({ findSpentBudgets: async () => [] });
    const answer = orThrow(await readings.answer(detailQuestion({ ...asked, signal }, younger.id)));
    expect(answer.details[0]).toMatchObject({ balance: jsonNumber(decimal(596)) });
  });
});

describe('a balance', () => {
  it('without an instant is lowered by what unexpired reservations hold, and not below 0', async () => {
    const story = await openStory();
    const entitlement = await story.entitle();
    const hold = (amount: number, until: string) =>
      story.inMerchant((tx) =>
        tx.run(sql`
          insert into entitlement_reservation (merchant_id, id, entitlement_id, amount, status, expires_at, next_action_at, created_at, updated_at)
          values (${story.merchantId}, ${newId('reservation')}, ${entitlement.id}, ${amount}, 'held', ${at(until)}, ${at(until)}, ${NOW}, ${NOW})`),
      );
    await hold(30, '2026-06-16');
    await hold(5, '2026-06-15T12:00:00Z');
    expect(await story.figures(entitlement)).toBe('70 0 0');
    expect(await story.figures(entitlement, '2026-06-15T12:00:00Z')).toBe('100 0 0');
    await hold(90, '2026-06-16');
    expect(await story.figures(entitlement)).toBe('0 0 0');
  });

  it('is known after its first answer, with the hour in which its usage period began', async () => {
    const story = await openStory();
    const entitlement = await story.entitle({}, { activeFrom: at('2026-01-10T10:30:00Z') });
    const use = async (time: string) => {
      for (let event = 0; event < 40; event += 1) await story.shop.use(story.customer.id, time, 1);
    };
    await use('2026-06-10T10:15:00Z');
    await use('2026-06-10T10:45:00Z');
    const asked = { database: env.database, merchantId: story.merchantId, now: NOW };
    const question = detailQuestion({ ...asked, signal: new AbortController().signal }, entitlement.id);
    const readings = new Readings({ findSpentBudgets: async () => [] });
    const transaction = vi.spyOn(env.database, 'transaction');
    const statement = vi.spyOn(env.database, 'callPrepared');
    const usage = async () =>
      JSON.parse(JSON.stringify(orThrow(await readings.answer(question)).details[0])).usageInPeriod;
    const knownHours = () => statement.mock.lastCall?.[0].values.includes('{"80","80"}'); // before and after it
    try {
      expect([await usage(), knownHours()]).toEqual([40, false]);
      expect([await usage(), knownHours()]).toEqual([40, true]);
      expect(transaction).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
    }
    await story.shop.use(story.customer.id, '2026-06-10T10:50:00Z', 2);
    expect(await usage()).toBe(42);
  });
});
