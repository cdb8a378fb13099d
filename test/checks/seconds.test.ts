import { expect, it } from 'vitest';
import { describeSeconds } from '../support/seconds.ts';

const file = (path: string, imports: number, around: number, act: number) => ({
  file: path,
  tests: 2,
  imports,
  around,
  act,
});

it('the seconds of a run are summed up by folder, the largest first, and the slowest files are listed', () => {
  const lines = describeSeconds([
    file('src/tax/tax-lines.test.ts', 1, 0, 1),
    file('test/stories/wallet.test.ts', 1, 2, 30),
    file('test/stories/mail.test.ts', 1, 2, 7),
  ]);
  expect(lines.map((line) => line.trim().replaceAll(/\s+/g, ' ')).slice(1)).toEqual([
    'folder files tests imports around tests all',
    'all 3 6 3 4 38 45',
    'test/stories 2 4 2 4 37 43',
    'src/tax 1 2 1 0 1 2',
    'The slowest files',
    '33.0 s test/stories/wallet.test.ts',
    '10.0 s test/stories/mail.test.ts',
    '2.0 s src/tax/tax-lines.test.ts',
  ]);
});
