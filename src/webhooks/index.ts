/** All that other rooms may use of webhooks. */
export { adoptWebhookEvents, forgetWebhookEvents, programRunChore } from './chores.ts';
export { countWaiting } from './deliveries.sql.ts';
export { selectEndpointHealth as findEndpointHealth } from './endpoints.sql.ts';
export { webhookErrors } from './errors.ts';
export { openInbox } from './inbox.ts';
export type { EventType } from './kinds.ts';
export { type OutboxEvent, publish, publishAll } from './outbox.sql.ts';
export { openPost, resolveName } from './post.ts';
export { INBOX_PATH, type WebhookDependencies, webhookRoutes } from './routes.ts';
export { DELIVERIES } from './schemas.ts';
export type { WebhookTransport } from './send.ts';
export { createSender, type Sender } from './sender.ts';
