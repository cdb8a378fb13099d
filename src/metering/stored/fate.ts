import type { Tx } from '../../db/index.ts';
import type { Static } from '../../http/index.ts';
import { decimal, jsonNumber } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EventOutcome, UnbilledReason, UnmatchedReason } from '../events/schemas.ts';
import type { Aggregation } from '../meter/meter.ts';
import type { OwnedMeter, ReadEvent } from './events.sql.ts';
import { type MeterReading, selectReadings } from './fate.sql.ts';

/** The question to the biller: an event that counts for at least one metric, and its owner. */
export interface CountedEvent {
  readonly merchantId: string;
  /** The customer or subscription that it is addressed to. */
  readonly addressee: string;
  readonly at: Instant;
  /** The order of acceptance, to be held against `usageMark`. */
  readonly seq: bigint;
  /** The metrics and costs that count it, with the event's values of their dimensions. */
  readonly counts: readonly { readonly id: string; readonly group: Readonly<Record<string, string | null>> }[];
}

/** One price of one period that could bill an event: does it, and where. */
export interface EventBilling {
  readonly billableMetricId: string;
  readonly priceId: string;
  readonly priceName: string;
  readonly planId: string;
  readonly subscriptionId: string;
  readonly invoiceId: string;
  readonly invoiceStatus: string;
  /** Null while the invoice has no lines yet, and where it does not bill the event. */
  readonly lineItemId: string | null;
  readonly reason: UnbilledReason | null;
}

/** The bill of an event; `reason` is the reason for none. */
export interface BillingOfEvent {
  readonly billing: readonly EventBilling[];
  readonly reason: UnbilledReason | null;
  /** The same for each metric and cost that counts it. */
  readonly reasons: ReadonlyMap<string, UnbilledReason | null>;
}

/** What became of an event, as of now. */
export interface EventFate {
  /** Of its type. */
  readonly meters: readonly OwnedMeter[];
  readonly readings: readonly MeterReading[];
  /** The customer or subscription that it is addressed to; null while it has none. */
  readonly addressee: string | null;
  /** Null where nothing counts it. */
  readonly bill: BillingOfEvent | null;
  /** Why no invoice bills it; null if one does. */
  readonly reason: UnmatchedReason | UnbilledReason | null;
}

/** Billing stands downstream of metering and is handed in (ARCHITECTURE.md). */
export type FindBilling = (tx: Tx, event: CountedEvent) => Promise<BillingOfEvent>;

/** The fate of an event, as of now: its metrics with its value, and its bill, or the reason for none. */
export async function fateOf(
  tx: Tx,
  event: ReadEvent,
  meters: readonly OwnedMeter[],
  findBilling: FindBilling,
): Promise<EventFate> {
  const own = meters.filter(
    ({ merchantId, meter }) => merchantId === event.merchantId && meter.eventType === event.type,
  );
  const { readings, addressee } = await selectReadings(tx, event, own);
  const counted = readings.filter(({ reason }) => reason === null);
  const asked = event.reason === null && addressee !== null && counted.length > 0;
  const bill = asked
    ? await findBilling(tx.of(event.merchantId), {
        merchantId: event.merchantId,
        addressee,
        at: event.at,
        seq: event.seq,
        counts: counted.map(({ id, group }) => ({ id, group })),
      })
    : null;
  return { meters: own, readings, addressee, bill, reason: bill === null ? event.reason : bill.reason };
}

/** The fate of an event as GET /v0/events/{id} shows it. */
export const toOutcomeReply = ({ meters, readings, bill, reason }: EventFate): Static<typeof EventOutcome> => ({
  counts: readings.map((reading) => toReadingReply(reading, meters)),
  billing: (bill?.billing ?? []).map(({ priceName: _name, planId: _plan, reason: why, ...line }) => ({
    ...line,
    ...(why !== null && { reason: why }),
  })),
  ...(reason !== null && { reason }),
});

const TEXTS: ReadonlySet<Aggregation | undefined> = new Set<Aggregation>(['UNIQUE_COUNT']);

/** Numbers with all their digits; what is told apart as the text that is compared. */
function toReadingReply({ id, reason, value, group }: MeterReading, meters: readonly OwnedMeter[]) {
  const aggregation = meters.find((meter) => meter.id === id)?.meter.aggregation;
  const shown = value === null || TEXTS.has(aggregation) ? value : jsonNumber(decimal(value));
  return { id, group, ...(shown !== null && { value: shown }), ...(reason !== null && { reason }) };
}
