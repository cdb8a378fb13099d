import { DecimalOut, Id, Nullable, OneOf, type Static, Strict, Timestamp, Type } from '../../http/index.ts';
import { ENTRY_TYPES } from './entries.ts';

export const StatementQuery = Strict(
  {
    from: Timestamp,
    to: Timestamp,
    currency: Type.Optional(Type.String({ format: 'currency' })),
  },
  {
    'x-fields': {
      from: ['The start of the statement, inclusive.', '2026-01-01T00:00:00Z'],
      to: ['The end of the statement, exclusive.', '2026-02-01T00:00:00Z'],
      currency: [
        'The currency of the statement. Required for a customer with several currencies. Default: its only one.',
        'EUR',
      ],
    },
  },
);

const StatementEntryReply = Type.Object(
  {
    date: Timestamp,
    type: OneOf(ENTRY_TYPES),
    id: Type.String(),
    number: Nullable(Type.String()),
    description: Type.String(),
    amount: DecimalOut,
    balance: DecimalOut,
  },
  {
    $id: 'StatementEntry',
    description: 'An entry of a statement.',
    'x-fields': {
      date: 'The time of its booking.',
      type: 'The kind of the entry. The guide "Statements" explains each.',
      id: [
        'The id of the resource: of an invoice, a credit note, a payment, a receipt, a billing credit, or of the ' +
          'change of the wallet.',
        'inv_5f1d7a84be0c4d2e9a3b6c8d0e2f4a61',
      ],
      number: ['The number of the credit note, else of the invoice. Null: neither.', 'INV-000042'],
      description: ['The entry in a few English words.', 'Invoice INV-000042'],
      amount: 'The change of the balance, in major units. Above 0: the customer owes more.',
      balance: 'The balance after the entry, in major units.',
    },
  },
);

export const StatementReply = Type.Object(
  {
    object: Type.Literal('statement'),
    customerId: Id('customer'),
    currency: Type.String(),
    from: Timestamp,
    to: Timestamp,
    openingBalance: DecimalOut,
    closingBalance: DecimalOut,
    entries: Type.Array(StatementEntryReply),
  },
  {
    $id: 'Statement',
    description: 'The account of a customer in one currency over a stretch of time.',
    'x-fields': {
      from: 'The start, inclusive.',
      to: 'The end, exclusive.',
      openingBalance:
        'The balance at the start, in major units: the debt, less the wallet and the unapplied money. Below 0: in ' +
        'favour of the customer.',
      closingBalance: 'The balance at the end: the opening balance and all entries.',
      entries: 'The entries in the order of their times.',
    },
  },
);
export type StatementReply = Static<typeof StatementReply>;
