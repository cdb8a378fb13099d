import { Id, OneOf, type RawBody, Reply, type Route, route, Timestamp, Type } from '../../http/index.ts';
import { notFound, ok } from '../../kernel/result.ts';
import { LOGO_TYPES, MOST_LOGO_BYTES } from './logo.ts';
import { dropLogo, findLogo, keepLogo, publicLogo } from './operations.ts';

const TAG = 'Identity';
const path = '/v0/organizations/:id/logo';

const OrganizationLogo = Type.Object(
  {
    object: Type.Literal('organizationLogo'),
    organizationId: Id('organization'),
    contentType: OneOf(LOGO_TYPES),
    width: Type.Integer({ description: 'Pixels, or the units of the SVG.' }),
    height: Type.Integer(),
    bytes: Type.Integer({ description: 'Of what is kept: the file written anew, without what does not draw.' }),
    updatedAt: Timestamp,
  },
  { $id: 'OrganizationLogo' },
);

/** The logo of a merchant (api.md, Identity): drawn on documents. */
export const logoRoutes: readonly Route[] = [
  route(
    {
      method: 'PUT',
      path,
      operationId: 'putOrganizationLogo',
      tag: TAG,
      summary: 'Upload the logo of a merchant',
      description:
        'The body is the file, with its content type: PNG (sides of at most 2,000 pixels) or SVG (shapes, gradients, clip paths), at most ' +
        '256 KiB. Documents that are made from now on bear it.',
      access: { role: 'admin', merchant: { of: 'id', kind: 'organization' } },
      bodyBytes: true,
      contentTypes: LOGO_TYPES,
      bodyLimit: MOST_LOGO_BYTES,
      replies: { 200: OrganizationLogo },
      errors: [413, 415],
    },
    async ({ tx, merchantId, params, body, now }) => {
      const kept = await keepLogo(tx, { merchantId, id: params.id }, body as RawBody, now);
      return kept.ok ? ok(publicLogo(kept.value)) : kept;
    },
  ),
  route(
    {
      method: 'GET',
      path,
      operationId: 'getOrganizationLogo',
      tag: TAG,
      summary: 'Download the logo of a merchant',
      access: { role: 'viewer', merchant: { of: 'id', kind: 'organization' } },
      replies: { 200: { contentType: 'image/png', description: 'The logo; `image/svg+xml` where it is an SVG.' } },
    },
    async ({ tx, merchantId, params }) => {
      const logo = params.id === merchantId ? await findLogo(tx, merchantId) : undefined;
      if (!logo) return notFound('logo');
      return ok(
        new Reply(200, logo.content, {
          'content-type': logo.contentType,
          // A page that shows the file itself runs nothing of it, whatever it holds.
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
          'x-content-type-options': 'nosniff',
        }),
      );
    },
  ),
  route(
    {
      method: 'DELETE',
      path,
      operationId: 'deleteOrganizationLogo',
      tag: TAG,
      summary: 'Delete the logo of a merchant',
      access: { role: 'admin', merchant: { of: 'id', kind: 'organization' } },
      replies: { 204: Type.Null() },
    },
    async ({ tx, merchantId, params }) => dropLogo(tx, { merchantId, id: params.id }),
  ),
];
