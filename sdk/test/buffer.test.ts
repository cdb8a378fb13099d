import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fileStore } from '../src/file.ts';
import { type BufferOptions, Reckoner } from '../src/index.ts';
import { type Fault, type FaultyServer, openFaultyServer, type Seen } from './faulty-server.ts';

/** Every event arrives, and counts once, whatever happens on the way. */
let server: FaultyServer;
const folders: string[] = [];
/** How often the server took each event, by its idempotency key. */
let taken = new Map<string, number>();
/** Types that the server refuses. */
const BAD = 'bad';

function take({ body }: Seen): Fault {
  const events = JSON.parse(body) as { type: string; idempotencyKey: string }[];
  if (events.some(({ type }) => type === BAD)) return { status: 400, body: { message: 'No such type.' } };
  for (const { idempotencyKey: key } of events) taken.set(key, (taken.get(key) ?? 0) + 1);
  return { status: 202, body: {} };
}

beforeAll(async () => {
  server = await openFaultyServer(take);
});
afterEach(() => {
  taken = new Map();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
afterAll(() => server.close());

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'reckoner-buffer-'));
  folders.push(folder);
  return folder;
};
const bufferOf = (options: BufferOptions = {}) =>
  new Reckoner({ baseUrl: server.url, apiKey: 'k', buffer: { intervalMilliseconds: 20, ...options } }).buffer;
const event = (type = 'tokens.used') => ({ type, source: 'test', subject: 'cus_1', data: { tokens: 1 } });

describe('a buffer', () => {
  it('sends what came within the interval as one batch, with a time and a key for each', async () => {
    server.next();
    const buffer = bufferOf();
    for (let count = 0; count < 3; count += 1) void buffer.track(event());
    expect(buffer.waiting).toBe(3);
    await expect.poll(() => server.seen.length).toBe(1);
    const sent = JSON.parse(server.seen[0]?.body ?? '') as { timestamp: string; idempotencyKey: string }[];
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
    for (const { timestamp } of sent) expect(Date.parse(timestamp)).not.toBeNaN();
    await expect.poll(() => buffer.waiting).toBe(0);
  });

  it('sends a full batch at once, and batches in their order', async () => {
    server.next();
    const buffer = bufferOf({ batchSize: 2, intervalMilliseconds: 60_000 });
    for (let count = 1; count <= 5; count += 1) void buffer.track({ ...event(), idempotencyKey: `e${count}` });
    await buffer.flush();
    expect(
      server.seen.map(({ body }) => JSON.parse(body).map((each: { idempotencyKey: string }) => each.idempotencyKey)),
    ).toEqual([['e1', 'e2'], ['e3', 'e4'], ['e5']]);
  });

  it.each<[string, Fault[]]>([
    ['a lost connection', ['drop', 'drop']],
    ['too many requests', [{ status: 429, headers: { 'retry-after': '0' } }]],
    ['a fault of the server', [{ status: 500 }, { status: 503 }]],
    ['a key that is not valid yet', [{ status: 401 }]],
  ])('loses nothing and counts nothing twice after %s', async (_, faults) => {
    server.next(...faults);
    const buffer = bufferOf();
    for (let count = 0; count < 10; count += 1) void buffer.track(event());
    await buffer.flush();
    expect([...taken.values()]).toEqual(Array.from({ length: 10 }, () => 1));
    const bodies = new Set(server.seen.map(({ body }) => body));
    expect(bodies.size).toBe(1); // the same events with the same keys
  });

  it('asks its caller to wait while it is full', async () => {
    server.next('silence');
    const buffer = bufferOf({ batchSize: 5, mostWaiting: 5 });
    const waits = Array.from({ length: 5 }, () => buffer.track(event()));
    const open = new Promise((done) => setTimeout(() => done('waits'), 50));
    expect(await Promise.all(waits.map((each) => Promise.race([each, open])))).toEqual([
      ...[undefined, undefined, undefined, undefined],
      'waits',
    ]);
    await buffer.close(10);
  });

  it('tells of an event that the server refuses, and sends the others', async () => {
    server.next();
    const onRefused = vi.fn<NonNullable<BufferOptions['onRefused']>>();
    const buffer = bufferOf({ onRefused });
    for (const type of ['a', 'b', BAD, 'c', 'd']) void buffer.track({ ...event(type), idempotencyKey: type });
    await buffer.flush();
    expect([...taken.keys()].toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(onRefused.mock.calls.map(([refused, { message }]) => [refused.type, message])).toEqual([
      [BAD, 'No such type.'],
    ]);
    expect(buffer.waiting).toBe(0);
  });

  it('takes nothing once it is closed, and says what the server does not have', async () => {
    server.next('silence');
    const buffer = bufferOf();
    void buffer.track(event());
    expect(await buffer.close(50)).toBe(1);
    expect(() => buffer.track(event())).toThrow('closed');
  });
});

describe('with a folder', () => {
  it('a later program sends what an earlier one left', async () => {
    const folder = newFolder();
    server.next('silence', 'silence');
    const first = bufferOf({ store: fileStore(folder) });
    for (let count = 0; count < 4; count += 1) void first.track(event());
    expect(await first.close(30)).toBe(4);
    server.next();
    const second = bufferOf({ store: fileStore(folder) });
    await second.flush();
    expect([...taken.values()]).toEqual([1, 1, 1, 1]);
    await second.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('belongs to one running program', () => {
    const folder = newFolder();
    const store = fileStore(folder);
    expect(() => fileStore(folder)).toThrow('This process keeps events');
    store.close();
    const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    try {
      fileStore(folder).close();
      rmSync(join(folder, 'owner'), { force: true });
      claim(folder, other.pid as number);
      expect(() => fileStore(folder)).toThrow(`The process ${other.pid} keeps its events`);
    } finally {
      other.kill();
    }
  });

  it('a program that is killed with a full buffer loses nothing, and nothing counts twice', async () => {
    const folder = newFolder();
    const program = startProgram(folder, 'http://127.0.0.1:1');
    await said(program, 'tracked');
    program.kill('SIGKILL');
    await once(program, 'exit');
    server.next('drop', { status: 500 });
    const buffer = bufferOf({ store: fileStore(folder) });
    await buffer.flush();
    await buffer.close();
    expect(taken.size).toBe(1000);
    expect([...taken.keys()].toSorted()).toEqual(Array.from({ length: 1000 }, (_, index) => `k${index}`).toSorted());
  });

  it('a program that has nothing more to do sends what waits, and ends', async () => {
    server.next();
    const program = startProgram(newFolder(), server.url);
    const [code] = await once(program, 'exit');
    expect([code, taken.size]).toEqual([0, 1000]);
  });
});

function claim(folder: string, pid: number): void {
  const { writeFileSync } = process.getBuiltinModule('node:fs');
  writeFileSync(join(folder, 'owner'), String(pid));
}

/** A program of its own that tracks 1,000 events and has nothing else to do. */
function startProgram(folder: string, url: string): ChildProcess {
  const program = fileURLToPath(new URL('tracking-program.ts', import.meta.url));
  return spawn(process.execPath, [program, folder, url], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function said(program: ChildProcess, word: string): Promise<void> {
  let text = '';
  for await (const chunk of program.stdout as NodeJS.ReadableStream) {
    text += String(chunk);
    if (text.includes(word)) return;
  }
}
