import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { cases } from '../support/cases.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import {
  type HeldAnswer,
  type HeldBalance,
  type HeldGrant,
  type HeldLevel,
  heldAt,
  heldText,
  type Time,
} from '../support/over-time-oracle.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Balances that levels over time use up are what an oracle says that shares no code: at any instant, before and after
 * snapshots, with events in any order. Their notices are told at the microsecond at which they become true.
 */
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
beforeAll(async () => {
  env = await openTestEnvironment();
  env.setNow(START);
  merchant = await env.merchant();
  shop = shopOf(merchant);
});
afterAll(() => env.close());

const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;
const BEGIN = BigInt(Temporal.Instant.from(START).epochMilliseconds) * 1000n;
const textOf = (at: Time) => Temporal.Instant.fromEpochNanoseconds(at * 1000n).toString();
const timeOf = (text: string): Time => Temporal.Instant.from(text).epochNanoseconds / 1000n;

interface Kind {
  readonly timeUnit: 'hour' | 'day';
  /** In days; null: none. */
  readonly period: bigint | null;
  readonly issued: number;
  readonly keepsOverage: boolean;
  /** Events come in the order of their time. */
  readonly isPrompt: boolean;
}
type Act =
  | { readonly does: 'store'; readonly seconds: number; readonly thousandths: number; readonly group: number }
  | {
      readonly does: 'grant';
      readonly amount: number;
      readonly seconds: number;
      readonly lasts: number | null;
      readonly priority: number;
      readonly isKept: boolean;
    }
  | { readonly does: 'reset' }
  | { readonly does: 'wait'; readonly seconds: number }
  | { readonly does: 'ask'; readonly seconds: readonly number[] };

const DAYS = 86_400;
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('store' as const),
      seconds: fc.oneof(fc.integer({ min: -20 * DAYS, max: 10 * DAYS }), fc.integer({ min: -40, max: 4000 })),
      thousandths: fc.oneof(fc.integer({ min: 0, max: 9000 }), fc.constantFrom(0, 1, 700, 3000)),
      group: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('grant' as const),
      amount: fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constantFrom(1, 3)),
      seconds: fc.integer({ min: -5 * DAYS, max: 9 * DAYS }),
      lasts: fc.option(fc.integer({ min: 60, max: 12 * DAYS }), { nil: null }),
      priority: fc.integer({ min: -2, max: 1 }),
      isKept: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'reset' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      seconds: fc.oneof(fc.integer({ min: 1, max: 40 * DAYS }), fc.integer({ min: 1, max: 90_000 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('ask' as const),
      seconds: fc.array(fc.integer({ min: -30 * DAYS, max: 20 * DAYS }), { minLength: 1, maxLength: 3 }),
    }),
  },
);
const kind: fc.Arbitrary<Kind> = fc.record({
  timeUnit: fc.constantFrom('hour' as const, 'day' as const),
  period: fc.constantFrom(null, null, 1n, 7n, 90n),
  issued: fc.constantFrom(0, 5, 100),
  keepsOverage: fc.boolean(),
  isPrompt: fc.boolean(),
});

let lives = 0;

class Life {
  readonly #kind: Kind;
  readonly #subscription: Resource;
  readonly #eventType: string;
  readonly #clock: Resource;
  readonly id: string;
  now = BEGIN;
  readonly #levels: HeldLevel[] = [];
  readonly #grants: HeldGrant[] = [];
  readonly #manual: Time[] = [];
  /** The instants at which notices were told, by their kind. */
  readonly notices: { kind: string; at: Time }[] = [];

  constructor(of: Kind, subscription: Resource, clock: Resource, id: string, eventType: string) {
    [this.#kind, this.#subscription, this.#clock, this.id, this.#eventType] = [of, subscription, clock, id, eventType];
  }

  static async begin(of: Kind): Promise<Life> {
    lives += 1;
    const eventType = `stored-${lives}`;
    const metric = await shop.metric({
      ...{ aggregation: 'TIME_WEIGHTED', timeUnit: of.timeUnit, eventType, groupBy: { volume: '$.volume' } },
    });
    const { productId } = metric;
    const feature = await shop.create('/v0/features', { key: eventType, name: 'Storage', productId, type: 'metered' });
    const clock = await shop.clock(START);
    const template = {
      ...(of.period !== null && { usagePeriod: { interval: `P${of.period}D`, anchor: 'start' } }),
      ...(of.issued > 0 && { issueAfterReset: of.issued }),
      preserveOverageAtReset: of.keepsOverage,
    };
    const price = await shop.usagePrice({
      billableMetricId: metric.id,
      feature: { featureId: feature.id, entitlementTemplate: { type: 'metered', ...template } },
    });
    const subscription = await shop.subscribe(await shop.plan([price]), { clock });
    const [{ entitlementId: id }] = (await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`)).data;
    return new Life(of, subscription, clock, id, eventType);
  }

  get #unit(): bigint {
    return this.#kind.timeUnit === 'hour' ? 3600n * SECOND : DAY;
  }

  #amount(units: number): bigint {
    return BigInt(units) * 1000n * this.#unit;
  }

  balance(until: Time): HeldBalance {
    const { period, issued, keepsOverage } = this.#kind;
    const resets = [...this.#manual];
    // A reset by hand counts periods anew.
    const anchors = [BEGIN, ...this.#manual];
    for (const [place, anchor] of anchors.entries())
      for (let at = anchor + (period ?? 0n) * DAY; period && at <= until; at += period * DAY)
        if (place === anchors.length - 1 || at < (anchors[place + 1] as Time)) resets.push(at);
    return {
      ...{ start: BEGIN, end: null, resets: resets.toSorted((a, b) => (a < b ? -1 : 1)), issued: this.#amount(issued) },
      ...{ keepsOverage, grants: this.#grants, levels: this.#levels },
    };
  }

  async does(what: Act): Promise<void> {
    if (what.does === 'store') await this.#store(what);
    if (what.does === 'grant') await this.#grant(what);
    if (what.does === 'reset' && this.now > (this.#manual.at(-1) ?? BEGIN)) {
      const { currentPeriodStart: start, lastResetAt } = await shop.read(`/v1/entitlements/${this.id}`);
      if ([start, lastResetAt].some((at) => at !== null && timeOf(at) === this.now)) return; // another one is here
      await shop.act(`/v1/entitlements/${this.id}/reset`, {});
      this.#manual.push(this.now);
    }
    if (what.does === 'wait') {
      this.now += BigInt(what.seconds) * SECOND;
      await shop.advance(this.#clock, textOf(this.now));
      await this.#readNotices();
    }
    await this.compare(null);
    if (what.does === 'ask')
      for (const seconds of what.seconds) await this.compare(this.now + BigInt(seconds) * SECOND);
  }

  async #store({ seconds, thousandths, group }: Act & { does: 'store' }): Promise<void> {
    const { isPrompt } = this.#kind;
    const at = this.now + BigInt(isPrompt ? Math.max(0, seconds) : seconds) * SECOND;
    const level = { at, group: `v${group}`, thousandths: BigInt(thousandths), order: this.#levels.length };
    this.#levels.push(level);
    const subject = group === 2 ? this.#subscription.customerId : this.#subscription.id;
    const units = `${Math.floor(thousandths / 1000)}.${String(thousandths % 1000).padStart(3, '0')}`;
    await shop.use(subject, textOf(at), units, { type: this.#eventType, data: { units, volume: level.group } });
  }

  async #grant({ amount, seconds, lasts, priority, isKept }: Act & { does: 'grant' }): Promise<void> {
    const { isPrompt } = this.#kind;
    const from = this.now + BigInt(isPrompt ? Math.max(0, seconds) : seconds) * SECOND;
    const to = lasts === null ? null : from + BigInt(lasts) * SECOND;
    await shop.create(`/v1/entitlements/${this.id}/grants`, {
      ...{ amount, priority, effectiveAt: textOf(from), expiresAt: to === null ? null : textOf(to) },
      ...(!isKept && { resetMaxRollover: 2 }),
    });
    const rollover = isKept ? null : this.#amount(2);
    this.#grants.push({
      amount: this.#amount(amount),
      priority,
      from,
      to,
      rollover,
      created: this.now,
      order: this.#grants.length,
    });
  }

  #shown({ left, used, over }: HeldAnswer): string {
    return [left, used, over].map((each) => heldText(each, this.#unit)).join(' ');
  }

  async compare(at: Time | null): Promise<void> {
    if (at !== null && at < BEGIN) return;
    const asked = at ?? this.now;
    const { status, text } = await merchant.get(`/v1/entitlements/${this.id}${at === null ? '' : `?at=${textOf(at)}`}`);
    expect(status).toBe(200);
    const figure = (name: string) => new RegExp(`"${name}":(-?[0-9.]+)`).exec(text)?.[1];
    const expected = this.#shown(heldAt(this.balance(asked), asked));
    expect(['balance', 'usageInPeriod', 'overage'].map(figure).join(' '), `${textOf(asked)} ${at}`).toBe(expected);
  }

  async #readNotices(): Promise<void> {
    const rows = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.rows<{ type: string; at: Temporal.Instant }>(sql`
        select type, created_at as at from outbox
         where data ->> 'entitlementId' = ${this.id}
           and type in ('entitlement.balance_low.v0', 'entitlement.exhausted.v0') order by seq`),
    );
    this.notices.length = 0;
    for (const { type, at } of rows)
      this.notices.push({ kind: type.includes('low') ? 'low' : 'exhausted', at: at.epochNanoseconds / 1000n });
  }

  #isTrue(noticeKind: string, at: Time): boolean {
    const { left, used } = heldAt(this.balance(at), at);
    if (used <= 0n) return false;
    return noticeKind === 'low' ? used * 100n >= (left + used) * 80n : left === 0n;
  }

  /** Each notice became true at its instant, unless the balance changed there otherwise; none is missing. */
  expectNotices(): number {
    const { isPrompt } = this.#kind;
    if (!isPrompt) return 0;
    let byTime = 0;
    for (const { kind: noticeKind, at } of this.notices) {
      expect(this.#isTrue(noticeKind, at) || this.#isTrue(noticeKind, at - 1n), `${noticeKind} ${textOf(at)}`).toBe(
        true,
      );
      if (this.#isTrue(noticeKind, at) && !this.#isTrue(noticeKind, at - 1n)) byTime += 1;
    }
    const starts = [BEGIN, ...this.balance(this.now).resets.filter((at) => at < this.now)];
    for (const [place, start] of starts.entries()) {
      const end = starts[place + 1] ?? this.now;
      for (const noticeKind of ['low', 'exhausted'])
        if (this.#isTrue(noticeKind, end - 1n))
          expect(
            this.notices.filter((each) => each.kind === noticeKind && each.at >= start && each.at <= end),
            `${noticeKind} from ${textOf(start)} to ${textOf(end)}`,
          ).not.toHaveLength(0);
    }
    return byTime;
  }
}

it('are what the oracle says, whatever happens, and tell when they get low and end', async () => {
  let [byTime, kept] = [0, 0];
  await fc.assert(
    fc.asyncProperty(kind, fc.array(act, { minLength: 14, maxLength: 22 }), async (of, acts) => {
      const life = await Life.begin(of);
      for (const each of acts) await life.does(each);
      byTime += life.expectNotices();
      const counted = await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
        tx.one<{ kept: number }>(sql`
          select count(*)::int as kept from entitlement_snapshot
           where entitlement_id = ${life.id} and state ? 'integrals'`),
      );
      kept += counted.kept;
    }),
    { ...cases(4, 60), endOnFailure: true },
  );
  expect(byTime).toBeGreaterThan(0);
  expect(kept).toBeGreaterThan(0);
}, 600_000);
