import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cases } from '../support/cases.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * Lives of several subscriptions of a customer with a price for one metric. They end in the past, are paid late, begin
 * in the past, and their plans drop the metric and take it again. In the end each has billed the usage of its time as
 * the oldest active one with the metric (domain.md §3, "Whose usage").
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
});
afterAll(() => env.close());

const RUNS = cases(1, 4);
const DAY_MS = 86_400_000;
const day = (n: number) => new Date(Date.parse(START) + n * DAY_MS).toISOString();

/** Days are counted from the start of the life. */
interface Held {
  readonly subscription: Resource;
  readonly from: number;
  until: number | null;
  isPaid: boolean;
  /** With the metric, and without it. */
  readonly plans: readonly [Resource, Resource];
  /** When its plan changed to the other one of the two. */
  readonly changes: number[];
}

const isPricing = ({ isPaid, from, until, changes }: Held, at: number): boolean =>
  isPaid && from <= at && (until === null || at < until) && changes.filter((each) => each <= at).length % 2 === 0;

const one = <What extends string>(what: What) => fc.constant(what);
const ago = fc.nat({ max: 40 });
const which = fc.nat({ max: 3 });
/** Less than 35 days: no invoice bills usage that comes later than that after an end. */
const sent = fc.nat({ max: 30 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: one('advance'), days: fc.integer({ min: 1, max: 20 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: one('use'), ago: fc.oneof(which, sent), units: fc.integer({ min: 1, max: 50 }) }),
  },
  { weight: 2, arbitrary: fc.record({ what: one('end'), which: fc.nat({ max: 1 }), ago }) },
  { weight: 2, arbitrary: fc.record({ what: one('pay') }) },
  { weight: 1, arbitrary: fc.record({ what: one('change'), which }) },
  { weight: 1, arbitrary: fc.record({ what: one('begin'), cadence: fc.constantFrom('P1W', 'P1M'), ago: which }) },
);
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;
const life = fc.record({
  first: fc.constantFrom('P1W', 'P1M', 'P3M'),
  second: fc.constantFrom('P1W', 'P1M'),
  isFirstAwaited: fc.boolean(),
  steps: fc.array(step, { minLength: 12, maxLength: 20 }),
});

/** The total of a subscription's invoices less credit notes, in cents. */
async function billed(shop: Shop, { subscription }: Held): Promise<number> {
  const cents = (amount: string) => Math.round(Number(amount) * 100);
  let total = 0;
  for (const { id, status, grandTotal } of await shop.invoices(subscription)) {
    if (status === 'ACTIVE' || status === 'CANCELLED') continue;
    const { data } = await shop.read(`/v2/invoices/${id}/creditNotes`);
    total += cents(grandTotal);
    for (const note of data) if (note.status === 'ISSUED') total -= cents(note.total);
  }
  return total;
}

/** A customer's life, step by step. */
async function openLife(shop: Shop) {
  const metrics = [await shop.metric(), await shop.metric({ eventType: 'other' })];
  const clock = await shop.clock(START);
  const customer = await shop.customer();
  const fee = await shop.feePrice({
    ...{ paymentTerm: 'in_advance', billingCadence: 'P0D', properties: { unitPrice: '1' } },
  });
  const held: Held[] = [];
  const events: { at: number; units: number }[] = [];
  let today = 0;

  const planOf = async (metric: Resource, cadence: string, fees: readonly Resource[]) =>
    shop.plan([await shop.usagePrice({ billableMetricId: metric.id, billingCadence: cadence }), ...fees], {
      billingCadence: cadence,
    });
  const begin = async (cadence: string, from: number, isAwaited = false) => {
    const fees = isAwaited ? [fee] : [];
    const plans = [await planOf(metrics[0], cadence, fees), await planOf(metrics[1], cadence, fees)] as const;
    const terms = { clock, customer, startedAt: day(from), ...(isAwaited && { sessionExpiryMinutes: 60 * 24 * 30 }) };
    const subscription = await shop.subscribe(plans[0], terms);
    held.push({ subscription, from, until: null, isPaid: !isAwaited, plans, changes: [] });
  };
  const end = async (ended: Held, at: number) => {
    await shop.change(`/v0/subscriptions/${ended.subscription.id}`, { terminatedAt: day(at) });
    ended.until = at;
  };
  const advance = async (days: number) => {
    today += days;
    await shop.advance(clock, day(today));
  };
  const isLiving = (each: Held | undefined): each is Held => each?.isPaid === true && each.until === null;

  const take = async (next: Step) => {
    if (next.what === 'advance') return advance(next.days);
    if (next.what === 'begin') return today > next.ago ? begin(next.cadence, today - next.ago) : undefined;
    if (next.what === 'use') {
      const at = Math.max(0, today - next.ago) + 0.25;
      events.push({ at, units: next.units });
      return shop.use(customer.id, day(at), next.units);
    }
    if (next.what === 'pay') {
      const [waiting] = held;
      if (!waiting || waiting.isPaid || today >= 30) return; // its session is over
      await shop.pay((await shop.invoices(waiting.subscription))[0]);
      waiting.isPaid = true;
      return;
    }
    const chosen = next.which === 2 ? undefined : held[next.which]; // the third one does not change
    if (!isLiving(chosen)) return;
    if (next.what === 'change') {
      chosen.changes.push(today);
      const { id: planId } = chosen.plans[chosen.changes.length % 2] as Resource;
      return shop.create(`/v0/subscriptions/${chosen.subscription.id}/changes`, { planId });
    }
    const at = Math.max(chosen.from, today - next.ago) + 0.5;
    if (at <= today) await end(chosen, at);
  };
  return {
    begin,
    take,
    /** All end, and late usage is settled. */
    async finish() {
      await advance(40);
      for (const each of held.filter(isLiving)) await end(each, today);
      await advance(60);
    },
    held,
    usageOf: (owner: Held): number =>
      events
        .filter(({ at }) => held.find((each) => isPricing(each, at)) === owner)
        .reduce((total, { units }) => total + units, 0),
  };
}

it('each has billed what was used while it was the oldest one that priced it', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(life, async ({ first, second, isFirstAwaited, steps }) => {
      const shop = shopOf(await env.merchant());
      const { begin, take, finish, held, usageOf } = await openLife(shop);
      await begin(first, 0, isFirstAwaited);
      await begin(second, 0);
      await begin('P1M', 0);
      for (const each of steps) await take(each);
      await finish();
      const paid = held.filter(({ isPaid }) => isPaid);
      const got = [];
      for (const each of paid) got.push(await billed(shop, each));
      const isAwaited = (each: Held) => each === held[0] && isFirstAwaited;
      expect(got).toEqual(paid.map((each) => (usageOf(each) + (isAwaited(each) ? 1 : 0)) * 100));
    }),
    RUNS,
  );
});
