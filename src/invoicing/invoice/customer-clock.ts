import { checkTestClockAllowed, findClock } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { InvoicingDependencies } from './dependencies.ts';

/**
 * The clock of what is made for a customer and names no subscription (commercial.md §3): the named one, else the one
 * clock of all the customer's subscriptions, else none.
 * @returns 400 in production, 403 or 404 of the named clock
 */
export async function clockForCustomer(
  { environment, source }: Pick<InvoicingDependencies, 'environment' | 'source'>,
  tx: Tx,
  customerId: string,
  named: string | null | undefined,
): Promise<Result<string | null>> {
  if (named == null) return ok(await source.clockOf(tx, customerId));
  const allowed = checkTestClockAllowed(environment);
  if (!allowed.ok) return allowed;
  const clock = await findClock(tx, named);
  return clock.ok ? ok(clock.value.id) : clock;
}
