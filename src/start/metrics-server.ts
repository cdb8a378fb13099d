import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EnvironmentName } from '../settings.ts';
import { explainListening } from './failure.ts';

/** The metrics of the environments of this process, on a port of their own (docs/running.md). */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `/metrics/production` and `/metrics/sandbox`; `/metrics` is the first of them. It asks for no key: the network
 * decides who reaches the port.
 */
export async function openMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  texts: ReadonlyMap<EnvironmentName, () => Promise<string>>,
): Promise<MetricsServer> {
  const [first] = texts.values();
  const server = createServer(async (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const text = path === '/metrics' ? first : texts.get(path.replace(/^\/metrics\//, '') as EnvironmentName);
    if (!text || (request.method !== 'GET' && request.method !== 'HEAD')) return void response.writeHead(404).end();
    const made = await text().catch(() => null);
    if (made === null) return void response.writeHead(503).end();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    response.end(made);
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

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((listening, failed) => {
    server.once('error', (error) => failed(explainListening(error, host, port, 'METRICS_PORT')));
    server.listen({ host, port }, () => listening());
  });
