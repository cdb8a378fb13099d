import { CredentialsUnreadable } from '../credentials.ts';
import { DirectoryNotMade, NotADirectory } from '../db/embedded/index.ts';

/** The reason why a command stops, for a person: the cause, and one remedy. */
export class StartFailure extends Error {
  readonly fix: string;

  constructor(cause: string, fix: string, options?: ErrorOptions) {
    super(cause, options);
    this.name = 'StartFailure';
    this.fix = fix;
  }
}

/**
 * The failure a person is shown for anything that was thrown; null for a fault of ours, whose stack is worth more than
 * a guess.
 */
export function explain(error: unknown): StartFailure | null {
  if (error instanceof StartFailure) return error;
  if (error instanceof Error && 'fix' in error)
    return new StartFailure(error.message, String(error.fix), { cause: error });
  if (error instanceof CredentialsUnreadable) {
    return new StartFailure(
      error.message,
      `repair it, or move it away with its master key: mv ${error.file} ${error.file}.old`,
      {
        cause: error,
      },
    );
  }
  if (error instanceof NotADirectory || error instanceof DirectoryNotMade)
    return new StartFailure(error.message, 'use another folder: DATA_DIR=… npm start', { cause: error });
  const { code, path } = error as NodeJS.ErrnoException;
  if (path !== undefined && (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')) {
    return new StartFailure(
      `This user may not write ${path}.`,
      'start as its owner, or use another folder: DATA_DIR=… npm start',
      { cause: error },
    );
  }
  if (path !== undefined && (code === 'EEXIST' || code === 'ENOTDIR')) {
    return new StartFailure(`${path} is a file and not a folder.`, 'use another folder: DATA_DIR=… npm start', {
      cause: error,
    });
  }
  if (code === 'ENOSPC') {
    return new StartFailure('The disk is full.', 'free some space and start again', { cause: error });
  }
  return null;
}

/** Why a server cannot listen where it was told to. `setting` is the variable that chooses the port. */
export function explainListening(error: unknown, host: string, port: number, setting: string): Error {
  const options = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartFailure(
        `Port ${port} is in use by another program.`,
        `start again, or choose another port: ${setting}=… npm start (0: any free port)`,
        options,
      );
    case 'EACCES':
      return new StartFailure(
        `Port ${port} is reserved for the system.`,
        `choose one above 1023: ${setting}=4400 npm start`,
        options,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartFailure(
        `This machine has no address ${host}.`,
        'listen on an address that it has: HOST=127.0.0.1 (this machine alone) or HOST=0.0.0.0 (everyone)',
        options,
      );
    default:
      return error instanceof Error ? error : new Error(String(error));
  }
}
