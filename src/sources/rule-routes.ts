import { ListOf, listReply, pageOf, type Route, route, Type } from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { changeRule, createRule, deleteRule, getRule, listRules } from './rules.ts';
import { SourceRuleBody, SourceRuleReply, SourceRulesQuery, SourceRuleUpdateBody } from './schemas.ts';

const tag = 'Sources';
const one = { of: 'id', kind: 'sourceRule' } as const;

/** `/v0/sourceRules` (api.md). */
export const ruleRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/v0/sourceRules',
      operationId: 'createSourceRule',
      tag,
      summary: 'Create a rule of a source',
      description:
        'The rule approves events of the source automatically, in mode `manual`. It applies to events that ' +
        'arrive or are retried from now on.',
      access: { role: 'member', merchant: 'body', by: ['sourceId'] },
      body: SourceRuleBody,
      replies: { 201: SourceRuleReply },
    },
    async ({ tx, merchantId, body, caller, now }) => createRule(tx, merchantId, body, caller.userId, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/sourceRules',
      operationId: 'listSourceRules',
      tag,
      summary: 'List rules of sources',
      description: 'The answer counts how often each rule was asked, and how often it matched.',
      access: { role: 'viewer', merchant: 'query', by: ['sourceId'] },
      query: SourceRulesQuery,
      replies: { 200: ListOf(SourceRuleReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listRules(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/sourceRules/:id',
      operationId: 'getSourceRule',
      tag,
      summary: 'Retrieve a rule of a source',
      description: '`matchCount` has the number of events that the rule approved.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: SourceRuleReply },
    },
    async ({ tx, merchantId, params }) => getRule(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/sourceRules/:id',
      operationId: 'updateSourceRule',
      tag,
      summary: 'Update a rule of a source',
      description: 'Fields that are absent stay unchanged. Events that were approved stay approved.',
      access: { role: 'member', merchant: one },
      body: SourceRuleUpdateBody,
      replies: { 200: SourceRuleReply },
    },
    async ({ tx, merchantId, params, body, now }) => changeRule(tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/sourceRules/:id',
      operationId: 'deleteSourceRule',
      tag,
      summary: 'Delete a rule of a source',
      description: 'Events that the rule approved stay approved.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
    },
    async ({ tx, merchantId, params }) => deleteRule(tx, merchantId, params.id),
  ),
];
