import { earliest, type Instant, isBefore } from '../../kernel/time.ts';
import { type BalanceState, type BalanceStateJson, stateFromJson, stateToJson } from '../balance/index.ts';
import type { Elder, MeasuredMeter } from './sources.ts';

/** What a snapshot keeps of an entitlement at a reset: where a replay can go on. */
export interface Kept {
  readonly balance: BalanceState;
  /** Which usage was counted, as `countingOf` writes it; where that has changed, the snapshot is no longer true. */
  readonly counting: string;
}

/** A snapshot as it was read. */
export interface Snapshot {
  readonly at: Instant;
  /** Which events were seen, as `usageSnapshot` says. */
  readonly taken: string;
  readonly kept: Kept;
}

interface KeptJson {
  readonly balance: BalanceStateJson;
  readonly counting: string;
}

/** As a `jsonb` column holds it. */
export const writeKept = ({ balance, counting }: Kept): KeptJson => ({
  balance: stateToJson(balance),
  counting,
});

/** Reads what `writeKept` wrote. */
export function readKept(json: unknown): Kept {
  const { balance, counting } = json as KeptJson;
  return {
    balance: stateFromJson(balance),
    counting,
  };
}

/**
 * Which usage before an instant is counted: how the metrics count, and what older entitlements take. The same text for
 * the same usage; it changes with a metric, and with the end of an older entitlement that lies before.
 */
export function countingOf(meters: readonly MeasuredMeter[], elders: readonly Elder[], before: Instant): string {
  const taken = elders
    .filter(({ span }) => isBefore(span.from, before))
    .map(({ metricIds, span }) => [metricIds, span.from.toString(), earliest(span.to ?? before, before).toString()]);
  return JSON.stringify([meters.map((meter) => ({ ...meter, eventFrom: meter.eventFrom?.toString() ?? null })), taken]);
}

interface Counting {
  readonly snapshot: Snapshot | null;
  readonly meters: readonly MeasuredMeter[];
  readonly elders: readonly Elder[];
}

/** Is the usage before the snapshot counted as it was then? Without a snapshot there is nothing to compare. */
export const countsAsThen = ({ snapshot, meters, elders }: Counting): boolean =>
  snapshot === null || snapshot.kept.counting === countingOf(meters, elders, snapshot.at);
