import {
  DecimalOut,
  DecimalText,
  FreeMap,
  Id,
  ListOf,
  ListQuery,
  MapOut,
  Metadata,
  MetadataOut,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { ALIGNMENTS, BILLING_MODES, PERIOD_PRESETS, PRORATIONS } from './schedule.ts';
import { scheduleStatuses } from './states.ts';

/** How much one schedule can hold. */
export const MOST_INTERVALS = 200;
export const MOST_TRANSITIONS = 200;
/** Windows of a schedule, and periods of an interval: a hundred years of months. */
export const MOST_WINDOWS = 1200;
export const MOST_KEYS_OF_INTERVALS = 20_000;

const Figure = DecimalText({ minimum: '0', maximum: '999999999999', fractionDigits: 12 });
const Description = Text({ maxLength: 1000 });
const NullableTime = Nullable(Timestamp);
const PaymentTermDays = Nullable(Type.Integer({ minimum: 0, maximum: 365 }));
const WindowOut = Type.Object(
  { start: Timestamp, end: Timestamp },
  {
    'x-fields': {
      start: 'The start of the window, inclusive.',
      end: 'The end of the window, exclusive.',
    },
  },
);

export const BillingScheduleReply = Type.Object(
  {
    id: Id('billingSchedule'),
    object: Type.Literal('billing_schedule'),
    merchantId: Id('organization'),
    orderId: Nullable(Id('order')),
    subscriptionId: Nullable(Id('subscription')),
    status: OneOf(scheduleStatuses),
    startDate: Timestamp,
    endDate: Timestamp,
    billingAnchor: Timestamp,
    alignmentPolicy: OneOf(ALIGNMENTS),
    prorationPolicy: OneOf(PRORATIONS),
    periodPreset: OneOf(PERIOD_PRESETS),
    customPeriodWindows: Type.Array(WindowOut),
    paymentTermDays: Nullable(Type.Integer()),
    metadata: MetadataOut,
    customerId: Id('customer'),
    currency: Type.String(),
    cancelledAt: Nullable(Timestamp),
    testClockId: Nullable(Id('testClock')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'BillingSchedule',
    description: 'The invoicing times of an order, or of a subscription in addition to its plan.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      orderId: 'The order that is billed. Null: the schedule is of a subscription.',
      subscriptionId: 'The subscription that is billed. Null: the schedule is of an order.',
      status:
        '`draft`: the order is not approved, or the subscription not active. `active`: it bills. `completed`: the ' +
        'last window is invoiced. `cancelled`: the order was cancelled, or the subscription has ended.',
      startDate: 'The start of the first window, inclusive.',
      endDate: 'The end of the last window, exclusive.',
      billingAnchor: 'The time from which windows are counted, with the alignment `anchor`.',
      alignmentPolicy:
        'Where windows begin: counted from `billingAnchor` (`anchor`), with the `calendar` month, or counted ' +
        'back from the end (`coterm`).',
      prorationPolicy: 'The price of a partial period: its share by days (`daily`), or the whole price (`none`).',
      periodPreset: 'How often an invoice is made: once (`single`), by a duration, or by `custom` windows.',
      customPeriodWindows: 'The windows of the preset `custom`. Empty for other presets.',
      paymentTermDays:
        'The days from the issue of an invoice to its due date. Null: those of the order or subscription.',
      customerId: 'The billed customer.',
      cancelledAt: 'The time from which nothing is owed. Null: it is not cancelled.',
      testClockId: 'The test clock of the order or subscription. Null: none.',
    },
  },
);

const details = {
  alignmentPolicy: Type.Optional(OneOf(ALIGNMENTS)),
  prorationPolicy: Type.Optional(OneOf(PRORATIONS)),
  paymentTermDays: Type.Optional(PaymentTermDays),
  periodPreset: Type.Optional(OneOf(PERIOD_PRESETS)),
  customPeriodWindows: Type.Optional(
    Type.Array(
      Strict(
        { start: Timestamp, end: Timestamp },
        {
          'x-fields': {
            start: 'The start of the window, inclusive.',
            end: 'The end of the window, exclusive.',
          },
        },
      ),
      {
        maxItems: MOST_WINDOWS,
      },
    ),
  ),
  metadata: Type.Optional(Metadata),
};
const detailsWords = {
  alignmentPolicy:
    'Where windows begin: counted from `billingAnchor` (`anchor`), with the `calendar` month, or counted ' +
    'back from the end (`coterm`). Default of a new schedule: `anchor`.',
  prorationPolicy:
    'The price of a partial period: its share by days (`daily`), or the whole price (`none`). ' +
    'Default of a new schedule: `daily`.',
  paymentTermDays: 'The days from the issue of an invoice to its due date. Null: those of the order or subscription.',
  periodPreset:
    'How often an invoice is made: once (`single`), by a duration, or by `custom` windows. Default of a new ' +
    'schedule: `P1M`.',
  customPeriodWindows:
    'The windows of the preset `custom`, and only of it: in order, without overlap, and within the dates.',
} as const;

export const BillingScheduleCreateBody = Strict(
  {
    orderId: Type.Optional(Nullable(Id('order'))),
    subscriptionId: Type.Optional(Nullable(Id('subscription'))),
    startDate: Timestamp,
    endDate: Timestamp,
    billingAnchor: Timestamp,
    ...details,
    merchantId: Type.Optional(Id('organization')),
  },
  {
    $id: 'BillingScheduleCreate',
    'x-some-of': ['orderId', 'subscriptionId'],
    examples: [
      {
        orderId: 'ord_8c3d5e0f1a2b4c6d',
        startDate: '2026-01-01T00:00:00Z',
        endDate: '2027-01-01T00:00:00Z',
        billingAnchor: '2026-01-01T00:00:00Z',
        periodPreset: 'P3M',
      },
    ],
    'x-fields': {
      ...detailsWords,
      orderId: 'The order that is billed. Required unless `subscriptionId` is sent.',
      subscriptionId: 'The subscription to bill in addition to its plan. Required unless `orderId` is sent.',
      startDate: 'The start of the first window, inclusive.',
      endDate: 'The end of the last window, exclusive.',
      billingAnchor: 'The time from which windows are counted, with the alignment `anchor`.',
    },
  },
);
export type BillingScheduleCreateBody = Static<typeof BillingScheduleCreateBody>;

export const BillingScheduleUpdateBody = Strict(
  {
    startDate: Type.Optional(Timestamp),
    endDate: Type.Optional(Timestamp),
    billingAnchor: Type.Optional(Timestamp),
    ...details,
  },
  {
    $id: 'BillingScheduleUpdate',
    'x-hints': {
      intervals: 'changes by PUT /v0/billingSchedules/{id}/intervals',
      status: 'follows the order or the subscription',
    },
    examples: [{ prorationPolicy: 'none' }],
    'x-fields': {
      ...detailsWords,
      startDate: 'The start of the first window, inclusive.',
      endDate: 'The end of the last window, exclusive.',
      billingAnchor: 'The time from which windows are counted, with the alignment `anchor`.',
    },
  },
);
export type BillingScheduleUpdateBody = Static<typeof BillingScheduleUpdateBody>;

export const BillingScheduleListQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    orderId: Type.Optional(Id('order')),
    subscriptionId: Type.Optional(Id('subscription')),
    customerId: Type.Optional(Id('customer')),
    status: Type.Optional(OneOf(scheduleStatuses)),
  },
  {
    fields: {
      status: 'Only schedules with this status.',
    },
  },
);

const TransitionOut = Type.Object(
  { effectiveDate: Timestamp, quantity: DecimalOut },
  {
    'x-fields': {
      effectiveDate: 'The start of the quantity.',
      quantity: 'The number of units as a decimal string.',
    },
  },
);

export const ScheduleIntervalReply = Type.Object(
  {
    id: Id('scheduleInterval'),
    object: Type.Literal('schedule_interval'),
    scheduleId: Id('billingSchedule'),
    orderLineItemId: Nullable(Id('orderLineItem')),
    itemId: Nullable(Id('item')),
    priceId: Nullable(Id('price')),
    description: Nullable(Type.String()),
    unitPrice: Nullable(DecimalOut),
    baseQuantity: DecimalOut,
    quantityTransitions: Type.Array(TransitionOut),
    billingCadence: Type.String(),
    billingMode: OneOf(BILLING_MODES),
    billDate: NullableTime,
    startDate: Timestamp,
    endDate: Nullable(Timestamp),
    usageFilter: Nullable(MapOut),
    metadata: MetadataOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'ScheduleInterval',
    description: 'A charge of a billing schedule: a price and a quantity for a stretch of time.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      scheduleId: 'The billing schedule.',
      orderLineItemId: 'The order line that is billed. Null: none.',
      itemId: 'The item. Null: none.',
      priceId: 'The price. Null: none.',
      description: 'The text of the line on invoices. Null: the text of the order line.',
      unitPrice:
        'The price of one unit for one period of the cadence, in major units. Null: the total price of the ' +
        'order line is divided.',
      baseQuantity: 'The number of units from `startDate` on.',
      quantityTransitions: 'Later quantities, each from a time on.',
      billingCadence: 'The time for which the price is, as an ISO 8601 duration, or `one_off`.',
      billingMode: '`advance`: invoiced as a window begins. `arrears`: invoiced as it ends.',
      billDate: 'The time at which a `one_off` charge is invoiced. Null: at `startDate`, or in arrears at `endDate`.',
      startDate: 'The start of the charge, inclusive.',
      endDate: 'The end of the charge, exclusive. Null: the end of the schedule.',
      usageFilter: 'Your own object. It has no effect. Null: none.',
    },
  },
);

export const ScheduleIntervalInput = Strict(
  {
    orderLineItemId: Type.Optional(Nullable(Id('orderLineItem'))),
    itemId: Type.Optional(Nullable(Id('item'))),
    priceId: Type.Optional(Nullable(Id('price'))),
    description: Type.Optional(Nullable(Description)),
    unitPrice: Type.Optional(Nullable(Figure)),
    baseQuantity: Figure,
    quantityTransitions: Type.Optional(
      Type.Array(
        Strict(
          { effectiveDate: Timestamp, quantity: Figure },
          {
            'x-fields': {
              effectiveDate: 'The start of the quantity.',
              quantity: 'The number of units.',
            },
          },
        ),
        { maxItems: MOST_TRANSITIONS },
      ),
    ),
    billingCadence: Text({ minLength: 1, maxLength: 20 }),
    billingMode: Type.Optional(OneOf(BILLING_MODES)),
    billDate: Type.Optional(Nullable(Timestamp)),
    startDate: Timestamp,
    endDate: Type.Optional(NullableTime),
    usageFilter: Type.Optional(Nullable(FreeMap())),
    metadata: Type.Optional(Metadata),
  },
  {
    $id: 'ScheduleIntervalInput',
    description: 'An interval of a billing schedule, as a request has it.',
    'x-fields': {
      orderLineItemId: 'The order line that is billed. Null: none.',
      itemId: 'The item. Null: none.',
      priceId: 'A price for reference. Metered prices are refused. Null: none.',
      description: 'The text of the line on invoices. Null: the text of the order line.',
      unitPrice:
        'The price of one unit for one period of the cadence, in major units. Null: the total price of the ' +
        'order line is divided.',
      baseQuantity: 'The number of units from `startDate` on.',
      quantityTransitions: 'Later quantities, each from a time on. Inside a period they count by days.',
      billingCadence: 'The time for which the price is, as an ISO 8601 duration such as `P3M`, or `one_off`.',
      billingMode: '`advance` (default): invoiced as a window begins. `arrears`: invoiced as it ends.',
      billDate: 'The time at which a `one_off` charge is invoiced. Null: at `startDate`, or in arrears at `endDate`.',
      startDate: 'The start of the charge, inclusive.',
      endDate: 'The end of the charge, exclusive. Null: the end of the schedule.',
      usageFilter: 'Your own object. It is stored and has no effect. Null: none.',
    },
  },
);
export type ScheduleIntervalInput = Static<typeof ScheduleIntervalInput>;

export const ScheduleIntervalsReplaceBody = Strict(
  {
    intervals: Type.Array(ScheduleIntervalInput, { maxItems: MOST_INTERVALS }),
    orderLineItemId: Type.Optional(Nullable(Id('orderLineItem'))),
  },
  {
    $id: 'ScheduleIntervalsReplace',
    examples: [
      {
        intervals: [
          {
            orderLineItemId: 'oli_8c3d5e0f1a2b4c6d',
            baseQuantity: '1',
            billingCadence: 'P3M',
            billingMode: 'advance',
            startDate: '2026-01-01T00:00:00Z',
          },
        ],
      },
    ],
    'x-fields': {
      intervals: 'The new intervals. An interval with the content of a former one keeps its id.',
      orderLineItemId: 'Replaces only the intervals of this order line. Null: replaces all.',
    },
  },
);
export type ScheduleIntervalsReplaceBody = Static<typeof ScheduleIntervalsReplaceBody>;

const LISTED = 100; // a schedule is read whole

export const ScheduleIntervalListQuery = ListQuery({}, { limit: LISTED });

export const scheduleInvoiceStatuses = ['staged', 'pushed', 'cancelled'] as const;

export const ScheduleInvoiceReply = Type.Object(
  {
    id: Id('scheduleInvoice'),
    object: Type.Literal('schedule_invoice'),
    orderId: Nullable(Id('order')),
    subscriptionId: Nullable(Id('subscription')),
    billingScheduleId: Id('billingSchedule'),
    merchantId: Id('organization'),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    billDate: Timestamp,
    dueDate: Timestamp,
    amount: DecimalOut,
    status: OneOf(scheduleInvoiceStatuses),
    invoiceId: Nullable(Id('invoice')),
    lineItems: Type.Array(
      Type.Object(
        {
          lineKey: Nullable(Type.String()),
          description: Type.String(),
          quantity: DecimalOut,
          unitPrice: DecimalOut,
          subtotal: DecimalOut,
          periodStart: Timestamp,
          periodEnd: Timestamp,
        },
        {
          'x-fields': {
            lineKey: 'The id of the order line, the price or the item that is billed. Null: none.',
            description: 'The text of the line.',
            quantity: 'The number of units as a decimal string.',
            unitPrice: 'The price of one unit, in major units.',
            subtotal: 'The amount before tax, in major units.',
            periodStart: 'The start of the time that the line bills, inclusive.',
            periodEnd: 'The end of the time that the line bills, exclusive.',
          },
        },
      ),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'ScheduleInvoice',
    description: 'An invoice that a billing schedule will make, or has made.',
    'x-fields': {
      orderId: 'The order. Null: the schedule is of a subscription.',
      subscriptionId: 'The subscription. Null: the schedule is of an order.',
      billingScheduleId: 'The billing schedule.',
      periodStart: 'The start of the window, inclusive.',
      periodEnd: 'The end of the window, exclusive.',
      billDate: 'The time at which it is invoiced.',
      dueDate: 'The time by which it is to be paid.',
      amount: 'The amount before tax, in major units. Below 0: a credit.',
      status:
        '`staged`: it will be invoiced at `billDate`. `pushed`: it is invoiced. `cancelled`: it will not be ' +
        'invoiced.',
      invoiceId: 'The invoice. Null: there is none.',
      lineItems: 'The lines of the invoice.',
    },
  },
);

export const ScheduleInvoiceListQuery = ListQuery(
  { status: Type.Optional(OneOf(scheduleInvoiceStatuses)) },
  {
    limit: LISTED,
    fields: {
      status: 'Only rows with this status. Default: all.',
    },
  },
);

export const ScheduleInvoiceListReply = ListOf(ScheduleInvoiceReply);
