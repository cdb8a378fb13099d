import {
  type CompactForms,
  DecimalOut,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { BUCKET_WIDTHS } from './buckets.ts';

const Currency = Type.String({ format: 'currency' });
const Amount = Type.Unsafe<string>({ ...DecimalOut, description: 'In major units.' });
const Width = Type.Optional(OneOf(BUCKET_WIDTHS));

export const GROUPINGS = ['plan', 'customer', 'currency'] as const;

export const RevenueQuery = Strict(
  {
    startTime: Timestamp,
    endTime: Timestamp,
    bucketWidth: Width,
    merchantId: Type.Optional(Id('organization')),
    customerId: Type.Optional(Id('customer')),
    subscriptionIds: Type.Optional(Type.Union([Text(), Type.Array(Text())])),
    currency: Type.Optional(Currency),
    groupBy: Type.Optional(OneOf(GROUPINGS)),
  },
  {
    'x-fields': {
      startTime: 'The start of the time of the report, inclusive.',
      endTime: 'The end of the time of the report, exclusive.',
      bucketWidth:
        'The width of a bucket of `trend`, in UTC. Weeks begin on Monday. Default: `day`, and `month` above ' +
        'about 1,000 days. At most 10,000 figures: buckets times the groups or currencies in the answer.',
      subscriptionIds: 'Only revenue of these subscriptions, at most 100: separated by commas, or repeated.',
      currency:
        'The currency of the figures at the top. Default: the currency of the merchant, or the only currency ' +
        'of the figures.',
      groupBy: 'Adds `groupBreakdown`: by `plan`, `customer` or `currency`.',
    },
  },
);
export type RevenueQuery = Static<typeof RevenueQuery>;

const InvoiceCategorySummary = Type.Object(
  { count: Type.Integer(), amount: Amount },
  {
    $id: 'InvoiceCategorySummary',
    description: 'A number of invoices and their amount without tax.',
    'x-fields': {
      count: 'The number of invoices.',
      amount: 'The amount without tax, in major units.',
    },
  },
);

const InvoiceSummary = Type.Object(
  {
    issued: InvoiceCategorySummary,
    outstanding: InvoiceCategorySummary,
    paid: InvoiceCategorySummary,
    writtenOff: InvoiceCategorySummary,
  },
  {
    $id: 'InvoiceSummary',
    description: 'The invoices of the time, by their state.',
    'x-fields': {
      issued:
        'Invoices that were issued in the time and are not cancelled, without wallet top-ups and purchases of billing credits.',
      outstanding: 'Open invoices, and their unpaid part.',
      paid: 'Paid invoices, and the settled part of `issued`, also by part payments.',
      writtenOff: 'Written-off invoices, and their unpaid part.',
    },
  },
);

const PaymentSummary = Type.Object(
  {
    completedCount: Type.Integer(),
    completedAmount: Amount,
    pendingCount: Type.Integer(),
    pendingAmount: Amount,
    expiredCount: Type.Integer(),
    expiredAmount: Amount,
  },
  {
    $id: 'PaymentSummary',
    description: 'The payments of the time, with tax and top-ups.',
    'x-fields': {
      completedCount: 'The number of payments received.',
      completedAmount: 'The money received, in major units.',
      pendingCount: 'The number of payment sessions that can still be paid.',
      pendingAmount: 'The amount of these sessions, in major units.',
      expiredCount: 'The number of payment sessions that were not paid.',
      expiredAmount: 'The amount of these sessions, in major units.',
    },
  },
);

const DisputeCategorySummary = Type.Object(
  { count: Type.Integer(), amount: Amount },
  {
    $id: 'DisputeCategorySummary',
    description: 'A number of disputes and their amount.',
    'x-fields': {
      count: 'The number of disputes.',
      amount: 'The disputed amount, with tax, in major units.',
    },
  },
);

const DisputeSummary = Type.Object(
  { open: DisputeCategorySummary, lost: DisputeCategorySummary },
  {
    $id: 'DisputeSummary',
    description: 'The disputes that began in the time, and are not won.',
    'x-fields': {
      open: 'Disputes without a decision. The payment provider holds their amount back.',
      lost: 'Lost disputes. Their amount is gone.',
    },
  },
);

const GroupTrendEntry = Type.Object(
  { groupKey: Type.String(), groupLabel: Type.String(), issuedInvoices: Amount },
  {
    $id: 'GroupTrendEntry',
    description: 'The figure of one group in a bucket.',
    'x-fields': {
      groupKey: ['The id of the group, or `other` or `none`.', 'plan_8c3d5e0f1a2b4c6d'],
      groupLabel: ['The name of the group.', 'Growth'],
      issuedInvoices: 'The issued invoices of the group without tax, in major units.',
    },
  },
);

const EARNED =
  'Paid billing credits that were used or expired, at what was paid for them, without tax, in major units.';
const NET_REVENUE =
  'Issued invoices and earned billing credits less refunds, rebates and written-off amounts, without tax, in major units.';

const RevenueTrendBucket = Type.Object(
  {
    timestamp: Timestamp,
    issuedInvoices: Amount,
    writtenOffInvoices: Amount,
    completedPayments: Amount,
    refunds: Amount,
    rebates: Amount,
    earned: Amount,
    netRevenue: Amount,
    groupBreakdown: Type.Optional(Type.Array(GroupTrendEntry)),
  },
  {
    $id: 'RevenueTrendBucket',
    description: 'The figures of one bucket. The first and the last one are cut to the time of the report.',
    'x-fields': {
      timestamp: 'The start of the bucket.',
      issuedInvoices: 'The issued invoices without tax, in major units.',
      writtenOffInvoices: 'The written-off amount without tax, in major units.',
      completedPayments: 'The money received, with tax, in major units.',
      refunds: 'The refunds without tax, in major units.',
      rebates: 'The credit notes over a part of an invoice, without tax, in major units.',
      earned: EARNED,
      netRevenue: NET_REVENUE,
      groupBreakdown: 'The issued invoices of each group. Present with `groupBy`.',
    },
  },
);

const GroupInvoiceSummary = Type.Object(
  {
    groupKey: Type.String(),
    groupLabel: Type.String(),
    issued: InvoiceCategorySummary,
    outstanding: InvoiceCategorySummary,
    paid: InvoiceCategorySummary,
    writtenOff: InvoiceCategorySummary,
    netRevenue: Amount,
  },
  {
    $id: 'GroupInvoiceSummary',
    description: 'The figures of one group.',
    'x-fields': {
      issued:
        'Invoices that were issued in the time and are not cancelled, without wallet top-ups and purchases of billing credits.',
      outstanding: 'Open invoices, and their unpaid part.',
      paid: 'Paid invoices, and the settled part of `issued`, also by part payments.',
      writtenOff: 'Written-off invoices, and their unpaid part.',
      groupKey: ['The id of the group, or `other` or `none`.', 'plan_8c3d5e0f1a2b4c6d'],
      groupLabel: ['The name of the group.', 'Growth'],
      netRevenue: NET_REVENUE,
    },
  },
);

const FIGURES = {
  netRevenue: Amount,
  totalRefunds: Amount,
  refundCount: Type.Integer(),
  totalRebates: Amount,
  rebateCount: Type.Integer(),
  totalEarned: Amount,
  invoices: InvoiceSummary,
  disputes: DisputeSummary,
  payments: PaymentSummary,
  trend: Type.Array(RevenueTrendBucket),
};
const FIGURES_WORDS = {
  netRevenue: NET_REVENUE,
  totalRefunds: 'The refunds that are not voided, without tax, in major units.',
  refundCount: 'The number of these refunds.',
  totalRebates: 'The credit notes over a part of an invoice, without tax, in major units.',
  rebateCount: 'The number of these credit notes.',
  totalEarned: EARNED,
  invoices: 'The invoices of the time.',
  disputes: 'The disputes about payments. They change no other figure.',
  payments: 'The payments of the time.',
  trend: 'The figures of each bucket, also of those without any.',
} as const;

/** The revenue of a time. */
export const RevenueSummaryReply = Type.Object(
  {
    object: Type.Literal('revenue_summary'),
    merchantId: Id('organization'),
    currency: Type.String(),
    startTime: Timestamp,
    endTime: Timestamp,
    bucketWidth: OneOf(BUCKET_WIDTHS),
    ...FIGURES,
    groupBreakdown: Type.Array(GroupInvoiceSummary),
    currencyBreakdown: Type.Array(
      Type.Object(
        { currency: Type.String(), ...FIGURES },
        {
          $id: 'CurrencyBreakdownEntry',
          description: 'The figures of a report in one currency.',
          'x-fields': FIGURES_WORDS,
        },
      ),
    ),
  },
  {
    $id: 'RevenueSummaryResponse',
    description: 'The revenue of a merchant in a stretch of time. Two currencies are never added.',
    'x-fields': {
      ...FIGURES_WORDS,
      startTime: 'The start of the time of the report, inclusive.',
      endTime: 'The end of the time of the report, exclusive.',
      bucketWidth: 'The width of a bucket of `trend`.',
      groupBreakdown:
        'The 100 groups with the most issued, largest first. All others are the group `other`. Empty without ' +
        '`groupBy`.',
      currencyBreakdown: 'The figures of each currency.',
    },
  },
);
export type RevenueSummaryReply = Static<typeof RevenueSummaryReply>;

export const PROFIT_ORDERS = ['profit', 'netRevenue', 'totalCost'] as const;

export const ProfitabilityQuery = Strict(
  {
    from: Timestamp,
    to: Timestamp,
    merchantId: Type.Optional(Id('organization')),
    topN: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
    currency: Type.Optional(Currency),
    bucketWidth: Width,
    sort: Type.Optional(Type.Unsafe<(typeof PROFIT_ORDERS)[number]>({ enum: [...PROFIT_ORDERS], default: 'profit' })),
    sortDir: Type.Optional(Type.Unsafe<'asc' | 'desc'>({ enum: ['asc', 'desc'], default: 'desc' })),
  },
  {
    'x-fields': {
      from: 'The start of the time of the report, inclusive.',
      to: 'The end of the time of the report, exclusive.',
      topN: 'The most rows in the answer.',
      currency:
        'The currency of the figures. Default: the currency of the merchant, or the only currency of the figures.',
      bucketWidth:
        'Adds a `trend` to each row, with buckets of this width: at most 10,000 values, buckets times `topN`.',
      sort: 'The figure by which rows are sorted.',
      sortDir: 'The direction of the sort.',
    },
  },
);
export type ProfitabilityQuery = Static<typeof ProfitabilityQuery>;

const PROFIT = {
  netRevenue: Amount,
  totalCost: Amount,
  profit: Amount,
  marginPct: Nullable(DecimalOut),
};
const PROFIT_WORDS = {
  netRevenue: 'The net revenue, in major units.',
  totalCost: 'The cost of the usage, in major units. It may have more digits than the currency.',
  profit: 'The net revenue less the cost, in major units.',
  marginPct: 'The profit in percent of the net revenue. Null: the net revenue is not above 0.',
} as const;

/** The profit by customer. */
export const ProfitabilityReply = Type.Object(
  {
    object: Type.Literal('profitability_summary'),
    merchantId: Id('organization'),
    currency: Type.String(),
    from: Timestamp,
    to: Timestamp,
    customerCount: Type.Integer(),
    totals: Type.Object(PROFIT, { description: 'The sums over all customers.', 'x-fields': PROFIT_WORDS }),
    rows: Type.Array(
      Type.Object(
        {
          customerId: Id('customer'),
          customerName: Type.String(),
          ...PROFIT,
          trend: Nullable(
            Type.Object(
              {
                values: Type.Array(Type.String({ description: 'The profit of a bucket.' })),
                periodChange: Nullable(NumberOut),
              },
              {
                $id: 'ProfitabilityTrend',
                'x-compact': { periodChange: 'null' } satisfies CompactForms,
                description: 'The change of the profit since the period before.',
                'x-fields': {
                  values: 'The profit of each bucket, in major units.',
                  periodChange:
                    'The change from the time of the same length before, in percent. Null: there is nothing ' +
                    'to compare.',
                },
              },
            ),
          ),
        },
        {
          $id: 'ProfitabilityRow',
          'x-compact': { marginPct: 'null', trend: 'null' } satisfies CompactForms,
          description: 'The revenue, cost and margin of one customer.',
          'x-fields': {
            ...PROFIT_WORDS,
            customerName: 'The name of the customer.',
            trend: 'The profit in each bucket. Null: without `bucketWidth`.',
          },
        },
      ),
    ),
    warnings: Type.Array(Type.String()),
  },
  {
    $id: 'ProfitabilitySummaryResponse',
    description: 'The profit of a merchant by customer, in a stretch of time.',
    'x-fields': {
      from: 'The start of the time of the report, inclusive.',
      to: 'The end of the time of the report, exclusive.',
      customerCount: 'The number of customers with revenue or costs, also of those without a row.',
      rows: 'The customers, at most `topN`.',
      warnings: 'Sentences about figures that are left out, such as other currencies.',
    },
  },
);
export type ProfitabilityReply = Static<typeof ProfitabilityReply>;
