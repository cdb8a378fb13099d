/**
 * The accounts of the ledger, one of each for every currency, and for every customer where `of` says so. What a debit
 * (an amount above 0) and a credit (below 0) mean follows from what the account holds.
 */
export const accounts = {
  /** The debt of a customer on documents with a number. A debit is more owed. */
  receivable: { of: 'customer' },
  /** The debt of a customer that is open again, because money had gone back before its refund was voided. */
  owed_again: { of: 'customer' },
  /** What reversed payments, and billing credits used elsewhere, pay no longer. The next invoice collects it. */
  to_collect: { of: 'customer' },
  /** Money of a customer that we hold until it is used. A credit fills it; it is never overdrawn. */
  wallet: { of: 'customer' },
  /** Money of a customer that names no invoice: it waits to be applied or returned. A credit fills it. */
  unapplied: { of: 'customer' },
  /** The unpaid top-ups on a customer's invoices. */
  top_ups_due: { of: 'customer' },
  /** The part of a customer's paid billing credits that is no revenue yet. A credit fills it. */
  deferred_credits: { of: 'customer' },
  /** Money that came in, less what left. */
  cash: { of: 'merchant' },
  revenue: { of: 'merchant' },
  tax: { of: 'merchant' },
  /** Money that goes back and has not left yet. */
  refunds_payable: { of: 'merchant' },
  /** The written-off debt, less later payments. */
  write_off: { of: 'merchant' },
  /** The money that a payment provider withholds for a dispute, or has taken permanently. */
  disputes: { of: 'merchant' },
  /** Refunds by hand at the payment provider without a credit note. */
  returned_outside: { of: 'merchant' },
} as const satisfies Record<string, { of: 'customer' | 'merchant' }>;

export type AccountKind = keyof typeof accounts;

/** One account of a merchant in the currency of its transaction; `customerId` is null for the merchant's own. */
export interface Account {
  readonly account: AccountKind;
  readonly customerId: string | null;
}
