import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { Database, sql } from '../src/db/index.ts';
import { archiveRound } from '../src/metering/archive/write.ts';
import { eventPartitionChore, eventTallyChore, openArchive, openStore } from '../src/metering/index.ts';
import { createIntake } from '../src/metering/intake/intake.ts';
import { numbersOf } from './support/arguments.ts';
import { withStack } from './support/stack.ts';

/**
 * What a month of events takes in the table and in the archive, and how long it takes to move it there and back. See
 * README.md.
 */

const { events } = numbersOf({ events: 1_000_000 });

const MONTH = Temporal.Instant.from('2026-03-01T00:00:00Z');
const SENT = Temporal.Instant.from('2026-04-01T00:00:00Z');
const LATER = Temporal.Instant.from('2028-01-01T00:00:00Z');
const BATCH = 1_000;
const MILLISECONDS_OF_A_MONTH = 31 * 24 * 3_600_000;
const MEGABYTE = 1e6;
const merchantId = 'org_archived';

const eventOf = (number: number) => ({
  merchantId,
  type: number % 3 === 0 ? 'tokens' : 'call',
  source: 'https://api.example.com/v1',
  subject: null,
  externalSubject: `customer-${number % 1_000}`,
  externalId: null,
  at: MONTH.add({ milliseconds: Math.floor((number * MILLISECONDS_OF_A_MONTH) / events) }).toString(),
  isTimeSent: true,
  idempotencyKey: `key-${number}`,
  data: `{"region": "eu-${number % 4}", "tokens": ${(number * 7_919) % 10_007}, "status": ${number % 50 === 0 ? 500 : 200}}`,
});

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
};

await withStack(async (stack) => {
  const folder = mkdtempSync(join(tmpdir(), 'reckoner-archive-'));
  const url = await stack.database();
  const owner = new pg.Pool({ connectionString: url, max: 1 });
  const store = openStore(pathToFileURL(folder).href, undefined);
  const database: Database = new Database({ url, statementTimeout: 600_000, mend: (error) => archive.mend(error) });
  const archive = openArchive({ database, store, now: () => LATER, onTrouble: (error) => console.error(error) });
  const terms = { store, retentionDays: 400, findOpenPeriods: async () => [], hasProjection: false };
  const sizeOf = async (query: string): Promise<number> => Number((await owner.query(query)).rows[0].size);
  try {
    await eventPartitionChore.run(database, MONTH);
    const intake = createIntake(database);
    for (let first = 0; first < events; first += BATCH)
      await intake.accept(
        Array.from({ length: Math.min(BATCH, events - first) }, (_, index) => eventOf(first + index)),
        SENT,
      );
    await eventTallyChore.run(database, SENT);
    await eventTallyChore.run(database, SENT);
    const table = await sizeOf(`select pg_total_relation_size('event_202603') as size`);
    const written = await seconds(() => archiveRound(database, terms, LATER));
    const files = await sizeOf('select sum(bytes) as size from event_archive');
    const removed = await seconds(() => archiveRound(database, terms, LATER.add({ minutes: 20 })));
    if ((await sizeOf('select count(*) as size from event')) !== 0) throw new Error('The month is still there.');
    const to = MONTH.add({ hours: 24 * 31 });
    const back = await seconds(() =>
      database.transaction({ merchants: [merchantId] }, (tx) =>
        tx.run(sql`select events_at_hand(${merchantId}, ${MONTH}, ${to})`),
      ),
    );
    if ((await sizeOf('select count(*) as size from event')) !== events) throw new Error('Not all events came back.');
    const megabytes = (bytes: number): string => ((bytes / events) * (1_000_000 / MEGABYTE)).toFixed(1);
    console.log(`${events} events of one merchant and month; for each million:`);
    console.log(`  table and indexes   ${megabytes(table)} MB`);
    console.log(`  files               ${megabytes(files)} MB`);
    console.log(`  written and proven  ${((written / events) * 1e6).toFixed(1)} s`);
    console.log(`  removed             ${removed.toFixed(2)} s, once`);
    console.log(`  brought back        ${((back / events) * 1e6).toFixed(1)} s`);
  } finally {
    await Promise.all([database.close(), owner.end()]);
    rmSync(folder, { recursive: true });
  }
});
