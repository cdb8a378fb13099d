import { describe, expect, it } from 'vitest';
import { type Exceptions, projectFiles, report } from '../../scripts/checks/project.ts';
import { chance, chanceInTests, isDomain, wallClockReads } from '../../scripts/checks/purity.ts';

const files = projectFiles();

const STOPWATCHES: Exceptions = {
  'src/identity/authentication.ts': 'how long a key is remembered: a cache of the edge, whose clock tests hand in',
};

const OTHER_CLOCKS: Exceptions = {
  'src/start/doctor.ts': 'compares the clock of the machine with that of the database',
  'src/db/migrate.ts': 'notes for people when a migration was applied; the program never reads it',
};

const UNSEEDED: Exceptions = {
  'test/support/delivering-worker.ts': 'a process that works as the program does: its waits are scattered',
};

describe('the program', () => {
  it('asks the wall clock in one place', () => {
    expect(report(wallClockReads(files), OTHER_CLOCKS)).toEqual([]);
  });

  it('leaves chance and stopwatches out of its domains and its kernel', () => {
    expect(report(chance(files), STOPWATCHES)).toEqual([]);
  });

  it('is tested with chance that a seed repeats', () => {
    expect(report(chanceInTests(files), UNSEEDED)).toEqual([]);
  });
});

describe('these checks see', () => {
  const inDomain = (text: string) => [{ path: 'src/tax/a.ts', text }];

  it.each([
    'const now = Date.now();',
    'const now = new Date();',
    'const start = Date.UTC(2026, 1, 1);',
    'const at = Temporal.Now.instant();',
    'const read = () => sql`select * from price where ends_at > now()`;',
    'const read = () => sql`update price set ends_at = current_timestamp`;',
    `const write = (price) => tx.run(insertion('price', { ...price, endsAt: sql\`now()\` }));`,
  ])('the wall clock in: %s', (text) => {
    expect(report(wallClockReads(inDomain(text)))).toHaveLength(1);
    expect(report(wallClockReads([{ path: 'src/app.ts', text }]))).toEqual([]);
  });

  it.each(['Math.random() < 0.5', 'performance.now()', 'process.hrtime.bigint()'])('chance in: %s', (text) => {
    expect(report(chance(inDomain(text)))).toHaveLength(1);
    expect(report(chance([{ path: 'src/kernel/a.ts', text }]))).toHaveLength(1);
    expect(report(chance([{ path: 'src/db/a.ts', text }]))).toEqual([]);
  });

  it.each([
    'const seed = Number(process.env.SEED ?? Date.now() % 1000);',
    'const units = Math.floor(Math.random() * 10);',
  ])('chance in a test: %s', (text) => {
    expect(report(chanceInTests([{ path: 'src/tax/a.test.ts', text }]))).toHaveLength(1);
    expect(report(chanceInTests([{ path: 'test/support/a.ts', text }]))).toHaveLength(1);
    expect(report(chanceInTests([{ path: 'src/tax/a.ts', text }]))).toEqual([]);
  });

  it.each([
    '// Date.now() is never asked here.',
    "const text = 'new Date()';",
    'const at = Temporal.Instant.from(text);',
    'const at = (now: Instant) => now;',
    'const label = `until now()`;',
    'const columns = sql`id, clock_time as current_time`;',
  ])('nothing in: %s', (text) => {
    expect([...wallClockReads(inDomain(text)), ...chance(inDomain(text))]).toEqual([]);
  });

  it.each([
    { path: 'src/tax/tax-lines.ts', domain: true },
    { path: 'src/invoicing/rating/models.ts', domain: true },
    { path: 'src/kernel/time.ts', domain: false },
    { path: 'src/http/server.ts', domain: false },
    { path: 'src/main.ts', domain: false },
    { path: 'src/tax/tax-lines.test.ts', domain: false },
  ])('$path as part of a domain: $domain', ({ path, domain }) => expect(isDomain({ path })).toBe(domain));
});
