import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptPaths, leafName, leavesOf } from './leaves.ts';

describe('the leaves of an event', () => {
  it.each([
    { data: '{}', leaves: '{}' },
    { data: '{"v": 5}', leaves: '{"v/0":5}' },
    { data: '{"v": 5.0}', leaves: '{"v/0":5}' },
    { data: '{"v": "5"}', leaves: '{"v/0":5}' }, // as a text it is the same one
    { data: '{"v": "5.0"}', leaves: '{"v/s":"5.0"}' },
    { data: '{"v": "-0"}', leaves: '{"v/s":"-0"}' },
    { data: '{"v": 0.1}', leaves: '{"v/9":100000000}' },
    { data: '{"v": -0.000000001}', leaves: '{"v/9":-1}' },
    { data: '{"v": 999999999.999999999}', leaves: '{"v/9":999999999999999999}' },
    { data: '{"v": 0.0000000001}', leaves: '{"v/n":"0.0000000001"}' },
    { data: '{"v": 999999999999999}', leaves: '{"v/0":999999999999999}' },
    { data: '{"v": 1000000000000000}', leaves: '{"v/n":"1000000000000000"}' },
    { data: '{"v": 9007199254740993}', leaves: '{"v/n":"9007199254740993"}' },
    { data: '{"v": "2026-01-01"}', leaves: '{"v/s":"2026-01-01"}' },
    { data: '{"v": true, "w": false}', leaves: '{"v/s":"true","w/s":"false"}' },
    { data: '{"v": null, "w": {}, "x": []}', leaves: '{}' },
    { data: '{"a": {"b": {"c": 1}}}', leaves: '{"a/b/c/0":1}' },
    { data: '{"a": [1, {"b": "x"}]}', leaves: '{"a/-0/0":1,"a/-1/b/s":"x"}' },
    { data: '{"a b": 1, "a.b": 2, "größe": 3, "": 4, "a/b": 5, "c": 6}', leaves: '{"c/0":6}' }, // no path can name them
    { data: '{"v": "it\'s \\"q\\" \\\\ \\n"}', leaves: '{"v/s":"it\'s \\"q\\" \\\\ \\n"}' },
  ])('of $data are $leaves', ({ data, leaves }) => expect(leavesOf(data)).toBe(leaves));

  it('have one form for one text', () => {
    const number = fc.tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(20)).map(([digits, places]) => {
      const text = (digits < 0n ? -digits : digits).toString().padStart(places + 1, '0');
      const whole = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
      return `${digits < 0n ? '-' : ''}${whole}`;
    });
    fc.assert(
      fc.property(number, (text) => {
        const zeros = text.includes('.') ? `${text}000` : `${text}.0`;
        expect(leavesOf(`{"v":${zeros}}`)).toBe(leavesOf(`{"v":${text}}`));
        const [, shortest] = /"v\/n":"(.*)"/.exec(leavesOf(`{"v":${text}}`)) ?? [];
        if (shortest !== undefined) expect(leavesOf(`{"v":"${shortest}"}`)).toBe(leavesOf(`{"v":${text}}`));
      }),
    );
  });

  it.each([
    { path: ['a', 'b'], kept: [['a', 'b']] },
    {
      path: ['a', '01'],
      kept: [
        ['a', '01'],
        ['a', '-1'],
      ],
    },
    {
      path: ['0', '0'],
      kept: [
        ['0', '0'],
        ['0', '-0'],
        ['-0', '0'],
        ['-0', '-0'],
      ],
    },
  ])('are looked for at $kept for $path', ({ path, kept }) => expect(keptPaths(path)).toEqual(kept));

  it('are named by path and form', () => expect(leafName(['a', '-1'], '9')).toBe('a/-1/9'));
});
