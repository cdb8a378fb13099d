export { type OutboxEvent, publish } from './outbox.sql.ts';
