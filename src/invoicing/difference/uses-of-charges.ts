import type { Tx } from '../../db/index.ts';
import { Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { allocate } from '../../kernel/money.ts';
import { intersect } from '../../kernel/spans.ts';
import { earliest, type Instant } from '../../kernel/time.ts';
import { justBefore } from '../owed/charges.ts';
import type { UseOfCharge } from '../terms/billing-credit.ts';
import { selectBilledItems } from './billed.sql.ts';
import {
  type AmountWithTax,
  type Behavior,
  type BilledItem,
  leftOfBills,
  leftOfItem,
  less,
  quoted,
  sumWithTax,
} from './billed.ts';
import { selectUsesOfCharges } from './billing-credits.sql.ts';

/** A credit of a charge that is not stored. */
interface ComingCredit {
  readonly invoiceId: string;
  readonly priceId: string | null;
  readonly chargedFrom: Instant;
  readonly chargedTo: Instant;
  /** Before tax. */
  readonly amount: Decimal;
  readonly taxAmount: Decimal;
}

/**
 * The lines by which credits pay charges of some invoices, the last ones first. What the charges still owe is after the
 * corrections that stand on later invoices, and after the coupons of whole periods.
 * @param without invoices whose lines are not counted: the ones in calculation
 * @param coming credits that take something of what the charges owe, and are not stored
 */
export async function usesOfCharges(
  tx: Tx,
  invoiceIds: readonly string[],
  without: readonly string[] = [],
  coming: readonly ComingCredit[] = [],
): Promise<UseOfCharge[]> {
  const uses = await selectUsesOfCharges(tx, invoiceIds, without);
  const corrected: UseOfCharge[] = [];
  for (const [subscriptionId, own] of Map.groupBy(uses, (use) => use.subscriptionId)) {
    const bills = subscriptionId === null ? [] : await billsSince(tx, subscriptionId, own, without);
    const coupons = couponsOfPeriods(bills, coming, own[0]?.taxBehavior ?? 'exclusive');
    corrected.push(
      ...own.map((use) => {
        const bill = billOf(use, bills);
        const off = bill ? comingOf(bill, coming).net.plus(coupons.get(bill) ?? ZERO) : ZERO;
        return { ...use, owed: use.owed.minus(correctedOf(use, bills)).minus(off) };
      }),
    );
  }
  return corrected;
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
function correctedOf(use: UseOfCharge, bills: readonly BilledItem[]): Decimal {
  const bill = billOf(use, bills);
  if (!bill) return ZERO;
  const { priceId, period } = bill;
  const own = bills.filter((each) => each.priceId === priceId && intersect([each.period], [period]).length > 0);
  return leftOfItem(bill).net.minus(leftOfBills(own)[own.indexOf(bill)] ?? ZERO);
}

const billOf = (
  {
    invoiceId,
    priceId,
    periodStart,
    periodEnd,
  }: Pick<UseOfCharge, 'invoiceId' | 'priceId' | 'periodStart' | 'periodEnd'>,
  bills: readonly BilledItem[],
): BilledItem | undefined =>
  bills.find(
    (bill) =>
      bill.redemptionId === undefined &&
      bill.invoiceId === invoiceId &&
      bill.priceId === priceId &&
      bill.period.start.equals(periodStart) &&
      bill.period.end.equals(periodEnd),
  );

const comingOf = (
  { invoiceId, priceId, period: { start, end } }: BilledItem,
  coming: readonly ComingCredit[],
): AmountWithTax =>
  sumWithTax(
    coming
      .filter(
        (credit) =>
          credit.invoiceId === invoiceId &&
          credit.priceId === priceId &&
          credit.chargedFrom.equals(start) &&
          credit.chargedTo.equals(end),
      )
      .map(({ amount: net, taxAmount: tax }) => ({ net, tax })),
  );

/**
 * What the coupons of whole periods take of charges as they are now: what each took of a period, in proportion to what
 * is left of the charges under which it stands, and never more than that; nothing where these no longer come to its
 * `minimumAmount`.
 */
function couponsOfPeriods(
  bills: readonly BilledItem[],
  coming: readonly ComingCredit[],
  behavior: Behavior,
): ReadonlyMap<BilledItem, Decimal> {
  const taken = new Map<BilledItem, Decimal>();
  const ofPeriods = bills.filter(({ redemptionId }) => redemptionId !== undefined);
  const leftOf = (bill: BilledItem): AmountWithTax => less(leftOfItem(bill), comingOf(bill, coming));
  const beforeCoupons = (bill: BilledItem): Decimal =>
    quoted(less(leftOf(bill), sumWithTax(bill.lines.filter(({ type }) => type === 'coupon'))), behavior);
  const groups = Map.groupBy(ofPeriods, ({ redemptionId, period }) => `${redemptionId} ${period.start}`);
  for (const coupons of groups.values()) {
    const under = [...new Set(coupons.flatMap(({ lines }) => lines.flatMap((line) => billOf(line, bills) ?? [])))];
    const { workings, currency = '' } = coupons[0]?.lines[0] ?? {};
    const { minimum } = workings?.coupon ?? {};
    if (minimum !== undefined && sum(under.map(beforeCoupons)).lt(decimal(minimum))) continue;
    const lefts = under.map((bill) => Decimal.max(ZERO, leftOf(bill).net.minus(taken.get(bill) ?? ZERO)));
    const off = Decimal.min(sum(coupons.map((coupon) => leftOfItem(coupon).net)).negated(), sum(lefts));
    if (off.lte(0)) continue;
    const shares = allocate(off, lefts, currency);
    for (const [place, bill] of under.entries())
      taken.set(bill, (shares[place] as Decimal).plus(taken.get(bill) ?? ZERO));
  }
  return taken;
}
