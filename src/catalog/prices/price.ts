import type { DisplayUnit, Pricing } from '../../invoicing/rating/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { FeatureType } from '../features/feature.ts';
import type { EntitlementTemplate } from './template.ts';

/** The entitlement of a price. */
export interface PriceFeature {
  readonly id: string;
  readonly featureId: string;
  readonly entitlementTemplate: EntitlementTemplate;
  readonly feature: { readonly key: string; readonly name: string; readonly type: FeatureType };
}

/** What a price comes to in another currency than its plan's (commercial.md §5). Bounds are decimal text. */
export interface CurrencyPrice {
  readonly properties: Pricing['properties'];
  /** Null: none, whatever the price itself has. */
  readonly minimumAmount: string | null;
  readonly maximumAmount: string | null;
}

/** A stored price of a metric or a fee. Amounts are exact, in major units of its plan's currency. */
export interface Price {
  readonly id: string;
  readonly merchantId: string;
  readonly billableMetricId: string | null;
  readonly feeId: string | null;
  readonly invoiceDisplayName: string;
  readonly paymentTerm: PaymentTerm;
  readonly pricing: Pricing;
  /** As sent; null: the plan's. */
  readonly billingCadence: string | null;
  /** Fees only: how many of it. */
  readonly quantity: Decimal;
  readonly minimumAmount: Decimal | null;
  readonly maximumAmount: Decimal | null;
  readonly currencyPrices: Readonly<Record<string, CurrencyPrice>>;
  readonly taxRate: Decimal | null;
  /** In which quantities and prices are shown; null: the metric's, else one unit. */
  readonly displayUnit: DisplayUnit | null;
  readonly groupFilters: Readonly<Record<string, readonly string[]>> | null;
  readonly grantDiscountEnabled: boolean;
  readonly features: readonly PriceFeature[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Deleted prices live on in archived versions. */
  readonly deletedAt: Instant | null;
}

export type PaymentTerm = 'in_arrears' | 'in_advance';
