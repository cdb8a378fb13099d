import type { Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { newId } from '../../kernel/ids.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { type Blocker, blockedBy, MOST_NAMED_BLOCKERS, named } from '../blockers.ts';
import { resolveProduct } from '../product-of-item.ts';
import {
  type Fee,
  insertFee,
  lockFee,
  markFeeDeleted,
  selectFee,
  selectFees,
  selectPricesOfFee,
  updateFee,
} from './fees.sql.ts';
import type { FeeCreateBody, FeeUpdateBody } from './schema.ts';

/** A fee as it is answered. */
export const toFeeReply = (fee: Fee) => ({
  id: fee.id,
  object: 'fee' as const,
  name: fee.name,
  description: fee.description,
  merchantId: fee.merchantId,
  productId: fee.productId,
  itemId: fee.itemId,
  createdAt: formatInstant(fee.createdAt),
  updatedAt: formatInstant(fee.updatedAt),
});
type FeeReply = ReturnType<typeof toFeeReply>;

/** Makes a fee of a product, or of an item and so of its product. */
export async function createFee(tx: Tx, body: FeeCreateBody, now: Instant): Promise<Result<FeeReply>> {
  const productId = await resolveProduct(tx, body);
  if (!productId.ok) return productId;
  const fee = await insertFee(tx, {
    id: newId('fee'),
    merchantId: tx.merchantId,
    productId: productId.value,
    itemId: body.itemId ?? null,
    name: body.name,
    description: body.description ?? '',
    createdAt: now,
    updatedAt: now,
  });
  return ok(toFeeReply(fee));
}

/** Fees of one merchant, or (null, for operators) of all, newest first. */
export async function listFees(
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string; itemId?: string },
  page: PageRequest,
) {
  const { rows, total } = await selectFees(tx, merchantId, filter, page);
  return { data: rows.map(toFeeReply), total };
}

/** One fee; 404. */
export async function getFee(tx: Tx, id: string): Promise<Result<FeeReply>> {
  const fee = await selectFee(tx, id);
  return fee ? ok(toFeeReply(fee)) : notFound('fee');
}

/** Changes the fields of the body. A fee with prices stays with its product: `FEE_IN_USE`. */
export async function changeFee(tx: Tx, id: string, body: FeeUpdateBody, now: Instant): Promise<Result<FeeReply>> {
  const fee = await lockFee(tx, id);
  if (!fee) return notFound('fee');
  const { name, description } = body;
  let { itemId, productId } = fee;
  if (body.itemId !== undefined || body.productId !== undefined) {
    itemId = body.itemId === undefined ? itemId : body.itemId;
    const placed = body.productId ?? (body.itemId ? undefined : productId); // an item's catalog decides alone
    const resolved = await resolveProduct(tx, { itemId, productId: placed });
    if (!resolved.ok) return resolved;
    productId = resolved.value;
  }
  if (productId !== fee.productId) {
    const blocked = blockedBy('FEE_IN_USE', [await pricesOf(tx, fee)]);
    if (blocked) return blocked;
  }
  const change = {
    itemId,
    productId,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  };
  return ok(toFeeReply(await updateFee(tx, id, change, now)));
}

/** Deletes a fee that no price holds; else 409 `FEE_IN_USE` with the blockers body of §7. */
export async function deleteFee(tx: Tx, id: string, now: Instant): Promise<Result<undefined>> {
  const fee = await lockFee(tx, id);
  if (!fee) return notFound('fee');
  const blocked = blockedBy('FEE_IN_USE', [await pricesOf(tx, fee)]);
  if (blocked) return blocked;
  await markFeeDeleted(tx, id, now);
  return ok(undefined);
}

const pricesOf = async (tx: Tx, { id }: Fee): Promise<Blocker> =>
  named('price', await selectPricesOfFee(tx, id, MOST_NAMED_BLOCKERS));
