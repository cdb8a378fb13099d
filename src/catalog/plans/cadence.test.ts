import { describe, expect, it } from 'vitest';
import { cadenceOf, checkCadence, checkDuration, intervalOf } from './cadence.ts';

describe('§9, rule 3', () => {
  it.each([
    { billingInterval: 'monthly', cadence: 'P1M' },
    { billingInterval: 'quarterly', cadence: 'P3M' },
    { billingInterval: 'yearly', cadence: 'P1Y' },
  ] as const)('the old $billingInterval is $cadence, and back', ({ billingInterval, cadence }) => {
    expect(cadenceOf({ billingInterval })).toBe(cadence);
    expect(intervalOf(cadence)).toBe(billingInterval);
  });

  it('annual is a year, and is answered as yearly', () => {
    expect(cadenceOf({ billingInterval: 'annual' })).toBe('P1Y');
    expect(cadenceOf({ billingCadence: 'annual' })).toBe('P1Y');
    expect(intervalOf('P1Y')).toBe('yearly');
  });

  it('the cadence wins where both are sent', () => {
    expect(cadenceOf({ billingCadence: 'P2W', billingInterval: 'yearly' })).toBe('P2W');
  });

  it('nothing is said where neither is', () => {
    expect(cadenceOf({})).toBeUndefined();
    expect(cadenceOf({ billingInterval: null })).toBeUndefined();
  });

  it.each([
    { cadence: 'P12M', interval: 'yearly' },
    { cadence: 'P01M', interval: 'monthly' },
    { cadence: 'P6M', interval: null },
    { cadence: 'P2Y', interval: null },
    { cadence: 'P30D', interval: null },
    { cadence: 'P1W', interval: null },
  ])('$cadence is called $interval in old words', ({ cadence, interval }) =>
    expect(intervalOf(cadence)).toBe(interval),
  );
});

it.each([
  { text: 'P1D', isCadence: true },
  { text: 'P45D', isCadence: true },
  { text: 'P2W', isCadence: true },
  { text: 'P18M', isCadence: true },
  { text: 'P1Y6M', isCadence: true },
  { text: 'P0D', isCadence: false }, // a plan bills again and again
  { text: 'P0M', isCadence: false },
  { text: 'P1M1D', isCadence: false },
  { text: 'PT24H', isCadence: false },
  { text: 'P1.5M', isCadence: false },
  { text: '-P1M', isCadence: false },
  { text: 'monthly', isCadence: false },
  { text: '', isCadence: false },
  { text: 'P', isCadence: false },
])('$text as the cadence of a plan: $isCadence', ({ text, isCadence }) => {
  expect(checkCadence('billingCadence', text).map(({ field }) => field)).toEqual(isCadence ? [] : ['billingCadence']);
});

it.each([
  { text: 'PT0S', isDuration: true },
  { text: 'P0D', isDuration: true },
  { text: 'PT72H', isDuration: true },
  { text: 'P14D', isDuration: true },
  { text: 'P1M2DT3H', isDuration: true },
  { text: 'P100Y', isDuration: true },
  { text: 'P101Y', isDuration: false },
  { text: 'P999999Y', isDuration: false },
  { text: '-P1D', isDuration: false },
  { text: 'P-1D', isDuration: false },
  { text: 'PT0.5S', isDuration: false },
  { text: 'P', isDuration: false },
  { text: 'PT', isDuration: false },
  { text: '14 days', isDuration: false },
])('$text as a grace or a trial: $isDuration', ({ text, isDuration }) => {
  expect(checkDuration('gracePeriod', text).map(({ field }) => field)).toEqual(isDuration ? [] : ['gracePeriod']);
});
