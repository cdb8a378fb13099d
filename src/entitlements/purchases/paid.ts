import type { PurposeHandler } from '../../invoicing/index.ts';
import { newId } from '../../kernel/ids.ts';
import { lockEntitlement } from '../entitlements.sql.ts';
import { writeGrant } from '../grants.ts';
import { effectOf } from './decide.ts';
import { findPurchase } from './purchases.sql.ts';

/**
 * Makes the grant that an invoice was paid for, in the transaction that marks it PAID (§3 Grant purchase): also where the
 * entitlement has ended meanwhile, because the money has come. An invoice that is cancelled leaves none behind.
 */
export const grantPurchases: PurposeHandler = {
  async paid(tx, { merchant_id, id: invoice_id }, now) {
    const purchase = await findPurchase(tx, merchant_id, invoice_id);
    const entitlement = purchase && (await lockEntitlement(tx, merchant_id, purchase.entitlement_id));
    if (!entitlement) throw new Error(`Invoice ${invoice_id} buys no grant.`);
    const grant = await writeGrant(
      tx,
      entitlement,
      {
        merchant_id,
        id: newId('grant'),
        entitlement_id: entitlement.id,
        origin: 'purchase',
        amount: purchase.amount,
        priority: 0,
        effective_at: effectOf(purchase, now),
        expires_at: purchase.expires_at,
        recurrence_period: null,
        reset_max_rollover: purchase.reset_max_rollover,
        reset_min_rollover: purchase.reset_min_rollover,
        idempotency_key: null,
        idempotency_print: null,
        invoice_id,
        created_at: now,
      },
      now,
    );
    return { grantId: grant.id };
  },
};
