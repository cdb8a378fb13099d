import { expect, it } from 'vitest';
import { SignInAttempts } from './attempts.ts';

/** A clock that stands still until it is moved. */
function openAttempts(isBehindProxy = false) {
  let now = Temporal.Instant.from('2026-01-01T00:00:00Z');
  const attempts = new SignInAttempts(() => now, isBehindProxy);
  return {
    attempts,
    wait: (seconds: number) => {
      now = now.add({ seconds });
    },
  };
}

const HOME = '203.0.113.7';
const NAME = 'ada@example.com';

it('waits after ten attempts on one name from one address, however it is written', () => {
  const { attempts, wait } = openAttempts();
  const counted = Array.from({ length: 11 }, (_, index) =>
    attempts.count({ address: HOME, name: index % 2 === 0 ? NAME : ` ${NAME.toUpperCase()}` }),
  );
  expect(counted).toEqual([...Array.from({ length: 10 }, () => null), 30]);
  expect(attempts.count({ address: HOME, name: 'other@example.com' })).toBeNull();
  wait(30);
  expect(attempts.count({ address: HOME, name: NAME })).toBeNull();
});

it('counts the addresses of one network as one', () => {
  const { attempts } = openAttempts();
  const counted = Array.from({ length: 11 }, (_, index) =>
    attempts.count({ address: `2001:db8::${index}`, name: NAME }),
  );
  expect(counted.at(-1)).toBe(30);
});

it('waits after 60 attempts from one address, whomever they name, but not on this machine', () => {
  const count = (address: string, isBehindProxy = false) => {
    const { attempts } = openAttempts(isBehindProxy);
    return Array.from({ length: 61 }, (_, index) => attempts.count({ address, name: `${index}@example.com` })).at(-1);
  };
  expect([count(HOME), count('127.0.0.1'), count('127.0.0.1', true)]).toEqual([6, null, 6]);
});

it('lets a person in from an address that is known while others attack its name from many', () => {
  const { attempts } = openAttempts();
  attempts.succeeded({ address: HOME, name: NAME });
  const attack = Array.from({ length: 200 }, (_, index) =>
    attempts.count({ address: `198.51.${Math.floor(index / 250)}.${index % 250}`, name: NAME }),
  );
  expect(attack.filter((seconds) => seconds === null)).toHaveLength(50);
  expect(attempts.count({ address: HOME, name: NAME })).toBeNull();
});

it('forgets the attempts before a right password', () => {
  const { attempts } = openAttempts();
  const count = () => attempts.count({ address: HOME, name: NAME });
  for (let index = 0; index < 10; index += 1) count();
  attempts.succeeded({ address: HOME, name: NAME });
  expect(count()).toBeNull();
});
