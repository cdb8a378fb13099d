import { sum, ZERO } from '../../kernel/decimal.ts';
import type { TaxBehavior } from '../../tax/index.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import type { OtherLine } from './calculation.ts';

/** A stored line that a second calculation takes as it is. */
type Kept = Pick<
  LineRow,
  'id' | 'appliesToLineId' | 'totalPrice' | 'totalTax' | 'totalAmount' | 'taxRate' | 'workings'
> &
  OtherLine['content'];

/**
 * Corrections of closed periods and credits as lines of a second calculation: with the amounts that a total of 0 left.
 * Those that take something back keep the tax that was billed, and so does what billing credits have back beside them.
 * A discount belongs to its charge, but for coupons on the minimum of a plan. These and all others are taxed with their
 * rate, as the first calculation did.
 */
export function keptLines(lines: readonly Kept[], taxBehavior: TaxBehavior): OtherLine[] {
  const quoted = ({ totalPrice, totalAmount }: Kept) => (taxBehavior === 'inclusive' ? totalAmount : totalPrice);
  const groups = Map.groupBy(lines, ({ id, appliesToLineId }) => appliesToLineId ?? id);
  const takesBack = (line: Kept): boolean =>
    sum(
      (groups.get(line.appliesToLineId ?? line.id) ?? []).map((each) =>
        quoted(each).plus(each.workings?.cut ?? each.workings?.lost ?? ZERO),
      ),
    ).lt(0);
  const isOfMinimum = ({ type, appliesToLineId: of }: Kept): boolean =>
    type === 'coupon' && groups.get(of ?? '')?.[0]?.type === 'commitment';
  return lines.map((line) => ({
    amount: quoted(line),
    taxRate: line.taxRate,
    ...(((takesBack(line) && !isOfMinimum(line)) || line.workings?.use?.onInvoiceId) && { tax: line.totalTax }),
    content: line,
  }));
}
