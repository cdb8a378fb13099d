import { connect, type Socket } from 'node:net';

/** What a load process is told. */
export interface LoadOrder {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  /** Events in a request; 0: one event that is no array. */
  readonly batch: number;
  readonly seconds: number;
  /** Stops after so many requests, if that is earlier. */
  readonly requests?: number;
  /** Where the numbers of the keys begin; the same again is a replay. */
  readonly firstKey: number;
  /** Where the numbers of every second event begin, if not there. */
  readonly everySecond?: number;
  readonly subjects: number;
  /** Behind the path; by default nothing. */
  readonly query?: string;
}

/** What it saw. */
export interface LoadReport {
  readonly events: number;
  readonly requests: number;
  readonly seconds: number;
  readonly refused: number;
  readonly p50: number;
  readonly p99: number;
}

const HEADER_END = Buffer.from('\r\n\r\n');

/**
 * Sends as fast as answers come, on plain sockets: a client library would take more of the processor than the server.
 */
async function run(order: LoadOrder): Promise<LoadReport> {
  const times: number[] = [];
  let sent = 0;
  let events = 0;
  let refused = 0;
  const most = order.requests ?? Number.POSITIVE_INFINITY;
  const began = performance.now();
  const end = began + order.seconds * 1000;

  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(order.port, '127.0.0.1');
      socket.setNoDelay(true);
      let waiting: Buffer = Buffer.alloc(0);
      let started = 0;
      const next = () => {
        if (sent >= most || performance.now() > end) {
          socket.end();
          resolve();
          return;
        }
        const body = bodyOf(order, sent);
        sent += 1;
        started = performance.now();
        socket.write(
          `POST /v0/events${order.query ?? ''} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${order.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        );
      };
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
        const head = waiting.indexOf(HEADER_END);
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(waiting.toString('latin1', 0, head))?.[1] ?? 0);
        if (waiting.length < head + 4 + length) return;
        times.push(performance.now() - started);
        if (waiting.toString('latin1', 9, 12) === '202') events += Math.max(1, order.batch);
        else {
          if (refused === 0) process.stderr.write(`${waiting.toString('utf8', 0, 600)}\n`);
          refused += 1;
        }
        waiting = Buffer.alloc(0);
        next();
      });
    });

  await Promise.all(Array.from({ length: order.connections }, client));
  const seconds = (performance.now() - began) / 1000;
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { events, requests: times.length, seconds, refused, p50: at(0.5), p99: at(0.99) };
}

const HOUR = 3_600_000;
const now = Date.now();

function bodyOf(order: LoadOrder, request: number): string {
  if (order.batch === 0) return eventOf(order, order.firstKey + request);
  const from = request * order.batch;
  const { firstKey, everySecond = firstKey } = order;
  const parts = Array.from({ length: order.batch }, (_, n) =>
    eventOf(order, (n % 2 ? everySecond : firstKey) + from + n),
  );
  return `[${parts.join(',')}]`;
}

/** Spread over the subjects and the last hour; the same number is always the same event. */
function eventOf({ subjects }: LoadOrder, number: number): string {
  const mixed = Math.imul(number, 2654435761) >>> 0;
  const at = new Date(base - (mixed % HOUR)).toISOString();
  return `{"type":"call","source":"https://api.example.com/v1","externalSubject":"customer-${mixed % subjects}","idempotencyKey":"request-${mixed.toString(36)}-${number}","timestamp":"${at}","data":{"tokens":${(mixed % 10_000) / 100},"model":"large","region":"eu-central"}}`;
}

const [text = '{}'] = process.argv.slice(2);
const order = JSON.parse(text) as LoadOrder & { now?: number };
const base = order.now ?? now;
process.send?.(await run(order));
process.disconnect?.();
