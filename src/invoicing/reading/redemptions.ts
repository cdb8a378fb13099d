import type { Tx } from '../../db/index.ts';
import { type Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { Instant } from '../../kernel/time.ts';
import { selectBilledItems } from '../difference/billed.sql.ts';
import { type BilledItem, leftOfItem, quoted, type StoredCredit } from '../difference/billed.ts';
import { justBefore } from '../owed/charges.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';

/** What a coupon took off one charge or one period, as prices quote it. */
export interface CouponDiscount {
  readonly redemptionId: string;
  /** Of a coupon that is worked out for a period of the plan: its start. */
  readonly period: Instant | null;
  /** When the service begins of which it took: of a period its start. */
  readonly from: Instant;
  /** Less what credits gave back. */
  readonly amount: Decimal;
}

const ISSUED: ReadonlySet<string> = new Set(['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF']);

/** What the coupons of a subscription took on issued invoices. */
export async function discountsOfRedemptions(tx: Tx, terms: BillingTerms): Promise<CouponDiscount[]> {
  const { merchantId, subscriptionId, bounds, taxBehavior } = terms;
  const all = { merchantId, subscriptionId, id: '' };
  const since = justBefore(bounds.startedAt);
  const items = await selectBilledItems(tx, all, since);
  return items.flatMap((item) => [
    ...item.lines.flatMap((line, at): CouponDiscount[] => {
      const { coupon, cut = '0' } = line.workings ?? {};
      if (!coupon || line.isRefunded || !ISSUED.has(line.status)) return [];
      const { redemptionId } = coupon;
      if (coupon.period !== undefined) {
        // What a total of 0 cut off the lines of a period is given by credits of them, as far as it is given.
        const { start } = item.period;
        const amount = quoted(leftOfItem(item), taxBehavior).negated();
        return at === 0 ? [{ redemptionId, period: start, from: start, amount }] : [];
      }
      const asked = quoted(line, taxBehavior);
      const mirrored = roundTo(givenBackOf(asked, item), line.currency, 'half-away-from-zero');
      const amount = asked.plus(cut).minus(mirrored).negated();
      return [{ redemptionId, period: null, from: line.periodStart, amount }];
    }),
    ...item.credits.flatMap(({ correction }) =>
      Object.entries(correction?.coupons ?? {}).map(
        ([redemptionId, amount]): CouponDiscount => ({
          ...{ redemptionId, period: null, from: item.period.start, amount: decimal(amount).negated() },
        }),
      ),
    ),
  ]);
}

/**
 * A credit mirrors the lines that it takes back: the share of a discount in it. A correction of usage says itself what
 * it takes back of each coupon.
 */
function givenBackOf(amount: Decimal, { net, credits }: BilledItem): Decimal {
  const isMirror = ({ correction, isNote }: StoredCredit) => isNote || !correction;
  const credited = sum(credits.filter(isMirror).map((credit) => credit.net));
  return net.isZero() || credited.isZero() ? ZERO : amount.times(credited).div(net);
}
