import type { Tx } from '../db/index.ts';
import { type Decimal, ZERO } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import type { AccountKind } from './accounts.ts';
import {
  insertTransactions,
  insertWallets,
  lockWallets,
  selectBalance,
  selectBalancesOfInvoices,
  selectEntries,
} from './ledger.sql.ts';
import { type Entry, mergeEntries, type Posting } from './posting.ts';

/**
 * Books something that happened, once. The wallets that it touches are locked, so they come last among the locks of a
 * transaction. Where all entries cancel out, nothing is written. `now` is effective now for what happened.
 * @throws for entries that do not balance, a wallet that would be overdrawn (23514), a key that is booked already
 *   (23505).
 */
export const post = (tx: Tx, posting: Posting, now: Instant): Promise<void> => postAll(tx, [posting], now);

/** The same of several of one merchant, in their order. */
export async function postAll(tx: Tx, postings: readonly Posting[], now: Instant): Promise<void> {
  const booked = postings
    .map((posting) => ({ id: newId('ledgerTransaction'), posting, entries: mergeEntries(posting) }))
    .filter(({ entries }) => entries.length > 0);
  if (booked.length === 0) return;
  const wallets = booked.flatMap(({ posting: { merchantId, currency }, entries }) =>
    entries.flatMap(({ account, customerId }) =>
      account === 'wallet' && customerId !== null ? [{ merchantId, customerId, currency }] : [],
    ),
  );
  const [first] = wallets;
  if (first) {
    await insertWallets(tx, wallets);
    await lockWallets(tx, [...new Set(wallets.map(({ customerId }) => customerId))]);
  }
  await insertTransactions(tx, booked, now);
}

/** The balance of a customer's account, replayed from its entries: above 0 where debits outweigh. */
export const accountBalance = (
  tx: Tx,
  account: AccountKind,
  of: { customerId: string; currency: string },
): Promise<Decimal> => selectBalance(tx, account, of);

/** The entries of an invoice under a key, and under those that follow it (`<key>:…`): for a reversal. */
export const bookedEntries = (
  tx: Tx,
  { id }: { readonly merchantId: string; readonly id: string },
  key: string,
): Promise<Entry[]> => selectEntries(tx, id, key);

/** The balances of an account for some invoices, replayed, by invoice: above 0 if debits outweigh. */
export async function balancesOfInvoices(
  tx: Tx,
  account: AccountKind,
  invoiceIds: readonly string[],
): Promise<(invoiceId: string) => Decimal> {
  const found = await selectBalancesOfInvoices(tx, account, invoiceIds);
  return (invoiceId) => found.get(invoiceId) ?? ZERO;
}

/** The balance of an account for one invoice. */
export const balanceOfInvoice = async (tx: Tx, account: AccountKind, invoiceId: string): Promise<Decimal> =>
  (await balancesOfInvoices(tx, account, [invoiceId]))(invoiceId);
