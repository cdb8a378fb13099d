import { expect, it } from 'vitest';
import { next } from '../kernel/state-table.ts';
import { MAIL_STATUSES, type MailTrigger, mailStates } from './states.ts';

const LEGAL: Readonly<Record<string, string>> = {
  'held send': 'pending',
  'pending hold': 'held',
  'pending deliver': 'sent',
  'pending giveUp': 'failed',
  'failed send': 'pending',
  'held withdraw': 'withdrawn',
  'pending withdraw': 'withdrawn',
  'failed withdraw': 'withdrawn',
};
const triggers: MailTrigger[] = ['hold', 'deliver', 'giveUp', 'send', 'withdraw'];

it.each(MAIL_STATUSES.flatMap((status) => triggers.map((trigger) => ({ status, trigger }))))(
  '$status, $trigger',
  ({ status, trigger }) => {
    const to = LEGAL[`${status} ${trigger}`];
    const moved = next(mailStates, status, trigger);
    expect(moved).toMatchObject(to === undefined ? { ok: false } : { ok: true, value: to });
  },
);
