import type { Static } from '../../http/index.ts';
import type { Instant, InstantText } from '../../kernel/time.ts';
import type { Event } from './schemas.ts';

/** An accepted event without its data. */
export interface EventRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly type: string;
  readonly source: string;
  /** The customer of the event, as far as it is known now; for an unknown subscription, itself. */
  readonly subject: string | null;
  readonly externalSubject: string | null;
  readonly externalId: string | null;
  /** An instant, or its text as `formatInstant` writes it. */
  readonly at: Instant | string;
  readonly idempotencyKey: string;
}

/** §2, Metering event; a field with nothing to say is left out. */
export function toEventReply(event: EventRecord): Static<typeof Event> {
  const body: Static<typeof Event> = {
    id: event.id,
    object: 'event',
    type: event.type,
    source: event.source,
    namespace: event.merchantId,
    timestamp: event.at.toString() as InstantText,
    idempotencyKey: event.idempotencyKey,
  };
  if (event.subject !== null) body.subject = event.subject;
  if (event.externalSubject !== null) body.externalSubject = event.externalSubject;
  if (event.externalId !== null) body.externalId = event.externalId;
  return body;
}
