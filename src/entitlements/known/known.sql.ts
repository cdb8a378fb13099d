import { effectiveNowOf } from '../../clocks/index.ts';
import { allOf, type Database, type Prepared as PreparedStatement, prepare, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { FigureCall, FigureColumns } from '../../metering/index.ts';
import type { EntitlementRow } from '../entitlements.sql.ts';
import type { InputRow } from '../inputs.sql.ts';
import { conditionsOf, type EntitlementFilters, type TimedEntitlement } from '../reading.sql.ts';

/** What has to be heard of entitlements that are known. */
export interface NowQuestion {
  readonly merchantId: string;
  readonly customerId: string;
  /** The question is about the customer, who must not be deleted and must have this id of the merchant's (null: any). */
  readonly customer: { readonly externalId: string | null } | null;
  readonly entitlements: readonly Pick<EntitlementRow, 'id' | 'clock_id'>[];
  /** The snapshots that their balances are counted from. */
  readonly kept: readonly {
    readonly id: string;
    readonly subscriptionId: string | null;
    readonly at: Instant;
    readonly taken: string;
  }[];
  readonly figures: FigureCall;
}

export interface NowRow extends FigureColumns {
  readonly state: string;
  readonly is_there: boolean;
  /** Does each snapshot hold? */
  readonly holds: boolean;
  /** Microseconds since 1970, or `-`. */
  readonly clock_times: string | null;
  readonly reserved: string | null;
  readonly budgets:
    | readonly { readonly subscriptionId: string | null; readonly billableMetricId: string | null }[]
    | null;
}

const WALL = 'wall';

/** The one statement that answers a question about entitlements that are known; `askedAt` gives it the time. */
export function prepareNow({
  merchantId,
  customerId,
  customer,
  entitlements,
  kept,
  figures,
}: NowQuestion): PreparedStatement {
  const name = ['entitlements now', ...figures.functions].join(' ');
  return prepare(
    name,
    sql`
    select n.*${figures.columns(sql`m.merchant`)}
      from as_merchant(${merchantId}) m (merchant)
     cross join lateral entitlements_now(m.merchant, ${customerId}, ${customer?.externalId ?? null}, ${customer !== null}, ${WALL},
             ${entitlements.map(({ id }) => id)}, ${entitlements.map(({ clock_id: clock }) => clock)},
             ${kept.map(({ id }) => id)}, ${kept.map(({ subscriptionId }) => subscriptionId)}, ${kept.map(({ at }) => at)},
             ${kept.map(({ taken }) => taken)}) n`,
  );
}

/** The same statement, asked at some wall time. */
export const askedAt = (statement: PreparedStatement, wall: Instant): PreparedStatement => ({
  ...statement,
  values: statement.values.map((value) => (value === WALL ? wall.toString() : value)),
});

/** An entitlement as it is, with the state of all entitlements of its customer at the same moment. */
export interface StatedEntitlement extends TimedEntitlement {
  readonly state: string;
}

/** An entitlement of the merchant, at its effective now. */
export const selectStated = (
  tx: Tx,
  merchantId: string,
  id: string,
  now: Instant,
): Promise<StatedEntitlement | undefined> =>
  tx.maybe<StatedEntitlement>(
    sql`
    select e.*, entitlements_state(e.merchant_id, e.customer_id) as state, ${effectiveNowOf('e', now)} as effective_now
      from entitlement e where e.merchant_id = ${merchantId} and e.id = ${id}`,
    'stated entitlement',
  );

/** An entitlement with all that its balance depends on beside usage, in one statement that is a transaction of its own. */
export interface OpenedRow extends StatedEntitlement, InputRow {
  readonly next_grant_at: Instant | null;
}

/** Opens an entitlement of the merchant. */
export const openEntitlement = async (
  database: Database,
  merchantId: string,
  id: string,
  now: Instant,
): Promise<OpenedRow | undefined> => {
  const [row] = await database.call<OpenedRow>(
    'open entitlement',
    sql`
    select (o.found).*, o.state, o.effective_now, o.next_grant_at, i.feature_key, i.terms, i.grants, i.resets, i.meters, i.elders,
           i.reserved, i.snapshot_at, i.snapshot_state, i.snapshot_taken
      from as_merchant(${merchantId}) m (merchant)
     cross join lateral entitlement_opening(m.merchant, ${id}, ${now}) o
     cross join lateral entitlement_inputs(array[m.merchant], array[(o.found).id], array[o.effective_now], array[o.effective_now]) i`,
  );
  return row;
};

/** The state of all entitlements of a customer. */
export const selectState = async (tx: Tx, merchantId: string, customerId: string): Promise<string> => {
  const { state } = await tx.one<{ state: string }>(
    sql`select entitlements_state(${merchantId}, ${customerId}) as state`,
  );
  return state;
};

/** Those of a customer that have not ended, each at its effective now, oldest first. */
export const selectUnended = (
  tx: Tx,
  merchantId: string,
  filters: EntitlementFilters & { readonly customerId: string },
  now: Instant,
): Promise<TimedEntitlement[]> =>
  tx.rows<TimedEntitlement>(sql`
    select *, ${effectiveNowOf('entitlement', now)} as effective_now from entitlement
     where ${allOf([
       ...conditionsOf(merchantId, filters),
       sql`(active_to is null or active_to > ${effectiveNowOf('entitlement', now)})`,
     ])}
     order by seq`);

/** When the next grant of each of some entitlements begins; null: none does. */
export async function selectNextGrants(tx: Tx, entitlements: readonly TimedEntitlement[]): Promise<(Instant | null)[]> {
  const rows = await tx.rows<{ at: Instant | null }>(
    sql`
    select (select min(g.effective_at) from entitlement_grant g
             where g.merchant_id = w.merchant and g.entitlement_id = w.id and g.effective_at > w.at) as at
      from unnest(${entitlements.map(({ merchant_id }) => merchant_id)}::text[], ${entitlements.map(({ id }) => id)}::text[],
                  ${entitlements.map(({ effective_now }) => effective_now)}::timestamptz[]) with ordinality w (merchant, id, at, place)
     order by w.place`,
    'next grants',
  );
  return rows.map(({ at }) => at);
}
