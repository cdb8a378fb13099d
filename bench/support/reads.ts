import { connect, type Socket } from 'node:net';

/** What a reading process is told. */
export interface ReadOrder {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Reads that become due a second, by the clock, whatever became of those before them; null: each connection reads
   * again as soon as it has its answer.
   */
  readonly rate: number | null;
  /** Each read is of one of these, by chance. `#` stands for the number, of 22 digits. */
  readonly path: string;
  readonly many: number;
}

/** What it saw; milliseconds from when a read was due, so that waiting for a connection counts. */
export interface ReadReport {
  readonly reads: number;
  readonly refused: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

const HEADER_END = Buffer.from('\r\n\r\n');
const DIGITS = 22;
const TICK_MILLISECONDS = 1;

/** Reads by the clock on plain sockets: a client library would take more of the processor than the server. */
async function run(order: ReadOrder): Promise<ReadReport> {
  const times: number[] = [];
  const waiting: number[] = []; // when each read that has no connection yet was due
  const idle: ((due: number) => void)[] = [];
  let refused = 0;
  let chance = 1;
  let end = 0;
  let due = 0;
  const dueNow = () => (order.rate === null && performance.now() < end ? performance.now() : waiting.shift());
  const isOver = (passed: number): boolean =>
    passed >= order.seconds * 1000 && times.length >= due && (order.rate !== null || idle.length === order.connections);

  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(order.port, '127.0.0.1', resolve);
      socket.setNoDelay(true);
      socket.on('error', reject);
      let answer: Buffer = Buffer.alloc(0);
      let since = 0;
      const read = (due: number) => {
        since = due;
        chance = (Math.imul(chance, 1_664_525) + 1_013_904_223) >>> 0;
        const path = order.path.replace('#', String(chance % order.many).padStart(DIGITS, '0'));
        socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${order.key}\r\n\r\n`);
      };
      idle.push(read);
      socket.on('data', (chunk: Buffer) => {
        answer = answer.length === 0 ? chunk : Buffer.concat([answer, chunk]);
        const head = answer.indexOf(HEADER_END);
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(answer.toString('latin1', 0, head))?.[1] ?? 0);
        if (answer.length < head + HEADER_END.length + length) return;
        times.push(performance.now() - since);
        if (answer.toString('latin1', 9, 12) !== '200') {
          if (refused === 0) process.stderr.write(`${answer.toString('utf8', 0, 600)}\n`);
          refused += 1;
        }
        answer = Buffer.alloc(0);
        const next = dueNow();
        if (next === undefined) idle.push(read);
        else read(next);
      });
    });

  await Promise.all(Array.from({ length: order.connections }, client));
  const began = performance.now();
  end = began + order.seconds * 1000;
  if (order.rate === null) for (const read of idle.splice(0)) read(performance.now());
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = performance.now() - began;
      const perSecond = order.rate ?? 0;
      for (; due < (Math.min(passed, order.seconds * 1000) / 1000) * perSecond; due += 1) {
        const at = began + (due / perSecond) * 1000;
        const read = idle.pop();
        if (read) read(at);
        else waiting.push(at);
      }
      if (!isOver(passed)) return;
      clearInterval(timer);
      resolve();
    }, TICK_MILLISECONDS);
  });
  const seconds = (performance.now() - began) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { reads: times.length, refused, seconds, p50: at(0.5), p99: at(0.99) };
}

const [text = '{}'] = process.argv.slice(2);
process.send?.(await run(JSON.parse(text) as ReadOrder));
process.exit(0);
