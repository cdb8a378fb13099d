import { ListOf, listReply, pageOf, type Route, route, Type } from '../http/index.ts';
import { ok } from '../kernel/result.ts';
import { changeReference, createReference, deleteReference, getReference, listReferences } from './references.ts';
import { ExternalReferenceReply, ReferenceCreateBody, ReferenceListQuery, ReferenceUpdateBody } from './schema.ts';

const tag = 'External references';
const one = { of: 'id', kind: 'externalReference' } as const;

/** `/v0/externalReferences` (api.md). */
export const referenceRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/v0/externalReferences',
      operationId: 'createExternalReference',
      tag,
      summary: 'Create an external reference',
      description:
        'Links an item, a customer, an order, an invoice or a subscription. A second primary reference ' +
        'with the same external id is 409 `REFERENCE_TAKEN`. A new default clears the old one.',
      access: { role: 'member', merchant: 'body', by: ['entityId'] },
      body: ReferenceCreateBody,
      replies: { 201: ExternalReferenceReply },
      errors: [409],
    },
    async ({ tx, merchantId, body, now }) => createReference(tx, merchantId, body, now),
  ),
  route(
    {
      method: 'GET',
      path: '/v0/externalReferences',
      operationId: 'listExternalReferences',
      tag,
      summary: 'List external references',
      description: 'Newest first.',
      access: { role: 'viewer', merchant: 'query', by: ['entityId'] },
      query: ReferenceListQuery,
      replies: { 200: ListOf(ExternalReferenceReply) },
    },
    async ({ tx, merchantId, query }) => {
      const page = pageOf(query);
      return ok(listReply(await listReferences(tx, merchantId, query, page), page));
    },
  ),
  route(
    {
      method: 'GET',
      path: '/v0/externalReferences/:id',
      operationId: 'getExternalReference',
      tag,
      summary: 'Retrieve an external reference',
      description: 'Answers one reference. An unknown id is a 404.',
      access: { role: 'viewer', merchant: one },
      replies: { 200: ExternalReferenceReply },
    },
    async ({ tx, merchantId, params }) => getReference(tx, merchantId, params.id),
  ),
  route(
    {
      method: 'PATCH',
      path: '/v0/externalReferences/:id',
      operationId: 'updateExternalReference',
      tag,
      summary: 'Update an external reference',
      description: 'A field that is not sent stays as it is. The resource of a reference never changes.',
      access: { role: 'member', merchant: one },
      body: ReferenceUpdateBody,
      replies: { 200: ExternalReferenceReply },
      errors: [409],
    },
    async ({ tx, merchantId, params, body, now }) => changeReference(tx, merchantId, params.id, body, now),
  ),
  route(
    {
      method: 'DELETE',
      path: '/v0/externalReferences/:id',
      operationId: 'deleteExternalReference',
      tag,
      summary: 'Delete an external reference',
      description: 'Deletes the link only. The resource and the record in the external system stay.',
      access: { role: 'member', merchant: one },
      replies: { 204: Type.Null() },
    },
    async ({ tx, merchantId, params }) => deleteReference(tx, merchantId, params.id),
  ),
];
