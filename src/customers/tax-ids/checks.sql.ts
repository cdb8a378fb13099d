import { insertion, sql, type Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Outcome, TaxIdCheck, TaxIdSubject } from './check.ts';

const columns = sql`
  merchant_id, id as customer_id, tax_id, country, status, reason, name, address,
  checked_at, attempts, next_action_at`;
const INSERTED = sql`${columns}, created_at, updated_at`;

/** The checks of some customers. The merchants are named for the index. */
export const selectChecks = (
  tx: Tx,
  merchantIds: readonly string[],
  customerIds: readonly string[],
): Promise<TaxIdCheck[]> =>
  tx.rows<TaxIdCheck>(sql`
    select ${columns} from tax_id_check
     where merchant_id = any (${[...merchantIds]}::text[]) and id = any (${[...customerIds]}::text[])`);

/** A check starts again for another tax id. */
export const upsertCheck = (
  tx: Tx,
  holder: { merchantId: string; customerId: string },
  subject: TaxIdSubject,
  outcome: Outcome,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    ${insertion('tax_id_check', { ...outcome, ...holder, ...subject, createdAt: now, updatedAt: now }, INSERTED)}
    on conflict (merchant_id, id) do update
       set tax_id = excluded.tax_id, country = excluded.country, status = excluded.status, reason = excluded.reason,
           name = excluded.name, address = excluded.address, checked_at = excluded.checked_at,
           attempts = excluded.attempts, next_action_at = excluded.next_action_at, updated_at = excluded.updated_at`);

/** Only where the check is still about the number that was asked for. @returns how many were updated */
export const updateOutcome = (
  tx: Tx,
  { merchantId, customerId }: { merchantId: string; customerId: string },
  { taxId, country }: TaxIdSubject,
  outcome: Outcome,
  now: Instant,
): Promise<number> =>
  tx.run(sql`
    update tax_id_check
       set status = ${outcome.status}, reason = ${outcome.reason}, name = ${outcome.name}, address = ${outcome.address},
           checked_at = ${outcome.checkedAt}, attempts = ${outcome.attempts}, next_action_at = ${outcome.nextActionAt},
           updated_at = ${now}
     where merchant_id = ${merchantId} and id = ${customerId} and tax_id = ${taxId}
       and country is not distinct from ${country}::text`);

export const deleteCheck = (tx: Tx, customerId: string): Promise<number> =>
  tx.run(sql`delete from tax_id_check where merchant_id = ${tx.merchantId} and id = ${customerId}`);
