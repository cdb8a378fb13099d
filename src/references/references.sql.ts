import {
  allOf,
  assignments,
  column,
  insertion,
  jsonb,
  keptTotal,
  pageOfRows,
  type Sql,
  sql,
  type Tx,
  withJsonb,
} from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { EntityType } from './schema.ts';

/** The id of an entity in an external system (§2). */
export interface ExternalReference {
  readonly id: string;
  readonly merchantId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
  readonly provider: string;
  readonly externalId: string;
  readonly externalLabel: string | null;
  readonly metadata: Record<string, unknown>;
  readonly isPrimary: boolean;
  readonly isDefault: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const COLUMNS = sql`id, merchant_id, entity_type, entity_id, provider,
  external_id, external_label, metadata, is_primary,
  is_default, created_at, updated_at`;

/** @returns undefined where the external id is another primary's; two at once wait for each other on the index. */
export const insertReference = (tx: Tx, reference: ExternalReference) =>
  tx.maybe<ExternalReference>(sql`
    ${insertion('external_reference', withJsonb(reference, 'metadata'), COLUMNS)}
    on conflict (merchant_id, provider, external_id) where is_primary do nothing
    returning ${COLUMNS}`);

export const selectReference = (tx: Tx, id: string) =>
  tx.maybe<ExternalReference>(sql`
    select ${COLUMNS} from external_reference where merchant_id = ${tx.merchantId} and id = ${id}`);

export const lockReference = (tx: Tx, id: string) =>
  tx.maybe<ExternalReference>(sql`
    select ${COLUMNS} from external_reference where merchant_id = ${tx.merchantId} and id = ${id} for update`);

export interface ReferenceFilter {
  readonly entityType?: EntityType | undefined;
  readonly entityId?: string | undefined;
  readonly provider?: string | undefined;
  readonly externalId?: string | undefined;
}

const matching = (filter: ReferenceFilter): (Sql | undefined)[] =>
  Object.entries({
    entityType: filter.entityType,
    entityId: filter.entityId,
    provider: filter.provider,
    externalId: filter.externalId,
  }).map(([field, value]) => (value === undefined ? undefined : sql`${column(field)} = ${value}`));

export const selectReferences = (tx: Tx, merchantId: string | null, filter: ReferenceFilter, page: PageRequest) =>
  pageOfRows<ExternalReference>(
    tx,
    {
      kind: 'externalReference',
      select: COLUMNS,
      from: sql`external_reference`,
      where: allOf([merchantId === null ? undefined : sql`merchant_id = ${merchantId}`, ...matching(filter)]),
    },
    page,
    keptTotal(tx, 'external_reference', merchantId, filter, ['entityType', 'provider']),
  );

export const selectReferencesOf = (tx: Tx, merchantIds: readonly string[], entityIds: readonly string[]) =>
  tx.rows<ExternalReference>(sql`
    select ${COLUMNS} from external_reference
     where merchant_id = any(${[...merchantIds]}) and entity_id = any(${[...entityIds]})
     order by seq`);

/**
 * A sub-query of (merchant_id, id) of the entities that have such a reference, for the lists of other domains.
 * @param filter.entityType whose ids they are
 */
export const entitiesReferenced = (filter: ReferenceFilter & { entityType: EntityType }): Sql =>
  sql`select merchant_id, entity_id from external_reference where ${allOf(matching(filter))}`;

/** Locks the default of an entity's references: there is one at a time. */
export const lockDefaults = (tx: Tx, entityId: string) =>
  tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`external_reference ${tx.merchantId} ${entityId}`}, 0))`);

export const updateNotDefault = (tx: Tx, reference: ExternalReference, now: Instant) =>
  tx.run(sql`
    update external_reference set is_default = false, updated_at = ${now}
     where merchant_id = ${reference.merchantId} and entity_id = ${reference.entityId}
       and provider = ${reference.provider} and is_default and id <> ${reference.id}`);

export const updateReference = (tx: Tx, reference: ExternalReference) =>
  tx.one<ExternalReference>(sql`
    update external_reference set ${assignments({
      provider: reference.provider,
      externalId: reference.externalId,
      externalLabel: reference.externalLabel,
      metadata: jsonb(reference.metadata),
      isPrimary: reference.isPrimary,
      isDefault: reference.isDefault,
      updatedAt: reference.updatedAt,
    })}
     where merchant_id = ${reference.merchantId} and id = ${reference.id}
    returning ${COLUMNS}`);

export const deleteReferenceRow = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run(sql`delete from external_reference where merchant_id = ${tx.merchantId} and id = ${id}`)) === 1;

export const deleteReferenceRowsOf = (tx: Tx, entityId: string) =>
  tx.run(sql`delete from external_reference where merchant_id = ${tx.merchantId} and entity_id = ${entityId}`);

export const selectPrimary = (tx: Tx, provider: string, externalId: string) =>
  tx.maybe<ExternalReference>(sql`
    select ${COLUMNS} from external_reference
     where merchant_id = ${tx.merchantId} and provider = ${provider} and external_id = ${externalId} and is_primary`);
