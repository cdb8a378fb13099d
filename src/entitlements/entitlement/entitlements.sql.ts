import { assignments, insertion, jsonb, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ManualReset } from '../balance/index.ts';
import type { EntitlementRow, NewEntitlement, TermRow, TermTemplate } from './entitlement.ts';

/** Writes an entitlement with its first term. */
export async function insertEntitlement(
  tx: Tx,
  row: NewEntitlement,
  template: TermTemplate,
  now: Instant,
): Promise<EntitlementRow> {
  const made = await tx.one<EntitlementRow>(sql`
    ${insertion('entitlement', { ...withJsonb(row, 'metadata', 'pauses'), createdAt: now, updatedAt: now })}
    returning *`);
  await insertTerm(tx, made, row.activeFrom, template);
  return made;
}

/** The template from `from` on; the later of two for one instant applies. */
export const insertTerm = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  from: Instant,
  template: TermTemplate,
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_term (merchant_id, entitlement_id, effective_from, template)
    values (${merchantId}, ${id}, ${from}, ${jsonb(template)})
    on conflict (merchant_id, entitlement_id, effective_from) do update set template = excluded.template`);

/** An entitlement of the merchant as it is kept. */
export const selectEntitlement = (tx: Tx, id: string): Promise<EntitlementRow | undefined> =>
  tx.maybe<EntitlementRow>(sql`select * from entitlement where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Some entitlements of the merchant as they are kept. */
export const selectEntitlements = (tx: Tx, ids: readonly string[]): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(
    sql`select * from entitlement where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );

/**
 * Locks an entitlement against every other change of it or of its grants, resets and reservations. Its clock is locked
 * before, and before it the subscription or the invoice, where one is in the transaction.
 */
export const lockEntitlement = (tx: Tx, id: string): Promise<EntitlementRow | undefined> =>
  tx.maybe<EntitlementRow>(sql`
    select * from entitlement where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

/** The terms of some entitlements, oldest first. */
export const selectTerms = (tx: Tx, merchantIds: readonly string[], ids: readonly string[]): Promise<TermRow[]> =>
  tx.rows<TermRow>(sql`
    select entitlement_id, effective_from, template from entitlement_term
     where merchant_id = any (${[...merchantIds]}) and entitlement_id = any (${[...ids]})
     order by effective_from`);

export const updateEntitlement = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  changes: Partial<Pick<EntitlementRow, 'activeTo' | 'isCanceled' | 'nextActionAt'>>,
  now: Instant,
): Promise<EntitlementRow> =>
  tx.one<EntitlementRow>(sql`
    update entitlement set ${assignments({ ...changes, updatedAt: now })}
     where merchant_id = ${merchantId} and id = ${id} returning *`);

/** The entitlements that the plans of some subscriptions made and that are not canceled, oldest first, locked. */
export const lockEntitlementsOfPlan = (tx: Tx, subscriptionIds: readonly string[]): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${tx.merchantId} and subscription_id = any (${[...subscriptionIds]}::text[]) and is_from_plan
       and not is_canceled
     order by seq for no key update`);

/**
 * The entitlements of a subscription, made from its plan or by hand, that do not end before an instant, oldest first,
 * locked.
 */
export const lockUnendedOfSubscription = (tx: Tx, subscriptionId: string, at: Instant): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId} and not is_canceled
       and (is_from_plan or active_to is null or active_to > ${at})
     order by seq for no key update`);

/** The pauses of a subscription are those of its entitlements, made from its plan or by hand. */
export const updatePauses = (
  tx: Tx,
  { subscriptionId, pauses }: { readonly subscriptionId: string; readonly pauses: EntitlementRow['pauses'] },
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update entitlement set pauses = ${jsonb(pauses)}, updated_at = ${now}
     where merchant_id = ${tx.merchantId} and subscription_id = ${subscriptionId}`);

/** A customer and a feature. */
interface ByHand {
  readonly merchantId: string;
  readonly customerId: string;
  readonly featureId: string;
}

/** Locks the creation by hand of an entitlement for the same customer and feature until this transaction ends. */
export const lockByHand = (tx: Tx, { merchantId, customerId, featureId }: ByHand): Promise<number> =>
  tx.run(
    sql`select pg_advisory_xact_lock(hashtextextended(${`entitlement:${merchantId}:${customerId}:${featureId}`}, 0))`,
  );

/** Has the customer an entitlement to the feature that was made by hand and has not ended? */
export const hasUnendedByHand = async (
  tx: Tx,
  { merchantId, customerId, featureId }: ByHand,
  now: Instant,
): Promise<boolean> =>
  (await tx.maybe(sql`
    select 1 from entitlement
     where merchant_id = ${merchantId} and customer_id = ${customerId} and feature_id = ${featureId}
       and not is_from_plan
       and (active_to is null or active_to > ${now}) limit 1`)) !== undefined;

/**
 * The entitlements of a customer, or to a feature, that have not ended at an instant, oldest first; those on a test
 * clock all, because they have a time of their own.
 */
export const selectEntitlementsEndingAfter = (
  tx: Tx,
  by: { customerId: string } | { featureId: string },
  after: Instant,
): Promise<EntitlementRow[]> =>
  tx.rows<EntitlementRow>(sql`
    select * from entitlement
     where merchant_id = ${tx.merchantId} and (active_to is null or active_to > ${after} or clock_id is not null)
       and ${'customerId' in by ? sql`customer_id = ${by.customerId}` : sql`feature_id = ${by.featureId}`}
     order by seq`);

/** Does an entitlement measure a metric? What it counted would change with the meter. */
export const isMetricMeasured = async (tx: Tx, metricId: string): Promise<boolean> =>
  (await tx.maybe(sql`
    select 1 from entitlement
     where merchant_id = ${tx.merchantId} and billable_metric_ids @> ${[metricId]} limit 1`)) !== undefined;

/** Is there a metered entitlement, of any merchant? */
export const hasMetered = async (tx: Tx): Promise<boolean> =>
  (await tx.maybe(sql`select 1 from entitlement where feature_type = 'metered' limit 1`)) !== undefined;

/** Stores a reset by hand. The caller locks the entitlement, and there is no reset at this instant. */
export const insertReset = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  { at, retainAnchor, preserveOverage }: ManualReset,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    insert into entitlement_reset (merchant_id, entitlement_id, at, retain_anchor, preserve_overage, created_at)
    values (${merchantId}, ${id}, ${at}, ${retainAnchor}, ${preserveOverage}, ${now})`);

/** The resets of an entitlement at some instants are not to be. The caller locks the entitlement. */
export const deleteResetsAt = (
  tx: Tx,
  { merchantId, id }: Pick<EntitlementRow, 'merchantId' | 'id'>,
  instants: readonly Instant[],
): Promise<number> =>
  tx.run(sql`
    delete from entitlement_reset
     where merchant_id = ${merchantId} and entitlement_id = ${id} and at = any (${[...instants]}::timestamptz[])`);
