import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.ts';

interface Item {
  owner: string;
  size: number;
  place: number;
}

const items = fc
  .array(fc.record({ owner: fc.constantFrom('a', 'b', 'c'), size: fc.integer({ min: 1, max: 700 }) }), {
    maxLength: 40,
  })
  .map((list) => list.map((item, place): Item => ({ ...item, place })));

function drain(queue: FairQueue<Item>, most: number): Item[] {
  const all: Item[] = [];
  while (queue.isWaiting) {
    const taken = queue.take(most);
    expect(taken.length).toBeGreaterThan(0);
    all.push(...taken);
  }
  return all;
}

describe('the fair queue', () => {
  it('gives each item once, those of one owner in their order', () =>
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 1000 }), (sent, most) => {
        const queue = new FairQueue<Item>();
        for (const item of sent) queue.add(item);
        const got = drain(queue, most);
        expect(got.map(({ place }) => place).toSorted((a, b) => a - b)).toEqual(sent.map(({ place }) => place));
        for (const owner of ['a', 'b', 'c']) {
          const places = got.filter((item) => item.owner === owner).map(({ place }) => place);
          expect(places).toEqual(places.toSorted((a, b) => a - b));
        }
      }),
    ));

  it('lets one who sends a little through while another sends very much', () => {
    const queue = new FairQueue<Item>();
    for (let place = 0; place < 5_000; place += 1) queue.add({ owner: 'a', size: 1, place });
    queue.add({ owner: 'b', size: 1, place: 5_000 });
    expect(queue.take(500).some(({ owner }) => owner === 'b')).toBe(true);
  });

  it('gives two who send in different sizes as much of what is taken', () => {
    const queue = new FairQueue<Item>();
    for (let place = 0; place < 50; place += 1) queue.add({ owner: 'large', size: 400, place });
    for (let place = 0; place < 20_000; place += 1) queue.add({ owner: 'small', size: 1, place });
    const taken = new Map<string, number>();
    for (let turn = 0; turn < 20; turn += 1)
      for (const { owner, size } of queue.take(500)) taken.set(owner, (taken.get(owner) ?? 0) + size);
    const ratio = (taken.get('large') as number) / (taken.get('small') as number);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  });

  it('takes an item that is larger than a flush alone', () => {
    const queue = new FairQueue<Item>();
    queue.add({ owner: 'a', size: 10_000, place: 0 });
    queue.add({ owner: 'a', size: 1, place: 1 });
    expect(queue.take(500).map(({ place }) => place)).toEqual([0]);
  });

  it('counts the waiting events of all merchants', () => {
    const queue = new FairQueue<{ owner: string; size: number }>();
    queue.add({ owner: 'a', size: 3 });
    queue.add({ owner: 'b', size: 5 });
    expect(queue.size).toBe(8);
    const taken = queue.take(1);
    expect(queue.size).toBe(8 - taken.reduce((total, { size }) => total + size, 0));
    queue.putBack(taken);
    queue.hold('a');
    expect(queue.size).toBe(8);
  });

  it('gives what was put back first, and nothing of an owner that is held', () => {
    const queue = new FairQueue<Item>();
    for (let place = 0; place < 4; place += 1) queue.add({ owner: place % 2 ? 'b' : 'a', size: 1, place });
    const taken = queue.take(10);
    queue.add({ owner: 'a', size: 1, place: 4 });
    queue.putBack(taken.filter(({ owner }) => owner === 'a'));
    expect(queue.take(10).map(({ place }) => place)).toEqual([0, 2, 4]);
    queue.hold('a');
    queue.add({ owner: 'a', size: 1, place: 5 });
    expect([queue.isWaiting, queue.isHeld('a')]).toEqual([false, true]);
    queue.release('a');
    expect(queue.take(10).map(({ place }) => place)).toEqual([5]);
  });
});
