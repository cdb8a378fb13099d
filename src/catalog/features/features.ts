import { checkReference, type Tx, uniqueViolation } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { type Blocker, blockedBy, MOST_NAMED_BLOCKERS, named } from '../blockers.ts';
import type { CatalogOptions } from '../options.ts';
import type { Feature } from './feature.ts';
import {
  insertFeature,
  lockFeature,
  markFeatureDeleted,
  selectFeature,
  selectFeatures,
  selectPricesOfFeature,
  updateFeature,
} from './features.sql.ts';
import type { FeatureCreateBody, FeatureUpdateBody } from './schema.ts';

/** A feature as it is answered (§2). */
export const toFeatureReply = (feature: Feature) => ({
  id: feature.id,
  object: 'feature' as const,
  key: feature.key,
  name: feature.name,
  type: feature.type,
  merchantId: feature.merchantId,
  productId: feature.productId,
  metadata: feature.metadata,
  createdAt: formatInstant(feature.createdAt),
  updatedAt: formatInstant(feature.updatedAt),
});
type FeatureReply = ReturnType<typeof toFeatureReply>;

/** Makes a feature; `KEY_TAKEN` where the product has one of this key. */
export async function createFeature(tx: Tx, body: FeatureCreateBody, now: Instant): Promise<Result<FeatureReply>> {
  const product = await checkReference(tx, 'product', body.productId, 'productId');
  if (!product.ok) return product;
  const feature = await insertFeature(tx, {
    id: newId('feature'),
    merchantId: tx.merchantId,
    productId: body.productId,
    key: body.key,
    name: body.name,
    type: body.type,
    metadata: body.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  });
  return feature ? ok(toFeatureReply(feature)) : fail('KEY_TAKEN', { field: 'key' });
}

/** Features of one merchant, or (null, for operators) of all, newest first. */
export async function listFeatures(
  tx: Tx,
  merchantId: string | null,
  filter: { productId?: string; key?: string; type?: string },
  page: PageRequest,
) {
  const { rows, total } = await selectFeatures(tx, merchantId, filter, page);
  return { data: rows.map(toFeatureReply), total };
}

/** One feature; 404. */
export async function getFeature(tx: Tx, id: string): Promise<Result<FeatureReply>> {
  const feature = await selectFeature(tx, id);
  return feature ? ok(toFeatureReply(feature)) : notFound('feature');
}

/** Changes the fields of the body. A feature with prices stays with its product: `FEATURE_IN_USE`. */
export async function changeFeature(
  tx: Tx,
  id: string,
  body: FeatureUpdateBody,
  now: Instant,
): Promise<Result<FeatureReply>> {
  const feature = await lockFeature(tx, id);
  if (!feature) return notFound('feature');
  if (body.type !== undefined && body.type !== feature.type)
    return invalidField('type', `never changes: the feature is ${feature.type}`);
  if (body.productId !== undefined && body.productId !== feature.productId) {
    const product = await checkReference(tx, 'product', body.productId, 'productId');
    if (!product.ok) return product;
    const blocked = blockedBy('FEATURE_IN_USE', [await pricesOf(tx, feature)]);
    if (blocked) return blocked;
  }
  try {
    return ok(
      toFeatureReply(
        await tx.savepoint(
          () => updateFeature(tx, id, body, now),
          () => true,
        ),
      ),
    );
  } catch (error) {
    if (uniqueViolation(error) === 'feature_key') return fail('KEY_TAKEN', { field: 'key' });
    throw error;
  }
}

/** Deletes a feature that nothing holds: `FEATURE_IN_USE` with the blockers. Its key is free again. */
export async function deleteFeature(
  tx: Tx,
  id: string,
  now: Instant,
  { holdersOf }: CatalogOptions,
): Promise<Result<undefined>> {
  const feature = await lockFeature(tx, id);
  if (!feature) return notFound('feature');
  const others = (await holdersOf?.(tx, 'feature', id, now)) ?? [];
  const blocked = blockedBy('FEATURE_IN_USE', [await pricesOf(tx, feature), ...others]);
  if (blocked) return blocked;
  await markFeatureDeleted(tx, id, now);
  return ok(undefined);
}

const pricesOf = async (tx: Tx, { id }: Feature): Promise<Blocker> =>
  named('price', await selectPricesOfFeature(tx, id, MOST_NAMED_BLOCKERS));
