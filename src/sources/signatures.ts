import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Instant } from '../kernel/time.ts';

/** A webhook as it came in. */
export interface Signed {
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** `absent`: nothing was signed, so an API key may speak for the caller instead. */
export type SignatureVerdict = 'valid' | 'invalid' | 'absent';

/** A signature is accepted for so long after its timestamp, and before it for clocks that go wrong. */
export const TOLERANCE_SECONDS = 300;

/** Compares in a time that tells nothing of either text. */
export function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

const header = ({ headers }: Signed, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Was this second at most five minutes ago, or ahead? */
export function isFresh(seconds: string, now: Instant): boolean {
  if (!/^\d{1,12}$/.test(seconds)) return false;
  return Math.abs(now.epochMilliseconds / 1000 - Number(seconds)) <= TOLERANCE_SECONDS;
}

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The bytes of a secret: `whsec_` and base64, as Standard Webhooks writes it, or the text itself. */
function keysOf(secret: string): Buffer[] {
  const body = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : secret;
  return [...(BASE64.test(body) ? [Buffer.from(body, 'base64')] : []), Buffer.from(secret, 'utf8')];
}

/** Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp`, `webhook-signature` with `v1,<base64>` for each key. */
export function checkStandardWebhook(signed: Signed, secret: string, now: Instant): SignatureVerdict {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    header(signed, name),
  );
  if (id === undefined && timestamp === undefined && signatures === undefined) return 'absent';
  if (!id || !timestamp || !signatures || !isFresh(timestamp, now)) return 'invalid';
  const expected = keysOf(secret).map((key) =>
    createHmac('sha256', key).update(`${id}.${timestamp}.`).update(signed.bytes).digest('base64'),
  );
  const given = signatures.split(' ').flatMap((each) => (each.startsWith('v1,') ? [each.slice('v1,'.length)] : []));
  return given.some((each) => expected.some((one) => sameText(each, one))) ? 'valid' : 'invalid';
}

/** Stripe: `Stripe-Signature: t=<seconds>,v1=<hex>` with one `v1` for each key that is valid at the time. */
export function checkStripeWebhook(signed: Signed, secret: string, now: Instant): SignatureVerdict {
  const text = header(signed, 'stripe-signature');
  if (text === undefined) return 'absent';
  const parts = text.split(',').map((part) => part.trim().split('='));
  const valuesOf = (name: string) => parts.flatMap(([key, value]) => (key === name && value ? [value] : []));
  const [timestamp] = valuesOf('t');
  if (timestamp === undefined || !isFresh(timestamp, now)) return 'invalid';
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(signed.bytes).digest('hex');
  return valuesOf('v1').some((each) => sameText(each, expected)) ? 'valid' : 'invalid';
}

/**
 * RevenueCat sends the `Authorization` header that was set in its dashboard, with or without the word Bearer. Another
 * value may be an API key of ours.
 */
export function checkAuthorization(signed: Signed, secret: string): SignatureVerdict {
  const given = header(signed, 'authorization');
  if (given === undefined) return 'absent';
  return [secret, `Bearer ${secret}`].some((each) => sameText(given, each)) ? 'valid' : 'absent';
}
