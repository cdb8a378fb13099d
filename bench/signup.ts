import { fork } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { numbersOf } from './support/arguments.ts';
import { makePlan, openSandbox } from './support/sandbox.ts';
import { withStack } from './support/stack.ts';

/**
 * Many people open sign-up links at once, each link for the first time, and check a tax number; beside them another
 * merchant reads a customer every 30 ms. See README.md. With `visit` it is these people and that merchant.
 */

interface Visits {
  readonly base: string;
  /** Of the links. */
  readonly paths: readonly string[];
  readonly key: string;
  /** Of the other merchant. */
  readonly read: string;
}

interface Report {
  /** Answers of a page by their status. */
  readonly get: Record<string, number>;
  readonly post: Record<string, number>;
  readonly seconds: number;
  readonly alone: readonly number[];
  readonly beside: readonly number[];
  readonly failed: number;
}

const EVERY_MILLISECONDS = 30;
const WANTED_MILLISECONDS = 100;

async function serve(): Promise<void> {
  const { merchants, links } = numbersOf({ merchants: 20, links: 20 });
  await withStack(async (stack) => {
    const sandbox = await openSandbox(await stack.database());
    const base = await sandbox.environment.server.listen({ host: '127.0.0.1', port: 0 });
    const paths: string[] = [];
    for (let merchant = 0; merchant < merchants; merchant += 1) {
      const call = await sandbox.merchant();
      const plan = await makePlan(call);
      for (let link = 0; link < links; link += 1)
        paths.push(`/pay/signup/${(await call('POST', '/v0/checkoutLinks', { planId: plan.id })).id}`);
    }
    const { key, customerId } = await otherMerchant(sandbox);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const report = await visitors({ base, paths, key, read: `/v0/customers/${customerId}` });
    delay.disable();
    console.log(
      `  ${paths.length} links of ${merchants} merchants, opened and checked in ${report.seconds.toFixed(1)} s`,
    );
    console.log(`  GET ${JSON.stringify(report.get)}  POST with a tax number ${JSON.stringify(report.post)}`);
    console.log(`  event loop of the server, longest delay ${(delay.max / 1e6).toFixed(0)} ms`);
    console.log(`  another merchant alone   ${told(report.alone)}`);
    console.log(`  another merchant beside  ${told(report.beside)}  ${report.failed} failed`);
    const p99 = at(report.beside, 0.99);
    const refused = [report.get, report.post].reduce((sum, answers) => sum + (answers['503'] ?? 0), 0);
    const isKept = p99 < WANTED_MILLISECONDS && refused === 0 && report.failed === 0;
    console.log(
      `  p99 ÷ ${WANTED_MILLISECONDS} ms  ${(p99 / WANTED_MILLISECONDS).toFixed(2)}, ` +
        `${refused} answers of 503   wanted < 1 and 0   ${isKept ? 'yes' : 'NO'}`,
    );
    await sandbox.environment.close();
  });
}

async function otherMerchant(sandbox: Awaited<ReturnType<typeof openSandbox>>) {
  const call = await sandbox.merchant();
  const address = { line1: 'Main Street 1', city: 'Springfield', zipCode: '12345', country: 'US' };
  const consumer = { name: 'Quiet', email: 'quiet@example.com', address };
  const { id: customerId } = await call('POST', '/v0/customers', { consumer });
  const { user } = (await call('GET', '/v0/me')) as unknown as { user: { id: string } };
  const { secret } = await call('POST', `/v0/users/${user.id}/apikeys`, { name: 'reader' });
  return { key: secret as string, customerId };
}

const visitors = (visits: Visits): Promise<Report> =>
  new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ['visit', JSON.stringify(visits)]);
    child.once('message', (report) => resolve(report as Report));
    child.once('exit', (code) => reject(new Error(`The visitors ended with ${code}.`)));
  });

const at = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;

const told = (times: readonly number[]): string =>
  `${times.length} reads  p50 ${at(times, 0.5).toFixed(0)} ms  p99 ${at(times, 0.99).toFixed(0)} ms  ` +
  `max ${at(times, 1).toFixed(0)} ms`;

async function visit({ base, paths, key, read }: Visits): Promise<Report> {
  let failed = 0;
  /** Reads by the clock until it is told to stop. */
  const reader = () => {
    const times: Promise<number>[] = [];
    const timer = setInterval(() => {
      const began = performance.now();
      times.push(
        fetch(base + read, { headers: { authorization: `Bearer ${key}` } }).then(async (answer) => {
          await answer.text();
          if (!answer.ok) failed += 1;
          return performance.now() - began;
        }),
      );
    }, EVERY_MILLISECONDS);
    return async () => {
      clearInterval(timer);
      return Promise.all(times);
    };
  };
  const pages = async (options: RequestInit): Promise<Record<string, number>> => {
    const answers: Record<string, number> = {};
    await Promise.all(
      paths.map(async (path) => {
        const answer = await fetch(base + path, options);
        await answer.text();
        answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      }),
    );
    return answers;
  };
  const warm = reader();
  await sleep(2_000);
  await warm();
  const quiet = reader();
  await sleep(3_000);
  const alone = await quiet();
  const busy = reader();
  const began = performance.now();
  const get = await pages({});
  const form = { form: 'f', version: 'v', check: 'on', country: 'DE', taxId: 'DE123456789', name: 'Ada' };
  const post = await pages({ method: 'POST', body: new URLSearchParams(form) });
  const seconds = (performance.now() - began) / 1000;
  return { get, post, seconds, alone, beside: await busy(), failed };
}

if (process.argv[2] === 'visit') process.send?.(await visit(JSON.parse(process.argv[3] as string) as Visits));
else await serve();
