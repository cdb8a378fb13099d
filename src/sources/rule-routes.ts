import { type Route, routesOf } from '../http/index.ts';
import { changeRule, createRule, deleteRule, getRule, listRules } from './rules.ts';
import { SourceRuleBody, SourceRuleReply, SourceRulesQuery, SourceRuleUpdateBody } from './schemas.ts';

const api = routesOf('Sources');
const one = { of: 'id', kind: 'sourceRule' } as const;

/** `/v0/sourceRules` (api.md). */
export const ruleRoutes: readonly Route[] = [
  api.post('/v0/sourceRules', 'createSourceRule', {
    summary: 'Create a rule of a source',
    description:
      'The rule approves events of the source automatically, in mode `manual`. It applies to events that arrive or ' +
      'are retried from now on.',
    access: { role: 'member', merchant: 'body', by: ['sourceId'] },
    body: SourceRuleBody,
    replies: { 201: SourceRuleReply },
    handler: async ({ tx, body, caller, now }) => createRule(tx, body, caller.userId, now),
  }),
  api.list('/v0/sourceRules', 'listSourceRules', {
    summary: 'List rules of sources',
    description: 'The answer counts how often each rule was asked, and how often it matched.',
    access: { role: 'viewer', merchant: 'query', by: ['sourceId'] },
    query: SourceRulesQuery,
    of: SourceRuleReply,
    list: ({ tx, merchantId, query, page }) => listRules(tx, merchantId, query, page),
  }),
  api.get('/v0/sourceRules/:id', 'getSourceRule', {
    summary: 'Retrieve a rule of a source',
    description: '`matchCount` has the number of events that the rule approved.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: SourceRuleReply },
    handler: async ({ tx, params }) => getRule(tx, params.id),
  }),
  api.patch('/v0/sourceRules/:id', 'updateSourceRule', {
    summary: 'Update a rule of a source',
    description: 'Fields that are absent stay unchanged. Events that were approved stay approved.',
    access: { role: 'member', merchant: one },
    body: SourceRuleUpdateBody,
    replies: { 200: SourceRuleReply },
    handler: async ({ tx, params, body, now }) => changeRule(tx, params.id, body, now),
  }),
  api.delete('/v0/sourceRules/:id', 'deleteSourceRule', {
    summary: 'Delete a rule of a source',
    description: 'Events that the rule approved stay approved.',
    access: { role: 'member', merchant: one },
    handler: async ({ tx, params }) => deleteRule(tx, params.id),
  }),
];
