import { checkReference, type Tx, uniqueViolation } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { isId, newId } from '../kernel/ids.ts';
import { type Failure, fail, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant } from '../kernel/time.ts';
import {
  deleteReferenceRow,
  deleteReferenceRowsOf,
  type ExternalReference,
  insertReference,
  lockDefaults,
  lockReference,
  type ReferenceFilter,
  selectPrimary,
  selectReference,
  selectReferences,
  selectReferencesOf,
  updateNotDefault,
  updateReference,
} from './references.sql.ts';
import type { ReferenceCreateBody, ReferenceUpdateBody } from './schema.ts';

/** A reference as it is answered (§2). */
export const toReferenceReply = (reference: ExternalReference) => ({
  id: reference.id,
  object: 'externalReference' as const,
  merchantId: reference.merchantId,
  entityType: reference.entityType,
  entityId: reference.entityId,
  provider: reference.provider,
  externalId: reference.externalId,
  externalLabel: reference.externalLabel,
  metadata: reference.metadata,
  isPrimary: reference.isPrimary,
  isDefault: reference.isDefault,
  createdAt: formatInstant(reference.createdAt),
  updatedAt: formatInstant(reference.updatedAt),
});
export type ReferenceReply = ReturnType<typeof toReferenceReply>;

/**
 * Links an entity of the merchant to a record in an outside system. An entity that does not exist, or is of another
 * type than said, is a 404; another merchant's a 403; an external id that is a primary reference already a 409.
 */
export async function createReference(
  tx: Tx,
  body: ReferenceCreateBody,
  now: Instant,
): Promise<Result<ReferenceReply>> {
  if (!isId(body.entityType, body.entityId)) return notFound(body.entityType, 'entityId');
  const known = await checkReference(tx, body.entityType, body.entityId, 'entityId');
  if (!known.ok) return known;
  const reference: ExternalReference = {
    id: newId('externalReference'),
    merchantId: tx.merchantId,
    entityType: body.entityType,
    entityId: body.entityId,
    provider: body.provider,
    externalId: body.externalId,
    externalLabel: body.externalLabel ?? null,
    metadata: body.metadata ?? {},
    isPrimary: body.isPrimary ?? true,
    isDefault: body.isDefault ?? false,
    createdAt: now,
    updatedAt: now,
  };
  await makeRoomForDefault(tx, reference, now);
  const inserted = await insertReference(tx, reference);
  return inserted ? ok(toReferenceReply(inserted)) : taken(tx, reference);
}

/** Changes the fields of the body; the entity of the reference stays. */
export async function changeReference(
  tx: Tx,
  id: string,
  body: ReferenceUpdateBody,
  now: Instant,
): Promise<Result<ReferenceReply>> {
  const current = await selectReference(tx, id);
  if (!current) return notFound('external reference');
  await lockDefaults(tx, current.entityId); // before the row, as whoever else makes a default does
  const locked = await lockReference(tx, id);
  if (!locked) return notFound('external reference');
  const changed: ExternalReference = { ...locked, ...defined(body), updatedAt: now };
  try {
    const updated = await tx.savepoint(
      async () => {
        if (changed.isDefault) await updateNotDefault(tx, changed, now);
        return updateReference(tx, changed);
      },
      () => true,
    );
    return ok(toReferenceReply(updated));
  } catch (error) {
    if (uniqueViolation(error) === 'external_reference_primary') return taken(tx, changed);
    throw error;
  }
}

/** Without the fields that were not sent. */
const defined = (body: ReferenceUpdateBody): Partial<ExternalReference> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));

/** A new default clears the old one of the entity and provider (domain.md §6). */
async function makeRoomForDefault(tx: Tx, reference: ExternalReference, now: Instant): Promise<void> {
  if (!reference.isDefault) return;
  await lockDefaults(tx, reference.entityId);
  await updateNotDefault(tx, reference, now);
}

/** Says whose primary reference the external id is. */
async function taken(tx: Tx, { provider, externalId }: ExternalReference): Promise<Failure> {
  const holder = await selectPrimary(tx, provider, externalId);
  return fail('REFERENCE_TAKEN', {
    field: 'externalId',
    ...(holder && { externalReferenceId: holder.id, entityType: holder.entityType, entityId: holder.entityId }),
  });
}

/** One reference; 404. */
export async function getReference(tx: Tx, id: string): Promise<Result<ReferenceReply>> {
  const reference = await selectReference(tx, id);
  return reference ? ok(toReferenceReply(reference)) : notFound('external reference');
}

/** References of one merchant, or (null, for operators) of all, newest first. */
export async function listReferences(tx: Tx, merchantId: string | null, filter: ReferenceFilter, page: PageRequest) {
  const { rows, total } = await selectReferences(tx, merchantId, filter, page);
  return { data: rows.map(toReferenceReply), total };
}

/** Unlinks; the entity and the outside record stay. */
export async function deleteReference(tx: Tx, id: string): Promise<Result<undefined>> {
  return (await deleteReferenceRow(tx, id)) ? ok(undefined) : notFound('external reference');
}

/** The references of some entities, oldest first, by the entity's id; every id has its entry. */
export async function referencesOf(
  tx: Tx,
  merchantIds: readonly string[],
  entityIds: readonly string[],
): Promise<Map<string, ReferenceReply[]>> {
  const byEntity = new Map<string, ReferenceReply[]>(entityIds.map((id) => [id, []]));
  if (entityIds.length === 0) return byEntity;
  for (const reference of await selectReferencesOf(tx, merchantIds, entityIds))
    byEntity.get(reference.entityId)?.push(toReferenceReply(reference));
  return byEntity;
}

/** Unlinks everything from an entity that is being deleted. */
export const deleteReferencesOf = async (tx: Tx, entityId: string): Promise<void> =>
  void (await deleteReferenceRowsOf(tx, entityId));

/** The default references of some entities of a merchant, oldest first. */
export async function findDefaultReferences(tx: Tx, entityIds: readonly string[]) {
  const references = await selectReferencesOf(tx, [tx.merchantId], entityIds);
  return references
    .filter(({ isDefault }) => isDefault)
    .map(({ entityType, entityId, provider, externalId }) => ({ entityType, entityId, provider, externalId }));
}
