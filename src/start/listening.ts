import { createServer, type Server } from 'node:net';
import { isLoopback } from '../kernel/network-address.ts';
import { explainListening } from './failure.ts';

/** A port that is ours until `release`. */
export interface ReservedPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Finds out which port a server will have before it is built, since its links name it. A given port is only tried, and
 * let go at once: nobody shall reach it before there is an answer. A free one (0) is held, for the system could give it
 * to somebody else.
 */
export async function reservePort(host: string, port: number, setting: string): Promise<ReservedPort> {
  const holder = await listen(host, port, setting);
  const address = holder.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  const release = () => new Promise<void>((closed) => holder.close(() => closed()));
  if (port === 0) return { port: actual, release };
  await release();
  return { port: actual, release: async () => undefined };
}

function listen(host: string, port: number, setting: string): Promise<Server> {
  return new Promise((listening, failed) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error) => failed(explainListening(error, host, port, setting)));
    server.listen({ host, port, exclusive: true }, () => listening(server));
  });
}

/** The addresses that mean "all of them", with the one that a program on this machine calls. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** The address a program on this machine calls. An address that means "all of them" is none that can be called. */
export function reachableUrl(host: string, port: number): string {
  const callable = LOOPBACK_OF[host] ?? host;
  return `http://${callable.includes(':') ? `[${callable}]` : callable}:${port}`;
}

/** Can only this machine reach what listens there? A name other than `localhost` may lead anywhere. */
export const isLoopbackHost = (host: string): boolean => host.toLowerCase() === 'localhost' || isLoopback(host);
