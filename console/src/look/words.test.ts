import { expect, it } from 'vitest';
import { cadenceWords, durationWords, namesInWords, saysItself, valueWords } from './words.ts';

it.each([
  ['P1Y', '1 year', 'yearly'],
  ['P2M', '2 months', 'every 2 months'],
  ['P1Y6M', '1 year, 6 months', 'every 1 year, 6 months'],
  ['P14D', '14 days', 'every 14 days'],
  ['PT1H', '1 hour', 'every 1 hour'],
  ['P1DT12H', '1 day, 12 hours', 'every 1 day, 12 hours'],
  ['PT30M', '30 minutes', 'every 30 minutes'],
  ['PT90S', 'PT90S', 'every PT90S'],
])('%s is %s', (duration, words, cadence) => {
  expect(durationWords(duration)).toBe(words);
  expect(cadenceWords(duration)).toBe(cadence);
});

it('names of fields in a sentence are their labels', () => {
  expect(namesInWords('give couponId or code, of a period P1M')).toBe('give “Coupon ID” or code, of a period P1M');
});

it.each([
  ['settings.dunning.finally', 'keep', 'Nothing more'],
  ['anchor', 'keep', 'As before the pause'],
  ['duration', 'forever', 'In all periods'],
  ['alignmentPolicy', 'calendar', 'Calendar'],
])('the value of %s %s is %s', (field, value, words) => {
  expect(valueWords(field, value)).toBe(words);
  expect(saysItself(field)).toBe(field !== 'alignmentPolicy');
});
