import { expect, it, onTestFinished } from 'vitest';
import { Metrics } from './metrics.ts';

it('are made once a second at most, for all who ask', async () => {
  let at = 0;
  let made = 0;
  const metrics = new Metrics({
    database: { load: { total: 0, idle: 0, waiting: 0 }, isAway: false } as never,
    countParked: async () => {
      made += 1;
      return [{ kind: 'toy', parked: made }];
    },
    clock: () => at,
  });
  onTestFinished(() => metrics.close());
  const [first, second] = await Promise.all([metrics.text(), metrics.text()]);
  expect([made, first]).toEqual([1, second]);
  expect(first).toContain('reckoner_due_parked{kind="toy"} 1');
  at = 999;
  expect(await metrics.text()).toBe(first);
  at = 1_000;
  expect(await metrics.text()).toContain('reckoner_due_parked{kind="toy"} 2');
});
