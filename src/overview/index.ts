/** All that the wiring uses of the overview. */
export { overviewRoutes } from './routes.ts';
