import type { Static } from '../http/index.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import type { Event } from './schemas.ts';

/** An accepted event without its data. */
export interface EventRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly type: string;
  readonly source: string;
  /** The customer whose event it is, as far as that is known now; for a subscription that nobody announced, itself. */
  readonly subject: string | null;
  readonly externalSubject: string | null;
  readonly externalId: string | null;
  readonly at: Instant;
  readonly idempotencyKey: string;
}

/** §2, Metering event; a field with nothing to say is left out. */
export const presentEvent = (event: EventRecord): Static<typeof Event> => ({
  id: event.id,
  object: 'event',
  type: event.type,
  source: event.source,
  ...(event.subject !== null && { subject: event.subject }),
  ...(event.externalSubject !== null && { externalSubject: event.externalSubject }),
  namespace: event.merchantId,
  timestamp: formatInstant(event.at),
  idempotencyKey: event.idempotencyKey,
  ...(event.externalId !== null && { externalId: event.externalId }),
});
