import type { Tx } from '../db/index.ts';
import type { DueKind } from '../jobs/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { LoadAttachments } from './attachments.ts';
import { MOST_ATTEMPTS } from './attempts.ts';
import type { MailRow } from './mail-row.ts';
import { LEASE_MINUTES, type MailSender } from './mail-sender.ts';
import { selectMail, updateMail } from './mails.sql.ts';

/** It is still pending after its last attempt: whoever made that was lost. */
const UNKNOWN_END = 'The outcome of the last attempt is unknown.';

/** When there is room again, roughly. */
const FULL_SECONDS = 30;

/**
 * Sends mail: the attempt is committed first, then the sender gets it and stores the outcome. A process
 * that is killed in between leaves the mail pending until its lease ends; it is sent then, if need be a second
 * time, as the same message. Without a server mail is held.
 */
export const mailDueKind = (mailSender: MailSender, loadAttachments: LoadAttachments): DueKind => ({
  kind: 'mail',
  step: async (tx, { id }, now) => {
    const mail = await selectMail(tx, id);
    if (mail?.status !== 'pending') throw new Error(`Mail ${id} is not to be sent.`);
    if (!mailSender.hasServer) return void (await change(tx, mail, { status: 'held', nextActionAt: null }));
    if (mail.attempts >= MOST_ATTEMPTS)
      return void (await change(tx, mail, { status: 'failed', lastError: UNKNOWN_END, nextActionAt: null }));
    if (!mailSender.hasRoom) return void (await change(tx, mail, { nextActionAt: now.add({ seconds: FULL_SECONDS }) }));
    const taken = await take(tx, mail, now);
    return async () => mailSender.take({ mail: taken, takenAt: now, loadAttachments });
  },
});

const take = (tx: Tx, mail: MailRow, now: Instant): Promise<MailRow> =>
  change(tx, mail, {
    attempts: mail.attempts + 1,
    lastError: null,
    nextActionAt: now.add({ minutes: LEASE_MINUTES }),
  });

async function change(tx: Tx, mail: MailRow, to: Partial<MailRow>): Promise<MailRow> {
  const changed = await updateMail(tx, mail, { ...mail, ...to });
  if (!changed) throw new Error(`Mail ${mail.id} moved on while it was locked.`);
  return changed;
}
