import {
  DecimalOut,
  DecimalText,
  Id,
  MapOf,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { InvoiceLineItem, InvoiceReply, PriceOverrideReply, PriceOverridesBody } from '../../invoicing/index.ts';
import { QuantitiesBody, QuantitiesReply } from '../subscription/schemas.ts';

export const Effective = OneOf(['now', 'periodEnd']);
export const ProrationWord = OneOf(['second', 'day', 'none']);
export const CreditWord = OneOf(['invoice', 'wallet', 'none']);
const MOST_VERSIONS = 2 ** 31 - 1;
export const VersionNumber = Type.Integer({ minimum: 1, maximum: MOST_VERSIONS });

export const ChangeCreateBody = Strict(
  {
    planId: Type.Optional(Id('plan')),
    versionNumber: Type.Optional(VersionNumber),
    quantities: Type.Optional(Nullable(QuantitiesBody)),
    priceOverrides: Type.Optional(Nullable(PriceOverridesBody)),
    effective: Type.Optional(Effective),
    proration: Type.Optional(ProrationWord),
    credit: Type.Optional(CreditWord),
    dryRun: Type.Optional(Type.Boolean({ default: false })),
  },
  {
    $id: 'SubscriptionChangeCreate',
    examples: [{ planId: 'plan_8c3d5e0f1a2b4c6d', effective: 'now', credit: 'invoice' }],
    'x-fields': {
      planId: 'The plan after the change, in the same currency. Default: the plan of the subscription.',
      versionNumber:
        'The version after the change. Default: the default version of a named plan, else the version that ' +
        'the subscription has.',
      quantities: 'The new quantity of some fee prices, by the id of the price. Alone, it keeps the version.',
      priceOverrides:
        'All negotiated prices from the change on; an empty list ends them. Absent: those stay whose price the ' +
        'version holds.',
      effective: '`now` (default), or `periodEnd`: at the end of the open period of the plan.',
      proration:
        'How fees are divided: `second` (default), by whole `day`s, or `none`: the old fees apply to the whole period.',
      credit: 'How unused charges in advance are credited: `invoice` (default), `wallet`, or `none`.',
      dryRun: '`true`: nothing is written. The answer is 200 with the preview that the change would have.',
    },
  },
);
export type ChangeCreateBody = Static<typeof ChangeCreateBody>;

export const ListedChangeReply = Type.Object(
  {
    id: Nullable(Id('subscriptionChange')), // null: of a dry run
    object: Type.Literal('subscription_change'),
    subscriptionId: Id('subscription'),
    status: OneOf(['scheduled', 'applied', 'cancelled']),
    effective: Effective,
    effectiveAt: Timestamp,
    fromPlanVersionId: Id('planVersion'),
    planId: Id('plan'),
    planVersionId: Id('planVersion'),
    planVersionNumber: Type.Integer(),
    quantities: QuantitiesReply,
    priceOverrides: Nullable(Type.Array(PriceOverrideReply)),
    droppedPriceOverrides: Type.Array(PriceOverrideReply),
    endedRedemptionIds: Type.Array(Id('redemption')),
    proration: ProrationWord,
    credit: CreditWord,
    createdAt: Timestamp,
  },
  {
    $id: 'SubscriptionChange',
    description: 'A change of the plan, of the version or of the quantities of a subscription.',
    'x-fields': {
      id: 'The id of the change. Null: of a dry run.',
      status:
        '`scheduled`: it will be applied at `effectiveAt`. `applied`: it is done. `cancelled`: it was ' +
        'cancelled before.',
      effective: '`now`, or `periodEnd`: the end of the open period.',
      effectiveAt: 'The start of the new terms.',
      fromPlanVersionId: 'The version before the change.',
      planVersionId: 'The version after the change.',
      planVersionNumber: 'The number of the version after the change.',
      priceOverrides: 'The negotiated prices from the change on. Null: the change says nothing of them.',
      endedRedemptionIds: 'Redemptions of coupons that end with the change, because they are not for the plan.',
      droppedPriceOverrides: 'Negotiated prices that end with the change, because the version has not their price.',
      proration: 'How fees are divided: by `second`, by whole `day`, or `none`.',
      credit: 'How unused charges in advance are credited: `invoice`, `wallet`, or `none`.',
    },
  },
);

export const SubscriptionChangeReply = Type.Object(
  { change: ListedChangeReply, invoicePreview: Nullable(InvoiceReply) },
  {
    $id: 'SubscriptionChangeReply',
    description: 'A change with a preview of its first invoice.',
    'x-fields': {
      change: 'The change.',
      invoicePreview: 'The first invoice on which the change shows, with up to 1,000 lines. Null: no invoice shows it.',
    },
  },
);

export const SimulationCreateBody = Strict(
  {
    customerId: Type.Optional(Id('customer')),
    usage: Type.Optional(MapOf(Id('billableMetric'), DecimalText({ minimum: '0', accept: 'both' }))),
    from: Timestamp,
    to: Timestamp,
    replacePrices: Type.Optional(
      Type.Array(
        Strict(
          { replacesPriceId: Id('price'), withPriceId: Id('price') },
          {
            'x-fields': {
              replacesPriceId: 'The price of the plan that is left out.',
              withPriceId: 'The price that replaces it.',
            },
          },
        ),
        { maxItems: 1000 },
      ),
    ),
  },
  {
    $id: 'PlanSimulationCreate',
    'x-some-of': ['customerId', 'usage'],
    examples: [{ usage: { bm_8c3d5e0f1a2b4c6d: '1200' }, from: '2026-03-01T00:00:00Z', to: '2026-04-01T00:00:00Z' }],
    'x-fields': {
      customerId: 'Uses the usage of this customer. Required unless `usage` is sent.',
      usage:
        'A quantity for each billable metric, as a number or a decimal string. Required unless `customerId` ' +
        'is sent.',
      from: 'The start of the simulated period, inclusive.',
      to: 'The end of the simulated period, exclusive.',
      replacePrices: 'Prices that are tried instead of prices of the plan. Nothing is stored.',
    },
  },
);
export type SimulationCreateBody = Static<typeof SimulationCreateBody>;

export const PlanSimulationReply = Type.Object(
  {
    object: Type.Literal('invoice_simulation'),
    planId: Id('plan'),
    currency: Type.String(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    subtotal: DecimalOut,
    totalTax: DecimalOut,
    grandTotal: DecimalOut,
    lineItems: Type.Array(InvoiceLineItem),
  },
  {
    $id: 'PlanSimulation',
    description: 'The preview of an invoice of a plan for some usage.',
    'x-fields': {
      periodStart: 'The start of the simulated period, inclusive.',
      periodEnd: 'The end of the simulated period, exclusive.',
      subtotal: 'The sum of the lines before tax, in major units.',
      totalTax: 'The tax, in major units.',
      grandTotal: 'The sum with tax, in major units.',
      lineItems: 'The lines of the invoice.',
    },
  },
);
