import { refuse, stateTable } from '../../kernel/state-table.ts';

/** Where the events of a part of the archive are; see `event_archive` in migrations/0220_metering_archive.sql. */
export type ArchiveState = 'writing' | 'here' | 'leaving' | 'away';

const wrong = refuse('INVALID_TRANSITION');

/**
 * `prove`: the file was read back, and has the events. `release`: nobody has used them for a while. `remove`: the
 * partition is dropped. `bringBack`: somebody wants to read them.
 */
export const archiveStates = stateTable<ArchiveState, 'prove' | 'release' | 'remove' | 'bringBack'>(
  { thing: 'part of the archive', done: { release: 'released', remove: 'removed', bringBack: 'brought back' } },
  {
    writing: { prove: 'here', release: wrong, remove: wrong, bringBack: wrong },
    here: { prove: wrong, release: 'leaving', remove: wrong, bringBack: 'here' },
    leaving: { prove: wrong, release: wrong, remove: 'away', bringBack: 'here' },
    away: { prove: wrong, release: wrong, remove: wrong, bringBack: 'here' },
  },
);
