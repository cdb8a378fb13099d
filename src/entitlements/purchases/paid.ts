import type { PurposeHandler } from '../../invoicing/index.ts';
import { newId } from '../../kernel/ids.ts';
import { lockEntitlement } from '../entitlements.sql.ts';
import { writeGrant } from '../grants.ts';
import type { EntitlementParts } from '../parts.ts';
import { effectOf } from './decide.ts';
import { findPurchase } from './purchases.sql.ts';

/**
 * Makes the grant that an invoice was paid for, in the transaction that marks it PAID (§3 Grant purchase): also where the
 * entitlement has ended meanwhile, because the money has come. What it covers of the past is then looked at once more: no later
 * invoice would. An invoice that is cancelled leaves none behind.
 */
export const grantPurchases = ({ wakeEnded }: Pick<EntitlementParts, 'wakeEnded'>): PurposeHandler => ({
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
    if (entitlement.subscription_id !== null) await wakeEnded(tx, merchant_id, [entitlement.subscription_id], now);
    return { grantId: grant.id };
  },
});
