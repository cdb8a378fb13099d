import { type Decimal, decimal, plain } from '../kernel/decimal.ts';
import { earliest, type Instant, isBefore } from '../kernel/time.ts';
import { type BalanceState, type BalanceStateJson, stateFromJson, stateToJson } from './balance/index.ts';
import type { Elder, MeasuredMeter } from './sources.ts';

/** What a snapshot keeps of an entitlement at a reset: where a replay can go on. */
export interface Kept {
  readonly balance: BalanceState;
  /** The level of each LATEST metric that had one: it goes on until the next event. */
  readonly latest: Readonly<Record<string, Decimal>>;
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
  readonly latest: Readonly<Record<string, string>>;
  readonly counting: string;
}

/** As a `jsonb` column holds it. */
export const writeKept = ({ balance, latest, counting }: Kept): KeptJson => ({
  balance: stateToJson(balance),
  latest: Object.fromEntries(Object.entries(latest).map(([id, level]) => [id, plain(level)])),
  counting,
});

/** Reads what `writeKept` wrote. */
export function readKept(json: unknown): Kept {
  const { balance, latest, counting } = json as KeptJson;
  return {
    balance: stateFromJson(balance),
    latest: Object.fromEntries(Object.entries(latest).map(([id, level]) => [id, decimal(level)])),
    counting,
  };
}

/**
 * Which usage before an instant is counted: how the metrics count, and what older entitlements take. The same text for the
 * same usage; it changes with a metric, and with the end of an older entitlement that lies before.
 */
export function countingOf(meters: readonly MeasuredMeter[], elders: readonly Elder[], before: Instant): string {
  const taken = elders
    .filter(({ span }) => isBefore(span.from, before))
    .map(({ metricIds, span }) => [metricIds, span.from.toString(), earliest(span.to ?? before, before).toString()]);
  return JSON.stringify([meters.map((meter) => ({ ...meter, eventFrom: meter.eventFrom?.toString() ?? null })), taken]);
}
