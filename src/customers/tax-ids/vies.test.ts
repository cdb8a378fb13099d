import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnswer, viesRegister } from './vies.ts';

const asked = { prefix: 'DE', number: '136695976' };
const verdict = (valid: boolean, more: object = {}) =>
  JSON.stringify({
    ...{ countryCode: 'DE', vatNumber: '136695976', requestDate: '2026-11-23T03:00:00.000Z', valid },
    ...{ requestIdentifier: '', name: '---', address: '---', ...more },
  });
const fault = (error: string) => JSON.stringify({ actionSucceed: false, errorWrappers: [{ error }] });

describe('an answer of VIES', () => {
  it.each([
    {
      what: 'a valid number',
      status: 200,
      text: verdict(true),
      outcome: { outcome: 'valid', name: null, address: null },
    },
    {
      what: 'a valid number with its holder',
      status: 200,
      text: verdict(true, { name: ' SAP SE ', address: 'Dietmar-Hopp-Allee 16\n69190 Walldorf' }),
      outcome: { outcome: 'valid', name: 'SAP SE', address: 'Dietmar-Hopp-Allee 16\n69190 Walldorf' },
    },
    { what: 'an unknown number', status: 200, text: verdict(false), outcome: { outcome: 'invalid' } },
    {
      what: 'an unknown number, said twice',
      status: 200,
      text: verdict(false, { userError: 'INVALID' }),
      outcome: { outcome: 'invalid' },
    },
  ])('tells of $what', ({ status, text, outcome }) => {
    expect(readAnswer(asked, status, text)).toEqual(outcome);
  });

  it.each([
    { what: 'the register of the member state is away', status: 500, text: fault('MS_UNAVAILABLE') },
    { what: 'the same with status 200', status: 200, text: fault('MS_UNAVAILABLE') },
    { what: 'an error beside valid: false', status: 200, text: verdict(false, { userError: 'MS_UNAVAILABLE' }) },
    { what: 'too many calls', status: 400, text: fault('MS_MAX_CONCURRENT_REQ') },
    { what: 'a call that it does not understand', status: 400, text: fault('INVALID_INPUT') },
    { what: 'an error without a code', status: 200, text: '{"actionSucceed":false}' },
    { what: 'a status that is none of success', status: 503, text: verdict(false) },
    { what: 'no JSON', status: 200, text: '<html>Sorry</html>' },
    { what: 'nothing', status: 200, text: '' },
    { what: 'a list', status: 200, text: '[]' },
    { what: 'a verdict in words', status: 200, text: verdict(false).replace('false', '"false"') },
    { what: 'no verdict', status: 200, text: '{"countryCode":"DE","vatNumber":"136695976"}' },
    { what: 'a verdict on another number', status: 200, text: verdict(true, { vatNumber: '136695977' }) },
    { what: 'a verdict on another country', status: 200, text: verdict(false, { countryCode: 'AT' }) },
  ])('is none where there is $what', ({ status, text }) => {
    expect(readAnswer(asked, status, text)).toMatchObject({ outcome: 'unavailable', reason: expect.any(String) });
  });
});

describe('a call of VIES', () => {
  let server: Server;
  let url: string;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const calls: { url: string | undefined; method: string | undefined; body: unknown }[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(parts).toString() || 'null');
        calls.push({ url: request.url, method: request.method, body });
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const check = (limits = { timeoutMilliseconds: 5000, mostBytes: 10_000 }) =>
    viesRegister(`${url}/rest-api`, limits).check(asked);

  it('posts the two parts of the number', async () => {
    answer = (_, response) => response.end(verdict(true));
    expect(await check()).toEqual({ outcome: 'valid', name: null, address: null });
    expect(calls.at(-1)).toEqual({
      url: '/rest-api/check-vat-number',
      method: 'POST',
      body: { countryCode: 'DE', vatNumber: '136695976' },
    });
  });

  it.each<{ what: string; respond: typeof answer; limits?: { timeoutMilliseconds: number; mostBytes: number } }>([
    {
      what: 'never answers',
      respond: () => undefined,
      limits: { timeoutMilliseconds: 50, mostBytes: 10_000 },
    },
    {
      what: 'stops in the middle of its answer',
      respond: (_, response) => void response.write('{"valid":'),
      limits: { timeoutMilliseconds: 50, mostBytes: 10_000 },
    },
    { what: 'hangs up', respond: (request) => void request.socket.destroy() },
    {
      what: 'answers without end',
      respond: (_, response) => void response.end(`${verdict(true)}${' '.repeat(20_000)}`),
    },
    {
      what: 'sends the call elsewhere',
      respond: (_, response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    },
  ])('is unavailable where the server $what', async ({ respond, limits }) => {
    answer = respond;
    expect(await check(limits)).toMatchObject({ outcome: 'unavailable' });
  });

  it('is unavailable without a server', async () => {
    expect(await viesRegister('http://127.0.0.1:1').check(asked)).toMatchObject({ outcome: 'unavailable' });
  });
});
