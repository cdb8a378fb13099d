import {
  DecimalText,
  FreeMap,
  Id,
  ListOf,
  ListQuery,
  MapOut,
  Metadata,
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
const WindowOut = Type.Object({ start: Timestamp, end: Timestamp });

export const BillingSchedule = Type.Object(
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
    paymentTermDays: Nullable(
      Type.Integer({ description: "null: the order's `defaultPaymentTermDays`, or the subscription's." }),
    ),
    metadata: MapOut,
    customerId: Id('customer'),
    currency: Type.String(),
    cancelledAt: Nullable({ ...Timestamp, description: 'Time from here on is not owed.' }),
    testClockId: Nullable(Id('testClock')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'BillingSchedule' },
);

const details = {
  alignmentPolicy: Type.Optional(OneOf(ALIGNMENTS)),
  prorationPolicy: Type.Optional(OneOf(PRORATIONS)),
  paymentTermDays: Type.Optional(PaymentTermDays),
  periodPreset: Type.Optional(OneOf(PERIOD_PRESETS)),
  customPeriodWindows: Type.Optional(
    Type.Array(Strict({ start: Timestamp, end: Timestamp }), {
      maxItems: MOST_WINDOWS,
      description: 'With the preset `custom`, and only then: in their order, apart from each other, within the dates.',
    }),
  ),
  metadata: Type.Optional(Metadata),
};

export const BillingScheduleCreate = Strict(
  {
    orderId: Type.Optional(Nullable(Id('order'))),
    subscriptionId: Type.Optional(Nullable(Id('subscription'))),
    startDate: Timestamp,
    endDate: Timestamp,
    billingAnchor: Timestamp,
    ...details,
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'BillingScheduleCreate', 'x-some-of': ['orderId', 'subscriptionId'] },
);
export type BillingScheduleCreate = Static<typeof BillingScheduleCreate>;

export const BillingScheduleUpdate = Strict(
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
  },
);
export type BillingScheduleUpdate = Static<typeof BillingScheduleUpdate>;

export const BillingScheduleListQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  orderId: Type.Optional(Id('order')),
  subscriptionId: Type.Optional(Id('subscription')),
  customerId: Type.Optional(Id('customer')),
  status: Type.Optional(OneOf(scheduleStatuses)),
});

const TransitionOut = Type.Object({ effectiveDate: Timestamp, quantity: Type.String() });

export const ScheduleInterval = Type.Object(
  {
    id: Id('scheduleInterval'),
    object: Type.Literal('schedule_interval'),
    scheduleId: Id('billingSchedule'),
    orderLineItemId: Nullable(Id('orderLineItem')),
    itemId: Nullable(Id('item')),
    priceId: Nullable(Id('price')),
    description: Nullable(Type.String()),
    unitPrice: Nullable(
      Type.String({ description: "Of one unit for one period of the cadence. null: the order line's price." }),
    ),
    baseQuantity: Type.String(),
    quantityTransitions: Type.Array(TransitionOut),
    billingCadence: Type.String({ description: 'A duration, or `one_off`.' }),
    billingMode: OneOf(BILLING_MODES),
    billDate: NullableTime,
    startDate: Timestamp,
    endDate: Nullable({ ...Timestamp, description: "null: the schedule's." }),
    usageFilter: Nullable(MapOut),
    metadata: MapOut,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ScheduleInterval' },
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
      Type.Array(Strict({ effectiveDate: Timestamp, quantity: Figure }), { maxItems: MOST_TRANSITIONS }),
    ),
    billingCadence: Text({ minLength: 1, maxLength: 20, description: 'A duration such as P3M, or `one_off`.' }),
    billingMode: Type.Optional(OneOf(BILLING_MODES)),
    billDate: Type.Optional(Nullable({ ...Timestamp, description: 'When a `one_off` charge is invoiced.' })),
    startDate: Timestamp,
    endDate: Type.Optional(NullableTime),
    usageFilter: Type.Optional(Nullable(FreeMap({ description: 'Kept for the caller; it filters nothing.' }))),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'ScheduleIntervalInput' },
);
export type ScheduleIntervalInput = Static<typeof ScheduleIntervalInput>;

export const ScheduleIntervalsReplace = Strict(
  {
    intervals: Type.Array(ScheduleIntervalInput, { maxItems: MOST_INTERVALS }),
    orderLineItemId: Type.Optional(
      Nullable({ ...Id('orderLineItem'), description: 'Replaces the intervals of this order line alone.' }),
    ),
  },
  { $id: 'ScheduleIntervalsReplace' },
);
export type ScheduleIntervalsReplace = Static<typeof ScheduleIntervalsReplace>;

const LISTED = 100; // a schedule is read whole

export const ScheduleIntervalListQuery = ListQuery({}, { limit: LISTED });

export const scheduleInvoiceStatuses = ['staged', 'pushed', 'cancelled'] as const;

export const ScheduleInvoice = Type.Object(
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
    amount: Type.String({ description: 'Before tax, less what it takes back.' }),
    status: OneOf(scheduleInvoiceStatuses),
    invoiceId: Nullable(Id('invoice')),
    lineItems: Type.Array(
      Type.Object({
        lineKey: Nullable(Type.String()),
        description: Type.String(),
        quantity: Type.String(),
        unitPrice: Type.String(),
        subtotal: Type.String(),
        periodStart: Timestamp,
        periodEnd: Timestamp,
      }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'ScheduleInvoice' },
);

export const ScheduleInvoiceListQuery = ListQuery(
  { status: Type.Optional(OneOf(scheduleInvoiceStatuses)) },
  { limit: LISTED },
);

export const ScheduleInvoiceList = ListOf(ScheduleInvoice);
