import type { FastifyRequest } from 'fastify';

/** A page, as the answer of a route. */
export const HTML = { contentType: 'text/html', description: 'A page for a person.' } as const;

/** The logo of a merchant, as the answer of a route. */
export const IMAGE = {
  contentType: 'image/png',
  description: 'The logo; `image/svg+xml` where it is an SVG.',
} as const;

/** The content type of a form. */
export const FORM = 'application/x-www-form-urlencoded';

/** Where a press of our own button comes from. */
const OUR_SITES: ReadonlySet<unknown> = new Set(['none', 'same-origin']);

/** Did another site send this in a customer's name? Then it changes nothing. */
export const isForeign = (request: Pick<FastifyRequest, 'headers'>): boolean =>
  !OUR_SITES.has(request.headers['sec-fetch-site'] ?? 'none');
