import { jsonb, sql, type Tx } from '../db/index.ts';
import type { AuditEntry } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';

const SECRET_FIELDS = new Set(['secret', 'webhookSecret', 'hash']);

/** Writes one change to the audit log, in the transaction of the change; secrets are left out. Rows are only ever added. */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { merchantId, caller } = entry;
  await tx.run(sql`
    insert into audit_entry (merchant_id, id, at, user_id, key_id, operation, resource_id, before, after, request_id)
    values (${merchantId}, ${newId('auditEntry')}, ${entry.at}, ${caller.userId}, ${caller.keyId}, ${entry.operation},
            ${entry.resourceId}, ${withoutSecrets(entry.before)}, ${withoutSecrets(entry.after)}, ${entry.requestId})`);
}

const withoutSecrets = (value: unknown) =>
  value === null || value === undefined
    ? null
    : jsonb(JSON.parse(JSON.stringify(value, (key, part) => (SECRET_FIELDS.has(key) ? undefined : part))));
