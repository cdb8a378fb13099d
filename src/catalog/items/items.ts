import { checkReference, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import { newId } from '../../kernel/ids.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { deleteReferencesOf, entitiesReferenced, type ReferenceReply, referencesOf } from '../../references/index.ts';
import { type Blocker, blockedBy, MOST_NAMED_BLOCKERS, named } from '../blockers.ts';
import type { CatalogOptions } from '../options.ts';
import {
  deleteItemRow,
  type Item,
  insertItem,
  lockItem,
  selectItem,
  selectItemHolders,
  selectItems,
  selectItemsById,
  updateItem,
} from './items.sql.ts';
import type { ItemCreateBody, ItemListQuery, ItemUpdateBody } from './schema.ts';

const toItemReply = (item: Item, externalReferences: readonly ReferenceReply[]) => ({
  id: item.id,
  object: 'item' as const,
  merchantId: item.merchantId,
  name: item.name,
  metadata: item.metadata,
  externalReferences,
  catalogId: item.catalogId,
  archivedAt: item.archivedAt && formatInstant(item.archivedAt),
  createdAt: formatInstant(item.createdAt),
  updatedAt: formatInstant(item.updatedAt),
});
type ItemReply = ReturnType<typeof toItemReply>;

async function withReferences(tx: Tx, items: readonly Item[]): Promise<ItemReply[]> {
  const merchantIds = [...new Set(items.map((item) => item.merchantId))];
  const references = await referencesOf(
    tx,
    merchantIds,
    items.map((item) => item.id),
  );
  return items.map((item) => toItemReply(item, references.get(item.id) ?? []));
}

const replyWith = async (tx: Tx, item: Item): Promise<Result<ItemReply>> => {
  const [reply] = await withReferences(tx, [item]);
  return ok(reply as ItemReply);
};

/** Makes an item, in the catalog of a product where one is named. */
export async function createItem(tx: Tx, body: ItemCreateBody, now: Instant): Promise<Result<ItemReply>> {
  const catalogId = body.catalogId ?? null;
  if (catalogId !== null) {
    const product = await checkReference(tx, 'product', catalogId, 'catalogId');
    if (!product.ok) return product;
  }
  const item = await insertItem(tx, {
    id: newId('item'),
    merchantId: tx.merchantId,
    name: body.name,
    catalogId,
    metadata: body.metadata ?? {},
    archivedAt: null,
    createdAt: now,
    updatedAt: now,
  });
  return ok(toItemReply(item, []));
}

/** Items of one merchant, or (null, for operators) of all, newest first; those that a provider knows by an id. */
export async function listItems(tx: Tx, merchantId: string | null, query: ItemListQuery, page: PageRequest) {
  const { catalogId, provider, externalId, includeArchived = false } = query;
  const isResolved = provider !== undefined || externalId !== undefined;
  const filter = {
    catalogId,
    includeArchived,
    referenced: isResolved ? entitiesReferenced({ entityType: 'item', provider, externalId }) : undefined,
  };
  const { rows, total } = await selectItems(tx, merchantId, filter, page);
  return { data: await withReferences(tx, rows), total };
}

/** One item; 404. */
export async function getItem(tx: Tx, id: string): Promise<Result<ItemReply>> {
  const item = await selectItem(tx, id);
  return item ? replyWith(tx, item) : notFound('item');
}

/**
 * Changes what the body names. The product of metrics and fees comes from their item's catalog (§4 metric rule 2), so
 * the catalog of an item that tags some cannot change: `ITEM_IN_USE`.
 */
export async function changeItem(tx: Tx, id: string, body: ItemUpdateBody, now: Instant): Promise<Result<ItemReply>> {
  const item = await lockItem(tx, id);
  if (!item) return notFound('item');
  const { name, catalogId, metadata, archived } = body;
  if (catalogId !== undefined && catalogId !== item.catalogId) {
    if (catalogId !== null) {
      const product = await checkReference(tx, 'product', catalogId, 'catalogId');
      if (!product.ok) return product;
    }
    const blocked = blockedBy('ITEM_IN_USE', await catalogHolders(tx, item));
    if (blocked) return blocked;
  }
  const since = archived ? (item.archivedAt ?? now) : null;
  const archivedAt = archived === undefined ? undefined : since;
  return replyWith(tx, await updateItem(tx, id, { name, catalogId, metadata, archivedAt }, now));
}

/** Deletes an item that nothing holds, and its external references with it: `ITEM_IN_USE` with the blockers. */
export async function deleteItem(
  tx: Tx,
  id: string,
  now: Instant,
  { holdersOf }: CatalogOptions,
): Promise<Result<undefined>> {
  const item = await lockItem(tx, id);
  if (!item) return notFound('item');
  const others = (await holdersOf?.(tx, 'item', id, now)) ?? [];
  const blocked = blockedBy('ITEM_IN_USE', [...(await catalogHolders(tx, item)), ...others]);
  if (blocked) return blocked;
  await deleteReferencesOf(tx, id);
  await deleteItemRow(tx, id);
  return ok(undefined);
}

/** The metrics and fees that the item tags. */
async function catalogHolders(tx: Tx, { id }: Item): Promise<Blocker[]> {
  const rows = await selectItemHolders(tx, id, MOST_NAMED_BLOCKERS);
  return ['billableMetric', 'fee'].map((type) =>
    named(
      type,
      rows.filter((row) => row.type === type).map(({ type: _, ...row }) => row),
    ),
  );
}

/** An item as it stands beside the lines that name it. */
export interface ResolvedItem {
  readonly id: string;
  readonly name: string;
  readonly catalogId: string | null;
  readonly archivedAt: string | null;
  readonly externalReferences: readonly ReferenceReply[];
}

/** Items by id with their references, narrowed to one provider's where one is given; ids that are none are left out. */
export async function resolveItems(tx: Tx, ids: readonly string[], provider?: string): Promise<ResolvedItem[]> {
  const items = await withReferences(tx, await selectItemsById(tx, ids));
  return items.map(({ id, name, catalogId, archivedAt, externalReferences }) => ({
    id,
    name,
    catalogId,
    archivedAt,
    externalReferences: externalReferences.filter(
      (reference) => provider === undefined || reference.provider === provider,
    ),
  }));
}
