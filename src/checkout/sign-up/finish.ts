import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import { fail, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CheckoutDependencies } from '../link/dependencies.ts';
import type { CheckoutLink } from '../link/link.ts';
import { countUse } from '../link/links.sql.ts';
import type { Checkout } from './checkout.ts';
import { markCheckoutCompleted } from './checkouts.sql.ts';
import { type Subscribed, subscribe } from './subscribe.ts';

/**
 * Somebody subscribes: the customer and the subscription are made, in the transaction that takes the money, keeps the
 * card, or (where neither is wanted) takes the form. The caller has locked the link. The ids were promised, so that a
 * second time fails at the primary keys.
 * @returns CHECKOUT_LINK_USED; CHECKOUT_CHANGED where something else is due than was shown, or with another tax,
 * because the merchant has changed tax rates meanwhile; what refuses the customer or the subscription. Whoever gets a
 * refusal rolls back.
 */
export async function finish(
  dependencies: CheckoutDependencies,
  tx: Tx,
  link: CheckoutLink,
  checkout: Checkout,
  now: Instant,
): Promise<Result<Subscribed>> {
  if (link.maxUses !== null && link.uses >= link.maxUses) return fail('CHECKOUT_LINK_USED');
  const keepsCard = checkout.sessionId !== null;
  const sold = { ...link, coupons: checkout.coupons };
  const of = { ...checkout, link: sold, keepsCard, startedAt: checkout.createdAt };
  const made = await subscribe(dependencies, tx, of, now);
  if (!made.ok) return made;
  const { upfront } = made.value;
  if (upfront?.status === 'DRAFT') return fail('CHECKOUT_NOT_POSSIBLE');
  const { unpaidAmount, totalTax } = upfront ?? { unpaidAmount: ZERO, totalTax: ZERO };
  if (!unpaidAmount.eq(checkout.amount) || !totalTax.eq(checkout.tax ?? totalTax)) return fail('CHECKOUT_CHANGED');
  await markCheckoutCompleted(tx, checkout, now);
  await countUse(tx, link, now);
  return made;
}
