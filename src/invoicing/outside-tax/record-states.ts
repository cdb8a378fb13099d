import { refuse, stateTable } from '../../kernel/state-table.ts';

/**
 * `waiting`: the provider was not asked yet. `sent`: it was asked, and the outcome is not known. `sent`: it is asked,
 * and the outcome is not known.
 */
export type RecordStatus = 'waiting' | 'sent' | 'done' | 'failed';
/** `send`: the provider is asked, once more too; `record`: it has recorded; `refuse`: it never will. */
export type RecordEvent = 'send' | 'record' | 'refuse';

const illegal = refuse('INVALID_TRANSITION');

/** The record of an invoice at a tax provider. Both ends are final: a person handles a failure. */
export const recordStates = stateTable<RecordStatus, RecordEvent>(
  { thing: 'tax record', done: {} },
  {
    waiting: { send: 'sent', record: illegal, refuse: 'failed' },
    sent: { send: 'sent', record: 'done', refuse: 'failed' },
    done: { send: illegal, record: illegal, refuse: illegal },
    failed: { send: illegal, record: illegal, refuse: illegal },
  },
);
