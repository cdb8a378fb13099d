import type { Tx } from '../../db/index.ts';
import { Decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { OtherLine } from '../calculation/calculation.ts';
import { CORRECTION } from '../calculation/line-content.ts';
import type { CreditOn, UnusedCreditRow } from '../credit-notes/unused-credit.ts';
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

const CORRECTED = /: (?:late usage|correction of usage)$/;

/** For a subscription it is unused time or less usage; for an order everything that is no longer owed. */
export function nameOf(credit: UnusedCreditRow): string {
  const { displayName: name, sourceKey: key } = credit;
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
export const creditLines = (credits: readonly CreditOn[], taxBehavior: 'exclusive' | 'inclusive'): OtherLine[] =>
  credits.map((credit) => {
    const { net, tax } = leftOf(credit);
    const amount = (taxBehavior === 'inclusive' ? net.plus(tax) : net).negated();
    return {
      amount,
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
  });

/** The credits on an invoice with prices without tax. */
export const creditLinesOn = async (tx: Tx, invoice: InvoiceRow): Promise<OtherLine[]> =>
  creditLines(await selectCreditsOn(tx, invoice), 'exclusive');
