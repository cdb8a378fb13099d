import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Place } from '../../http/index.ts';
import { Admission } from './admission.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');
const ROOM = 40_000;
const REQUEST = 8;

/** Sends requests of one size until a refusal. @returns the accepted ones */
function flood(admission: Admission, owner: string, bytes: number): Place[] {
  const places: Place[] = [];
  for (;;) {
    const place = admission.enter(owner, bytes, NOW);
    if (place === null) return places;
    places.push(place);
  }
}

describe('room for events that wait', () => {
  it.each([
    { owners: 1, share: 1 / 2 },
    { owners: 2, share: 1 / 3 },
    { owners: 3, share: 1 / 4 },
    { owners: 9, share: 1 / 10 },
  ])('is given to $owners who flood, each a like share, and one share stays free', ({ owners, share }) => {
    const admission = new Admission(ROOM);
    const names = Array.from({ length: owners }, (_, n) => `owner ${n}`);
    const held = new Map(names.map((name) => [name, 0]));
    for (let isGrowing = true; isGrowing; ) {
      isGrowing = false;
      for (const name of names) {
        if (admission.enter(name, 25_000, NOW) === null) continue;
        held.set(name, (held.get(name) as number) + 100 + REQUEST);
        isGrowing = true;
      }
    }
    for (const each of held.values()) expect(Math.abs(each / (ROOM * share) - 1)).toBeLessThan(0.1);
    expect(admission.load.held).toBe([...held.values()].reduce((sum, each) => sum + each, 0));
    expect(admission.enter('one more', 25_000, NOW)).not.toBeNull();
  });

  it.each([
    { what: 'a body of the largest size', bytes: 8 * 1024 * 1024 },
    { what: 'a body that does not say how large it is', bytes: null },
    { what: 'an empty body', bytes: 0 },
  ])('is there for $what of one who has nothing, though another one floods', ({ bytes }) => {
    const admission = new Admission(ROOM);
    flood(admission, 'large', 25_000);
    expect(admission.enter('small', bytes, NOW)).not.toBeNull();
  });

  it('is there for two arrays of the most events at once', () => {
    const admission = new Admission(ROOM);
    expect(flood(admission, 'one', 8 * 1024 * 1024)).toHaveLength(2);
  });

  it('is counted by the events of the last body before the next one is read', () => {
    const admission = new Admission(ROOM);
    const first = admission.enter('one', 10_000, NOW) as Place;
    expect(admission.load.held).toBe(REQUEST + 40); // as if events were of the usual size
    expect(first.resize(200)).toBe(true); // of 50 bytes each
    expect(admission.load.held).toBe(REQUEST + 200);
    admission.enter('one', 10_000, NOW);
    expect(admission.load.held).toBe(2 * (REQUEST + 200));
    admission.enter('another', 10_000, NOW);
    expect(admission.load.held).toBe(2 * (REQUEST + 200) + REQUEST + 40);
  });

  it('is counted by bytes where events are large', () => {
    const admission = new Admission(ROOM);
    const place = admission.enter('one', 80_000, NOW) as Place;
    expect([place.resize(1), admission.load.held]).toEqual([true, REQUEST + 100]);
  });

  it('may turn out to be too little once a body has been read, but not for one who has only that', () => {
    const admission = new Admission(1_000);
    const place = admission.enter('one', 25_000, NOW) as Place;
    expect(place.resize(2_000)).toBe(true);
    place.leave();
    const [, second] = flood(admission, 'one', 25_000);
    expect(second?.resize(2_000)).toBe(false);
  });

  it('says since when the oldest request is under way', () => {
    const admission = new Admission(ROOM);
    const later = NOW.add({ seconds: 5 });
    expect(admission.load.oldest).toBeNull();
    const first = admission.enter('one', 100, NOW) as Place;
    admission.enter('two', 100, later);
    expect(admission.load).toMatchObject({ requests: 2, oldest: NOW });
    first.leave();
    expect(admission.load).toMatchObject({ requests: 1, oldest: later });
  });

  it('is all free again when all have left, however often they say so', () => {
    const request = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.option(fc.integer({ min: 0, max: 8 * 1024 * 1024 })),
      events: fc.option(fc.integer({ min: 1, max: 10_000 })),
      leavesAt: fc.integer({ min: 0, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), (requests) => {
        const admission = new Admission(ROOM);
        const places: { place: Place; leavesAt: number }[] = [];
        for (const [index, { owner, bytes, events, leavesAt }] of requests.entries()) {
          const place = admission.enter(owner, bytes, NOW);
          if (place) {
            places.push({ place, leavesAt });
            if (events !== null) place.resize(events);
          }
          for (const each of places) if (each.leavesAt <= index) each.place.leave();
          expect(admission.load.held).toBeGreaterThanOrEqual(0);
        }
        for (const { place } of places) place.leave();
        expect(admission.load).toEqual({ held: 0, requests: 0, oldest: null });
      }),
    );
  });
});

describe('a request for which there is no room', () => {
  const LARGE = 8 * 1024 * 1024;

  /** An admission with pauses that a test ends in turn. */
  function paused() {
    const pauses: (() => void)[] = [];
    const admission = new Admission(ROOM, () => new Promise<void>((resolve) => pauses.push(resolve)));
    const over = async () => {
      pauses.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { admission, pauses, over };
  }

  it('is refused after it has looked for some four times more', async () => {
    const { admission, pauses, over } = paused();
    flood(admission, 'one', LARGE);
    let answer: Place | null | undefined;
    void Promise.resolve(admission.admit('one', LARGE, NOW)).then((place) => {
      answer = place;
    });
    for (let look = 0; look < 4; look += 1) {
      expect([pauses.length, answer]).toEqual([1, undefined]);
      await over();
    }
    expect([pauses.length, answer]).toEqual([0, null]);
  });

  it('is admitted if another request has ended in between', async () => {
    const { admission, over } = paused();
    const [first] = flood(admission, 'one', LARGE);
    const waiting = admission.admit('one', LARGE, NOW);
    first?.leave();
    await over();
    expect(await waiting).not.toBeNull();
  });

  it.each([
    { what: 'of small bodies', bytes: 300, most: 3_816 },
    { what: 'of large bodies', bytes: LARGE, most: 240 },
    { what: 'of bodies that do not say how large they are', bytes: null, most: 240 },
  ])('waits with $most others at most $what; one more is refused at once', async ({ bytes, most }) => {
    const { admission, pauses } = paused();
    flood(admission, 'one', 300);
    for (let request = 0; request < most; request += 1) void admission.admit('one', bytes, NOW);
    expect(pauses).toHaveLength(most);
    expect(await admission.admit('one', bytes, NOW)).toBeNull();
  });

  it('delays no other request', async () => {
    const { admission, pauses } = paused();
    flood(admission, 'one', LARGE);
    void admission.admit('one', LARGE, NOW);
    expect(admission.admit('another', LARGE, NOW)).not.toBeInstanceOf(Promise);
    expect(pauses).toHaveLength(1);
  });
});
