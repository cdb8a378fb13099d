import { checkReference, type Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { invalid, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import { conditionErrors, holds, type Judged } from './conditions.ts';
import {
  deleteRuleRow,
  insertRule,
  lockRule,
  lockRulesInOrder,
  selectNextOrder,
  selectRule,
  selectRules,
  updateRule,
  updateRuleCounts,
} from './rules.sql.ts';
import type { SourceRuleBody, SourceRuleUpdateBody } from './schemas.ts';
import type { SourceRule } from './source.ts';

/** A rule as it is answered. */
export const toSourceRuleReply = (rule: SourceRule) => ({
  id: rule.id,
  object: 'sourceRule' as const,
  merchantId: rule.merchantId,
  sourceId: rule.sourceId,
  name: rule.name,
  description: rule.description,
  conditions: rule.conditions,
  order: rule.order,
  enabled: rule.enabled,
  evaluationCount: rule.evaluationCount,
  matchCount: rule.matchCount,
  lastEvaluatedAt: rule.lastEvaluatedAt && formatInstant(rule.lastEvaluatedAt),
  createdBy: rule.createdBy,
  createdAt: formatInstant(rule.createdAt),
  updatedAt: formatInstant(rule.updatedAt),
});
export type SourceRuleReply = ReturnType<typeof toSourceRuleReply>;

/** Makes a rule of a source; without an `order` it is the last. @param userId who makes it */
export async function createRule(
  tx: Tx,
  body: SourceRuleBody,
  userId: string,
  now: Instant,
): Promise<Result<SourceRuleReply>> {
  const source = await checkReference(tx, 'source', body.sourceId, 'sourceId');
  if (!source.ok) return source;
  const errors = conditionErrors(body.conditions);
  if (errors.length > 0) return invalid(errors);
  const rule = await insertRule(tx, {
    id: newId('sourceRule'),
    merchantId: tx.merchantId,
    sourceId: body.sourceId,
    name: body.name,
    description: body.description ?? '',
    conditions: body.conditions,
    order: body.order ?? (await selectNextOrder(tx, body.sourceId)),
    enabled: body.enabled ?? true,
    evaluationCount: 0,
    matchCount: 0,
    lastEvaluatedAt: null,
    createdBy: userId,
    createdAt: now,
    updatedAt: now,
  });
  return ok(toSourceRuleReply(rule));
}

/** Changes the fields of the body. Waiting events are not checked again. */
export async function changeRule(
  tx: Tx,
  id: string,
  body: SourceRuleUpdateBody,
  now: Instant,
): Promise<Result<SourceRuleReply>> {
  const rule = await lockRule(tx, id);
  if (!rule) return notFound('sourceRule');
  const errors = conditionErrors(body.conditions ?? []);
  if (errors.length > 0) return invalid(errors);
  const changed = await updateRule(tx, {
    ...rule,
    name: body.name ?? rule.name,
    description: body.description === undefined ? rule.description : (body.description ?? ''),
    conditions: body.conditions ?? rule.conditions,
    order: body.order ?? rule.order,
    enabled: body.enabled ?? rule.enabled,
    updatedAt: now,
  });
  return ok(toSourceRuleReply(changed));
}

/** One rule; 404. */
export async function getRule(tx: Tx, id: string): Promise<Result<SourceRuleReply>> {
  const rule = await selectRule(tx, id);
  return rule ? ok(toSourceRuleReply(rule)) : notFound('sourceRule');
}

/** Rules of one merchant, or (null, for operators) of all, newest first. */
export async function listRules(
  tx: Tx,
  merchantId: string | null,
  filter: Parameters<typeof selectRules>[2],
  page: PageRequest,
) {
  const { rows, total } = await selectRules(tx, merchantId, filter, page);
  return { data: rows.map(toSourceRuleReply), total };
}

/** Deletes a rule; its approvals stay. */
export const deleteRule = async (tx: Tx, id: string): Promise<Result<undefined>> =>
  (await deleteRuleRow(tx, id)) ? ok(undefined) : notFound('sourceRule');

/**
 * Checks events against the rules of a source, and counts the checks. @returns the matching rule's id for each, or null
 */
export async function matchRules(
  tx: Tx,
  { id }: { readonly merchantId: string; readonly id: string },
  events: readonly Judged[],
  now: Instant,
): Promise<(string | null)[]> {
  const rules = await lockRulesInOrder(tx, id);
  if (rules.length === 0) return events.map(() => null);
  const matched = events.map((event) => firstMatch(rules, event));
  await updateRuleCounts(tx, countsOf(rules, matched), now);
  return matched.map((index) => rules[index]?.id ?? null);
}

/** The place of the first rule that holds; the number of rules where none does. */
function firstMatch(rules: readonly SourceRule[], event: Judged): number {
  const index = rules.findIndex(({ conditions }) => holds(conditions, event));
  return index === -1 ? rules.length : index;
}

/** A rule was asked about each event that none before it matched. */
const countsOf = (rules: readonly SourceRule[], matched: readonly number[]) =>
  rules
    .map(({ id }, place) => ({
      id,
      evaluations: matched.filter((index) => index >= place).length,
      matches: matched.filter((index) => index === place).length,
    }))
    .filter(({ evaluations }) => evaluations > 0);
