/** All that other rooms may use of the customer portal. */
export { portalDoor } from './frame/cookie.ts';
export type { PortalDependencies } from './links/dependencies.ts';
export { forgetPortalLinks, type MailedLink } from './links/links.ts';
export { portalRoutes } from './routes.ts';
