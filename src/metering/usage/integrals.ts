import type { Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isBefore } from '../../kernel/time.ts';
import { rollupDefinitionOf } from '../meter/rollup-definition.ts';
import type { UsageScope } from '../meter/usage-request.ts';
import { type LevelRow, selectIntegrals } from './over-time.sql.ts';
import { intervalsOf } from './usage.sql.ts';

/** A question about the levels of a meter over time. */
type OfLevels = Pick<UsageScope, 'merchantId' | 'meter' | 'sources' | 'from' | 'to'>;

/** The integrals of the levels from the start of a question to some instants in it, in units × microseconds. */
export async function integralsUpTo(tx: Tx, of: OfLevels, instants: readonly Instant[]): Promise<Decimal[]> {
  if (intervalsOf(of).length === 0) return instants.map(() => ZERO);
  const rows = await levelRows(tx, of, instants, 0);
  const found = new Map(rows.map(({ at, integral }) => [at, integral]));
  return instants.map((at) => found.get(at.epochNanoseconds / 1000n) as Decimal);
}

/** The sum of the levels of a meter from an instant on. */
export interface LevelFrom {
  readonly at: Instant;
  readonly level: Decimal;
}

/**
 * The sum of the levels at the start of a question, and its first changes until the end, by the events that are known.
 * @param most so many changes at most
 */
export async function levelsIn(tx: Tx, of: OfLevels, most: number): Promise<LevelFrom[]> {
  if (intervalsOf(of).length === 0) return [{ at: of.from, level: ZERO }];
  const rows = await levelRows(tx, of, [of.from], most);
  return rows
    .map(({ at, level }) => ({ at: Temporal.Instant.fromEpochNanoseconds(at * 1000n), level }))
    .filter(({ at }) => isBefore(at, of.to));
}

/** Earlier levels come from roll-ups where they hold all events, all others from the events. */
async function levelRows(tx: Tx, of: OfLevels, instants: readonly Instant[], changes: number): Promise<LevelRow[]> {
  const definition = rollupDefinitionOf(of.meter);
  const rows = await tx.rows<LevelRow>(selectIntegrals(of, instants, definition, changes));
  if (definition === null || rows.every(({ isComplete }) => isComplete)) return rows;
  return tx.rows<LevelRow>(selectIntegrals(of, instants, null, changes));
}
