export { type BufferOptions, EventBuffer, type EventStore, type StoredEvents } from './buffer.ts';
export type { CallOptions } from './call.ts';
export { Reckoner, type ReckonerOptions } from './client.ts';
export * from './errors.ts';
export type { Operations, Resources } from './generated/resources.ts';
export type * as types from './generated/types.ts';
export { List } from './list.ts';
export type { Attach, Attached, Check, Checked, Customer } from './verbs.ts';
export {
  type HeadersLike,
  sign,
  type UnwrapOptions,
  type Unwrapped,
  unwrap,
  WebhookSignatureError,
} from './webhooks.ts';
