import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DirectoryNotMade, makeDirectory, NotADirectory } from './directories.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reckoner-directories-'));
  writeFileSync(join(folder, 'file'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a folder that is made', () => {
  it('is made with its parents, each of them open to the owner alone', () => {
    makeDirectory(join(folder, 'a', 'b', 'c'), 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700);
  });

  it('stays as it is where it is there', () => {
    makeDirectory(join(folder, 'there'), 0o755);
    makeDirectory(join(folder, 'there'), 0o700);
    expect(statSync(join(folder, 'there')).mode & 0o777).toBe(0o755);
  });

  it.each([
    { path: 'file', named: 'file' },
    { path: 'file/below', named: 'file' },
    { path: 'file/below/it', named: 'file' },
  ])('$path: the file that is in its way is named', ({ path, named }) => {
    const making = () => makeDirectory(join(folder, path), 0o700);
    expect(making).toThrow(NotADirectory);
    expect(making).toThrow(`${join(folder, named)} is a file and not a folder.`);
  });

  it.skipIf(process.platform !== 'linux')('in a file system that makes none, says so and ends', () => {
    const making = () => makeDirectory('/proc/reckoner/data', 0o700);
    expect(making).toThrow(DirectoryNotMade);
    expect(making).toThrow('The folder /proc/reckoner cannot be created: no folder can be created in /proc.');
    expect(existsSync('/proc/reckoner')).toBe(false);
  });
});
