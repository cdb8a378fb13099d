export { type OutboxEvent, publish } from './outbox.ts';
