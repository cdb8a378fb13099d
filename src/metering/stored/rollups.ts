import type { Database, Tx } from '../../db/index.ts';
import type { Chore } from '../../jobs/index.ts';
import { SECONDS_PER_MINUTE } from '../../kernel/time.ts';
import { selectAtHand } from '../events/at-hand.sql.ts';
import { lockIngest } from '../intake/lock.sql.ts';
import { rollupDefinitionOf, unreadDefinitions } from '../meter/rollup-definition.ts';
import {
  backfillRollups,
  deleteDefinitions,
  deleteRollups,
  deleteRollupsOfMerchant,
  insertDefinition,
  lockDefinitionShared,
  lockDefinitions,
  type OwnedDefinition,
  selectDefinitionsOfMerchants,
  selectDeletedDefinitions,
  selectPendingDefinitions,
} from '../usage/rollup-definitions.sql.ts';
import type { MeterRegistry } from './events.ts';

/**
 * Has what a meter counts rolled up from now on. Called in the transaction that makes a metric or a cost, or changes
 * what it measures. Nobody is accepting events of the merchant then, so each event is either before it, and added by
 * `backfillChore`, or after it. What was rolled up before stays for whoever shares it; else `unreadDefinitionsChore`
 * gives it up.
 */
export async function registerMeter(tx: Tx, meter: Parameters<typeof rollupDefinitionOf>[0]): Promise<void> {
  const definition = rollupDefinitionOf(meter);
  if (definition === null || (await lockDefinitionShared(tx, definition))) return;
  await lockIngest(tx, 'exclusive');
  await insertDefinition(tx, definition);
}

/**
 * Forgets all that was rolled up of a merchant; it is added up from the events again, which stay the truth. Until then,
 * questions read them.
 */
export async function rebuildRollups(tx: Tx): Promise<void> {
  await lockIngest(tx, 'exclusive');
  await deleteRollupsOfMerchant(tx);
}

const EVENTS_AT_ONCE = 5_000;

/**
 * Adds up the events that were there before their meter, some thousands in a transaction; several may do it at once.
 * Those of its type in the archive are brought back before.
 */
export const backfillChore: Chore = {
  name: 'adding up earlier events of new meters',
  everySeconds: 5,
  run: async (database) => {
    const pending = await database.transaction('every merchant, reading', selectPendingDefinitions);
    for (const { merchantId, id, eventType: type } of pending) {
      let hasMore = true;
      while (hasMore)
        hasMore = await database.transaction({ merchants: [merchantId] }, async (tx) => {
          await selectAtHand(tx, { merchantId, type });
          return backfillRollups(tx, id, EVENTS_AT_ONCE);
        });
    }
  },
};

const MERCHANTS_AT_ONCE = 200;
const ROWS_AT_ONCE = 10_000;

/**
 * Gives up definitions that no meter reads any more, because it was changed or deleted, and deletes what was added up
 * for them: some merchants at a time, one after the other, and then again.
 * @param metersOf the meters that there are
 */
export function unreadDefinitionsChore(metersOf: MeterRegistry, merchantsAtOnce = MERCHANTS_AT_ONCE): Chore {
  let after = '';
  return {
    name: 'giving up roll-ups that no meter reads',
    everySeconds: SECONDS_PER_MINUTE,
    run: async (database) => {
      const { unread, last } = await database.transaction('every merchant, reading', async (tx) => {
        const ofMerchants = Map.groupBy(
          await selectDefinitionsOfMerchants(tx, after, merchantsAtOnce),
          (each) => each.merchantId,
        );
        const found: OwnedDefinition[] = [];
        for (const [merchantId, definitions] of ofMerchants)
          found.push(
            ...unreadDefinitions(
              definitions,
              (await metersOf(tx, merchantId)).map(({ meter }) => meter),
            ),
          );
        return { unread: found, last: [...ofMerchants.keys()].at(-1) };
      });
      after = last ?? '';
      for (const [merchantId, definitions] of Map.groupBy(unread, (each) => each.merchantId))
        await database.transaction({ merchants: [merchantId] }, (tx) => giveUpUnread(tx, definitions, metersOf));
      await deleteGivenUp(database);
    },
  };
}

/**
 * Nobody is accepting events of the merchant then, so nobody adds to them later. Whoever makes a meter meanwhile that
 * reads one of them holds it (`registerMeter`), or waits for us and makes it anew.
 */
async function giveUpUnread(tx: Tx, suspects: readonly OwnedDefinition[], metersOf: MeterRegistry): Promise<void> {
  await lockIngest(tx, 'exclusive');
  const locked = await lockDefinitions(
    tx,
    suspects.map(({ id }) => id),
  );
  const meters = await metersOf(tx, tx.merchantId);
  const unread = unreadDefinitions(
    locked,
    meters.map(({ meter }) => meter),
  );
  await deleteDefinitions(
    tx,
    unread.map(({ id }) => id),
  );
}

async function deleteGivenUp(database: Database): Promise<void> {
  for (const { merchantId, id } of await database.transaction('every merchant, reading', selectDeletedDefinitions)) {
    let hasMore = true;
    while (hasMore)
      hasMore = await database.transaction({ merchants: [merchantId] }, (tx) => deleteRollups(tx, id, ROWS_AT_ONCE));
  }
}
