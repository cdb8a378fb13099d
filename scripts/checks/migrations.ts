import type { MigrationFile } from '../../src/db/index.ts';

/**
 * Migrations that are not as `migrations/hashes.txt` says, which `sha256sum --check` reads too: a landed file never
 * changes, and a new one adds a line.
 */
export function changedMigrations(files: readonly MigrationFile[], list: string): string[] {
  const lines = list.trimEnd().split('\n');
  const landed = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  const changed = files.flatMap(({ name, hash }) => {
    const path = `${name}.sql`;
    const kept = landed.get(path);
    landed.delete(path);
    if (kept === undefined) return [`migrations/hashes.txt lacks a line: ${hash}  ${path}`];
    return kept === hash ? [] : [`${path} was changed: put it back, and write a new migration`];
  });
  return [...changed, ...landed.keys().map((path) => `${path} was removed: put it back`)];
}
