/** A failure of the embedded PostgreSQL, in a form that can be shown: the cause, and one remedy. */
export type EmbeddedFailureCode =
  | 'DATA_DIRECTORY_IN_USE'
  | 'DATA_DIRECTORY_DAMAGED'
  | 'DATA_DIRECTORY_FOREIGN'
  | 'PLATFORM_NOT_SUPPORTED'
  | 'BINARIES_DO_NOT_RUN'
  | 'NO_ACCOUNT'
  | 'DISK_FULL'
  | 'LEFTOVER_DOES_NOT_STOP'
  | 'SERVER_DID_NOT_START';

/** Thrown by {@link startEmbeddedPostgres}; `message` is the cause, `fix` the one remedy we would try first. */
export class EmbeddedPostgresFailure extends Error {
  readonly code: EmbeddedFailureCode;
  readonly fix: string;

  constructor(code: EmbeddedFailureCode, message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresFailure';
    this.code = code;
    this.fix = fix;
  }
}

/** The remedy where no PostgreSQL can be embedded. */
export const EXTERNAL_DATABASE =
  'use a PostgreSQL 18 of your own: DATABASE_URL=postgres://… SANDBOX_DATABASE_URL=postgres://… npm start';

interface KnownFailure {
  readonly pattern: RegExp;
  readonly code: EmbeddedFailureCode;
  readonly cause: (line: string) => string;
  readonly fix: (dataDirectory: string) => string;
}

/** The first that matches wins, so what says more stands above what says less. */
const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    pattern: /GLIBC(XX)?_[\d.]+' not found|GLIBC_[\d.]+.*not found/,
    code: 'BINARIES_DO_NOT_RUN',
    cause: (line) => `The C library of this system is too old for the embedded PostgreSQL (${line}).`,
    fix: () => EXTERNAL_DATABASE,
  },
  {
    pattern: /error while loading shared libraries|Library not loaded/,
    code: 'BINARIES_DO_NOT_RUN',
    cause: (line) => `A library of the embedded PostgreSQL is missing (${line}).`,
    fix: () => 'install the packages again: rm -rf node_modules && npm ci',
  },
  {
    pattern: /No space left on device/,
    code: 'DISK_FULL',
    cause: (line) => `The disk is full (${line}).`,
    fix: (dataDirectory) => `free some space on the disk of ${dataDirectory}`,
  },
  {
    pattern: /Cannot allocate memory|could not map anonymous shared memory/,
    code: 'SERVER_DID_NOT_START',
    cause: (line) => `There is not enough memory for PostgreSQL (${line}).`,
    fix: () => 'give this machine or container at least 512 MB of memory',
  },
  {
    pattern: /database files are incompatible with server/,
    code: 'DATA_DIRECTORY_FOREIGN',
    cause: () => 'Another major version of PostgreSQL created the data folder.',
    fix: (dataDirectory) =>
      `start the version that created it, or move it away: mv ${dataDirectory} ${dataDirectory}.old`,
  },
  {
    pattern: new RegExp(
      [
        'could not locate a valid checkpoint|invalid (primary )?checkpoint',
        'control file|required WAL directory|could not find the database system',
        'could not open (file|directory) "[^"]*(global|base|pg_\\w+)(/|")|could not read (file|block)',
        'invalid page|is not a valid data directory|PG_VERSION|PANIC',
      ].join('|'),
    ),
    code: 'DATA_DIRECTORY_DAMAGED',
    cause: (line) => `The database files are damaged (${line}).`,
    fix: (dataDirectory) =>
      'restore the folder from a backup, or move it away and start with an empty one: ' +
      `mv ${dataDirectory} ${dataDirectory}.damaged`,
  },
  {
    pattern: /Permission denied|has wrong ownership|invalid permissions/,
    code: 'DATA_DIRECTORY_FOREIGN',
    cause: (line) => `PostgreSQL may not work in its data folder (${line}).`,
    fix: (dataDirectory) => `start as the owner of ${dataDirectory}, or use another folder: DATA_DIR=… npm start`,
  },
];

/**
 * The line of PostgreSQL's own output that names the cause: its last PANIC or FATAL, else its last error, else its last
 * line.
 */
export function decisiveLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const severe = lines.findLast((line) => /\b(PANIC|FATAL):/.test(line) && !line.includes('the database system is'));
  const error = lines.findLast((line) => /error|denied|cannot|could not/i.test(line));
  return (severe ?? error ?? lines.at(-1) ?? 'it printed nothing').replace(/^.*?\b(PANIC|FATAL|ERROR):\s+/, '$1: ');
}

/**
 * Turns what PostgreSQL printed before it gave up into a cause and a fix; `where` names its log for a reader who wants
 * it all.
 */
export function explainOutput(output: string, dataDirectory: string, where: string): EmbeddedPostgresFailure {
  const line = decisiveLine(output);
  const known =
    KNOWN_FAILURES.find(({ pattern }) => pattern.test(line)) ??
    KNOWN_FAILURES.find(({ pattern }) => pattern.test(output));
  if (known) {
    const shown = known.pattern.test(line) ? line : decisiveLine(matchingLines(output, known.pattern));
    return new EmbeddedPostgresFailure(known.code, known.cause(shown), known.fix(dataDirectory));
  }
  return new EmbeddedPostgresFailure(
    'SERVER_DID_NOT_START',
    `PostgreSQL did not start: ${line}`,
    `read ${where}, or ${EXTERNAL_DATABASE}`,
  );
}

const matchingLines = (output: string, pattern: RegExp): string =>
  output
    .split('\n')
    .filter((line) => pattern.test(line))
    .join('\n');

/** No binaries for this operating system and processor in the npm registry. */
export const platformNotSupported = (platform: string): EmbeddedPostgresFailure =>
  new EmbeddedPostgresFailure(
    'PLATFORM_NOT_SUPPORTED',
    `The embedded PostgreSQL for ${platform} does not exist, or npm did not install it.`,
    `install again with optional packages (npm ci --include=optional), or ${EXTERNAL_DATABASE}`,
  );
