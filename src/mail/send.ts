import type { Tx } from '../db/index.ts';
import { notFound, ok, type Result } from '../kernel/result.ts';
import { next } from '../kernel/state-table.ts';
import type { Instant } from '../kernel/time.ts';
import type { MailRow } from './mail-row.ts';
import { lockMail, updateMail } from './mails.sql.ts';
import { mailStates } from './states.ts';

/**
 * POST /v0/mails/{id}/send: a mail that was held or has failed is sent after all, with all its attempts before it.
 * @returns INVALID_TRANSITION where it is on its way, or was sent
 */
export async function sendAgain(tx: Tx, id: string, now: Instant): Promise<Result<MailRow>> {
  const mail = await lockMail(tx, id);
  if (!mail) return notFound('mail');
  const moved = next(mailStates, mail.status, 'send');
  if (!moved.ok) return moved;
  const change = { status: moved.value, attempts: 0, lastError: null, nextActionAt: now, sentAt: null };
  return ok((await updateMail(tx, mail, change)) as MailRow); // it is locked
}
