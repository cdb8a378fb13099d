import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';

/** A row of `entitlement_inputs`, whose aggregates hold instants and decimals as text. */
export interface InputRow {
  readonly featureKey: string;
  readonly terms: readonly { readonly from: string; readonly template: unknown }[];
  /** Lines of `GrantFields`, divided by `|`. */
  readonly grants: string | null;
  readonly resets:
    | readonly { readonly at: string; readonly retainAnchor: boolean; readonly preserveOverage: boolean }[]
    | null;
  readonly meters: readonly MeterInput[] | null;
  readonly preceding:
    | readonly { readonly metricIds: readonly string[]; readonly from: string; readonly to: string | null }[]
    | null;
  readonly reserved: Decimal;
  readonly snapshotAt: Instant | null;
  readonly snapshotState: unknown;
  readonly snapshotTaken: string | null;
}

/** The fields of a line of grants. Instants are microseconds since 1970; empty: there is none. */
export type GrantFields = [
  id: string,
  amount: string,
  priority: string,
  effectiveAt: string,
  expiresAt: string,
  voidedAt: string,
  recurrence: string,
  maxRollover: string,
  minRollover: string,
  createdAt: string,
  order: string,
  origin: string,
];

/** A line for each grant. */
export const grantLines = (text: string | null): string[] => (text === null ? [] : text.split('\n'));

export interface MeterInput {
  readonly id: string;
  readonly eventType: string | null;
  readonly aggregation: 'SUM' | 'COUNT' | 'AVG' | 'MIN' | 'MAX' | 'UNIQUE_COUNT' | 'LATEST' | 'TIME_WEIGHTED';
  /** Of TIME_WEIGHTED. */
  readonly timeUnit?: 'hour' | 'day';
  readonly valueProperty: string | null;
  readonly groupBy: Readonly<Record<string, string>> | null;
  readonly eventFrom: string | null;
}

/** One entitlement that is asked about. */
export interface InputKey {
  readonly merchantId: string;
  readonly id: string;
  /** Later changes are left out. */
  readonly at: Instant;
  /** No later snapshot is wanted. */
  readonly snapshotUntil: Instant;
}

/** In the order asked. @param byGrant no snapshot is wanted that does not name each grant */
export const selectInputs = (tx: Tx, keys: readonly InputKey[], byGrant: boolean): Promise<InputRow[]> =>
  tx.rows<InputRow>(
    sql`
    select feature_key, terms, grants, resets, meters, preceding, reserved, snapshot_at, snapshot_state, snapshot_taken
      from entitlement_inputs(${keys.map(({ merchantId }) => merchantId)}, ${keys.map(({ id }) => id)},
                              ${keys.map(({ at }) => at)}, ${keys.map(({ snapshotUntil }) => snapshotUntil)},
                              ${byGrant})`,
    'entitlement_inputs',
  );
