import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BASE62, KEY_LENGTH, randomBase62 } from '../kernel/ids.ts';

const SECRET_LENGTH = 34;
const CHECKSUM_LENGTH = 6;

export type EnvironmentName = 'production' | 'sandbox';

/**
 * A new API key: `rk_live_` or `rk_test_` and 40 base62 characters, of which the last six are a checksum. The checksum
 * is for secret scanners and never a condition of authentication (api.md, Identity).
 */
export function generateApiKey(environment: EnvironmentName): string {
  const secret = randomBase62(SECRET_LENGTH);
  return `rk_${environment === 'production' ? 'live' : 'test'}_${secret}${checksum(secret)}`;
}

function checksum(secret: string): string {
  let value = crc32(secret);
  let text = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    text = BASE62[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}

/** Can this be a key at all? Operators choose the first one themselves, so only its length says so. */
export const isWellFormed = (key: string): boolean => key.length >= KEY_LENGTH.least && key.length <= KEY_LENGTH.most;

/** The stored hash of a key. A random secret needs no slow hash. */
export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');

/** The visible part of a key after its creation. */
export const keyDisplay = (key: string): { prefix: string; last4: string } => ({
  prefix: key.slice(0, 8),
  last4: key.slice(-4),
});
