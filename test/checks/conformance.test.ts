import { describe, expect, it } from 'vitest';
import { conformancePage, proofsOf, strayProofs, unprovedRules } from '../../scripts/checks/conformance.ts';
import { projectFiles, report } from '../../scripts/checks/project.ts';
import { SPECIFICATION } from '../specification/rules.ts';

const files = projectFiles();
const proofs = proofsOf(files);

describe('the rules of the specification', () => {
  it('are each proved by a test, or say why not', () => expect(unprovedRules(SPECIFICATION, proofs)).toEqual([]));

  it('are those that tests name', () => expect(report(strayProofs(SPECIFICATION, proofs))).toEqual([]));

  it('have each a name of its own', () => {
    const ids = SPECIFICATION.flatMap(({ rules }) => rules.map(({ id }) => id));
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
  });

  it('are in docs/conformance.md, with their tests (npm run docs:conformance prints it)', () => {
    const page = files.find(({ path }) => path === 'docs/conformance.md');
    expect(page?.text).toBe(conformancePage(SPECIFICATION, proofs));
  });
});

describe('these checks see', () => {
  const rules = (...ids: string[]) => [{ title: 'Rules', rules: ids.map((id) => ({ id, says: 'Holds.' })) }];
  const inTest = (text: string) => proofsOf([{ path: 'test/a.test.ts', text }]);

  it.each([
    ["it('holds', () => {});", 'holds'],
    ["it.each([\n1,\n])('holds %d', () => {});", 'holds %d'],
    ["// What it is for.\nit('holds', () => {});", 'holds'],
    ['it(`holds`, () => {});', 'holds'],
  ])('the test below: %s', (test, name) => {
    expect(inTest(`// Proves 1.a, 1.b.\n${test}`).map((proof) => [proof.rule, proof.test])).toEqual([
      ['1.a', name],
      ['1.b', name],
    ]);
  });

  it('the groups around it', () => {
    const text = "describe('rules', () => {\n  // Proves 1.a.\n  it('hold', () => {});\n});";
    expect(inTest(text)).toEqual([{ rule: '1.a', path: 'test/a.test.ts', line: 2, test: 'rules · hold' }]);
  });

  it('a rule without a proof, and a reason that is none any more', () => {
    const proved = inTest("// Proves 1.a.\nit('holds', () => {});");
    expect(unprovedRules(rules('1.a', '1.b'), proved)).toEqual(['1.b has no proof']);
    const excused = [{ title: 'Rules', rules: [{ id: '1.a', says: 'Holds.', unproved: 'Why.' }] }];
    expect(unprovedRules(excused, proved)).toHaveLength(1);
    expect(unprovedRules(excused, [])).toEqual([]);
  });

  it.each(["// Proves 1.z.\nit('holds', () => {});", '// Proves 1.a.\nconst nothing = 1;'])(
    'a stray proof: %s',
    (text) => expect(strayProofs(rules('1.a'), inTest(text))).toHaveLength(1),
  );

  it('that a page lacks a proof', () => {
    const proved = inTest("// Proves 1.a.\nit('holds', () => {});");
    expect(conformancePage(rules('1.a'), proved)).toContain('| `1.a` | Holds. | [holds](../test/a.test.ts) |');
    expect(conformancePage(rules('1.a'), [])).not.toContain('[holds]');
  });
});
