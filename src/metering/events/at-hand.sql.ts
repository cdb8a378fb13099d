import { type Sql, sql, sqlState, type Tx } from '../../db/index.ts';
import { type Instant, type InstantText, instantOrNull } from '../../kernel/time.ts';

/** The events that somebody reads; what is absent or null does not narrow them. */
export interface WantedEvents {
  /** Null: of every merchant that the transaction sees. */
  readonly merchantId: string | null;
  readonly from?: Instant | null | undefined;
  readonly to?: Instant | null | undefined;
  /** Accepted after this one, exclusive. */
  readonly after?: bigint | null | undefined;
  /** And up to this one, inclusive. */
  readonly upTo?: bigint | null;
  readonly type?: string | null | undefined;
}

/**
 * A condition that holds where none of these events is in the archive; else the statement fails, and the database
 * brings them back and runs the transaction again (`DatabaseOptions.mend`). Every statement that reads raw events of a
 * time has it, so that no answer is too small.
 */
export const eventsAtHand = (wanted: WantedEvents): Sql => {
  const { merchantId, from = null, to = null, after = null, upTo = null, type = null } = wanted;
  const time = sql`${merchantId}::text, ${from}::timestamptz, ${to}::timestamptz`;
  if (after === null && upTo === null && type === null) return sql`events_at_hand(${time})`;
  return sql`events_at_hand(${time}, ${after}::bigint, ${upTo}::bigint, ${type}::text)`;
};

/** The same as a statement of its own, for events that are read in the same transaction. */
export const selectAtHand = (tx: Tx, wanted: WantedEvents): Promise<number> =>
  tx.run(sql`select ${eventsAtHand(wanted)}`);

const IN_THE_ARCHIVE = 'RK001';

/** The events that a transaction failed for, because they are in the archive; null: it failed for something else. */
export function wantedOf(error: unknown): WantedEvents | null {
  if (sqlState(error) !== IN_THE_ARCHIVE) return null;
  const { merchantId, from, to, after, upTo, type } = JSON.parse((error as { detail: string }).detail) as Asked;
  return {
    ...{ merchantId, type },
    ...{ from: instantOrNull(from), to: instantOrNull(to) },
    ...{ after: after === null ? null : BigInt(after), upTo: upTo === null ? null : BigInt(upTo) },
  };
}

/** The arguments of `events_at_hand`, as the error tells them. */
interface Asked {
  readonly merchantId: string | null;
  readonly from: InstantText | null;
  readonly to: InstantText | null;
  readonly after: string | null;
  readonly upTo: string | null;
  readonly type: string | null;
}
