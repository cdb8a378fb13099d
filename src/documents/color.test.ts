import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accentColor, contrast, DEFAULT_ACCENT, textOn } from './color.ts';

it.each([
  ['#0b6e4f', '#0b6e4f'],
  [' #FFD400 ', '#ffd400'],
  ['#abc', '#aabbcc'],
])('the accent %j is %s', (color, accent) => expect(accentColor(color)).toBe(accent));

it.each([null, undefined, '', 'red', '#12', '#12345', '#1234567', 'rgb(0,0,0)', '#ggg', '#000"); #eval("'])(
  '%j is no color and gives the default accent',
  (color) => expect(accentColor(color)).toBe(DEFAULT_ACCENT),
);

it('black on white has the greatest contrast', () => expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5));

it('text on any accent can be read', () =>
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const accent = `#${value.toString(16).padStart(6, '0')}`;
      expect(contrast(accent, textOn(accent))).toBeGreaterThanOrEqual(4.5);
    }),
  ));
