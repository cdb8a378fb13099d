import { Id, MapOut, Nullable, NumberOut, OneOf, type Route, route, Timestamp, Type } from '../../http/index.ts';
import type { InvoicingParts } from '../invoice/dependencies.ts';
import { LineNotes, TierUsed } from '../invoice/schemas.ts';
import { explainInvoice } from './explain.ts';

const Tax = Type.Object({ rate: NumberOut, amount: Type.String() });
const TaxOfLine = Type.Object({
  rate: NumberOut,
  amount: Type.String(),
  decidedBy: Nullable(
    Type.String({
      description:
        'Who named the rate: `exempt`, `customer_metric`, `customer_plan`, `customer_default`, `place`, `price`, `metric`, ' +
        '`plan`, `merchant`, `none`. Null where `place` is null, and for lines that no price or order made.',
    }),
  ),
});
const NullableText = Nullable(Type.String());

const ExplainedLine = Type.Object(
  {
    lineItemId: Type.String(),
    invoiceDisplayName: Type.String(),
    type: Type.String(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    price: Nullable(
      Type.Object({
        id: Id('price'),
        model: Type.String(),
        properties: MapOut,
        minimumAmount: NullableText,
        maximumAmount: NullableText,
      }),
    ),
    group: Nullable(MapOut),
    quantity: NumberOut,
    unitPrice: Type.String(),
    tiers: Nullable(Type.Array(TierUsed)),
    workings: Nullable({
      ...MapOut,
      description: 'Facts of the calculation, where quantity × unitPrice does not tell the amount; decimals as text.',
    }),
    notes: LineNotes,
    earlier: Nullable(
      Type.Object(
        { from: Timestamp, to: Timestamp, quantity: NumberOut, amount: Type.String() },
        {
          description:
            'Of the rest of a period that `closeNow` cut: what its parts before used of the price and came to. The line is the price of both, less that amount.',
        },
      ),
    ),
    amount: Type.String(),
    tax: TaxOfLine,
    total: Type.String(),
    usageByHour: Nullable(
      Type.Array(Type.Object({ from: Timestamp, to: Timestamp, value: NumberOut, eventCount: Type.Integer() }), {
        description:
          'The usage that the line charges, in order of time: of a `matrix` that of its cell, of LATEST the level.',
      }),
    ),
    discounts: Type.Array(
      Type.Object({
        lineItemId: Type.String(),
        description: Type.String(),
        adjustmentId: NullableText,
        percentageDiscount: NullableText,
        notes: LineNotes,
        amount: Type.String(),
        tax: Tax,
        total: Type.String(),
      }),
    ),
  },
  { $id: 'ExplainedLine' },
);

const TaxPlace = Type.Object(
  {
    treatment: OneOf(['domestic', 'reverse_charge', 'consumer_abroad', 'outside', 'exempt', 'not_registered']),
    country: Nullable(Type.String({ description: "Whose tax counts; null: no country's." })),
    rate: Nullable(NumberOut),
    because: Type.String({ description: 'The sentence that decided.' }),
    taxIdStatus: OneOf(['none', 'valid', 'invalid', 'unchecked']),
    taxPoint: Type.String({ description: 'The day whose rates and registrations counted, in UTC.' }),
    registration: Nullable(
      Type.Object({ country: Type.String(), taxId: Type.String(), scheme: OneOf(['standard', 'oss']) }),
    ),
  },
  {
    $id: 'TaxPlace',
    description:
      'Where the invoice is taxed, as it was decided when it was calculated; null before that, and without a ' +
      'registration for tax.',
  },
);

const InvoiceExplanation = Type.Object(
  {
    object: Type.Literal('invoiceExplanation'),
    invoiceId: Id('invoice'),
    status: Type.String(),
    currency: Type.String(),
    taxBehavior: Type.String(),
    place: Nullable(TaxPlace),
    lines: Type.Array(ExplainedLine),
    taxes: Type.Array(MapOut),
    subtotal: Type.String(),
    totalTax: Type.String(),
    grandTotal: Type.String(),
    recalculation: Nullable(Type.Object({ grandTotal: Type.String(), isSame: Type.Boolean() })),
  },
  { $id: 'InvoiceExplanation' },
);

/** GET /v2/invoices/{id}/explain. */
export const explainRoute = (parts: InvoicingParts): Route =>
  route(
    {
      method: 'GET',
      path: '/v2/invoices/:id/explain',
      operationId: 'explainInvoice',
      tag: 'Invoices',
      summary: 'Explain every number of an invoice',
      description:
        'Each line with its price, tiers, usage by hour (as it is now), discounts and tax; of a calculated invoice also whether calculating it again gives the same.',
      access: { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } },
      replies: { 200: InvoiceExplanation },
    },
    ({ tx, merchantId, params }) => explainInvoice(parts, tx, merchantId, params.id),
  );
