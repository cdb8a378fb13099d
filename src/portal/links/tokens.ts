import { createHash, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../../kernel/ids.ts';

const TOKEN_LENGTH = 43; // 256 random bits
const TOKEN = /^[0-9A-Za-z]{43}$/;

/** The secret of a link or of a session; only the browser stores it. */
export const newToken = (): string => randomBase62(TOKEN_LENGTH);

/** @returns null for a text that is no token, without a look-up */
export const hashOfToken = (token: string | undefined): Buffer | null =>
  token !== undefined && TOKEN.test(token) ? createHash('sha256').update(token).digest() : null;

/** The key in each form of a session, so that another session, or another site, cannot send it. */
export const formKeyOf = (sessionToken: string): string =>
  createHash('sha256').update(`form of ${sessionToken}`).digest('base64url');

/** Is it the key of this session's forms? Compared in constant time. */
export function isFormKey(sessionToken: string, given: string): boolean {
  const [expected, sent] = [Buffer.from(formKeyOf(sessionToken)), Buffer.from(given)];
  return expected.length === sent.length && timingSafeEqual(expected, sent);
}
