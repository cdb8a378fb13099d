import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findSpentBudgets } from '../../src/alerts/index.ts';
import type { EntitlementTemplate } from '../../src/catalog/index.ts';
import { sql, type Tx } from '../../src/db/index.ts';
import { accessQuestion, detailQuestion, findAsked, findWhose } from '../../src/entitlements/cache/questions.ts';
import { Readings } from '../../src/entitlements/cache/readings.ts';
import {
  insertEntitlement,
  insertTerm,
  updateEntitlement,
} from '../../src/entitlements/entitlement/entitlements.sql.ts';
import { deleteSnapshotsFrom } from '../../src/entitlements/inputs/snapshots.sql.ts';
import { accessOf, toAccessReplies, toAccessReply } from '../../src/entitlements/reading/access.ts';
import type { TimedEntitlement } from '../../src/entitlements/reading/reading.sql.ts';
import { newId } from '../../src/kernel/ids.ts';
import { orThrow } from '../../src/kernel/result.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * A process that remembers entitlements answers like one that reads everything again, after any change by other
 * processes (docs/decisions/0134).
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let now = Temporal.Instant.from('2026-01-10T08:00:00Z');
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(now.toString());
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(async () => {
  // no hint named them
  await inMerchant((tx) => tx.run(sql`delete from alert where merchant_id = ${merchant.id}`));
  await env.close();
});

const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
const later = (hours: number): Instant => now.add({ hours });

async function pass(hours: number): Promise<void> {
  now = later(hours);
  env.setNow(now.toString());
  await env.runDueWork();
  now = now.add({ seconds: 30 });
  env.setNow(now.toString());
  await env.runDueWork(); // takes snapshots
}

let keys = 0;
const uniqueKey = () => {
  keys += 1;
  return `feature-${keys}`;
};

/** One customer, its entitlements, and two processes that change them. */
class Life {
  readonly customer: Resource;
  readonly metrics: Resource[];
  readonly features: Resource[];
  readonly entitlements: string[] = [];
  readonly #readings = new Readings({ findSpentBudgets });
  #externalId: string;
  readonly #clock: string | null;

  constructor(customer: Resource, metrics: Resource[], features: Resource[], clock: Resource) {
    [this.customer, this.metrics, this.features] = [customer, metrics, features];
    this.#externalId = customer.externalId;
    this.#clock = clock?.id ?? null;
  }

  static async begin(clock: Resource): Promise<Life> {
    const metrics = [
      await shop.metric({}),
      await shop.metric({ aggregation: 'COUNT', valueProperty: null }),
      await shop.metric({ aggregation: 'MAX' }),
    ];
    const features: Resource[] = [];
    for (const type of ['metered', 'metered', 'static']) {
      const key = uniqueKey();
      features.push(await shop.create('/v0/features', { key, name: key, productId: metrics[0].productId, type }));
    }
    const customer = await shop.customer({ externalId: `customer ${newId('customer')}` });
    const life = new Life(customer, metrics, features, clock);
    const monthly = { usagePeriod: { interval: 'P1M' }, issueAfterReset: 20, resetMaxRollover: 5 } as never;
    await life.entitle(0, [0], { type: 'metered', ...(monthly as object) } as EntitlementTemplate);
    await life.entitle(1, [1, 2], { type: 'metered', isSoftLimit: true });
    await life.entitle(2, [], { type: 'static', config: { seats: 3 } });
    return life;
  }

  async entitle(
    feature: number,
    metrics: readonly number[],
    template: EntitlementTemplate,
    hours = -24 * 40,
  ): Promise<void> {
    const row = {
      merchantId: merchant.id,
      id: newId('entitlement'),
      customerId: this.customer.id,
      featureId: this.features[feature].id,
      featureType: template.type,
      productId: this.features[feature].productId,
      planId: null,
      subscriptionId: null,
      isFromPlan: false,
      clockId: this.#clock,
      activeFrom: later(hours),
      activeTo: null,
      billableMetricIds: metrics.map((place) => this.metrics[place].id),
      pauses: [],
      metadata: {},
      nextActionAt: later(hours),
    };
    await inMerchant((tx) => insertEntitlement(tx, row, template, now));
    this.entitlements.push(row.id);
  }

  use = (hours: number, units: number) => shop.use(this.customer.id, later(hours).toString(), units);

  async act(path: string, body: unknown): Promise<void> {
    const { status, text } = await merchant.post(path, body); // impossible changes are refused, and have no effect
    if (status >= 500) throw new Error(text);
  }

  async voidGrant(place: number): Promise<void> {
    const grants = await shop.read(`/v1/entitlements/${this.entitlements[0]}/grants`);
    const grant = grants.data[place % Math.max(1, grants.data.length)];
    if (grant) await this.act(`/v1/entitlements/${this.entitlements[0]}/grants/${grant.id}/void`, {});
  }

  /** As a plan change does. */
  term = (issueAfterReset: number) =>
    inMerchant(async (tx) => {
      const of = { merchantId: merchant.id, id: this.entitlements[0] as string };
      await insertTerm(tx, of, now, {
        type: 'metered',
        usagePeriod: { interval: 'P1M' },
        issueAfterReset,
      } as unknown as EntitlementTemplate);
      await deleteSnapshotsFrom(tx, of, now);
    });

  end = (place: number, hours: number) =>
    inMerchant(async (tx) => {
      const of = { merchantId: merchant.id, id: this.entitlements[place % this.entitlements.length] as string };
      await updateEntitlement(tx, of, { activeTo: later(hours) }, now);
      await deleteSnapshotsFrom(tx, of, later(hours));
    });

  async rename(): Promise<void> {
    const key = uniqueKey();
    await shop.change(`/v0/features/${this.features[0].id}`, { key });
    this.features[0] = { ...this.features[0], key };
  }

  async callOtherwise(): Promise<void> {
    this.#externalId = `customer ${newId('customer')}`;
    await shop.change(`/v0/customers/${this.customer.id}`, { externalId: this.#externalId });
  }

  spend = (isSpent: boolean) =>
    inMerchant(async (tx) => {
      await tx.run(sql`delete from alert where merchant_id = ${merchant.id} and customer_id = ${this.customer.id}`);
      if (isSpent)
        await tx.run(sql`
          insert into alert (merchant_id, id, type, customer_id, billable_metric_id, period, threshold, blocks_access, notifies_customer,
                             metadata, is_reached, looked_at, created_at, updated_at)
          values (${merchant.id}, ${newId('alert')}, 'usage', ${this.customer.id}, ${this.metrics[0].id}, 'month', 1, true, false, '{}',
                  true, ${now}, ${now}, ${now})`);
    });

  /** The answers of both processes; the remembering one is asked twice. */
  async compare(): Promise<void> {
    const asked = { database: env.database, merchantId: merchant.id, now, signal: new AbortController().signal };
    for (const id of this.entitlements) {
      const fresh = await inMerchant(async (tx) => {
        const row = await tx.one<TimedEntitlement>(sql`
          select e.*, coalesce(c.clock_time, ${now}) as effective_now
            from entitlement e left join test_clock c on c.merchant_id = e.merchant_id and c.id = e.clock_id
           where e.merchant_id = ${merchant.id} and e.id = ${id}`);
        return JSON.stringify(orThrow(await toAccessReplies(tx, [row], { at: null }))[0]);
      });
      for (const _ of [1, 2]) {
        const { details } = orThrow(await this.#readings.answer(detailQuestion(asked, id)));
        expect(JSON.stringify(details[0])).toBe(fresh);
      }
    }
    const [byId, byExternalId] = [{ id: this.customer.id }, { externalId: this.#externalId }];
    for (const of of [
      { customer: byId },
      { customer: byExternalId, featureKey: this.features[0].key },
      { customer: byId, productId: this.metrics[0].productId },
    ]) {
      const fresh = await inMerchant(async (tx) => {
        const customerId = orThrow(await findWhose(tx, of.customer));
        const features = await findAsked(tx, of);
        const filters = { customerId, productId: of.productId, ...(features && { asked: features }) };
        return JSON.stringify(orThrow(await accessOf({ findSpentBudgets }, tx, filters, { at: null }, now)));
      });
      for (const _ of [1, 2])
        expect(JSON.stringify(toAccessReply(orThrow(await this.#readings.answer(accessQuestion(asked, of)))))).toBe(
          fresh,
        );
    }
  }
}

const hours = (min: number, max: number) => fc.integer({ min, max });
const first = (life: Life) => `/v1/entitlements/${life.entitlements[0]}`;
const happening: fc.Arbitrary<(life: Life) => Promise<unknown>> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(hours(-900, 60), hours(-3, 9)).map(
      ([at, units]) =>
        (life: Life) =>
          life.use(at, units),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(hours(1, 9), hours(0, 3), hours(0, 90)).map(
      ([amount, at, until]) =>
        (life: Life) =>
          life.act(`${first(life)}/grants`, {
            amount,
            effectiveAt: later(at).toString(),
            expiresAt: until > 3 ? later(until).toString() : null,
          }),
    ),
  },
  {
    weight: 1,
    arbitrary: hours(1, 9).map(
      (amount) => (life: Life) =>
        life.act(`/v1/entitlements/${life.entitlements[1]}/grants`, { amount, recurrencePeriod: 'P1D' }),
    ),
  },
  {
    weight: 1,
    arbitrary: hours(-400, -1).map(
      (at) => (life: Life) => life.act(`${first(life)}/grants`, { amount: 3, effectiveAt: later(at).toString() }),
    ),
  },
  { weight: 1, arbitrary: hours(0, 5).map((place) => (life: Life) => life.voidGrant(place)) },
  {
    weight: 1,
    arbitrary: fc.boolean().map((retainAnchor) => (life: Life) => life.act(`${first(life)}/reset`, { retainAnchor })),
  },
  {
    weight: 2,
    arbitrary: hours(1, 4).map(
      (amount) => (life: Life) => life.act(`${first(life)}/reservations`, { amount, expiresAt: later(2).toString() }),
    ),
  },
  { weight: 4, arbitrary: fc.oneof(hours(0, 3), hours(0, 800)).map((passing) => () => pass(passing)) },
  { weight: 1, arbitrary: hours(1, 30).map((issued) => (life: Life) => life.term(issued)) },
  {
    weight: 1,
    arbitrary: fc.tuple(hours(0, 9), hours(0, 5)).map(
      ([place, at]) =>
        (life: Life) =>
          life.end(place, at),
    ),
  },
  { weight: 1, arbitrary: hours(-5, 5).map((from) => (life: Life) => life.entitle(0, [0], { type: 'metered' }, from)) },
  { weight: 1, arbitrary: fc.constant((life: Life) => life.rename()) },
  { weight: 1, arbitrary: fc.constant((life: Life) => life.callOtherwise()) },
  { weight: 1, arbitrary: fc.boolean().map((isSpent) => (life: Life) => life.spend(isSpent)) },
);

/** The usage that an answer shows, as a client reads it. */
const figureOf = (detail: unknown): number => JSON.parse(JSON.stringify(detail)).usageInPeriod;

describe('a process that knows entitlements', () => {
  it('answers as one that reads everything anew, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 12, maxLength: 12 }), async (all) => {
        const life = await Life.begin(null);
        await life.compare();
        for (const happens of all) {
          await happens(life);
          await life.compare();
        }
      }),
      { ...cases(1, 2), endOnFailure: true },
    );
  }, 60_000);

  it('answers for the time of a test clock', async () => {
    const clock = await shop.clock(now.toString());
    const life = await Life.begin(clock);
    for (const hoursLater of [0, 0.5, 3, 300, 500]) {
      if (hoursLater > 0) {
        const to = Temporal.Instant.from(clock.currentTime).add({ minutes: hoursLater * 60 });
        await shop.advance(clock, to.toString());
      }
      await life.use(0, 2);
      await life.compare();
    }
  }, 30_000);

  it('asks for nothing but one statement while only usage and reservations change', async () => {
    const life = await Life.begin(null);
    await life.entitle(1, [0], { type: 'metered' }, -2);
    const readings = new Readings({ findSpentBudgets });
    const asked = { database: env.database, merchantId: merchant.id, now, signal: new AbortController().signal };
    const question = detailQuestion(asked, life.entitlements.at(-1) as string);
    const transaction = vi.spyOn(env.database, 'transaction');
    try {
      const before = orThrow(await readings.answer(question)).details[0];
      expect(transaction).not.toHaveBeenCalled(); // one statement more for unknown entitlements
      await life.use(-1, 4);
      transaction.mockClear();
      const after = orThrow(await readings.answer(question)).details[0];
      expect(figureOf(after)).toBe(figureOf(before) + 4);
      expect(transaction).not.toHaveBeenCalled();
    } finally {
      transaction.mockRestore();
    }
  });
});
