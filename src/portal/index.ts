/** All that other rooms may use of the customer portal. */
export { forgetPortalLinks, type MailedLink } from './links/links.ts';
export type { PortalParts } from './links/parts.ts';
export { portalRoutes } from './routes.ts';
