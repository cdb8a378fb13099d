import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test server does with one request: an answer, or `drop`: it closes the connection without one. */
export type Fault =
  | 'drop'
  | 'silence'
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface FaultyServer {
  readonly url: string;
  readonly seen: Seen[];
  /** What happens to the next requests, in order; then each is answered by `usual`. */
  next(...faults: readonly Fault[]): void;
  close(): Promise<void>;
}

/** A server that fails as a test says. @param usual the answer when nothing is planned */
export async function openFaultyServer(usual: (seen: Seen) => Fault): Promise<FaultyServer> {
  const seen: Seen[] = [];
  let planned: Fault[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers, body });
    const fault = planned.shift() ?? usual(seen.at(-1) as Seen);
    if (fault === 'drop') return void response.destroy();
    if (fault === 'silence') return;
    response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
    response.end(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body ?? {}));
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    next: (...faults) => {
      planned = [...faults];
      seen.length = 0;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
