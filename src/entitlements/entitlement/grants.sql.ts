import { type PageRequest, pageOfRows, type Sql, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementRow } from './entitlement.ts';

/** §2 Grant, as it is kept. */
export interface GrantRow {
  readonly merchantId: string;
  readonly id: string;
  readonly seq: bigint;
  readonly entitlementId: string;
  /** A grant of a reconciliation is the template's, too, but no reset issued it. */
  readonly origin: 'direct' | 'purchase' | 'template' | 'reconciliation';
  readonly amount: Decimal;
  readonly priority: number;
  readonly effectiveAt: Instant;
  readonly expiresAt: Instant | null;
  readonly voidedAt: Instant | null;
  /** ISO 8601, as it was sent. */
  readonly recurrencePeriod: string | null;
  readonly resetMaxRollover: Decimal;
  readonly resetMinRollover: Decimal;
  readonly idempotencyKey: string | null;
  readonly idempotencyPrint: Buffer | null;
  readonly invoiceId: string | null;
  readonly createdAt: Instant;
}

type OfEntitlement = Pick<EntitlementRow, 'merchantId' | 'id'>;

export type NewGrant = Omit<GrantRow, 'seq' | 'voidedAt'>;

const valuesOf = (grant: NewGrant): Sql => sql`
  (${grant.merchantId}, ${grant.id}, ${grant.entitlementId}, ${grant.origin}, ${grant.amount}, ${grant.priority},
   ${grant.effectiveAt}, ${grant.expiresAt}, ${grant.recurrencePeriod}, ${grant.resetMaxRollover},
   ${grant.resetMinRollover}, ${grant.idempotencyKey}, ${grant.idempotencyPrint}, ${grant.invoiceId},
   ${grant.createdAt})`;

/**
 * Writes grants, in their order. Whoever does holds the entitlement's lock.
 * @returns those that an index does not say are there already: by their key, their invoice or their reset
 */
export const insertGrants = async (tx: Tx, grants: readonly NewGrant[]): Promise<GrantRow[]> =>
  grants.length === 0
    ? []
    : tx.rows<GrantRow>(sql`
    insert into entitlement_grant (merchant_id, id, entitlement_id, origin, amount, priority, effective_at, expires_at,
                                   recurrence_period, reset_max_rollover, reset_min_rollover, idempotency_key,
                                   idempotency_print, invoice_id, created_at)
    values ${sql.join(grants.map(valuesOf), sql`, `)}
    on conflict do nothing
    returning *`);

/** Writes one grant. @returns undefined where it is there already */
export const insertGrant = async (tx: Tx, grant: NewGrant): Promise<GrantRow | undefined> =>
  (await insertGrants(tx, [grant]))[0];

export const selectGrant = (
  tx: Tx,
  { merchantId, id }: OfEntitlement,
  grantId: string,
): Promise<GrantRow | undefined> =>
  tx.maybe<GrantRow>(sql`
    select * from entitlement_grant where merchant_id = ${merchantId} and entitlement_id = ${id} and id = ${grantId}`);

/** The grants that an invoice was paid for; more than one where its payment was reversed. */
export const selectGrantsOfInvoice = (tx: Tx, invoiceId: string): Promise<GrantRow[]> =>
  tx.rows<GrantRow>(sql`
    select * from entitlement_grant where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} order by seq`);

export const selectGrantByKey = (
  tx: Tx,
  { merchantId, id }: OfEntitlement,
  key: string,
): Promise<GrantRow | undefined> =>
  tx.maybe<GrantRow>(sql`
    select * from entitlement_grant
     where merchant_id = ${merchantId} and entitlement_id = ${id} and idempotency_key = ${key}`);

/**
 * The grants of a plan to some entitlements of one merchant, each from an instant on, that nobody has voided: by its
 * template, or by a reconciliation.
 */
export const selectPlanGrantsSince = (
  tx: Tx,
  since: readonly { readonly entitlementId: string; readonly from: Instant }[],
): Promise<GrantRow[]> =>
  tx.rows<GrantRow>(sql`
    select g.*
      from unnest(${since.map(({ entitlementId: id }) => id)}::text[],
                  ${since.map(({ from }) => from)}::timestamptz[]) q (entitlement_id, since)
      join entitlement_grant g on g.merchant_id = ${tx.merchantId} and g.entitlement_id = q.entitlement_id
     where g.origin in ('template', 'reconciliation') and g.effective_at >= q.since and g.voided_at is null
     order by g.seq`);

/** When the next grant that is not voided expires; null: none does. */
export const selectNextExpiry = async (
  tx: Tx,
  { merchantId, id }: OfEntitlement,
  after: Instant,
): Promise<Instant | null> => {
  const { at } = await tx.one<{ at: Instant | null }>(sql`
    select min(expires_at) as at from entitlement_grant
     where merchant_id = ${merchantId} and entitlement_id = ${id} and expires_at > ${after} and voided_at is null`);
  return at;
};

/** Voids a grant that is not voided. The caller holds the entitlement's lock. */
export const markGrantVoided = (tx: Tx, { merchantId, id }: Pick<GrantRow, 'merchantId' | 'id'>, at: Instant) =>
  tx.one<GrantRow>(sql`
    update entitlement_grant set voided_at = ${at} where merchant_id = ${merchantId} and id = ${id} returning *`);

/**
 * A page of an entitlement's grants, newest first: those that are written, and among them by their time those that the
 * template has issued and nobody has written yet.
 * @returns the rows of the written ones; of the others the ids alone
 */
export async function selectGrantsPage(
  tx: Tx,
  { merchantId, id }: OfEntitlement,
  issued: readonly { readonly id: string; readonly createdAt: Instant }[],
  { includeVoided }: { includeVoided: boolean },
  page: PageRequest,
): Promise<{ rows: { id: string; row: GrantRow | undefined }[]; total: number }> {
  const ids = await pageOfRows<{ id: string }>(
    tx,
    {
      kind: 'grant',
      select: sql`id`,
      from: sql`(
        select merchant_id, id, created_at, origin = 'template' as is_issued, seq from entitlement_grant
         where merchant_id = ${merchantId} and entitlement_id = ${id} and (${includeVoided} or voided_at is null)
        union all
        select ${merchantId}, id, created_at, true, null
          from unnest(${issued.map((grant) => grant.id)}::text[],
                      ${issued.map((grant) => grant.createdAt)}::timestamptz[]) as issued (id, created_at)) g`,
      // a grant of the template has its place before it is written: by its id, not by its number
      order: {
        keys: [
          { by: sql`created_at`, type: 'timestamptz' },
          { by: sql`not is_issued`, type: 'boolean' },
          { by: sql`case when is_issued then 0 else seq end`, type: 'bigint' },
          { by: sql`id`, type: 'text' },
        ],
        direction: 'desc',
      },
    },
    page,
  );
  const written = await tx.rows<GrantRow>(sql`
    select * from entitlement_grant
     where merchant_id = ${merchantId} and id = any (${ids.rows.map((row) => row.id)})`);
  const byId = new Map(written.map((row) => [row.id, row]));
  return { rows: ids.rows.map((row) => ({ id: row.id, row: byId.get(row.id) })), total: ids.total };
}
