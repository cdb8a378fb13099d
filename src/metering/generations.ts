import type { Chore } from '../jobs/index.ts';
import { sealKeys } from './generations.sql.ts';

/** Some 20 million keys. */
const MOST_BYTES = 1_500_000_000;
const ONE_MINUTE = 60;

/**
 * Seals the active generation of keys when it has grown large, so that new keys touch few pages however many there are.
 * @param mostBytes how large the active generation may become, without its index
 */
export const keyGenerationChore = (mostBytes: number = MOST_BYTES): Chore => ({
  name: 'sealing keys of events',
  everySeconds: ONE_MINUTE,
  run: (database) =>
    database.transaction('nobody', async (tx) => {
      await sealKeys(tx, mostBytes);
    }),
});
