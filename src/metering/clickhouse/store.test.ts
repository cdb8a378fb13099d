import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openProjection } from './projection.ts';
import { connectClickHouse } from './store.ts';

/** A server that answers all requests in one way, and remembers them. */
let server: Server;
let answer: { status?: number; text: string; headers?: Record<string, string> };
let requests: IncomingMessage[];
let origin: string;
beforeEach(async () => {
  requests = [];
  answer = { text: '[]' };
  server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.text);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const ask = async (credentials = 'ann:s%40cret@') => {
  const { clickhouse } = await connectClickHouse(`http://${credentials}${origin}/usage`);
  try {
    return await clickhouse.columns({ text: 'select 1' });
  } finally {
    await clickhouse.close();
  }
};

describe('CLICKHOUSE_URL', () => {
  it('has user and password sent in a header, and nowhere else', async () => {
    await ask();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Basic ${btoa('ann:s@cret')}`]);
    expect(requests.map(({ url }) => url).join()).not.toMatch(/ann|cret/);
  });

  it('names the database', async () => {
    await ask();
    expect(new URL(requests[0]?.url ?? '', 'http://x').searchParams.get('database')).toBe('usage');
  });

  it.each([
    { query: '', mode: { kind: 'single' } },
    { query: '?cluster=main', mode: { kind: 'cluster', cluster: 'main' } },
  ])('with "$query" is $mode.kind, and is shown without user and password', async ({ query, mode }) => {
    const connected = await connectClickHouse(`http://ann:s%40cret@${origin}/usage${query}`);
    expect(connected).toMatchObject({ mode, shownUrl: `http://${origin}/usage` });
    await connected.clickhouse.close();
  });
});

describe('an answer', () => {
  it.each([
    { what: 'is cut off', text: '[["1","2"],["3"' },
    { what: 'is nothing', text: '' },
    { what: 'is a page', text: '<html>It works!</html>' },
    { what: 'says an error in its own format', text: '{"exception": "Code: 159. DB::Exception: Timeout exceeded"}' },
  ])('that $what is no answer', async ({ text }) => {
    answer = { text };
    await expect(ask()).rejects.toThrow();
  });

  it('that is an error is that error, and nothing is printed', async () => {
    const printed = ['log', 'info', 'warn', 'error', 'debug'].map((name) =>
      vi.spyOn(console, name as 'log').mockImplementation(() => undefined),
    );
    answer = { status: 500, text: 'Code: 60. DB::Exception: Table usage.event_x does not exist. (UNKNOWN_TABLE)' };
    await expect(ask()).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' });
    for (const spy of printed) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe('a start', () => {
  it.each([
    { what: 'of a version that can be used', text: '[["26.7.1.1"]]', told: [] },
    { what: 'of the first such version', text: '[["25.3.2.39"]]', told: [] },
    { what: 'of an older year', text: '[["24.12.1.1"]]', told: ['version 24.12.1.1 is too old'] },
    { what: 'of an older month', text: '[["25.2.1.1"]]', told: ['version 25.2.1.1 is too old'] },
    { what: 'of something else', text: '<html>It works!</html>', told: ['SyntaxError'] },
    {
      what: 'of a wrong password',
      status: 403,
      text: 'Code: 516. DB::Exception: ann: Authentication failed. (AUTHENTICATION_FAILED)',
      told: ['Authentication failed'],
    },
  ])('tells what is wrong $what, without the password', async ({ text, status = 200, told }) => {
    answer = { text, status };
    const troubles: string[] = [];
    const onTrouble = (error: Error, what: string) => troubles.push(`${what}: ${error.message}`);
    await (await openProjection(`http://ann:s%40cret@${origin}/usage`, { onTrouble })).close();
    expect(troubles).toEqual(told.map((each) => expect.stringContaining(each)));
    expect(troubles.filter((each) => !each.includes(`ClickHouse at http://${origin}/usage: `))).toEqual([]);
    expect(troubles.join()).not.toContain('cret');
  });
});
