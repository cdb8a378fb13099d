import { median, numbersOf } from './support/arguments.ts';
import type { ReadReport } from './support/reads.ts';
import { type Target, withStack } from './support/stack.ts';

/**
 * A quiet merchant beside one that asks for a lot, with and without a bound on what one merchant has in work. See
 * README.md.
 */

const { seconds, pairs, parallel, lines, rate } = numbersOf({
  seconds: 6,
  pairs: 2,
  parallel: 60,
  lines: 300,
  rate: 50,
});

interface Round {
  readonly quiet: ReadReport;
  readonly invoicesPerSecond: number;
  readonly refused: number;
}

await withStack(async (stack) => {
  const url = await stack.database();

  /** The quiet merchant's reads, by the clock, alone or beside the noisy one's invoices. */
  const round = async (target: Target, isConcurrent: boolean): Promise<Round> => {
    const order = { connections: 100, seconds, rate, path: '/v0/customers?offset=0', many: 1, key: target.otherKey };
    const noise = isConcurrent ? makeNoise(target) : null;
    const quiet = await stack.read(target, order);
    const { made, refused } = (await noise?.stop()) ?? { made: 0, refused: 0 };
    return { quiet, invoicesPerSecond: made / quiet.seconds, refused };
  };
  const rounds = (how?: 'any slots') =>
    stack.serving(
      url,
      async (target) => {
        await round(target, false); // warm
        return { alone: await round(target, false), concurrent: await round(target, true) };
      },
      how,
    );

  const [ratios, throughputs]: [number[], number[]] = [[], []];
  for (let pair = 1; pair <= pairs; pair += 1) {
    const [without, bounded] = [await rounds('any slots'), await rounds()];
    for (const [label, { alone, concurrent }] of Object.entries({ without, with: bounded })) {
      console.log(`  ${pair} ${label.padEnd(8)} quiet merchant alone  ${told(alone.quiet)}`);
      console.log(`  ${''.padEnd(10)} beside the noisy one  ${told(concurrent.quiet)}`);
      const noisy = `${concurrent.invoicesPerSecond.toFixed(1)} invoices/s, ${concurrent.refused} refused`;
      console.log(`  ${''.padEnd(10)} the noisy one         ${noisy}`);
    }
    ratios.push(bounded.concurrent.quiet.p99 / without.concurrent.quiet.p99);
    throughputs.push(bounded.concurrent.invoicesPerSecond / without.concurrent.invoicesPerSecond);
  }
  verdict('quiet p99 with ÷ without', median(ratios), 0.5, median(ratios) <= 0.5, '≤');
  verdict('noisy throughput with ÷ without', median(throughputs), 0.8, median(throughputs) >= 0.8, '≥');
});

function told({ p50, p99, refused }: ReadReport): string {
  return `p50 ${p50.toFixed(0)} ms  p99 ${p99.toFixed(0)} ms${refused > 0 ? `  ${refused} refused` : ''}`;
}

function verdict(label: string, found: number, wanted: number, isWithin: boolean, sign: string): void {
  console.log(
    `  ${label.padEnd(34)} ${found.toFixed(2).padStart(6)}   wanted ${sign} ${wanted} ${isWithin ? 'yes' : 'NO'}`,
  );
}

/** So many invoices at once, again and again until it is told to stop. */
function makeNoise(target: Target): { stop: () => Promise<{ made: number; refused: number }> } {
  const base = `http://127.0.0.1:${target.port}`;
  const headers = { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' };
  const post = (path: string, body: string) => fetch(`${base}${path}`, { method: 'POST', headers, body });
  let isOver = false;
  let [made, refused] = [0, 0];
  const work = async (invoice: string) => {
    while (!isOver) {
      const { ok, status, text } = await answered(post('/v2/invoices', invoice));
      if (ok) made += 1;
      else if (status === 429) refused += 1;
      else throw new Error(`An invoice was answered with ${status}: ${text}`);
    }
  };
  const all = (async () => {
    const address = { line1: 'Main Street 1', city: 'Springfield', zipCode: '12345', country: 'US' };
    const consumer = { name: 'Noisy', email: 'noisy@example.com', address };
    const answer = await answered(post('/v0/customers', JSON.stringify({ consumer })));
    const customer = JSON.parse(answer.text) as { id: string };
    const line = (place: number) => ({ displayName: `Line ${place}`, quantity: '3', unitPrice: '1.25' });
    const body = { customerId: customer.id, currency: 'USD', lines: Array.from({ length: lines }, (_, n) => line(n)) };
    await Promise.all(Array.from({ length: parallel }, () => work(JSON.stringify(body))));
  })();
  return {
    stop: async () => {
      isOver = true;
      await all;
      return { made, refused };
    },
  };
}

async function answered(answer: Promise<Response>): Promise<{ ok: boolean; status: number; text: string }> {
  const response = await answer;
  return { ok: response.ok, status: response.status, text: await response.text() };
}
