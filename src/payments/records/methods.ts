import { findCustomer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { newId } from '../../kernel/ids.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Card, ProviderName } from '../provider/provider.ts';
import type { PaymentMethod } from './method.ts';
import {
  deleteMethod,
  insertMethod,
  lockMethodsOf,
  type Owner,
  selectMethods,
  updateDefault,
  updateDefaultToNewest,
} from './methods.sql.ts';

/**
 * Keeps a card for later charges. A customer's first one is the default. @returns its id; null where the customer is
 * gone.
 */
export async function storeMethod(
  tx: Tx,
  {
    merchantId,
    customerId,
    card,
    provider,
    accountId = null,
  }: Owner & { card: Card; provider: ProviderName; accountId?: string | null },
  now: Instant,
): Promise<string | null> {
  if (!(await findCustomer(tx, customerId, { keep: true }))) return null;
  await lockMethodsOf(tx, { merchantId, customerId });
  const id = newId('paymentMethod');
  await insertMethod(tx, {
    merchantId,
    id,
    customerId,
    type: 'card',
    brand: card.brand,
    last4: card.last4,
    expMonth: card.expMonth,
    expYear: card.expYear,
    provider,
    providerToken: card.token,
    accountId,
    createdAt: now,
  });
  return id;
}

/** A customer's methods, newest first. */
export async function listMethods(
  tx: Tx,
  owner: Owner,
  page: PageRequest,
): Promise<Result<{ rows: PaymentMethod[]; total: number }>> {
  const customer = await findCustomer(tx, owner.customerId);
  return customer ? ok(await selectMethods(tx, owner, page)) : notFound('customer');
}

/** Forgets a card. Where it was the default, the one that was stored last takes its place. */
export async function removeMethod(tx: Tx, owner: Owner, id: string): Promise<Result<undefined>> {
  if (!(await findCustomer(tx, owner.customerId))) return notFound('customer');
  await lockMethodsOf(tx, owner);
  if ((await deleteMethod(tx, owner, id)) === 0) return notFound('payment method');
  await updateDefaultToNewest(tx, owner);
  return ok(undefined);
}

/** Makes a card the one that is charged first. */
export async function makeDefault(tx: Tx, owner: Owner, id: string): Promise<Result<PaymentMethod>> {
  if (!(await findCustomer(tx, owner.customerId))) return notFound('customer');
  await lockMethodsOf(tx, owner);
  const method = await updateDefault(tx, owner, id);
  return method ? ok(method) : notFound('payment method');
}
