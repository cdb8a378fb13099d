import { type Sql, sql } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import { eventsAtHand } from '../events/at-hand.sql.ts';
import { hoursOf, type Interval } from '../meter/hours.ts';
import type { RollupDefinition } from '../meter/rollup-definition.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import { contentOf } from './rollup-definitions.sql.ts';
import { aggregateOf, hullOf, intervalsOf, meterValue } from './usage.sql.ts';

/** Some time of one subject, and the number of the question that it belongs to. */
interface SubjectInterval extends Interval {
  readonly question: number;
  readonly subject: string;
}

export interface AnsweredRow {
  readonly question: number;
  readonly value: Decimal | null;
  readonly eventCount: bigint;
  readonly isComplete: boolean;
}

/** As arrays: questions, subjects, beginnings and ends. */
const unnested = (parts: readonly SubjectInterval[]): Sql => sql`
  unnest(${parts.map(({ question }) => question)}::int[], ${parts.map(({ subject }) => subject)}::text[],
         ${parts.map(({ from }) => from)}::timestamptz[], ${parts.map(({ to }) => to)}::timestamptz[])
         a (question, subject, from_at, to_at)`;

/** The rows of subjects: events for them, and events with exactly this subject as sent, though it has no customer. */
export const addressed = (merchantId: string, subjects: readonly string[]): Sql => sql`
  addressed as materialized (
    select w.subject, es.id
      from unnest(${[...subjects]}::text[]) w (subject)
     cross join lateral (
       select id from event_subject where merchant_id = ${merchantId} and addressee = w.subject
        union
       select id from event_subject where merchant_id = ${merchantId} and kind = 'direct' and key = w.subject) es)`;

export const readyDefinition = (merchantId: string, definition: RollupDefinition): Sql => sql`
  definition as materialized (
    select id from rollup_definition
     where merchant_id = ${merchantId} and event_type = ${definition.eventType}
       and content = text_hash(${contentOf(definition)})
       and is_ready)`;

/**
 * Many questions about one meter in one statement: a row for each, in no order.
 * @param questions all of one merchant and meter; their sources name subjects
 * @param definition of a distinct count: full hours are read from its values. Null: every event is read. Unless
 *   `is_complete`, the figures are worth nothing.
 */
export function selectAnswers(questions: readonly UsageScope[], definition: RollupDefinition | null): Sql {
  const [{ merchantId, meter }] = questions as [UsageScope];
  const cut = questions.flatMap((scope, question) =>
    intervalsOf(scope).map((part) => ({
      part: { question, subject: part.subject as string },
      ...(definition === null ? { full: null, remainder: [part] } : hoursOf(part, false)),
    })),
  );
  const full = cut.flatMap(({ part, full: hours }): SubjectInterval[] =>
    hours === null ? [] : [{ ...hours, ...part }],
  );
  const remainder = cut.flatMap(({ part, remainder: times }): SubjectInterval[] =>
    times.map((each) => ({ ...each, ...part })),
  );
  const { from, to } = hullOf(remainder);
  const rolled = (table: 'usage_rollup' | 'usage_value', kept: Sql) => sql`
    union all
    select a.question, null, null, ${kept}
      from ${unnested(full)}
      join addressed s on s.subject = a.subject
     cross join lateral (
       select * from ${sql.table(table)} r
        where r.merchant_id = ${merchantId} and r.definition_id = (select id from definition) and r.subject_id = s.id
          and r.hour >= a.from_at and r.hour < a.to_at
       offset 0) r`;
  return sql`
    with ${definition === null ? sql`` : sql`${readyDefinition(merchantId, definition)},`}
    ${addressed(merchantId, [...new Set([...full, ...remainder].map(({ subject }) => subject))])},
    counted (question, at, seq, value, event_count) as (
      select a.question, c.at, c.seq, ${definition === null ? sql`c.value` : sql`text_hash(c.value)`}, 1::bigint
        from ${unnested(remainder)}
        join addressed s on s.subject = a.subject
       cross join lateral (
         select e.at, e.seq, ${meterValue(meter)} as value from event e
          where e.merchant_id = ${merchantId} and e.type = ${meter.eventType} and e.subject_id = s.id
            and e.at >= a.from_at and e.at < a.to_at and e.at >= ${from} and e.at < ${to}
            and ${eventsAtHand({ merchantId, from, to })}
         offset 0) c
       where c.value is not null
      ${definition === null ? sql`` : rolled('usage_rollup', sql`null::uuid, r.event_count`)}
      ${definition === null ? sql`` : rolled('usage_value', sql`r.value_hash, 0`)})
    select q.question, f.value, coalesce(f.event_count, 0)::bigint as event_count,
           ${definition === null ? sql`true` : sql`exists (select from definition)`} as is_complete
      from generate_series(0, ${questions.length - 1}::int) q (question)
      left join (select question, ${aggregateOf(meter)} as value, sum(event_count) as event_count
                   from counted group by question) f on f.question = q.question`;
}

const hourOf = (at: Instant): Instant => at.round({ smallestUnit: 'hour', roundingMode: 'floor' });

/**
 * The times in which events of some subjects have values of a meter, as spans of full hours, in order and apart. They
 * may hold more than what is asked about, never less.
 * @param definition as above; null where every event is looked at
 */
export function selectUsedSpans(
  { merchantId, meter, from, to }: Pick<UsageScope, 'merchantId' | 'meter' | 'from' | 'to'>,
  subjects: readonly string[],
  definition: RollupDefinition | null,
): Sql {
  const first = sql`date_trunc('hour', ${from}::timestamptz, 'UTC')`;
  const hours =
    definition === null
      ? sql`select date_trunc('hour', e.at, 'UTC') as hour from event e
             where e.merchant_id = ${merchantId} and e.type = ${meter.eventType} and e.subject_id = a.id
               and e.at >= ${first} and e.at < ${to} and ${eventsAtHand({ merchantId, from: hourOf(from), to })}`
      : sql`select r.hour from usage_rollup r
             where r.merchant_id = ${merchantId} and r.definition_id = (select id from definition)
               and r.subject_id = a.id
               and r.hour >= ${first} and r.hour < ${to}`;
  return sql`
    with ${definition === null ? sql`` : sql`${readyDefinition(merchantId, definition)},`}
    ${addressed(merchantId, subjects)},
    used as (select distinct h.hour from addressed a cross join lateral (${hours} offset 0) h),
    numbered as (select hour, hour - row_number() over (order by hour) * interval '1 hour' as island from used)
    select min(hour) as "from", max(hour) + interval '1 hour' as "to" from numbered group by island
    ${definition === null ? sql`` : sql`union all select null, null where not exists (select from definition)`}
    order by 1`;
}

export interface UsedSpanRow {
  /** null: the roll-ups do not hold all events. */
  readonly from: Instant | null;
  readonly to: Instant | null;
}
