import type { Tx } from '../../db/index.ts';
import { type Static, Strict, Timestamp, Type } from '../../http/index.ts';
import { fail, invalidField, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, isAfter, isBefore } from '../../kernel/time.ts';
import { usagePeriodAt } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { insertReset, updateEntitlement } from '../entitlement/entitlements.sql.ts';
import { type EntitlementKey, hasEnded, lockWithNow } from '../entitlement/lock.ts';
import { forgetSince, lockBillingBefore } from '../grants/past-change.ts';
import { loadInput, templateAt } from '../inputs/inputs.ts';
import { publishResets } from './steps.ts';

export const EntitlementResetBody = Strict(
  {
    effectiveAt: Type.Optional(Timestamp),
    retainAnchor: Type.Optional(
      Type.Boolean({
        default: false,
        description: '`false`: usage periods are counted from this reset. `true`: they go on as before.',
      }),
    ),
    preserveOverage: Type.Optional(
      Type.Boolean({
        description: '`true`: usage beyond the balance is taken from the new period. Default: the one of the template.',
      }),
    ),
  },
  {
    $id: 'EntitlementReset',
    'x-fields': { effectiveAt: 'When the reset happens, in the current usage period. Default: now.' },
    examples: [{ retainAnchor: true }],
  },
);

/**
 * Ends the usage period of a metered entitlement by hand and begins a new one (api.md, Entitlements): what its usage
 * period's end would do, at an instant that is asked for. At the instant of another reset, automatic or by hand,
 * nothing happens. `wall` is wall time.
 * @returns the entitlement with its effective now; ENTITLEMENT_NOT_METERED, ENTITLEMENT_ENDED
 */
export async function resetEntitlement(
  tx: Tx,
  key: EntitlementKey,
  input: Static<typeof EntitlementResetBody>,
  wall: Instant,
): Promise<Result<{ entitlement: EntitlementRow; now: Instant }>> {
  if (input.effectiveAt !== undefined) await lockBillingBefore(tx, key);
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  if (entitlement.featureType !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  if (hasEnded(entitlement, now)) return fail('ENTITLEMENT_ENDED');
  const at = input.effectiveAt === undefined ? now : instantOf(input.effectiveAt);
  const { inputs, terms } = await loadInput(tx, { entitlement, at: now });
  const period = usagePeriodAt(inputs, now);
  const problem = timeProblem(entitlement, at, period.start, now);
  if (problem !== null) return invalidField('effectiveAt', problem);
  if (period.lastResetAt?.equals(at)) return ok({ entitlement, now }); // it has happened, as it was

  const template = templateAt(terms, at);
  const byTemplate = template.type === 'metered' && (template.preserveOverageAtReset ?? false);
  await insertReset(
    tx,
    entitlement,
    { at, retainAnchor: input.retainAnchor ?? false, preserveOverage: input.preserveOverage ?? byTemplate },
    now,
  );
  await forgetSince(tx, entitlement, at, now);
  await publishResets(tx, entitlement, [at], now);
  return ok({ entitlement: await updateEntitlement(tx, entitlement, { nextActionAt: now }, now), now });
}

/**
 * Why a reset cannot be at an instant; null where it can. What is before the current usage period has been told as it
 * was.
 */
function timeProblem({ activeFrom }: EntitlementRow, at: Instant, periodStart: Instant, now: Instant): string | null {
  if (isAfter(at, now)) return 'must not be in the future';
  if (!isAfter(at, activeFrom)) return 'must be after activeFrom: nothing was used before';
  return isBefore(at, periodStart) ? 'must not be before the current usage period' : null;
}
