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
export const selectBalance = (
  tx: Tx,
  account: AccountKind,
  { customerId, currency }: { customerId: string; currency: string },
): Promise<Decimal> =>
  tx.value<Decimal>(sql`
    select coalesce(sum(amount), 0) as balance from ledger_entry
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} and account = ${account}
       and currency = ${currency}`);

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

/** The accounts whose sum is the balance of a customer: the debt, less the money that waits. */
export const OF_BALANCE: readonly AccountKind[] = ['receivable', 'owed_again', 'to_collect', 'wallet', 'unapplied'];

/** A customer in a currency. */
export interface BalanceOf {
  readonly customerId: string;
  readonly currency: string;
}

const ownEntries = (tx: Tx, { customerId, currency }: BalanceOf) => sql`
  ledger_entry own
   where own.merchant_id = ${tx.merchantId} and own.customer_id = ${customerId} and own.currency = ${currency}
     and own.account = any (${[...OF_BALANCE]}::text[])`;

/** The balance of a customer as it was at an instant: without the bookings of that instant itself. */
export const selectBalanceBefore = (tx: Tx, of: BalanceOf, at: Instant): Promise<Decimal> =>
  tx.value<Decimal>(sql`
    select coalesce(sum(e.amount), 0) as balance
      from (select own.merchant_id, own.transaction_id, own.amount from ${ownEntries(tx, of)}) e
      join ledger_transaction t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
     where t.created_at < ${at}`);

/** A transaction of the ledger as one customer sees it. Above 0: it owes more, or money came in or is a loss. */
export interface CustomerTransaction {
  readonly id: string;
  readonly at: Instant;
  readonly key: string;
  readonly reason: LedgerReason;
  readonly invoiceId: string | null;
  /** The change of the balance, and of its parts. */
  readonly change: Decimal;
  readonly wallet: Decimal;
  readonly toCollect: Decimal;
  /** The change of the merchant's accounts: `cash`, what goes back to payers, and losses. */
  readonly cash: Decimal;
  readonly goingBack: Decimal;
  readonly lost: Decimal;
}

/**
 * The transactions of a customer's accounts in a stretch of time, and the others of invoices that it owed (a refund of
 * money moves none of its accounts), in their order.
 */
export const selectTransactionsOf = (
  tx: Tx,
  of: BalanceOf,
  { from, to, most }: { readonly from: Instant; readonly to: Instant; readonly most: number },
): Promise<CustomerTransaction[]> =>
  tx.rows<CustomerTransaction>(sql`
    with mine as (select distinct own.transaction_id from ${ownEntries(tx, of)}),
         owed as (
           select distinct t.invoice_id from mine
             join ledger_transaction t on t.merchant_id = ${tx.merchantId} and t.id = mine.transaction_id
            where t.reason = 'invoice_issued'),
         chosen as (
           select transaction_id as id from mine
           union
           select t.id from owed
             join ledger_transaction t on t.merchant_id = ${tx.merchantId} and t.invoice_id = owed.invoice_id)
    select t.id, t.created_at as at, t.key, t.reason, t.invoice_id, s.*
      from chosen
      join ledger_transaction t on t.merchant_id = ${tx.merchantId} and t.id = chosen.id
     cross join lateral (
       select coalesce(sum(e.amount) filter (where e.customer_id = ${of.customerId}
                                               and e.account = any (${[...OF_BALANCE]}::text[])), 0) as change,
              coalesce(sum(e.amount) filter (where e.customer_id = ${of.customerId}
                                               and e.account = 'wallet'), 0) as wallet,
              coalesce(sum(e.amount) filter (where e.customer_id = ${of.customerId}
                                               and e.account = 'to_collect'), 0) as to_collect,
              coalesce(sum(e.amount) filter (where e.account = 'cash'), 0) as cash,
              coalesce(sum(e.amount) filter (where e.account in ('refunds_payable', 'disputes',
                                                                 'returned_outside')), 0) as going_back,
              coalesce(sum(e.amount) filter (where e.account = 'write_off'), 0) as lost
         from ledger_entry e
        where e.merchant_id = ${tx.merchantId} and e.transaction_id = t.id) s
     where t.currency = ${of.currency} and t.created_at >= ${from} and t.created_at < ${to}
     order by t.created_at, t.seq limit ${most}`);

/** The currencies in which something was ever booked for a customer, in their order. */
export const selectCurrenciesOf = (tx: Tx, customerId: string): Promise<string[]> =>
  tx.values<string>(sql`
    select distinct currency from ledger_entry
     where merchant_id = ${tx.merchantId} and customer_id = ${customerId} order by currency`);
