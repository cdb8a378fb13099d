import { type Decimal, plain } from '../../kernel/decimal.ts';

export const TRIAL_END_BEHAVIORS = ['invoice', 'terminate', 'pause'] as const;
type TrialEndBehavior = (typeof TRIAL_END_BEHAVIORS)[number];

/** What a version says beside its prices. */
export interface VersionTerms {
  /** The minimum of all charges in a period together; null: none. */
  readonly minimumAmount: Decimal | null;
  /** The same in other currencies than the plan's: decimal text. */
  readonly currencyMinimums: Readonly<Record<string, string>>;
  /** A trial begins with a stored payment method. */
  readonly trialRequiresPaymentMethod: boolean;
  /** What follows a trial without a payment method. */
  readonly trialEndBehavior: TrialEndBehavior;
}

/** The terms of a version that says nothing of them. */
export const NO_TERMS: VersionTerms = {
  minimumAmount: null,
  currencyMinimums: {},
  trialRequiresPaymentMethod: false,
  trialEndBehavior: 'invoice',
};

/** The terms as a plan and a version are answered. */
export const toTermsReply = ({ minimumAmount, currencyMinimums, ...trial }: VersionTerms) => ({
  minimumAmount: minimumAmount && plain(minimumAmount),
  currencyMinimums,
  trialRequiresPaymentMethod: trial.trialRequiresPaymentMethod,
  trialEndBehavior: trial.trialEndBehavior,
});
