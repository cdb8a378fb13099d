import type { PurposeHandler } from '../../invoicing/index.ts';
import { plain } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { failAsConflict, ok } from '../../kernel/result.ts';
import type { EntitlementDependencies } from '../entitlement/dependencies.ts';
import { lockEntitlement } from '../entitlement/entitlements.sql.ts';
import { selectGrantsOfInvoice } from '../entitlement/grants.sql.ts';
import { voidGrant, writeGrant } from '../grants/grants.ts';
import { burntOfGrant } from '../reading/history.ts';
import { effectOf } from './decide.ts';
import { selectPurchase } from './purchases.sql.ts';

/**
 * Makes the grant that an invoice was paid for, in the transaction that marks it PAID (§3 Grant purchase): also where
 * the entitlement has ended meanwhile, because the money has come. What it covers of the past is then looked at once
 * more: no later invoice would. An invoice that is cancelled leaves none behind, and one whose payment is reversed has
 * its grant voided, while none of it is used.
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
  async reversed(tx, { merchantId, id: invoiceId }, now) {
    const purchase = await selectPurchase(tx, invoiceId);
    const entitlement = purchase && (await lockEntitlement(tx, purchase.entitlementId));
    if (!entitlement) throw new Error(`Invoice ${invoiceId} buys no grant.`);
    const grant = (await selectGrantsOfInvoice(tx, invoiceId)).at(-1);
    if (!grant) throw new Error(`Invoice ${invoiceId} has made no grant.`);
    const used = await burntOfGrant(tx, entitlement, grant, now);
    if (used.gt(0))
      return failAsConflict(
        'WALLET_SPENT',
        { grantId: grant.id, amount: plain(grant.amount), used: plain(used) },
        'Some of the grant that this payment bought is used, so the payment cannot be reversed.',
      );
    const voided = await voidGrant(tx, { merchantId, entitlementId: entitlement.id }, grant.id, now);
    return voided.ok ? ok(undefined) : voided;
  },
});
