import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { type ClickHouse, connectClickHouse } from '../../src/metering/clickhouse/store.ts';
import { type Engine, openEngine } from './clickhouse-engine.ts';

/** The fate of a request: lost before it has an effect, or its answer lost, or half of the answer. */
export type Loss = 'before' | 'after' | 'half';

/**
 * ClickHouse's HTTP interface before the engine in this process: the part that our client uses, and faults of a
 * network.
 */
export interface ServedEngine {
  /** With user and password. */
  readonly url: string;
  /** Through the client and the network, as in production. */
  readonly clickhouse: ClickHouse;
  /** Called before each statement. The statement runs when this has answered, even if its caller has gone. */
  onStatement: (text: string) => Loss | null | Promise<Loss | null>;
  /** Runs a statement at the server itself, as another client does. */
  readonly run: Engine['run'];
  close(): Promise<void>;
}

const USER = 'reckoner';
export const PASSWORD = 'correct horse';
const AUTHORIZATION = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
/** As a server has it (`http_max_field_value_size`). */
const MOST_FIELD_BYTES = 128 * 1024;

export async function openServedEngine(): Promise<ServedEngine> {
  const engine = await openEngine();
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const url = `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/default`;
  const { clickhouse } = await connectClickHouse(url);
  const served: ServedEngine = {
    url,
    clickhouse,
    onStatement: () => null,
    run: (text) => engine.run(text),
    close: async () => {
      await clickhouse.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await before;
      await engine.close();
    },
  };
  let before: Promise<unknown> = Promise.resolve();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request); // a request that breaks off is none
    if (request.headers.authorization !== AUTHORIZATION) {
      refuse(response, 403, 'Code: 516. DB::Exception: reckoner: Authentication failed (AUTHENTICATION_FAILED)');
      return;
    }
    const { text, parameters } = statementOf(request, body);
    const tooLong = parameters.find(([, value]) => Buffer.byteLength(value) > MOST_FIELD_BYTES);
    if (tooLong !== undefined) {
      refuse(response, 500, 'Poco::Exception. Code: 1000, e.code() = 0, HTML Form Exception: Field value too long');
      return;
    }
    const loss = await served.onStatement(text);
    if (loss === 'before') {
      response.destroy();
      return;
    }
    const run = before.then(() => engine.run([...parameters.map(setting), text].join('; ')));
    before = run.catch(() => undefined); // parameters are the session's, so one at a time
    const said = await run.catch((error: unknown) => error as Error);
    if (loss === 'after') response.destroy();
    else if (typeof said !== 'string') refuse(response, 500, said.message);
    else if (loss === null) response.end(said);
    else {
      response.writeHead(200, { 'content-length': Buffer.byteLength(said) });
      response.write(said.slice(0, said.length / 2), () => response.destroy());
    }
  }

  return served;
}

function statementOf({ url = '', headers }: IncomingMessage, body: string) {
  const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1];
  const form = boundary === undefined ? [] : partsOf(body, boundary);
  const fields = [...new URL(url, 'http://localhost').searchParams, ...form];
  const text = fields.find(([name]) => name === 'query')?.[1];
  const tail = boundary === undefined ? body : '';
  return {
    text: text === undefined ? tail : `${text}\n${tail}`,
    parameters: fields.filter(([name]) => name.startsWith('param_')),
  };
}

/** Names and values of a form. */
const partsOf = (body: string, boundary: string): [string, string][] =>
  body.split(`--${boundary}`).flatMap((part) => {
    const [, name, value] = /name="([^"]+)"\r\n\r\n([\s\S]*)\r\n$/.exec(part) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });

const setting = ([name, value]: [string, string]): string =>
  `set ${name} = '${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function refuse(response: ServerResponse, status: number, message: string): void {
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '0';
  response.writeHead(status, { 'x-clickhouse-exception-code': code });
  response.end(message);
}
