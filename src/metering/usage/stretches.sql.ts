import { type Sql, sql } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import type { Interval } from '../meter/hours.ts';
import type { RollupDefinition } from '../meter/rollup-definition.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import { addressed, readyDefinition } from './figure-sets.sql.ts';
import { hullOf, KEPT, meterValue, type SubjectInterval } from './usage.sql.ts';

export interface CountedRow {
  /** The number of the stretch, from 1; null: the row says only whether the roll-ups are complete. */
  readonly stretch: number | null;
  readonly value: Decimal | null;
  readonly eventCount: bigint;
  readonly isComplete: boolean;
}

const unnested = (parts: readonly SubjectInterval<Interval>[]): Sql => sql`
  unnest(${parts.map(({ subject }) => subject)}::text[], ${parts.map(({ from }) => from)}::timestamptz[],
         ${parts.map(({ to }) => to)}::timestamptz[]) a (subject, from_at, to_at)`;

/** As the text of an array: thousands of instants as texts of their own take longer than the question. */
const microsecondsOf = (instants: readonly Instant[]): string =>
  `{${instants.map((at) => at.epochNanoseconds / 1000n).join()}}`;

/**
 * The sums and counts of stretches that adjoin, each of which ends where the next one begins. A stretch without events
 * has no row.
 * @param parts the time to read from roll-ups, hour by hour, and the time to read event by event
 * @param definition null: there is no roll-up. Unless `is_complete`, the figures are worth nothing.
 */
export function selectCounted(
  { merchantId, meter }: Pick<UsageScope, 'merchantId' | 'meter'>,
  bounds: readonly Instant[],
  {
    full,
    remainder,
  }: { readonly full: readonly SubjectInterval<Interval>[]; readonly remainder: readonly SubjectInterval<Interval>[] },
  definition: RollupDefinition | null,
): Sql {
  const subjects = [...new Set([...full, ...remainder].map(({ subject }) => subject as string))];
  const { from, to } = hullOf(remainder);
  const isKept = definition !== null && full.length > 0;
  return sql`
    with ${definition === null ? sql`` : sql`${readyDefinition(merchantId, definition)},`}
    ${addressed(merchantId, subjects)},
    given as materialized (select ${microsecondsOf(bounds)}::bigint[] as bounds),
    counted (at, value, event_count) as (
      select c.at, c.value::numeric, 1::bigint
        from ${unnested(remainder)}
        join addressed s on s.subject = a.subject
       cross join lateral (
         select e.at, ${meterValue(meter)} as value from event e
          where e.merchant_id = ${merchantId} and e.type = ${meter.eventType} and e.subject_id = s.id
            and e.at >= a.from_at and e.at < a.to_at and e.at >= ${from} and e.at < ${to}
            and ${eventsAtHand({ merchantId, from, to })}
         offset 0) c
       where c.value is not null
      ${
        isKept
          ? sql`
      union all
      select r.hour, ${KEPT[meter.aggregation] ?? sql`null::numeric`}, r.event_count
        from ${unnested(full)}
        join addressed s on s.subject = a.subject
       cross join lateral (
         select * from usage_rollup r
          where r.merchant_id = ${merchantId} and r.definition_id = (select id from definition) and r.subject_id = s.id
            and r.hour >= a.from_at and r.hour < a.to_at
         offset 0) r`
          : sql``
      })
    select width_bucket(epoch_microseconds(at), (select bounds from given)) as stretch,
           ${meter.aggregation === 'COUNT' ? sql`sum(event_count)` : sql`sum(value)`} as value,
           sum(event_count)::bigint as event_count, true as is_complete
      from counted group by 1
    ${definition === null ? sql`` : sql`union all select null, null, 0, exists (select from definition)`}`;
}
