import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { fileStore } from '../sdk/src/file.ts';
import { Reckoner } from '../sdk/src/index.ts';
import { numbersOf, verdict } from './support/arguments.ts';

/** What the SDK costs its program: processor time of an event and of a check, and the bytes that a page loads. */

const { events, checks } = numbersOf({ events: 200_000, checks: 200_000 });

const MOST_EVENT_MICROSECONDS = 10;
const MOST_CHECK_MICROSECONDS = 50;
const MOST_KILOBYTES = 60;
const MOST_SHELL_KILOBYTES = 20;

const microseconds = (since: NodeJS.CpuUsage, count: number): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / count;
};

const SERVER = `require('http').createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(202, { 'content-type': 'application/json' }).end('{}'));
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`;

/** A server that takes everything, in a process of its own: its work is not the client's. */
async function costOfEvents(folder: string | null): Promise<number> {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(server.stdout, 'data');
  const buffer = { mostWaiting: 1_000_000, ...(folder !== null && { store: fileStore(folder) }) };
  const api = new Reckoner({ baseUrl: `http://127.0.0.1:${String(port).trim()}`, apiKey: 'k', buffer });
  const began = process.cpuUsage();
  for (let count = 0; count < events; count += 1)
    await api.track({
      type: 'tokens.used',
      source: 'bench',
      subject: 'cus_1',
      data: { tokens: count, model: 'large' },
    });
  await api.buffer.close(60_000);
  const cost = microseconds(began, events);
  server.kill();
  return cost;
}

async function costOfChecks(): Promise<number> {
  const features = [{ featureKey: 'tokens', type: 'metered', hasAccess: true, reason: null, balance: 5 }];
  const answer = { object: 'customerAccess', customerId: 'cus_1', features };
  const api = new Reckoner({ apiKey: 'k', checkMilliseconds: 600_000, fetch: async () => Response.json(answer) });
  const began = process.cpuUsage();
  for (let count = 0; count < checks; count += 1) await api.check({ customerId: 'cus_1', feature: 'tokens' });
  return microseconds(began, checks);
}

/** The size of a page's script that uses the SDK, packed by a bundler and compressed. */
async function kilobytesOf(code: string): Promise<number> {
  const name = 'virtual:page';
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input: name }, minify: true, target: 'es2022' },
    plugins: [
      { name: 'page', resolveId: (id) => (id === name ? id : null), load: (id) => (id === name ? code : null) },
    ],
  });
  const files = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  const text = files.map((each) => (each.type === 'chunk' ? each.code : '')).join('');
  return gzipSync(text).length / 1000;
}

const line = (what: string, value: number, unit: string, most: number): void =>
  console.log(
    `${what.padEnd(44)} ${value.toFixed(1).padStart(7)} ${unit}   wanted ≤ ${most}   ${verdict(value <= most)}`,
  );

const entry = JSON.stringify(new URL('../sdk/src/index.ts', import.meta.url).pathname);
const folder = mkdtempSync(join(tmpdir(), 'reckoner-bench-sdk-'));
try {
  line('an event, in memory', await costOfEvents(null), 'µs', MOST_EVENT_MICROSECONDS);
  line('an event, with a folder', await costOfEvents(folder), 'µs', MOST_EVENT_MICROSECONDS);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
line('a check, from memory', await costOfChecks(), 'µs', MOST_CHECK_MICROSECONDS);
const client = `import { Reckoner } from ${entry}; globalThis.page = new Reckoner({}).invoices.list();`;
line('the client, with every resource', await kilobytesOf(client), 'kB', MOST_SHELL_KILOBYTES);
line('everything', await kilobytesOf(`import * as sdk from ${entry}; globalThis.page = sdk;`), 'kB', MOST_KILOBYTES);
