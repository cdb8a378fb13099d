import { createHmac, timingSafeEqual } from 'node:crypto';

/** Standard Webhooks 1.0: a secret is `whsec_` and its bytes in base64. */
const PREFIX = 'whsec_';

/** A secret of some bytes, as receivers are given it. */
export const formatSecret = (bytes: Buffer): string => PREFIX + bytes.toString('base64');

const sign = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64')}`;

/** A webhook without its target. */
export interface Message {
  /** The event's id, the same in every attempt. */
  readonly id: string;
  /** When this attempt is made, in whole seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The header `webhook-signature`: a signature by each secret that is valid now, one after the other. */
export const signatureOf = ({ id, timestamp, body }: Message, secrets: readonly string[]): string =>
  secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)).join(' ');

const TOLERANCE_SECONDS = 300;

/** Does one of the signatures of a webhook fit it, and is it fresh? As receivers check it. */
export function isSigned(
  message: Message,
  signatures: string,
  secrets: readonly string[],
  nowSeconds: number,
): boolean {
  if (Math.abs(nowSeconds - message.timestamp) > TOLERANCE_SECONDS) return false;
  const expected = secrets.map((secret) => Buffer.from(signatureOf(message, [secret])));
  const given = signatures.split(' ').map((each) => Buffer.from(each));
  return given.some((each) => expected.some((one) => one.length === each.length && timingSafeEqual(one, each)));
}
