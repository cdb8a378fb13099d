import { type Route, routesOf } from '../http/index.ts';
import { changeReference, createReference, deleteReference, getReference, listReferences } from './references.ts';
import { ExternalReferenceReply, ReferenceCreateBody, ReferenceListQuery, ReferenceUpdateBody } from './schema.ts';

const api = routesOf('External references');
const one = { of: 'id', kind: 'externalReference' } as const;

/** `/v0/externalReferences` (api.md). */
export const referenceRoutes: readonly Route[] = [
  api.post('/v0/externalReferences', 'createExternalReference', {
    summary: 'Create an external reference',
    description:
      'Links an item, a customer, an order, an invoice or a subscription. A second primary reference with the same ' +
      'external id is 409 `REFERENCE_TAKEN`. A new default clears the old one.',
    access: { role: 'member', merchant: 'body', by: ['entityId'] },
    body: ReferenceCreateBody,
    replies: { 201: ExternalReferenceReply },
    errors: [409],
    handler: async ({ tx, body, now }) => createReference(tx, body, now),
  }),
  api.list('/v0/externalReferences', 'listExternalReferences', {
    summary: 'List external references',
    description: 'Newest first.',
    access: { role: 'viewer', merchant: 'query', by: ['entityId'] },
    query: ReferenceListQuery,
    of: ExternalReferenceReply,
    list: ({ tx, merchantId, query, page }) => listReferences(tx, merchantId, query, page),
  }),
  api.get('/v0/externalReferences/:id', 'getExternalReference', {
    summary: 'Retrieve an external reference',
    description: 'Answers one reference. An unknown id is a 404.',
    access: { role: 'viewer', merchant: one },
    replies: { 200: ExternalReferenceReply },
    handler: async ({ tx, params }) => getReference(tx, params.id),
  }),
  api.patch('/v0/externalReferences/:id', 'updateExternalReference', {
    summary: 'Update an external reference',
    description: 'A field that is not sent stays as it is. The resource of a reference never changes.',
    access: { role: 'member', merchant: one },
    body: ReferenceUpdateBody,
    replies: { 200: ExternalReferenceReply },
    errors: [409],
    handler: async ({ tx, params, body, now }) => changeReference(tx, params.id, body, now),
  }),
  api.delete('/v0/externalReferences/:id', 'deleteExternalReference', {
    summary: 'Delete an external reference',
    description: 'Deletes the link only. The resource and the record in the external system stay.',
    access: { role: 'member', merchant: one },
    handler: async ({ tx, params }) => deleteReference(tx, params.id),
  }),
];
