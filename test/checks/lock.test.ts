import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { installScripts, type Lock, loosePackages, missingSystems } from '../../scripts/checks/lock.ts';
import { home } from '../../scripts/checks/project.ts';

const { packages } = JSON.parse(readFileSync(`${home}package-lock.json`, 'utf8')) as { packages: Lock };

describe('the lock', () => {
  it('has every native package for Linux and macOS, x64 and arm64', () => expect(missingSystems(packages)).toEqual([]));

  it('has no package whose install script is needed', () => expect(installScripts(packages)).toEqual([]));

  it('has one version and one checksum for each package', () => expect(loosePackages(packages)).toEqual([]));

  it('wants what package.json wants', () => {
    const wanted = JSON.parse(readFileSync(`${home}package.json`, 'utf8')) as Lock[string];
    expect(packages['']).toMatchObject({
      dependencies: wanted.dependencies,
      devDependencies: wanted.devDependencies,
      optionalDependencies: wanted.optionalDependencies,
    });
  });
});

describe('these checks see', () => {
  const binding = (system: string) => `tool-${system.replace(' ', '-')}`;
  const entry = (system: string) => {
    const [os = '', cpu = ''] = system.split(' ');
    return { version: '1.0.0', integrity: 'sha512-a', os: [os], cpu: [cpu] };
  };
  const systems = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64', 'win32 x64'];
  const lockOf = (wanted: readonly string[], present: readonly string[], owner = 'node_modules/tool'): Lock => ({
    '': {},
    [owner]: { optionalDependencies: Object.fromEntries(wanted.map((system) => [binding(system), '1.0.0'])) },
    ...Object.fromEntries(present.map((system) => [`node_modules/${binding(system)}`, entry(system)])),
  });

  it('a binary that was published for fewer systems than it names', () => {
    expect(missingSystems(lockOf(systems, systems))).toEqual([]);
    expect(missingSystems(lockOf(systems, systems.slice(1)))).toEqual([
      'node_modules/tool: tool-linux-x64 is not in the lock',
      'node_modules/tool has nothing for linux x64',
    ]);
  });

  it('a binary that was never made for one of them', () => {
    expect(missingSystems(lockOf(systems.slice(1), systems.slice(1)))).toEqual([
      'node_modules/tool has nothing for linux x64',
    ]);
    expect(missingSystems(lockOf(systems.slice(1), systems.slice(1), ''))).toEqual(['tool has nothing for linux x64']);
  });

  it('a binary below the package that needs it', () => {
    const inside = Object.fromEntries(
      systems.map((system) => [`node_modules/tool/node_modules/${binding(system)}`, entry(system)]),
    );
    expect(missingSystems({ ...lockOf(systems, []), ...inside })).toEqual([]);
  });

  it('an install script', () => {
    expect(installScripts({ 'node_modules/a': { hasInstallScript: true }, 'node_modules/b': {} })).toEqual([
      'node_modules/a has an install script',
    ]);
  });

  it.each([
    {
      what: 'a range',
      lock: { '': { dependencies: { a: '^1.0.0' } }, 'node_modules/a': { version: '^1.0.0', integrity: 'sha512-a' } },
    },
    {
      what: 'another version',
      lock: { '': { dependencies: { a: '1.0.0' } }, 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } },
    },
    { what: 'no checksum', lock: { '': { devDependencies: { a: '1.0.0' } }, 'node_modules/a': { version: '1.0.0' } } },
  ])('$what', ({ lock }) => expect(loosePackages(lock)).toHaveLength(1));
});
