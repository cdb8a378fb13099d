/** A migration that this program brings with it. */
export interface MigrationFile {
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
  /** Only programs that bring this migration may work on a database with this file; absent: all programs. */
  readonly oldest?: string | undefined;
}

const OLDEST = /^-- Oldest program: (\d{4}_\w+)\.$/m;

/** What a migration says about programs of an older version: `-- Oldest program: 0240_orders.`; undefined: nothing. */
export const oldestOf = (text: string): string | undefined => OLDEST.exec(text)?.[1];

/** A migration that a database has. Version 0.1.0 stored no hash. */
export interface AppliedMigration {
  readonly name: string;
  readonly hash: string | null;
  /** Programs without this migration must not work on the database (decision 0253); null: all may. */
  readonly oldest: string | null;
}

/** The database has the schema of another version, so this one must not work on it. */
export class OtherVersion extends Error {
  readonly fix =
    'start the version that made the database, or use a new one: DATA_DIR=… npm start (CHANGELOG.md says which ' +
    'versions can be upgraded)';

  constructor(problem: string) {
    super(`This database was made by ${problem}.`);
    this.name = 'OtherVersion';
  }
}

/**
 * Compares the migrations of a database with the files of this program (decision 0187). `missing` are the names that
 * the database lacks, in order; `problem` says which other version made the database, and is null where this one may
 * work on it. `isNewer`: it has all of these, and only later ones besides that leave what this program uses (decision
 * 0253).
 */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): { missing: string[]; problem: string | null; isNewer: boolean } {
  const hashes = new Map(files.map(({ name, hash }) => [name, hash]));
  const names = new Set(applied.map(({ name }) => name));
  const missing = files.map(({ name }) => name).filter((name) => !names.has(name));
  const newest = files.at(-1)?.name ?? '';
  const unknown = [...names].filter((name) => !hashes.has(name)).toSorted();
  const edited = applied.find(({ name, hash }) => hash !== null && hash !== (hashes.get(name) ?? hash))?.name;
  const skipped = missing.find((name) => [...names].some((other) => other > name));
  const refusing = applied.find(({ oldest }) => oldest !== null && oldest > newest)?.name;
  const isNewer = unknown.some((name) => name > newest) && missing.length === 0;
  const problem = (): string | null => {
    const strange = refusing ?? unknown.find((name) => name < newest || !isNewer);
    if (strange !== undefined)
      return `${strange > newest ? 'a newer' : 'another'} version of Reckoner: this version has no migration ${strange}`;
    if (edited !== undefined)
      return `another version of Reckoner: its migration ${edited} differs from the file of this version`;
    return skipped === undefined ? null : `another version of Reckoner: it lacks the migration ${skipped}`;
  };
  const found = problem();
  return { missing, problem: found, isNewer: isNewer && found === null };
}
