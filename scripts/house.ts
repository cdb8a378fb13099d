import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Node, parse, walk } from './checks/syntax.ts';

/**
 * Measures of the source: lines by kind, parameters, casts, identical types, names that a domain offers. Prints a table
 * for `docs/house.md`. Words are folders of projects, for one column each: `node scripts/house.ts ../before .`
 */
const MOST_PARAMETERS = 4;
const LONG_FILE = 500;

interface Measured {
  readonly path: string;
  readonly text: string;
}

function filesIn(root: string, folder: string): Measured[] {
  return readdirSync(resolve(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(root, path);
    return [{ path, text: readFileSync(resolve(root, path), 'utf8') }];
  });
}

const linesOf = (files: readonly Measured[]): number =>
  files.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);

/** Nodes that have parameters of their own. */
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

function countNodes(files: readonly Measured[], isCounted: (node: Node) => boolean): number {
  let count = 0;
  for (const file of files)
    walk(parse(file).program, (node) => {
      if (isCounted(node)) count += 1;
    });
  return count;
}

const hasMany = (node: Node): boolean =>
  FUNCTIONS.has(node.type) && Array.isArray(node.params) && node.params.length > MOST_PARAMETERS;

/** Also `as never`; not `as const`, which says nothing that the compiler does not know. */
function isCast(node: Node): boolean {
  const { typeName } = (node.typeAnnotation ?? {}) as { typeName?: { name?: string } };
  return node.type === 'TSAsExpression' && typeName?.name !== 'const';
}

/** How many interfaces say the same fields, in the same words, as one in another file. */
function identicalTypes(files: readonly Measured[]): number {
  const places = new Map<string, Set<string>>();
  for (const file of files)
    walk(parse(file).program, (node) => {
      if (node.type !== 'TSInterfaceDeclaration') return;
      const { start, end } = node.body as Node;
      const body = file.text
        .slice(start, end)
        .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
        .replace(/\s+/g, ' ');
      if (body.split(';').length > 3) places.set(body, (places.get(body) ?? new Set()).add(file.path));
    });
  return [...places.values()].filter(({ size }) => size > 1).length;
}

const namesOffered = ({ text }: Measured): number =>
  [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].reduce(
    (sum, [, names]) => sum + (names?.split(',').filter((name) => name.trim() !== '').length ?? 0),
    0,
  );

const isProgram = ({ path }: Measured): boolean =>
  path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.d.ts') && !path.includes('/testing/');

/** The measures of a project, by their names. */
function measure(root: string): Map<string, number> {
  const all = filesIn(root, 'src');
  const program = all.filter(isProgram);
  const kindOf = (kind: RegExp) => linesOf(program.filter(({ path }) => kind.test(path)));
  const indexOf = (domain: string) => program.find(({ path }) => path === `src/${domain}/index.ts`);
  return new Map([
    ['lines of the program (`src`, TypeScript without tests)', linesOf(program)],
    ['… SQL in `*.sql.ts`', kindOf(/\.sql\.ts$/)],
    ['… routes', kindOf(/routes?\.ts$/)],
    ['… schemas', kindOf(/schemas?\.ts$/)],
    ['… words of pages, papers and mails', kindOf(/words/)],
    ['lines of migrations', linesOf(filesIn(root, 'migrations').filter(({ path }) => path.endsWith('.sql')))],
    ['lines of tests in `src`', linesOf(all.filter(({ path }) => path.endsWith('.test.ts')))],
    ['lines of `test`', linesOf(filesIn(root, 'test').filter(({ path }) => path.endsWith('.ts')))],
    [`files above ${LONG_FILE} lines`, program.filter((file) => linesOf([file]) > LONG_FILE).length],
    [`functions with more than ${MOST_PARAMETERS} parameters`, countNodes(program, hasMany)],
    ['casts', countNodes(program, isCast)],
    ['types that stand in two files', identicalTypes(program)],
    ...['invoicing', 'catalog', 'subscriptions', 'entitlements', 'payments'].map((domain): [string, number] => {
      const index = indexOf(domain);
      return [`names that \`${domain}\` offers`, index ? namesOffered(index) : 0];
    }),
  ]);
}

const roots = process.argv.slice(2);
const columns = (roots.length === 0 ? ['.'] : roots).map(measure);
const [first] = columns;
for (const name of first?.keys() ?? [])
  console.log(`| ${name} | ${columns.map((column) => (column.get(name) ?? 0).toLocaleString('en')).join(' | ')} |`);
