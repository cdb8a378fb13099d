import { posix } from 'node:path';
import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';
import { parse } from './syntax.ts';

/** One file naming another, by `import` or `export … from`, types included. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly line: number;
}

/** What a file imports of our own. */
export function importsOf(file: SourceFile): Import[] {
  const { module, text } = parse(file);
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest)),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      start,
      value: text.slice(start + 1, end - 1),
    })),
  ];
  const found = requests
    .filter((request) => request?.value.startsWith('.'))
    .map((request) => ({
      from: file.path,
      to: posix.normalize(posix.join(posix.dirname(file.path), request?.value ?? '')),
      line: lineAt(text, request?.start ?? 0),
    }));
  return [...new Map(found.map((each) => [each.to, each])).values()];
}

/** Circles of files that import each other, each as the files on it. */
export function cycles(imports: readonly Pick<Import, 'from' | 'to'>[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const state = new Map<string, 'open' | 'done'>();
  const road: string[] = [];
  const found: string[][] = [];
  const visit = (path: string): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      found.push(road.slice(road.indexOf(path)));
      return;
    }
    state.set(path, 'open');
    road.push(path);
    for (const { to } of targets.get(path) ?? []) visit(to);
    road.pop();
    state.set(path, 'done');
  };
  for (const path of targets.keys()) visit(path);
  return found;
}

/**
 * The room of a file: its folder in `src`, or its own name where it stands in `src` itself. Rating is a room in
 * invoicing.
 */
export function roomOf(path: string): string {
  if (path.startsWith('src/invoicing/rating/')) return 'rating';
  const [, first = '', ...rest] = path.split('/');
  return rest.length > 0 ? first : first.replace(/\.ts$/, '');
}

/** Below everything; every domain may use them. */
const BELOW = ['kernel', 'look', 'db', 'http', 'jobs'];

/**
 * The order of the road (ARCHITECTURE.md): which rooms a room may import, beside those below it. Data goes one way:
 * upstream calls downstream; the other way there are handlers, which `wiring` hands in, and events.
 */
export const ROAD: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  look: ['kernel'],
  db: ['kernel'],
  http: ['kernel', 'db'],
  jobs: ['kernel', 'db'],

  documents: BELOW,
  tax: BELOW,
  webhooks: BELOW,
  rating: BELOW,
  references: BELOW,
  integrations: [...BELOW, 'references'],
  identity: [...BELOW, 'tax'],
  clocks: BELOW,
  approvals: [...BELOW, 'identity', 'webhooks'],
  metering: BELOW,
  catalog: [...BELOW, 'identity', 'references', 'metering', 'rating'],
  customers: [...BELOW, 'identity', 'tax', 'references', 'clocks', 'webhooks'],
  pages: [...BELOW, 'identity', 'customers'],
  ledger: [...BELOW, 'customers'],
  analytics: [...BELOW, 'identity', 'metering', 'catalog', 'customers'],
  payments: [...BELOW, 'identity', 'integrations', 'clocks', 'customers', 'pages', 'ledger', 'webhooks'],
  'tax-providers': [...BELOW, 'payments'],
  invoicing: [
    ...BELOW,
    ...['identity', 'references', 'clocks', 'metering', 'catalog', 'customers', 'pages', 'payments'],
    ...['rating', 'tax', 'tax-providers', 'documents', 'webhooks', 'ledger', 'approvals'],
  ],
  entitlements: [
    ...BELOW,
    ...['identity', 'clocks', 'metering', 'catalog', 'customers', 'payments', 'invoicing', 'webhooks'],
  ],
  subscriptions: [
    ...BELOW,
    ...['identity', 'references', 'clocks', 'metering', 'catalog', 'customers', 'pages', 'payments', 'invoicing'],
    ...['tax', 'webhooks', 'entitlements', 'ledger'],
  ],
  checkout: [
    ...BELOW,
    ...[
      'identity',
      'rating',
      'clocks',
      'catalog',
      'customers',
      'tax',
      'pages',
      'payments',
      'invoicing',
      'subscriptions',
    ],
  ],
  orders: [...BELOW, 'identity', 'references', 'clocks', 'catalog', 'customers', 'webhooks', 'approvals'],
  sources: [...BELOW, 'metering', 'catalog', 'customers', 'subscriptions', 'webhooks'],
  schedules: [...BELOW, 'clocks', 'catalog', 'invoicing', 'orders'],
  unbilled: [...BELOW, 'metering', 'catalog', 'customers', 'entitlements', 'subscriptions', 'webhooks'],
  alerts: [
    ...BELOW,
    ...['identity', 'clocks', 'metering', 'catalog', 'customers', 'invoicing', 'entitlements', 'webhooks'],
  ],
  mail: [
    ...BELOW,
    ...['identity', 'catalog', 'customers', 'pages', 'documents'],
    ...['payments', 'invoicing', 'entitlements', 'subscriptions', 'alerts', 'portal'],
  ],

  portal: [
    ...BELOW,
    ...['identity', 'clocks', 'metering', 'catalog', 'customers', 'pages', 'payments', 'invoicing'],
    ...['ledger', 'entitlements', 'subscriptions', 'checkout'],
  ],

  overview: [
    ...BELOW,
    ...['identity', 'clocks', 'metering', 'catalog', 'customers', 'analytics', 'invoicing', 'subscriptions'],
    'webhooks',
  ],
  timeline: [...BELOW, 'metering', 'customers'],
  console: [...BELOW, 'identity'],

  auditor: ['db'],
  secrets: ['kernel', 'db'],

  settings: ['kernel'],
  credentials: ['settings'],
  wiring: [
    ...BELOW,
    ...[
      'tax',
      'identity',
      'references',
      'approvals',
      'clocks',
      'metering',
      'catalog',
      'customers',
      'payments',
      'invoicing',
      'entitlements',
      'subscriptions',
      'checkout',
      'ledger',
      'analytics',
      'mail',
      'portal',
      'console',
      'orders',
      'sources',
      'schedules',
      'integrations',
      'unbilled',
      'alerts',
      'overview',
      'timeline',
    ],
    ...['documents', 'webhooks', 'tax-providers'],
  ],
  demo: ['kernel'],
  app: [
    ...BELOW,
    'auditor',
    'identity',
    'console',
    'clocks',
    'metering',
    'wiring',
    'demo',
    'mail',
    'webhooks',
    'secrets',
  ],
  cli: ['kernel', 'look', 'settings', 'credentials'],
  start: ['kernel', 'db', 'settings', 'credentials', 'cli'],
  main: ['kernel', 'db', 'identity', 'settings', 'start', 'app'],
};

/** Imports that go against the road, and rooms that are not on it. */
export function againstTheRoad(files: readonly SourceFile[], road = ROAD): Finding[] {
  return importsBetweenRooms(files).flatMap(({ from, to, line }) => {
    const [room, other] = [roomOf(from), roomOf(to)];
    if (road[room]?.includes(other)) return [];
    return [{ path: from, line, what: `${room} may not import ${other} (the road is in scripts/checks/imports.ts)` }];
  });
}

/**
 * The rooms inside the large domains, in their order: a room imports only rooms before it. The files in the folder
 * itself come last and may import every room.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  checkout: ['link', 'sign-up', 'page'],
  entitlements: [
    ...['balance', 'entitlement', 'inputs', 'reading', 'cache', 'notices'],
    ...['grants', 'reservations', 'purchases', 'changes'],
  ],
  invoicing: [
    ...['rating', 'terms', 'timeline', 'invoice', 'outside-tax', 'owed', 'difference', 'credit-notes', 'calculation'],
    ...['usage', 'documents', 'paying', 'credits', 'drafts', 'issue', 'one-off', 'page', 'reading'],
    ...['billing-credits', 'commitments', 'collecting', 'statements'],
  ],
  metering: ['meter', 'keys', 'events', 'intake', 'usage', 'stored', 'clickhouse', 'archive'],
  payments: [
    ...['provider', 'stripe', 'records', 'calls', 'sessions', 'returns', 'checkouts', 'charges', 'notices'],
    ...['page', 'links', 'exceptions'],
  ],
  portal: ['words', 'links', 'frame', 'pages'],
  subscriptions: ['subscription', 'billing', 'life', 'changes', 'adjustments', 'coupons', 'plan-migration'],
};

/** The room of a file inside a domain; null for a file in the folder itself. */
export function innerRoomOf(path: string): string | null {
  const [, , first = '', second] = path.split('/');
  return second === undefined ? null : first;
}

/** Imports inside a domain that go against the order of its rooms, and rooms that are not in the order. */
export function againstTheRooms(files: readonly SourceFile[], rooms = ROOMS): Finding[] {
  return Object.entries(rooms).flatMap(([domain, order]) => {
    const folder = `src/${domain}/`;
    const placeOf = (path: string): number => {
      const room = innerRoomOf(path);
      return room === null ? order.length : order.indexOf(room);
    };
    return files
      .filter((file) => isProgram(file) && file.path.startsWith(folder))
      .flatMap((file) => [
        ...(placeOf(file.path) < 0
          ? [{ path: file.path, line: 1, what: `stands in ${innerRoomOf(file.path)}, a room without a place` }]
          : []),
        ...importsOf(file)
          .filter(({ to }) => to.startsWith(folder) && placeOf(to) > placeOf(file.path))
          .map(({ line, to }) => ({
            path: file.path,
            line,
            what: `imports ${to}, which comes later (ROOMS in scripts/checks/imports.ts)`,
          })),
      ]);
  });
}

/** Files of the program that one folder holds at most; a larger one needs rooms. */
const MOST_FILES = 25;

/** Folders that hold too many files to find one. */
export function crowdedFolders(files: readonly SourceFile[]): string[] {
  const folders = Map.groupBy(files.filter(isProgram), ({ path }) => posix.dirname(path));
  return [...folders]
    .filter(([, those]) => those.length > MOST_FILES)
    .map(([folder, those]) => `${folder} holds ${those.length} files; more than ${MOST_FILES} need rooms (ROOMS)`);
}

/** Files beside each `index.ts` that other domains may import, with the reason. */
export const ENTRY_POINTS: Readonly<Record<string, string>> = {
  'src/db/embedded/index.ts': 'the database that a start brings along; nothing else may load its launcher',
  'src/invoicing/rating/index.ts': 'rating is a room of its own below the catalog, which checks prices by it',
  'src/cli/names.ts': 'the names of the commands alone: a start loads no SDK and no parser',
  'src/start/run.ts': 'main.ts hands the command line over to it',
  'src/start/environment.ts': 'the parts that main.ts hands over, as a type',
  'src/http/otlp/index.ts': 'OpenTelemetry is loaded only where a start has an address for it',
  'src/http/schema.ts': 'the words of schemas without the server: rating and documents load nothing that listens',
};

/** Imports of files inside another domain that are no entry points. Each file of the kernel is open to all. */
export function deepImports(files: readonly SourceFile[]): Finding[] {
  return importsBetweenRooms(files).flatMap(({ from, to, line }) => {
    const isEntryPoint =
      /^src\/[^/]+\/index\.ts$|^src\/[^/]+\.ts$|^src\/kernel\//.test(to) || Object.hasOwn(ENTRY_POINTS, to);
    return isEntryPoint
      ? []
      : [{ path: from, line, what: `imports ${to}; only src/${to.split('/')[1]}/index.ts is open to others` }];
  });
}

function importsBetweenRooms(files: readonly SourceFile[]): Import[] {
  return files
    .filter(isProgram)
    .flatMap(importsOf)
    .filter(({ from, to }) => to.startsWith('src/') && roomOf(from) !== roomOf(to));
}

/** Imports of the program that lead out of `src`: it runs without tests, scripts and benches beside it. */
export function outOfTheHouse(files: readonly SourceFile[]): Finding[] {
  return files
    .filter(isProgram)
    .flatMap(importsOf)
    .filter(({ from, to }) => !(from.startsWith('src/cli/') && to.startsWith('sdk/src/'))) // a client of the API
    .filter(({ to }) => !to.startsWith('src/') || to.includes('/testing/') || to.endsWith('.test.ts'))
    .map(({ from, to, line }) => ({ path: from, line, what: `imports ${to}, which is no part of the program` }));
}
