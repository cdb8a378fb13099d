import pg from 'pg';
import { Database, sql, type Tx } from '../../src/db/index.ts';
import { entitlementDueKind } from '../../src/entitlements/changes/steps.ts';
import type { EntitlementRow } from '../../src/entitlements/entitlement/entitlement.ts';
import { selectEntitlement } from '../../src/entitlements/entitlement/entitlements.sql.ts';
import { balanceOf } from '../../src/entitlements/reading/balances.ts';
import { plain } from '../../src/kernel/decimal.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { eventPartitionChore } from '../../src/metering/index.ts';
import { createIntake } from '../../src/metering/intake/intake.ts';
import { exponent, median } from './arguments.ts';
import { processorSeconds, type Stack } from './stack.ts';

/** Whether a balance takes the same however much was used before, and however many usage periods there were. */

/** What the balances are of. */
export interface Sold {
  readonly merchantId: string;
  readonly productId: string;
  readonly featureId: string;
  readonly metricId: string;
}

/** An entitlement with a past: events in periods that are over, each of a day, and a hundred today. */
interface Past {
  readonly events: number;
  readonly periods: number;
}

interface Asked extends Past {
  readonly entitlement: EntitlementRow;
  /** Of each question. */
  readonly milliseconds: number[];
  /** Of PostgreSQL, for one question; of each block. */
  readonly processor: number[];
}

const NOW = Temporal.Instant.from('2026-03-11T12:00:00Z');
const TODAY = Temporal.Instant.from('2026-03-11T00:00:00Z');
const EVENTS_TODAY = 100;
const PERIODS = [1, 12, 60];
const DAY = { hours: 24 };
const BATCH = 1_000;
const BLOCKS = 5;
const LIMIT = 0.1;

/** So many days of 24 hours before an instant. */
export const daysBefore = (at: Instant, days: number): Instant => at.subtract({ hours: 24 * days });
/** An id of 22 digits after its prefix. */
export const numbered = (prefix: string, n: number): string => prefix + String(n).padStart(22, '0');

/** Asks each of several entitlements in turn, so that whatever else the machine does is shared out among them. */
export async function flatness(
  stack: Stack,
  url: string,
  sold: Sold,
  { from, to, rounds }: { from: number; to: number; rounds: number },
): Promise<void> {
  const sizes = Array.from({ length: Math.round(Math.log10(to / from)) + 1 }, (_, power) => from * 10 ** power);
  const pasts: Past[] = [
    ...sizes.map((events) => ({ events, periods: 12 })),
    ...PERIODS.map((periods) => ({ events: from * 10, periods })),
  ];
  const database = new Database({ url, statementTimeout: 600_000 });
  const inMerchant = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [sold.merchantId] }, work);
  try {
    for (const days of [61, 31, 0]) await eventPartitionChore.run(database, daysBefore(NOW, days));
    const made: Asked[] = [];
    for (const [number, past] of pasts.entries()) {
      await make(url, sold, number, past);
      await use(database, sold, number, past);
      await keepSnapshots(inMerchant, sold, number, past);
      const entitlement = await inMerchant((tx) => selectEntitlement(tx, numbered('ent_', number)));
      made.push({ ...past, entitlement: entitlement as EntitlementRow, milliseconds: [], processor: [] });
    }
    await run(url, 'vacuum analyze', []);
    const ask = (one: Asked) => inMerchant((tx) => balanceOf(tx, one.entitlement, { at: null }, NOW));
    for (const one of made) for (let time = 0; time < 50; time += 1) hold(await ask(one)); // plans are made
    for (let block = 0; block < BLOCKS; block += 1)
      for (const one of made) await askOften(stack, one, rounds / BLOCKS, ask);
    print('events', made.slice(0, sizes.length));
    print('periods', made.slice(sizes.length));
  } finally {
    await database.close();
  }
}

/** Today's grant of 1,000 and the first one of 1,000,000,000, less what was used: of it nothing before today. */
function hold({ usageInPeriod, overage }: Awaited<ReturnType<typeof balanceOf>>): void {
  if (plain(usageInPeriod) !== String(EVENTS_TODAY) || !overage.isZero())
    throw new Error(`${plain(usageInPeriod)} used, ${plain(overage)} too much: that is not what was sent.`);
}

async function askOften(
  stack: Stack,
  one: Asked,
  times: number,
  ask: (one: Asked) => ReturnType<typeof balanceOf>,
): Promise<void> {
  const before = processorSeconds(stack.postgresId);
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    const balance = await ask(one);
    one.milliseconds.push(performance.now() - began);
    hold(balance);
  }
  one.processor.push(((processorSeconds(stack.postgresId) - before) / times) * 1_000);
}

function print(of: 'events' | 'periods', asked: readonly Asked[]): void {
  const points = asked.map((each) => ({
    size: each[of],
    wall: median(each.milliseconds),
    processor: each.processor.reduce((total, one) => total + one, 0) / each.processor.length,
  }));
  const [first] = points;
  for (const { size, wall, processor } of points)
    console.log(
      `  ${size.toLocaleString('en').padStart(10)} past ${of.padEnd(7)}   ${wall.toFixed(2)} ms, ${(wall / (first?.wall ?? 1)).toFixed(2)} of the first   PostgreSQL ${processor.toFixed(2)} ms, ${(processor / (first?.processor ?? 1)).toFixed(2)}`,
    );
  for (const figure of ['wall', 'processor'] as const) {
    const grows = exponent(points.map((each) => [each.size, each[figure]]));
    console.log(
      `  growth with ${of.padEnd(7)} ${figure.padEnd(9)} N^${grows.toFixed(2)}   wanted ≤ ${LIMIT.toFixed(2)}   ${grows <= LIMIT ? 'yes' : 'NO'}`,
    );
  }
}

async function run(url: string, text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text, [...values]);
  await client.end();
}

/** A customer and its entitlement, which began so many days ago. */
async function make(url: string, sold: Sold, number: number, { periods }: Past): Promise<void> {
  const { merchantId, productId, featureId, metricId } = sold;
  const [organization, customer, entitlement] = ['org_', 'cus_', 'ent_'].map((prefix) => numbered(prefix, number));
  const start = daysBefore(TODAY, periods).toString();
  const template = {
    type: 'metered',
    usagePeriod: { interval: 'P1D' },
    issueAfterReset: 1_000,
    billableMetricIds: [metricId],
  };
  await run(
    url,
    `insert into organization (merchant_id, id, type, name, default_currency, created_at, updated_at)
     values ($1, $2, 'consumer', 'Customer', 'USD', now(), now())`,
    [merchantId, organization],
  );
  await run(
    url,
    `insert into customer (merchant_id, id, consumer_id, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [merchantId, customer, organization],
  );
  await run(
    url,
    `insert into entitlement (merchant_id, id, customer_id, feature_id, feature_type, product_id, is_from_plan, active_from,
                              billable_metric_ids, created_at, updated_at)
     values ($1, $2, $3, $4, 'metered', $5, false, $6, array[$7], $6, $6)`,
    [merchantId, entitlement, customer, featureId, productId, start, metricId],
  );
  await run(
    url,
    `insert into entitlement_term (merchant_id, entitlement_id, effective_from, template) values ($1, $2, $3, $4)`,
    [merchantId, entitlement, start, JSON.stringify(template)],
  );
  await run(
    url,
    `insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, reset_max_rollover,
                                    reset_min_rollover, created_at)
     values ($1, $2, $3, 'direct', 1e9, 0, $4, 999999999999, 0, $4)`,
    [merchantId, numbered('grt_', number), entitlement, start],
  );
}

/** Its events, of one unit each, spread over the days that are over; and today's. */
async function use(database: Database, { merchantId }: Sold, number: number, past: Past): Promise<void> {
  const intake = createIntake(database);
  const start = daysBefore(TODAY, past.periods);
  const seconds = past.periods * 24 * 3_600;
  const total = past.events + EVENTS_TODAY;
  const atOf = (n: number): Instant =>
    n < past.events
      ? start.add({ seconds: Math.floor((n / past.events) * seconds) })
      : TODAY.add({ seconds: n - past.events });
  let next = 0;
  const sender = async () => {
    while (next < total) {
      const first = next;
      next = Math.min(total, first + BATCH);
      const events = Array.from({ length: next - first }, (_, index) => ({
        merchantId,
        type: 'call',
        source: 'https://api.example.com/v1',
        subject: numbered('cus_', number),
        externalSubject: null,
        externalId: null,
        at: atOf(first + index).toString(),
        isTimeSent: true,
        idempotencyKey: `request-${number}-${first + index}`,
        data: '{"tokens": 1}',
      }));
      await intake.accept(events, NOW);
    }
  };
  await Promise.all([sender(), sender()]);
}

/** As due work does it at the end of each day. */
async function keepSnapshots(
  inMerchant: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { merchantId }: Sold,
  number: number,
  { periods }: Past,
): Promise<void> {
  const id = numbered('ent_', number);
  const { step } = entitlementDueKind();
  for (let at = daysBefore(TODAY, periods - 1); Temporal.Instant.compare(at, TODAY) <= 0; at = at.add(DAY))
    for (const now of [at, at.add({ seconds: 20 })]) await inMerchant((tx) => step(tx, { merchantId, id }, now));
  const { kept } = await inMerchant((tx) =>
    tx.one<{ kept: bigint }>(sql`select count(*) as kept from entitlement_snapshot where entitlement_id = ${id}`),
  );
  if (Number(kept) !== periods) throw new Error(`${kept} snapshots are kept, not ${periods}.`);
}
