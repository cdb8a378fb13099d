import { BlockList, isIP } from 'node:net';

const MOST_CHARACTERS = 64; // whatever a proxy passes on as an address

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Is this an address of this machine? IPv4 written as IPv6 (`::ffff:127.0.0.1`) counts as what it stands for. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The addresses that are counted as one: an IPv4 address, or the /64 of an IPv6 address, of which one customer of a
 * provider has at least one. IPv4 written as IPv6 counts as what it stands for.
 */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address.slice(0, MOST_CHARACTERS);
  const groups = groupsOf(address.replace(/%.*$/, ''));
  const isIpv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isIpv4)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number];
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = [], tail] = plain.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: zeros }, () => '0'), ...(tail ?? [])].map((group) =>
    Number.parseInt(group, 16),
  );
}
