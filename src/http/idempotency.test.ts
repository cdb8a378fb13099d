import { expect, it } from 'vitest';
import { lockOf } from './idempotency.ts';

const text = JSON.stringify({ secret: 'rk_test_shown_once', name: 'Ελλάδα' });

it('opens a locked reply with the key that closed it, each time sealed anew', () => {
  const lock = lockOf('rk_test_a');
  const closed = lock.close(text);
  expect(lockOf('rk_test_a').open(closed)).toBe(text);
  expect(lock.close(text)).not.toBe(closed);
  expect(Buffer.from(closed, 'base64').toString('latin1')).not.toContain('shown_once');
});

it('stays closed for another key and for a changed text', () => {
  const closed = lockOf('rk_test_a').close(text);
  const changed = Buffer.from(closed, 'base64');
  changed[changed.length - 1] = (changed.at(-1) as number) ^ 1;
  expect(() => lockOf('rk_test_b').open(closed)).toThrow();
  expect(() => lockOf('rk_test_a').open(changed.toString('base64'))).toThrow();
});

it('makes the same request of another key another request', () => {
  const print = (token: string) => lockOf(token).fingerprint('/v0/x', { name: 'a' }).toString('hex');
  expect(print('rk_test_a')).toBe(print('rk_test_a'));
  expect(print('rk_test_a')).not.toBe(print('rk_test_b'));
});
