import { allOf, insertion, keptTotal, pageOfRows, type Sql, sql, type Tx } from '../db/index.ts';
import type { Page, PageRequest } from '../http/index.ts';
import type { Instant } from '../kernel/time.ts';

export interface AuditRow {
  id: string;
  merchantId: string;
  at: Instant;
  /** The author of the change: a user, or a customer in the customer portal. */
  actor: 'user' | 'customer';
  userId: string | null;
  /** The owner of the user: the merchant, or the platform. */
  userOrganizationId: string | null;
  keyId: string | null;
  customerId: string | null;
  operation: string;
  resourceId: string | null;
  before: unknown;
  after: unknown;
  requestId: string;
}

const COLUMNS = sql`id, merchant_id, at, actor, user_id, key_id,
  customer_id, operation, resource_id, before, after, request_id`;

/** Rows are only ever added: the application's role may neither change nor delete them. */
export const insertAuditRow = (
  tx: Tx,
  row: Omit<AuditRow, 'before' | 'after' | 'userOrganizationId'> & { before: Sql; after: Sql },
) => tx.run(insertion('audit_entry', row, COLUMNS));

export interface AuditFilter {
  merchantId: string | null;
  resourceId?: string;
  operation?: string;
  userId?: string;
  /** Inclusive. */
  from?: Instant;
  /** Exclusive. */
  to?: Instant;
}

export async function selectAuditRows(tx: Tx, filter: AuditFilter, page: PageRequest): Promise<Page<AuditRow>> {
  const where = allOf([
    filter.merchantId !== null && sql`merchant_id = ${filter.merchantId}`,
    filter.resourceId !== undefined && sql`resource_id = ${filter.resourceId}`,
    filter.operation !== undefined && sql`operation = ${filter.operation}`,
    filter.userId !== undefined && sql`user_id = ${filter.userId}`,
    filter.from !== undefined && sql`at >= ${filter.from}`,
    filter.to !== undefined && sql`at < ${filter.to}`,
  ]);
  const { rows, total } = await pageOfRows<AuditRow>(
    tx,
    {
      kind: 'auditEntry',
      select: sql`${COLUMNS}, owner_of(user_id) as user_organization_id`,
      from: sql`audit_entry`,
      where,
    },
    page,
    keptTotal(tx, 'audit_entry', filter.merchantId, filter),
  );
  return { data: rows, total };
}
