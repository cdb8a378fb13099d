import { describe, expect, it } from 'vitest';
import { contentFingerprint, keyHash } from './fingerprint.ts';

describe('a key', () => {
  it('is another one in another namespace, and is 16 bytes for every key', () => {
    expect(keyHash('org_a', 'k')).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set([keyHash('org_a', 'k'), keyHash('org_b', 'k'), keyHash('org_a', 'K')]).size).toBe(3);
  });

  it('of one source is another one than the same key of another source, or of the whole namespace', () =>
    expect(new Set([keyHash('org_a', 'k'), keyHash('org_a', 'k', 's'), keyHash('org_a', 'k', 't')]).size).toBe(3));

  it('cannot be made from another namespace by moving the border between the two', () =>
    expect(keyHash('org_a', 'b","c')).not.toBe(keyHash('org_a","b', 'c')));
});

describe('the content', () => {
  it('has 64 bits, the same for the same text', () => {
    expect(contentFingerprint('{"data":{}}')).toBe(contentFingerprint('{"data":{}}'));
    expect(contentFingerprint('{"data":{}}')).not.toBe(contentFingerprint('{"data": {}}'));
    expect(BigInt.asIntN(64, contentFingerprint('x'))).toBe(contentFingerprint('x'));
  });
});
