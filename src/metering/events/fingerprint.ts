import { hash } from 'node:crypto';

/**
 * The name of an event: 16 bytes of SHA-256, in hex, over its namespace and key, and for a key with the scope of one
 * source (a CloudEvent's id) also over that. Keys are chosen outside; a weaker hash could be made to collide.
 */
export function keyHash(namespace: string, idempotencyKey: string, keySource?: string): string {
  const names = keySource === undefined ? [namespace, idempotencyKey] : [namespace, keySource, idempotencyKey];
  return hash('sha256', JSON.stringify(names), 'hex').slice(0, 32);
}

/** 8 bytes of SHA-256 over the content: tells a retry from another event with the same key. */
export const contentFingerprint = (content: string): bigint => hash('sha256', content, 'buffer').readBigInt64BE();
