import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../kernel/network-address.ts';
import { fail, type Refusal } from '../kernel/result.ts';

/** As much of a request as tells where it comes from. */
interface Sent {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** The header that no form and no other site can send. */
const HEADER = 'x-reckoner-console';

/**
 * The refusal of a request that another site may have made the browser send; null: none. A read that another site asks
 * for is refused too, unless a person follows a link.
 */
export function crossSiteRefusal({ method, headers }: Sent, publicUrl: string): Refusal | null {
  const site = headers['sec-fetch-site'];
  if (method === 'GET' || method === 'HEAD')
    return site === 'cross-site' && headers['sec-fetch-mode'] !== 'navigate' ? fail('CROSS_SITE').refusal : null;
  const isOwn = site === undefined ? isOwnOrigin(headers, publicUrl) : site === 'same-origin';
  if (!isOwn) return fail('CROSS_SITE').refusal;
  return headers[HEADER] === '1' ? null : fail('CONSOLE_HEADER_MISSING').refusal;
}

/** On this machine the program has several names; elsewhere the public address is the only one. */
const isOwnOrigin = ({ origin, host }: IncomingHttpHeaders, publicUrl: string): boolean =>
  origin !== undefined &&
  (origin === new URL(publicUrl).origin || (isOfThisMachine(host) && origin === `http://${host}`));

/** May a session begin here? A password and a cookie travel in clear text by http, so it must not leave the machine. */
export const isSafeToSignIn = ({ host }: IncomingHttpHeaders, publicUrl: string): boolean =>
  publicUrl.startsWith('https:') || isOfThisMachine(host);

function isOfThisMachine(host: string | undefined): boolean {
  const address = URL.parse(`http://${host}`);
  if (host === undefined || address === null) return false;
  const name = address.hostname.replace(/^\[|\]$/g, '');
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}
