import { type Failure, fail } from './result.ts';

/** What a cell of a state table holds: the next state, or the refusal. */
export type Cell<State extends string> = State | { readonly refuse: string };

/** Every state has a cell for every event, so a forgotten case does not compile (style §8). */
export type StateTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Record<Event, Cell<State>>>>
>;

/** A cell that refuses with this code. */
export const refuse = (code: string): { readonly refuse: string } => ({ refuse: code });

/** The state that `event` leads to from `state`, or the cell's refusal with both named in its details. */
export function next<State extends string, Event extends string>(
  table: StateTable<State, Event>,
  state: State,
  event: Event,
): { readonly ok: true; readonly value: State } | Failure {
  const cell: Cell<State> = table[state][event];
  if (typeof cell === 'object') return fail(cell.refuse, { status: state, trigger: event });
  return { ok: true, value: cell };
}
