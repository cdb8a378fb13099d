import { createServer, type Server } from 'node:net';
import { isLoopback } from '../kernel/network-address.ts';
import { explainListening, StartFailure } from './failure.ts';

/** A port that is ours until `release`. */
export interface ReservedPort {
  readonly port: number;
  release(): Promise<void>;
}

/** A port that a server shall have. */
export interface WantedPort {
  /** The variable that chooses it. */
  readonly setting: string;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** May another port be taken where this one is in use? */
  readonly mayMove: boolean;
}

/**
 * Finds out which ports the servers will have before they are built, since their links name them. A given port is only
 * tried, and let go at once: nobody shall reach it before there is an answer. A free one (0) is held, for the system
 * could give it to somebody else.
 * @returns the ports in their order; one that is in use and may move is the next free one
 * @throws PortsInUse for all other ports that are in use
 */
export async function reservePorts(wanted: readonly WantedPort[]): Promise<ReservedPort[]> {
  const taken = new Set(wanted.map(({ port }) => port));
  const reserved: ReservedPort[] = [];
  const busy: BusyPort[] = [];
  try {
    for (const each of wanted) {
      const port = await tryPort(each);
      if (port) {
        reserved.push(port);
        continue;
      }
      const next = await nextFreePort(each, taken);
      busy.push({ ...each, next });
      reserved.push({ port: next, release: async () => undefined });
    }
    if (busy.some(({ mayMove, next }) => !mayMove || next === 0)) throw new PortsInUse(busy);
  } catch (error) {
    for (const port of reserved) await port.release();
    throw error;
  }
  return reserved;
}

interface BusyPort extends WantedPort {
  /** 0: none was found. */
  readonly next: number;
}

/** Ports that other programs have, with free ones to take instead. */
export class PortsInUse extends StartFailure {
  constructor(busy: readonly BusyPort[]) {
    const ports = busy.map(({ port }) => port);
    const settings = busy.map(({ setting, next }) => `${setting}=${next}`);
    super(
      ports.length === 1
        ? `Port ${ports[0]} is in use by another program.`
        : `The ports ${ports.join(' and ')} are in use by other programs.`,
      `choose ${ports.length === 1 ? 'another port, which is' : 'other ports, which are'} free now: ` +
        `${settings.join(' ')} npm start`,
    );
    this.name = 'PortsInUse';
  }
}

/** Null where another program has it. */
async function tryPort({ host, port, setting }: WantedPort): Promise<ReservedPort | null> {
  let holder: Server;
  try {
    holder = await listen(host, port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw explainListening(error, host, port, setting);
  }
  const address = holder.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  const release = () => new Promise<void>((closed) => holder.close(() => closed()));
  if (port === 0) return { port: actual, release };
  await release();
  return { port: actual, release: async () => undefined };
}

const FARTHEST = 100;
const HIGHEST = 65_535;

/** The first free port after one that is in use; it is added to those that are taken. 0 if there is none near by. */
async function nextFreePort(wanted: WantedPort, taken: Set<number>): Promise<number> {
  for (let port = wanted.port + 1; port <= Math.min(wanted.port + FARTHEST, HIGHEST); port += 1) {
    if (taken.has(port) || !(await tryPort({ ...wanted, port }).catch(() => null))) continue;
    taken.add(port);
    return port;
  }
  return 0;
}

function listen(host: string, port: number): Promise<Server> {
  return new Promise((listening, failed) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', failed);
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
