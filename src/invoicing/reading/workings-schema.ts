import { DecimalOut, Id, Nullable, Timestamp, Type } from '../../http/index.ts';
import { DisplayUnitReply } from '../rating/index.ts';

const Share = Type.Object(
  { part: DecimalOut, whole: DecimalOut },
  { 'x-fields': { part: 'The part, in seconds.', whole: 'The whole, in seconds.' } },
);

const Credit = Type.Object(
  {
    id: Type.String(),
    invoiceNumber: Nullable(Type.String()),
    from: Timestamp,
    to: Timestamp,
    billed: Nullable(DecimalOut),
    share: Nullable(Share),
    amount: DecimalOut,
    before: DecimalOut,
    notes: Type.Optional(
      Type.Array(
        Type.Object(
          { number: Type.String(), amount: DecimalOut },
          { 'x-fields': { number: 'The number of the credit note.', amount: 'The credited amount before tax.' } },
        ),
      ),
    ),
  },
  {
    'x-fields': {
      id: 'The credit.',
      invoiceNumber: 'The number of the invoice that billed the charge. Null: it had none.',
      from: 'The start of the charge that was billed, inclusive.',
      to: 'The end of the charge that was billed, exclusive.',
      billed: 'The amount of the charge before tax. Null: it was not billed.',
      share: 'The unused part of its time. Null: all of it.',
      amount: 'The whole credit before tax. The line may hold less.',
      before: 'The amount that was credited before.',
      notes: 'The credit notes about the remainder of the credit.',
    },
  },
);

/** How the amount of a line came about (`LineWorkings`): each field stands where its rule changed the amount. */
export const LineWorkings = Type.Object(
  {
    share: Type.Optional(Share),
    whole: Type.Optional(DecimalOut),
    flatShare: Type.Optional(Share),
    included: Type.Optional(
      Type.Object(
        { units: DecimalOut, allowance: DecimalOut, share: Type.Optional(Share) },
        {
          'x-fields': {
            units: 'The free units that were used.',
            allowance: 'The free units of a whole period.',
            share: 'The part of the period.',
          },
        },
      ),
    ),
    display: Type.Optional(DisplayUnitReply),
    list: Type.Optional(
      Type.Object({ unitPrice: DecimalOut }, { 'x-fields': { unitPrice: 'The price of a unit in the catalog.' } }),
    ),
    packages: Type.Optional(
      Type.Object(
        { count: DecimalOut, size: DecimalOut, price: DecimalOut },
        {
          'x-fields': {
            count: 'The number of packages.',
            size: 'The units in a package.',
            price: 'The price of a package.',
          },
        },
      ),
    ),
    percentage: Type.Optional(
      Type.Object(
        {
          percent: DecimalOut,
          of: DecimalOut,
          fixed: Type.Optional(DecimalOut),
          events: Type.Optional(DecimalOut),
          least: Type.Optional(DecimalOut),
          most: Type.Optional(DecimalOut),
        },
        {
          'x-fields': {
            percent: 'The percentage.',
            of: 'The quantity of which it is taken.',
            fixed: 'The amount for each event.',
            events: 'The number of events.',
            least: 'The minimum charge that applied.',
            most: 'The maximum charge that applied.',
          },
        },
      ),
    ),
    others: Type.Optional(
      Type.Object(
        { groups: Type.Array(Type.String()), more: Type.Integer() },
        {
          'x-fields': {
            groups: 'Groups that the default of a matrix priced.',
            more: 'How many more there are.',
          },
        },
      ),
    ),
    rows: Type.Optional(
      Type.Object(
        {
          exact: DecimalOut,
          all: Type.Optional(
            Type.Object(
              { count: Type.Integer(), exact: DecimalOut, amount: DecimalOut },
              {
                'x-fields': {
                  count: 'The number of lines.',
                  exact: 'Their sum before it was rounded.',
                  amount: 'Their sum, rounded.',
                },
              },
            ),
          ),
        },
        {
          'x-fields': {
            exact: 'The amount of the line before it was rounded.',
            all: 'On the last line of the price: all lines of the price.',
          },
        },
      ),
    ),
    limit: Type.Optional(
      Type.Object(
        { amount: DecimalOut, reached: DecimalOut },
        {
          'x-fields': {
            amount: 'The minimum or maximum.',
            reached: 'The amount of the price without it.',
          },
        },
      ),
    ),
    discount: Type.Optional(
      Type.Object(
        { percent: DecimalOut, of: DecimalOut },
        { 'x-fields': { percent: 'The percentage.', of: 'The amount of which it is taken.' } },
      ),
    ),
    coupon: Type.Optional(
      Type.Object(
        {
          couponId: Id('coupon'),
          redemptionId: Id('redemption'),
          period: Type.Optional(Timestamp),
        },
        {
          'x-fields': {
            couponId: 'The coupon.',
            redemptionId: 'The redemption of the coupon by the subscription.',
            period: 'The start of the period for which it is worked out. Absent: it is worked out on the charge alone.',
          },
        },
      ),
    ),
    use: Type.Optional(
      Type.Object(
        {
          billingCreditId: Id('billingCredit'),
          onInvoiceId: Type.Optional(Id('invoice')),
          creditId: Type.Optional(Type.String()),
          commitmentId: Type.Optional(Id('commitment')),
        },
        {
          'x-fields': {
            billingCreditId: 'The billing credit.',
            creditId: 'The credit for unused time with which it is given back.',
            commitmentId: 'It pays what this commitment asks. Absent: it pays a charge.',
            onInvoiceId: 'The invoice on which it had paid what it has back. Absent: the line pays.',
          },
        },
      ),
    ),
    trueUp: Type.Optional(
      Type.Object(
        { commitmentId: Id('commitment'), segment: Type.Integer() },
        {
          'x-fields': {
            commitmentId: 'The commitment.',
            segment: 'Its segment, counted from 0; of a whole term the last one.',
          },
        },
      ),
    ),
    prepayment: Type.Optional(
      Type.Object(
        { commitmentId: Id('commitment'), date: Type.Integer() },
        {
          'x-fields': {
            commitmentId: 'The prepaid commitment.',
            date: 'The date that asks, counted from 0; behind the agreed ones: its early end.',
          },
        },
      ),
    ),
    soFar: Type.Optional(
      Type.Object(
        { total: DecimalOut, before: DecimalOut },
        { 'x-fields': { total: 'The whole amount so far.', before: 'The amount that was billed before.' } },
      ),
    ),
    late: Type.Optional(
      Type.Object(
        { maximum: DecimalOut, minimum: DecimalOut },
        {
          'x-fields': {
            maximum: 'The part that the maximum of the price makes.',
            minimum: 'The part that the minimum of the price makes.',
          },
        },
      ),
    ),
    cut: Type.Optional(DecimalOut),
    lost: Type.Optional(DecimalOut),
    credit: Type.Optional(Credit),
    byHand: Type.Optional(
      Type.Object({ amount: DecimalOut }, { 'x-fields': { amount: 'The whole amount. The line may hold less.' } }),
    ),
  },
  {
    $id: 'LineWorkings',
    description: 'How the amount of a line came about. A field is there where its rule changed the amount.',
    'x-fields': {
      display: 'The unit in which documents and pages say the line. Absent: the unit itself.',
      list: 'Of an agreed price: the catalog.',
      share: 'The part of the period that is charged.',
      whole: 'The amount of a whole period.',
      flatShare: 'The part of the period by which flat prices of tiers are scaled.',
      included: 'The units at no cost.',
      packages: 'The packages of the price.',
      percentage: 'The percentage of the price.',
      others: 'The groups that a matrix priced by its default.',
      rows: 'Of a price with several lines, which is rounded once.',
      limit: 'The minimum or maximum that made the line.',
      discount: 'The percentage that made a discount line.',
      coupon: 'The coupon that made the line.',
      use: 'The billing credit that pays by the line, or has something back.',
      trueUp: 'Of what is missing to a commitment over a term.',
      prepayment: 'Of a date of a prepaid commitment.',
      soFar: 'Of usage that goes on or is late.',
      late: 'Of a correction: the parts that limits make.',
      cut: 'The amount that a total of 0 cut off the line. It is credited to the invoices that billed it.',
      lost: 'The amount that was cut off and that no invoice can be credited for.',
      credit: 'Of a credit: the charge that was billed before.',
      byHand: 'Of a negative line by hand.',
    },
  },
);
