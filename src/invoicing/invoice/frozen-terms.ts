import type { TaxIdStanding, TaxRateSource, TaxTreatment } from '../../tax/index.ts';
import type { TaxAddress, TaxProviderName } from '../../tax-providers/index.ts';
import type { Pause, PriceOverride } from '../terms/billing-terms.ts';

/** The terms that transition 4 freezes: the calculation after it reads nothing that could change (domain.md §4). */
export interface FrozenTerms {
  taxBehavior: 'exclusive' | 'inclusive';
  /** Percent, as decimal text, by price id; of a one-off invoice by the position of the line. */
  taxRates: Record<string, string>;
  /** §2 Subscription: nothing on it is taxed, which is not the same as a rate of 0 %. */
  taxExempt?: boolean;
  /** The place of the sale, and the source of each rate; absent if the merchant has no registration for tax. */
  place?: FrozenPlace;
  /** Of a subscription's invoice: the adjustments that it was calculated with, in the order in which they apply. */
  adjustments?: readonly FrozenAdjustment[];
  /** Of a subscription's invoice: the rate, in percent, of lines that are written by hand. */
  manualTaxRate?: string;
  /**
   * For a subscription's invoice: the known history at its calculation; absent of invoices from before it was stored.
   */
  history?: FrozenHistory;
  /** Of a subscription's invoice: the billing credits that may pay its lines; absent: none. */
  billingCredits?: FrozenCredits;
  /** Of a subscription's invoice: what commitments ask on it; absent: nothing. */
  trueUps?: readonly FrozenTrueUp[];
  /** Who pays it joins its invoices; absent: they stay apart. */
  isGrouped?: boolean;
  /** The external tax provider that calculates the tax; absent: the rates above. */
  outside?: FrozenOutsideTax;
}

/** The question to an external tax provider, and its answer. */
export interface FrozenOutsideTax {
  readonly provider: TaxProviderName;
  /** The time of the freeze, RFC 3339: a new freeze asks again. */
  readonly at: string;
  readonly customer: { readonly address: TaxAddress; readonly taxId: string | null };
  /** The tax codes of prices, by price id. */
  readonly taxCodes: Readonly<Record<string, string>>;
  /** The tax code of lines without a price; null: the account's own. */
  readonly taxCode: string | null;
  /** The place by our own rules, which count if the provider has no rate for the customer's address. */
  readonly place?: FrozenPlace;
  /** Absent while there is none. */
  readonly answer?: OutsideTaxAnswer;
}

/** The tax of an invoice as a provider has calculated it. */
export interface OutsideTaxAnswer {
  /** The provider's id of the calculation; null: there was nothing to tax, and no question. */
  readonly reference: string | null;
  /** By the key of the item: tax, and rate in percent, as decimal text. */
  readonly items: Readonly<Record<string, { readonly tax: string; readonly rate: string }>>;
  /** The deductions with tax that was billed before; absent: none. */
  readonly credits?: { readonly net: string; readonly tax: string };
}

/** The place of an invoice for tax (`PlaceOfSupply`), as decided. */
export interface FrozenPlace {
  readonly treatment: TaxTreatment;
  readonly country: string | null;
  /** Percent, as decimal text; null where the merchant's own rates decided. */
  readonly rate: string | null;
  readonly category: 'S' | 'AE' | 'E' | 'O';
  readonly noteKey: 'reverseCharge' | 'exempt' | 'outside' | null;
  readonly because: string;
  readonly registration: {
    readonly country: string;
    readonly taxId: string;
    readonly scheme: 'standard' | 'oss';
  } | null;
  /** The status of the customer's tax id. */
  readonly taxIdStatus: TaxIdStanding;
  /** The day whose rates and registrations counted, `YYYY-MM-DD`. */
  readonly taxPoint: string;
  /** The source of each rate, by the keys of `taxRates`. */
  readonly sources: Readonly<Record<string, TaxRateSource>>;
}

/**
 * The history of a subscription as an invoice was calculated: when it was to end, RFC 3339, and the changes that had
 * brought versions.
 */
export interface FrozenHistory {
  readonly endsAt: string | null;
  /** Absent where there was never a change. */
  readonly changeIds?: readonly string[];
  /** The coupons with their ends, RFC 3339; absent: none. */
  readonly redemptions?: Readonly<Record<string, string | null>>;
  /** Absent where there was never a pause. */
  readonly pauses?: readonly Pause[];
  /** The agreed prices of commitments; absent: there were none. */
  readonly committed?: readonly PriceOverride[];
  /** What comes later in a period that goes on is asked as it comes (docs/decisions/0290); absent: with the rest. */
  readonly asksAsItComes?: true;
  /** Of an invoice without lines: its place in the order of billing, after these lines and credits. */
  readonly place?: { readonly seq: string; readonly creditSeq: string };
}

/** An adjustment as it was taken for a calculation. */
export interface FrozenAdjustment {
  readonly id: string;
  /** A fraction, as decimal text. */
  readonly percentageDiscount: string;
  readonly description: string;
}

/** The billing credits that an invoice was calculated with. */
export interface FrozenCredits {
  /** In the order in which they burn. */
  readonly held: readonly FrozenCredit[];
  /** What charges of usage came to until the instants at which credits begin or end, by `spentKey`. */
  readonly spent: Record<string, readonly { readonly at: string; readonly amount: string }[]>;
  /** What open periods of other invoices would take of them; absent: nothing. */
  readonly rivals?: readonly FrozenRival[];
}

/** Spending of open periods that credits may pay before those of the invoice: amounts before tax as decimal text. */
export interface FrozenRival {
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
  readonly isFee: boolean;
  /** Of an older subscription: at one instant it comes first. */
  readonly isOlder: boolean;
  readonly amount: string;
  readonly creditIds: readonly string[];
}

/** A billing credit as an invoice could use it: amounts before tax as decimal text, times RFC 3339. */
export interface FrozenCredit {
  readonly id: string;
  readonly name: string;
  readonly from: string;
  readonly until: string | null;
  /** What other invoices left of it, and what credits for unused time on this one give back. */
  readonly left: string;
  /** The prices that it pays; null: all of them. */
  readonly priceIds: readonly string[] | null;
  /** May it pay the minimum of the plan? */
  readonly paysMinimum: boolean;
}

/** What is missing to a commitment, less what was asked of it: amounts before tax as decimal text, times RFC 3339. */
export interface FrozenTrueUp {
  readonly commitmentId: string;
  /** The place of its segment. */
  readonly segment: number;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** What was to be spent, what is, and what other invoices asked. */
  readonly amount: string;
  readonly spent: string;
  readonly before: string;
  /** What this invoice asks; below 0: less is missing than was asked. */
  readonly asked: string;
  /** Percent. */
  readonly taxRate: string;
  /** Below 0: what can be given back of what was asked, before tax, and its tax. */
  readonly back: { readonly net: string; readonly tax: string } | null;
}
