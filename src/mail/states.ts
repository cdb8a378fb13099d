import { refuse, stateTable } from '../kernel/state-table.ts';

/** `held`: written, and not to be sent. `withdrawn`: no longer true before it left. */
export const MAIL_STATUSES = ['held', 'pending', 'sent', 'failed', 'withdrawn'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

/**
 * `hold`: there is no server. `deliver`: the server took it. `giveUp`: it never will. `send`: the merchant wants
 * it sent (again). `withdraw`: what it says is no longer true.
 */
export type MailTrigger = 'hold' | 'deliver' | 'giveUp' | 'send' | 'withdraw';

const illegal = refuse('INVALID_TRANSITION');

/** A mail that was sent stays so: nobody is written to twice. */
export const mailStates = stateTable<MailStatus, MailTrigger>(
  { thing: 'mail', done: { send: 'sent', withdraw: 'withdrawn' } },
  {
    held: { hold: illegal, deliver: illegal, giveUp: illegal, send: 'pending', withdraw: 'withdrawn' },
    pending: { hold: 'held', deliver: 'sent', giveUp: 'failed', send: illegal, withdraw: 'withdrawn' },
    sent: { hold: illegal, deliver: illegal, giveUp: illegal, send: illegal, withdraw: illegal },
    failed: { hold: illegal, deliver: illegal, giveUp: illegal, send: 'pending', withdraw: 'withdrawn' },
    withdrawn: { hold: illegal, deliver: illegal, giveUp: illegal, send: illegal, withdraw: illegal },
  },
);
