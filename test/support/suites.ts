import { globSync, readFileSync } from 'node:fs';
import { isDeep } from './cases.ts';

/** All tests. */
const ALL = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'scripts/**/*.test.ts',
  'console/src/**/*.test.ts',
  'sdk/test/*.test.ts',
];

/** The tests of `npm run test:deep` that `npm test` leaves out. Each takes long for its kind of proof. */
const DEEP = [
  // kills and faults
  'src/{db/away,db/connection/pooler,jobs/crash,metering/durability,metering/keys/generations,metering/keys/generations-durability}.test.ts',
  'src/{documents/renderer,secrets/secrets}.test.ts',
  'test/{crash,start}/*.test.ts',
  'test/stories/{mail-server,overload,pooler}.test.ts',
  'test/properties/{catching-up,eight-workers,failpoints,killed-deliveries,killed-pushes,numbering}.test.ts',
  'test/properties/{provider-kills,provider-notices,races,schedule-races}.test.ts',
  // random lives, and the same events in other orders and steps
  'test/lives/judge.test.ts',
  'test/properties/{events-orders,random-orders}.test.ts',
  'test/stories/{clock-lists,crossings-same-instant,one-advance,side-by-side}.test.ts',
  'src/demo/demo.test.ts',
  // stored data of earlier versions
  'test/upgrade/*.test.ts',
  // every route by other tenants, for each of its statuses and times, with hostile values, from a client in another
  // dialect
  'test/api/{statuses,tenants,times}.test.ts',
  'test/clients/{generators,strict-clients}.test.ts',
  'test/{browser,fuzz,sdk}/*.test.ts',
  '{src/catalog,test/properties}/hostile.test.ts',
  // another database
  'test/conformance/{clickhouse-*,shards,stores}.test.ts',
];

/** These have a process for each file: they start and kill the program, or load the engine of another database. */
const APART = [
  'test/start/*.test.ts',
  'test/crash/crash.test.ts',
  'test/docs/pages.test.ts',
  ...(process.env.RECKONER_CHDB ? ['test/conformance/{clickhouse-*,stores}.test.ts'] : []),
];

const DRAWS = /from '(?:fast-check|(?:\.\.?\/)+(?:test\/)?support\/(?:seed|cases)\.ts)'/;

/** The files that draw random values: the deep run tries more of them than `npm test`. */
export const filesThatDraw = (home: string): string[] =>
  globSync(ALL, { cwd: home }).filter((path) => DRAWS.test(readFileSync(`${home}/${path}`, 'utf8')));

/** The files that `npm test` leaves out. */
export const deepTests = (home: string): string[] => globSync(DEEP, { cwd: home });

/** The files of this run: with the modules of other files in one process, and with a process of their own. */
export function suiteOf(home: string): Record<'shared' | 'apart', { include: string[]; exclude: string[] }> {
  const deep = deepTests(home);
  const files = isDeep ? [...deep, ...filesThatDraw(home)] : ALL;
  const apart = globSync(APART, { cwd: home });
  return {
    shared: { include: files, exclude: [...apart, ...(isDeep ? [] : deep)] },
    apart: { include: apart.filter((path) => deep.includes(path) === isDeep), exclude: [] },
  };
}
