import { connect } from 'node:net';
import { median, numbersOf } from './support/arguments.ts';
import { type Target, withStack } from './support/stack.ts';

/** How long one body holds the event loop, whatever is in it. See README.md. */

const { rounds, limit } = numbersOf({ rounds: 5, limit: 50 });

const MOST_BYTES = 8 * 1024 * 1024;
const START = Date.now();

/** As many of them as fit into what a body may have. */
const filled = (begin: string, part: string, end: string): string =>
  begin + part.repeat(Math.floor((MOST_BYTES - begin.length - end.length - 1) / part.length)) + end;

const eventOf = (number: number, data: string): string =>
  `{"type":"call","source":"https://api.example.com/v1","externalSubject":"customer-${number % 1_000}","idempotencyKey":"k${START}-${number}","data":{${data}}}`;

let sent = 0;
const batchOf = (events: number, data: string): string =>
  `[${Array.from({ length: events }, () => {
    sent += 1;
    return eventOf(sent, data);
  }).join()}]`;
const fields = (count: number, value: string): string =>
  Array.from({ length: count }, (_, index) => `"field${index}":${value}`).join();

/** Each made anew for each round, so that no event is a repeated one. */
const BODIES: Readonly<Record<string, () => string>> = {
  '[1e1,…]': () => filled('[', '1e1,', '1]'),
  '[1e100,…]': () => filled('[', '1e100,', '1]'),
  '[{},{},…]': () => filled('[', '{},', '{}]'),
  '{"data":{"a":[1e100,…]}}': () => filled('{"data":{"a":[', '1e100,', '1]}}'),
  '500,000 keys': () => `{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":1e100`).join()}}`,
  '[[[[…': () => filled('', '[', ''),
  'one text': () => `["${'é'.repeat(MOST_BYTES / 2 - 8)}"]`,
  'events of 2,000 values': () => filled('[', `{"data":{"a":[${'1e100,'.repeat(1_990)}1]}},`, '1]'),
  'values of 2,000 a time, 500,000': () => `[${`[${'1e100,'.repeat(1_990)}1],`.repeat(249)}1]`,
  '10,000 events without a field': () => `[${'{},'.repeat(9_999)}{}]`,
  '10,000 × 20 exponents': () => batchOf(10_000, fields(20, '1.5e3')),
  '10,000 × 20 of 17 digits': () => batchOf(10_000, fields(20, '0.12345678901234567')),
  '10,000 × 30 texts': () => batchOf(10_000, fields(30, '"some text"')),
  '200 × 32 KiB': () => batchOf(200, `"text":"${'x'.repeat(32_000)}"`),
};

await withStack(async (stack) => {
  await stack.serving(await stack.database(), async (target) => {
    for (let warm = 0; warm < 3; warm += 1) await post(target, batchOf(1_000, fields(20, '1e100')));
    let worst = 0;
    for (const [name, body] of Object.entries(BODIES)) {
      const [holds, times]: [number[], number[]] = [[], []];
      let status = '';
      for (let round = 0; round < rounds; round += 1) {
        const text = body();
        await target.longestHold();
        const began = performance.now();
        status = await post(target, text);
        times.push(performance.now() - began);
        holds.push(await target.longestHold());
      }
      const hold = median(holds);
      worst = Math.max(worst, hold);
      console.log(
        `  ${name.padEnd(34)} ${status}   ${median(times).toFixed(0).padStart(5)} ms   loop held ${hold.toFixed(1).padStart(6)} ms   most ${Math.max(...holds).toFixed(1)}`,
      );
    }
    console.log(
      `  ${'longest hold of the loop ÷ limit'.padEnd(34)} ${(worst / limit).toFixed(2)}   wanted ≤ 1 (${limit} ms)   ${worst <= limit ? 'yes' : 'NO'}`,
    );
  });
});

/** Sends a body on a connection of its own and answers the status. */
function post({ port, key }: Target, body: string): Promise<string> {
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST /v0/events HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\nconnection: close\r\n\r\n`,
      );
      socket.write(bytes);
    });
    let answer = '';
    socket.on('data', (data) => {
      answer += data.toString('latin1', 0, 16);
    });
    socket.on('close', () => resolve(answer.slice(9, 12)));
    socket.on('error', (error) => (answer === '' ? reject(error) : resolve(answer.slice(9, 12))));
  });
}
