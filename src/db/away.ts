import { losesSession, NoPrimary } from './connection/index.ts';
import { sqlState } from './sql-state.ts';

/** Thrown in place of asking a database that does not answer. */
export class DatabaseAway extends Error {
  constructor() {
    super('The database was away a moment ago, and is not asked again yet.');
  }
}

/** Thrown where the database cannot write, or is away, because its disk is full. */
export class DatabaseFull extends Error {
  constructor(cause: unknown) {
    super('The disk of the database is full.', { cause });
  }
}

const DISK_FULL = '53100';

/** Does this error of the driver say itself that the disk is full? */
export const saysDiskFull = (error: unknown): boolean =>
  sqlState(error) === DISK_FULL || (error instanceof Error && error.message.includes('No space left on device'));

const AWAY_STATES = /^(?:08|57P|25006)/; // connection, shutdown, a standby that refuses a write
const AWAY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);
const AWAY_MESSAGES =
  /Connection terminated|Client has encountered a connection error|Query read timeout|^timeout expired$/;

/**
 * Does this error of the driver mean that the database was not reached, or stopped answering? A refusal of its own does
 * not.
 */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway || error instanceof DatabaseFull || error instanceof NoPrimary) return true;
  if (!(error instanceof Error) || losesSession(error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return AWAY_STATES.test(code) || AWAY_CODES.has(code) || AWAY_MESSAGES.test(error.message);
}
