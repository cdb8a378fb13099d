/** All that other rooms may use of the customer portal. */
export { forgetPortalLinks, type MailedLink } from './links.ts';
export type { PortalParts } from './parts.ts';
export { portalRoutes } from './routes.ts';
