import { beforeEach, describe, expect, it } from 'vitest';
import { DatabaseAway } from './away.ts';
import { Circuit } from './circuit.ts';

let now: number;
let circuit: Circuit;
beforeEach(() => {
  now = 1_000;
  circuit = new Circuit(() => now);
});

/** The number of calls, of those that come now, that the circuit lets through. */
function letThrough(calls: number): number {
  let through = 0;
  for (let call = 0; call < calls; call += 1) {
    try {
      circuit.enter();
      through += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(DatabaseAway);
    }
  }
  return through;
}

describe('the way to the database', () => {
  it('is open to everybody while it is reached', () => {
    expect([letThrough(50), circuit.isOpen]).toEqual([50, false]);
  });

  it('after a failure is open to one at a time, at once', () => {
    circuit.failed();
    expect([letThrough(50), circuit.isOpen]).toEqual([1, true]);
  });

  it.each([
    { after: 99, through: 0 },
    { after: 100, through: 1 },
    { after: 10_000, through: 1 },
  ])('after two failures is open to $through call of fifty $after ms later', ({ after, through }) => {
    circuit.failed();
    circuit.failed();
    now += after;
    expect(letThrough(50)).toBe(through);
  });

  it('stays shut while the one that tries waits, however long that is, and for a while after it has failed', () => {
    circuit.failed();
    expect(letThrough(1)).toBe(1);
    now += 60_000;
    expect(letThrough(50)).toBe(0);
    circuit.failed();
    expect(letThrough(50)).toBe(0);
    now += 100;
    expect(letThrough(50)).toBe(1);
  });

  it('is open to everybody again as soon as one has reached it', () => {
    circuit.failed();
    circuit.failed();
    now += 100;
    expect(letThrough(50)).toBe(1);
    circuit.reached();
    expect([letThrough(50), circuit.isOpen]).toEqual([50, false]);
  });
});
