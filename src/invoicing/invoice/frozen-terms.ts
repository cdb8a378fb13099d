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
}

/** An adjustment as it was taken for a calculation. */
export interface FrozenAdjustment {
  readonly id: string;
  /** A fraction, as decimal text. */
  readonly percentageDiscount: string;
  readonly description: string;
}
