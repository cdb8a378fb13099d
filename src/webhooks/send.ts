import { placeOf, type Sealer } from '../kernel/sealing.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { Answered } from './attempts.ts';
import { type GuardOptions, readTarget } from './guard.ts';
import type { Post } from './post.ts';
import { signatureOf } from './signature.ts';

/** The transport of webhooks out of an environment: network, keys, and the limits of addresses. */
export interface WebhookTransport {
  readonly post: Post;
  readonly sealer: Sealer;
  readonly guard: GuardOptions;
  /** The environment's own inbox takes webhooks without a network; null in production. */
  readonly inbox: { readonly url: string; readonly post: Post } | null;
}

/** An event for an endpoint. */
export interface Outgoing {
  readonly eventId: string;
  readonly endpointId: string;
  readonly url: string;
  /** Sealed. */
  readonly secrets: readonly string[];
  readonly type: string;
  readonly happenedAt: Instant;
  readonly data: unknown;
}

/** The body of an event: the same bytes in every attempt. */
const bodyOf = ({ type, happenedAt, data }: Outgoing): string =>
  JSON.stringify({ type, timestamp: formatInstant(happenedAt), data });

const failed = (error: string): Answered => ({ kind: 'failed', error });

/** Sends an event to an endpoint, signed, and says what came of it. The URL is checked again. @param now wall time */
export async function send(
  transport: WebhookTransport,
  outgoing: Outgoing,
  now: Instant,
  signal: AbortSignal,
): Promise<Answered> {
  const secrets = outgoing.secrets.map((sealed) => transport.sealer.open(sealed, placeOf(outgoing.endpointId)));
  const readable = secrets.filter((secret) => secret !== null);
  if (readable.length === 0) return failed('The secret of the endpoint cannot be read. Rotate it.');
  const body = bodyOf(outgoing);
  const message = { id: outgoing.eventId, timestamp: Math.floor(now.epochMilliseconds / 1000), body };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Reckoner',
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    'webhook-signature': signatureOf(message, readable),
    'webhook-endpoint-id': outgoing.endpointId,
  };
  if (transport.inbox?.url === outgoing.url)
    return transport.inbox.post({ url: new URL(outgoing.url), isLoopback: true }, body, headers, signal);
  const target = readTarget(outgoing.url, transport.guard);
  if (typeof target === 'string') return failed(`The URL ${target}.`);
  return transport.post(target, body, headers, signal);
}
