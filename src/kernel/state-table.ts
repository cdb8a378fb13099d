import { type ErrorCode, type Failure, fail } from './result.ts';

/** A cell of a state table: the next state, or the refusal. */
export type Cell<State extends string> = State | { readonly refuse: ErrorCode };

/** Every state has a cell for every event, so a forgotten case does not compile. */
export type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Record<Event, Cell<State>>>>
>;

/** A cell that refuses with this code. */
export const refuse = (code: ErrorCode): { readonly refuse: ErrorCode } => ({ refuse: code });

/** The words of a refusal for a thing and an attempted action: `invoice`, `approved`. */
export interface StateWords<Event extends string> {
  readonly thing: string;
  readonly done: Readonly<Partial<Record<Event, string>>>;
}

const wordsOf = new WeakMap<object, StateWords<string>>();

/** A state table whose refusals describe the attempted action in words. */
export function stateTable<State extends string, Event extends string>(
  words: StateWords<Event>,
  table: StateTable<State, Event>,
): StateTable<State, Event> {
  wordsOf.set(table, words as StateWords<string>);
  return table;
}

/**
 * The state that `event` leads to from `state`, or the cell's refusal; its details say from which states it leads
 * anywhere.
 */
export function next<State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event,
): { readonly ok: true; readonly value: State } | Failure {
  const cell: Cell<State> = table[state][event];
  if (typeof cell !== 'object') return { ok: true, value: cell };
  const { thing = 'resource', done = {} } = wordsOf.get(table) ?? {};
  const found = { status: state, trigger: event, allowedFrom: statesFor(table, event) };
  if (cell.refuse !== 'INVALID_TRANSITION') return fail(cell.refuse, found);
  return wrongState({ thing, done: done[event] ?? null, ...found });
}

/** The states from which an event leads to another; where there are none, those that it keeps. */
export function statesFor<State extends string, Event extends string>(
  table: StateTable<State, Event>,
  event: Event,
): State[] {
  const allowed = (Object.keys(table) as State[]).filter((state) => typeof table[state][event] === 'string');
  const leaving = allowed.filter((state) => table[state][event] !== state);
  return leaving.length > 0 ? leaving : allowed;
}

/** An attempted action in a state that does not allow it. */
export interface WrongState {
  readonly thing: string;
  readonly status: string;
  readonly trigger: string;
  readonly allowedFrom: readonly string[];
  /** Its participle: `approved`. Null: the message names the trigger. */
  readonly done: string | null;
}

/** The refusal of an action in the wrong state. Its message has the state, the action, and the states that allow it. */
export function wrongState(
  { thing, status, trigger, allowedFrom, done }: WrongState,
  more: { readonly why?: string; readonly details?: Readonly<Record<string, unknown>> } = {},
): Failure {
  const refused = done === null ? `'${trigger}' is not possible` : `it cannot be ${done}`;
  const first = `This ${thing} is ${status}: ${refused}.`;
  const states = listed(allowedFrom);
  const second = done === null ? `'${trigger}' needs ${states}.` : `It can be ${done} only when it is ${states}.`;
  const usual = allowedFrom.length === 0 ? first : `${first} ${second}`;
  return fail('INVALID_TRANSITION', { status, trigger, allowedFrom, ...more.details }, more.why ?? usual);
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
