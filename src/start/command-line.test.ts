import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settingNames } from '../settings.ts';
import { readCommandLine, readLinkWords } from './command-line.ts';
import { HELP } from './commands.ts';

const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean));

describe('a command line', () => {
  it.each([
    ['', 'start'],
    ['start', 'start'],
    ['rotate-master-key', 'rotate-master-key'],
    ['version', 'version'],
    ['--version', 'version'],
    ['-v', 'version'],
    ['--help', 'help'],
    ['-h', 'help'],
    ['migrate --help', 'help'],
    ['sign-in-link ada@example.com --user usr_1', 'sign-in-link'],
    ['sign-in-link --help', 'help'],
  ])('%j means %s', (line, command) => expect(read(line)).toBe(command));

  it.each([
    ['dance', 'The command "dance" does not exist.'],
    ['strat', 'The command "strat" does not exist; the nearest is "start".'],
    ['migrate production', 'The command "migrate" is followed by "production".'],
    ['--verison', 'The option "--verison" does not exist; the nearest is "--version".'],
    ['start --watch', 'The option "--watch" does not exist.'],
    ['-x', 'The option "-x" does not exist.'],
    ['--help --hlep', 'The option "--hlep" does not exist; the nearest is "--help".'],
  ])('%j is refused', (line, message) => expect(() => read(line)).toThrow(expect.objectContaining({ message })));

  it('of a link names a user, and may name the environment and one of several users', () => {
    const words = ['sign-in-link', 'ada@example.com', '--environment', 'sandbox', '--user=usr_1'];
    expect(readLinkWords(words)).toEqual({ email: 'ada@example.com', userId: 'usr_1', environment: 'sandbox' });
    expect(readLinkWords(words.slice(0, 2))).toEqual({ email: 'ada@example.com' });
  });

  it.each([
    ['sign-in-link', 'The command "sign-in-link" needs the e-mail address of one user.'],
    ['sign-in-link a@b.c d@e.f', 'The command "sign-in-link" needs the e-mail address of one user.'],
    ['sign-in-link a@b.c --environment staging', 'The environment "staging" does not exist.'],
    ['sign-in-link a@b.c --role admin', expect.stringContaining("Unknown option '--role'")],
  ])('of a link is refused: %s', (line, message) =>
    expect(() => readLinkWords(line.split(' '))).toThrow(expect.objectContaining({ message })),
  );

  it('that gives a setting as an option is told its variable, and the value is not repeated', () =>
    expect(() => read('--database-url=postgres://a:secret@db/one')).toThrow(
      expect.objectContaining({
        message: 'The option "--database-url" does not exist.',
        fix: 'set the variable instead: DATABASE_URL=… npm start',
      }),
    ));
});

it.each([
  { place: 'the help', text: HELP },
  { place: 'docs/running.md', text: readFileSync(new URL('../../docs/running.md', import.meta.url), 'utf8') },
])('every setting is explained in $place', ({ text }) => {
  const words = new Set(text.match(/\w+/g));
  expect([...settingNames()].filter((name) => !words.has(name))).toEqual([]);
});
