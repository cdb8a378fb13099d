import { expect } from 'vitest';
import { parseExactJson, type Tx } from '../../src/db/index.ts';
import { plain } from '../../src/kernel/decimal.ts';
import type { Instant } from '../../src/kernel/time.ts';
import { shipRound } from '../../src/metering/clickhouse/shipper.ts';
import type { ClickHouse } from '../../src/metering/clickhouse/store.ts';
import { clickhouseUsage } from '../../src/metering/clickhouse/usage.ts';
import { postgresUsage } from '../../src/metering/index.ts';
import type { Aggregation, Meter } from '../../src/metering/meter/meter.ts';
import type { UsageCut, UsageQuery, UsageRow, UsageScope } from '../../src/metering/meter/usage-request.ts';
import type { NaiveEvent } from '../../src/metering/testing/oracle.ts';
import type { Merchant, TestEnvironment } from '../support/environment.ts';

export const time = (text: string): Instant => Temporal.Instant.from(text);
export const FROM = time('2026-01-31T22:30:00Z');
export const TO = time('2026-02-02T00:00:00Z');
export const AGGREGATIONS = ['SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST'] as const;

/** A store of usage as the suite sees it: it answers questions after each acknowledged event. */
export interface Store {
  readonly name: string;
  /** The part of the events that is shipped before the others are sent; null: nothing is shipped to this store. */
  readonly shipped: number | null;
}

export const POSTGRES: Store = { name: 'PostgreSQL', shipped: null };
export const PROJECTIONS: readonly Store[] = [
  { name: 'ClickHouse, with everything shipped', shipped: 1 },
  { name: 'ClickHouse, with half of it shipped', shipped: 0.5 },
  { name: 'ClickHouse, with hardly anything shipped', shipped: 0.1 },
];

/** Usage over any number of subjects from ClickHouse; it is a failure if PostgreSQL answers. */
export const onlyClickHouse = (clickhouse: ClickHouse): UsageQuery<Tx> =>
  clickhouseUsage({
    clickhouse,
    mode: { kind: 'single' },
    fewSubjects: -1,
    postgres: {
      measure: () => Promise.reject(new Error('PostgreSQL was asked, though ClickHouse should have answered.')),
    },
    onFallback: (error) => {
      throw error;
    },
  });

export const onlyPostgres: UsageQuery<Tx> = postgresUsage;

/** Ships the accepted events in small batches, until none is left. */
export async function shipAll(env: TestEnvironment, clickhouse: ClickHouse, mostEvents = 7): Promise<void> {
  for (let rounds = 0; rounds < 200; rounds += 1) {
    const dependencies = { database: env.database, clickhouse, mode: { kind: 'single' } as const, mostEvents };
    if ((await shipRound(dependencies, time('2026-03-01T00:00:00Z'))).caughtUp) return;
  }
  throw new Error('Shipping does not come to an end.');
}

export const meterOf = (aggregation: Aggregation, more: Partial<Meter> = {}): Meter => ({
  eventType: 'call',
  aggregation,
  valueProperty: '$.v',
  groupBy: { region: '$.g', deep: '$.in.ner', place: '$.list.1' },
  eventFrom: null,
  ...more,
});

/** An event of the suite: data is JSON text, so its numbers are read as over HTTP. */
export interface SuiteEvent {
  readonly subject?: string;
  readonly type?: string;
  readonly at: Instant;
  readonly data: string;
  /** Sent again later, as by a client without an answer. */
  readonly isRepeated?: boolean;
}

/** Sends events over HTTP, a part of them before `shipHere` runs. @returns them as a patient person counts them. */
export async function send(
  merchant: Merchant,
  events: readonly SuiteEvent[],
  part: number,
  shipHere: () => Promise<void>,
): Promise<NaiveEvent[]> {
  const texts = events.map(({ subject = 'nobody', type = 'call', at, data }, index) => {
    const name = subject.startsWith('sub_') || subject.startsWith('cus_') ? 'subject' : 'externalSubject';
    return `{"type":"${type}","source":"suite","${name}":${JSON.stringify(subject)},"timestamp":"${at}","idempotencyKey":"k${index}","data":${data}}`;
  });
  const post = async (slice: readonly string[]) => {
    for (let start = 0; start < slice.length; start += 5) {
      const { status, body } = await merchant.post('/v0/events', `[${slice.slice(start, start + 5).join()}]`);
      expect([status, body]).toMatchObject([202, expect.anything()]);
    }
  };
  const cut = Math.round(texts.length * part);
  await post(texts.slice(0, cut));
  await shipHere();
  await post([...texts.slice(cut), ...texts.filter((_, index) => events[index]?.isRepeated === true)]);
  return events.map(({ subject = 'nobody', type = 'call', at, data }) => ({
    subject,
    type,
    at,
    data: parseExactJson(data),
  }));
}

/**
 * A figure as text, in the way of the naive count; the first window of a request is named by where it would begin
 * unclipped.
 */
export const textOf = (row: UsageRow, cut: UsageCut): string => {
  const window = row.windowStart && cut.window ? aligned(row.windowStart, cut.window).toString() : undefined;
  return `${JSON.stringify({ group: row.group, window })} ${plain(row.value)} of ${row.eventCount}`;
};

function aligned(at: Instant, size: NonNullable<UsageCut['window']>): Instant {
  const utc = at.toZonedDateTimeISO('UTC');
  if (size === 'MONTH') return utc.with({ day: 1 }).startOfDay().toInstant();
  const unit = ({ MINUTE: 'minute', HOUR: 'hour', DAY: 'day' } as const)[size];
  return utc.round({ smallestUnit: unit, roundingMode: 'floor' }).toInstant();
}

/** The answers of a store to several cuts, each as sorted texts. */
export async function figures(
  env: TestEnvironment,
  query: UsageQuery<Tx>,
  scope: UsageScope,
  cuts: readonly UsageCut[],
): Promise<string[][]> {
  const rows = await env.database.transaction({ merchants: [scope.merchantId] }, (tx) =>
    query.measure(tx, scope, cuts),
  );
  return rows.map((each, index) => each.map((row) => textOf(row, cuts[index] as UsageCut)).toSorted());
}
