import { describe, expect, it } from 'vitest';
import { rounds } from '../support/cases.ts';
import { generate, type Switches } from './generate.ts';
import { Census, KINDS, kindsOf, planned } from './kinds.ts';

/** How often do kinds of crossings meet in 10,000 random lives? Nothing is run; `npm test` draws a fifth of them. */
const LIVES = rounds(2_000, 10_000);

describe('random lives', () => {
  const layers: readonly Switches[] = [
    { layer: 1 },
    { layer: 2 },
    { layer: 3 },
    { layer: 3, isGranted: true },
    { layer: 4 },
  ];
  const census = new Census();
  for (let seed = 0; seed < LIVES / layers.length; seed += 1)
    for (const switches of layers) {
      const life = generate(seed, switches);
      census.add(kindsOf(life, planned(life)));
    }
  // The one metric of a life has one aggregation, and a price on each event needs what adds up its events.
  const ofMetric = new Set<string>(['eachEvent', 'overTime', 'percentile', 'level']);
  const canMeet = ({ one, other }: { one: string; other: string }) => !(ofMetric.has(one) && ofMetric.has(other));
  // Top-ups are in lives of named kinds, and in a layer of their own.
  const drawn = KINDS.filter((kind) => kind !== 'topUp');
  const pairs = drawn.flatMap((one, place) => drawn.slice(place + 1).map((other) => ({ one, other }))).filter(canMeet);

  it.each(drawn)('have %s 200 times in 10,000', (kind) =>
    expect(census.count(kind)).toBeGreaterThanOrEqual((LIVES * 200) / 10_000),
  );

  it.each(pairs)('have $one with $other 50 times in 10,000', ({ one, other }) =>
    expect(census.count(one, other)).toBeGreaterThanOrEqual((LIVES * 50) / 10_000),
  );
});
