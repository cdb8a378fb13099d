import type { Tx } from '../../db/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EventRecord } from '../events/event-record.ts';
import { readOne } from '../events/read-batch.ts';
import type { EventCreate } from '../events/schemas.ts';
import { acceptEvents } from './intake.ts';

/** An event of ours, written as it would be sent to POST /v0/events; decimals as texts. */
export type OwnEvent = Omit<EventCreate, 'namespace'> & { readonly idempotencyKey: string };

/**
 * Accepts one event in the caller's transaction, as POST /v0/events would: the same checks, the same key, the same
 * content to compare. The same key and content again is the event as it was first accepted, whoever sent it first. A
 * refusal (failing fields, `IDEMPOTENCY_KEY_REUSED`) has stored no event. It waits for whoever is closing an invoice of
 * the merchant and keeps the ingest lock, shared, until the caller's transaction ends: so call it after what takes
 * long.
 */
export async function acceptInTransaction(tx: Tx, event: OwnEvent, now: Instant): Promise<Result<EventRecord>> {
  const read = readOne(event, { namespace: tx.merchantId, now, headerKey: undefined, mayNameAny: false });
  if (!read.ok) return read;
  const accepted = await acceptEvents(tx, [read.value], now);
  return accepted.ok ? ok(accepted.value[0] as EventRecord) : accepted;
}
