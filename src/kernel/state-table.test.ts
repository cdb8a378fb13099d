import { describe, expect, it } from 'vitest';
import { next, refuse, type StateTable } from './state-table.ts';

const door: StateTable<'open' | 'shut' | 'locked', 'push' | 'pull' | 'lock'> = {
  open: { push: 'shut', pull: 'open', lock: refuse('NOT_SHUT') },
  shut: { push: 'shut', pull: 'open', lock: 'locked' },
  locked: { push: refuse('LOCKED'), pull: refuse('LOCKED'), lock: 'locked' },
};

describe('a state table', () => {
  it.each([
    { state: 'open', event: 'push', to: 'shut' },
    { state: 'open', event: 'pull', to: 'open' },
    { state: 'shut', event: 'lock', to: 'locked' },
    { state: 'locked', event: 'lock', to: 'locked' },
  ] as const)('leads from $state by $event to $to', ({ state, event, to }) => {
    expect(next(door, state, event)).toEqual({ ok: true, value: to });
  });

  it.each([
    { state: 'open', event: 'lock', code: 'NOT_SHUT' },
    { state: 'locked', event: 'push', code: 'LOCKED' },
    { state: 'locked', event: 'pull', code: 'LOCKED' },
  ] as const)('refuses $event in $state with $code, naming both', ({ state, event, code }) => {
    expect(next(door, state, event)).toEqual({
      ok: false,
      refusal: { kind: 'code', code, details: { status: state, trigger: event } },
    });
  });
});
