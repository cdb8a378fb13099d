import { type EnvironmentName, isHost } from '../../identity/index.ts';
import type { FieldError } from '../../kernel/result.ts';

/** The merchant's rules for the targets of its checkout pages. */
export interface RedirectRules {
  readonly environment: EnvironmentName;
  /** `settings.redirectHosts`: host names, with a port where it is not the usual one; none: every host. */
  readonly redirectHosts: readonly string[];
}

const MOST_CHARACTERS = 2048;
const ABSOLUTE = /^(https?):\/\/([^/?#]+)/i;
const UNSAFE = /[^\x21-\x7e]|["'<>\\`{|}^]/; // RFC 3986 writes all of these percent-encoded
const USUAL_PORT = /:443$/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Checks where a customer may be sent after a payment (api.md, Redirect URLs): https, http only to this machine in the
 * sandbox, and a host of the merchant's list where it has one. Browsers read addresses far more generously than people
 * do (`https:\evil.example`, `https:evil.example`, `https://shop.example@evil.example`, `https://0x7f.1`), so an
 * address is taken only where it is written as it is read: absolute, in plain ASCII, its host as the parser understands
 * it.
 * @returns what is wrong with it, as the end of a sentence; null where nothing is.
 */
export function checkRedirectUrl(text: string, rules: RedirectRules): string | null {
  if (text.length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`;
  const parts = ABSOLUTE.exec(text);
  const url = URL.parse(text);
  if (UNSAFE.test(text) || !parts || !url) return 'must be an absolute https URL in plain ASCII';
  const authority = (parts[2] as string).toLowerCase();
  if (authority.includes('@')) return 'must not have a user name or password';
  const isLocal = rules.environment === 'sandbox' && LOOPBACK.has(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) {
    return rules.environment === 'sandbox' ? 'must be https, or http to localhost' : 'must be https';
  }
  const host = authority.replace(/:\d+$/, '');
  if (host !== url.hostname || host.endsWith('.') || !(isLocal || isHost(url.host)))
    return 'must name its host plainly';
  const isAllowed = rules.redirectHosts.some((allowed) => allowed.toLowerCase().replace(USUAL_PORT, '') === url.host);
  return rules.redirectHosts.length === 0 || isAllowed ? null : 'must have a host among settings.redirectHosts';
}

/** The faults of some redirect URLs, each under the name of its field; absent ones are fine. */
export function redirectProblems(
  urls: Readonly<Record<string, string | null | undefined>>,
  rules: RedirectRules,
): FieldError[] {
  return Object.entries(urls).flatMap(([field, url]) => {
    const message = url == null ? null : checkRedirectUrl(url, rules);
    return message === null ? [] : [{ field, message }];
  });
}
