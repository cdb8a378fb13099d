import type { Tx } from '../../db/index.ts';
import { Decimal, decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isBefore, type Period } from '../../kernel/time.ts';
import { type CouponChange, couponChanges } from '../calculation/coupon-lines.ts';
import { selectSumsOfCreditNotes } from '../credit-notes/credit-notes.sql.ts';
import type { UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { insertUnusedCredits } from '../credit-notes/unused-credits.sql.ts';
import { selectBilledItems } from '../difference/billed.sql.ts';
import { type AmountWithTax, type BilledItem, grossOf, leftOfItem, negated, quoted } from '../difference/billed.ts';
import { billsUnder, couponsBilled } from '../difference/coupons-due.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectInvoices } from '../invoice/invoices.sql.ts';
import { justBefore } from '../owed/charges.ts';
import { inTwoKinds } from '../owed/coupons.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';
import { leftOf } from './credit-lines.ts';
import { type CreditsByInvoice, noteCredits, partOfLeft, rowOf, SAID, upTo } from './note-credits.ts';

/**
 * Credits that no further invoice bears lower what periods of the plan owe, and so what their coupons give
 * (commercial.md §2). What these took too much goes off the credit notes: as credits below 0 of the coupons' own lines,
 * so that the redemptions have it back. A coupon that gives more in such a period, because an older one gives less, is
 * a credit above 0.
 * @param credits stored, and in no credit note yet
 * @returns by the invoice whose credit note bears them; no credit note comes below 0 by them
 */
export async function couponsBack(
  tx: Tx,
  terms: BillingTerms,
  credits: readonly UnusedCreditRow[],
  now: Instant,
): Promise<CreditsByInvoice> {
  const { currency } = terms;
  if (credits.length === 0 || inTwoKinds(terms.redemptions).ofPeriods.length === 0) return new Map();
  const items = await allItems(tx, terms);
  const isTouched = ({ start, end }: Period): boolean =>
    credits.some(({ chargedFrom: from, chargedTo: to }) => isBefore(start, to) && isBefore(from, end));
  const changes = couponChanges(
    { currency },
    couponsBilled({ terms, items }).filter(({ period }) => isTouched(period)),
  ).filter(({ amount }) => !amount.isZero());
  const lowered = new Set(changes.filter(({ amount }) => amount.lt(0)).map(({ period }) => period.start.toString()));
  const rooms = new Map(
    [...Map.groupBy(credits, ({ invoiceId }) => invoiceId)].map(([invoiceId, those]) => [
      invoiceId,
      sum(those.map((credit) => grossOf(leftOf(credit)))),
    ]),
  );
  const found = changes
    .filter(({ period }) => lowered.has(period.start.toString()))
    .toSorted((a, b) => a.amount.comparedTo(b.amount))
    .flatMap((change) => partsOf(change, items, rooms, terms));
  const rows = await insertUnusedCredits(
    tx,
    found.map(({ item, change, net, tax }) => rowOfCoupon(terms, item, change, { net, tax }, now)),
  );
  return new Map(
    [...Map.groupBy(rows.keys(), (place) => (found[place] as PartOfCoupon).onInvoiceId)].map(([invoiceId, places]) => [
      invoiceId,
      places.map((place) => rows[place] as UnusedCreditRow),
    ]),
  );
}

/**
 * Did a coupon take something of a period of a subscription that has ended, though the period does not come to its
 * `minimumAmount` any more? No credit note asks for money, so an invoice does (docs/decisions/0273).
 */
export async function isDiscountOwed(tx: Tx, terms: BillingTerms): Promise<boolean> {
  const { currency } = terms;
  if ((terms.redemptions ?? []).every(({ minimumAmount }) => minimumAmount === null)) return false;
  const items = await allItems(tx, terms);
  const isTaken = ({ redemption, period }: CouponChange): boolean =>
    items.some(
      ({ redemptionId, period: { start }, isStanding }) =>
        isStanding && redemptionId === redemption.id && start.equals(period.start),
    );
  return couponChanges({ currency }, couponsBilled({ terms, items })).some(
    (change) =>
      change.redemption.minimumAmount !== null && change.off.isZero() && change.amount.lt(0) && isTaken(change),
  );
}

/**
 * What an invoice cannot bear of a coupon, because it has no charges left, is given on the invoices that billed the
 * charges of the period, the last one first: credits above 0 of the coupon's own line on this invoice. No credit note
 * comes above what is left of the charges.
 * @param cut its lines of coupons of periods off which a total of 0 cut something
 */
export async function giveOpenCoupons(
  dependencies: InvoicingDependencies,
  tx: Tx,
  terms: BillingTerms,
  cut: readonly LineRow[],
  now: Instant,
): Promise<void> {
  if (cut.length === 0) return;
  const items = await allItems(tx, terms);
  const rooms = await roomsOf(tx, items);
  const found = cut.flatMap((line) => partsOfOpen(line, terms, items, rooms));
  const rows = await insertUnusedCredits(
    tx,
    found.map(({ item, change, net, tax }) => rowOfCoupon(terms, item, change, { net, tax }, now)),
  );
  const { merchantId } = terms;
  for (const [invoiceId, places] of Map.groupBy(rows.keys(), (at) => (found[at] as PartOfCoupon).onInvoiceId))
    await noteCredits(
      dependencies,
      tx,
      { merchantId, invoiceId },
      places.map((at) => rows[at] as UnusedCreditRow),
      'all',
      now,
    );
}

/** What credit notes may still come to, by invoice. */
async function roomsOf(tx: Tx, items: readonly BilledItem[]): Promise<Map<string, Decimal>> {
  const ids = [...new Set(items.map(({ invoiceId }) => invoiceId))];
  const [invoices, noted] = [await selectInvoices(tx, ids), await selectSumsOfCreditNotes(tx, ids)];
  return new Map(
    [...invoices.values()].map(({ id, grandTotal }) => {
      const { amount, tax } = noted(id);
      return [id, grandTotal.minus(amount).minus(tax)];
    }),
  );
}

/** The parts of what is open of a coupon, with the tax of the charges. */
function partsOfOpen(
  { invoiceId, workings }: LineRow,
  terms: BillingTerms,
  items: readonly BilledItem[],
  rooms: Map<string, Decimal>,
): PartOfCoupon[] {
  const { taxBehavior, currency } = terms;
  const { coupon, cut = '0' } = workings ?? {};
  const redemption = terms.redemptions?.find(({ id }) => id === coupon?.redemptionId);
  const start = coupon?.period === undefined ? null : Temporal.Instant.from(coupon.period);
  const isOwn = (item: BilledItem): boolean =>
    item.invoiceId === invoiceId && item.redemptionId === redemption?.id && start?.equals(item.period.start) === true;
  const own = items.find(isOwn);
  if (!(redemption && start && own)) return [];
  let open = decimal(cut).negated();
  return billsUnder({ terms, items }, redemption, start)
    .filter(({ isStanding }) => isStanding)
    .toReversed()
    .flatMap((bill): PartOfCoupon[] => {
      const [left, room] = [leftOfItem(bill), rooms.get(bill.invoiceId) ?? ZERO];
      const amount = Decimal.min(open, quoted(left, taxBehavior));
      if (amount.lte(0)) return [];
      const { net, tax } = upTo(partOfLeft(left, amount, taxBehavior, currency), room, currency);
      if (net.lte(0)) return [];
      open = open.minus(quoted({ net, tax }, taxBehavior));
      rooms.set(bill.invoiceId, room.minus(grossOf({ net, tax })));
      const change = { redemption, period: { start, end: start }, amount, off: amount };
      return [{ change, item: { ...own, taxRate: bill.taxRate }, onInvoiceId: bill.invoiceId, net, tax }];
    });
}

/** What carries over is counted from its first period on. */
async function allItems(tx: Tx, { merchantId, subscriptionId, bounds }: BillingTerms): Promise<BilledItem[]> {
  const all = { merchantId, subscriptionId, id: '' };
  const since = justBefore(bounds.startedAt);
  return selectBilledItems(tx, all, since);
}

/** A part of what a coupon takes less, of one invoice on which it stands, on one credit note. */
interface PartOfCoupon extends AmountWithTax {
  readonly change: CouponChange;
  readonly item: BilledItem;
  readonly onInvoiceId: string;
}

/** The invoices that bear the coupon itself come first, and of these the last one. */
function partsOf(
  change: CouponChange,
  items: readonly BilledItem[],
  rooms: Map<string, Decimal>,
  { taxBehavior, currency }: Pick<BillingTerms, 'taxBehavior' | 'currency'>,
): PartOfCoupon[] {
  const own = items
    .filter(
      ({ redemptionId, period, isStanding }) =>
        isStanding && redemptionId === change.redemption.id && period.start.equals(change.period.start),
    )
    .toReversed()
    .map((item) => ({ item, taken: negated(leftOfItem(item)) }));
  const lefts = new Map(own.map(({ item, taken }) => [item, quoted(taken, taxBehavior)]));
  const isMore = change.amount.gt(0);
  let open = change.amount.abs();
  return [true, false].flatMap((isSame) =>
    own.flatMap(({ item, taken }) =>
      [...rooms.keys()]
        .filter((invoiceId) => (invoiceId === item.invoiceId) === isSame)
        .flatMap((onInvoiceId): PartOfCoupon[] => {
          const room = rooms.get(onInvoiceId) as Decimal;
          const left = lefts.get(item) as Decimal;
          const amount = isMore ? open : Decimal.min(open, left);
          if (amount.lte(0) || left.lte(0)) return [];
          const part = partOfLeft(taken, amount, taxBehavior, currency);
          const { net, tax } = isMore ? part : upTo(part, room, currency);
          if (net.lte(0)) return [];
          open = open.minus(quoted({ net, tax }, taxBehavior));
          lefts.set(item, isMore ? left : left.minus(quoted({ net, tax }, taxBehavior)));
          rooms.set(onInvoiceId, room.plus(grossOf({ net, tax }).times(isMore ? 1 : -1)));
          const sign = isMore ? 1 : -1;
          return [{ change, item, onInvoiceId, net: net.times(sign), tax: tax.times(sign) }];
        }),
    ),
  );
}

/** A credit of what a coupon took in a period. */
function rowOfCoupon(
  terms: BillingTerms,
  item: BilledItem,
  { redemption, period: { start } }: CouponChange,
  amounts: AmountWithTax,
  now: Instant,
): Omit<UnusedCreditRow, 'seq'> {
  const correction = { ...SAID, coupon: { redemptionId: redemption.id, period: start.toString() } };
  const until = start.add({ microseconds: 1 }); // a credit has a time, and that of a charge would be taken for it
  return {
    ...rowOf(terms, item, { ...amounts, correction, told: null }, now),
    ...{ chargedFrom: start, chargedTo: until, unusedFrom: start, unusedTo: until },
  };
}
