import type { Tx } from '../db/index.ts';
import { Decimal } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import type { Instant } from '../kernel/time.ts';
import type { Account } from './accounts.ts';
import { lockFilledWallets, lockWallet, lockWallets, selectWallet, type WalletKey } from './ledger.sql.ts';
import { post } from './ledger.ts';
import type { Posting } from './posting.ts';

/** A movement of money into a wallet or out of it, as `post` books it. */
export interface WalletMove extends WalletKey, Pick<Posting, 'key' | 'reason' | 'invoiceId'> {
  /** In major units, not below 0. */
  readonly amount: Decimal;
  /** The other side. */
  readonly against: Account;
}

/** The money in a customer's wallet of a currency, in major units; 0 if it was never used. */
export const walletBalance = (tx: Tx, customerId: string, currency: string): Promise<Decimal> =>
  selectWallet(tx, { merchantId: tx.merchantId, customerId, currency });

/** The same, and nobody else spends or fills it until the transaction ends: for who decides by it. */
export const lockedWalletBalance = (tx: Tx, customerId: string, currency: string): Promise<Decimal> =>
  lockWallet(tx, { merchantId: tx.merchantId, customerId, currency });

/** The money in some customers' wallets, of each currency, locked in the same way; a wallet never used is left out. */
export const lockedWalletBalances = (
  tx: Tx,
  customerIds: readonly string[],
): Promise<{ customerId: string; currency: string; balance: Decimal }[]> => lockWallets(tx, customerIds);

/** The wallets of a customer in which there is something, locked: for who ends what they belong to. */
export async function filledWallets(tx: Tx, customerId: string): Promise<{ currency: string; balance: string }[]> {
  const wallets = await lockFilledWallets(tx, customerId);
  return wallets.map(({ currency, balance }) => ({ currency, balance: formatMoney(balance, currency) }));
}

/** Puts money into a wallet; `against` is debited: `cash` for what came in, `revenue` for what is given back. */
export const creditWallet = (tx: Tx, { amount, ...move }: WalletMove, now: Instant): Promise<void> =>
  moveWallet(tx, { ...move, amount: amount.negated() }, now);

/**
 * Takes as much of `amount` as there is; `against` is credited. Two at once never take the same money.
 * @returns how much was taken, 0 where the wallet is empty.
 */
export async function spendWallet(tx: Tx, move: WalletMove, now: Instant): Promise<Decimal> {
  const taken = Decimal.min(await lockWallet(tx, move), move.amount);
  await moveWallet(tx, { ...move, amount: taken }, now);
  return taken;
}

const moveWallet = (tx: Tx, { customerId, amount, against, ...booked }: WalletMove, now: Instant): Promise<void> =>
  post(
    tx,
    {
      ...booked,
      entries: [
        { account: 'wallet', customerId, amount },
        { ...against, amount: amount.negated() },
      ],
    },
    now,
  );
