import { expect, it } from 'vitest';
import { describeNotRun } from '../support/not-run.ts';

it('tests that are left out are listed by file, with the reason and the command that runs them', () => {
  const stores = { file: 'test/conformance/stores.test.ts' };
  const lines = describeNotRun([stores, { file: 'src/db/embedded/directories.test.ts' }, stores]);
  expect(lines).toEqual([
    'Not run: 1 test of src/db/embedded/directories.test.ts: they look into /proc, which Linux alone has. Run them: npm test on Linux',
    'Not run: 2 tests of test/conformance/stores.test.ts: they need the engine of ClickHouse, which is half a gigabyte. Run them: npm run test:clickhouse',
  ]);
});

it('a test that is left out without a reason is listed as that', () => {
  expect(describeNotRun([{ file: 'src/tax/tax-lines.test.ts' }])).toEqual([
    'Not run: 1 test of src/tax/tax-lines.test.ts: no reason is given in test/support/not-run.ts',
  ]);
});
