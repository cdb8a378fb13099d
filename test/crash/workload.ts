import { parseExactJson } from '../../src/db/index.ts';
import type { Aggregation } from '../../src/metering/meter/meter.ts';
import type { NaiveEvent } from '../../src/metering/testing/oracle.ts';

/** A merchant as a load knows it. */
export interface LoadedMerchant {
  /** Its API key. */
  readonly apiKey: string;
  /** A customer to whom some events are addressed directly. */
  readonly customerId: string;
}

/** The orders to a load process. */
export interface LoadOrder {
  /** The addresses for events; each server may be away at any time. */
  readonly addresses: readonly string[];
  readonly merchants: readonly LoadedMerchant[];
  /** The number of customers with an externalSubject, besides the one that moves. */
  readonly names: number;
  /** The newest time of an event, in milliseconds. */
  readonly newest: number;
  /** The number of the first event of each merchant. */
  readonly first: number;
  readonly senders: number;
  readonly seed: number;
  /** The log, which exists. */
  readonly journal: string;
}

/** The name that is one customer's and becomes another's in the middle of the load. */
export const MOVING = 'moving';
export const nameOf = (place: number): string => `customer-${place}`;

/** Numbers without an exact binary fraction, and some values that do not count. */
const UNITS = [
  '1',
  '0.1',
  '"0.1"',
  '2.50',
  '1e-9',
  '9007199254740993',
  '-3.7',
  '"12345678901234567890.000000001"',
  '0',
  '"none"',
];
const REGIONS = ['"eu"', '"us"', '"apac"', '7', 'null'];
const HOUR = 3_600_000;
const FORTY_DAYS = 40 * 24 * HOUR;

/** Evenly spread, and the same for the same numbers. */
export const scatter = (...numbers: readonly number[]): number => {
  let mixed = 2_166_136_261;
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ number, 16_777_619);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 2_246_822_519);
    mixed ^= mixed >>> 13;
  }
  return mixed >>> 0;
};

const pick = <T>(list: readonly T[], mixed: number): T => list[mixed % list.length] as T;

/** An event as it is sent, and as it should count. The same number of a merchant is always the same event. */
export interface LoadEvent {
  /** The addressee: a place among the names, the name that moves, or the customer that is addressed directly. */
  readonly to: number | 'moving' | 'direct';
  readonly type: 'call' | 'visit';
  /** Milliseconds. */
  readonly at: number;
  /** JSON text, because its numbers have more digits than a JavaScript number. */
  readonly data: string;
}

export function eventOf({ names, newest }: LoadOrder, merchant: number, number: number): LoadEvent {
  const draw = (salt: number) => scatter(merchant, number, salt);
  const isOld = draw(1) % 20 === 0;
  const addressee = draw(2) % 20;
  return {
    to: addressee === 0 ? 'moving' : addressee === 1 ? 'direct' : draw(3) % names,
    type: draw(4) % 4 === 0 ? 'visit' : 'call',
    at: newest - (isOld ? FORTY_DAYS : 0) - (draw(5) % (3 * HOUR)),
    data: `{"units":${pick(UNITS, draw(6))},"region":${pick(REGIONS, draw(7))},"user":"u${draw(8) % 97}"}`,
  };
}

/** The event as JSON of a request; `contradiction` is other content under the same key. */
export function textOf(order: LoadOrder, merchant: number, number: number, contradiction = false): string {
  const { to, type, at, data } = eventOf(order, merchant, number);
  const addressed =
    to === 'direct'
      ? `"subject":"${order.merchants[merchant]?.customerId}"`
      : `"externalSubject":"${to === 'moving' ? MOVING : nameOf(to)}"`;
  const source = contradiction ? 'another' : 'crash';
  return `{"type":"${type}","source":"${source}",${addressed},"idempotencyKey":"k${number}","timestamp":"${new Date(at).toISOString()}","data":${data}}`;
}

/** The event as a patient person counts it. */
export function naiveOf(order: LoadOrder, merchant: number, number: number, subject: string): NaiveEvent {
  const { type, at, data } = eventOf(order, merchant, number);
  return { type, subject, at: Temporal.Instant.fromEpochMilliseconds(at), data: parseExactJson(data) };
}

/** A metric of the load, in the words of the API. */
export interface LoadMetric {
  readonly aggregation: Aggregation;
  readonly eventType: LoadEvent['type'];
  readonly valueProperty: string | null;
}

/** There from the beginning. */
export const METRICS: readonly LoadMetric[] = [
  { aggregation: 'SUM', eventType: 'call', valueProperty: '$.units' },
  { aggregation: 'COUNT', eventType: 'call', valueProperty: null },
  { aggregation: 'UNIQUE_COUNT', eventType: 'call', valueProperty: '$.user' },
];

/** Made while events come in. A worker that is being killed adds the earlier events. */
export const LATER_METRICS: readonly LoadMetric[] = [
  { aggregation: 'SUM', eventType: 'visit', valueProperty: '$.units' },
  { aggregation: 'UNIQUE_COUNT', eventType: 'visit', valueProperty: '$.user' },
  { aggregation: 'MAX', eventType: 'call', valueProperty: '$.units' },
  { aggregation: 'AVG', eventType: 'visit', valueProperty: '$.units' },
];

export const GROUP_BY = { region: '$.region' };
