import { describe, expect, it } from 'vitest';
import { errorsPage, errorTablesOf, fieldCodesOf, unusedCodes } from '../../scripts/checks/error-codes.ts';
import { projectFiles } from '../../scripts/checks/project.ts';
import { errorTables } from '../../src/wiring.ts';

const files = projectFiles();
const tables = await errorTablesOf(files);

describe('the error codes', () => {
  it('are in docs/errors.md, and no others (npm run docs:errors prints it)', () => {
    const page = files.find(({ path }) => path === 'docs/errors.md');
    expect(page?.text).toBe(errorsPage(tables, fieldCodesOf(files)));
  });

  it('are those that the server answers by', () => {
    const [, ...domains] = tables.map(({ table }) => table);
    expect(new Set(errorTables)).toEqual(new Set(domains));
  });

  it('are answered somewhere', () => expect(unusedCodes(files, tables)).toEqual([]));

  it('are listed in one table each', () => {
    const codes = tables.flatMap(({ table }) => Object.keys(table));
    expect(codes.toSorted()).toEqual([...new Set(codes)].toSorted());
  });
});

describe('these checks see', () => {
  const listed = [{ room: 'tax', table: { TAX_GONE: { status: 409, message: 'It is gone.' } } }] as const;
  const inTax = (text: string) => [{ path: 'src/tax/a.ts', text }];

  it('a code that nobody answers with', () => {
    expect(unusedCodes(inTax("// fail('TAX_GONE')"), listed)).toEqual(['TAX_GONE of tax']);
    expect(unusedCodes([{ path: 'src/tax/errors.ts', text: "const a = 'TAX_GONE';" }], listed)).toHaveLength(1);
    expect(unusedCodes(inTax("fail('TAX_GONE')"), listed)).toEqual([]);
  });

  it.each(["invalidField('a', 'is bad', 'TAX_BAD')", "invalid([{ field: 'a', message: 'is bad', code: 'TAX_BAD' }])"])(
    'the code of a field: %s',
    (text) => expect(fieldCodesOf(inTax(text))).toEqual([{ code: 'TAX_BAD', room: 'tax' }]),
  );

  it('that a page lacks a code', () => {
    expect(errorsPage(listed, [])).toContain('| `TAX_GONE` | 409 | It is gone. |');
    expect(errorsPage([], [])).not.toContain('TAX_GONE');
  });
});
