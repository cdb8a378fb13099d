import { median, numbersOf, verdict } from './support/arguments.ts';
import { makeFeature, seedEntitlements } from './support/entitlements.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/**
 * Several processes on one PostgreSQL: one that takes events in, one that works, and one or two that answer. How much
 * more is answered by two, alone and while events come in, and which processors are busy then. See README.md.
 */

const { customers, connections, seconds, pairs } = numbersOf({
  customers: 1_000,
  connections: 16,
  seconds: 4,
  pairs: 3,
});

const BATCH = 100;
const WANTED_GROWTH = 1.2;

interface Figures {
  readonly reads: number;
  readonly events: number;
  /** Processors that each part keeps busy: 1 is one whole processor. */
  readonly busy: Readonly<Record<string, number>>;
}

/** Reads of all `answering` at once, as fast as they are answered, with or without events beside. */
async function measure(
  stack: Stack,
  { answering, taking }: { answering: readonly Target[]; taking: Target | null },
): Promise<Figures> {
  const parts = {
    PostgreSQL: [stack.postgresId],
    'api processes': answering.map(({ processId }) => processId),
    ...(taking && { ingest: [taking.processId] }),
  };
  const spent = () =>
    Object.entries(parts).map(([name, ids]) => [name, ids.map(processorSeconds).reduce((a, b) => a + b, 0)] as const);
  const before = new Map(spent());
  const order = { path: '/v1/entitlements/ent_#', many: customers, connections, rate: null, seconds };
  firstKey += 1e9;
  const load = { connections: 2, batch: BATCH, seconds, firstKey, subjects: customers };
  const [accepted, ...reports] = await Promise.all([
    taking ? stack.load(taking, load) : null,
    ...answering.map((target) => stack.read(target, order)),
  ]);
  const busy = Object.fromEntries(spent().map(([name, now]) => [name, (now - (before.get(name) ?? 0)) / seconds]));
  if ([accepted, ...reports].some((report) => report && report.refused > 0)) throw new Error('Requests were refused.');
  return {
    reads: reports.reduce((total, { reads, seconds: taken }) => total + reads / taken, 0),
    events: accepted ? accepted.events / accepted.seconds : 0,
    busy,
  };
}

let firstKey = 1e12;

await withStack(async (stack) => {
  const url = await stack.database();
  const key = await stack.serving(url, async (target) => {
    await seedEntitlements(url, await makeFeature(target), customers);
    return target.key;
  });
  const serving = <T>(role: 'api' | 'ingest' | 'worker', work: (target: Target) => Promise<T>) =>
    stack.serving(url, (target) => work({ ...target, key }), role);
  await serving('worker', () =>
    serving('ingest', (taking) =>
      serving('api', (first) => serving('api', (second) => compare(taking, first, second))),
    ),
  );

  async function compare(ingest: Target, first: Target, second: Target): Promise<void> {
    await measure(stack, { answering: [first, second], taking: ingest }); // warm
    for (const taking of [null, ingest]) {
      const ratios: number[] = [];
      const found: Record<'one' | 'two', Figures[]> = { one: [], two: [] };
      for (let pair = 0; pair < pairs; pair += 1) {
        const [one, two] = [
          await measure(stack, { answering: [first], taking }),
          await measure(stack, { answering: [first, second], taking }),
        ];
        found.one.push(one);
        found.two.push(two);
        ratios.push(two.reads / one.reads);
      }
      const what = taking ? 'while events come in' : 'alone';
      for (const [name, figures] of Object.entries(found)) {
        const parts = Object.keys((figures[0] as Figures).busy);
        const busy = parts.map(
          (part) => `${part} ${median(figures.map((each) => each.busy[part] as number)).toFixed(2)}`,
        );
        const middle = (part: 'reads' | 'events') => median(figures.map((each) => each[part])).toFixed(0);
        console.log(
          `  ${name} api process${name === 'one' ? '  ' : 'es'} ${what}: ${middle('reads')} reads/s` +
            `${taking ? `, ${middle('events')} events/s` : ''}   processors busy: ${busy.join(', ')}`,
        );
      }
      const growth = median(ratios);
      console.log(
        `  processes, two ÷ one, ${what.padEnd(22)} ${growth.toFixed(2)}   wanted ≥ ${WANTED_GROWTH}   ` +
          verdict(growth >= WANTED_GROWTH),
      );
    }
  }
});
