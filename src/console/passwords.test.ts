import { describe, expect, it } from 'vitest';
import { passwordProblem } from './passwords.ts';

const EMAIL = 'ada.novak@example.com';

describe('a new password', () => {
  it.each([
    'copper lantern 42',
    'üüüüööööäßñç',
    'qwertyuiop[}42',
    '\u{1F98A}\u{1F419}\u{1F98B}\u{1F422}\u{1F984}\u{1F41D}\u{1F433}\u{1F99C}\u{1F409}\u{1F40C}\u{1F43E}\u{1F47E}',
    'x1x1x1another end',
    `${'ab'.repeat(80)}${'c'.repeat(40)}`,
  ])('may be %s', (password) => expect(passwordProblem(password, EMAIL)).toBeNull());

  it.each([
    { password: 'elevenchars', problem: 'must have at least 12 characters' },
    { password: '\u{1F98A}'.repeat(6), problem: 'must have at least 12 characters' },
    { password: 'e\u0301'.repeat(6), problem: 'must have at least 12 characters' },
    { password: `${'word '.repeat(40)}x`, problem: 'must have at most 200 characters' },
    { password: EMAIL, problem: 'must not be the e-mail address' },
    { password: ' ADA.Novak@example.com', problem: 'must not be the e-mail address' },
    { password: 'aaaaaaaaaaaa', problem: 'must not repeat a few characters' },
    { password: '121212121212', problem: 'must not repeat a few characters' },
    { password: 'AbcaBcabcabca', problem: 'must not repeat a few characters' },
    { password: 'abcdefghijkl', problem: 'must not be a sequence of keys or letters' },
    { password: '9876543210987', problem: 'must not be a sequence of keys or letters' },
    { password: '456789012345', problem: 'must not be a sequence of keys or letters' },
    { password: 'QWERTYUIOPAS', problem: 'must not be a sequence of keys or letters' },
    { password: '1234567890qw', problem: 'must not be a sequence of keys or letters' },
    { password: 'Password1234', problem: 'must not be one of the most common passwords' },
    { password: '\uff50assword1234', problem: 'must not be one of the most common passwords' },
  ])('$password $problem', ({ password, problem }) => expect(passwordProblem(password, EMAIL)).toBe(problem));
});
