import { describe, expect, it } from 'vitest';
import { blocksOf, matches } from './blocks.ts';

describe('the blocks of a page', () => {
  it('are its bash blocks, each with the output right below it', () => {
    const page =
      'Hi\n\n```bash\necho 1\n```\n```text\n1\n```\n\n```\nnpm start\n```\n\n```bash\ntrue\n```\n\nThen\n\n```text\nno output\n```\n';
    expect(blocksOf(page)).toEqual([
      { line: 4, script: 'echo 1\n', output: '1\n' },
      { line: 15, script: 'true\n' },
    ]);
  });

  it.each([
    ['a: 1', 'a: 1\n', true],
    ['a: 1', 'a: 2', false],
    ['a: 1', 'a: 1\nb: 2', false],
    ['id: prod_…', 'id: prod_abc', true],
    ['id: prod_…', 'id: prod_', false],
    ['id: …', 'id: x\ny', false],
    ['1.5 (a+b)', '1x5 (a+b)', false],
  ])('%j against %j: %s', (shown, printed, expected) => {
    expect(matches(shown, printed)).toBe(expected);
  });
});
