/** All that other domains may use of checkouts. */
export { forgetCheckouts } from './chores.ts';
export { checkoutErrors } from './errors.ts';
export { withCheckouts } from './handlers.ts';
export type { CheckoutDependencies } from './link/dependencies.ts';
export { priceList } from './page/price-list.ts';
export { checkoutRoutes } from './routes.ts';
