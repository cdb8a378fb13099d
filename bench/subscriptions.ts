import { numbersOf } from './support/arguments.ts';
import { type Answer, type Caller, makePlan, openSandbox } from './support/sandbox.ts';
import { processorSeconds, type Stack, withStack } from './support/stack.ts';

/** Processor time of a subscription that is made, changed to another plan and ended. See README.md. */

const { subscriptions, rounds } = numbersOf({ subscriptions: 200, rounds: 3 });

interface Spent {
  readonly node: number;
  readonly postgres: number;
}

/** @returns milliseconds of processor time for each of `subscriptions` calls */
async function spentBy(stack: Stack, work: () => Promise<void>): Promise<Spent> {
  const before = { node: process.cpuUsage(), postgres: processorSeconds(stack.postgresId) };
  await work();
  const { user, system } = process.cpuUsage(before.node);
  return {
    node: (user + system) / 1e3 / subscriptions,
    postgres: ((processorSeconds(stack.postgresId) - before.postgres) * 1e3) / subscriptions,
  };
}

async function round(stack: Stack, call: Caller, plans: { from: Answer; to: Answer }): Promise<Record<string, Spent>> {
  const made: Answer[] = [];
  const customers: Answer[] = [];
  for (let n = 0; n < subscriptions; n += 1)
    customers.push(
      await call('POST', '/v0/customers', {
        consumer: { name: 'Customer', email: `${crypto.randomUUID()}@example.com`, address: { country: 'US' } },
      }),
    );
  return {
    made: await spentBy(stack, async () => {
      for (const { id: customerId } of customers)
        made.push(
          await call('POST', '/v0/subscriptions', {
            ...{ name: 'Subscription', planId: plans.from.id, customerId },
            startedAt: Temporal.Now.instant().toString(),
          }),
        );
    }),
    changed: await spentBy(stack, async () => {
      for (const { id } of made) await call('POST', `/v0/subscriptions/${id}/changes`, { planId: plans.to.id });
    }),
    ended: await spentBy(stack, async () => {
      for (const { id } of made) await call('POST', `/v0/subscriptions/${id}/termination`, { reason: 'Over' });
    }),
  };
}

await withStack(async (stack) => {
  const { environment, merchant } = await openSandbox(await stack.database());
  try {
    const call = await merchant();
    const plans = { from: await makePlan(call), to: await makePlan(call) };
    await round(stack, call, plans); // what is compiled and read once is there
    const all: Record<string, Spent>[] = [];
    for (let n = 0; n < rounds; n += 1) all.push(await round(stack, call, plans));
    for (const name of ['made', 'changed', 'ended']) {
      const [least] = all.map((each) => each[name] as Spent).toSorted((a, b) => sumOf(a) - sumOf(b));
      if (least)
        console.log(
          `  ${name.padEnd(8)} ${sumOf(least).toFixed(2)} ms of processor time, ` +
            `the least of ${rounds} rounds: Node ${least.node.toFixed(2)}, PostgreSQL ${least.postgres.toFixed(2)}`,
        );
    }
  } finally {
    await environment.close();
  }
});

function sumOf({ node, postgres }: Spent): number {
  return node + postgres;
}
