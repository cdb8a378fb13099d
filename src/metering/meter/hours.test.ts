import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBefore } from '../../kernel/time.ts';
import { hoursOf, type Interval, type Remainder } from './hours.ts';

const at = (text: string) => Temporal.Instant.from(`2026-01-01T${text}:00Z`);
const shown = ({ from, to }: Interval) => `${from.toString().slice(11, 16)}-${to.toString().slice(11, 16)}`;
const signed = (remainder: Remainder) => `${remainder.sign === 1 ? '+' : '-'}${shown(remainder)}`;

describe('hours', () => {
  it.each([
    ['10:00', '12:00', '10:00-12:00', []],
    ['10:30', '12:15', '11:00-12:00', ['+10:30-11:00', '+12:00-12:15']],
    ['10:30', '11:30', null, ['+10:30-11:30']],
    ['10:30', '11:00', null, ['+10:30-11:00']],
    ['10:10', '10:20', null, ['+10:10-10:20']],
    ['10:10', '10:10', null, []],
    ['11:00', '10:00', null, []],
  ] as const)('of %s to %s are %s, and %s is left', (from, to, full, remainder) => {
    const found = hoursOf({ from: at(from), to: at(to) }, false);
    expect([found.full && shown(found.full), found.remainder.map(signed)]).toEqual([full, remainder]);
  });

  it.each([
    ['10:00', '12:00', '10:00-12:00', []],
    ['10:20', '12:15', '10:00-12:00', ['-10:00-10:20', '+12:00-12:15']],
    ['10:40', '12:45', '11:00-13:00', ['+10:40-11:00', '-12:45-13:00']],
    ['10:20', '10:50', '10:00-11:00', ['-10:00-10:20', '-10:50-11:00']],
    ['10:40', '11:20', null, ['+10:40-11:20']],
    ['10:10', '10:20', null, ['+10:10-10:20']],
    ['10:10', '10:10', null, []],
    ['11:00', '10:00', null, []],
    ['10:40', '10:20', null, []],
  ] as const)('of %s to %s, where something can be taken away, are %s and %s', (from, to, full, remainder) => {
    const found = hoursOf({ from: at(from), to: at(to) }, true);
    expect([found.full && shown(found.full), found.remainder.map(signed)]).toEqual([full, remainder]);
  });

  it('and the remainder hold each moment as often as it was asked about', () =>
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.nat({ max: 300 }), fc.boolean(), (first, second, canTakeAway) => {
        const minute = (minutes: number) => at('00:00').add({ minutes });
        const asked = { from: minute(first), to: minute(second) };
        const { full, remainder } = hoursOf(asked, canTakeAway);
        for (let moment = 0; moment <= 360; moment += 1) {
          const holds = ({ from, to }: Interval) => !isBefore(minute(moment), from) && isBefore(minute(moment), to);
          const times = remainder.reduce(
            (total, each) => total + (holds(each) ? each.sign : 0),
            full && holds(full) ? 1 : 0,
          );
          expect(times).toBe(holds(asked) ? 1 : 0);
        }
      }),
    ));
});
