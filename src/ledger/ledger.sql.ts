import { allOf, type PageRequest, pageOfRows, recordset, sql, type Tx } from '../db/index.ts';
import { type Decimal, ZERO } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { AccountKind } from './accounts.ts';
import type { Entry, LedgerReason, Posting } from './posting.ts';

/** The wallet of a customer in a currency: each currency has its own. */
export interface WalletKey {
  readonly merchantId: string;
  readonly customerId: string;
  readonly currency: string;
}

/** A transaction of the ledger, with the entries as they are stored. */
export interface NewTransaction {
  readonly id: string;
  readonly posting: Posting;
  readonly entries: readonly Entry[];
}

/** Writes transactions with their entries in one statement; a second one under a key violates the unique index. */
export const insertTransactions = (tx: Tx, booked: readonly NewTransaction[], now: Instant): Promise<number> => {
  const transactions = booked.map(({ id, posting: { merchantId, key, reason, invoiceId, currency } }) => ({
    merchantId,
    id,
    key,
    reason,
    invoiceId: invoiceId ?? null,
    currency,
  }));
  const entries = booked.flatMap(({ id, posting: { merchantId, currency }, entries: own }) =>
    own.map(({ account, customerId, amount }, position) => ({
      merchantId,
      transactionId: id,
      position,
      account,
      customerId,
      currency,
      amount,
    })),
  );
  return tx.run(sql`select book_transactions(${recordset(transactions)}, ${recordset(entries)}, ${now})`);
};

/** Makes the rows of wallets that have none, so that there is something to lock. In one order, against deadlocks. */
export const insertWallets = (tx: Tx, wallets: readonly WalletKey[]): Promise<number> =>
  tx.run(sql`
    insert into wallet (merchant_id, customer_id, currency)
    select distinct w.merchant_id, w.customer_id, w.currency
      from jsonb_to_recordset(${recordset(wallets)}) as w (merchant_id text, customer_id text, currency text)
     order by 1, 2, 3
    on conflict do nothing`);

/**
 * Locks wallets of a merchant's customers until the transaction ends, in one order; those that were never used have no
 * row.
 */
export const lockWallets = (
  tx: Tx,
  customerIds: readonly string[],
): Promise<{ customerId: string; currency: string; balance: Decimal }[]> =>
  tx.rows<{ customerId: string; currency: string; balance: Decimal }>(sql`
    select customer_id, currency, balance from wallet
     where merchant_id = ${tx.merchantId} and customer_id = any (${customerIds})
     order by customer_id, currency for update`);

/** Locks a wallet until the transaction ends: of two who spend from it, one sees what the other left. */
export const lockWallet = async (tx: Tx, { merchantId, customerId, currency }: WalletKey): Promise<Decimal> =>
  (
    await tx.maybe<{ balance: Decimal }>(sql`
      select balance from wallet
       where merchant_id = ${merchantId} and customer_id = ${customerId} and currency = ${currency} for update`)
  )?.balance ?? ZERO;

/** The content of a wallet, for reading; a payment from it locks it instead. */
export const selectWallet = async (tx: Tx, { merchantId, customerId, currency }: WalletKey): Promise<Decimal> =>
  (
    await tx.maybe<{ balance: Decimal }>(sql`
      select balance from wallet
       where merchant_id = ${merchantId} and customer_id = ${customerId} and currency = ${currency}`)
  )?.balance ?? ZERO;

/** All wallets of a customer that were ever used, by currency. */
export const selectWallets = (tx: Tx, customerId: string) =>
  tx.rows<{ currency: string; balance: Decimal }>(sql`
    select currency, balance from wallet
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} order by currency`);

/** The wallets of a customer with money, by currency; locked until the transaction ends. */
export const lockFilledWallets = (tx: Tx, customerId: string) =>
  tx.rows<{ currency: string; balance: Decimal }>(sql`
    select currency, balance from wallet
     where merchant_id = ${tx.merchantId}
       and customer_id = ${customerId} and balance > 0 order by currency for update`);

/** The balance of an account, replayed from its entries: above 0 where debits outweigh. */
export const selectBalance = async (
  tx: Tx,
  account: AccountKind,
  { customerId, currency }: { customerId: string; currency: string },
): Promise<Decimal> =>
  (
    await tx.one<{ balance: Decimal }>(sql`
      select coalesce(sum(amount), 0) as balance from ledger_entry
       where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and account = ${account}
         and currency = ${currency}`)
  ).balance;

/** The balances of an account for some invoices, replayed, by invoice; those without entries are left out. */
export const selectBalancesOfInvoices = async (
  tx: Tx,
  account: AccountKind,
  invoiceIds: readonly string[],
): Promise<ReadonlyMap<string, Decimal>> => {
  const rows = await tx.rows<{ invoiceId: string; balance: Decimal }>(sql`
    select booked.invoice_id, sum(entry.amount) as balance
      from ledger_transaction booked
      join ledger_entry entry on entry.merchant_id = booked.merchant_id and entry.transaction_id = booked.id
     where booked.merchant_id = ${tx.merchantId} and booked.invoice_id = any (${[...invoiceIds]}::text[])
       and entry.account = ${account}
     group by booked.invoice_id`);
  return new Map(rows.map(({ invoiceId, balance }) => [invoiceId, balance]));
};

/** The entries of an invoice under a key and under those that follow it, in their order; none if the key is new. */
export const selectEntries = (tx: Tx, invoiceId: string, key: string): Promise<Entry[]> =>
  tx.rows<Entry>(sql`
    select entry.account, entry.customer_id, entry.amount
      from ledger_transaction booked
      join ledger_entry entry on entry.merchant_id = booked.merchant_id and entry.transaction_id = booked.id
     where booked.merchant_id = ${tx.merchantId} and booked.invoice_id = ${invoiceId}
       and (booked.key = ${key} or starts_with(booked.key, ${`${key}:`}))
     order by booked.key, entry.position`);

/** An entry of a wallet with the whole transaction that it is of; decimals as text in `entries`. */
export interface WalletEntryRow {
  transactionId: string;
  reason: LedgerReason;
  invoiceId: string | null;
  currency: string;
  amount: Decimal;
  walletBalance: Decimal;
  createdAt: Instant;
  entries: { account: AccountKind; amount: string }[];
}

/** The entries of a customer's wallets, newest first. */
export const selectWalletEntries = (
  tx: Tx,
  { merchantId, customerId, currency }: { merchantId: string; customerId: string; currency?: string | undefined },
  page: PageRequest,
) =>
  pageOfRows<WalletEntryRow>(
    tx,
    {
      kind: 'ledgerTransaction',
      select: sql`
        entry.transaction_id, booked.reason, booked.invoice_id, entry.currency, entry.amount, entry.wallet_balance,
        booked.created_at,
        (select jsonb_agg(jsonb_build_object('account', side.account, 'amount', side.amount::text)
                          order by side.position)
           from ledger_entry side
          where side.merchant_id = entry.merchant_id and side.transaction_id = entry.transaction_id) as entries`,
      from: sql`
        ledger_entry entry
        join ledger_transaction booked on booked.merchant_id = entry.merchant_id and booked.id = entry.transaction_id`,
      alias: 'entry',
      id: sql`entry.transaction_id`,
      exists: sql`entry.merchant_id = ${merchantId} and entry.customer_id = ${customerId} and entry.account = 'wallet'`,
      where: allOf([currency !== undefined && sql`entry.currency = ${currency}`]),
    },
    page,
  );
