import { effectiveNowsForReading } from '../../clocks/index.ts';
import { withChildren } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import { byAge } from '../drafts/billing-order.ts';
import { HeldCredits } from '../drafts/held-credits.ts';
import { previewTogether } from '../drafts/preview.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectOpenSubscriptions, selectWaiting } from '../invoice/invoices.sql.ts';
import { burn } from '../owed/burn.ts';

/**
 * What open periods would take of the credits of some customers of one merchant if they ended now: of service that has
 * begun, in the order of its time. What they would give back is below 0.
 */
export async function openUses(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerIds: readonly string[],
  wall: Instant,
): Promise<(creditId: string) => Decimal> {
  if (customerIds.length === 0) return () => ZERO;
  const waiting = await selectWaiting(tx, await selectOpenSubscriptions(tx, await withChildren(tx, customerIds)));
  const invoices = [...waiting.values()].flat();
  const held = await HeldCredits.load(tx, invoices, { lock: false });
  const previews = await previewTogether(dependencies, tx, invoices, { held });
  const nowOf = await effectiveNowsForReading(
    tx,
    invoices.map(({ clockId }) => clockId),
    wall,
  );
  const uses = new Map<string, Decimal>();
  const take = (creditId: string, amount: Decimal) => uses.set(creditId, (uses.get(creditId) ?? ZERO).plus(amount));
  const begun = previews
    .toSorted((a, b) => byAge(a.terms, b.terms))
    .flatMap(({ invoice, calculation, spendings }, turn) => {
      const now = nowOf(invoice.clockId);
      for (const { workings, totalPrice, periodStart } of calculation.lines)
        if (workings?.use && !isAfter(periodStart, now)) take(workings.use.billingCreditId, totalPrice.negated());
      return spendings.filter(({ time }) => !isAfter(time.start, now)).map((spending) => ({ ...spending, turn }));
    });
  const burning = held.burning.map((credit) => ({ ...credit, left: credit.left.minus(uses.get(credit.id) ?? ZERO) }));
  const burnt = burn(
    burning,
    begun.map((spending, place) => ({ ...spending, place })),
    (creditId, place) => begun[place]?.creditIds.includes(creditId) ?? false,
  );
  for (const { creditId, amount } of burnt) take(creditId, amount);
  return (creditId) => uses.get(creditId) ?? ZERO;
}
