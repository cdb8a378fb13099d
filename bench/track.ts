import { median, numbersOf } from './support/arguments.ts';
import { makeFeature, seedEntitlements } from './support/entitlements.ts';
import { processorSeconds, type Stack, type Target, withStack } from './support/stack.ts';

/** What it costs that an event is answered with the balances that it changes. */

const { seconds, pairs, connections, subjects } = numbersOf({ seconds: 4, pairs: 3, connections: 16, subjects: 100 });

const LIMIT = 1.5;
const KEYS_A_PASS = 10_000_000;
const WARM_SECONDS = 60;

await withStack(async (stack) => {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    await seedEntitlements(url, await makeFeature(target), subjects);
    await spend(stack, target, '', 0); // warm
    await spend(stack, target, '?expand=entitlements', 1, 10 * subjects); // each customer's entitlement is known
    const ratios: number[] = [];
    for (let pair = 1; pair <= pairs; pair += 1) {
      const alone = await spend(stack, target, '', 2 * pair);
      const expanded = await spend(stack, target, '?expand=entitlements', 2 * pair + 1);
      ratios.push(expanded.total / alone.total);
      console.log(`  alone      Node ${alone.node.toFixed(0)} + PostgreSQL ${alone.postgres.toFixed(0)} µs an event`);
      console.log(
        `  expanded   Node ${expanded.node.toFixed(0)} + PostgreSQL ${expanded.postgres.toFixed(0)} µs an event`,
      );
    }
    const ratio = median(ratios);
    console.log(
      `  track   ${ratio.toFixed(2)} x the event alone   wanted < ${LIMIT}   ${ratio < LIMIT ? 'yes' : 'NO'}`,
    );
  });
});

/** Microseconds of processor time for each event. */
async function spend(stack: Stack, target: Target, query: string, pass: number, requests?: number) {
  const before = [processorSeconds(target.processId), processorSeconds(stack.postgresId)] as const;
  const most = requests === undefined ? { seconds } : { seconds: WARM_SECONDS, requests };
  const order = { connections, batch: 0, ...most, firstKey: pass * KEYS_A_PASS, subjects, query };
  const { events, refused } = await stack.load(target, order);
  if (refused > 0 || events === 0) throw new Error(`${refused} events were refused, ${events} were not.`);
  const each = (index: 0 | 1, id: number) => ((processorSeconds(id) - before[index]) / events) * 1e6;
  const [node, postgres] = [each(0, target.processId), each(1, stack.postgresId)];
  return { node, postgres, total: node + postgres };
}
