import pino from 'pino';
import { CLIENT_COMMANDS } from '../cli/names.ts';
import { readSettings, type Settings, type Variables } from '../settings.ts';
import { acceptClocks, backup, restore, restored } from './backup.ts';
import {
  type Command,
  readCommandLine,
  readLinkWords,
  readRestoredWords,
  readRestoreWords,
  SURE,
} from './command-line.ts';
import {
  auditAll,
  HELP,
  makeLinks,
  migrateAll,
  rebuildAll,
  recomputeAll,
  rotateAll,
  seed,
  showKeys,
} from './commands.ts';
import { doctor } from './doctor.ts';
import type { LoadProgram } from './environment.ts';
import { explain, StartFailure } from './failure.ts';
import { keepHeapSmall } from './heap.ts';
import { createOutput, type Output } from './output.ts';
import { resetSandbox } from './reset.ts';
import { createLogger, programVersion, start } from './start.ts';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm passes Ctrl-C on although the terminal has sent it to everyone: a person's second one comes later than this. */
const SAME_SIGNAL_MILLISECONDS = 1_000;

const PARENT_CHECK_MILLISECONDS = 500;
const FORCED = 130;

/**
 * Runs the command of a command line to its end and answers the exit code: 0 when it did what was asked, 1 when it
 * could not. What it started is stopped in either case, in the opposite order.
 */
export async function run(words: readonly string[], variables: Variables, loadProgram: LoadProgram): Promise<number> {
  keepHeapSmall();
  // The reader of our output may be gone (`npm start | head`); the program continues.
  process.stdout.on('error', () => undefined);
  const sinks = { out: process.stdout, errors: process.stderr, logs: pino.destination(2) };
  const output = createOutput(sinks, variables);
  const stop = listenForStop(output, variables);
  if (CLIENT_COMMANDS.includes(words[0] ?? '')) {
    const { runClient, terminalOf } = await import('../cli/index.ts');
    return runClient(words, terminalOf(variables, stop));
  }
  const cleanup = new AsyncDisposableStack();
  let exitCode = 0;
  try {
    await execute(readCommandLine(words), words, variables, loadProgram, output, stop, cleanup);
  } catch (error) {
    if (!stop.aborted) {
      exitCode = 1;
      report(error, output);
    }
  }
  try {
    await cleanup.disposeAsync();
  } catch (error) {
    exitCode = 1;
    report(error, output);
  }
  if (stop.aborted && exitCode === 0) output.line('Stopped. Your data stays.');
  return exitCode;
}

async function execute(
  command: Command,
  words: readonly string[],
  variables: Variables,
  loadProgram: LoadProgram,
  output: Output,
  stop: AbortSignal,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  switch (command) {
    case 'start': {
      const settings = settingsOf(variables);
      const logger = createLogger(settings, output.isTerminal, { write: output.log });
      await output.together(() => start(settings, loadProgram, output, logger, stop, cleanup));
      return untilAborted(stop);
    }
    case 'migrate':
      return migrateAll(settingsOf(variables), loadProgram, output, cleanup);
    case 'seed':
      return seed(settingsOf(variables), loadProgram, output, stop, cleanup);
    case 'rebuild':
      return rebuildAll(settingsOf(variables), loadProgram, output, cleanup);
    case 'audit':
      return auditAll(settingsOf(variables), loadProgram, output, cleanup);
    case 'recompute':
      return recomputeAll(settingsOf(variables), loadProgram, output, cleanup);
    case 'rotate-master-key':
      return rotateAll(settingsOf(variables), loadProgram, output, cleanup);
    case 'keys':
      return showKeys(settingsOf(variables), output);
    case 'sign-in-link':
      return makeLinks(settingsOf(variables), readLinkWords(words), loadProgram, output, cleanup);
    case 'backup':
      return backup(settingsOf(variables), output, cleanup);
    case 'restore':
      return restore(settingsOf(variables), readRestoreWords(words), loadProgram, output, cleanup);
    case 'restored':
      return restored(settingsOf(variables), readRestoredWords(words), loadProgram, output, cleanup);
    case 'accept-clock':
      return acceptClocks(settingsOf(variables), loadProgram, output, cleanup);
    case 'doctor':
      return doctor(variables, loadProgram, output, cleanup);
    case 'reset':
      return resetSandbox(settingsOf(variables), words.includes(SURE), output, cleanup);
    case 'version':
      return void process.stdout.write(`${programVersion()}\n`);
    case 'help':
      return output.line(HELP.trim());
  }
}

function settingsOf(variables: Variables): Settings {
  const read = readSettings(variables);
  if (read.ok) return read.settings;
  const problems = read.problems.map(({ name, problem }) => `\n      ${name} ${problem}`).join('');
  throw new StartFailure(`These settings cannot be used:${problems}`, 'correct them; npm run help explains them');
}

function report(error: unknown, output: Output): void {
  const known = explain(error);
  if (known) {
    output.failure(known.message, known.fix);
  } else {
    const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
    output.failure(shown, 'this is a fault in Reckoner: please report it with the lines above');
  }
}

/** The first signal asks for a clean stop; a later Ctrl-C ends the process at once, and the next start clears up. */
function listenForStop(output: Output, variables: Variables): AbortSignal {
  const controller = new AbortController();
  let first = 0;
  const onSignal = (signal?: NodeJS.Signals) => {
    const now = performance.now();
    if (!controller.signal.aborted) {
      first = now;
      output.line();
      output.line('Stopping … (Ctrl-C again stops at once)');
      controller.abort();
    } else if (signal === 'SIGINT' && now - first > SAME_SIGNAL_MILLISECONDS) {
      process.exit(FORCED);
    }
  };
  for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  // Under npm or a Node that runs us again there is somebody above us who can be killed without a word to us: a server
  // that nobody minds any more would go on holding its ports.
  if (variables.npm_lifecycle_event !== undefined || variables.RECKONER_RUN_AGAIN !== undefined) {
    const parent = process.ppid;
    setInterval(() => {
      if (process.ppid !== parent && !controller.signal.aborted) onSignal();
    }, PARENT_CHECK_MILLISECONDS).unref();
  }
  return controller.signal;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
