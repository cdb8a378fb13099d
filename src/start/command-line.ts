import { nearestWord } from '../kernel/nearest-word.ts';
import { settingNames } from '../settings.ts';
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
  'version',
  'help',
] as const;
export type Command = (typeof COMMANDS)[number];

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
  const options = words.filter(isOption).map(nameOf);
  for (const option of options) if (!OPTIONS.has(option)) throw unknownOption(option);
  const [command = 'start', extra] = words.filter((word) => !isOption(word));
  const known = COMMANDS.find((each) => each === command);
  if (known === undefined) throw unknown('command', command, COMMANDS);
  if (extra !== undefined)
    throw new StartFailure(`The command "${known}" is followed by "${extra}".`, 'give one command: npm run help');
  return OPTIONS.get(options[0] ?? '') ?? known;
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
