import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { home, type SourceFile } from '../checks/project.ts';
import { isNode, type Node, parse } from '../checks/syntax.ts';

/** A part of the money core, by its subject. */
export type Area = 'rating' | 'tax' | 'time' | 'balance' | 'states' | 'ledger' | 'owners' | 'invoicing' | 'payments';

/** One change of the source. Its file and its text name it: lines move, and texts stay. */
export interface Fault {
  readonly area: Area;
  /** A path in the project. */
  readonly file: string;
  /** A text that the file has exactly once. */
  readonly before: string;
  readonly after: string;
  /** The reason why nothing observable differs. Such a fault is not tried; the list keeps it with the reason. */
  readonly equivalent?: string;
}

/** The expression of a file that a fault changes, and its changed text. */
export interface Place {
  readonly start: number;
  readonly end: number;
  readonly changed: string;
}

/** The list of faults, in its order. */
export function readFaults(): Fault[] {
  return JSON.parse(readFileSync(`${home}scripts/faults/list.json`, 'utf8')) as Fault[];
}

/** The file with a fault. @throws if the file does not have the text of the fault exactly once */
export function withFault({ path, text }: SourceFile, { before, after }: Pick<Fault, 'before' | 'after'>): SourceFile {
  const count = text.split(before).length - 1;
  if (count !== 1) throw new Error(`${path} has this text ${count} times, not once: ${before}`);
  return { path, text: text.replace(before, () => after) };
}

/**
 * The smallest expression that holds the change, so that a switch can choose between it and its changed text.
 * @throws if the fault does not apply, if the result does not parse, and if no expression holds the change
 */
export function placeOf(file: SourceFile, fault: Pick<Fault, 'before' | 'after'>): Place {
  const faulty = withFault(file, fault);
  const [start, end] = changedRange(file.text, faulty.text);
  const growth = faulty.text.length - file.text.length;
  const after = expressionsAround(programOf(faulty), start, end + growth);
  for (const node of expressionsAround(parse(file).program, start, end).toReversed()) {
    // The changed text must be an expression by itself: `b + c` is none in `a - b + c`.
    if (!after.some((each) => each.start === node.start && each.end === node.end + growth)) continue;
    const place = { start: node.start, end: node.end, changed: faulty.text.slice(node.start, node.end + growth) };
    if (parses({ ...file, text: withSwitches(file.text, [{ ...place, number: 0 }]) })) return place;
  }
  throw new Error(`No expression of ${file.path} holds this change: ${fault.before}`);
}

/** The part of the first text that differs in the second one. */
function changedRange(one: string, other: string): [start: number, end: number] {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && one[one.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  return [start, one.length - tail];
}

function programOf({ path, text }: SourceFile): Node {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path} does not parse: ${errors[0]?.message}`);
  return program as unknown as Node;
}

const parses = ({ path, text }: SourceFile): boolean => parseSync(path, text).errors.length === 0;

/** The nodes around a range that a conditional expression can replace, the outermost first. */
function expressionsAround(program: Node, start: number, end: number): Node[] {
  const found: Node[] = [];
  let next: Node | undefined = program;
  while (next) {
    const parent: Node = next;
    next = undefined;
    for (const [key, value] of Object.entries(parent)) {
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!isNode(child) || child.start > start || child.end < end) continue;
        if (/^TS.*(?:Type|Annotation|Declaration)$/.test(child.type) || key === 'typeArguments') continue;
        if (isReplaceable(child, key, parent)) found.push(child);
        next = child;
      }
    }
  }
  return found;
}

const EXPRESSION = /(?:Expression|Literal)$|^Identifier$/;
/** Keys under which no value stands, but a name or a pattern. */
const NAMES = new Set(['id', 'key', 'param', 'params', 'local', 'imported', 'exported', 'source', 'quasi', 'left']);

function isReplaceable(node: Node, key: string, parent: Node): boolean {
  if (!EXPRESSION.test(node.type)) return false;
  if (key === 'left') return /^(?:Binary|Logical)Expression$/.test(parent.type);
  if (NAMES.has(key)) return false;
  if (parent.type === 'Property' && parent.shorthand === true) return false;
  if (parent.type === 'UpdateExpression') return false;
  if (parent.type === 'MemberExpression') return key === 'object' ? isWhole(node) : parent.computed === true;
  // A method without its object has no `this`; the start of an optional chain ends where the chain does.
  if (key === 'callee') return isWhole(node) && node.type !== 'MemberExpression';
  return key !== 'tag';
}

/** Is this no part of an optional chain that goes on after it? */
const isWhole = ({ type }: Node): boolean => type !== 'MemberExpression' && type !== 'CallExpression';

/** The numbers of faults with their places, in a file. */
export interface Placed extends Place {
  readonly number: number;
}

/**
 * The text of a file with all its faults at once. Each has a switch: `globalThis.fault(number)` chooses it. Without
 * that function the program is as it was.
 */
export function withSwitches(text: string, faults: readonly Placed[]): string {
  const render = (start: number, end: number, inside: readonly Placed[]): string => {
    const outer = inside.filter(
      (each) => !inside.some((other) => other !== each && holds(other, each) && !holds(each, other)),
    );
    const places = new Map(outer.map((each) => [each.start, each]));
    let at = start;
    let rendered = '';
    for (const place of [...places.values()].toSorted((a, b) => a.start - b.start)) {
      const here = inside.filter((each) => each.start === place.start && each.end === place.end);
      const below = inside.filter((each) => holds(place, each) && !here.includes(each));
      const original = render(place.start, place.end, below);
      const switched = here.map(({ number, changed }) => `globalThis.fault?.(${number}) ? (${changed}) : `).join('');
      rendered += `${text.slice(at, place.start)}(${switched}(${original}))`;
      at = place.end;
    }
    return rendered + text.slice(at, end);
  };
  return render(0, text.length, faults);
}

const holds = (outer: Place, inner: Place): boolean => outer.start <= inner.start && inner.end <= outer.end;
