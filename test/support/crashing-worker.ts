import pino from 'pino';
import { clockBook } from '../../src/clocks/index.ts';
import { Database, sql } from '../../src/db/index.ts';
import { createRunner, type DueKind } from '../../src/jobs/index.ts';
import { keepCode } from './kept-code.ts';
import { note, schedule } from './toy-work.ts';

/** The place of a worker's end: in its n-th step before it wrote, after it wrote, or after the commit. */
export type CrashPoint = 'before' | 'within' | 'after';

/** A toy that is due every six hours, five times in all; `crash` is called at each point of each step. */
export const sixHourly = (crash: (point: CrashPoint) => void = () => undefined): DueKind => ({
  kind: 'toy',
  step: async (tx, { id }) => {
    crash('before');
    const { due, steps } = await tx.one<{ due: Temporal.Instant; steps: number }>(
      sql`select next_action_at as due, steps from toy where id = ${id}`,
    );
    await note(tx, `${id} ${due.toString()}`);
    await schedule(tx, 'toy', id, steps === 4 ? null : due.add({ hours: 6 }));
    crash('within');
    return async () => crash('after');
  },
});

/** A worker in a process of its own, which kills itself: `node crashing-worker.ts <url> <now> <point> <step>`. */
async function main([url = '', now = '', point, step]: string[]): Promise<void> {
  keepCode();
  let seen = 0;
  const crash = (at: CrashPoint) => {
    if (at === point) seen += 1;
    if (seen === Number(step)) process.kill(process.pid, 'SIGKILL');
  };
  const database = new Database({ url });
  const runner = createRunner({
    database,
    kinds: [sixHourly(crash)],
    clocks: clockBook,
    now: () => Temporal.Instant.from(now),
    logger: pino({ level: 'silent' }),
  });
  await runner.runOnce();
  await runner.stop();
  await database.close();
}

if (import.meta.main) await main(process.argv.slice(2));
