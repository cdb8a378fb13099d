import { describe, expect, it } from 'vitest';
import type { CodesOf, ErrorTable } from './result.ts';
import { next, refuse, type StateTable, stateTable } from './state-table.ts';

const doorErrors = {
  NOT_SHUT: { status: 409, message: 'It is open.' },
  LOCKED: { status: 409, message: 'It is locked.' },
} as const satisfies ErrorTable;

declare module './result.ts' {
  interface ErrorCodes extends CodesOf<typeof doorErrors> {}
}

const door: StateTable<'open' | 'shut' | 'locked', 'push' | 'pull' | 'lock'> = {
  open: { push: 'shut', pull: 'open', lock: refuse('NOT_SHUT') },
  shut: { push: 'shut', pull: 'open', lock: 'locked' },
  locked: { push: refuse('LOCKED'), pull: refuse('LOCKED'), lock: 'locked' },
};

const FROM = { push: ['open'], pull: ['shut'], lock: ['shut'] };

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
      refusal: { kind: 'code', code, details: { status: state, trigger: event, allowedFrom: FROM[event] } },
    });
  });

  const wrong = refuse('INVALID_TRANSITION');
  const paper = stateTable<'blank' | 'signed' | 'torn', 'sign' | 'tear' | 'copy'>(
    { thing: 'paper', done: { sign: 'signed', tear: 'torn' } },
    {
      blank: { sign: 'signed', tear: 'torn', copy: wrong },
      signed: { sign: 'signed', tear: 'torn', copy: 'signed' },
      torn: { sign: wrong, tear: wrong, copy: wrong },
    },
  );

  it.each([
    {
      state: 'torn',
      event: 'sign',
      from: ['blank'],
      says: 'This paper is torn: it cannot be signed. It can be signed only when it is blank.',
    },
    {
      state: 'torn',
      event: 'tear',
      from: ['blank', 'signed'],
      says: 'This paper is torn: it cannot be torn. It can be torn only when it is blank or signed.',
    },
    {
      state: 'blank',
      event: 'copy',
      from: ['signed'],
      says: "This paper is blank: 'copy' is not possible. 'copy' needs signed.",
    },
  ] as const)('says of $event in $state what would be needed', ({ state, event, from, says }) => {
    expect(next(paper, state, event)).toEqual({
      ok: false,
      refusal: {
        kind: 'code',
        code: 'INVALID_TRANSITION',
        message: says,
        details: { status: state, trigger: event, allowedFrom: from },
      },
    });
  });
});
