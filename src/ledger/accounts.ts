/**
 * The accounts of the ledger, one of each for every currency, and for every customer where `of` says so. What a debit
 * (an amount above 0) and a credit (below 0) mean follows from what the account holds.
 */
export const accounts = {
  /** What a customer owes on documents that have their number. A debit is more owed. */
  receivable: { of: 'customer' },
  /** What a customer owes again, because money had gone back before its refund was voided. */
  owed_again: { of: 'customer' },
  /** Money of a customer that we hold until it is used. A credit fills it; it is never overdrawn. */
  wallet: { of: 'customer' },
  /** What a customer's invoices ask for the wallet and was not paid yet. */
  top_ups_due: { of: 'customer' },
  /** Money that came in, less what left. */
  cash: { of: 'merchant' },
  revenue: { of: 'merchant' },
  tax: { of: 'merchant' },
  /** Money that goes back and has not left yet. */
  refunds_payable: { of: 'merchant' },
  /** What nobody pays, less what came in for it after all. */
  write_off: { of: 'merchant' },
  /** What a payment provider holds back for a dispute, or has taken for good. */
  disputes: { of: 'merchant' },
  /** What somebody gave back at the payment provider, where no credit note says so. */
  returned_outside: { of: 'merchant' },
} as const satisfies Record<string, { of: 'customer' | 'merchant' }>;

export type AccountKind = keyof typeof accounts;

/** One account of a merchant in the currency of its transaction; `customerId` is null for the merchant's own. */
export interface Account {
  readonly account: AccountKind;
  readonly customerId: string | null;
}
