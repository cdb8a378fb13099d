import {
  DecimalOut,
  DecimalText,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { type Decimal, jsonNumber, plain } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { CreditNoteLineRow, ReadCreditNote } from '../invoice/credit-note.ts';
import { listPriceId } from '../terms/list-price.ts';

const Amount = DecimalOut;

const SETTLEMENTS = ['refund', 'wallet', 'reduce'] as const;

const MOST_LINES = 100;
const MOST = '1000000000000';

const PartCreditLine = Strict(
  {
    lineItemId: Id('lineItem'),
    quantity: Type.Optional(DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 12, accept: 'both' })),
    amount: Type.Optional(DecimalText({ exclusiveMinimum: '0', maximum: MOST, fractionDigits: 9, accept: 'both' })),
  },
  {
    $id: 'CreditNoteLineCreate',
    description: 'A part of a charge that is credited: either `quantity` or `amount`.',
    'x-fields': {
      lineItemId: 'The charge that is credited: its discounts are credited with it.',
      quantity:
        'The units that are credited, at most what is left of the line. What billing credits paid of them goes back ' +
        'to these.',
      amount:
        'The amount that is credited, in major units: before tax, or with tax if prices include it. At most what the ' +
        'discounts, billing credits and earlier credit notes left of the line.',
    },
  },
);

/** A credit note over parts of lines. */
export const PartCreditBody = Strict(
  {
    lines: Type.Array(PartCreditLine, { minItems: 1, maxItems: MOST_LINES }),
    reason: Text({ minLength: 1, maxLength: 1000 }),
    settlement: Type.Optional(OneOf(SETTLEMENTS)),
    idempotencyKey: Text({ minLength: 1, maxLength: 255 }),
  },
  {
    $id: 'CreditNoteCreate',
    examples: [
      {
        lines: [{ lineItemId: 'li_0000000000000000000001', amount: '20.00' }],
        reason: 'The export was down for two days',
        idempotencyKey: 'ticket-4711',
      },
    ],
    'x-fields': {
      lines: 'The charges that are credited in part, each once.',
      reason: 'The reason. It is on the document.',
      settlement:
        '`reduce`: off what is unpaid. `refund`: back as it was paid. `wallet`: into the wallet. Default: first off ' +
        'what is unpaid, and the remainder back as it was paid.',
      idempotencyKey:
        'Your key of this credit note, valid for ever and for all invoices of the merchant. The same key again answers ' +
        '200 with the first credit note.',
    },
  },
);
export type PartCreditBody = Static<typeof PartCreditBody>;

const CreditNoteLineReply = Type.Object(
  {
    id: Id('lineItem'),
    appliesToLineId: Nullable(Id('lineItem')),
    priceId: Nullable(Id('price')),
    displayName: Type.String(),
    quantity: DecimalOut,
    unitPrice: DecimalOut,
    amount: Amount,
    taxAmount: Amount,
    taxRate: NumberOut,
    total: Amount,
    periodStart: Timestamp,
    periodEnd: Timestamp,
  },
  {
    $id: 'CreditNoteLine',
    description: 'The credited charges and their periods; `taxRate` in percent.',
    'x-fields': {
      appliesToLineId:
        'The line of the invoice that is credited. Null: the credit note is from before this was stored, and no line ' +
        'of the invoice has its charge.',
      priceId: 'The price of the charge. Null: it has none, such as a line by hand or a commitment.',
      displayName: ['The text of the line.', 'Seats'],
      quantity: ['The credited units, if one price tells the amount, such as of less usage. Otherwise 1.', '50'],
      unitPrice: [
        'The price of a unit. `quantity` times it is `amount`, or `total` where prices include the tax.',
        '1.00',
      ],
      amount:
        'The credited amount before tax, in major units. Below 0: a deduction of the invoice, which goes back, too.',
      taxAmount: 'The tax that is reversed, in major units.',
      taxRate: 'The tax rate in percent.',
      total: 'The sum of `amount` and `taxAmount`, in major units.',
      periodStart: 'The start of the time that is credited, inclusive.',
      periodEnd: 'The end of the time that is credited, exclusive.',
    },
  },
);

/** A credit of an issued invoice, or of a part of it. */
export const CreditNoteReply = Type.Object(
  {
    id: Id('refund'),
    object: Type.Literal('credit_note'),
    /** `credit` and `partial` are over a part, of which there may be several; the others over all that those leave. */
    kind: OneOf(['refund', 'cancellation', 'credit', 'partial', 'reissue']),
    number: Type.String(),
    invoiceId: Id('invoice'),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    amount: Amount,
    taxAmount: Amount,
    total: Amount,
    currency: Type.String(),
    status: OneOf(['ISSUED', 'VOIDED']),
    settlement: Nullable(OneOf(SETTLEMENTS)),
    reason: Nullable(Type.String()),
    voidReason: Nullable(Type.String()),
    idempotencyKey: Nullable(Type.String()),
    lines: Type.Array(CreditNoteLineReply),
    pdfUrl: Type.String(),
    documentXmlUrl: Type.String(),
    createdAt: Timestamp,
    voidedAt: Nullable(Timestamp),
  },
  {
    $id: 'CreditNote',
    description: 'A document that credits an issued invoice, in full or in part.',
    'x-fields': {
      kind:
        '`refund`: of a whole paid invoice. `cancellation`: of an unpaid one. `credit`: of a part, such as ' +
        'unused time. `partial`: of parts of lines, as you asked. `reissue`: of one that another invoice replaces.',
      number: ['The number of the credit note, without gaps for the merchant.', 'CN-000007'],
      invoiceId: 'The invoice that is credited.',
      customerId: 'The customer of the invoice.',
      amount: 'The credited amount before tax, in major units.',
      taxAmount: 'The tax that is reversed, in major units.',
      total: 'The sum of `amount` and `taxAmount`, in major units.',
      status: '`ISSUED`: it is valid. `VOIDED`: it was voided, permanently.',
      settlement: 'The settlement of a `partial` that was sent. Null: none was.',
      reason: 'The reason that was sent. Null: none was.',
      voidReason: 'The reason that was sent with the void. Null: none was.',
      idempotencyKey:
        'Your key of a `partial`; on a reissued invoice the id of the credit note that it repeats. ' +
        'Null: of the other kinds.',
      lines: 'The lines of a `credit` or a `partial`. Empty: the lines are those of the invoice.',
      pdfUrl: 'The address of the PDF. It needs a key.',
      documentXmlUrl: 'The address of the e-invoice. It needs a key.',
      voidedAt: 'The time of the void. Null: it is not voided.',
    },
  },
);

/** A credit note as the API answers it; `publicUrl` is what links to this environment start with. */
export function toCreditNoteReply(
  note: ReadCreditNote,
  publicUrl: string,
  lines: readonly CreditNoteLineRow[] = [],
): Static<typeof CreditNoteReply> {
  const money = (amount: Decimal) => formatMoney(amount, note.currency);
  const address = `${publicUrl}/v2/invoices/${note.invoiceId}/refunds/${note.id}`; // where documents of all of them are
  return {
    id: note.id,
    object: 'credit_note',
    kind: note.kind,
    number: note.number,
    invoiceId: note.invoiceId,
    merchantId: note.merchantId,
    customerId: note.customerId,
    amount: money(note.amount),
    taxAmount: money(note.taxAmount),
    total: money(note.total),
    currency: note.currency,
    status: note.status,
    settlement: note.settlement,
    reason: note.reason,
    voidReason: note.voidReason,
    idempotencyKey: note.idempotencyKey,
    lines: lines.map((line) => ({
      id: line.id,
      appliesToLineId: line.appliesToLineId,
      priceId: listPriceId(line.priceId),
      displayName: line.displayName,
      quantity: plain(line.quantity),
      unitPrice: plain(line.unitPrice),
      amount: money(line.amount),
      taxAmount: money(line.taxAmount),
      taxRate: jsonNumber(line.taxRate),
      total: money(line.amount.plus(line.taxAmount)),
      periodStart: formatInstant(line.periodStart),
      periodEnd: formatInstant(line.periodEnd),
    })),
    pdfUrl: `${address}/pdf`,
    documentXmlUrl: `${address}/document.xml`,
    createdAt: formatInstant(note.createdAt),
    voidedAt: note.voidedAt && formatInstant(note.voidedAt),
  };
}
