import { type Comment, type EcmaScriptModule, parseSync } from 'oxc-parser';
import type { SourceFile } from './project.ts';

/** A node of the syntax tree (ESTree with TypeScript's types), as loosely as the checks look at it. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A file, parsed. */
export interface Syntax extends SourceFile {
  readonly program: Node;
  readonly module: EcmaScriptModule;
  readonly comments: readonly Comment[];
}

const parsed = new Map<string, Syntax>();

/** Reads a TypeScript or JavaScript file. @throws when it is neither. */
export function parse(file: SourceFile): Syntax {
  const known = parsed.get(file.path);
  if (known?.text === file.text) return known;
  const { program, module, comments, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new SyntaxError(`${file.path}: ${errors[0]?.message}`);
  const syntax = { ...file, program: program as unknown as Node, module, comments };
  parsed.set(file.path, syntax);
  return syntax;
}

/** Is this value a node? */
export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Visits a node and all below it. Where `visit` answers false, what is below is left out. */
export function walk(node: Node, visit: (node: Node) => unknown): void {
  if (visit(node) === false) return;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

/** Every node of a file. */
export function nodesOf(file: SourceFile): Node[] {
  const nodes: Node[] = [];
  walk(parse(file).program, (node) => nodes.push(node));
  return nodes;
}

/** The name that an identifier, a property or a key has; '' where it is computed. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node.name);
  if (node.type === 'Literal') return String(node.value);
  return '';
}

/** `a.b.c` as text; '' for anything but names with dots between them. */
export function dotted(node: unknown): string {
  if (!isNode(node)) return '';
  if (node.type === 'Identifier') return nameOf(node);
  if (node.type !== 'MemberExpression' || node.computed === true) return '';
  const object = dotted(node.object);
  return object && `${object}.${nameOf(node.property)}`;
}
