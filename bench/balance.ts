import pg from 'pg';
import { numbersOf, verdict } from './support/arguments.ts';
import { clientOf, makeFeature, seedEntitlements } from './support/entitlements.ts';
import { flatness } from './support/flat.ts';
import { processorSeconds, residentMegabytes, type Stack, type Target, withStack } from './support/stack.ts';

/**
 * How long a balance takes: alone, while events come in, right after an event, and as the past grows. See README.md.
 */

const [name = 'get'] = process.argv.slice(2);
const { entitlements, rate, seconds, connections, events, claims, from, to, rounds } = numbersOf({
  entitlements: name === 'ryw' ? 1_000 : 100_000,
  rate: 2_000,
  seconds: 10,
  connections: 32,
  events: 5_000,
  claims: 10_000,
  from: 1_000,
  to: 1_000_000,
  rounds: 500,
});

const P50_LIMIT = 1;
const P99_LIMIT = 5;
/** Of the whole process, in MiB, however many entitlements there are. */
const MEMORY_LIMIT = 768;
const BATCH = 100;

/** A server on a store with entitlements, each with some events. */
async function withEntitlements(stack: Stack, work: (target: Target, url: string) => Promise<void>): Promise<void> {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    await seedEntitlements(url, await makeFeature(target), entitlements);
    const order = { connections: 4, batch: 1_000, seconds: 60, requests: Math.ceil((entitlements * 2) / 1_000) };
    const { refused } = await stack.load(target, { ...order, firstKey: 0, subjects: entitlements });
    if (refused > 0) throw new Error(`${refused} requests with events were refused.`);
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    await pool.query('vacuum analyze');
    await pool.end();
    await work(target, url);
  });
}

async function measureReads(stack: Stack, target: Target, during: () => Promise<unknown>): Promise<void> {
  const order = { path: '/v1/entitlements/ent_#', many: entitlements, connections };
  await stack.read(target, { ...order, rate: rate / 2, seconds: 3 }); // warm
  const before = [processorSeconds(target.processId), processorSeconds(stack.postgresId)] as const;
  const other = during();
  const { reads, refused, p50, p99, seconds: taken } = await stack.read(target, { ...order, rate, seconds });
  const spent = [processorSeconds(target.processId), processorSeconds(stack.postgresId)] as const;
  await other;
  const each = (index: 0 | 1) => (((spent[index] - before[index]) / reads) * 1_000).toFixed(2);
  console.log(
    `  ${(reads / taken).toFixed(0)} reads/s of ${rate} due   Node ${each(0)} ms, PostgreSQL ${each(1)} ms a read   refused ${refused}`,
  );
  const held = residentMegabytes(target.processId);
  console.log(
    `  balance.${name} memory of the server   ${held.toFixed(0)} MiB   wanted < ${MEMORY_LIMIT}   ${verdict(held < MEMORY_LIMIT)}`,
  );
  console.log(`  balance.${name} p50   ${p50.toFixed(2)} ms   wanted < ${P50_LIMIT}   ${verdict(p50 < P50_LIMIT)}`);
  console.log(`  balance.${name} p99   ${p99.toFixed(2)} ms   wanted < ${P99_LIMIT}   ${verdict(p99 < P99_LIMIT)}`);
}

async function busy(stack: Stack, target: Target): Promise<void> {
  const flood = await stack.flood(target, {
    connections: 8,
    batch: BATCH,
    seconds,
    rate: events / BATCH,
    prefix: 'busy',
    subjects: entitlements,
    log: stack.file('busy.log'),
  });
  console.log(`  meanwhile ${(flood.acceptedEvents / flood.seconds).toFixed(0)} events/s of ${events}`);
}

/** An event to one process, then the balance from another one: never a balance from before the event. */
async function readYourWrites(stack: Stack): Promise<void> {
  await withEntitlements(stack, (writer, url) =>
    stack.serving(url, async (reader) => {
      const [write, read] = [clientOf(writer), clientOf({ port: reader.port, key: writer.key })];
      const used = async (id: string) =>
        ((await read('GET', `/v1/entitlements/${id}`)) as unknown as { usageInPeriod: number }).usageInPeriod;
      let [claim, stale] = [0, 0];
      const caller = async (n: number) => {
        const id = `ent_${String(n).padStart(22, '0')}`;
        let before = await used(id);
        while (claim < claims) {
          claim += 1;
          await write('POST', '/v0/events', {
            type: 'call',
            source: 'https://api.example.com/v1',
            externalSubject: `customer-${n}`,
            data: { tokens: 1 },
          });
          const after = await used(id);
          if (Math.abs(after - before - 1) > 1e-6) stale += 1;
          before = after;
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, n) => caller(n)));
      console.log(
        `  balance.ryw   ${claim} events, each followed by a read from another process   stale ${stale}   wanted 0   ${verdict(stale === 0)}`,
      );
    }),
  );
}

/** One entitlement after the other with a longer past, asked in this process. */
async function flat(stack: Stack): Promise<void> {
  const url = await stack.database();
  const sold = await stack.serving(url, makeFeature);
  await flatness(stack, url, sold, { from, to, rounds });
}

const HOLD_LIMIT = 50;
const MANY_GRANTS = 10_000;
const FAR_ROUNDS = 5;

/** Questions that have much behind them, and how long the process holds up others for one of them. */
async function far(stack: Stack): Promise<void> {
  const url = await stack.database();
  await stack.serving(url, async (target) => {
    const { metricId, productId } = await makeFeature(target);
    const call = clientOf(target);
    const entitle = async (key: string, template: object, fields: object = {}) => {
      const feature = await call('POST', '/v0/features', { key, name: key, productId, type: 'metered' });
      const consumer = { name: key, email: `${key}@example.com`, address: { country: 'GB' } };
      const customer = await call('POST', '/v0/customers', { consumer });
      const body = { customerId: customer.id, featureId: feature.id, ...fields };
      const measured = { type: 'metered', billableMetricIds: [metricId], ...template };
      return (await call('POST', '/v1/entitlements', { ...body, template: measured })).id;
    };
    const daily = { usagePeriod: { interval: 'P1D' }, issueAfterReset: 5, resetMaxRollover: 999999999999 };
    const rolling = await entitle('rolling', daily);
    const recurring = await entitle('recurring', {});
    await call('POST', `/v1/entitlements/${recurring}/grants`, { amount: 5, recurrencePeriod: 'P1D' });
    const long = await entitle('long', daily, { activeFrom: new Date(Date.now() - 4_900 * 86_400_000).toISOString() });
    const funded = await entitle('funded', {});
    const alone = await entitle('alone', {});
    await call('POST', `/v1/entitlements/${alone}/grants`, { amount: 1 });
    await grantMany(url, funded);

    const ask = async (path: string): Promise<number> => {
      const times: number[] = [];
      for (let round = 0; round < FAR_ROUNDS; round += 1) {
        const begun = performance.now();
        await call('GET', path);
        times.push(performance.now() - begun);
      }
      return times.toSorted((a, b) => a - b)[Math.floor(FAR_ROUNDS / 2)] as number;
    };
    const compare = async (what: string, path: string, peer: string) => {
      const near = await ask(peer);
      await target.longestHold(); // from here on
      const taken = await ask(path);
      const hold = await target.longestHold();
      console.log(
        `  ${what.padEnd(40)} ${taken.toFixed(1)} ms, ${(taken / near).toFixed(1)} x the peer   longest hold ${hold.toFixed(1)} ms   wanted < ${HOLD_LIMIT}   ${verdict(hold < HOLD_LIMIT)}`,
      );
    };
    const at = '?at=2199-12-31T00:00:00Z';
    await compare('173 years of daily resets', `/v1/entitlements/${rolling}${at}`, `/v1/entitlements/${rolling}`);
    await compare(
      '173 years of daily recurrences',
      `/v1/entitlements/${recurring}${at}`,
      `/v1/entitlements/${recurring}`,
    );
    await compare('4,900 resets that are over', `/v1/entitlements/${long}`, `/v1/entitlements/${rolling}`);
    await compare(`${MANY_GRANTS} grants`, `/v1/entitlements/${funded}`, `/v1/entitlements/${alone}`);
  });
}

/** Direct grants, a minute apart. */
async function grantMany(url: string, entitlementId: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  await pool.query('update entitlement set active_from = $2 where id = $1', [
    entitlementId,
    new Date(Date.now() - 30 * 86_400_000),
  ]);
  await pool.query(
    `insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, reset_max_rollover,
                                    reset_min_rollover, created_at)
     select merchant_id, 'grt_' || lpad(n::text, 22, '0'), id, 'direct', 1, 0, now() - n * interval '1 minute', 999999999999, 0, now()
       from entitlement, generate_series(1, ${MANY_GRANTS}) n where id = $1`,
    [entitlementId],
  );
  await pool.end();
}

await withStack(async (stack) => {
  if (name === 'far') return far(stack);
  if (name === 'flat') await flat(stack);
  else if (name === 'ryw') await readYourWrites(stack);
  else if (name === 'busy')
    await withEntitlements(stack, (target) => measureReads(stack, target, () => busy(stack, target)));
  else await withEntitlements(stack, (target) => measureReads(stack, target, async () => undefined));
});
