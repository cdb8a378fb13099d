import { hash } from 'node:crypto';

/**
 * What an event is called: 16 bytes of SHA-256, as a UUID, over its namespace and key, and for a key that counts within one
 * source alone (a CloudEvent's id) also over that. Keys are chosen outside; a weaker hash could be made to collide.
 */
export function keyHash(namespace: string, idempotencyKey: string, keySource?: string): string {
  const names = keySource === undefined ? [namespace, idempotencyKey] : [namespace, keySource, idempotencyKey];
  const hex = hash('sha256', JSON.stringify(names), 'hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** 8 bytes of SHA-256 over the content: tells a retry from another event with the same key. Order of keys plays no part. */
export const contentPrint = (content: unknown): bigint =>
  BigInt.asIntN(64, BigInt(`0x${hash('sha256', canonicalText(content), 'hex').slice(0, 16)}`));

/** The same text as `canonicalJson`, which goes through every value twice: here it is the largest part of what an event costs. */
function canonicalText(value: unknown): string {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  let text = '';
  for (const key of Object.keys(value).toSorted()) {
    const part = (value as Record<string, unknown>)[key];
    if (part !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalText(part)}`;
  }
  return `{${text}}`;
}
