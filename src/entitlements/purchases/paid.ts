import type { PurposeHandler } from '../../invoicing/index.ts';
import { newId } from '../../kernel/ids.ts';
import type { EntitlementDependencies } from '../entitlement/dependencies.ts';
import { lockEntitlement } from '../entitlement/entitlements.sql.ts';
import { writeGrant } from '../grants/grants.ts';
import { effectOf } from './decide.ts';
import { selectPurchase } from './purchases.sql.ts';

/**
 * Makes the grant that an invoice was paid for, in the transaction that marks it PAID (§3 Grant purchase): also where
 * the entitlement has ended meanwhile, because the money has come. What it covers of the past is then looked at once
 * more: no later invoice would. An invoice that is cancelled leaves none behind.
 */
export const grantPurchases = ({ wakeEnded }: Pick<EntitlementDependencies, 'wakeEnded'>): PurposeHandler => ({
  async paid(tx, { merchantId, id: invoiceId }, now) {
    const purchase = await selectPurchase(tx, invoiceId);
    const entitlement = purchase && (await lockEntitlement(tx, purchase.entitlementId));
    if (!entitlement) throw new Error(`Invoice ${invoiceId} buys no grant.`);
    const grant = await writeGrant(
      tx,
      entitlement,
      {
        merchantId,
        id: newId('grant'),
        entitlementId: entitlement.id,
        origin: 'purchase',
        amount: purchase.amount,
        priority: 0,
        effectiveAt: effectOf(purchase, now),
        expiresAt: purchase.expiresAt,
        recurrencePeriod: null,
        resetMaxRollover: purchase.resetMaxRollover,
        resetMinRollover: purchase.resetMinRollover,
        idempotencyKey: null,
        idempotencyPrint: null,
        invoiceId,
        createdAt: now,
      },
      now,
    );
    if (entitlement.subscriptionId !== null) await wakeEnded(tx, [entitlement.subscriptionId], now);
    return { grantId: grant.id };
  },
});
