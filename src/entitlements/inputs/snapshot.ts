import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { earliest, type Instant, isBefore } from '../../kernel/time.ts';
import { type BalanceState, type BalanceStateJson, stateFromJson, stateToJson } from '../balance/index.ts';
import type { MeasuredMeter, PrecedingEntitlement } from './sources.ts';

/** The stored state of an entitlement at a reset, from which a replay can continue. */
export interface Kept {
  readonly balance: BalanceState;
  /** The counted usage, as `countingOf` writes it; after a change of it, the snapshot is no longer true. */
  readonly counting: string;
  /** Of each metric over time, since the usage period began. Absent: the period begins with the snapshot. */
  readonly integrals?: Integrals;
}

/** Integrals by the ids of metrics, in units × microseconds. */
export type Integrals = ReadonlyMap<string, Decimal>;

/** A snapshot as it was read. */
export interface Snapshot {
  readonly at: Instant;
  /** The visible events, as `usageSnapshot` has them. */
  readonly taken: string;
  readonly kept: Kept;
}

interface KeptJson {
  readonly balance: BalanceStateJson;
  readonly counting: string;
  readonly integrals?: Readonly<Record<string, string>>;
}

/** As a `jsonb` column holds it. */
export const writeKept = ({ balance, counting, integrals }: Kept): KeptJson => ({
  balance: stateToJson(balance),
  counting,
  ...(integrals && { integrals: Object.fromEntries([...integrals].map(([id, each]) => [id, plain(each)])) }),
});

/** Reads what `writeKept` wrote. */
export function readKept(json: unknown): Kept {
  const { balance, counting, integrals } = json as KeptJson;
  return {
    balance: stateFromJson(balance),
    counting,
    ...(integrals && { integrals: new Map(Object.entries(integrals).map(([id, each]) => [id, decimal(each)])) }),
  };
}

/**
 * The usage before an instant that is counted: the definitions of the metrics, and the share of older entitlements. The
 * same text for the same usage; it changes with a metric, and with an earlier end of an older entitlement.
 */
export function countingOf(
  meters: readonly MeasuredMeter[],
  preceding: readonly PrecedingEntitlement[],
  before: Instant,
): string {
  const taken = preceding
    .filter(({ span }) => isBefore(span.from, before))
    .map(({ metricIds, span }) => [metricIds, span.from.toString(), earliest(span.to ?? before, before).toString()]);
  return JSON.stringify([meters.map((meter) => ({ ...meter, eventFrom: meter.eventFrom?.toString() ?? null })), taken]);
}

interface Counting {
  readonly snapshot: Snapshot | null;
  readonly meters: readonly MeasuredMeter[];
  readonly preceding: readonly PrecedingEntitlement[];
}

/** Is the usage before the snapshot counted as it was then? Without a snapshot there is nothing to compare. */
export const countsAsThen = ({ snapshot, meters, preceding }: Counting): boolean =>
  snapshot === null || snapshot.kept.counting === countingOf(meters, preceding, snapshot.at);
