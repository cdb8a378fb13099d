import type { SourceFile } from '../checks/project.ts';
import { dotted, isNode, type Node, nameOf, parse } from '../checks/syntax.ts';
import type { Fault } from './fault.ts';

/** A change of one node: its text afterwards. */
type Change = (node: Node, text: (part: unknown) => string) => readonly string[];

const OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

const NAMES: Readonly<Record<string, string>> = {
  plus: 'minus',
  minus: 'plus',
  times: 'div',
  div: 'times',
  gt: 'gte',
  gte: 'gt',
  lt: 'lte',
  lte: 'lt',
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  every: 'some',
  some: 'every',
  find: 'findLast',
  findLast: 'find',
  isBefore: 'isAfter',
  isAfter: 'isBefore',
  earliest: 'latest',
  latest: 'earliest',
  toSorted: 'slice',
};

const changed = (node: Node, from: number, to: number, by: string, text: (part: unknown) => string): string =>
  text(node).slice(0, from - node.start) + by + text(node).slice(to - node.start);

/** The changes of each kind of node. */
const CHANGES: Readonly<Record<string, Change>> = {
  BinaryExpression: (node, text) => otherOperator(node, text),
  LogicalExpression: (node, text) => otherOperator(node, text),
  ConditionalExpression: ({ test, consequent, alternate }, text) => [
    `${text(test)} ? ${text(alternate)} : ${text(consequent)}`,
  ],
  UnaryExpression: (node, text) => (node.operator === '!' ? [text(node.argument)] : []),
  CallExpression: (node, text) => {
    const callee = node.callee as Node;
    const name = callee.type === 'MemberExpression' ? (callee.property as Node) : callee;
    const isOurs = name.type !== 'PrivateIdentifier' && Object.hasOwn(NAMES, nameOf(name));
    const args = node.arguments as readonly Node[];
    return [
      ...(isOurs ? [changed(node, name.start, name.end, NAMES[nameOf(name)] as string, text)] : []),
      ...(['negated', 'filter', 'abs'].includes(nameOf(name)) ? [text(callee.object)] : []),
      ...(args.length === 2 && /^is(?:Before|After)$/.test(nameOf(name))
        ? [`${nameOf(name)}(${text(args[1])}, ${text(args[0])})`]
        : []),
    ];
  },
  Literal: ({ value }) => {
    if (typeof value === 'number') return [String(value + 1)];
    if (typeof value === 'bigint') return [`${value + 1n}n`];
    return typeof value === 'boolean' ? [String(!value)] : [];
  },
  IfStatement: (node, text) => {
    const test = node.test as Node;
    return [changed(node, test.start, test.end, 'false', text)];
  },
};

function otherOperator(node: Node, text: (part: unknown) => string): string[] {
  const by = OPERATORS[String(node.operator)];
  const [left, right] = [node.left as Node, node.right as Node];
  const isText = [left, right].some(
    ({ type, value }) => type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string'),
  );
  if (!by || (isText && by === '-')) return [];
  const between = text(node).slice(left.end - node.start, right.start - node.start);
  return [text(left) + between.replace(String(node.operator), by) + text(right)];
}

/** Calls that describe a schema, a message or a log: a change in them is no fault of the calculation. */
const WORDS = /^(?:Type\.|Text$|Price$|Rate|invalid|new |log\.|Object\.freeze$)/;

/** The changes of a file that could be faults. Deterministic: in the order of the text, one for each change. */
export function candidatesIn(file: SourceFile): Omit<Fault, 'area'>[] {
  const found: Omit<Fault, 'area'>[] = [];
  const text = (part: unknown) => (isNode(part) ? file.text.slice(part.start, part.end) : '');
  const visit = (node: Node): void => {
    if (node.type.startsWith('TS') && !node.type.endsWith('Expression')) return;
    if (['ThrowStatement', 'NewExpression', 'ImportDeclaration'].includes(node.type)) return;
    if (node.type === 'CallExpression' && WORDS.test(dotted(node.callee))) return;
    for (const after of CHANGES[node.type]?.(node, text) ?? []) {
      const fault = unique(file.text, node, after);
      if (fault) found.push({ file: file.path, ...fault });
    }
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
  };
  visit(parse(file).program);
  return found;
}

const SHORTEST = 16;
const LONGEST = 400;

/** The change with as much text around it as makes it the only one in the file; null if that is very much. */
function unique(text: string, { start, end }: Node, after: string): Pick<Fault, 'before' | 'after'> | null {
  let from = start;
  let to = end;
  const isEnough = () =>
    to - from >= SHORTEST && text.indexOf(text.slice(from, to)) === text.lastIndexOf(text.slice(from, to));
  while (!isEnough()) {
    const [lineStart, lineEnd] = [text.lastIndexOf('\n', from - 1) + 1, text.indexOf('\n', to)];
    const bare = lineStart + (/\S/.exec(text.slice(lineStart))?.index ?? 0);
    if (from > bare) from = bare;
    else if (to < lineEnd) to = lineEnd;
    else if (from > 0) from = text.lastIndexOf('\n', lineStart - 2) + 1;
    else return null;
    if (to - from > LONGEST) return null;
  }
  return { before: text.slice(from, to), after: text.slice(from, start) + after + text.slice(end, to) };
}
