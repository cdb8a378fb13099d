import { expect, it } from 'vitest';
import { type TSchema, validate } from '../../http/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { AGGREGATIONS, checkMeter, GroupBy, JsonPath } from './meter.ts';

const accepts = (schema: TSchema, value: unknown): boolean => validate('body', schema, value).length === 0;

// Proves 2.metric.valueProperty, 2.metric.groupBy, 4.metrics.4.
it.each([
  { path: '$.tokens', isPath: true },
  { path: '$.usage.output_tokens', isPath: true },
  { path: '$.a.b.c.d', isPath: true },
  { path: '$.0', isPath: true },
  { path: '$._', isPath: true },
  { path: '$.Ab9_', isPath: true },
  { path: '$', isPath: false },
  { path: '$.', isPath: false },
  { path: '$..a', isPath: false },
  { path: '$.a.', isPath: false },
  { path: '$.a..b', isPath: false },
  { path: 'tokens', isPath: false },
  { path: '.tokens', isPath: false },
  { path: '$tokens', isPath: false },
  { path: ' $.tokens', isPath: false },
  { path: '$.tokens ', isPath: false },
  { path: '$.tokens\n', isPath: false },
  { path: '$.a-b', isPath: false },
  { path: '$.a[0]', isPath: false },
  { path: "$['a']", isPath: false },
  { path: '$.*', isPath: false },
  { path: '$.größe', isPath: false },
  { path: '$.a\0', isPath: false },
  { path: "$.a'; drop table price; --", isPath: false },
  { path: `$.${'a'.repeat(253)}`, isPath: true },
  { path: `$.${'a'.repeat(254)}`, isPath: false },
])('$path as valueProperty: $isPath', ({ path, isPath }) => {
  expect(accepts(JsonPath, path)).toBe(isPath);
  expect(accepts(GroupBy, { region: path })).toBe(isPath); // §4 metric rule 4: groupBy has the same form
});

it.each([
  { name: 'region', isName: true },
  { name: 'Region_2', isName: true },
  { name: 'gpu-type', isName: true },
  { name: 'model.family', isName: true },
  { name: 'x'.repeat(64), isName: true },
  { name: 'x'.repeat(65), isName: false },
  { name: '', isName: false },
  { name: ' ', isName: false },
  { name: 'a,b', isName: false }, // a query joins names by commas
  { name: 'a b', isName: false },
  { name: '-a', isName: false },
  { name: '__proto__', isName: false },
  { name: 'a\0', isName: false },
  { name: '<b>', isName: false },
])('$name as the name of a dimension: $isName', ({ name, isName }) => {
  expect(accepts(GroupBy, Object.fromEntries([[name, '$.a']]))).toBe(isName);
});

it('takes fifty dimensions and no more', () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}`, '$.a']));
  expect(accepts(GroupBy, many(50))).toBe(true);
  expect(accepts(GroupBy, many(51))).toBe(false);
});

it.each(AGGREGATIONS)('%s needs to know where the value stands, unless it counts events', (aggregation) => {
  const timeUnit = aggregation === 'TIME_WEIGHTED' ? 'hour' : null;
  const sampled = aggregation === 'PERCENTILE' ? ({ percentile: decimal(95), sampleWindow: 'PT5M' } as const) : {};
  expect(checkMeter({ aggregation, valueProperty: '$.a', timeUnit, ...sampled })).toEqual([]);
  const without = checkMeter({ aggregation, valueProperty: null, timeUnit, ...sampled });
  expect(without.map(({ field }) => field)).toEqual(aggregation === 'COUNT' ? [] : ['valueProperty']);
});
