import { SECONDS_PER_MINUTE } from '../kernel/time.ts';
import { deleteClaimsOver, releaseClaims, selectLostWorkers } from './claims.sql.ts';
import type { Chore } from './runner.ts';

/**
 * Releases the claims of processes that are gone, so that their work is due at once (decision 0195). A process counts
 * as gone when two checks in a row find it without its lock, so a broken connection has a second to come back.
 * @param own the number of this process
 */
export function lostClaimChore(own: () => number | null): Chore {
  let suspects: ReadonlySet<number> = new Set();
  return {
    name: 'taking up the work of processes that are gone',
    everySeconds: 1,
    isPrompt: true,
    run: async (database, now) => {
      const lost = await database.transaction('nobody', selectLostWorkers);
      const gone = lost.filter((worker) => suspects.has(worker) && worker !== own());
      suspects = new Set(lost);
      if (gone.length > 0) await database.transaction('nobody', (tx) => releaseClaims(tx, gone, now));
    },
  };
}

/** Deletes expired claims. */
export const forgetClaimChore: Chore = {
  name: 'forgetting claims',
  everySeconds: SECONDS_PER_MINUTE,
  run: async (database, now) => void (await database.transaction('nobody', (tx) => deleteClaimsOver(tx, now))),
};
