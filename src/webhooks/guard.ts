import { BlockList, isIP } from 'node:net';

/** The target of a webhook: a checked URL. */
export interface Target {
  readonly url: URL;
  /** This machine, in the sandbox. */
  readonly isLoopback: boolean;
}

export interface GuardOptions {
  /** May webhooks go to this machine, also without TLS and to any port? In the sandbox only. */
  readonly allowsLoopback: boolean;
}

const MOST_LENGTH = 2048;
const PORTS = new Set(['', '443', '8443']);
const LOOPBACK_NAME = /^(?:[^.]+\.)*localhost$/;
/** Names that only networks of one's own know (RFC 6762, RFC 8375, ICANN's .internal). */
const PRIVATE_NAME = /(?:^|\.)(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/**
 * Reads the URL of an endpoint: https to a public host on port 443 or 8443. The host is normalised by
 * the URL itself, so that 0x7f.1 and full-width digits are the addresses that they stand for.
 * @returns what is wrong with it, as the end of a sentence; or the target
 */
export function readTarget(text: string, { allowsLoopback }: GuardOptions): Target | string {
  const url = text.length <= MOST_LENGTH ? URL.parse(text) : null;
  if (url === null) return 'must be a URL of at most 2,048 characters, such as https://example.com/webhooks';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  const host = hostOf(url);
  const isLoopback = isLoopbackHost(host);
  if (isLoopback && allowsLoopback) return { url, isLoopback };
  if (url.protocol !== 'https:')
    return allowsLoopback ? 'must begin with https://, or lead to this machine' : 'must begin with https://';
  if (!PORTS.has(url.port)) return 'must have port 443 or 8443';
  if (isIP(host) !== 0 ? !isPublicAddress(host) : !isPublicName(host)) return 'must lead to a public address';
  return { url, isLoopback: false };
}

/** The host of a URL without brackets, and without the dot that may end a name. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

const isLoopbackHost = (host: string): boolean =>
  LOOPBACK_NAME.test(host) || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';

const isPublicName = (host: string): boolean =>
  host.includes('.') && !LOOPBACK_NAME.test(host) && !PRIVATE_NAME.test(host);

/** Networks that are not of the public Internet (IANA, special-purpose registries). */
const BLOCKED_4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** Inside 2000::/3, the only part of IPv6 that is public. */
const BLOCKED_6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const blocked = new BlockList();
for (const [network, prefix] of BLOCKED_4) blocked.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of BLOCKED_6) blocked.addSubnet(network, prefix, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Is this an address of the public Internet? Everything that is not known to be one is none. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !blocked.check(address, 'ipv4');
  return family === 6 && global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}

/** The addresses of a name, which was looked up by us. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** No connection was opened, because the target leads to where webhooks may not go. */
export class BlockedAddress extends Error {}

/**
 * The addresses that may be dialled for a target, and no others: who dials them does not look the name up again.
 * @throws BlockedAddress where one of them is not public
 */
export async function addressesOf({ url, isLoopback }: Target, resolve: Resolve): Promise<readonly string[]> {
  const host = hostOf(url);
  if (isLoopback) return isIP(host) === 0 ? ['127.0.0.1', '::1'] : [host];
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (!addresses.every(isPublicAddress)) throw new BlockedAddress(`${host} does not lead to a public address.`);
  return addresses;
}
