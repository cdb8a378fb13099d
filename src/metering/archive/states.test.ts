import { expect, it } from 'vitest';
import { next } from '../../kernel/state-table.ts';
import { type ArchiveState, archiveStates } from './states.ts';

type Trigger = keyof (typeof archiveStates)['here'];

/** What is not listed is refused. */
const expected: Record<ArchiveState, Partial<Record<Trigger, ArchiveState>>> = {
  writing: { prove: 'here' },
  here: { release: 'leaving', bringBack: 'here' },
  leaving: { remove: 'away', bringBack: 'here' },
  away: { bringBack: 'here' },
};

it.each(Object.keys(expected) as ArchiveState[])('a part that is %s', (state) => {
  for (const trigger of ['prove', 'release', 'remove', 'bringBack'] as const) {
    const to = expected[state][trigger];
    expect(next(archiveStates, state, trigger)).toMatchObject(to === undefined ? { ok: false } : { value: to });
  }
});
