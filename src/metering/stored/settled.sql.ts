import { type Sql, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';

/** Subjects whose marks are raised to a time. */
export interface Marks {
  readonly subjects: readonly string[];
  readonly until: Instant;
}

/** Raises marks. @returns the transactions that may be storing events without having seen them */
export const settleUsageMarks = async (tx: Tx, marks: readonly Marks[], now: Instant): Promise<string[]> => {
  const each = marks.flatMap(({ subjects, until }) => subjects.map((subject) => ({ subject, until })));
  const { writers } = await tx.one<{ writers: string[] }>(sql`
    select settle_usage(${tx.merchantId}, ${each.map(({ subject }) => subject)}::text[],
                        ${each.map(({ until }) => until)}::timestamptz[], ${now}) as writers`);
  return writers;
};

/** Is one of these transactions still at work? Each holds a lock on its own number. */
export const isAnyAtWork = async (tx: Tx, writers: readonly string[]): Promise<boolean> => {
  const { found } = await tx.one<{ found: boolean }>(sql`
    select exists (select from pg_locks where locktype = 'virtualxid'
                   and virtualtransaction = any (${[...writers]}::text[])) as found`);
  return found;
};

/** Numbers of transactions mean something on their own server alone. */
const server = sql`(select system_identifier::text from pg_control_system())`;

export const selectSnapshot = async (tx: Tx): Promise<string> => {
  const { snapshot } = await tx.one<{ snapshot: string }>(
    sql`select ${server} || '/' || pg_current_snapshot()::text as snapshot`,
  );
  return snapshot;
};

/** The rows of some subjects' usage. */
const rowsOf = (merchantId: string, subjects: readonly string[]) =>
  sql`select id from usage_rows(${merchantId}, ${[...subjects]}::text[])`;

/** Rows of another server are omitted. */
export const selectLate = (
  tx: Tx,
  subjects: readonly string[],
  taken: readonly { readonly at: Instant; readonly snapshot: string }[],
  areKept: Sql = sql`true`,
): Promise<{ late: boolean }[]> =>
  tx.rows<{ late: boolean }>(sql`
    select not (${areKept}) or split_part(t.snapshot, '/', 1) <> ${server}
           or is_usage_late(${tx.merchantId}, ${[...subjects]}::text[], t.at, split_part(t.snapshot, '/', 2)::pg_snapshot)
             as late
      from unnest(${taken.map(({ at }) => at)}::timestamptz[], ${taken.map(({ snapshot }) => snapshot)}::text[])
           with ordinality t (at, snapshot, place)
     order by t.place`);

/** The customers among some with late usage at any time; and the id of this server. */
export const selectWithLate = (tx: Tx, subjects: readonly string[]): Promise<{ server: string; named: string[] }> =>
  tx.one<{ server: string; named: string[] }>(sql`
    select ${server} as server,
           array(select unnest(array[s.addressee, case when s.kind = 'direct' then s.key end])
                   from usage_rows(${tx.merchantId}, ${[...subjects]}::text[]) s
                  where exists (select from usage_late l where l.merchant_id = ${tx.merchantId}
                                and l.subject_id = s.id)) as named`);

/** Deletes what makes none of some figures late. */
export const deleteLate = (
  tx: Tx,
  subjects: readonly string[],
  kept: readonly { readonly at: Instant; readonly snapshot: string }[],
): Promise<number> =>
  tx.run(sql`
    delete from usage_late l
     where l.merchant_id = ${tx.merchantId} and l.subject_id in (${rowsOf(tx.merchantId, subjects)})
       and not exists (
         select from unnest(${kept.map(({ at }) => at)}::timestamptz[],
                            ${kept.map(({ snapshot }) => snapshot)}::text[]) k (at, snapshot)
          where l.at < k.at and not pg_visible_in_snapshot(l.xid, split_part(k.snapshot, '/', 2)::pg_snapshot))`);

/**
 * A late row at or after the mark of its subject was written during a change of marks. Every later change of the mark
 * above it takes figures that include it.
 */
const isNeedless = sql`(s.settled_until is null or l.at >= s.settled_until)`;

/** Merchants with late rows that say nothing, some at a time. */
export const selectMerchantsWithNeedless = async (tx: Tx, most: number): Promise<string[]> => {
  const rows = await tx.rows<{ merchantId: string }>(sql`
    select distinct l.merchant_id
      from usage_late l join event_subject s on s.merchant_id = l.merchant_id and s.id = l.subject_id
     where ${isNeedless} limit ${most}`);
  return rows.map(({ merchantId }) => merchantId);
};

export const deleteNeedless = (tx: Tx): Promise<number> =>
  tx.run(sql`
    delete from usage_late l using event_subject s
     where l.merchant_id = ${tx.merchantId} and s.merchant_id = ${tx.merchantId} and s.id = l.subject_id
       and ${isNeedless}`);
