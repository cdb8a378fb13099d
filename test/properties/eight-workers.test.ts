import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { audit } from '../../src/auditor/index.ts';
import { clockBook } from '../../src/clocks/index.ts';
import { createRunner } from '../../src/jobs/index.ts';
import { wireDomains } from '../../src/wiring.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Fate, Life, MortalDatabase } from '../support/mortal-database.ts';
import { SEED } from '../support/seed.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';
import { openTables, type Tables } from '../support/tables.ts';

/**
 * Eight workers on the background jobs of 40 subscriptions in all states. Each worker is killed again and again at
 * random statements and commits. They leave the same records as one worker without a kill (I-18, I-29, I-43).
 */
let env: TestEnvironment;
let tables: Tables;
let domains: ReturnType<typeof wireDomains>;
beforeAll(async () => {
  env = await openTestEnvironment();
  tables = await openTables(env.url);
  domains = wireDomains('sandbox', 'http://localhost:4401');
});
afterAll(async () => {
  await domains.close();
  await tables.close();
  await env.close();
});

const START = '2026-01-01T00:00:00Z';
const MIDDLE = '2026-01-15T00:00:00Z';
const END = '2026-02-09T00:00:00Z';
const WORKERS = 8;

/** Numbers that are drawn from a seed, in [0, 1): the same each time (mulberry32). */
function lots(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The settings of a new subscription, and its events before the background jobs run. */
interface Sort {
  readonly name: string;
  readonly plan: 'arrears' | 'grace' | 'advance' | 'draft' | 'usage';
  readonly fields?: object;
  readonly card?: string;
  readonly next?: (made: Resource, shop: Shop, plans: Record<Sort['plan'], Resource>) => Promise<unknown>;
}

const pay = (shop: Shop, session: string) =>
  shop.act(`/v0/paymentSessions/${session}/complete`, { paymentMethod: 'pm_ok' });
const sessionIn = (url: string): string => url.split('/').at(-1) as string;

const SORTS: readonly Sort[] = [
  { name: 'by session', plan: 'arrears' },
  { name: 'by transfer', plan: 'arrears', fields: { bankTransferOnly: true } },
  { name: 'charged', plan: 'arrears', fields: { autoCharge: true }, card: 'pm_ok' },
  { name: 'declined', plan: 'arrears', fields: { autoCharge: true }, card: 'pm_then_declined' },
  { name: 'in its grace', plan: 'grace' },
  { name: 'to be approved', plan: 'draft' },
  { name: 'never paid', plan: 'advance' },
  {
    name: 'paid in advance',
    plan: 'advance',
    next: (made, shop) => pay(shop, made.payment.paymentSessionId),
  },
  {
    name: 'to change',
    plan: 'advance',
    fields: { bankTransferOnly: true },
    next: (made, shop, { arrears }) =>
      shop.create(`/v0/subscriptions/${made.id}/changes`, { planId: arrears.id, effective: 'periodEnd' }),
  },
  {
    name: 'with grants and money',
    plan: 'usage',
    fields: { endingAt: '2026-02-05T00:00:00Z' },
    next: async (made, shop) => {
      await shop.use(made.id, MIDDLE, 30);
      const [entitlement] = (await shop.read(`/v1/entitlements?subscriptionId=${made.id}`)).data;
      const buy = { amount: 50, price: '20.00', idempotencyKey: 'grant' };
      const bought = await shop.create(`/v1/entitlements/${entitlement.entitlementId}/grants/purchase`, buy);
      // Enough for both of its invoices, in either order.
      const fill = { amount: '60.00', currency: 'USD', idempotencyKey: made.id };
      const filled = await shop.create(`/v0/customers/${made.customerId}/wallet/topUps`, fill);
      for (const { paymentSessions } of [bought, filled]) await pay(shop, sessionIn(paymentSessions[0].url));
    },
  },
];
const OF_EACH = 4;

/** Forty subscriptions in January, with their due jobs still to do. */
async function sell(merchant: Merchant): Promise<void> {
  env.setNow(START);
  const shop = shopOf(merchant);
  const metric = await shop.metric();
  const { productId } = metric;
  const feature = await shop.create('/v0/features', { key: 'calls', name: 'Calls', productId, type: 'metered' });
  const entitlementTemplate = { type: 'metered', usagePeriod: { interval: 'P1W' }, issueAfterReset: 10 };
  const usage = await shop.usagePrice({
    billableMetricId: metric.id,
    feature: { featureId: feature.id, entitlementTemplate },
  });
  const inAdvance = await shop.feePrice({ paymentTerm: 'in_advance', properties: { unitPrice: '30' } });
  const fee = await shop.feePrice();
  const terms = { defaultTaxRate: 20, gracePeriod: 'P0D' };
  const plans: Record<Sort['plan'], Resource> = {
    arrears: await shop.plan([fee], terms),
    grace: await shop.plan([fee], { ...terms, gracePeriod: 'P10D' }),
    advance: await shop.plan([inAdvance], terms),
    draft: await shop.plan([fee], { ...terms, autoApprove: false }),
    usage: await shop.plan([fee, usage], terms),
  };
  for (const { name, plan, fields, card, next } of SORTS)
    for (let each = 0; each < OF_EACH; each += 1) {
      const customer = await shop.customer();
      if (card !== undefined) {
        const setup = await shop.create(`/v0/customers/${customer.id}/paymentMethods`);
        await shop.act(`/v0/paymentSessions/${setup.id}/complete`, { paymentMethod: card });
      }
      const told = { customer, name: `${name} ${each}`, startedAt: START, ...fields };
      const made = await shop.subscribe(plans[plan], told);
      await next?.(made, shop, plans);
    }
}

/** A fate that strikes after so many statements and commits, about. */
const sometime = (draw: () => number, within: number): Fate => {
  let left = Math.floor(draw() * within);
  return () => {
    left -= 1;
    return left < 0;
  };
};

/**
 * A worker that is killed so often, each time followed by another one; the last one lives. @returns the number of kills
 */
async function work(seed: number, kills: number): Promise<number> {
  const draw = lots(seed);
  let killed = 0;
  for (;;) {
    const life = new Life(killed < kills ? sometime(draw, 120) : undefined);
    const database = new MortalDatabase({ url: env.url, connections: 2 }, life);
    const runner = createRunner({
      database,
      kinds: domains.dueKinds,
      clocks: clockBook,
      now: () => Temporal.Instant.from(END),
      logger: pino({ level: 'silent' }),
    });
    const [ended] = await Promise.allSettled([runner.runOnce()]);
    await runner.stop();
    await database.close();
    if (!life.isOver) {
      if (ended.status === 'rejected') throw ended.reason;
      return killed;
    }
    killed += 1;
  }
}

/** The result of each subscription, without the order of its jobs. */
const outcomes = async ({ id }: Merchant): Promise<string[]> => {
  const rows = await tables.query<{ line: string }>(
    `select concat_ws(' | ', s.name, s.status, i.kind, i.status, i.period_start, i.period_end, i.grand_total, i.paid_amount,
                      i.failed_attempts, i.next_action_at) as line
       from subscription s left join invoice i on (i.merchant_id, i.subscription_id) = (s.merchant_id, s.id)
      where s.merchant_id = $1
      union all
     select concat_ws(' | ', s.name, 'grant', g.origin, g.amount, g.effective_at)
       from entitlement_grant g
       join entitlement e on (e.merchant_id, e.id) = (g.merchant_id, g.entitlement_id)
       join subscription s on (s.merchant_id, s.id) = (e.merchant_id, e.subscription_id)
      where g.merchant_id = $1 order by 1`,
    [id],
  );
  return rows.map(({ line }) => line);
};

const count = async (merchant: Merchant, query: string): Promise<number> =>
  (await tables.query<{ count: number }>(`select count(*)::int as count from (${query}) found`, [merchant.id]))[0]
    ?.count ?? Number.NaN;

let expected: string[];
let killed: Merchant;
let kills = 0;
beforeAll(async () => {
  const alone = await env.merchant();
  await sell(alone);
  await work(0, 0);
  expected = await outcomes(alone);
  killed = await env.merchant();
  await sell(killed);
  const each = await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(SEED + worker, 12)));
  kills = each.reduce((sum, one) => sum + one, 0);
  await work(0, 0); // locks that a backend still held at the last worker's look
});

it('were killed, and came to what one worker comes to', () => {
  expect(kills).toBeGreaterThan(40);
  expect(new Set(expected.map((line) => line.split(' | ')[0]))).toHaveProperty('size', SORTS.length * OF_EACH);
});

it('leave each subscription as one worker does', async () => {
  expect(await outcomes(killed)).toEqual(expected);
});

it.each([
  {
    what: 'a period with two invoices',
    query: `select from invoice where merchant_id = $1 and subscription_id is not null and kind = 'subscription'
             group by subscription_id, billing_cadence, period_start having count(*) > 1`,
  },
  {
    what: 'a gap in the numbers, or one twice',
    query: `select from (select invoice_number, row_number() over (order by invoice_number) as nth
               from invoice where merchant_id = $1 and invoice_number is not null) n
             where substring(invoice_number from '([0-9]+)$')::bigint <> nth`,
  },
  {
    what: 'a charge that the provider does not know just once',
    query: `select from payment_charge c where merchant_id = $1 and (status = 'intended' or 1 <> (
               select count(*) from sandbox_provider_record r
                where r.merchant_id = c.merchant_id and r.key = c.id and r.amount = c.amount
                  and (r.decline_reason is null) = (c.status = 'accepted')))`,
  },
  {
    what: 'money at the provider without its receipt',
    query: `select from sandbox_provider_record r where merchant_id = $1 and kind = 'charge' and decline_reason is null
               and 1 <> (select count(*) from payment_receipt p
                          where p.merchant_id = r.merchant_id and p.provider_reference = r.reference and p.amount = r.amount)`,
  },
  {
    what: 'an invoice whose receipts are more than it asks',
    query: `select from invoice i where merchant_id = $1 and grand_total < (
               select coalesce(sum(amount), 0) from payment_receipt p where (p.merchant_id, p.invoice_id) = (i.merchant_id, i.id))`,
  },
  {
    what: 'a purchase without its one grant',
    query: `select from grant_purchase p where merchant_id = $1 and 1 <> (
               select count(*) from entitlement_grant g where (g.merchant_id, g.invoice_id) = (p.merchant_id, p.invoice_id))`,
  },
  {
    what: 'a grant issued twice for one reset',
    query: `select from entitlement_grant where merchant_id = $1 and origin = 'template'
             group by entitlement_id, effective_at having count(*) > 1`,
  },
  { what: 'a failed step', query: 'select from due_failure where merchant_id = $1' },
])('leave nowhere $what', async ({ query }) => {
  expect(await count(killed, query)).toBe(0);
});

it('there was something to find: charges of each kind, purchases, issued grants', async () => {
  for (const query of [
    `select from payment_charge where merchant_id = $1 and status = 'accepted'`,
    `select from payment_charge where merchant_id = $1 and status = 'declined'`,
    'select from grant_purchase where merchant_id = $1',
    `select from entitlement_grant where merchant_id = $1 and origin = 'template'`,
    `select from invoice where merchant_id = $1 and kind = 'upfront'`,
  ])
    expect(await count(killed, query), query).toBeGreaterThanOrEqual(OF_EACH);
});

it('the auditor is silent', async () => {
  expect(await audit(env.database)).toEqual([]);
});
