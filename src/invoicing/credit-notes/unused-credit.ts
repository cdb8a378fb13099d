import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Correction } from '../difference/billed.ts';
import type { ShareOfTime } from '../rating/index.ts';
import type { UseOfCharge } from '../terms/billing-credit.ts';

/** A credit of the lines of a price on an invoice: for unused time, or for a closed period with less usage. */
export interface UnusedCreditRow {
  merchantId: string;
  id: string;
  seq: bigint;
  /** Null: it is of a billing schedule, which `source_key` names. */
  subscriptionId: string | null;
  /** The invoice that billed it. */
  invoiceId: string;
  /** Null: the commitment of the plan. */
  priceId: string | null;
  chargedFrom: Instant;
  chargedTo: Instant;
  unusedFrom: Instant;
  unusedTo: Instant;
  displayName: string;
  /** Net of tax, all of it. */
  amount: Decimal;
  taxAmount: Decimal;
  /** Percent. */
  taxRate: Decimal;
  /** The part of it in credit notes on the invoice that billed it. */
  notedAmount: Decimal;
  notedTax: Decimal;
  /** The facts of its calculation; null of credits from before they were stored. */
  workings: { readonly share: ShareOfTime | null; readonly billed: string; readonly before: string } | null;
  /** The credit of each kind of line; null: it credits time. */
  correction: Correction | null;
  /** Of a correction: its units at one price; null: no price tells its amount. */
  quantity: Decimal | null;
  unitPrice: Decimal | null;
  /** The source of the lines in a billing schedule; null: they are of a subscription. */
  sourceKey: string | null;
  /** A credit note of a person: a reduction of the line, which counts as billed. */
  isNote?: boolean;
  /** The invoice with the remainder as a line; null: none. */
  targetInvoiceId: string | null;
  createdAt: Instant;
}

/** A credit, and the number of the invoice that billed. */
export interface CreditOn extends UnusedCreditRow {
  billedNumber: string | null;
  /** What of it goes back to billing credits, which had paid the charge. */
  givesBack?: readonly GivenBack[];
}

/** A part of a credit that goes back to the billing credit which had paid it; before tax. */
export interface GivenBack {
  readonly billingCreditId: string;
  readonly lineId: string;
  readonly amount: Decimal;
}

type CreditOfCharge = Pick<
  UnusedCreditRow,
  'invoiceId' | 'subscriptionId' | 'priceId' | 'chargedFrom' | 'chargedTo' | 'amount' | 'notedAmount'
>;

/**
 * What of some credits goes back to the billing credits that had paid the charges, in the order of the credits: what
 * these pay above what the charges still owe.
 */
export function givenBackBy(credits: readonly CreditOfCharge[], uses: readonly UseOfCharge[]): GivenBack[][] {
  const given = new Map<string, Decimal>();
  const ofLine = (lineId: string): Decimal => given.get(lineId) ?? ZERO;
  return credits.map((credit): GivenBack[] => {
    const isOf = ({ invoiceId, subscriptionId, priceId, periodStart, periodEnd }: UseOfCharge): boolean =>
      invoiceId === credit.invoiceId &&
      subscriptionId === credit.subscriptionId &&
      priceId === credit.priceId &&
      periodStart.equals(credit.chargedFrom) &&
      periodEnd.equals(credit.chargedTo);
    const own = uses.filter(isOf);
    const [first] = own;
    if (!first) return [];
    const lefts = leftOfUses(own);
    const leftOf = (lineId: string): Decimal => (lefts.get(lineId) ?? ZERO).minus(ofLine(lineId));
    const over = sum(own.map(({ lineId }) => leftOf(lineId))).minus(Decimal.max(ZERO, first.owed));
    let left = Decimal.min(over, credit.amount.minus(credit.notedAmount));
    return own.flatMap(({ lineId, billingCreditId }): GivenBack[] => {
      const amount = Decimal.max(ZERO, Decimal.min(left, leftOf(lineId)));
      left = left.minus(amount);
      given.set(lineId, ofLine(lineId).plus(amount));
      return amount.isZero() ? [] : [{ billingCreditId, lineId, amount }];
    });
  });
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

/** Parts of a net amount with their shares of its tax, exact together. */
export function withTax<Part extends { readonly amount: Decimal }>(
  { net, tax }: { readonly net: Decimal; readonly tax: Decimal },
  parts: readonly Part[],
  currency: string,
): (Part & { readonly net: Decimal; readonly tax: Decimal })[] {
  let [given, taxed] = [ZERO, ZERO];
  return parts.map((part) => {
    given = given.plus(part.amount);
    const upTo = roundTo(tax.times(given).div(net), currency, 'half-away-from-zero');
    const own = upTo.minus(taxed);
    taxed = upTo;
    return { ...part, net: part.amount, tax: own };
  });
}
