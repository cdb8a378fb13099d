import { CommanderError } from 'commander';
import type { Variables } from '../settings.ts';
import { CommandFailure } from './failure.ts';
import { askAt, browseTo, clientProgram, type Terminal } from './program.ts';

const DONE = 0;
const FAILED = 1;
/** The words of the command line are wrong. */
const MISUSED = 2;

/** Runs a command of the client. @returns the exit code: 0 done, 1 failed, 2 the words are wrong */
export async function runClient(words: readonly string[], terminal: Terminal): Promise<number> {
  const said: string[] = [];
  const program = clientProgram(terminal);
  for (const each of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)])
    each.exitOverride().configureOutput({
      writeOut: (text) => terminal.screen.write(text),
      writeErr: (text) => void said.push(text),
    });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return DONE;
  } catch (error) {
    if (terminal.stop.aborted) return DONE;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return DONE;
      const help = error.code === 'commander.help' ? said.join('') : '';
      if (help !== '') terminal.screen.aside(help);
      else fail(terminal, error.message.replace(/^error: /, ''), `see reckoner ${words[0] ?? ''} --help`);
      return MISUSED;
    }
    if (!(error instanceof CommandFailure)) throw error;
    fail(terminal, error.message, error.fix);
    return FAILED;
  }
}

const fail = ({ screen }: Terminal, cause: string, fix: string): void =>
  screen.aside(`\n  ✖ ${cause}\n    Fix: ${fix}\n\n`);

/** The terminal of this process. */
export function terminalOf(variables: Variables, stop: AbortSignal): Terminal {
  const { stdout, stderr } = process;
  const isTerminal = Boolean(stdout.isTTY);
  return {
    variables,
    stop,
    ask: askAt,
    browse: browseTo,
    screen: {
      isTerminal,
      colours: isTerminal && !variables.NO_COLOR && variables.TERM !== 'dumb',
      columns: isTerminal ? stdout.columns : null,
      write: (text) => void stdout.write(text),
      aside: (text) => void stderr.write(text),
    },
  };
}
