import {
  allOf,
  type Changed,
  changedRows,
  insertion,
  isChanged,
  keptTotal,
  type PageRequest,
  pageOfRows,
  type Sql,
  sql,
  type Tx,
  withJsonb,
} from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { PaymentLink, PaymentLinkNow } from './link.ts';
import type { SessionStatus } from './session-states.ts';

export const insertLink = (tx: Tx, link: PaymentLink): Promise<number> =>
  tx.run(insertion('payment_link', withJsonb(link, 'metadata', 'lineItems')));

const LINK_NOW = sql`link.*, session.status as session_status, session.expires_at`;
const WITH_SESSION = sql`
  payment_link link
  join payment_session session on session.merchant_id = link.merchant_id and session.id = link.session_id`;

export const selectLink = (tx: Tx, id: string): Promise<PaymentLinkNow | undefined> =>
  tx.maybe<PaymentLinkNow>(
    sql`select ${LINK_NOW} from ${WITH_SESSION} where link.merchant_id = ${tx.merchantId} and link.id = ${id}`,
  );

export const selectLinkByKey = (tx: Tx, key: string): Promise<PaymentLinkNow | undefined> =>
  tx.maybe<PaymentLinkNow>(
    sql`select ${LINK_NOW} from ${WITH_SESSION} where link.merchant_id = ${tx.merchantId}
      and link.idempotency_key = ${key}`,
  );

/** A link shows the status of its session. */
const changedLinks = (changed: Changed): Sql =>
  isChanged(
    'payment_link',
    changed,
    [{ column: 'session_id', changed: changedRows('payment_session', 'id', changed) }],
    'link',
  );

/** Newest first; `merchantId` null for an operator's list over all merchants. */
export const selectLinks = (
  tx: Tx,
  merchantId: string | null,
  filter: {
    customerId?: string | undefined;
    sessionStatuses?: readonly SessionStatus[] | undefined;
    updatedFrom?: Instant | undefined;
  },
  page: PageRequest,
): Promise<{ rows: PaymentLinkNow[]; total: number }> =>
  pageOfRows<PaymentLinkNow>(
    tx,
    {
      kind: 'payment',
      select: LINK_NOW,
      from: WITH_SESSION,
      alias: 'link',
      where: allOf([
        merchantId !== null && sql`link.merchant_id = ${merchantId}`,
        filter.customerId !== undefined && sql`link.customer_id = ${filter.customerId}`,
        filter.sessionStatuses !== undefined && sql`session.status = any (${filter.sessionStatuses})`,
        filter.updatedFrom && changedLinks({ merchantId, from: filter.updatedFrom }),
      ]),
    },
    page,
    keptTotal(tx, 'payment_link', merchantId, filter),
  );
