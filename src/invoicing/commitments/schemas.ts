import {
  DecimalOut,
  DecimalText,
  type FieldWords,
  Id,
  ListQuery,
  Name,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant } from '../../kernel/time.ts';
import { AppliesToBody, AppliesToReply } from '../terms/applies-to.ts';
import { AVAILABLE_ON, COMMITMENT_TYPES, ENDS, type StoredSegment, TRUE_UPS } from '../terms/commitment.ts';
import { PriceOverrideReply, PriceOverridesBody } from '../terms/price-override-schema.ts';
import { COMMITMENT_STATUSES, figuresOf, type ReadCommitment, standingOf } from './figures.ts';

const MOST = '1000000000000';
const MOST_PRIORITY = 1_000_000;
const MOST_SEGMENTS = 240;
const Priority = Type.Integer({ minimum: -MOST_PRIORITY, maximum: MOST_PRIORITY });

const COMMITMENT_FIELDS: FieldWords = {
  customerId: 'The customer that has promised to spend.',
  subscriptionId:
    'The subscription whose spending counts. Null: those of `orderId`, or without it all of the customer on its clock.',
  orderId: 'The order whose subscriptions count: those that were made with this `orderId`. Null: it is of none.',
  name: ['The name, as invoices show it.', 'Contract 2026'],
  currency: 'The currency of the amounts: that of the subscription, where it is of one.',
  type:
    '`postpaid`: what is missing to the amount of a segment is invoiced at its end. `prepaid`: the amounts are invoiced ' +
    'first, and each segment makes a billing credit that pays its charges.',
  segments: 'The parts of the term, each with its own amount. Each begins where the one before it ends.',
  appliesTo: 'The charges that count. Without it: all.',
  priority: 'Spending counts for one commitment at a time, for the one with the lowest number first.',
  trueUp:
    'Of a postpaid commitment. `segment`: what is missing is asked at the end of each segment. `term`: once, at the end of the last one.',
  invoiceAt:
    'Of a prepaid commitment: when it is invoiced. `start`: each segment at its start. Or dates with their amounts, ' +
    'which come to the same sum as the segments.',
  availableOn:
    'Of a prepaid commitment: its billing credits begin with the issue of its invoices, or with the payment.',
  rollover: 'Of a prepaid commitment: the part of the rest of a segment that goes on, and for how long.',
  onEnd:
    'What an early end asks. `owed`: what is missing to all segments; of a prepaid one all dates. `prorated`: the part ' +
    'that is over; of a prepaid one the rest is given back. `waived`: nothing more.',
  overrides:
    'Agreed prices, which hold while it does: from its start, of no time before it was made, until its end. A price that ' +
    'the subscription has agreed itself stays.',
  testClockId: 'The test clock: that of the subscription. Default: the one clock of all subscriptions of the customer.',
};

const SEGMENT_FIELDS: FieldWords = {
  startDate: 'The start.',
  endDate: 'The end, exclusive.',
  amount: 'What is to be spent, before tax, in major units.',
};

const DATE_FIELDS: FieldWords = {
  date: 'When the amount is invoiced.',
  amount: 'The amount before tax, in major units.',
};
const ROLLOVER_FIELDS: FieldWords = {
  fraction: 'The part of the rest that goes on, above 0, at most 1.',
  days: 'How many days longer that part holds.',
};
const MOST_DAYS = 3660;

export const CommitmentCreateBody = Strict(
  {
    customerId: Id('customer'),
    subscriptionId: Type.Optional(Nullable(Id('subscription'))),
    orderId: Type.Optional(Nullable(Id('order'))),
    name: Name,
    currency: Type.String({ format: 'currency' }),
    type: OneOf(COMMITMENT_TYPES),
    segments: Type.Array(
      Strict(
        { startDate: Timestamp, endDate: Timestamp, amount: DecimalText({ minimum: '0', maximum: MOST }) },
        { 'x-fields': SEGMENT_FIELDS },
      ),
      { minItems: 1, maxItems: MOST_SEGMENTS },
    ),
    appliesTo: Type.Optional(Nullable(AppliesToBody)),
    priority: Type.Optional(Priority),
    trueUp: Type.Optional(Nullable(OneOf(TRUE_UPS))),
    invoiceAt: Type.Optional(
      Nullable(
        Type.Union([
          Type.Literal('start'),
          Type.Array(
            Strict(
              { date: Timestamp, amount: DecimalText({ exclusiveMinimum: '0', maximum: MOST }) },
              { 'x-fields': DATE_FIELDS },
            ),
            { minItems: 1, maxItems: MOST_SEGMENTS },
          ),
        ]),
      ),
    ),
    availableOn: Type.Optional(Nullable(OneOf(AVAILABLE_ON))),
    rollover: Type.Optional(
      Nullable(
        Strict(
          {
            fraction: DecimalText({ exclusiveMinimum: '0', maximum: '1' }),
            days: Type.Integer({ minimum: 1, maximum: MOST_DAYS }),
          },
          { 'x-fields': ROLLOVER_FIELDS },
        ),
      ),
    ),
    onEnd: Type.Optional(OneOf(ENDS)),
    overrides: Type.Optional(Nullable(PriceOverridesBody)),
    testClockId: Type.Optional(Nullable(Id('testClock'))),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'CommitmentCreate',
    'x-minor-units': ['segments.*.amount', 'invoiceAt.*.amount'],
    examples: [
      {
        customerId: 'cus_01J8Z3',
        subscriptionId: 'sub_01J8Z3',
        name: 'Contract 2026',
        currency: 'USD',
        type: 'postpaid',
        segments: [{ startDate: '2026-01-01T00:00:00Z', endDate: '2026-04-01T00:00:00Z', amount: '3000.00' }],
      },
    ],
    'x-fields': COMMITMENT_FIELDS,
  },
);
export type CommitmentCreateBody = Static<typeof CommitmentCreateBody>;

export const CommitmentUpdateBody = Strict(
  { name: Type.Optional(Name), priority: Type.Optional(Priority), onEnd: Type.Optional(OneOf(ENDS)) },
  { $id: 'CommitmentUpdate', 'x-fields': COMMITMENT_FIELDS, examples: [{ onEnd: 'prorated' }] },
);
export type CommitmentUpdateBody = Static<typeof CommitmentUpdateBody>;

export const CommitmentListQuery = ListQuery({
  customerId: Type.Optional(Id('customer')),
  subscriptionId: Type.Optional(Id('subscription')),
  orderId: Type.Optional(Id('order')),
  merchantId: Type.Optional(Id('organization')),
});

const CommitmentSegment = Type.Object(
  {
    startDate: Timestamp,
    endDate: Timestamp,
    amount: DecimalOut,
    spent: DecimalOut,
    remaining: DecimalOut,
    pace: Nullable(DecimalOut),
    forecast: Nullable(DecimalOut),
    shortfall: DecimalOut,
    billingCreditId: Nullable(Id('billingCredit')),
    invoiceId: Nullable(Id('invoice')),
  },
  {
    $id: 'CommitmentSegment',
    description: 'A part of the term of a commitment.',
    'x-fields': {
      ...SEGMENT_FIELDS,
      spent: 'What is spent of it until now, before tax and after coupons. Open periods count.',
      remaining: 'What is left to spend.',
      pace: 'What is spent, divided by what an even pace would have spent. Null: the segment has not begun.',
      forecast: 'What will be spent by its end at this pace. Null: the segment has not begun.',
      shortfall: 'What is missing now.',
      billingCreditId: 'Of a prepaid commitment: its first billing credit. Null: none.',
      invoiceId: 'The invoice that asked what was missing, or asked the segment at its start. Null: none did.',
    },
  },
);

export const CommitmentReply = Type.Object(
  {
    id: Id('commitment'),
    object: Type.Literal('commitment'),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    subscriptionId: Nullable(Id('subscription')),
    orderId: Nullable(Id('order')),
    name: Type.String(),
    currency: Type.String(),
    type: OneOf(COMMITMENT_TYPES),
    segments: Type.Array(CommitmentSegment),
    appliesTo: AppliesToReply,
    priority: Type.Integer(),
    trueUp: Nullable(OneOf(TRUE_UPS)),
    invoiceAt: Nullable(
      Type.Union([
        Type.Literal('start'),
        Type.Array(
          Type.Object(
            { date: Timestamp, amount: DecimalOut, invoiceId: Nullable(Id('invoice')) },
            { 'x-fields': { ...DATE_FIELDS, invoiceId: 'The invoice of the date. Null: it has not come.' } },
          ),
        ),
      ]),
    ),
    availableOn: Nullable(OneOf(AVAILABLE_ON)),
    rollover: Nullable(Type.Object({ fraction: DecimalOut, days: Type.Integer() }, { 'x-fields': ROLLOVER_FIELDS })),
    onEnd: OneOf(ENDS),
    overrides: Type.Array(PriceOverrideReply),
    status: OneOf(COMMITMENT_STATUSES),
    endedAt: Nullable(Timestamp),
    testClockId: Type.Optional(Id('testClock')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Commitment',
    description: 'What a customer has promised to spend over a term.',
    'x-fields': {
      ...COMMITMENT_FIELDS,
      status: '`scheduled`: its first segment has not begun. `ended`: its term is over, or it ended before.',
      endedAt: 'When it ended before its term, by a request or with its subscription. Null: it did not.',
    },
  },
);

/** A commitment as the API answers it. */
export function toCommitmentReply(read: ReadCommitment) {
  const { commitment, endsAt, spent, invoiceIds, ofDates, creditIds, now } = read;
  const { id, merchantId, customerId, subscriptionId, orderId, name, currency, type, appliesTo, priority } = commitment;
  const { invoiceAt, availableOn, rollover, clockId } = commitment;
  const { status, endedAt } = standingOf(commitment, endsAt, now);
  return {
    ...{ id, object: 'commitment' as const, merchantId, customerId, subscriptionId, orderId, name, currency },
    type,
    segments: commitment.segments.map((segment, place) => ({
      ...segmentReply(segment, spent[place] as Decimal, { now, currency }),
      billingCreditId: creditIds[place] ?? null,
      invoiceId: invoiceIds[place] ?? null,
    })),
    ...{ appliesTo, priority, trueUp: commitment.trueUp, onEnd: commitment.onEnd, status },
    invoiceAt:
      invoiceAt === null || invoiceAt === 'start'
        ? invoiceAt
        : invoiceAt.map(({ date, amount }, place) => ({
            date: formatInstant(Temporal.Instant.from(date)),
            amount: formatMoney(decimal(amount), currency),
            invoiceId: ofDates[place] ?? null,
          })),
    ...{ availableOn, rollover, overrides: commitment.overrides },
    endedAt: endedAt && formatInstant(endedAt),
    ...(clockId !== null && { testClockId: clockId }),
    createdAt: formatInstant(commitment.createdAt),
    updatedAt: formatInstant(commitment.updatedAt),
  };
}

function segmentReply(
  { startDate, endDate, amount }: StoredSegment,
  spent: Decimal,
  of: Parameters<typeof figuresOf>[2],
) {
  const [start, end] = [Temporal.Instant.from(startDate), Temporal.Instant.from(endDate)];
  const { missing, pace, forecast } = figuresOf({ start, end, amount: decimal(amount) }, spent, of);
  const money = (figure: Decimal) => formatMoney(figure, of.currency);
  return {
    startDate: formatInstant(start),
    endDate: formatInstant(end),
    amount: money(decimal(amount)),
    spent: money(spent),
    remaining: money(missing),
    pace: pace && plain(pace),
    forecast: forecast && money(forecast),
    shortfall: money(missing),
  };
}
