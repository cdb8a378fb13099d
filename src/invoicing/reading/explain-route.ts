import {
  DecimalOut,
  GroupOut,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Route,
  routesOf,
  Timestamp,
  Type,
} from '../../http/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { LineNotes, TierUsed } from '../invoice/schemas.ts';
import { casesOfModels, type PriceModelName, PriceProperties, priceModelNames } from '../rating/index.ts';
import { PriceOverrideReply } from '../terms/price-override-schema.ts';
import { explainInvoice } from './explain.ts';
import { LineWorkings } from './workings-schema.ts';

const api = routesOf('Invoices');

const Tax = Type.Object(
  { rate: NumberOut, amount: DecimalOut },
  {
    'x-fields': {
      rate: 'The tax rate in percent.',
      amount: 'The tax, in major units.',
    },
  },
);
const TaxOfLine = Type.Object(
  {
    rate: NumberOut,
    amount: DecimalOut,
    decidedBy: Nullable(
      Type.String({
        description:
          'The source of the rate: `exempt`, `customer_metric`, `customer_plan`, `customer_default`, `place`, ' +
          '`price`, `metric`, `plan`, `merchant`, `none`. Null where `place` is null, and for lines that no price or ' +
          'order made.',
      }),
    ),
  },
  {
    'x-fields': {
      rate: 'The tax rate in percent.',
      amount: 'The tax, in major units.',
    },
  },
);
const NullableText = Nullable(Type.String());
const NullableDecimal = Nullable(DecimalOut);

const TaxOfRate = Type.Object(
  { rate: DecimalOut, base: DecimalOut, amount: DecimalOut },
  {
    'x-fields': {
      rate: 'The tax rate in percent.',
      base: 'The amount before tax, in major units.',
      amount: 'The tax, in major units.',
    },
  },
);

const ExplainedLine = Type.Object(
  {
    lineItemId: Type.String(),
    subscriptionId: Nullable(Id('subscription')),
    invoiceDisplayName: Type.String(),
    type: Type.String(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    price: Nullable(
      Type.Object(
        {
          id: Id('price'),
          model: OneOf(priceModelNames as [PriceModelName, ...PriceModelName[]]),
          properties: PriceProperties,
          minimumAmount: NullableDecimal,
          maximumAmount: NullableDecimal,
          override: Nullable(PriceOverrideReply),
        },
        {
          $id: 'ExplainedPrice',
          description: 'The price of an explained line.',
          'x-cases': casesOfModels(),
          'x-fields': {
            model: 'The price model, such as `standard` or `graduated`.',
            properties: 'The properties of the model.',
            minimumAmount: 'The minimum for a period, in major units. Null: none.',
            maximumAmount: 'The maximum for a period, in major units. Null: none.',
            override: 'The negotiated price that made these terms. Null: they are those of the catalog.',
          },
        },
      ),
    ),
    group: Nullable(GroupOut),
    quantity: NumberOut,
    unitPrice: DecimalOut,
    tiers: Nullable(Type.Array(TierUsed)),
    workings: Nullable(LineWorkings),
    notes: LineNotes,
    earlier: Nullable(
      Type.Object(
        { from: Timestamp, to: Timestamp, quantity: NumberOut, amount: DecimalOut },
        {
          description:
            'For the remainder of a period after `closeNow`: the usage and the amount of the parts before. ' +
            'The line is the price of the whole period, less that amount.',
          'x-fields': {
            from: 'The start of the earlier parts, inclusive.',
            to: 'The end of the earlier parts, exclusive.',
            quantity: 'The units of the earlier parts.',
            amount: 'The amount that the earlier parts billed, in major units.',
          },
        },
      ),
    ),
    amount: DecimalOut,
    tax: TaxOfLine,
    total: DecimalOut,
    usageByHour: Nullable(
      Type.Array(
        Type.Object(
          { from: Timestamp, to: Timestamp, value: NumberOut, eventCount: Type.Integer() },
          {
            'x-fields': {
              from: 'The start of the hour, inclusive.',
              to: 'The end of the hour, exclusive.',
              value: 'The usage of the hour.',
              eventCount: 'The number of events in the hour.',
            },
          },
        ),
        {
          description:
            'The usage that the line charges, in order of time: of a `matrix` that of its cell, of LATEST the level.',
        },
      ),
    ),
    discounts: Type.Array(
      Type.Object(
        {
          lineItemId: Type.String(),
          description: Type.String(),
          adjustmentId: NullableText,
          percentageDiscount: Nullable(DecimalOut),
          notes: LineNotes,
          amount: DecimalOut,
          tax: Tax,
          total: DecimalOut,
        },
        {
          'x-fields': {
            lineItemId: 'The discount line.',
            description: 'The text of the discount line.',
            adjustmentId: 'The adjustment. Null: the discount has another source.',
            percentageDiscount: 'The discount as a fraction: "0.35" is 35 percent. Null: it is no percentage.',
            amount: 'The discount before tax, in major units.',
            tax: 'The tax on the discount.',
            total: 'The discount with tax, in major units.',
          },
        },
      ),
    ),
  },
  {
    $id: 'ExplainedLine',
    description: 'A line of an invoice with the figures from which it follows.',
    'x-fields': {
      lineItemId: 'The line.',
      subscriptionId: 'The subscription of the line. Null: of none.',
      invoiceDisplayName: ['The text of the line, as on the document.', 'Messages'],
      type: 'The kind of the line, such as `usage`, `fee` or `manual`.',
      periodStart: 'The start of the time that the line bills, inclusive.',
      periodEnd: 'The end of the time that the line bills, exclusive.',
      price: 'The pinned price. Null: the line has no price.',
      group: 'The values of the dimensions, where the price bills each combination by itself. Null: it does not.',
      quantity: 'The number of units, with all its digits.',
      unitPrice: 'The price of one unit, in major units.',
      tiers: 'The part of the line in each tier. Null: the price has no tiers.',
      workings:
        'Details of the calculation, if the amount is not quantity times unit price. Decimals are ' +
        'text. Null: it does.',
      amount: 'The amount before tax, in major units.',
      tax: 'The tax of the line.',
      total: 'The amount with tax, in major units.',
      discounts: 'The discount lines that reduce the line.',
    },
  },
);

const TaxPlace = Type.Object(
  {
    treatment: OneOf(['domestic', 'reverse_charge', 'consumer_abroad', 'outside', 'exempt', 'not_registered']),
    country: Nullable(Type.String()),
    rate: Nullable(NumberOut),
    because: Type.String(),
    taxIdStatus: OneOf(['none', 'valid', 'invalid', 'unchecked']),
    taxPoint: Type.String(),
    registration: Nullable(
      Type.Object(
        { country: Type.String(), taxId: Type.String(), scheme: OneOf(['standard', 'oss']) },
        {
          'x-fields': {
            country: 'The country of the registration, as an ISO 3166 code.',
            taxId: 'The tax number of the merchant there.',
            scheme: '`standard`, or `oss`: the One-Stop Shop of the European Union.',
          },
        },
      ),
    ),
  },
  {
    $id: 'TaxPlace',
    description:
      'Where the invoice is taxed, as it was decided when it was calculated; null before that, and without a ' +
      'registration for tax.',
    'x-fields': {
      treatment:
        'The tax treatment: `domestic`, `reverse_charge` (the customer pays the tax), `consumer_abroad`, ' +
        '`outside` (not taxable), `exempt`, or `not_registered` there.',
      country: 'The country with the tax, as an ISO 3166 code. Null: no country taxes the sale.',
      rate:
        'The tax rate of the country in percent. Null: the rates of the customer, the plan and the merchant ' +
        'decide.',
      because: 'The rule that decided, as a sentence.',
      taxIdStatus: 'The tax number of the customer: `none`, `valid`, `invalid`, or `unchecked`.',
      taxPoint: 'The UTC day for which rates and registrations were read.',
      registration: 'The registration of the merchant that applies. Null: none.',
    },
  },
);

const InvoiceExplanationReply = Type.Object(
  {
    object: Type.Literal('invoiceExplanation'),
    invoiceId: Id('invoice'),
    status: Type.String(),
    currency: Type.String(),
    taxBehavior: Type.String(),
    place: Nullable(TaxPlace),
    lines: Type.Array(ExplainedLine),
    taxes: Type.Array(TaxOfRate),
    subtotal: DecimalOut,
    totalTax: DecimalOut,
    grandTotal: DecimalOut,
    recalculation: Nullable(
      Type.Object(
        { grandTotal: DecimalOut, isSame: Type.Boolean() },
        {
          'x-fields': {
            grandTotal: 'The sum with tax of the second calculation, in major units.',
            isSame: '`true`: the second calculation gives the same invoice.',
          },
        },
      ),
    ),
  },
  {
    $id: 'InvoiceExplanation',
    description: 'An invoice with the figures from which each amount follows.',
    'x-fields': {
      status: 'The status of the invoice.',
      place:
        'The place of taxation, decided at the calculation. Null: not calculated yet, or without a ' +
        'registration for tax.',
      taxBehavior: '`exclusive`: prices are without tax. `inclusive`: prices contain the tax.',
      lines: 'The lines with their figures.',
      taxes: 'The tax by rate: `rate` in percent, `base` before tax, and `amount`.',
      subtotal: 'The sum of the lines before tax, in major units.',
      totalTax: 'The tax, in major units.',
      grandTotal: 'The sum with tax, in major units.',
      recalculation: 'The result of a second calculation from stored data. Null: the invoice is not calculated.',
    },
  },
);

/** GET /v2/invoices/{id}/explain. */
export const explainRoute = (dependencies: InvoicingDependencies): Route =>
  api.get('/v2/invoices/:id/explain', 'explainInvoice', {
    summary: 'Explain each amount of an invoice',
    description:
      'Answers each line with its price, tiers, usage by hour, discounts and tax. The usage by hour is the one of ' +
      'now. A calculated invoice is calculated a second time from stored data, and `recalculation` says whether the ' +
      'result is the same. Nothing is stored.',
    access: { role: 'viewer', merchant: { of: 'id', kind: 'invoice' } },
    replies: { 200: InvoiceExplanationReply },
    handler: ({ tx, params }) => explainInvoice(dependencies, tx, params.id),
  });
