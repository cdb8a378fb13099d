import type { Tx } from '../../db/index.ts';
import { Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { OtherLine } from '../calculation/calculation.ts';
import { CORRECTION } from '../calculation/line-content.ts';
import { type CreditOn, type UnusedCreditRow, withTax } from '../credit-notes/unused-credit.ts';
import { selectCreditsOn } from '../credit-notes/unused-credits.sql.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { CreditWorkings } from '../invoice/workings.ts';

/** The part of a credit that is in no credit note yet. */
export const leftOf = ({ amount, taxAmount, notedAmount, notedTax }: UnusedCreditRow) => ({
  net: amount.minus(notedAmount),
  tax: taxAmount.minus(notedTax),
});

/** Does it correct the usage of a closed period? A commitment is no usage. */
export const isOfUsage = ({ priceId, correction }: UnusedCreditRow): boolean => correction !== null && priceId !== null;

/** Is it of what a coupon took of a whole period? */
export const isOfCoupon = ({ correction }: UnusedCreditRow): boolean => correction?.coupon !== undefined;

const CORRECTED = /: (?:late usage|correction of usage)$/;

/** For a subscription it is unused time or less usage; for an order everything that is no longer owed. */
export function nameOf(credit: UnusedCreditRow): string {
  const { displayName: name, sourceKey: key } = credit;
  if (isOfCoupon(credit)) return `${name}: coupon given back`;
  if (isOfUsage(credit)) return `${name.replace(CORRECTED, '')}: ${CORRECTION}`;
  return key === null ? `${name}: not used` : `${name}: credit`;
}

/**
 * The charge of a credit, and the credited part. Amounts are before tax, so that those of inclusive prices do not show
 * them.
 */
const creditWorkings = (credit: CreditOn, taxBehavior: 'exclusive' | 'inclusive'): CreditWorkings => ({
  id: credit.id,
  invoiceNumber: credit.billedNumber,
  from: formatInstant(credit.chargedFrom),
  to: formatInstant(credit.chargedTo),
  billed: taxBehavior === 'inclusive' || credit.workings === null ? null : credit.workings.billed,
  share: credit.workings?.share ?? null,
  amount: plain(credit.amount),
  before: credit.workings?.before ?? '0',
});

/** The credits on an invoice, as lines of its calculation. */
export const creditLines = (
  credits: readonly CreditOn[],
  taxBehavior: 'exclusive' | 'inclusive',
  currency: string,
): OtherLine[] =>
  credits.flatMap((credit): OtherLine[] => {
    const { net, tax } = leftOf(credit);
    const quoted = (of: { readonly net: Decimal; readonly tax: Decimal }): Decimal =>
      taxBehavior === 'inclusive' ? of.net.plus(of.tax) : of.net;
    const amount = quoted({ net, tax }).negated();
    const back = withTax({ net, tax }, credit.givesBack ?? [], currency).map((each) => ({
      ...each,
      amount: quoted(each),
    }));
    const line: OtherLine = {
      amount,
      ...(back.length > 0 && { mostCut: sum([amount.negated(), ...back.map((each) => each.amount.negated())]) }),
      taxRate: credit.taxRate,
      tax: tax.negated(),
      cutTurn: 'credit',
      content: {
        eventType: 'fee',
        lineItemType: 'refund',
        type: 'credit',
        priceId: credit.priceId,
        billableMetricId: null,
        feeId: null,
        itemId: null,
        displayName: nameOf(credit),
        metricName: '',
        metricUnit: '',
        metricDescription: '',
        quantity: new Decimal(1),
        unitPrice: amount,
        discountPrice: ZERO,
        periodStart: credit.unusedFrom,
        periodEnd: credit.unusedTo,
        groupValues: null,
        tiers: null,
        sourceKey: credit.sourceKey,
        workings: { credit: creditWorkings(credit, taxBehavior) },
      },
    };
    return [line, ...back.map((each) => backLine(credit, each, line))];
  });

/** What of a credit goes back to a billing credit, which had paid the charge, as a line beside it. */
const backLine = (
  { id, invoiceId, displayName, chargedFrom, chargedTo }: CreditOn,
  { billingCreditId, amount, tax }: { billingCreditId: string; amount: Decimal; tax: Decimal },
  { taxRate, content }: OtherLine,
): OtherLine => ({
  ...{ amount, taxRate, tax },
  content: {
    ...content,
    ...{ eventType: 'discount', type: 'billing_credit', unitPrice: amount },
    displayName: `${displayName}: billing credit given back`,
    ...{ periodStart: chargedFrom, periodEnd: chargedTo },
    workings: { use: { billingCreditId, onInvoiceId: invoiceId, creditId: id } },
  },
});

/** The credits on an invoice with prices without tax. */
export const creditLinesOn = async (tx: Tx, invoice: InvoiceRow): Promise<OtherLine[]> =>
  creditLines(await selectCreditsOn(tx, invoice), 'exclusive', invoice.currency);
