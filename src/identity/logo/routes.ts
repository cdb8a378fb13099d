import {
  type FieldWords,
  Id,
  OneOf,
  type RawBody,
  Reply,
  type Route,
  routesOf,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { mapped, notFound, ok } from '../../kernel/result.ts';
import { LOGO_TYPES, MOST_LOGO_BYTES } from './logo.ts';
import { findLogo, publicLogo, removeLogo, storeLogo } from './operations.ts';

const api = routesOf('Identity');
const path = '/v0/organizations/:id/logo';

const LOGO_FIELDS: FieldWords = {
  organizationId: 'The id of the merchant.',
  contentType: 'The content type of the file.',
  width: ['The width in pixels, or in the units of the SVG.', 320],
  height: ['The height in pixels, or in the units of the SVG.', 80],
  bytes: ['The size of the stored file. It is a new file, without the parts that draw nothing.', 4096],
};

const OrganizationLogoReply = Type.Object(
  {
    object: Type.Literal('organizationLogo'),
    organizationId: Id('organization'),
    contentType: OneOf(LOGO_TYPES),
    width: Type.Integer(),
    height: Type.Integer(),
    bytes: Type.Integer(),
    updatedAt: Timestamp,
  },
  {
    $id: 'OrganizationLogo',
    description: 'The logo of a merchant, for its documents and pages.',
    'x-fields': LOGO_FIELDS,
  },
);

/** The logo of a merchant (api.md, Identity): drawn on documents. */
export const logoRoutes: readonly Route[] = [
  api.put(path, 'putOrganizationLogo', {
    summary: 'Upload the logo of a merchant',
    description:
      'The body is the file with its content type, at most 256 KiB. A PNG has sides of at most 2,000 pixels. An SVG ' +
      'may have shapes, gradients and clip paths. Documents that are rendered from now on show it.',
    access: { role: 'admin', merchant: { of: 'id', kind: 'organization' } },
    bodyBytes: true,
    contentTypes: LOGO_TYPES,
    bodyLimit: MOST_LOGO_BYTES,
    replies: { 200: OrganizationLogoReply },
    errors: [413, 415],
    handler: async ({ tx, merchantId, params, body, now }) =>
      mapped(await storeLogo(tx, { merchantId, id: params.id }, body as RawBody, now), publicLogo),
  }),
  api.get(path, 'getOrganizationLogo', {
    summary: 'Download the logo of a merchant',
    description: 'Answers the file itself. A 404 where the merchant has none.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'organization' } },
    replies: { 200: { contentType: 'image/png', description: 'The logo; `image/svg+xml` where it is an SVG.' } },
    handler: async ({ tx, merchantId, params }) => {
      const logo = params.id === merchantId ? await findLogo(tx) : undefined;
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
  }),
  api.delete(path, 'deleteOrganizationLogo', {
    summary: 'Delete the logo of a merchant',
    description: 'New documents have no logo. Stored documents do not change.',
    access: { role: 'admin', merchant: { of: 'id', kind: 'organization' } },
    handler: async ({ tx, merchantId, params }) => removeLogo(tx, { merchantId, id: params.id }),
  }),
];
