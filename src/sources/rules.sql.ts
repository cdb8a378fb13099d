import { allOf, insertion, jsonb, pageOfRows, recordset, sql, type Tx, withJsonb } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { SourceRule } from './source.ts';

const INSERTED = sql`id, merchant_id, source_id, name, description, conditions, position as order, enabled,
  evaluation_count, match_count, created_by, created_at, updated_at`;
const COLUMNS = sql`${INSERTED}, last_evaluated_at`;

export const insertRule = (tx: Tx, rule: SourceRule) =>
  tx.one<SourceRule>(sql`
    ${insertion('source_rule', withJsonb(rule, 'conditions'), INSERTED)}
    returning ${COLUMNS}`);

/** One above the last rule of the source; 0 for the first. */
export const selectNextOrder = async (tx: Tx, sourceId: string): Promise<number> => {
  const { next } = await tx.one<{ next: number }>(sql`
    select least(coalesce(max(position)::bigint + 1, 0), 2147483647)::int as next from source_rule
     where merchant_id = ${tx.merchantId} and source_id = ${sourceId}`);
  return next;
};

export const selectRule = (tx: Tx, id: string) =>
  tx.maybe<SourceRule>(sql`select ${COLUMNS} from source_rule where merchant_id = ${tx.merchantId} and id = ${id}`);

export const lockRule = (tx: Tx, id: string) =>
  tx.maybe<SourceRule>(sql`
    select ${COLUMNS} from source_rule where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** Locks the enabled rules of a source in their order, because they count their checks. */
export const lockRulesInOrder = (tx: Tx, sourceId: string) =>
  tx.rows<SourceRule>(sql`
    select ${COLUMNS} from source_rule
     where merchant_id = ${tx.merchantId} and source_id = ${sourceId} and enabled
     order by position, seq for no key update`);

export const updateRule = (tx: Tx, rule: SourceRule) =>
  tx.one<SourceRule>(sql`
    update source_rule
       set name = ${rule.name}, description = ${rule.description}, conditions = ${jsonb(rule.conditions)},
           position = ${rule.order}, enabled = ${rule.enabled}, updated_at = ${rule.updatedAt}
     where merchant_id = ${rule.merchantId} and id = ${rule.id}
    returning ${COLUMNS}`);

export interface RuleCount {
  readonly id: string;
  readonly evaluations: number;
  readonly matches: number;
}

export const updateRuleCounts = (tx: Tx, counts: readonly RuleCount[], now: Instant) =>
  tx.run(sql`
    update source_rule r
       set evaluation_count = r.evaluation_count + c.evaluations, match_count = r.match_count + c.matches,
           last_evaluated_at = ${now}
      from jsonb_to_recordset(${recordset(counts)}) as c (id text, evaluations int, matches int)
     where r.merchant_id = ${tx.merchantId} and r.id = c.id`);

export const deleteRuleRow = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from source_rule where merchant_id = ${tx.merchantId} and id = ${id}`)) === 1;

export const selectRules = (
  tx: Tx,
  merchantId: string | null,
  filter: { readonly sourceId?: string | undefined; readonly enabled?: boolean | undefined },
  page: PageRequest,
) =>
  pageOfRows<SourceRule>(
    tx,
    {
      kind: 'sourceRule',
      select: COLUMNS,
      from: sql`source_rule`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        filter.sourceId !== undefined && sql`source_id = ${filter.sourceId}`,
        filter.enabled !== undefined && sql`enabled = ${filter.enabled}`,
      ]),
    },
    page,
  );
