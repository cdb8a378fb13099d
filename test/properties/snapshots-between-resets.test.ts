import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql, type Tx } from '../../src/db/index.ts';
import type { BalanceAt } from '../../src/entitlements/balance/index.ts';
import { resetEntitlement } from '../../src/entitlements/changes/reset.ts';
import { entitlementDueKind } from '../../src/entitlements/changes/steps.ts';
import type { EntitlementRow } from '../../src/entitlements/entitlement/entitlement.ts';
import { insertEntitlement, selectEntitlement } from '../../src/entitlements/entitlement/entitlements.sql.ts';
import { createGrant, voidGrant } from '../../src/entitlements/grants/grants.ts';
import { loadInput } from '../../src/entitlements/inputs/inputs.ts';
import { balanceOf, balanceOfLoaded } from '../../src/entitlements/reading/balances.ts';
import { historyOf } from '../../src/entitlements/reading/history.ts';
import { decimal, jsonNumber, plain } from '../../src/kernel/decimal.ts';
import { newId } from '../../src/kernel/ids.ts';
import { formatInstant, type Instant } from '../../src/kernel/time.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * Balances of entitlements without a usage period have snapshots between resets, which count many grants as one. Each
 * figure is the same with these snapshots and without, at each instant and after any event.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let metric: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-01-01T00:00:00Z');
  merchant = await env.merchant();
  shop = shopOf(merchant);
  metric = await shop.metric();
});
afterAll(() => env.close());

const START = Temporal.Instant.from('2026-01-01T05:00:00Z');
const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => env.database.transaction({ merchants: [merchant.id] }, work);
const days = (from: Instant, count: number): Instant => from.add({ hours: 24 * count });

type Action =
  | { readonly does: 'grants'; readonly count: number; readonly days: number; readonly kind: number }
  | { readonly does: 'use'; readonly days: number; readonly units: number }
  | { readonly does: 'void'; readonly place: number }
  | { readonly does: 'reset'; readonly days: number }
  | { readonly does: 'wait'; readonly days: number }
  | { readonly does: 'ask'; readonly days: readonly number[] };

const wait = fc.record({ does: fc.constant('wait' as const), days: fc.integer({ min: 5, max: 45 }) });
const ago = fc.integer({ min: -70, max: 20 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: wait },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('grants' as const),
      count: fc.constantFrom(1, 3, 36),
      days: fc.integer({ min: -50, max: 30 }),
      kind: fc.nat({ max: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('use' as const),
      days: ago,
      units: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 90 }) }, fc.integer({ min: -60, max: -1 })),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('void' as const), place: fc.nat({ max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reset' as const), days: fc.integer({ min: -20, max: 0 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant('ask' as const), days: fc.array(ago, { minLength: 1, maxLength: 3 }) }),
  },
);

/** Grants of few kinds, so that many are alike. */
const KINDS = [
  {},
  {},
  { priority: 1 },
  { lasts: 40 },
  { resetMaxRollover: 0 },
  { resetMinRollover: 2, resetMaxRollover: 4, priority: -1 },
] as const;

class Life {
  now = START;
  readonly customer: Resource;
  readonly entitlement: EntitlementRow;

  constructor(customer: Resource, entitlement: EntitlementRow) {
    this.customer = customer;
    this.entitlement = entitlement;
  }

  get key() {
    return { merchantId: merchant.id, entitlementId: this.entitlement.id };
  }

  /** Time passes, and the jobs due in between run. */
  async pass(count: number): Promise<void> {
    const until = days(this.now, count);
    for (;;) {
      const { nextActionAt: next } = await this.row();
      if (next === null || Temporal.Instant.compare(next, until) > 0) break;
      const now = Temporal.Instant.compare(next, this.now) > 0 ? next : this.now;
      await inMerchant((tx) =>
        entitlementDueKind().step(tx, { merchantId: merchant.id, id: this.entitlement.id }, now),
      );
      this.now = now;
    }
    this.now = until;
  }

  async row(): Promise<EntitlementRow> {
    return (await inMerchant((tx) => selectEntitlement(tx, this.entitlement.id))) as EntitlementRow;
  }

  async does(act: Action): Promise<void> {
    if (act.does === 'wait') await this.pass(act.days);
    if (act.does === 'use') {
      env.setNow(this.now.toString());
      const at = days(this.now, act.days);
      if (Temporal.Instant.compare(at, START) >= 0) await shop.use(this.customer.id, at.toString(), act.units);
    }
    if (act.does === 'grants') {
      const kind: { readonly lasts?: number } = KINDS[act.kind] as object;
      const { lasts, ...fields } = kind;
      for (let number = 0; number < act.count; number += 1) {
        const effectiveAt = days(this.now, act.days).add({ hours: number });
        const expires = lasts === undefined ? {} : { expiresAt: formatInstant(days(effectiveAt, lasts)) };
        const amount = jsonNumber(decimal(1 + (number % 4)));
        const input = { amount, effectiveAt: formatInstant(effectiveAt), ...expires, ...fields };
        const made = await inMerchant((tx) => createGrant(tx, this.key, input, this.now));
        if (!made.ok) throw new Error(JSON.stringify(made));
      }
    }
    if (act.does === 'void') {
      const ids = await inMerchant((tx) =>
        tx.rows<{ id: string }>(
          sql`
            select id from entitlement_grant
             where entitlement_id = ${this.entitlement.id} and voided_at is null order by seq`,
        ),
      );
      const id = ids[act.place % Math.max(1, ids.length)]?.id;
      if (id !== undefined) await inMerchant((tx) => voidGrant(tx, this.key, id, this.now));
    }
    if (act.does === 'reset') {
      const effectiveAt = formatInstant(days(this.now, act.days));
      await inMerchant((tx) => resetEntitlement(tx, this.key, { effectiveAt }, this.now)); // may be refused
    }
    if (act.does === 'ask') await this.compare(act.days);
  }

  /** With snapshots and without, for now and for some instants; a history names each grant. */
  async compare(offsets: readonly number[]): Promise<void> {
    const entitlement = await this.row();
    const snapshotUntil = START.subtract({ hours: 1 });
    for (const at of [null, this.now, ...offsets.map((offset) => days(this.now, offset))]) {
      const asked = at ?? this.now;
      const [kept, whole] = await inMerchant(async (tx) => [
        await balanceOf(tx, entitlement, { at }, this.now),
        await balanceOfLoaded(tx, await loadInput(tx, { entitlement, at: asked, snapshotUntil }), { at }, this.now),
      ]);
      expect(shown(kept as BalanceAt), String(at)).toEqual(shown(whole as BalanceAt));
    }
    await this.compareHistory(entitlement);
  }

  /** A history of the last days, compared with the history without any snapshot. */
  async compareHistory(entitlement: EntitlementRow): Promise<void> {
    const [from, to] = [days(this.now, -20), this.now];
    const question = { from, to, windowSize: 'MONTH' } as const;
    const [kept, whole] = await inMerchant(async (tx) => {
      const told = async () => JSON.stringify(await historyOf(tx, entitlement, question, this.now));
      const before = await told();
      await tx.run(sql`savepoint all_snapshots`);
      await tx.run(sql`delete from entitlement_snapshot where entitlement_id = ${entitlement.id}`);
      const answers = [before, await told()];
      await tx.run(sql`rollback to savepoint all_snapshots`);
      return answers;
    });
    expect(kept).toBe(whole);
  }
}

const shown = ({ balance, overage, usageInPeriod, period, totals }: BalanceAt) => [
  ...[balance, overage, usageInPeriod, ...Object.values(totals)].map(plain),
  ...[period.start, period.end, period.lastResetAt].map(String),
];

async function openLife(features: { count: number }, usagePeriod: { interval: string } | null): Promise<Life> {
  features.count += 1;
  const customer = await shop.customer();
  const feature = await shop.create('/v0/features', {
    key: `calls-${features.count}`,
    name: 'Calls',
    productId: metric.productId,
    type: 'metered',
  });
  const row = {
    merchantId: merchant.id,
    id: newId('entitlement'),
    customerId: customer.id,
    featureId: feature.id,
    featureType: 'metered' as const,
    productId: metric.productId,
    planId: null,
    subscriptionId: null,
    isFromPlan: false,
    clockId: null,
    activeFrom: START,
    activeTo: null,
    billableMetricIds: [metric.id],
    pauses: [],
    metadata: {},
    nextActionAt: START,
  };
  const template = {
    type: 'metered' as const,
    ...(usagePeriod && { usagePeriod }),
    issueAfterReset: jsonNumber(decimal(50)),
  };
  return new Life(customer, await inMerchant((tx) => insertEntitlement(tx, row, template, START)));
}

it('gives the same figures with snapshots between resets as without any', async () => {
  const features = { count: 0 };
  let [kept, grouped] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(null, null, { interval: 'P1Y' }),
      fc.array(action, { minLength: 20, maxLength: 30 }),
      async (usagePeriod, actions) => {
        const life = await openLife(features, usagePeriod);
        await life.does({ does: 'grants', count: 36, days: 1, kind: 0 });
        for (const act of actions) await life.does(act);
        await life.compare([-1, -33, -64]);
        const counted = await inMerchant((tx) =>
          tx.one<{ kept: number; grouped: number }>(sql`
            select count(*)::int as kept, count(*) filter (where is_grouped)::int as grouped
              from entitlement_snapshot where entitlement_id = ${life.entitlement.id}`),
        );
        kept += counted.kept;
        grouped += counted.grouped;
      },
    ),
    { ...cases(6, 12), endOnFailure: true },
  );
  expect(kept).toBeGreaterThan(0);
  expect(grouped).toBeGreaterThan(0);
}, 300_000);
