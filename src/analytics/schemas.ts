import { Id, Nullable, NumberOut, OneOf, type Static, Strict, Text, Timestamp, Type } from '../http/index.ts';
import { BUCKET_WIDTHS } from './buckets.ts';

const Currency = Type.String({ format: 'currency' });
const Amount = Type.String({ description: 'In major units.' });
const Width = Type.Optional(OneOf(BUCKET_WIDTHS));

export const GROUPINGS = ['plan', 'customer', 'currency'] as const;

export const RevenueQuery = Strict({
  startTime: Timestamp,
  endTime: Timestamp,
  bucketWidth: Width,
  merchantId: Type.Optional(Id('organization')),
  customerId: Type.Optional(Id('customer')),
  subscriptionIds: Type.Optional(
    Type.Union([Text(), Type.Array(Text())], { description: 'Separated by commas, repeated, or both; at most 100.' }),
  ),
  currency: Type.Optional(Currency),
  groupBy: Type.Optional(OneOf(GROUPINGS)),
});
export type RevenueQuery = Static<typeof RevenueQuery>;

const InvoiceCategorySummary = Type.Object(
  { count: Type.Integer(), amount: Amount },
  { $id: 'InvoiceCategorySummary' },
);

const InvoiceSummary = Type.Object(
  {
    issued: InvoiceCategorySummary,
    outstanding: InvoiceCategorySummary,
    paid: InvoiceCategorySummary,
    writtenOff: InvoiceCategorySummary,
  },
  { $id: 'InvoiceSummary' },
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
  { $id: 'PaymentSummary' },
);

const GroupTrendEntry = Type.Object(
  { groupKey: Type.String(), groupLabel: Type.String(), issuedInvoices: Amount },
  { $id: 'GroupTrendEntry' },
);

const RevenueTrendBucket = Type.Object(
  {
    timestamp: Timestamp,
    issuedInvoices: Amount,
    writtenOffInvoices: Amount,
    completedPayments: Amount,
    refunds: Amount,
    rebates: Amount,
    netRevenue: Amount,
    groupBreakdown: Type.Optional(Type.Array(GroupTrendEntry)),
  },
  { $id: 'RevenueTrendBucket' },
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
  { $id: 'GroupInvoiceSummary' },
);

const FIGURES = {
  netRevenue: Amount,
  totalRefunds: Amount,
  refundCount: Type.Integer(),
  totalRebates: Amount,
  rebateCount: Type.Integer(),
  invoices: InvoiceSummary,
  payments: PaymentSummary,
  trend: Type.Array(RevenueTrendBucket),
};

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
    groupBreakdown: Type.Array(GroupInvoiceSummary, { description: 'The groups with the most issued come first.' }),
    currencyBreakdown: Type.Array(
      Type.Object({ currency: Type.String(), ...FIGURES }, { $id: 'CurrencyBreakdownEntry' }),
    ),
  },
  { $id: 'RevenueSummaryResponse' },
);
export type RevenueSummaryReply = Static<typeof RevenueSummaryReply>;

export const PROFIT_ORDERS = ['profit', 'netRevenue', 'totalCost'] as const;

export const ProfitabilityQuery = Strict({
  from: Timestamp,
  to: Timestamp,
  merchantId: Type.Optional(Id('organization')),
  topN: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  currency: Type.Optional(Currency),
  bucketWidth: Width,
  sort: Type.Optional(Type.Unsafe<(typeof PROFIT_ORDERS)[number]>({ enum: [...PROFIT_ORDERS], default: 'profit' })),
  sortDir: Type.Optional(Type.Unsafe<'asc' | 'desc'>({ enum: ['asc', 'desc'], default: 'desc' })),
});
export type ProfitabilityQuery = Static<typeof ProfitabilityQuery>;

const PROFIT = {
  netRevenue: Amount,
  totalCost: Amount,
  profit: Amount,
  marginPct: Nullable(Type.String({ description: 'Percent of the net revenue; null where that is not above 0.' })),
};

/** The profit by customer. */
export const ProfitabilityReply = Type.Object(
  {
    object: Type.Literal('profitability_summary'),
    merchantId: Id('organization'),
    currency: Type.String(),
    from: Timestamp,
    to: Timestamp,
    customerCount: Type.Integer({ description: 'Customers with revenue or costs, also those without a row.' }),
    totals: Type.Object(PROFIT, { description: 'Of all customers.' }),
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
              { $id: 'ProfitabilityTrend' },
            ),
          ),
        },
        { $id: 'ProfitabilityRow' },
      ),
    ),
    warnings: Type.Array(Type.String()),
  },
  { $id: 'ProfitabilitySummaryResponse' },
);
export type ProfitabilityReply = Static<typeof ProfitabilityReply>;
