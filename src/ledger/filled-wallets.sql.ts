import { sql, type Tx } from '../db/index.ts';
import type { Decimal } from '../kernel/decimal.ts';

/** What a customer has in wallets, by currency; nobody fills or spends it until the transaction ends. */
export const lockFilledWallets = (tx: Tx, merchantId: string, customerId: string) =>
  tx.rows<{ currency: string; balance: Decimal }>(sql`
    select currency, balance from wallet
     where merchant_id = ${merchantId} and customer_id = ${customerId} and balance > 0 order by currency for update`);
