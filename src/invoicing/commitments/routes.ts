import { type Route, routesOf } from '../../http/index.ts';
import { mapped, type Result } from '../../kernel/result.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { ReasonBody } from '../invoice/schemas.ts';
import { selectCommitmentPage } from './commitments.sql.ts';
import { changeCommitment, createCommitment, endCommitment, getCommitment, readCommitments } from './commitments.ts';
import type { ReadCommitment } from './figures.ts';
import {
  CommitmentCreateBody,
  CommitmentListQuery,
  CommitmentReply,
  CommitmentUpdateBody,
  toCommitmentReply,
} from './schemas.ts';

const api = routesOf('Commitments');
const one = { of: 'id', kind: 'commitment' } as const;
const reply = (read: Result<ReadCommitment>) => mapped(read, toCommitmentReply);

/** `/v0/commitments`: what customers have promised to spend over a term (commercial.md §4). */
export const commitmentRoutes = (dependencies: InvoicingDependencies): readonly Route[] => [
  api.post('/v0/commitments', 'createCommitment', {
    summary: 'Create a commitment',
    description:
      'The customer promises to spend an amount in each segment of a term. Postpaid: what is missing at the end of a ' +
      'segment, or of the term, is a line of the invoice of the subscription that ends then or next; of all ' +
      'subscriptions of the customer it is an invoice of its own. Prepaid: the amounts are invoiced first, and each ' +
      'segment makes a billing credit that pays the charges of its time.',
    access: { role: 'member', merchant: 'body' },
    body: CommitmentCreateBody,
    replies: { 201: CommitmentReply },
    handler: async ({ tx, body, now }) => reply(await createCommitment(dependencies, tx, body, now)),
  }),
  api.list('/v0/commitments', 'listCommitments', {
    summary: 'List commitments',
    description: 'The newest commitment comes first.',
    access: { role: 'viewer', merchant: 'query' },
    query: CommitmentListQuery,
    of: CommitmentReply,
    list: async ({ tx, merchantId, query, page, now }) => {
      const { rows, total } = await selectCommitmentPage(tx, merchantId, query, page);
      return { rows: (await readCommitments(dependencies, tx, rows, now)).map(toCommitmentReply), total };
    },
  }),
  api.get('/v0/commitments/:id', 'getCommitment', {
    summary: 'Retrieve a commitment',
    description: 'With what is spent in each segment until now.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: CommitmentReply },
    handler: async ({ tx, params, now }) => reply(await getCommitment(dependencies, tx, params.id, now)),
  }),
  api.patch('/v0/commitments/:id', 'updateCommitment', {
    summary: 'Update a commitment',
    description: 'A field that is not sent stays as it is. `onEnd` of an ended commitment is decided: 409.',
    access: { role: 'member', merchant: one },
    body: CommitmentUpdateBody,
    replies: { 200: CommitmentReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => reply(await changeCommitment(dependencies, tx, params.id, body, now)),
  }),
  api.post('/v0/commitments/:id/end', 'endCommitment', {
    summary: 'End a commitment before its term',
    description:
      'It ends now. The invoice of the running period asks what `onEnd` says. A commitment that has ended is a 409.',
    access: { role: 'member', merchant: one },
    body: ReasonBody,
    replies: { 200: CommitmentReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) =>
      reply(await endCommitment(dependencies, tx, params.id, body.reason ?? null, now)),
  }),
];
