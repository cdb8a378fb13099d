import { findCustomer } from '../customers/index.ts';
import {
  DecimalOut,
  Id,
  ListQuery,
  Nullable,
  OneOf,
  type Route,
  routesOf,
  type Static,
  Timestamp,
  Type,
} from '../http/index.ts';
import { decimal } from '../kernel/decimal.ts';
import { formatMoney } from '../kernel/money.ts';
import { notFound, ok } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import { type AccountKind, accounts } from './accounts.ts';
import { selectWalletEntries, selectWallets, type WalletEntryRow } from './ledger.sql.ts';
import { ledgerReasons } from './posting.ts';

const api = routesOf('Customers');
const ofCustomer = { role: 'viewer', merchant: { of: 'id', kind: 'customer' } } as const;

const WalletReply = Type.Object(
  {
    object: Type.Literal('wallet'),
    customerId: Id('customer'),
    balances: Type.Array(
      Type.Object(
        { currency: Type.String(), balance: DecimalOut },
        {
          'x-fields': {
            balance: 'The money in the wallet, in major units, 0 or more.',
          },
        },
      ),
    ),
  },
  {
    $id: 'Wallet',
    description: 'Prepaid or overpaid money of a customer. It pays the next invoices automatically.',
    'x-fields': {
      balances: 'A balance for each currency that was ever used.',
    },
  },
);

const WalletEntryReply = Type.Object(
  {
    id: Id('ledgerTransaction'),
    object: Type.Literal('walletEntry'),
    customerId: Id('customer'),
    currency: Type.String(),
    amount: DecimalOut,
    balance: DecimalOut,
    reason: OneOf(ledgerReasons),
    invoiceId: Nullable(Type.String()),
    entries: Type.Array(
      Type.Object(
        {
          account: OneOf(Object.keys(accounts) as AccountKind[]),
          amount: DecimalOut,
        },
        {
          'x-fields': {
            account: 'The account. The guide "Wallets" explains each.',
            amount: 'The amount in major units. Above 0: a debit. Below 0: a credit.',
          },
        },
      ),
    ),
    createdAt: Timestamp,
  },
  {
    $id: 'WalletEntry',
    description: 'A change of a wallet, with the whole transaction in the ledger.',
    'x-fields': {
      amount: 'The change of the balance, in major units. Below 0: money left the wallet.',
      balance: 'The balance after the change, in major units.',
      reason: 'The cause of the change.',
      invoiceId: 'The invoice. Null: it is of none.',
      entries: 'The transaction by double entry. The amounts sum to 0.',
    },
  },
);

/** The wallets of a customer (api.md, Customers and wallet). */
export const ledgerRoutes: readonly Route[] = [
  api.get('/v0/customers/:id/wallet', 'getWallet', {
    summary: 'Retrieve the wallet of a customer',
    description:
      'Answers the balance of each currency. The wallet pays the next invoices of its currency automatically.',
    access: ofCustomer,
    replies: { 200: WalletReply },
    handler: async ({ tx, params }) => {
      const customerId = params.id;
      if (!(await findCustomer(tx, customerId))) return notFound('customer');
      const wallets = await selectWallets(tx, customerId);
      const balances = wallets.map(({ currency, balance }) => ({ currency, balance: formatMoney(balance, currency) }));
      return ok({ object: 'wallet' as const, customerId, balances });
    },
  }),
  api.list('/v0/customers/:id/wallet/entries', 'listWalletEntries', {
    summary: 'List the changes of the wallet of a customer',
    description: 'The newest change comes first. `entries` is the whole transaction in the ledger, by double entry.',
    access: ofCustomer,
    query: ListQuery({ currency: Type.Optional(Type.String({ format: 'currency' })) }),
    of: WalletEntryReply,
    list: async ({ tx, merchantId, params, query, page }) => {
      const customerId = params.id;
      if (!(await findCustomer(tx, customerId))) return notFound('customer');
      return selectWalletEntries(tx, { merchantId, customerId, currency: query.currency }, page);
    },
    each: (row, { params }) => toWalletEntryReply(params.id, row),
  }),
];

const toWalletEntryReply = (customerId: string, row: WalletEntryRow): Static<typeof WalletEntryReply> => ({
  id: row.transactionId,
  object: 'walletEntry',
  customerId,
  currency: row.currency,
  amount: formatMoney(row.amount.negated(), row.currency),
  balance: formatMoney(row.walletBalance, row.currency),
  reason: row.reason,
  invoiceId: row.invoiceId,
  entries: row.entries.map(({ account, amount }) => ({ account, amount: formatMoney(decimal(amount), row.currency) })),
  createdAt: formatInstant(row.createdAt),
});
