import { jsonb, parseExactJson, type Sql, sql, type Tx } from '../db/index.ts';
import type { AuditEntry } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { formatInstant } from '../kernel/time.ts';
import { type AuditRow, insertAuditRow } from './audit.sql.ts';

export { type AuditFilter, selectAuditRows as listAuditEntries } from './audit.sql.ts';

const SECRET_FIELDS = new Set(['secret', 'webhookSecret', 'hash']);
/** Answers with a secret address: anybody with it acts as the customer. */
const SECRET_ADDRESSES: ReadonlySet<unknown> = new Set(['customerPortal', 'subscriptionPortal']);

/**
 * Writes one change to the audit log, in the transaction of the change; secrets are left out. Rows are only ever added.
 */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { merchantId, caller } = entry;
  await insertAuditRow(tx, {
    id: newId('auditEntry'),
    merchantId,
    at: entry.at,
    actor: 'user',
    userId: caller.userId,
    keyId: caller.keyId,
    customerId: null,
    operation: entry.operation,
    resourceId: entry.resourceId,
    before: withoutSecrets(entry.before),
    after: withoutSecrets(entry.after),
    requestId: entry.requestId,
  });
}

/** A change by a customer in the customer portal. */
export interface CustomerAuditEntry extends Omit<AuditEntry, 'caller'> {
  readonly customerId: string;
}

/** The same of a change that a customer made. */
export const recordCustomerAudit = (tx: Tx, { before, after, ...entry }: CustomerAuditEntry): Promise<unknown> =>
  insertAuditRow(tx, {
    id: newId('auditEntry'),
    actor: 'customer',
    userId: null,
    keyId: null,
    ...entry,
    before: withoutSecrets(before),
    after: withoutSecrets(after),
  });

/** The change with its author, its time, and the values before and after, as answers show them. */
export const publicAuditEntry = (row: AuditRow) => ({
  id: row.id,
  object: 'auditEntry' as const,
  merchantId: row.merchantId,
  actor: row.actor,
  userId: row.userId,
  userOrganizationId: row.userOrganizationId,
  keyId: row.keyId,
  customerId: row.customerId,
  operation: row.operation,
  resourceId: row.resourceId,
  before: row.before,
  after: row.after,
  requestId: row.requestId,
  createdAt: formatInstant(row.at),
});

function withoutSecrets(value: unknown): Sql {
  if (value === null || value === undefined) return sql`null`;
  return jsonb(strip(parseExactJson(JSON.stringify(value))));
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value;
  const hidesUrl = 'object' in value && SECRET_ADDRESSES.has(value.object);
  const kept = Object.entries(value).filter(([key]) => !SECRET_FIELDS.has(key) && !(hidesUrl && key === 'url'));
  return Object.fromEntries(kept.map(([key, part]) => [key, strip(part)]));
}
