import { sql, type Tx } from '../db/index.ts';

/** @returns whether the active generation was larger, and is sealed now */
export async function sealKeys(tx: Tx, mostBytes: number): Promise<boolean> {
  const { sealed } = await tx.one<{ sealed: boolean }>(sql`select seal_event_keys(${mostBytes}) as sealed`);
  return sealed;
}
