import type { Decimal } from '../../kernel/decimal.ts';
import type { TaxBehavior } from '../../tax/index.ts';
import type { DueCoupons } from '../difference/coupons-due.ts';
import type { DueCharge, DueCommitment } from '../difference/due.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type {
  FrozenAdjustment,
  FrozenCredits,
  FrozenOutsideTax,
  FrozenTrueUp,
  OutsideTaxAnswer,
} from '../invoice/frozen-terms.ts';
import type { TaxRecord } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import type { DiscountLine } from '../owed/discounts.ts';
import type { RatedLine } from '../rating/index.ts';
import type { AtOnePrice } from './one-price.ts';
import type { TotalLine, TotalledLine } from './totals.ts';

/** Everything that an invoice is calculated from; the same input gives the same invoice. */
export interface CalculationInput {
  readonly currency: string;
  readonly charges: readonly DueCharge[];
  /** The periods of the plan whose commitment is asked, or was asked before. */
  readonly commitments?: readonly DueCommitment[];
  /** The periods of the plan with coupons that are worked out for all of them. */
  readonly coupons?: readonly DueCoupons[];
  /** The billing credits that may pay the lines; absent: none. */
  readonly billingCredits?: FrozenCredits | undefined;
  /** What commitments over a term ask on it; absent: nothing. */
  readonly trueUps?: readonly FrozenTrueUp[] | undefined;
  /** The further lines of the invoice, after the charges. */
  readonly others?: readonly OtherLine[];
  /** The usage of the invoice's own period. */
  readonly usage: readonly BilledUsage[];
  readonly taxBehavior: TaxBehavior;
  /** Percent, by price id. */
  readonly taxRates: ReadonlyMap<string, Decimal>;
  /** In the order in which they apply. */
  readonly adjustments?: readonly FrozenAdjustment[];
  /** A provider outside our database taxes the lines; those rates do not count then. */
  readonly outside?: FrozenOutsideTax | undefined;
}

/** A line as it is stored, but for the ids that saving gives it. */
export type CalculatedLine = Omit<LineRow, 'merchantId' | 'invoiceId' | 'id' | 'position' | 'appliesToLineId'>;

/** A line that no price makes, before its amounts are computed. */
export interface OtherLine {
  /** The line's own id, if it has one. */
  readonly id?: string;
  readonly content: Omit<CalculatedLine, 'totalPrice' | 'taxRate' | 'totalTax' | 'totalAmount'>;
  /** Rounded to the currency. */
  readonly amount: Decimal;
  /** Percent; null if it is no supply and has no tax. */
  readonly taxRate: Decimal | null;
  /** In which turn it is cut where the total would be below 0. */
  readonly cutTurn?: 'credit';
  /** How much of it may be cut; all of it if absent. */
  readonly mostCut?: Decimal;
  /** Its tax, if it differs from its rate's: a credit returns the billed tax. */
  readonly tax?: Decimal;
}

export interface Calculation {
  readonly lines: readonly CalculatedLine[];
  readonly subtotal: Decimal;
  readonly totalTax: Decimal;
  readonly grandTotal: Decimal;
  readonly taxes: readonly TaxRecord[];
  /** For each line the place of the line that it takes something off, else null; absent where no line does. */
  readonly appliesTo?: readonly (number | null)[];
  /** For each line its own id, where it had one before; absent where none had. */
  readonly ids?: readonly (string | null)[];
  /** For a provider's tax: the deductions with tax that was billed before; absent: none. */
  readonly outsideCredits?: NonNullable<OutsideTaxAnswer['credits']>;
}

/** A line before totals: its amount may still be cut, and has no tax yet. */
export interface DraftLine extends TotalledLine {
  /** The line that it takes something off. */
  readonly appliesTo: DraftLine | null;
  readonly priceId: string | null;
  readonly type: string;
  /** The fate of a cut amount: it is credited to the invoices that billed it, or it is lost. */
  readonly cut?: 'credited' | 'lost';
  /** Of a charge that takes something back: its units at one price; null: it has none. */
  readonly told?: AtOnePrice | null;
  /** Of a correction: the part that is of the limits of its price. */
  readonly limits?: Decimal;
  readonly id?: string | undefined;
  readonly stored: (total: TotalLine) => CalculatedLine;
}

/** A charge as it is owed less as it is billed. */
export interface RatedDue {
  readonly lines: readonly Line[];
  /** The sum of the lines. */
  readonly total: Decimal;
  readonly hasRebate: boolean;
  readonly soFar: { readonly total: Decimal; readonly before: Decimal };
}

export type Line = RatedLine | DiscountLine;
