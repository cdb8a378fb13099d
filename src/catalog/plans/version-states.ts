import { refuse, stateTable } from '../../kernel/state-table.ts';

export const VERSION_STATUSES = ['draft', 'published', 'archived'] as const;
export type VersionStatus = (typeof VERSION_STATUSES)[number];

/**
 * A version becomes public once and is put away once. Asking again for the state that it is in changes nothing. An
 * archived one stays archived, because its prices may have been deleted meanwhile; the way back is a new version.
 */
export const planVersionStates = stateTable<VersionStatus, 'publish' | 'archive'>(
  { thing: 'plan version', done: { publish: 'published', archive: 'archived' } },
  {
    draft: { publish: 'published', archive: 'archived' },
    published: { publish: 'published', archive: 'archived' },
    archived: { publish: refuse('INVALID_TRANSITION'), archive: 'archived' },
  },
);
