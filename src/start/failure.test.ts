import { describe, expect, it } from 'vitest';
import { CredentialsUnreadable } from '../credentials.ts';
import { DirectoryNotMade, NotADirectory } from '../db/embedded/index.ts';
import { OtherVersion } from '../db/index.ts';
import { explain } from './failure.ts';

const ofSystem = (code: string, path = '/') => Object.assign(new Error(`${code}: mkdir`), { code, path });

describe('why a command cannot go on', () => {
  it.each([
    {
      error: new DirectoryNotMade('/mnt/data', ofSystem('EROFS')),
      cause: 'The folder /mnt/data cannot be created: /mnt is on a file system that can only be read.',
      fix: 'use another folder: DATA_DIR=… npm start',
    },
    {
      error: new DirectoryNotMade('/srv/data', ofSystem('EACCES')),
      cause: 'The folder /srv/data cannot be created: this user may not write /srv.',
      fix: 'use another folder: DATA_DIR=… npm start',
    },
    {
      error: new DirectoryNotMade('/var/data', ofSystem('ENOSPC')),
      cause: 'The folder /var/data cannot be created: the disk is full.',
      fix: 'use another folder: DATA_DIR=… npm start',
    },
    {
      error: new NotADirectory('/etc/hostname'),
      cause: '/etc/hostname is a file and not a folder.',
      fix: 'use another folder: DATA_DIR=… npm start',
    },
    {
      error: new CredentialsUnreadable('/data/credentials.json', 'has a number at production.platformKey'),
      cause: '/data/credentials.json has a number at production.platformKey.',
      fix: 'repair it, or move it away with its master key: mv /data/credentials.json /data/credentials.json.old',
    },
    {
      error: new OtherVersion('a newer version of Reckoner: this version has no migration 0999_x'),
      cause: 'This database was made by a newer version of Reckoner: this version has no migration 0999_x.',
      fix: 'start the version that made the database, or use a new one: DATA_DIR=… npm start (CHANGELOG.md says which versions can be upgraded)',
    },
    { error: ofSystem('ENOSPC', '/data'), cause: 'The disk is full.', fix: 'free some space and start again' },
  ])('$cause', ({ error, cause, fix }) => {
    const failure = explain(error);
    expect([failure?.message, failure?.fix]).toEqual([cause, fix]);
  });

  it('is not guessed for a fault of ours', () => {
    expect(explain(new TypeError('key.slice is not a function'))).toBe(null);
  });
});
