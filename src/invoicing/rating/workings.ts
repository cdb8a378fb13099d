import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';

/** A part of a time and the whole of it, in seconds. */
export interface ShareOfTime {
  readonly part: string;
  readonly whole: string;
}

/**
 * The calculation of a line, if quantity × unit price is not the amount: facts of the calculation, stored with the line
 * for checks. All figures are decimal text.
 */
export interface Workings {
  /** The unit in which its quantities and prices are shown, as it was then. */
  readonly display?: { readonly per: string; readonly name: string };
  /** Of an agreed price: the price of a unit as the catalog has it. */
  readonly list?: { readonly unitPrice: string };
  /** The part of the period that is charged … */
  readonly share?: ShareOfTime;
  /** … of this, the amount of the whole. */
  readonly whole?: string;
  /** The part of the period by which flat prices of tiers are scaled. */
  readonly flatShare?: ShareOfTime;
  /** Units at no cost: those that were used, and how many the price includes in a whole period. */
  readonly included?: { readonly units: string; readonly allowance: string; readonly share?: ShareOfTime };
  readonly packages?: { readonly count: string; readonly size: string; readonly price: string };
  readonly percentage?: {
    readonly percent: string;
    readonly of: string;
    readonly fixed?: string;
    readonly events?: string;
    readonly least?: string;
    readonly most?: string;
    /** Of a price on each event: its bounds for each, and how many were free. */
    readonly each?: { readonly least?: string; readonly most?: string; readonly free?: string };
  };
  /** The groups that a matrix priced by its default, and the number of further ones. */
  readonly others?: { readonly groups: readonly string[]; readonly more: number };
  /** Of a price of several lines, which is rounded once: this line before that, and on the last line all of them. */
  readonly rows?: {
    readonly exact: string;
    readonly all?: { readonly count: number; readonly exact: string; readonly amount: string };
  };
  /** Of a minimum or a maximum: its amount, and the amount of the price without it. */
  readonly limit?: { readonly amount: string; readonly reached: string };
  readonly discount?: { readonly percent: string; readonly of: string };
  /** Of a coupon that is worked out for a whole period: its start, RFC 3339. */
  readonly coupon?: {
    readonly couponId: string;
    readonly redemptionId: string;
    readonly period?: string;
    /** What the charges of the period have to come to, as decimal text; absent: anything. */
    readonly minimum?: string;
  };
  /** Of a billing credit: which one; of a line that gives back, the invoice on which it had paid. */
  readonly use?: {
    readonly billingCreditId: string;
    readonly onInvoiceId?: string;
    /** The credit for unused time with which it is given back. */
    readonly creditId?: string;
    /** It pays what this commitment asks: no charge. */
    readonly commitmentId?: string;
  };
  /** Of what is missing to a commitment over a term: its segment by its place. */
  readonly trueUp?: { readonly commitmentId: string; readonly segment: number };
  /** Of a date of a prepaid commitment: its place. */
  readonly prepayment?: { readonly commitmentId: string; readonly date: number };
  /** Of a part or of late usage: the total so far, and its billed part. */
  readonly soFar?: { readonly total: string; readonly before: string };
  /** Of a correction: the part from the limits of its price. */
  readonly late?: { readonly maximum: string; readonly minimum: string };
  /** Of a correction that is not its quantity at its unit price. */
  readonly takenBack?: {
    /** All its units, and those of them on credit notes. */
    readonly units: string;
    readonly noted: string;
    /** The line says an amount as the price of one. */
    readonly isAmount?: true;
  };
  /** What a total of 0 cut off the line: it is credited to the invoices that billed it … */
  readonly cut?: string;
  /** … or lost. */
  readonly lost?: string;
}

/** The digits behind the point that a figure is kept with; more come from divisions that do not end. */
const MOST_DIGITS = 9;

/** A figure with no more digits than it needs. */
export const shortened = (value: Decimal): Decimal =>
  value.decimalPlaces() > MOST_DIGITS ? value.toDecimalPlaces(MOST_DIGITS) : value;

/** A figure with no more digits than it needs, as text. */
export const shortText = (value: Decimal): string => plain(shortened(value));

const MICROSECONDS = 6;

/** A fraction of a period, which counts microseconds, in seconds. */
export const shareOfTime = ({ numerator, denominator }: Fraction): ShareOfTime => ({
  part: secondsOf(numerator),
  whole: secondsOf(denominator),
});

function secondsOf(microseconds: bigint): string {
  const digits = microseconds.toString().padStart(MICROSECONDS + 1, '0');
  const fraction = digits.slice(-MICROSECONDS).replace(/0+$/, '');
  return digits.slice(0, -MICROSECONDS) + (fraction === '' ? '' : `.${fraction}`);
}

/** The part of a correction that is of the limits of its price. */
export const limitsOf = (workings: Workings | null | undefined): Decimal =>
  decimal(workings?.late?.maximum ?? '0').plus(workings?.late?.minimum ?? '0');
