import { allOf, insertion, keptTotal, pageOfRows, recordset, sql, type Tx, withJsonb } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { SourceEventStatus } from './event-states.ts';
import type { SourceEvent } from './source.ts';

const INSERTED = sql`id, merchant_id, source_id, external_event_id, payment_reference, status, customer_external_id,
  customer_id, amount, currency, occurred_at, attributes, raw_data, usage_event_ids, created_at, updated_at`;
const COLUMNS = sql`${INSERTED}, subscription_id, error_message, processed_at, processed_by`;

/**
 * @returns undefined where the event, or its payment, was received before; two at once wait for each other on the
 *   index.
 */
export const insertSourceEvent = (tx: Tx, event: SourceEvent) =>
  tx.maybe<SourceEvent>(sql`
    ${insertion('source_event', withJsonb(event, 'attributes', 'rawData'), INSERTED)}
    on conflict do nothing
    returning ${COLUMNS}`);

/** The event that was received first, by its own id before that of its payment. */
export const selectReceived = (
  tx: Tx,
  { merchantId, sourceId, externalEventId, paymentReference }: SourceEvent,
): Promise<SourceEvent> =>
  tx.one<SourceEvent>(sql`
    select ${COLUMNS} from source_event
     where merchant_id = ${merchantId} and source_id = ${sourceId}
       and (external_event_id = ${externalEventId} or payment_reference = ${paymentReference})
     order by external_event_id = ${externalEventId} desc limit 1`);

export const selectSourceEvent = (tx: Tx, sourceId: string, id: string) =>
  tx.maybe<SourceEvent>(sql`
    select ${COLUMNS} from source_event
     where merchant_id = ${tx.merchantId} and source_id = ${sourceId} and id = ${id}`);

/** In id order, so that two lists of events wait for each other instead of deadlocking. */
export const lockSourceEvents = (tx: Tx, sourceId: string, ids: readonly string[]) =>
  tx.rows<SourceEvent>(sql`
    select ${COLUMNS} from source_event
     where merchant_id = ${tx.merchantId} and source_id = ${sourceId} and id = any (${[...ids]}::text[])
     order by id for no key update`);

/** The result of a pending event. */
export interface Outcome {
  readonly id: string;
  readonly status: Exclude<SourceEventStatus, 'pending'>;
  readonly customerId: string | null;
  readonly subscriptionId: string | null;
  readonly errorMessage: string | null;
  readonly usageEventIds: readonly string[];
  readonly processedBy: string;
}

/** Ends pending events, in one statement. @returns them in no order */
export const updateOutcomes = (tx: Tx, outcomes: readonly Outcome[], now: Instant) =>
  tx.rows<SourceEvent>(sql`
    with outcome as (
      select * from jsonb_to_recordset(${recordset(outcomes)}) as o (
        id text, status text, customer_id text, subscription_id text, error_message text, usage_event_ids text[],
        processed_by text)),
    changed as (
      update source_event e
         set status = o.status, customer_id = o.customer_id, subscription_id = o.subscription_id,
             error_message = o.error_message, usage_event_ids = o.usage_event_ids, processed_by = o.processed_by,
             processed_at = ${now}, updated_at = ${now}
        from outcome o
       where e.merchant_id = ${tx.merchantId} and e.id = o.id and e.status = 'pending'
      returning e.*)
    select ${COLUMNS} from changed`);

/** A failed event is pending again. */
export const updateToRetry = (tx: Tx, { merchantId, id }: SourceEvent, now: Instant) =>
  tx.one<SourceEvent>(sql`
    update source_event
       set status = 'pending', error_message = null, processed_at = null, processed_by = null, updated_at = ${now}
     where merchant_id = ${merchantId} and id = ${id} and status = 'failed'
    returning ${COLUMNS}`);

export interface SourceEventFilter {
  readonly status?: SourceEventStatus | undefined;
  readonly customerId?: string | undefined;
  readonly subscriptionId?: string | undefined;
  readonly externalEventId?: string | undefined;
  /** Of the time of receipt, half-open. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const selectSourceEvents = (tx: Tx, sourceId: string, filter: SourceEventFilter, page: PageRequest) =>
  pageOfRows<SourceEvent>(
    tx,
    {
      kind: 'sourceEvent',
      select: COLUMNS,
      from: sql`source_event`,
      exists: sql`merchant_id = ${tx.merchantId} and source_id = ${sourceId}`,
      where: allOf([
        filter.status !== undefined && sql`status = ${filter.status}`,
        filter.customerId !== undefined && sql`customer_id = ${filter.customerId}`,
        filter.subscriptionId !== undefined && sql`subscription_id = ${filter.subscriptionId}`,
        filter.externalEventId !== undefined && sql`external_event_id = ${filter.externalEventId}`,
        filter.from !== undefined && sql`created_at >= ${filter.from}`,
        filter.to !== undefined && sql`created_at < ${filter.to}`,
      ]),
    },
    page,
    keptTotal(tx, 'source_event', tx.merchantId, { sourceId, ...filter }, ['sourceId', 'status']),
  );
