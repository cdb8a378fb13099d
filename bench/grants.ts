import pg from 'pg';
import { Database, type Tx } from '../src/db/index.ts';
import { entitlementDueKind } from '../src/entitlements/changes/steps.ts';
import type { EntitlementRow } from '../src/entitlements/entitlement/entitlement.ts';
import { selectEntitlement } from '../src/entitlements/entitlement/entitlements.sql.ts';
import { historyOf } from '../src/entitlements/reading/history.ts';
import { toEntitlementReply } from '../src/entitlements/reading/present.ts';
import type { Instant } from '../src/kernel/time.ts';
import { eventPartitionChore } from '../src/metering/index.ts';
import { createIntake } from '../src/metering/intake/intake.ts';
import { exponent, median, numbersOf, verdict } from './support/arguments.ts';
import { daysBefore, numbered } from './support/flat.ts';
import { processorSeconds, type Target, withStack } from './support/stack.ts';

/** What a balance costs with many grants, a history with many windows, and an entitlement that is never reset. */

const [only] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const { rounds } = numbersOf({ rounds: 7 });
const isAsked = (name: 'balance' | 'history' | 'unreset'): boolean => only === undefined || only === name;

const NOW = Temporal.Instant.from('2026-03-21T12:00:00Z');
const DAYS = { month: 31, year: 365, period: 20 };
const NONE = 'infinity';
const BATCH = 1_000;
const LIMITS = { balance: 20, hold: 50, growth: 1.1, window: 0.3, flat: 1.3 };

/** An entitlement of the benchmark. */
interface Given {
  readonly days: number;
  readonly usagePeriod?: { readonly interval: string };
  readonly grants: number;
  readonly events: number;
  /** The grants as SQL over their number `n`: the interval between two, the expiry, the priority. */
  readonly every: string;
  readonly expires: string;
  readonly priority: string;
}

interface Taken {
  readonly node: number;
  readonly postgres: number;
  /** The most processor time of one turn of the event loop, in milliseconds. */
  readonly hold: number;
}

await withStack(async (stack) => {
  const url = await stack.database();
  const sold = await stack.serving(url, makeFeature);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const database = new Database({ url, statementTimeout: 600_000 });
  const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [sold.merchantId] }, work);
  const intake = createIntake(database);
  let made = 0;
  for (let days = 0; days < 3 * DAYS.year + 62; days += 28)
    await eventPartitionChore.run(database, daysBefore(NOW, days));

  async function make(given: Given): Promise<EntitlementRow> {
    made += 1;
    const number = made;
    const start = daysBefore(NOW, given.days);
    await seed(pool, sold, number, given, start);
    const seconds = given.days * 24 * 3_600;
    for (let first = 0; first < given.events; first += BATCH)
      await intake.accept(
        Array.from({ length: Math.min(BATCH, given.events - first) }, (_, index) => ({
          merchantId: sold.merchantId,
          type: 'call',
          source: 'https://api.example.com/v1',
          subject: numbered('cus_', number),
          externalSubject: null,
          externalId: null,
          at: start.add({ seconds: Math.floor(((first + index) / given.events) * seconds) }).toString(),
          isTimeSent: true,
          idempotencyKey: `request-${number}-${first + index}`,
          data: '{"tokens": 1}',
        })),
        NOW,
      );
    return (await inMerchant((tx) => selectEntitlement(tx, numbered('ent_', number)))) as EntitlementRow;
  }

  /** Everything that was due since the start, each step at its time: what it keeps is there when somebody asks. */
  async function live({ merchantId, id, activeFrom: start }: EntitlementRow): Promise<void> {
    const { step } = entitlementDueKind();
    for (let at: Instant | null = start; at !== null && Temporal.Instant.compare(at, NOW) <= 0; ) {
      const now: Instant = at;
      at = await inMerchant(async (tx) => {
        await step(tx, { merchantId, id }, now);
        return (await selectEntitlement(tx, id))?.nextActionAt ?? null;
      });
    }
  }

  async function measure(work: (tx: Tx) => Promise<unknown>): Promise<Taken> {
    for (let time = 0; time < 3; time += 1) await inMerchant(work); // plans are made, and code is compiled
    const taken: Taken[] = [];
    for (let round = 0; round < rounds; round += 1) taken.push(await once(() => inMerchant(work), stack.postgresId));
    return {
      node: median(taken.map(({ node }) => node)),
      postgres: taken.reduce((total, { postgres }) => total + postgres, 0) / rounds,
      hold: Math.max(...taken.map(({ hold }) => hold)),
    };
  }
  const balance = (entitlement: EntitlementRow) =>
    measure((tx) => toEntitlementReply(tx, entitlement, { at: null }, NOW));

  try {
    const monthly = { days: DAYS.period, usagePeriod: { interval: 'P1M' }, events: 4_000 };
    const various = { every: "'1 minute'", priority: 'n % 5', expires: NONE };
    const expiring = "case n % 5 when 0 then effective_at + interval '3 hours' end";
    const points: [number, number][] = [];
    for (const grants of isAsked('balance') ? [50, 500, 2_000, 10_000] : []) {
      const taken = await balance(await make({ ...monthly, ...various, expires: expiring, grants }));
      points.push([grants, taken.node]);
      const isKept = grants !== 2_000 || taken.node < LIMITS.balance;
      console.log(
        `  ${`balance of ${grants} grants`.padEnd(44)} Node ${taken.node.toFixed(1)} ms   PostgreSQL ${taken.postgres.toFixed(1)} ms${grants === 2_000 ? `   wanted < ${LIMITS.balance} ms of Node   ${verdict(isKept)}` : ''}`,
      );
      console.log(
        `  ${''.padEnd(44)} longest hold ${taken.hold.toFixed(1)} ms   wanted < ${LIMITS.hold}   ${verdict(taken.hold < LIMITS.hold)}`,
      );
    }
    const growth = exponent(points);
    if (points.length > 0)
      console.log(
        `  ${'growth with grants'.padEnd(44)} N^${growth.toFixed(2)}   wanted ≤ ${LIMITS.growth}   ${verdict(growth <= LIMITS.growth)}`,
      );

    for (const grants of isAsked('history') ? [1, 500] : []) {
      const entitlement = await make({ ...monthly, ...various, grants });
      const windows = 390;
      const from = NOW.subtract({ hours: windows });
      const taken = await measure((tx) => historyOf(tx, entitlement, { from, to: NOW, windowSize: 'HOUR' }, NOW));
      const each = taken.node / windows;
      const wanted = grants === 1 ? `   wanted ≤ ${LIMITS.window}   ${verdict(each <= LIMITS.window)}` : '';
      console.log(
        `  ${`history of ${windows} windows, ${grants} grants`.padEnd(44)} Node ${each.toFixed(2)} ms a window   PostgreSQL ${taken.postgres.toFixed(1)} ms   longest hold ${taken.hold.toFixed(1)} ms${wanted}`,
      );
    }

    for (const [what, expires] of [
      ['that expire after 30 days', "effective_at + interval '30 days'"],
      ['that are used up', 'null'],
    ] as const) {
      const sums: number[] = [];
      for (const days of isAsked('unreset') ? [DAYS.month, DAYS.year, 3 * DAYS.year] : []) {
        const daily = { every: "'1 day'", expires, priority: '0', grants: days };
        const entitlement = await make({ days, events: days * 4, ...daily });
        await live(entitlement);
        const taken = await balance(entitlement);
        sums.push(taken.node + taken.postgres);
        const ratio = (sums.at(-1) as number) / (sums[0] as number);
        console.log(
          `  ${`no period, ${days} daily grants ${what}`.padEnd(52)} Node ${taken.node.toFixed(1)} + PostgreSQL ${taken.postgres.toFixed(1)} ms, ${ratio.toFixed(2)} of the first   wanted ≤ ${LIMITS.flat}   ${verdict(ratio <= LIMITS.flat)}`,
        );
      }
    }
  } finally {
    await pool.end();
    await database.close();
  }
});

/** Asks twice: once beside a clock that ticks. */
async function once(ask: () => Promise<unknown>, postgresId: number): Promise<Taken> {
  const backends = processorSeconds(postgresId);
  const before = process.cpuUsage();
  await ask();
  const { user, system } = process.cpuUsage(before);
  const postgres = (processorSeconds(postgresId) - backends) * 1_000;
  return { node: (user + system) / 1_000, postgres, hold: await longestHold(ask) };
}

/** The most processor time of one turn of the event loop, in milliseconds. */
async function longestHold(ask: () => Promise<unknown>): Promise<number> {
  let hold = 0;
  let turn = process.threadCpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(turn);
    hold = Math.max(hold, (user + system) / 1_000);
    turn = process.threadCpuUsage();
  }, 1);
  await ask();
  clearInterval(timer);
  return hold;
}

/** A feature that measures the tokens of calls, through the API. */
async function makeFeature({ port, key, merchantId }: Target) {
  const post = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { id: string }).id;
  };
  const named = { name: 'Calls', description: 'Calls' };
  const productId = await post('/v0/products', named);
  const measured = { aggregation: 'SUM', eventType: 'call', valueProperty: '$.tokens', unit: 'token' };
  const metricId = await post('/v0/billableMetrics', { ...named, ...measured, productId });
  const featureId = await post('/v0/features', { key: 'tokens', name: 'Tokens', productId, type: 'metered' });
  return { merchantId, productId, metricId, featureId };
}

/** A customer, its entitlement and the grants of it: each of 1, the first of a million. */
async function seed(
  pool: pg.Pool,
  sold: Awaited<ReturnType<typeof makeFeature>>,
  number: number,
  given: Given,
  start: Instant,
): Promise<void> {
  const { merchantId, productId, featureId, metricId } = sold;
  const [organization, customer, entitlement] = ['org_', 'cus_', 'ent_'].map((prefix) => numbered(prefix, number));
  const template = {
    type: 'metered',
    ...(given.usagePeriod && { usagePeriod: given.usagePeriod }),
    billableMetricIds: [metricId],
  };
  const statements: [string, unknown[]][] = [
    [
      `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
       values ($1, $2, 'consumer', 'Customer', 'USD', now(), now())`,
      [merchantId, organization],
    ],
    [
      'insert into customer (merchant_id, id, consumer_id, created_at, updated_at) values ($1, $2, $3, now(), now())',
      [merchantId, customer, organization],
    ],
    [
      `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan, active_from,
                                billable_metric_ids, created_at, updated_at)
       values ($1, $2, $3, $4, 'metered', $5, false, $6, array[$7], $6, $6)`,
      [merchantId, entitlement, customer, featureId, productId, start.toString(), metricId],
    ],
    [
      'insert into entitlement_term (merchant_id, entitlement_id, effective_from, template) values ($1, $2, $3, $4)',
      [merchantId, entitlement, start.toString(), JSON.stringify(template)],
    ],
    [
      `insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, expires_at,
                                      reset_max_rollover, reset_min_rollover, created_at)
       select $1, 'grt_' || lpad(($4 * 100000 + n)::text, 22, '0'), $2, 'direct', 3, ${given.priority}, effective_at,
              ${given.expires === NONE ? 'null' : given.expires}, 999999999999, 0, effective_at
         from (select n, $3::timestamptz + n * interval ${given.every} as effective_at
                 from generate_series(0, ${given.grants - 1}) n) g`,
      [merchantId, entitlement, start.toString(), number],
    ],
    ['analyze entitlement_grant', []],
  ];
  for (const [text, values] of statements) await pool.query(text, values);
}
