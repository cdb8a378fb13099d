import { sql, type Tx } from '../../db/index.ts';
import type { Generation, KeyTables, KeyWork, SievePart } from './generations-plan.ts';

/** @returns whether the active generation was larger, and is sealed now */
export async function sealKeys(tx: Tx, mostBytes: number): Promise<boolean> {
  const { sealed } = await tx.one<{ sealed: boolean }>(sql`select seal_event_keys(${mostBytes}) as sealed`);
  return sealed;
}

/** All sealed tables of keys, and those in construction. */
export async function selectKeyTables(tx: Tx): Promise<KeyTables> {
  const generations = await tx.rows<Generation>(sql`
    select name, bytes::float8 as bytes, key_count::float8 as key_count from event_key_generation
     order by length(name), name`);
  const parts = await tx.rows<SievePart>(sql`select name, key_count::float8 as key_count from event_key_sieve_part`);
  const underWay = await tx.rows<Pick<KeyWork, 'kind'>>(sql`select kind from event_key_work`);
  return { generations, parts, underWay: underWay.map(({ kind }) => kind) };
}

/** Does nothing if another worker has started work of this kind, or has changed its inputs. */
export const beginKeyWork = (tx: Tx, { kind, generations, parts, digits, slices }: KeyWork): Promise<number> =>
  tx.run(sql`select begin_event_key_work(${kind}, ${generations}::text[], ${parts}::text[], ${digits}, ${slices})`);

/** @returns whether a step was taken; false without work, or if another process does it */
export async function continueKeyWork(tx: Tx, kind: KeyWork['kind']): Promise<boolean> {
  const { stepped } = await tx.one<{ stepped: boolean }>(sql`select continue_event_key_work(${kind}) as stepped`);
  return stepped;
}
