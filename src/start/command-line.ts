import { parseArgs } from 'node:util';
import { nearestWord } from '../kernel/nearest-word.ts';
import { type EnvironmentName, settingNames } from '../settings.ts';
import type { NextNumber } from './environment.ts';
import { StartFailure } from './failure.ts';

const COMMANDS = [
  'start',
  'migrate',
  'seed',
  'rebuild',
  'audit',
  'recompute',
  'rotate-master-key',
  'keys',
  'sign-in-link',
  'backup',
  'restore',
  'restored',
  'accept-clock',
  'doctor',
  'reset',
  'version',
  'help',
] as const;
export type Command = (typeof COMMANDS)[number];

/** The word behind `reset` without which nothing is deleted. */
export const SURE = '--yes';

const OPTIONS: ReadonlyMap<string, Command> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-v', 'version'],
]);

/**
 * The command of a command line; an option stands for a command, and no words for `start`.
 * @throws StartFailure for a word that does not exist, with the nearest one
 */
export function readCommandLine(words: readonly string[]): Command {
  const [first] = words;
  const hasOptions = first === 'sign-in-link' || first === 'restore' || first === 'restored';
  if (hasOptions && !words.some((word) => OPTIONS.has(word))) return first;
  if (words[0] === 'reset' && words.length === 2 && words[1] === SURE) return 'reset';
  const options = words.filter(isOption).map(nameOf);
  for (const option of options) if (!OPTIONS.has(option)) throw unknownOption(option);
  const [command = 'start', extra] = words.filter((word) => !isOption(word));
  const known = COMMANDS.find((each) => each === command);
  if (known === undefined) throw unknown('command', command, COMMANDS);
  if (extra !== undefined)
    throw new StartFailure(`The command "${known}" is followed by "${extra}".`, 'give one command: npm run help');
  return OPTIONS.get(options[0] ?? '') ?? known;
}

/** The user of `sign-in-link`, and the environment; absent: each of the settings. */
export interface LinkWords {
  readonly email: string;
  readonly userId: string | undefined;
  readonly environment: EnvironmentName | undefined;
}

const LINK_FIX = 'give an e-mail address: npm run sign-in-link -- EMAIL [--environment production] [--user usr_…]';

/** The words behind `sign-in-link`. @throws StartFailure where they are not an address and its options */
export function readLinkWords(words: readonly string[]): LinkWords {
  const options = { environment: { type: 'string' }, user: { type: 'string' } } as const;
  const { values, positionals } = read('sign-in-link', LINK_FIX, () =>
    parseArgs({ args: words.slice(1), options, allowPositionals: true }),
  );
  const [email, ...others] = positionals;
  const { environment, user } = values;
  if (email === undefined || others.length > 0)
    throw new StartFailure('The command "sign-in-link" needs the e-mail address of one user.', LINK_FIX);
  if (environment !== undefined && environment !== 'production' && environment !== 'sandbox')
    throw new StartFailure(`The environment "${environment}" does not exist.`, 'write production or sandbox');
  return { email, userId: user, environment };
}

/** The time to which `restore` goes back; null: to the end of the log. */
export interface RestoreWords {
  readonly to: Temporal.Instant | null;
}

const RESTORE_FIX = 'give a time, or none for all that is there: npm run restore -- [--to 2026-11-28T10:00:00Z]';

/** The words behind `restore`. @throws StartFailure where they are not its options */
export function readRestoreWords(words: readonly string[]): RestoreWords {
  const { to } = read('restore', RESTORE_FIX, () =>
    parseArgs({ args: words.slice(1), options: { to: { type: 'string' } } }),
  ).values;
  if (to === undefined) return { to: null };
  try {
    return { to: Temporal.Instant.from(to) };
  } catch {
    throw new StartFailure(`"${to}" is not a time.`, RESTORE_FIX);
  }
}

const RESTORED_FIX =
  'give the next numbers of a merchant: npm run restored -- --next-number org_…=30 --next-credit-note org_…=7';

/** The words behind `restored`: the next numbers of merchants. @throws StartFailure where they are not its options */
export function readRestoredWords(words: readonly string[]): NextNumber[] {
  const many = { type: 'string', multiple: true } as const;
  const options = { 'next-number': many, 'next-credit-note': many } as const;
  const { values } = read('restored', RESTORED_FIX, () => parseArgs({ args: words.slice(1), options }));
  const numbers = (counter: NextNumber['counter'], given: readonly string[] = []) =>
    given.map((word) => {
      const [, merchantId, number] = /^(org_[0-9A-Za-z]{1,64})=([1-9]\d{0,14})$/.exec(word) ?? [];
      if (merchantId === undefined || number === undefined)
        throw new StartFailure(`"${word}" is not a merchant and its next number.`, RESTORED_FIX);
      return { merchantId, counter, number: BigInt(number) };
    });
  return [...numbers('invoice', values['next-number']), ...numbers('credit_note', values['next-credit-note'])];
}

function read<T>(command: Command, fix: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new StartFailure(`The options are not those of "${command}": ${(error as Error).message}`, fix);
  }
}

const isOption = (word: string): boolean => word.startsWith('-');

/** Without its value, which may be a password. */
const nameOf = (option: string): string => option.split('=', 1)[0] as string;

function unknownOption(option: string): StartFailure {
  const setting = option.replace(/^-+/, '').replaceAll('-', '_').toUpperCase();
  if (settingNames().has(setting))
    return new StartFailure(
      `The option "${option}" does not exist.`,
      `set the variable instead: ${setting}=… npm start`,
    );
  return unknown('option', option, OPTIONS.keys());
}

function unknown(what: 'command' | 'option', word: string, known: Iterable<string>): StartFailure {
  const near = nearestWord(word, known);
  return new StartFailure(
    `The ${what} "${word}" does not exist${near === null ? '' : `; the nearest is "${near}"`}.`,
    'list the commands: npm run help',
  );
}
