import { effectiveNowForReading } from '../../clocks/index.ts';
import { findChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { previewTogether } from '../drafts/preview.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectWaiting } from '../invoice/invoices.sql.ts';
import { selectOpenSubscriptions } from './billing-credits.sql.ts';

/** Of so many customers for which one pays the open periods are looked at. */
export const MOST_CHILDREN = 1000;

/** What open periods would take of credits if they ended now: of service that has begun. */
export async function openUses(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  wall: Instant,
): Promise<(creditId: string) => Decimal> {
  const children = await findChildren(tx, customerId, MOST_CHILDREN);
  const waiting = await selectWaiting(tx, await selectOpenSubscriptions(tx, [customerId, ...children.keys()]));
  const uses = new Map<string, Decimal>();
  for (const { invoice, calculation } of await previewTogether(dependencies, tx, [...waiting.values()].flat())) {
    const now = await effectiveNowForReading(tx, invoice.clockId, wall);
    for (const { workings, totalPrice, periodStart } of calculation.lines) {
      const { billingCreditId: id } = workings?.use ?? {};
      if (id !== undefined && !isAfter(periodStart, now)) uses.set(id, (uses.get(id) ?? ZERO).minus(totalPrice));
    }
  }
  return (creditId) => uses.get(creditId) ?? ZERO;
}
