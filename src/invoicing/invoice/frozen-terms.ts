/** What transition 4 freezes: the calculation after it reads nothing that could change meanwhile (domain.md §4). */
export interface FrozenTerms {
  taxBehavior: 'exclusive' | 'inclusive';
  /** Percent, as decimal text, by price id; of a one-off invoice by the position of the line. */
  taxRates: Record<string, string>;
  /** §2 Subscription: nothing on it is taxed, which is not the same as a rate of 0 %. */
  taxExempt?: boolean;
  /** Of a subscription's invoice: the adjustments that it was calculated with, in the order in which they apply. */
  adjustments?: readonly FrozenAdjustment[];
  /** Of a subscription's invoice: the rate, in percent, of lines that are written by hand. */
  manualTaxRate?: string;
  /** What earlier invoices could not give back of late usage, and this one bears. */
  lateCarried?: readonly CarriedRest[];
  /** What this one could not give back of late usage, for a later one; known with the calculation. */
  lateRests?: readonly LateRest[];
}

/** An adjustment as it was taken for a calculation. */
export interface FrozenAdjustment {
  readonly id: string;
  /** A fraction, as decimal text. */
  readonly percentageDiscount: string;
  readonly description: string;
}

/** What is still to be given back of late usage of a price, in the period of an invoice. */
export interface LateRest {
  readonly ofInvoiceId: string;
  readonly priceId: string;
  /** Below 0, as decimal text; before tax, or with it where prices include it. */
  readonly amount: string;
}

/** A rest, and the invoice that left it. */
export interface CarriedRest extends LateRest {
  readonly fromInvoiceId: string;
}
