import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CrashPoint, sixHourly } from '../../test/support/crashing-worker.ts';
import { withKeptCode } from '../../test/support/kept-code.ts';
import { openToyWorld, type ToyWorld } from '../../test/support/toy-work.ts';
import { sql } from '../db/index.ts';

const program = fileURLToPath(new URL('../../test/support/crashing-worker.ts', import.meta.url));
const NOW = '2026-01-02T00:00:00Z';
const times = ['00', '06', '12', '18'].map((hour) => `2026-01-01T${hour}:00:00Z`);
const whole = [...times, '2026-01-02T00:00:00Z'];

let world: ToyWorld;
beforeEach(async () => {
  world = await openToyWorld(NOW);
});
afterEach(() => world.close());

/** Runs a worker that kills itself there. @returns the signal that ended it. */
async function killed(point: CrashPoint, step: number): Promise<unknown> {
  const words = [program, world.url, NOW, point, String(step)];
  const worker = spawn(process.execPath, words, { stdio: 'inherit', env: withKeptCode() });
  const [, signal] = await once(worker, 'exit');
  return signal;
}

/** Another worker continues once the database has noticed the end of the killed one and released its locks. */
const finish = (steps: number) =>
  expect
    .poll(
      async () => {
        await world.runner([sixHourly()]).runOnce();
        return (await world.diary()).length;
      },
      { timeout: 10_000 },
    )
    .toBe(steps);

const points = (['before', 'within', 'after'] as const).flatMap((point) => [1, 3].map((step) => ({ point, step })));

describe('a worker that is killed (F01)', () => {
  it.each(points)(
    '$point the commit of its step $step loses nothing and does nothing twice',
    async ({ point, step }) => {
      await world.add('toy', 'a', times[0] as string);
      await world.add('toy', 'b', times[0] as string);
      expect(await killed(point, step)).toBe('SIGKILL');
      await finish(10);
      const diary = await world.diary();
      expect(diary.toSorted()).toEqual(['a', 'b'].flatMap((id) => whole.map((at) => `${id} ${at}`)));
    },
  );

  it.each(points)(
    '$point the commit of step $step of an advance leaves it to be finished in order (I-35)',
    async ({ point, step }) => {
      const clock = await world.clock('2025-12-31T00:00:00Z');
      await world.add('toy', 'a', times[0] as string, clock);
      await world.in((tx) => tx.run(sql`update test_clock set advancing_to = '2026-01-03T00:00:00Z'`));
      expect(await killed(point, step)).toBe('SIGKILL');
      await finish(5);
      expect(await world.diary()).toEqual(whole.map((at) => `a ${at}`));
      const row = await world.in((tx) =>
        tx.one(sql`select clock_time::text as time, advancing_to as to from test_clock`),
      );
      expect(row).toEqual({ time: '2026-01-03 00:00:00+00', to: null });
    },
  );
});
