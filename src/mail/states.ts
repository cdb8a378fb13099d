import { refuse, stateTable } from '../kernel/state-table.ts';

/** `held`: written, and not to be sent. */
export const MAIL_STATUSES = ['held', 'pending', 'sent', 'failed'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/** `hold`: there is no server. `deliver`: the server took it. `giveUp`: it never will. `send`: the merchant wants it sent (again). */
export type MailTrigger = 'hold' | 'deliver' | 'giveUp' | 'send';

const illegal = refuse('INVALID_TRANSITION');

/** A mail that was sent stays so: nobody is written to twice. */
export const mailStates = stateTable<MailStatus, MailTrigger>(
  { thing: 'mail', done: { send: 'sent' } },
  {
    held: { hold: illegal, deliver: illegal, giveUp: illegal, send: 'pending' },
    pending: { hold: 'held', deliver: 'sent', giveUp: 'failed', send: illegal },
    sent: { hold: illegal, deliver: illegal, giveUp: illegal, send: illegal },
    failed: { hold: illegal, deliver: illegal, giveUp: illegal, send: 'pending' },
  },
);
