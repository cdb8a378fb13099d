import { livesOf, sql, type Tx } from '../../db/index.ts';
import { EventIds } from './event-id.ts';

/** The ids of the events of this database. Their key and the lives are read once: a life begins before a start. */
export const selectEventIds = (tx: Tx): Promise<EventIds> =>
  tx.constant('event ids', async () => {
    const { key } = await tx.one<{ key: Uint8Array }>(sql`select event_id_key() as key`);
    const [, ...restored] = await livesOf(tx);
    return new EventIds(
      key,
      restored.map(({ firstSeq }) => firstSeq),
    );
  });
