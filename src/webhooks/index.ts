export { type OutboxEvent, publish, publishAll } from './outbox.sql.ts';
