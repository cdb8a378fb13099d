/** The SQLSTATE of a driver error, '' for any other. */
export const sqlState = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The violated constraint's name where the error is a unique violation, else ''. */
export const uniqueViolation = (error: unknown): string =>
  sqlState(error) === '23505' && error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
