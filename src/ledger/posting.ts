import { type Decimal, sum, ZERO } from '../kernel/decimal.ts';
import { roundTo } from '../kernel/money.ts';
import { type Account, accounts } from './accounts.ts';

/** An amount in major units, above 0 for a debit of the account, below 0 for a credit. */
export interface Entry extends Account {
  readonly amount: Decimal;
}

/** Something that happened with money, as it is booked. */
export interface Posting {
  readonly merchantId: string;
  /** The fact: booked once under this key, for ever (`payment:pay_…`). */
  readonly key: string;
  readonly reason: LedgerReason;
  /** The invoice that it is about, where there is one. */
  readonly invoiceId?: string | null;
  readonly currency: string;
  readonly entries: readonly Entry[];
}

/** Why money moved, as the entries of a wallet are answered with it. */
export const ledgerReasons = [
  'invoice_issued',
  'invoice_cancelled',
  'invoice_written_off',
  'payment',
  'payment_reversed',
  'receipt',
  'receipt_applied',
  'receipt_returned',
  'wallet_top_up',
  'credits_earned',
  'wallet_applied',
  'credit',
  'refund',
  'refund_voided',
  'money_returned',
  'dispute',
  'returned_outside',
] as const;
export type LedgerReason = (typeof ledgerReasons)[number];

/**
 * The entries as they are stored: one for each account, none of 0.
 * @throws for entries that do not balance, have more digits than their currency, or name no customer where the
 *   account is one's.
 */
export function mergeEntries({ key, currency, entries }: Pick<Posting, 'key' | 'currency' | 'entries'>): Entry[] {
  const merged = new Map<string, Entry>();
  for (const entry of entries) {
    const { account, customerId, amount } = entry;
    if ((accounts[account].of === 'customer') !== (customerId !== null))
      throw new Error(`${key}: ${account} is of a ${accounts[account].of}.`);
    const name = `${account} ${customerId}`;
    merged.set(name, { ...entry, amount: (merged.get(name)?.amount ?? ZERO).plus(amount) });
  }
  const nonZero = [...merged.values()].filter(({ amount }) => !amount.isZero());
  if (!sum(nonZero.map(({ amount }) => amount)).isZero()) throw new Error(`${key} does not balance.`);
  if (nonZero.some(({ amount }) => !roundTo(amount, currency, 'half-away-from-zero').eq(amount)))
    throw new Error(`${key} has more digits than ${currency}.`);
  return nonZero;
}
