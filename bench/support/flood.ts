import { createWriteStream } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';

/** What a flooding process is told. */
export interface FloodOrder {
  readonly port: number;
  readonly key: string;
  /** Requests that are under way at the same time, at most. */
  readonly connections: number;
  /** Events in a request; 0: one event that is no array. */
  readonly batch: number;
  readonly seconds: number;
  /**
   * Requests that become due a second, by the clock and whatever became of those before them; one that finds every
   * connection waiting for its answer is given up. 0: as fast as answers come.
   */
  readonly rate: number;
  /** What its keys begin with; each number after it is sent once. */
  readonly prefix: string;
  readonly subjects: number;
  /** Where what was answered to each request is written: the number of its first event, and the status. */
  readonly log: string;
  /** Milliseconds since 1970 that the events are near to. */
  readonly now: number;
}

/** What it saw. Requests, unless it says events. */
export interface FloodReport {
  readonly seconds: number;
  readonly due: number;
  /** Due while every connection was waiting. */
  readonly unsent: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly acceptedEvents: number;
  /** 429 and 503 without a Retry-After: there must be none. */
  readonly withoutRetryAfter: number;
  /** Milliseconds, of the accepted ones. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds, of the refused ones. */
  readonly refusedP50: number;
  readonly refusedP99: number;
}

export const DIGITS = 12;
const HOUR = 3_600_000;
const TEMPLATES = 16;
const HEADER_END = '\r\n\r\n';

/**
 * A whole request whose keys are zeros, and where they stand in it: making one costs a few digits, not a thousand
 * strings.
 */
interface Template {
  readonly bytes: Buffer;
  readonly keysAt: readonly number[];
}

function templateOf(order: FloodOrder, first: number): Template {
  const zeros = '0'.repeat(DIGITS);
  const eventOf = (number: number) => {
    const mixed = Math.imul(number, 2654435761) >>> 0;
    const at = new Date(order.now - (mixed % HOUR)).toISOString();
    return `{"type":"call","source":"https://api.example.com/v1","externalSubject":"customer-${mixed % order.subjects}","idempotencyKey":"${order.prefix}${zeros}","timestamp":"${at}","data":{"tokens":${(mixed % 10_000) / 100},"model":"large","region":"eu-central"}}`;
  };
  const events = Array.from({ length: Math.max(1, order.batch) }, (_, n) => eventOf(first + n));
  const body = order.batch === 0 ? (events[0] as string) : `[${events.join(',')}]`;
  const text = `POST /v0/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${order.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const keysAt = [...text.matchAll(new RegExp(`"${order.prefix}(?=${zeros}")`, 'g'))].map(
    ({ 0: found, index }) => index + found.length,
  );
  return { bytes: Buffer.from(text), keysAt };
}

/** The request of these numbers. */
function fill({ bytes, keysAt }: Template, first: number): Buffer {
  const request = Buffer.from(bytes);
  for (const [index, at] of keysAt.entries()) {
    let remaining = first + index;
    for (let place = at + DIGITS - 1; remaining > 0; place -= 1) {
      request[place] = 0x30 + (remaining % 10);
      remaining = Math.floor(remaining / 10);
    }
  }
  return request;
}

interface Client {
  readonly socket: Socket;
  first: number;
  sentAt: number;
  status: string;
  /** Of an answer of which a part has come: its bytes that are still to come. */
  missing: number;
}

async function run(order: FloodOrder): Promise<FloodReport> {
  const size = Math.max(1, order.batch);
  const templates = Array.from({ length: TEMPLATES }, (_, n) => templateOf(order, n * size * 7919));
  const log = createWriteStream(order.log);
  const statuses: Record<string, number> = {};
  const accepted: number[] = [];
  const refused: number[] = [];
  let [requests, due, unsent, withoutRetryAfter] = [0, 0, 0, 0];
  let isOver = false;
  let lines = '';

  const idle: Client[] = [];
  const send = (client: Client): void => {
    client.first = requests * size;
    client.sentAt = performance.now();
    client.socket.write(fill(templates[requests % TEMPLATES] as Template, client.first));
    requests += 1;
  };
  const answered = (client: Client): void => {
    const took = performance.now() - client.sentAt;
    statuses[client.status] = (statuses[client.status] ?? 0) + 1;
    (client.status === '202' ? accepted : refused).push(took);
    lines += `${client.first}\t${client.status}\n`;
    if (lines.length > 65_536) {
      log.write(lines);
      lines = '';
    }
    if (isOver) client.socket.end();
    else if (order.rate > 0) idle.push(client);
    else send(client);
  };
  const received = (client: Client, chunk: Buffer): void => {
    if (client.missing > 0) {
      client.missing -= chunk.length;
    } else {
      const head = chunk.indexOf(HEADER_END);
      if (head < 0) throw new Error('The head of an answer came in parts.');
      const text = chunk.toString('latin1', 0, head);
      client.status = text.slice(9, 12);
      if ((client.status === '429' || client.status === '503') && !/\r\nretry-after: \d+/i.test(text))
        withoutRetryAfter += 1;
      client.missing = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0) - chunk.length;
    }
    if (client.missing === 0) answered(client);
  };

  const clients = await Promise.all(
    Array.from(
      { length: order.connections },
      () =>
        new Promise<Client>((resolve, reject) => {
          const socket = connect(order.port, '127.0.0.1');
          const client: Client = { socket, first: 0, sentAt: 0, status: '', missing: 0 };
          socket.setNoDelay(true);
          socket.on('connect', () => resolve(client));
          socket.on('error', reject);
          socket.on('data', (chunk: Buffer) => received(client, chunk));
        }),
    ),
  );
  const closed = clients.map(({ socket }) => new Promise((resolve) => socket.on('close', resolve)));

  const began = performance.now();
  if (order.rate === 0) for (const client of clients) send(client);
  else idle.push(...clients);
  const end = began + order.seconds * 1000;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (order.rate === 0) continue;
    const until = Math.floor(((performance.now() - began) / 1000) * order.rate);
    for (; due < until; due += 1) {
      const client = idle.shift();
      if (client === undefined) unsent += 1;
      else send(client);
    }
  }
  isOver = true;
  const seconds = (performance.now() - began) / 1000;
  const acceptedEvents = accepted.length * size;
  for (const client of idle) client.socket.end();
  await Promise.all(closed); // what is under way counts in the log, not in the rate
  log.end(lines);
  await finished(log);
  return {
    seconds,
    due,
    unsent,
    statuses,
    acceptedEvents,
    withoutRetryAfter,
    p50: at(accepted, 0.5),
    p99: at(accepted, 0.99),
    refusedP50: at(refused, 0.5),
    refusedP99: at(refused, 0.99),
  };
}

const at = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;

const [text = '{}'] = process.argv.slice(2);
process.send?.(await run(JSON.parse(text) as FloodOrder));
process.disconnect?.();
