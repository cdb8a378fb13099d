import { wordsOf } from '../../look/words.ts';

interface Words {
  readonly what: string;
  readonly todo: string;
}

/** Why usage is on no invoice (docs/unbilled-usage.md), and what to do about it. */
const REASONS: Readonly<Record<string, Words>> = {
  UNKNOWN_SUBJECT: {
    what: 'No customer has this id',
    todo: 'Link the id to a customer. Its events then count at once.',
  },
  UNKNOWN_TYPE: {
    what: 'No metric counts this type',
    todo: 'Make a metric with this event type, or correct the type in the system that sends it.',
  },
  BEFORE_EVENT_FROM: {
    what: 'Earlier than the metric counts',
    todo: 'The metric counts only later events. Make a metric with an earlier start if these must count.',
  },
  NO_VALUE: {
    what: 'No usable value',
    todo: 'Send the event again with a number where the metric reads it, and with another idempotency key.',
  },
  NO_PERIOD: {
    what: 'No active subscription at that time',
    todo: 'Subscribe the customer, with a start before the usage, or leave it: usage in a trial is free.',
  },
  NOT_PRICED: { what: 'The plan has no price for it', todo: 'Add a price for the metric to the plan.' },
  GROUP_FILTERED: {
    what: 'The prices are for other values',
    todo: 'Add a price for these values to the plan, or one for all values.',
  },
  OLDER_SUBSCRIPTION: { what: 'Another subscription bills it', todo: 'Nothing is left to do.' },
  PERIOD_CLOSED: {
    what: 'Came after the last bill',
    todo: 'Bill it by a one-off invoice, or raise the days in which late usage is billed.',
  },
  INVOICE_CANCELLED: {
    what: 'Its invoice is cancelled',
    todo: 'Bill it by a one-off invoice if it is still owed.',
  },
  SUPERSEDED: { what: 'A later event set another level', todo: 'Nothing is left to do.' },
};

/** The words of a reason of the API. */
export const reasonWords = (reason: string): string => REASONS[reason]?.what ?? wordsOf(reason.toLowerCase());

/** What to do about it. */
export const reasonTodo = (reason: string): string => REASONS[reason]?.todo ?? '';
