import { expect, it } from 'vitest';
import { home, projectFiles } from '../../scripts/checks/project.ts';
import { selectTests } from '../support/changed-files.ts';
import { deepTests } from '../support/suites.ts';

const files = projectFiles();
const deep = new Set(deepTests(home));
const select = (...changed: string[]) => selectTests(changed, files, (path) => deep.has(path)).tests;

it.each([
  { changed: 'src/tax/tax-lines.ts', test: 'src/tax/tax-lines.test.ts' },
  { changed: 'src/invoicing/rating/models.ts', test: 'test/properties/invoice-arithmetic.test.ts' },
  { changed: 'src/orders/orders.sql.ts', test: 'src/orders/routes.test.ts' },
  { changed: 'migrations/0001_tenants.sql', test: 'test/checks/schema.test.ts' },
  { changed: 'docs/events.md', test: 'test/docs/links.test.ts' },
  { changed: 'test/stories/wallet.test.ts', test: 'test/stories/wallet.test.ts' },
])('a change of $changed concerns $test', ({ changed, test }) => expect(select(changed)).toContain(test));

it('a change of one domain runs no test of the deep run, and no story of the whole program', () => {
  const tests = select('src/payments/returns/returns.ts', 'migrations/0012_payments.sql');
  expect(tests.filter((path) => deep.has(path) || path.startsWith('test/stories/'))).toEqual([]);
  expect(tests.filter((path) => path.startsWith('src/payments/')).length).toBeGreaterThan(5);
});

it('no change concerns no test', () => expect(select()).toEqual([]));
