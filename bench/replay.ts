import { Database, sql } from '../src/db/index.ts';
import { median, numbersOf } from './support/arguments.ts';
import type { LoadOrder } from './support/load.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/** How fast events are taken in that are known already, all of them or every second one. See README.md. */

const { seconds, pairs, connections, batch, subjects } = numbersOf({
  seconds: 6,
  pairs: 3,
  connections: 4,
  batch: 1_000,
  subjects: 1_000,
});

const WARM_SECONDS = 3;

interface Pass {
  readonly requests: number;
  readonly eventsPerSecond: number;
  /** Processor time of PostgreSQL and of the server, µs an event. */
  readonly cost: number;
}

await withStack(async (stack) => {
  const url = await stack.database();
  const database = new Database({ url });
  await stack.serving(url, async (target) => {
    const stored = () =>
      database.transaction({ merchants: [target.merchantId] }, (tx) =>
        tx.one<{ events: number; keys: number; counted: number }>(sql`
          select (select count(*)::int from event) as events, (select count(*)::int from event_key) as keys,
                 (select coalesce(sum(event_count), 0)::int from usage_rollup) as counted`),
      );
    await pass(stack, target, 'warm', { seconds: WARM_SECONDS, firstKey: 1e12 });
    const [all, half, allCost]: [number[], number[], number[]] = [[], [], []];
    let extra = 0;
    for (let pair = 0; pair < pairs; pair += 1) {
      const firstKey = (2 * pair + 2) * 1e12;
      const fresh = await pass(stack, target, 'fresh', { seconds, firstKey });
      const same = { seconds: 600, requests: fresh.requests, firstKey };
      const before = await stored();
      const again = await pass(stack, target, 'all known', same);
      const between = await stored();
      const mixed = await pass(stack, target, 'every second known', { ...same, everySecond: firstKey + 1e12 });
      const after = await stored();
      for (const what of ['events', 'keys', 'counted'] as const)
        extra +=
          Math.abs(between[what] - before[what]) + Math.abs(after[what] - between[what] - (fresh.requests * batch) / 2);
      all.push(again.eventsPerSecond / fresh.eventsPerSecond);
      half.push(mixed.eventsPerSecond / fresh.eventsPerSecond);
      allCost.push(fresh.cost / again.cost);
    }
    const [allRatio, halfRatio] = [median(all), median(half)];
    verdict('ingest.replay ÷ fresh, all known', allRatio.toFixed(2), '≥ 2', allRatio >= 2);
    const isBetween = halfRatio >= 1 && halfRatio <= allRatio;
    verdict('ingest.replay ÷ fresh, every second known', halfRatio.toFixed(2), 'between 1 and that', isBetween);
    console.log(`  processor time of a fresh one ÷ of a known one  ${median(allCost).toFixed(2)}`);
    verdict('rows and counts more or less than new events', `${extra}`, '0', extra === 0);
  });
  await database.close();
});

async function pass(
  stack: Stack,
  target: Target,
  label: string,
  order: Pick<LoadOrder, 'seconds' | 'firstKey' | 'requests' | 'everySecond'>,
): Promise<Pass> {
  const used = () => [processorSeconds(stack.postgresId), processorSeconds(target.processId)] as const;
  const before = used();
  const report = await stack.load(target, { connections, batch, subjects, ...order });
  const [postgres, node] = used().map(
    (after, index) => ((after - (before[index] as number)) / report.events) * 1e6,
  ) as [number, number];
  const cost = postgres + node;
  const eventsPerSecond = report.events / report.seconds;
  console.log(
    `  ${label.padEnd(20)} ${Math.round(eventsPerSecond).toLocaleString('en').padStart(8)} events/s   p99 ${report.p99.toFixed(0)} ms   PostgreSQL ${postgres.toFixed(1)} µs   Node ${node.toFixed(1)} µs an event   refused ${report.refused}`,
  );
  return { requests: report.requests, eventsPerSecond, cost };
}

function verdict(label: string, found: string, wanted: string, isWithin: boolean): void {
  console.log(`  ${label.padEnd(48)} ${found.padStart(6)}   wanted ${wanted}   ${isWithin ? 'yes' : 'NO'}`);
}
