import { ReckonerError } from './errors.ts';
import type { WebhookDelivery } from './generated/types.ts';

/** A webhook whose signature does not hold: it did not come from the holder of the secret, or it is old. */
export class WebhookSignatureError extends ReckonerError {
  override readonly name = 'WebhookSignatureError';
}

/** The headers of a request, by whichever framework. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface UnwrapOptions {
  /** How old a delivery may be, and how far ahead its clock. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Of the receiver, in milliseconds since 1970. */
  readonly now?: number | undefined;
}

/** The delivery with the id of its event, which is the same in each attempt: an event counts once. */
export type Unwrapped = WebhookDelivery & { readonly eventId: string };

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';

/**
 * Checks the signature of a delivery (Standard Webhooks) and reads it: `switch (event.type)` knows the data of each.
 * @param body as it came, byte for byte: a body that was parsed and written again is another one
 * @param secrets of the endpoint; several while one is being replaced
 * @throws WebhookSignatureError
 */
export async function unwrap(
  body: string | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: UnwrapOptions = {},
): Promise<Unwrapped> {
  const eventId = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  if (!/^\d+$/.test(timestamp)) throw new WebhookSignatureError('webhook-timestamp is not a time.');
  if (Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookSignatureError('The delivery is too old, or from the future.');
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = joined(new TextEncoder().encode(`${eventId}.${timestamp}.`), content);
  for (const secret of [secrets].flat())
    for (const each of signatures)
      if (each.startsWith('v1,') && (await isSignedBy(secret, signed, each.slice(3)))) {
        const delivery = JSON.parse(new TextDecoder().decode(content)) as WebhookDelivery;
        return { ...delivery, eventId };
      }
  throw new WebhookSignatureError('No signature of the delivery is of this secret.');
}

/** Signs a delivery as Reckoner does, for tests of a receiver. @returns its headers */
export async function sign(
  body: string,
  { id, secret, now = Date.now() }: { readonly id: string; readonly secret: string; readonly now?: number },
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signature = await crypto.subtle.sign(
    'HMAC',
    await keyOf(secret),
    new TextEncoder().encode(`${id}.${timestamp}.${body}`),
  );
  const text = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${text}` };
}

/** Compares in constant time: the platform verifies. */
async function isSignedBy(secret: string, signed: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean> {
  const bytes = bytesOf(signature);
  return bytes !== null && crypto.subtle.verify('HMAC', await keyOf(secret), bytes, signed);
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : null;
  if (bytes === null || bytes.length === 0) throw new TypeError(`The secret of an endpoint begins with ${PREFIX}.`);
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
  } catch {
    return null;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function headerOf(headers: HeadersLike, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
  if (typeof value !== 'string' || value === '') throw new WebhookSignatureError(`The header ${name} is missing.`);
  return value;
}
