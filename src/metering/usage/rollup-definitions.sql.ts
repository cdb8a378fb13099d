import { type Sql, sql, type Tx } from '../../db/index.ts';
import type { RollupDefinition } from '../meter/rollup-definition.ts';

/** A definition by its content. */
export const contentOf = ({ kind, path, dimensions }: RollupDefinition): string =>
  JSON.stringify([kind, path, dimensions]);

export interface DefinitionRow {
  readonly id: bigint;
  readonly isReady: boolean;
}

export const selectDefinition = (tx: Tx, definition: RollupDefinition): Promise<DefinitionRow | undefined> =>
  tx.maybe<DefinitionRow>(sql`
    select id, is_ready from rollup_definition
     where merchant_id = ${tx.merchantId} and event_type = ${definition.eventType}
       and content = text_hash(${contentOf(definition)})`);

/**
 * The same, and it is not given up before the end of the transaction. During the end of a definition this waits, and
 * finds it missing.
 */
export const lockDefinitionShared = (tx: Tx, definition: RollupDefinition): Promise<DefinitionRow | undefined> =>
  tx.maybe<DefinitionRow>(sql`
    select id, is_ready from rollup_definition
     where merchant_id = ${tx.merchantId} and event_type = ${definition.eventType}
       and content = text_hash(${contentOf(definition)})
       for key share`);

/** The last event of a merchant in the order of acceptance, in the archive or not; 0 if there is none. */
export const lastSeq = (merchantId: string): Sql => sql`
  greatest((select coalesce(max(seq), 0) from event where merchant_id = ${merchantId}),
           (select coalesce(max(last_seq), 0) from event_archive where merchant_id = ${merchantId}))`;

/** The caller holds the merchant's ingest lock exclusively: the last event is the last one before the definition. */
export const insertDefinition = (tx: Tx, definition: RollupDefinition): Promise<number> =>
  tx.run(sql`
    insert into rollup_definition (merchant_id, event_type, kind, path, dimensions, content, boundary, is_ready)
    select ${tx.merchantId}, ${definition.eventType}, ${definition.kind}, ${definition.path},
      ${definition.dimensions}::text[],
      text_hash(${contentOf(definition)}),
           ${lastSeq(tx.merchantId)},
           not exists (select from event where merchant_id = ${tx.merchantId} and type = ${definition.eventType})
             and not exists (select from event_archive
                              where merchant_id = ${tx.merchantId} and types ? ${definition.eventType})
        on conflict do nothing`);

export const selectPendingDefinitions = (tx: Tx): Promise<{ merchantId: string; id: bigint; eventType: string }[]> =>
  tx.rows<{ merchantId: string; id: bigint; eventType: string }>(sql`
    select merchant_id, id, event_type from rollup_definition where not is_ready order by merchant_id, id`);

/** @returns whether there are more events to add */
export async function backfillRollups(tx: Tx, id: bigint, most: number): Promise<boolean> {
  const { hasMore } = await tx.one<{ hasMore: boolean }>(
    sql`select backfill_rollups(${tx.merchantId}, ${id}, ${most}) as has_more`,
  );
  return hasMore;
}

export async function deleteRollupsOfMerchant(tx: Tx): Promise<void> {
  await tx.run(sql`delete from usage_rollup where merchant_id = ${tx.merchantId}`);
  await tx.run(sql`delete from usage_value where merchant_id = ${tx.merchantId}`);
  await tx.run(sql`
    update rollup_definition
       set is_ready = false, done = 0, boundary = ${lastSeq(tx.merchantId)}
     where merchant_id = ${tx.merchantId}`);
}

export interface OwnedDefinition extends RollupDefinition {
  readonly merchantId: string;
  readonly id: bigint;
}

const OWNED_DEFINITION = sql`merchant_id, id, event_type, kind, path, dimensions`;

/** All definitions of the next merchants that have any, in the order of their ids. */
export const selectDefinitionsOfMerchants = (tx: Tx, after: string, merchants: number): Promise<OwnedDefinition[]> =>
  tx.rows<OwnedDefinition>(sql`
    select ${OWNED_DEFINITION} from rollup_definition
     where merchant_id in (
       select distinct merchant_id from rollup_definition where merchant_id > ${after} order by merchant_id
         limit ${merchants})
     order by merchant_id, id`);

/** Locks definitions of a merchant, in the order of their ids. @returns those that are still there */
export const lockDefinitions = (tx: Tx, ids: readonly bigint[]): Promise<OwnedDefinition[]> =>
  tx.rows<OwnedDefinition>(sql`
    select ${OWNED_DEFINITION} from rollup_definition
     where merchant_id = ${tx.merchantId} and id = any (${ids}::bigint[]) order by id for update`);

/** Nothing is added up for them any more, and their sums wait to be deleted. */
export const deleteDefinitions = (tx: Tx, ids: readonly bigint[]): Promise<number> =>
  tx.run(sql`
    with given_up as (
      delete from rollup_definition where merchant_id = ${tx.merchantId} and id = any (${ids}::bigint[])
        returning merchant_id, id)
    insert into rollup_definition_deleted (merchant_id, definition_id) select merchant_id, id from given_up`);

export const selectDeletedDefinitions = (tx: Tx): Promise<{ merchantId: string; id: bigint }[]> =>
  tx.rows<{ merchantId: string; id: bigint }>(sql`
    select merchant_id, definition_id as id from rollup_definition_deleted order by merchant_id, definition_id`);

/**
 * Deletes some of the sums of an abandoned definition. @returns whether there are more; false if another process
 * deletes them
 */
export async function deleteRollups(tx: Tx, id: bigint, most: number): Promise<boolean> {
  const isOurs = await tx.maybe(sql`
    select 1 from rollup_definition_deleted where merchant_id = ${tx.merchantId}
      and definition_id = ${id} for update skip locked`);
  if (isOurs === undefined) return false;
  const ofDefinition = sql`merchant_id = ${tx.merchantId} and definition_id = ${id}`;
  const deleted =
    (await tx.run(sql`
      delete from usage_rollup where ${ofDefinition} and (subject_id, hour, group_hash, lane) in (
        select subject_id, hour, group_hash, lane from usage_rollup where ${ofDefinition} limit ${most})`)) +
    (await tx.run(sql`
      delete from usage_value where ${ofDefinition} and (subject_id, hour, group_hash, value_hash) in (
        select subject_id, hour, group_hash, value_hash from usage_value where ${ofDefinition} limit ${most})`));
  if (deleted > 0) return true;
  await tx.run(
    sql`delete from rollup_definition_deleted where merchant_id = ${tx.merchantId} and definition_id = ${id}`,
  );
  return false;
}
