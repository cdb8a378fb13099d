import { type Finding, isProgram, lineAt, type SourceFile } from './project.ts';
import { isDomain } from './purity.ts';
import { dotted, isNode, type Node, nameOf, parse, walk } from './syntax.ts';

const MONEY_WORDS = new Set(
  'amount price cost fee charge total subtotal balance quantity tax discount credit usage overage proration'.split(' '),
);

/**
 * Does a name promise money, credits or usage? The last word decides: `unitPrices` does, `lateUsageDays` counts days.
 * `MOST_PRICES` says how many there may be.
 */
export function isMoneyName(name: string): boolean {
  const words = name.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase().replace(/s$/, ''));
  if (/^(?:most|max|min|count|number)$/.test(words[0] ?? '')) return false;
  const last = words.at(-1) ?? '';
  return MONEY_WORDS.has(last) || (last === 'rate' && words.at(-2) === 'tax');
}

/**
 * Money, credits or usage that a domain keeps in a `number`: by its type, by a number it begins with, or by a
 * conversion.
 */
export function moneyInNumbers(files: readonly SourceFile[]): Finding[] {
  return files.filter(isDomain).flatMap((file) => {
    const found: Finding[] = [];
    const say = (node: Node, what: string) =>
      found.push({ path: file.path, line: lineAt(file.text, node.start), what });
    const look = (node: Node): void => {
      for (const [name, type] of namesWithTypes(node)) {
        if (isMoneyName(name) && holdsNumber(type) && !isCountOfRows(node, name)) say(node, `${name} is a number`);
      }
      const begun = nameWithValue(node);
      if (begun && isMoneyName(begun.name) && isNumeric(begun.value) && !isCountOfRows(node, begun.name))
        say(node, `${begun.name} begins as a number`);
      if (isConversion(node)) say(node, `turns ${moneyNameIn(node)} into a number`);
      if (node.type === 'CallExpression' && nameOf((node.callee as Node).property) === 'toNumber')
        say(node, 'calls toNumber()');
    };
    walk(parse(file).program, (node) => {
      // The total of a page counts its rows, and that of a progress what is to be done; each is looked at with them.
      hideCounts(node);
      look(node);
    });
    return found;
  });
}

const counts = new WeakSet<Node>();

function hideCounts(node: Node): void {
  if (!['TSTypeLiteral', 'TSInterfaceBody', 'ObjectExpression'].includes(node.type)) return;
  const members = (node.members ?? node.body ?? node.properties) as readonly Node[];
  const names = members.map((member) => nameOf(member.key));
  if (!['rows', 'data', 'offset', 'done'].some((name) => names.includes(name))) return;
  for (const member of members) if (nameOf(member.key) === 'total') counts.add(member);
}

const isCountOfRows = (node: Node, name: string): boolean => name === 'total' && counts.has(node);

/** The names that a node declares, each with the type that is written beside it. */
function namesWithTypes(node: Node): [string, unknown][] {
  switch (node.type) {
    case 'TSPropertySignature':
    case 'PropertyDefinition':
      return [[nameOf(node.key), node.typeAnnotation]];
    case 'Identifier':
      return node.typeAnnotation ? [[nameOf(node), node.typeAnnotation]] : [];
    case 'FunctionDeclaration':
      return [[nameOf(node.id), node.returnType]];
    case 'VariableDeclarator':
      return isNode(node.init) ? [[nameOf(node.id), node.init.returnType]] : [];
    case 'MethodDefinition':
      return [[nameOf(node.key), (node.value as Node).returnType]];
    default:
      return [];
  }
}

/**
 * Is `number` in this type, itself, in a union, in a list or in a map? What an object or a function has within is its
 * own.
 */
function holdsNumber(type: unknown): boolean {
  if (!isNode(type)) return false;
  let found = false;
  walk(type, (node) => {
    if (node.type === 'TSNumberKeyword') found = true;
    return node.type !== 'TSTypeLiteral' && node.type !== 'TSFunctionType';
  });
  return found;
}

function nameWithValue(node: Node): { name: string; value: unknown } | null {
  if (node.type === 'VariableDeclarator') return { name: nameOf(node.id), value: node.init };
  if (node.type === 'AssignmentPattern') return { name: nameOf(node.left), value: node.right };
  if (node.type === 'PropertyDefinition') return { name: nameOf(node.key), value: node.value };
  // A plain number in an object may be anything's place in an order; a schema says what is read.
  if (node.type === 'Property' && !isLiteral(node.value)) return { name: nameOf(node.key), value: node.value };
  return null;
}

const isLiteral = (value: unknown): boolean => isNode(value) && value.type === 'Literal';

/** A number as it is written, or a schema that reads one. */
function isNumeric(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (isLiteral(value)) return typeof value.value === 'number';
  return value.type === 'CallExpression' && ['Type.Number', 'Type.Integer'].includes(dotted(value.callee));
}

const CONVERSIONS = /^(?:Number|parseFloat|parseInt|Number\.parse\w+|Math\.\w+)$/;

function isConversion(node: Node): boolean {
  const converts =
    (node.type === 'CallExpression' && CONVERSIONS.test(dotted(node.callee))) ||
    (node.type === 'UnaryExpression' && node.operator === '+');
  return converts && moneyNameIn(node) !== '';
}

/** What is asked of an amount here is no amount itself. */
const FACTS = new Set(['decimalPlaces', 'precision', 'comparedTo', 'length']);

function moneyNameIn(node: Node): string {
  let name = '';
  walk(node, (inner) => {
    if (inner.type === 'MemberExpression' && FACTS.has(nameOf(inner.property))) return false;
    if (inner.type === 'Identifier' && isMoneyName(nameOf(inner))) name ||= nameOf(inner);
    return true;
  });
  return name;
}

/**
 * Files beside the kernel's that load the decimal library, which as it comes rounds silently; and any use of
 * parseFloat.
 */
export function waysAroundDecimal(files: readonly SourceFile[]): Finding[] {
  const code = files.filter(({ path }) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  return code.flatMap((file) => {
    const { module, program } = parse(file);
    const found: Finding[] = [];
    for (const { moduleRequest } of module.staticImports) {
      if (!moduleRequest.value.startsWith('decimal.js') || file.path === 'src/kernel/decimal.ts') continue;
      found.push({ path: file.path, line: lineAt(file.text, moduleRequest.start), what: 'imports decimal.js itself' });
    }
    if (!isProgram(file)) return found;
    walk(program, (node) => {
      if (node.type !== 'CallExpression' || !/^(?:Number\.)?parseFloat$/.test(dotted(node.callee))) return;
      found.push({ path: file.path, line: lineAt(file.text, node.start), what: 'calls parseFloat' });
    });
    return found;
  });
}
