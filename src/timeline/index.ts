/** All that other domains may use of the timeline. */
export { timelineRoutes } from './routes.ts';
