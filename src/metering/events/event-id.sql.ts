import { sql, type Tx } from '../../db/index.ts';
import { EventIds } from './event-id.ts';

/** The ids of the events of this database. Their key is read once. */
export const selectEventIds = (tx: Tx): Promise<EventIds> =>
  tx.constant('event ids', async () => {
    const { key } = await tx.one<{ key: Uint8Array }>(sql`select event_id_key() as key`);
    return new EventIds(key);
  });
