import { allOf, pageOfRows, sql, type Tx } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { ProviderName } from '../provider/provider.ts';
import type { ReturnStatus } from '../records/return-states.ts';

export const EXCEPTION_KINDS = ['charge', 'refund', 'strayPayment', 'notice'] as const;
export type ExceptionKind = (typeof EXCEPTION_KINDS)[number];

/**
 * `unresolved`: no look-up of the first day found the outcome. `manual`: the provider could not send the money back.
 */
export const EXCEPTION_STATUSES = ['unresolved', 'manual', 'failed'] as const;
export type ExceptionStatus = (typeof EXCEPTION_STATUSES)[number];

/** Money at a provider that needs a person, or a notice of a provider that could not be read for a day. */
export interface PaymentException {
  readonly kind: ExceptionKind;
  readonly merchantId: string;
  readonly id: string;
  readonly status: ExceptionStatus | ReturnStatus;
  readonly invoiceId: string | null;
  /** Null: a notice. */
  readonly amount: Decimal | null;
  readonly currency: string | null;
  readonly provider: ProviderName;
  readonly providerReference: string | null;
  readonly reason: string | null;
  readonly nextActionAt: Instant | null;
  readonly createdAt: Instant;
}

/**
 * The conditions are those of the partial indexes (migration 0164), word for word, and the orders too: so PostgreSQL
 * merges four indexes and sorts nothing.
 */
const EXCEPTIONS = sql`(
  (select 'charge' as kind, merchant_id, id, status, invoice_id, amount, currency, provider,
          provider_reference, null::text as reason, next_action_at, created_at
     from payment_charge where status = 'unresolved' order by created_at desc, id desc)
  union all
  (select 'refund', merchant_id, id, case return_status when 'manual' then 'manual' else 'unresolved' end, invoice_id,
          amount, currency, provider, provider_reference, null, next_action_at, created_at
     from payment_receipt
    where provider is not null and (return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6))
    order by created_at desc, id desc)
  union all
  (select 'strayPayment', merchant_id, id, case return_status when 'manual' then 'manual' else 'unresolved' end,
          invoice_id, amount, currency, provider, provider_reference, reason, next_action_at, received_at
     from stray_payment where return_status = 'manual' or (return_status = 'requested' and return_look_ups >= 6)
    order by received_at desc, id desc)
  union all
  (select 'notice', merchant_id, id, 'failed', null, null, null, provider, object_reference, error, next_action_at,
          received_at
     from provider_notice where done_at is null and attempts >= 6 order by received_at desc, id desc)
) exception`;

/** Newest first; `merchantId` null for an operator's list over all merchants. */
export const selectExceptions = (
  tx: Tx,
  merchantId: string | null,
  { kind, status }: { readonly kind?: ExceptionKind; readonly status?: ExceptionStatus },
  page: PageRequest,
): Promise<{ rows: PaymentException[]; total: number }> =>
  pageOfRows<PaymentException>(
    tx,
    {
      kind: null,
      select: sql`kind, merchant_id, id, status, invoice_id, amount, currency, provider,
        provider_reference, reason, next_action_at, created_at`,
      from: EXCEPTIONS,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        kind !== undefined && sql`kind = ${kind}`,
        status !== undefined && sql`status = ${status}`,
      ]),
      order: {
        keys: [
          { by: sql`created_at`, type: 'timestamptz' },
          { by: sql`id`, type: 'text' },
        ],
        direction: 'desc',
      },
    },
    page,
  );

/** Of all merchants, for the metrics: also those of which there are none, so that a figure falls again. */
export const countExceptions = (
  tx: Tx,
): Promise<{ kind: ExceptionKind; status: ExceptionStatus; exceptions: number }[]> =>
  tx.rows<{ kind: ExceptionKind; status: ExceptionStatus; exceptions: number }>(sql`
    select kind, status, count(id)::int as exceptions
      from (values ('charge', 'unresolved'), ('refund', 'unresolved'), ('refund', 'manual'),
                   ('strayPayment', 'unresolved'), ('strayPayment', 'manual'),
                     ('notice', 'failed')) possible (kind, status)
      left join ${EXCEPTIONS} using (kind, status)
     group by 1, 2`);
