/** A migration that this program brings with it. */
export interface MigrationFile {
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
}

/** A migration that a database has. Version 0.1.0 stored no hash. */
export interface AppliedMigration {
  readonly name: string;
  readonly hash: string | null;
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
 * work on it. `isNewer`: it has all of these and only later ones besides. Migrations add, so a process that works on it
 * goes on while an upgrade rolls; it does not start on it.
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
  const problem = (): string | null => {
    const [first] = unknown;
    if (first !== undefined)
      return `${first > newest ? 'a newer' : 'another'} version of Reckoner: this version has no migration ${first}`;
    if (edited !== undefined)
      return `another version of Reckoner: its migration ${edited} differs from the file of this version`;
    return skipped === undefined ? null : `another version of Reckoner: it lacks the migration ${skipped}`;
  };
  const isNewer = unknown.length > 0 && unknown.every((name) => name > newest) && !edited && missing.length === 0;
  return { missing, problem: problem(), isNewer };
}
