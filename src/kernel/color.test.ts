import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accentColor, contrast, DEFAULT_ACCENT, mix, readableOn, textOn } from './color.ts';

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

it.each([
  ['#000000', '#ffffff', 0, '#000000'],
  ['#000000', '#ffffff', 1, '#ffffff'],
  ['#102030', '#304050', 0.5, '#203040'],
])('%s on the way to %s, %d of it, is %s', (from, to, share, mixed) => expect(mix(from, to, share)).toBe(mixed));

it('a colour that can be read stays as it is', () => expect(readableOn('#0b3d2e', ['#ffffff'])).toBe('#0b3d2e'));

it.each([[['#ffffff', '#f3f4f7']], [['#171a20', '#0e1014', '#1c2027']]] as const)(
  'any colour becomes one that can be read on %j',
  (grounds) =>
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
        const color = readableOn(`#${value.toString(16).padStart(6, '0')}`, [...grounds] as [string, ...string[]]);
        for (const ground of grounds) expect(contrast(color, ground)).toBeGreaterThanOrEqual(4.5);
      }),
    ),
);
