import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EnvironmentName } from '../settings.ts';
import { explainListening } from './failure.ts';

/** The metrics of the environments of this process, on a port of their own (docs/running.md). */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

type Texts = ReadonlyMap<EnvironmentName, () => Promise<string>>;

/**
 * Serves `/metrics/production` and `/metrics/sandbox`; `/metrics` is the first of them. It asks for no key: the network
 * decides who reaches the port.
 */
export async function openMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  texts: Texts,
  onTrouble: (error: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    answer(texts, request, response).catch((error: unknown) => {
      onTrouble(error);
      response.writeHead(503).end();
    });
  });
  await listen(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function answer(texts: Texts, { method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ''] = url.split('?');
  const [first] = texts.values();
  const make = path === '/metrics' ? first : texts.get(path.replace(/^\/metrics\//, '') as EnvironmentName);
  if (!make || (method !== 'GET' && method !== 'HEAD')) return void response.writeHead(404).end();
  const text = await make();
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
}

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((listening, failed) => {
    server.once('error', (error) => failed(explainListening(error, host, port, 'METRICS_PORT')));
    server.listen({ host, port }, () => listening());
  });
