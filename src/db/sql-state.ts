/** A lock was not given within the time that its transaction waits, or at once. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** The database has no function of this name: its migrations have not run. */
export const UNDEFINED_FUNCTION = '42883';
/** The database has no table of this name: its migrations have not run. */
export const UNDEFINED_TABLE = '42P01';

/** A number was asked for on a day before that of one drawn already: the clock of this machine was set back. */
export const CLOCK_BEHIND = 'RK002';

/** The SQLSTATE of a driver error, '' for any other. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The violated constraint's name where the error is a unique violation, else ''. */
export const uniqueViolation = (error: unknown): string =>
  sqlState(error) === '23505' && error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
