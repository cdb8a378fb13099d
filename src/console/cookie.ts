import type { EnvironmentName } from '../identity/index.ts';

/** A browser keeps the cookie as long as a session may last; its row decides when it ends. */
const MOST_SECONDS = 30 * 24 * 3600;
/** The form of a token of better-auth. */
const TOKEN = /^[A-Za-z0-9]{16,128}$/;

/** The cookie that holds the session of the console. */
export interface SessionCookie {
  /** The token in the header `Cookie`; empty: none. */
  tokenIn(header: string | undefined): string;
  /** `Set-Cookie` for a token. */
  set(token: string): string;
  /** `Set-Cookie` that removes it. */
  readonly removed: string;
}

/**
 * No script reads it, and no other site sends it along with a form. Browsers do not tell ports apart, so production and
 * sandbox have different names. By https no neighbouring host can replace it (`__Host-`).
 */
export function sessionCookie(environment: EnvironmentName, publicUrl: string): SessionCookie {
  const isHttps = publicUrl.startsWith('https:');
  const name = `${isHttps ? '__Host-' : ''}reckoner_console_${environment}`;
  const place = isHttps ? 'Path=/; Secure' : 'Path=/console';
  const set = (value: string, seconds: number) =>
    `${name}=${value}; ${place}; Max-Age=${seconds}; HttpOnly; SameSite=Lax`;
  return {
    tokenIn: (header = '') => {
      const found = header.split(';').map((pair) => pair.trim().split('=', 2));
      const token = found.find(([each]) => each === name)?.[1] ?? '';
      return TOKEN.test(token) ? token : '';
    },
    set: (token) => set(token, MOST_SECONDS),
    removed: set('', 0),
  };
}
