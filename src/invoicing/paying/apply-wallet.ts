import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { type InvoiceRow, payerOf } from '../invoice/invoice.ts';
import type { IssuedLine } from '../invoice/invoice-line.ts';

/** The content of a customer's wallet. */
export interface Wallet {
  readonly customerId: string;
  readonly currency: string;
  readonly balance: Decimal;
}

/**
 * Row 10 of domain.md §4: what is in the wallet of its payer pays an invoice as it is issued, as far as it goes. Tax is
 * on the full amount all the same: the wallet pays and takes nothing off.
 * @returns how much of each invoice the wallets pay, by its id; of two invoices of one payer the first one comes
 *   first
 */
export function walletShares(
  invoices: readonly Pick<InvoiceRow, 'id' | 'customerId' | 'payerId' | 'currency' | 'unpaidAmount'>[],
  wallets: readonly Wallet[],
): ReadonlyMap<string, Decimal> {
  const left = new Map(wallets.map(({ customerId, currency, balance }) => [`${customerId} ${currency}`, balance]));
  return new Map(
    invoices.map((invoice) => {
      const { id, currency, unpaidAmount } = invoice;
      const wallet = `${payerOf(invoice)} ${currency}`;
      const balance = left.get(wallet) ?? ZERO;
      const share = Decimal.min(balance, unpaidAmount);
      left.set(wallet, balance.minus(share));
      return [id, share];
    }),
  );
}

const FOR_MONEY_ONLY: readonly string[] = ['wallet_top_up', 'grant', 'credit_purchase'];

/** Does it sell what money of a wallet does not buy: more money in it, a grant or a credit (domain.md §4, Wallet)? */
export const sellsForMoneyOnly = (lines: readonly Pick<IssuedLine, 'type'>[]): boolean =>
  lines.some(({ type }) => FOR_MONEY_ONLY.includes(type));
