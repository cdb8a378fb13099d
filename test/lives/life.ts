/**
 * A life: the merchant's catalog, and everything that happens to one customer on one test clock. It is plain JSON, so a
 * failed life can be pasted into a story. Times are whole seconds since the life's start.
 */
export interface Life {
  readonly seed: number;
  /** ISO 8601, UTC. */
  readonly start: string;
  readonly currency: 'USD' | 'JPY' | 'KWD';
  /** The plans are in other currencies, each in one of its own, and have the prices of this one beside theirs. */
  readonly isAbroad?: boolean;
  /** The invoices of the customer, and of who pays for it, are joined where they close at one instant. */
  readonly isGrouped?: boolean;
  /** Is it asked, too, whether its invoices come out the same from the events? */
  readonly isRecomputed?: boolean;
  /** Do the amounts and times make every share of a fee a whole number of minor units? */
  readonly isEven: boolean;
  readonly taxBehavior: 'exclusive' | 'inclusive';
  /** Percent, of every plan. */
  readonly taxRate: number;
  /** The customer has a card at a payment provider. */
  readonly hasCard?: boolean;
  readonly metrics: readonly Metric[];
  readonly prices: readonly Price[];
  readonly plans: readonly Plan[];
  readonly steps: readonly Step[];
}

export interface Metric {
  readonly aggregation: 'SUM' | 'COUNT' | 'MAX' | 'UNIQUE_COUNT' | 'AVG' | 'LATEST' | 'TIME_WEIGHTED' | 'PERCENTILE';
  /** Of TIME_WEIGHTED. */
  readonly timeUnit?: 'hour' | 'day' | 'period';
  /** Of PERCENTILE. */
  readonly percentile?: string;
  readonly sampleWindow?: 'PT1H' | 'PT12H' | 'P1D';
  readonly sampleAggregation?: 'SUM' | 'MAX' | 'COUNT' | 'AVG';
}

export interface Tier {
  readonly upTo: string | null;
  readonly unitPrice: string;
  readonly flatPrice?: string;
}

export interface Cell {
  readonly match: Readonly<Record<string, string>>;
  readonly unitPrice: string;
}

export interface Properties {
  readonly unitPrice?: string;
  readonly tiers?: readonly Tier[];
  readonly size?: string;
  readonly price?: string;
  readonly percentage?: string;
  readonly fixed?: string;
  readonly minCharge?: string;
  readonly maxCharge?: string;
  readonly perEvent?: { readonly min?: string; readonly max?: string };
  readonly freeEvents?: number;
  readonly multiplier?: string;
  readonly dimensions?: readonly string[];
  readonly cells?: readonly Cell[];
  readonly default?: string;
  readonly includedUnits?: string;
}

export interface Price {
  /** Absent: a fee. */
  readonly metric?: number;
  /** Absent: the plan's. `P0D`: once. */
  readonly cadence?: string;
  readonly term: 'in_advance' | 'in_arrears';
  readonly model: 'standard' | 'graduated' | 'volume' | 'package' | 'percentage' | 'dynamic' | 'matrix';
  readonly properties: Properties;
  /** Of a fee. */
  readonly quantity?: number;
  readonly minimum?: string;
  readonly maximum?: string;
  /** Percent; absent: the plan's. */
  readonly taxRate?: number;
  /** Units that are granted each month. These and other granted units are not billed. The plan is monthly. */
  readonly allowance?: number;
}

export interface Plan {
  readonly cadence: string;
  readonly prices: readonly number[];
  readonly graceHours: number;
  readonly trialDays?: number;
  /** Seconds since the life's start. */
  readonly anchor?: number;
  /** The commitment: the minimum for the charges of all prices in a period. */
  readonly minimum?: string;
}

/** A negotiated price: what it says holds in `[from, to)`. */
export interface Override {
  readonly price: number;
  /** Scales all money of the price. */
  readonly multiplier?: string;
  readonly properties?: Properties;
  /** Other bounds than those of the price, which nothing scales; `none`: there is none. */
  readonly minimum?: string;
  readonly maximum?: string;
  /** Absent: from the start, or from the change on. */
  readonly from?: number;
  readonly to?: number;
}

export type Step =
  | { readonly do: 'advance'; readonly to: number }
  | {
      readonly do: 'subscribe';
      readonly sub: string;
      readonly plan: number;
      readonly startedAt: number;
      /** By a payment session that is completed later, or by transfers without a wait. */
      readonly asks: 'session' | 'transfer';
      readonly endingAt?: number;
      readonly overrides?: readonly Override[];
      /** It is of the order of the customer, of which the commitment of all is then. */
      readonly isOfOrder?: true;
    }
  | {
      readonly do: 'discount';
      readonly sub: string;
      readonly part: string;
      readonly from: number;
      readonly to?: number;
    }
  | {
      readonly do: 'change';
      readonly sub: string;
      /** Absent: the present one. */
      readonly plan?: number;
      /** Of fees, by the price's number. */
      readonly quantities?: Readonly<Record<number, number>>;
      /** All that hold from then on; absent: those before, as far as the plan has their prices. */
      readonly overrides?: readonly Override[];
      readonly effective: 'now' | 'periodEnd';
      readonly proration: 'second' | 'day' | 'none';
      readonly credit: 'invoice' | 'wallet' | 'none';
    }
  /** A coupon is made and redeemed: a fraction or an amount off, for some periods of the plan. */
  | {
      readonly do: 'coupon';
      readonly sub: string;
      readonly percent?: string;
      readonly amount?: string;
      /** Absent: for ever. */
      readonly periods?: number;
      /** From the first period after this time on; absent: from the first one of which nothing is billed. */
      readonly notBefore?: number;
      readonly carriesOver?: boolean;
      /** What the lines of a period that it is for must come to before coupons. */
      readonly minimum?: string;
      /** The prices that it is for; absent: all, and the minimum of the plan. */
      readonly prices?: readonly number[];
      /** The plans that it follows the subscription to; absent: all. */
      readonly plans?: readonly number[];
    }
  /** The redemption at a place among the subscription's ends. */
  | { readonly do: 'endCoupon'; readonly sub: string; readonly at: number }
  /** A billing credit of the customer, for all its subscriptions. */
  | {
      readonly do: 'credit';
      readonly amount: string;
      /** Absent: from now on. */
      readonly from?: number;
      /** Absent: it does not expire. */
      readonly days?: number;
      /** Absent: all, and the minimum of the plan. */
      readonly prices?: readonly number[];
      readonly isPaid?: boolean;
      readonly priority?: number;
      /** Of this subscription alone. */
      readonly sub?: string;
      /** Of the customer that pays at times. */
      readonly isOfPayer?: true;
      /** An invoice buys it, which is paid at once: so it begins then, and is for all. */
      readonly isBought?: boolean;
    }
  /** From now on the card buys credits of this amount, as soon as less than the threshold is available. */
  | {
      readonly do: 'topUp';
      readonly threshold: string;
      readonly amount: string;
      /** Absent: they do not expire. */
      readonly days?: number;
      readonly mostInMonth?: number;
    }
  | { readonly do: 'endTopUp' }
  /** The stored cards work from now on, or no longer. */
  | { readonly do: 'card'; readonly works: boolean }
  /** A commitment of a subscription over all of the life, in segments that end at some instants. */
  | {
      readonly do: 'commit';
      readonly sub: string;
      readonly ends: readonly number[];
      readonly amounts: readonly string[];
      /** What is missing is asked at the end of each segment; else once, at the last end. */
      readonly isBySegment?: true;
      /** What the end of the subscription leaves of it; absent: all of it. */
      readonly onEnd?: 'prorated' | 'waived';
      /** Spending counts for those of lower numbers first; absent: 0. */
      readonly priority?: number;
      /** Absent: all, and the minimum of the plan. */
      readonly prices?: readonly number[];
    }
  /** A commitment of all subscriptions over all of the life, in segments that end at some instants. */
  | {
      readonly do: 'commitAll';
      readonly ends: readonly number[];
      readonly amounts: readonly string[];
      /** What is missing is asked at the end of each segment; else once, at the last end. */
      readonly isBySegment?: true;
      /** Absent: all, and the minimums of the plans. */
      readonly prices?: readonly number[];
      /** Prices that it agrees for all subscriptions, some of which the first one has: so it is made with that. */
      readonly overrides?: readonly Override[];
      /** Of the subscriptions of the order alone. */
      readonly isOfOrder?: true;
      /** What an early end leaves of it; absent: all of it. */
      readonly onEnd?: 'prorated' | 'waived';
    }
  /** The commitment of all subscriptions ends now. */
  | { readonly do: 'endWide' }
  /** A prepaid commitment of a subscription: its segments lie between bounds. */
  | {
      readonly do: 'prepay';
      readonly sub: string;
      readonly bounds: readonly number[];
      readonly amounts: readonly string[];
      /** When the amounts are asked; absent: each at the start of its segment. */
      readonly dates?: readonly number[];
      /** Its credits wait for the payment. */
      readonly isOnPayment?: boolean;
      readonly rollover?: { readonly fraction: string; readonly days: number };
      readonly onEnd: 'owed' | 'prorated' | 'waived';
      /** Absent: all, and the minimum of the plan. */
      readonly prices?: readonly number[];
    }
  /** The prepaid commitment at a place ends now. */
  | { readonly do: 'endPrepaid'; readonly at: number }
  /** The same of a postpaid one of a subscription. */
  | { readonly do: 'endCommitment'; readonly at: number }
  /** The credit at a place is voided. */
  | { readonly do: 'voidCredit'; readonly at: number }
  | { readonly do: 'unschedule'; readonly sub: string }
  | {
      readonly do: 'pause';
      readonly sub: string;
      readonly effective: 'now' | 'periodEnd';
      readonly resumesAt?: number;
      readonly usage: 'bill' | 'free';
      readonly credit: 'invoice' | 'wallet';
      readonly anchor: 'keep' | 'restart';
    }
  | { readonly do: 'resume'; readonly sub: string; readonly anchor: 'keep' | 'restart' }
  /** Another time of the resumption, or none yet. */
  | { readonly do: 'moveResume'; readonly sub: string; readonly at: number | null }
  /** The trial ends at another time. */
  | { readonly do: 'moveTrial'; readonly sub: string; readonly to: number }
  | { readonly do: 'closeNow'; readonly sub: string; readonly at: number }
  | { readonly do: 'planEnd'; readonly sub: string; readonly at: number | null }
  | { readonly do: 'endPast'; readonly sub: string; readonly at: number }
  | { readonly do: 'end'; readonly sub: string; readonly credit: 'invoice' | 'wallet' | 'none' }
  | {
      readonly do: 'use';
      readonly metric: number;
      /** Absent: addressed to the customer. */
      readonly sub?: string;
      readonly at: number;
      readonly units: string;
      readonly region?: string;
    }
  | { readonly do: 'grant'; readonly sub: string; readonly amount: number; readonly effectiveAt: number }
  /** Pays open invoices of the customer: all of them, or the one at a place; in full, in part, or too much. */
  | { readonly do: 'pay'; readonly at?: number; readonly how: 'full' | 'part' | 'more' }
  /** A recorded payment, at a place of those that count, came back. */
  | { readonly do: 'reverse'; readonly at: number }
  /** Charges the stored card for an open invoice. */
  | { readonly do: 'payByCard'; readonly at: number }
  /** The cardholder's bank takes a card payment back, or a quarter of it; `won`: not in the end. */
  | { readonly do: 'dispute'; readonly at: number; readonly status: 'open' | 'won' | 'lost'; readonly isPart: boolean }
  /** The customer is exempt from tax from now on, or no longer. */
  | { readonly do: 'exempt'; readonly is: boolean }
  /** Another customer pays from now on, or no longer. */
  | { readonly do: 'payer'; readonly is: boolean }
  /** An invoice without a subscription. */
  | { readonly do: 'oneOff'; readonly unitPrice: string; readonly quantity: string; readonly taxRate: number }
  | {
      readonly do: 'refund' | 'cancel' | 'writeOff';
      readonly at: number;
      /** Of the invoices that bear a credit. */
      readonly bearing?: boolean;
    }
  | { readonly do: 'voidRefund'; readonly at: number }
  /** An issued or paid invoice is replaced: by one with the same lines, or by one that is rated anew. */
  | { readonly do: 'reissue'; readonly at: number; readonly recalculate: boolean }
  /** A credit note over a share of a line of an issued invoice. The driver says what was credited. */
  | {
      readonly do: 'note';
      readonly at: number;
      readonly line: number;
      readonly share: string;
      /** Of its units: what billing credits paid of them goes back to them. */
      readonly byQuantity?: boolean;
      readonly settlement?: 'refund' | 'wallet' | 'reduce';
      readonly noted?: NotedLine;
    }
  /** Voids the newest of those that are in force. */
  | { readonly do: 'voidNote'; readonly noteId?: string };

/** A line of which a credit note took a part. */
export interface NotedLine {
  readonly noteId: string;
  readonly sub: string;
  readonly price: number | 'minimum';
  readonly from: number;
  readonly to: number;
  readonly quantity: string;
  readonly issuedAt: number;
  /** As the price quotes it. */
  readonly amount: string;
  /** Of a note by quantity. */
  readonly units?: string;
}

export type Of<Do extends Step['do']> = Extract<Step, { do: Do }>;

export const DAY = 86_400;
export const HOUR = 3_600;

/** The instant of a second of a life. */
export const instantOf = ({ start }: Pick<Life, 'start'>, seconds: number): string =>
  Temporal.Instant.from(start).add({ seconds }).toString();

export const secondsOf = ({ start }: Pick<Life, 'start'>, instant: string): number =>
  Number(
    (Temporal.Instant.from(instant).epochNanoseconds - Temporal.Instant.from(start).epochNanoseconds) / 1_000_000_000n,
  );

/** The number of digits of a currency's minor unit. */
export const DIGITS = { USD: 2, JPY: 0, KWD: 3 } as const;

/** The subscriptions whose spending counts for a commitment of several, and for which it agrees prices. */
export const isCounted = ({ steps }: Life, { isOfOrder }: Of<'commitAll'>, sub: string): boolean =>
  !isOfOrder || steps.some((step) => step.do === 'subscribe' && step.sub === sub && step.isOfOrder);
