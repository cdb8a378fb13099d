import { createHash } from 'node:crypto';
import { canonicalJson } from '../http/index.ts';

/**
 * What an event is called: 16 bytes of SHA-256, as a UUID, over its namespace and key, and for a key that counts within one
 * source alone (a CloudEvent's id) also over that. Keys are chosen outside; a weaker hash could be made to collide.
 */
export function keyHash(namespace: string, idempotencyKey: string, keySource?: string): string {
  const names = keySource === undefined ? [namespace, idempotencyKey] : [namespace, keySource, idempotencyKey];
  const hex = createHash('sha256').update(JSON.stringify(names)).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** 8 bytes of SHA-256 over the content: tells a retry from another event with the same key. Order of keys plays no part. */
export const contentPrint = (content: unknown): bigint =>
  createHash('sha256').update(canonicalJson(content)).digest().readBigInt64BE(0);
