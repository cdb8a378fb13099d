import type { Tx } from '../../db/index.ts';
import { inTurns } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { type CountedLevels, isOverTime, levelsIn, unitOfTime, whenReached } from '../../metering/index.ts';
import { timelineInTurns } from '../balance/index.ts';
import type { CountedEntitlement } from '../entitlement/entitlement.ts';
import { type Loaded, loadInput } from '../inputs/inputs.ts';
import { nearestMicrosecond, scopeOf } from '../inputs/measure.ts';
import { withHolding } from '../inputs/snapshots.ts';
import type { Balance } from '../reading/balances.ts';
import { LOW_PERCENT } from './notices.ts';

/** So far ahead an instant is looked for. Then it is looked for again. */
const FAR = { hours: 24 * 31 };
/** So many changes of a level that are known ahead are read at once. */
const MOST_CHANGES = 100;

/** The usage until the next notice of a balance; null: none is left to come. */
export function untilNotice({ balance, usageInPeriod }: Pick<Balance, 'balance' | 'usageInPeriod'>): Decimal | null {
  if (!balance.gt(0)) return null;
  const low = balance.plus(usageInPeriod).times(LOW_PERCENT).div(100).minus(usageInPeriod);
  return low.gt(0) ? low : balance;
}

/**
 * When usage over time will have grown by an amount, by the events that are known. No event tells of it: it is due
 * work at this instant. Where something else happens to the balance before, that is when to look again.
 * @param amount above 0
 * @param now effective now of the entitlement
 * @returns null where the amount is never reached as it stands
 */
export async function whenUsed(
  tx: Tx,
  entitlement: CountedEntitlement,
  amount: Decimal,
  now: Instant,
): Promise<Instant | null> {
  const { activeTo } = entitlement;
  if (activeTo !== null && !isAfter(activeTo, now)) return null;
  const far = now.add(FAR);
  const loaded = await withHolding(tx, await loadInput(tx, { entitlement, at: far, snapshotUntil: now }));
  const from = nearestMicrosecond(now);
  const until = earliest(await nextChange(loaded, now, far), activeTo ?? far);
  const meters: CountedLevels[] = [];
  let known = until;
  for (const meter of loaded.meters.filter(isOverTime)) {
    const scope = isBefore(from, until) ? scopeOf(loaded, meter, { from, to: until }) : null;
    if (!scope) continue;
    const levels = await levelsIn(tx, scope, MOST_CHANGES);
    meters.push({ levels, unit: unitOfTime(meter) as bigint });
    const last = levels.at(-1);
    if (last && levels.length > MOST_CHANGES) known = earliest(known, last.at);
  }
  const reached = whenReached(meters, amount);
  if (reached && !isAfter(reached, known)) return reached;
  const goesOn = meters.some(({ levels }) => levels.at(-1)?.level.isZero() === false);
  return goesOn || isBefore(known, until) ? known : null;
}

/** The next instant at which something but usage happens to a balance; at most `far`. */
async function nextChange({ inputs, snapshot }: Loaded, now: Instant, far: Instant): Promise<Instant> {
  const state = snapshot?.kept.balance ?? null;
  const { points } = await inTurns(timelineInTurns(inputs, state, [now, far], null));
  return points.find(({ at, moment }) => moment !== null && isAfter(at, now))?.at ?? far;
}
