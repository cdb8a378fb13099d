import { allOf, keptTotal, type PageRequest, pageOfRows, recordset, sql, type Tx } from '../db/index.ts';
import type { MailKind } from './kinds.ts';
import type { MailRow } from './mail-row.ts';
import type { MailStatus } from './states.ts';

export type NewMail = Pick<
  MailRow,
  | 'merchantId'
  | 'id'
  | 'kind'
  | 'aboutId'
  | 'occasion'
  | 'customerId'
  | 'recipients'
  | 'senderName'
  | 'replyTo'
  | 'content'
  | 'attachments'
  | 'status'
  | 'nextActionAt'
  | 'createdAt'
>;

/** Nothing happens where a customer was written to about this already. */
export const insertMails = (tx: Tx, mails: readonly NewMail[]): Promise<number> =>
  tx.run(sql`
    insert into mail (merchant_id, id, kind, about_id, occasion, customer_id, recipients, sender_name, reply_to,
                      content, attachments, status, next_action_at, created_at)
    select merchant_id, id, kind, about_id, occasion, customer_id, recipients, sender_name, reply_to, content,
           attachments, status, next_action_at, created_at
      from jsonb_populate_recordset(null::mail, ${recordset(mails)})
    on conflict (merchant_id, kind, about_id, occasion) do nothing`);

export const selectMail = (tx: Tx, id: string): Promise<MailRow | undefined> =>
  tx.maybe<MailRow>(sql`select * from mail where merchant_id = ${tx.merchantId} and id = ${id}`);

export const lockMail = (tx: Tx, id: string): Promise<MailRow | undefined> =>
  tx.maybe<MailRow>(sql`select * from mail where merchant_id = ${tx.merchantId} and id = ${id} for no key update`);

export interface MailFilter {
  /** Null for an operator's list over all merchants. */
  readonly merchantId: string | null;
  readonly customerId?: string | undefined;
  /** The invoice, or the subscription. */
  readonly aboutId?: string | undefined;
  readonly kind?: MailKind | undefined;
  readonly status?: MailStatus | undefined;
}

/** Newest first. */
export const selectMails = (
  tx: Tx,
  { merchantId, customerId, aboutId, kind, status }: MailFilter,
  page: PageRequest,
): Promise<{ rows: MailRow[]; total: number }> =>
  pageOfRows<MailRow>(
    tx,
    {
      kind: 'mail',
      select: sql`*`,
      from: sql`mail`,
      where: allOf([
        merchantId !== null && sql`merchant_id = ${merchantId}`,
        customerId !== undefined && sql`customer_id = ${customerId}`,
        aboutId !== undefined && sql`about_id = ${aboutId}`,
        kind !== undefined && sql`kind = ${kind}`,
        status !== undefined && sql`status = ${status}`,
      ]),
    },
    page,
    keptTotal(tx, 'mail', merchantId, { customerId, aboutId, kind, status }, ['status', 'kind']),
  );

export type MailChange = Pick<MailRow, 'status' | 'attempts' | 'lastError' | 'nextActionAt' | 'sentAt'>;

/**
 * Only from the attempt that the caller knows: what an attempt says that was given up meanwhile is not listened to.
 * @returns the mail after it; undefined where it has moved on
 */
export const updateMail = (
  tx: Tx,
  mail: Pick<MailRow, 'merchantId' | 'id' | 'status' | 'attempts'>,
  { status, attempts, lastError, nextActionAt, sentAt }: MailChange,
): Promise<MailRow | undefined> =>
  tx.maybe<MailRow>(sql`
    update mail
       set status = ${status}, attempts = ${attempts}, last_error = ${lastError},
           next_action_at = ${nextActionAt}::timestamptz, sent_at = ${sentAt}::timestamptz
     where merchant_id = ${mail.merchantId} and id = ${mail.id} and status = ${mail.status}
       and attempts = ${mail.attempts}
    returning *`);

/** Mails about one invoice. */
interface MailsAbout {
  readonly merchantId: string;
  readonly aboutId: string;
  readonly kinds: readonly MailKind[];
  /** Null: of every occasion. */
  readonly occasion: string | null;
}

/** Is there a mail of one of these kinds about an invoice, or has there been one that left? */
export const hasMailAbout = async (tx: Tx, { merchantId, aboutId, kinds, occasion }: MailsAbout): Promise<boolean> =>
  (await tx.maybe(sql`
    select 1 from mail
     where merchant_id = ${merchantId} and about_id = ${aboutId} and kind = any (${kinds})
       and occasion = coalesce(${occasion}::text, occasion) and status <> 'withdrawn'
     limit 1`)) !== undefined;

/**
 * Withdraws what has not left: no attempt at it was made, or the last one has failed. One that is on its way at
 * this moment stays, for nobody knows whether it has arrived.
 * @returns how many
 */
export const markMailsWithdrawn = (tx: Tx, { merchantId, aboutId, kinds, occasion }: MailsAbout): Promise<number> =>
  tx.run(sql`
    update mail set status = 'withdrawn', next_action_at = null
     where merchant_id = ${merchantId} and about_id = ${aboutId} and kind = any (${kinds})
       and occasion = coalesce(${occasion}::text, occasion)
       and (status in ('held', 'failed') or (status = 'pending' and (attempts = 0 or last_error is not null)))`);
