import type { RuleSection } from '../../test/specification/rules.ts';
import { type Finding, isTest, lineAt, type SourceFile } from './project.ts';
import { isNode, type Node, nameOf, parse, walk } from './syntax.ts';

/** A test that says which rules of the specification it proves. */
export interface Proof {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  /** The names of the groups around the test and its own, as they stand in the file. */
  readonly test: string;
}

const TAG = /^ Proves (.+)\.$/;

/**
 * What the tests say that they prove: `// Proves 1.ids.plan, 2.plan.name.` directly above a test, in one line or
 * several.
 */
export function proofsOf(files: readonly SourceFile[]): Proof[] {
  return files.filter((file) => isTest(file) && file.text.includes('// Proves ')).flatMap(proofsOfFile);
}

function proofsOfFile(file: SourceFile): Proof[] {
  const { program, comments } = parse(file);
  const lineBelow = new Map(comments.map(({ start, end }) => [lineAt(file.text, start), lineAt(file.text, end) + 1]));
  const tests = testsOf(file, program);
  return comments.flatMap(({ start, value }) => {
    const rules = TAG.exec(value)?.[1]?.split(', ') ?? [];
    const line = lineAt(file.text, start);
    let below = line;
    for (let next = lineBelow.get(below); next !== undefined; next = lineBelow.get(below)) below = next;
    const test = tests.get(below) ?? '';
    return rules.map((rule) => ({ rule, path: file.path, line, test }));
  });
}

/** The tests of a file by the line on which they begin. */
function testsOf(file: SourceFile, program: Node): Map<number, string> {
  const tests = new Map<number, string>();
  const visit = (node: Node, groups: readonly string[]): void =>
    walk(node, (inner) => {
      const title = inner.type === 'CallExpression' ? titleOf(inner) : undefined;
      if (!title) return true;
      const names = [...groups, title.text];
      if (title.of === 'it') tests.set(lineAt(file.text, inner.start), names.join(' · '));
      else for (const argument of (inner.arguments as unknown[]).slice(1)) if (isNode(argument)) visit(argument, names);
      return false;
    });
  visit(program, []);
  return tests;
}

/** The title of `it('…')`, `it.each(…)('…')` and the same of `describe`. */
function titleOf(call: Node): { of: 'it' | 'describe'; text: string } | undefined {
  const [first] = call.arguments as unknown[];
  const of = rootOf(call.callee);
  if (!isNode(first) || (of !== 'it' && of !== 'describe')) return undefined;
  if (first.type === 'Literal') return { of, text: nameOf(first) };
  if (first.type !== 'TemplateLiteral') return undefined;
  const words = (first.quasis as readonly { value: { raw: string } }[]).map(({ value }) => value.raw);
  return { of, text: words.join('…') };
}

function rootOf(callee: unknown): string {
  if (!isNode(callee)) return '';
  if (callee.type === 'MemberExpression') return rootOf(callee.object);
  return callee.type === 'CallExpression' ? rootOf(callee.callee) : nameOf(callee);
}

/** Rules that no test proves and that do not say why, and those that say why although a test proves them. */
export function unprovedRules(sections: readonly RuleSection[], proofs: readonly Proof[]): string[] {
  const proved = new Set(proofs.map(({ rule }) => rule));
  return sections.flatMap(({ rules }) =>
    rules.flatMap(({ id, unproved }) => {
      if (proved.has(id)) return unproved === undefined ? [] : [`${id} has a proof, but says that it has none`];
      return unproved === undefined ? [`${id} has no proof`] : [];
    }),
  );
}

/** Proofs of rules that there are not, and comments above what is no test. */
export function strayProofs(sections: readonly RuleSection[], proofs: readonly Proof[]): Finding[] {
  const known = new Set(sections.flatMap(({ rules }) => rules.map(({ id }) => id)));
  return proofs.flatMap(({ rule, path, line, test }) => [
    ...(known.has(rule) ? [] : [{ path, line, what: `proves ${rule}, which is no rule` }]),
    ...(test === '' ? [{ path, line, what: 'stands above no test' }] : []),
  ]);
}

/** docs/conformance.md. */
export function conformancePage(sections: readonly RuleSection[], proofs: readonly Proof[]): string {
  const byRule = Map.groupBy(proofs, ({ rule }) => rule);
  const rules = sections.flatMap((section) => section.rules);
  const missing = rules.filter(({ unproved }) => unproved !== undefined);
  const held = rules.length - missing.length;
  return [
    '# Conformance',
    '',
    '`npm run docs:conformance` prints this page from `test/specification/rules.ts` and the `// Proves` comments above',
    'tests. A test keeps the three equal. The page has each rule of the interface specification, in our words, with the',
    'tests that prove it.',
    '',
    `${rules.length} rules; ${held} proved, ${missing.length} not.`,
    ...sections.flatMap((section) => [
      '',
      `## ${section.title}`,
      '',
      '| Rule | What it says | Proved by |',
      '|---|---|---|',
      ...section.rules.map(({ id, says, unproved }) => {
        const shown = (byRule.get(id) ?? []).map(({ path, test }) => `[${cell(test)}](../${path})`);
        return `| \`${id}\` | ${cell(says)} | ${unproved === undefined ? shown.join('<br>') : `**Not proved.** ${cell(unproved)}`} |`;
      }),
    ]),
    '',
  ].join('\n');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/[[\]<>]/g, '\\$&');
