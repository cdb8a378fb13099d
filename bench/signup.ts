import { monitorEventLoopDelay } from 'node:perf_hooks';
import { numbersOf } from './support/arguments.ts';
import { at, type Burst, readDuringBursts } from './support/bursts.ts';
import { makePlan, openSandbox } from './support/sandbox.ts';
import { withStack } from './support/stack.ts';

/**
 * Many people open sign-up links at once, each link for the first time, and check a tax number; beside them another
 * merchant reads a customer every 30 ms. See README.md.
 */

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
    const form = { form: 'f', version: 'v', check: 'on', country: 'DE', taxId: 'DE123456789', name: 'Ada' };
    const sent = { headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    const bursts: Burst[] = [
      { method: 'GET', paths },
      { method: 'POST', paths, ...sent, body: new URLSearchParams(form).toString() },
    ];
    const report = await readDuringBursts({ base, bursts, key, read: `/v0/customers/${customerId}` });
    const [get = {}, post = {}] = report.answers;
    delay.disable();
    console.log(
      `  ${paths.length} links of ${merchants} merchants, opened and checked in ${report.seconds.toFixed(1)} s`,
    );
    console.log(`  GET ${JSON.stringify(get)}  POST with a tax number ${JSON.stringify(post)}`);
    console.log(`  event loop of the server, longest delay ${(delay.max / 1e6).toFixed(0)} ms`);
    console.log(`  another merchant alone   ${told(report.alone)}`);
    console.log(`  another merchant during ${told(report.duringBursts)}  ${report.failed} failed`);
    const p99 = at(report.duringBursts, 0.99);
    const refused = [get, post].reduce((sum, answers) => sum + (answers['503'] ?? 0), 0);
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

const told = (times: readonly number[]): string =>
  `${times.length} reads  p50 ${at(times, 0.5).toFixed(0)} ms  p99 ${at(times, 0.99).toFixed(0)} ms  ` +
  `max ${at(times, 1).toFixed(0)} ms`;

await serve();
