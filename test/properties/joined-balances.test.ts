import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findSpentBudgets } from '../../src/alerts/index.ts';
import { sql, type Tx } from '../../src/db/index.ts';
import { selectNow, writtenQuestion } from '../../src/entitlements/cache/cache.sql.ts';
import { accessQuestion, detailQuestion } from '../../src/entitlements/cache/questions.ts';
import { Readings } from '../../src/entitlements/cache/readings.ts';
import { eventBalances } from '../../src/entitlements/of-events.ts';
import { toAccessReply } from '../../src/entitlements/reading/access.ts';
import { newId } from '../../src/kernel/ids.ts';
import { orThrow } from '../../src/kernel/result.ts';
import { type FigureCall, figureCall } from '../../src/metering/index.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * Simultaneous questions of many callers share one statement (docs/decisions/0160). Each gets the same answer as alone,
 * whatever the others ask, and for any merchant.
 */
interface Tenant {
  readonly merchant: Merchant;
  readonly shop: Shop;
  readonly customers: readonly Known[];
}

interface Known {
  readonly customer: Resource;
  /** A sum and a greatest value of the same events. */
  readonly entitlements: readonly string[];
  /** The sent units, and the units of acknowledged events. */
  sent: number;
  acknowledged: number;
}

const NOW = Temporal.Instant.from('2026-01-10T08:00:00Z');
let env: TestEnvironment;
let tenants: Tenant[];
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow(NOW.toString());
  tenants = [await tenant(), await tenant()];
}, 60_000);
afterAll(async () => {
  for (const { merchant } of tenants)
    await inMerchant(merchant, (tx) => tx.run(sql`delete from alert where merchant_id = ${merchant.id}`));
  await env.close();
});

const inMerchant = <T>({ id }: Merchant, work: (tx: Tx) => Promise<T>) =>
  env.database.transaction({ merchants: [id] }, work);

/** Both merchants call everything the same: features, customers, types of events. */
async function tenant(): Promise<Tenant> {
  const merchant = await env.merchant();
  const shop = shopOf(merchant);
  const metrics = [await shop.metric({}), await shop.metric({ aggregation: 'MAX' })];
  const product = metrics[0].productId;
  const features: Resource[] = [];
  for (const key of ['tokens', 'peak'])
    features.push(await shop.create('/v0/features', { key, name: key, productId: product, type: 'metered' }));
  const customers: Known[] = [];
  for (const externalId of ['anna', 'bert', 'cleo']) {
    const customer = await shop.customer({ externalId });
    const entitlements: string[] = [];
    for (const [place, { id: featureId }] of features.entries()) {
      const made = await shop.create('/v1/entitlements', {
        customerId: customer.id,
        featureId,
        template: { type: 'metered', usagePeriod: { interval: 'P1M' }, billableMetricIds: [metrics[place].id] },
        activeFrom: NOW.subtract({ hours: 24 * 5 }).toString(),
      });
      entitlements.push(made.id);
      await shop.create(`/v1/entitlements/${made.id}/grants`, { amount: 1000 });
    }
    customers.push({ customer, entitlements, sent: 0, acknowledged: 0 });
  }
  return { merchant, shop, customers };
}

const asked = (merchantId: string) => ({
  database: env.database,
  merchantId,
  now: NOW,
  signal: new AbortController().signal,
});

const readings = new Readings({ findSpentBudgets });
const balances = eventBalances({ findSpentBudgets });
// biome-ignore lint/suspicious/noExplicitAny: an answer as a client reads it
const plain = (answer: unknown): any => JSON.parse(JSON.stringify(answer));

/** Asks while others ask and report usage, and compares the answer with the units sent before and after. */
async function within(of: Known, merchantId: string, ask: () => Promise<{ id: string; usageInPeriod: number }[]>) {
  const least = of.acknowledged;
  const told = await ask();
  const sum = told.find(({ id }) => id === of.entitlements[0]);
  expect(told.map(({ id }) => id).filter((id) => !of.entitlements.includes(id))).toEqual([]);
  expect(sum?.usageInPeriod, `of ${merchantId}`).toBeGreaterThanOrEqual(least);
  expect(sum?.usageInPeriod).toBeLessThanOrEqual(of.sent);
}

const actions = {
  use: async ({ shop }: Tenant, of: Known, units: number) => {
    of.sent += units;
    const { id, externalId } = of.customer;
    const fields = units % 2 === 0 ? {} : { subject: undefined, externalSubject: externalId };
    await shop.use(id, NOW.toString(), units, fields);
    of.acknowledged += units;
  },
  check: ({ merchant }: Tenant, of: Known) =>
    within(of, merchant.id, async () =>
      plain(orThrow(await readings.answer(detailQuestion(asked(merchant.id), of.entitlements[0] as string))).details),
    ),
  checkOther: async ({ merchant }: Tenant, of: Known) => {
    const id = of.entitlements[1] as string;
    const [told] = plain(orThrow(await readings.answer(detailQuestion(asked(merchant.id), id))).details);
    expect(told.id).toBe(id);
  },
  access: async ({ merchant }: Tenant, of: Known) => {
    const least = of.acknowledged;
    const question = accessQuestion(asked(merchant.id), { customer: { externalId: of.customer.externalId } });
    const { customerId, features } = plain(toAccessReply(orThrow(await readings.answer(question))));
    expect(customerId).toBe(of.customer.id);
    expect(features.flatMap((each: { entitlementIds: string[] }) => each.entitlementIds)).toEqual(of.entitlements);
    expect(features[0].balance).toBeLessThanOrEqual(1000 - least);
    expect(features[0].balance).toBeGreaterThanOrEqual(1000 - of.sent);
  },
  track: ({ merchant }: Tenant, of: Known) =>
    within(of, merchant.id, async () => {
      const uses = [{ customerId: of.customer.id, subscriptionId: null, eventType: 'call' }];
      return plain(await balances.find(asked(merchant.id), uses));
    }),
  /** A question for another merchant's record gets no data, and disturbs no other question. */
  attack: async ({ merchant }: Tenant, of: Known) => {
    const other = tenants.find((each) => each.merchant !== merchant) as Tenant;
    const answers = await Promise.all([
      readings.answer(detailQuestion(asked(other.merchant.id), of.entitlements[0] as string)),
      readings.answer(accessQuestion(asked(other.merchant.id), { customer: { id: of.customer.id } })),
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([false, false]);
    const uses = [{ customerId: of.customer.id, subscriptionId: null, eventType: 'call' }];
    expect(await balances.find(asked(other.merchant.id), uses)).toEqual([]);
  },
};

const place = (many: number) => fc.integer({ min: 0, max: many - 1 });
const action = fc.record({
  name: fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[])),
  tenant: place(2),
  customer: place(3),
  units: fc.integer({ min: 1, max: 9 }),
});

describe('questions that are asked at the same moment', () => {
  it('are answered as if each had been asked alone, with every event that was acknowledged before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 1, maxLength: 25 }), { maxLength: 4 }),
        async (rounds) => {
          for (const round of rounds)
            await Promise.all(
              round.map(({ name, tenant: of, customer, units }) => {
                const who = tenants[of] as Tenant;
                return actions[name](who, who.customers[customer] as Known, units);
              }),
            );
        },
      ),
      { ...cases(4, 15), endOnFailure: true },
    );
    for (const of of tenants)
      await Promise.all(of.customers.flatMap((each) => [actions.check(of, each), actions.access(of, each)]));
  }, 60_000);

  it('are asked in one statement, in which a budget and a reservation are of one question alone', async () => {
    const { merchant, shop, customers } = tenants[0] as Tenant;
    const [anna, bert] = customers as [Known, Known, Known];
    const metric = (await shop.read(`/v1/entitlements/${bert.entitlements[0]}`)).billableMetrics[0];
    await inMerchant(merchant, (tx) =>
      tx.run(sql`
        insert into alert (merchant_id, id, type, customer_id, billable_metric_id, period, threshold, blocks_access,
                           notifies_customer, metadata, is_reached, looked_at, created_at, updated_at)
        values (${merchant.id}, ${newId('alert')}, 'usage', ${bert.customer.id}, ${metric}, 'month', 1, true, false, '{}',
                true, ${NOW}, ${NOW}, ${NOW})`),
    );
    await shop.create(`/v1/entitlements/${anna.entitlements[0]}/reservations`, {
      amount: 7,
      expiresAt: NOW.add({ hours: 1 }).toString(),
    });
    const ask = () =>
      Promise.all(
        customers.flatMap(({ customer, entitlements }) => [
          readings.answer(accessQuestion(asked(merchant.id), { customer: { id: customer.id } })),
          readings.answer(detailQuestion(asked(merchant.id), entitlements[0] as string)),
        ]),
      );
    await ask();
    const call = vi.spyOn(env.database, 'callPrepared');
    const answers = await ask();
    expect(call).toHaveBeenCalledTimes(1);
    call.mockRestore();
    const told = answers.map((answer) => orThrow(answer));
    expect([0, 2, 4].map((each) => plain(toAccessReply(told[each] as never)).features[0].reason)).toEqual([
      null,
      'budget_spent',
      null,
    ]);
    expect([1, 3, 5].map((each) => plain(told[each]?.details[0]).reserved)).toEqual([7, 0, 0]);
  });

  it('are answered in one statement and without a transaction where their inputs are known', async () => {
    const [{ merchant, customers }] = tenants as [Tenant];
    const [{ customer, entitlements }] = customers as [Known];
    const paths = [`/v1/customers/${customer.id}/access`, `/v1/entitlements/${entitlements[0]}`];
    for (const path of paths) {
      for (const _ of [1, 2]) await merchant.get(path);
      const transaction = vi.spyOn(env.database, 'transaction');
      const statement = vi.spyOn(env.database, 'callPrepared');
      expect((await merchant.get(path)).status).toBe(200);
      expect(statement.mock.calls.filter(([{ name }]) => name.startsWith('entitlements now'))).toHaveLength(1);
      expect(transaction).not.toHaveBeenCalled();
      vi.restoreAllMocks();
    }
  });

  it('see nothing of another merchant, also where a statement names it', async () => {
    const [one, other] = tenants as [Tenant, Tenant];
    const { customer, entitlements } = other.customers[0] as Known;
    const own = one.customers[0] as Known;
    const figures = (await figureCall(env.database, [])) as FigureCall;
    const about = (of: Known | { customer: Resource; entitlements: readonly string[] }) =>
      writtenQuestion({
        customerId: of.customer.id,
        customer: { externalId: null },
        held: [{ id: of.entitlements[0] as string, clockId: null }],
        clocks: [],
        kept: [],
        figures,
      });
    const answers = await selectNow(env.database, one.merchant.id, NOW, [
      about({ customer, entitlements }),
      about(own),
    ]);
    const nothing = { state: null, clockTimes: [], reserved: [null], budgets: [], figures: [], hasReadHours: false };
    expect(answers[0]).toEqual(nothing);
    expect(answers[1]?.state).toMatch(/\/2\/\d+$/);
    expect(answers[1]?.reserved).toEqual(['7']);
  });
});
