import { describe, expect, it } from 'vitest';
import { hoursOf, type Interval } from './hours.ts';

describe('hours', () => {
  it.each([
    ['10:00', '12:00', '10:00-12:00', []],
    ['10:30', '12:15', '11:00-12:00', ['10:30-11:00', '12:00-12:15']],
    ['10:30', '11:30', null, ['10:30-11:30']],
    ['10:30', '11:00', null, ['10:30-11:00']],
    ['10:10', '10:20', null, ['10:10-10:20']],
    ['10:10', '10:10', null, []],
    ['11:00', '10:00', null, []],
  ] as const)('of %s to %s are %s, and %s is left', (from, to, full, rest) => {
    const at = (text: string) => Temporal.Instant.from(`2026-01-01T${text}:00Z`);
    const shown = (each: Interval | null) =>
      each && `${each.from.toString().slice(11, 16)}-${each.to.toString().slice(11, 16)}`;
    const found = hoursOf({ from: at(from), to: at(to) });
    expect([shown(found.full), found.rest.map(shown)]).toEqual([full, rest]);
  });
});
