import type { Tx } from '../../db/index.ts';
import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { intersect } from '../../kernel/spans.ts';
import { earliest, type Period } from '../../kernel/time.ts';
import { justBefore } from '../owed/charges.ts';
import type { UseOfCharge } from '../terms/billing-credit.ts';
import { selectBilledItems } from './billed.sql.ts';
import { type BilledItem, leftOfBills, leftOfItem } from './billed.ts';
import { selectUsesOfCharges } from './billing-credits.sql.ts';

/**
 * The lines by which credits pay charges of some invoices, the last ones first. What the charges still owe is after the
 * corrections that stand on later invoices.
 * @param without invoices whose lines are not counted: the ones in calculation
 */
export async function usesOfCharges(
  tx: Tx,
  invoiceIds: readonly string[],
  without: readonly string[] = [],
): Promise<UseOfCharge[]> {
  const uses = await selectUsesOfCharges(tx, invoiceIds, without);
  const corrected: UseOfCharge[] = [];
  for (const [subscriptionId, own] of Map.groupBy(uses, (use) => use.subscriptionId)) {
    const bills = subscriptionId === null ? [] : await billsSince(tx, subscriptionId, own, without);
    corrected.push(...own.map((use) => ({ ...use, owed: use.owed.minus(correctedOf(use, bills)) })));
  }
  return corrected;
}

/** What credits still pay by each line, the last ones first: what later invoices gave back is off the last ones. */
export function leftOfUses(uses: readonly UseOfCharge[]): ReadonlyMap<string, Decimal> {
  const returned = new Map<string, Decimal>();
  return new Map(
    uses.map((use) => {
      const { invoiceId, subscriptionId, priceId, periodStart, periodEnd, billingCreditId } = use;
      const key = [invoiceId, subscriptionId, priceId, periodStart, periodEnd, billingCreditId].join(' ');
      const left = returned.get(key) ?? use.returned;
      const off = Decimal.max(ZERO, Decimal.min(left, use.paid));
      returned.set(key, left.minus(off));
      return [use.lineId, use.paid.minus(off)];
    }),
  );
}

async function billsSince(
  tx: Tx,
  subscriptionId: string,
  uses: readonly UseOfCharge[],
  without: readonly string[],
): Promise<BilledItem[]> {
  const invoice = { merchantId: tx.merchantId, subscriptionId, id: without[0] ?? '' };
  const since = justBefore(uses.map(({ periodStart }) => periodStart).reduce(earliest));
  return selectBilledItems(tx, invoice, since);
}

/** What later invoices took back of a charge. */
function correctedOf({ invoiceId, priceId, periodStart: start, periodEnd: end }: UseOfCharge, bills: BilledItem[]) {
  const period: Period = { start, end };
  const own = bills.filter((bill) => bill.priceId === priceId && intersect([bill.period], [period]).length > 0);
  const place = own.findIndex(
    (bill) => bill.invoiceId === invoiceId && bill.period.start.equals(start) && bill.period.end.equals(end),
  );
  const bill = own[place];
  return bill ? leftOfItem(bill).net.minus(leftOfBills(own)[place] ?? ZERO) : ZERO;
}
