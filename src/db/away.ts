/** Thrown in place of asking a database that does not answer. */
export class DatabaseAway extends Error {
  constructor() {
    super('The database was away a moment ago, and is not asked again yet.');
  }
}

const AWAY_STATES = /^(?:08|57P)/; // connection, shutdown
const AWAY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);
const AWAY_MESSAGES =
  /Connection terminated|Client has encountered a connection error|Query read timeout|^timeout expired$/;

/** Does this error of the driver mean that the database was not reached, or stopped answering? A refusal of its own does not. */
export function isAway(error: unknown): boolean {
  if (error instanceof DatabaseAway) return true;
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return AWAY_STATES.test(code) || AWAY_CODES.has(code) || AWAY_MESSAGES.test(error.message);
}
