/** All that other domains may use of the ledger. */
export type { Account, AccountKind } from './accounts.ts';
export {
  type BalanceOf,
  type CustomerTransaction,
  selectBalanceBefore as balanceBefore,
  selectCurrenciesOf as currenciesOf,
  selectTransactionsOf as transactionsOf,
} from './ledger.sql.ts';
export { accountBalance, balanceOfInvoice, balancesOfInvoices, bookedEntries, post, postAll } from './ledger.ts';
export type { Entry, LedgerReason, Posting } from './posting.ts';
export { ledgerRoutes } from './routes.ts';
export {
  creditWallet,
  filledWallets,
  lockedWalletBalance,
  lockedWalletBalances,
  spendWallet,
  type WalletMove,
  walletBalance,
} from './wallet.ts';
