import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isId } from '../kernel/ids.ts';
import { isBefore } from '../kernel/time.ts';
import { monthOfEvent, newEventId } from './event-id.ts';

const instant = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2199-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => Temporal.Instant.fromEpochMilliseconds(date.getTime()));

describe("an event's id", () => {
  it('names the month that holds the event', () =>
    fc.assert(
      fc.property(instant, instant, (at, acceptedAt) => {
        const id = newEventId(at.toString(), acceptedAt);
        const month = monthOfEvent(id);
        expect(isId('event', id)).toBe(true);
        expect(month && !isBefore(at, month.from) && isBefore(at, month.to)).toBe(true);
      }),
    ));

  it('sorts by acceptance within a month of events', () => {
    const at = Temporal.Instant.from('2026-05-05T00:00:00Z');
    const ids = [0, 1, 62, 4000, 86_400_000].map((milliseconds) => newEventId(at.toString(), at.add({ milliseconds })));
    expect(ids.toSorted()).toEqual(ids);
  });

  it.each([
    'evt_',
    'evt_2026',
    'evt_202613abc',
    'evt_202600abc',
    'evt_202601',
    'inv_202601abc',
    'evt_202601a-b',
    `evt_202601${'a'.repeat(59)}`,
  ])('is none: %s', (text) => expect(monthOfEvent(text)).toBeNull());
});
