import {
  DecimalText,
  Id,
  ListOf,
  ListQuery,
  MapOf,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Timestamp,
  Type,
} from '../../http/index.ts';
import { Invoice, InvoiceLineItem } from '../../invoicing/index.ts';
import { QuantitiesBody, QuantitiesReply } from '../subscription/schemas.ts';

export const Effective = OneOf(['now', 'periodEnd']);
export const ProrationWord = OneOf(['second', 'day', 'none']);
export const CreditWord = OneOf(['invoice', 'wallet', 'none']);
const MOST_VERSIONS = 2 ** 31 - 1;
export const VersionNumber = Type.Integer({ minimum: 1, maximum: MOST_VERSIONS });

export const ChangeCreate = Strict(
  {
    planId: Type.Optional(Id('plan')),
    versionNumber: Type.Optional(VersionNumber),
    quantities: Type.Optional(Nullable(QuantitiesBody)),
    effective: Type.Optional(Effective),
    proration: Type.Optional(ProrationWord),
    credit: Type.Optional(CreditWord),
    dryRun: Type.Optional(Type.Boolean({ default: false, description: 'true: only tells what would be.' })),
  },
  { $id: 'SubscriptionChangeCreate' },
);
export type ChangeCreate = Static<typeof ChangeCreate>;

export const SubscriptionChange = Type.Object(
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
    proration: ProrationWord,
    credit: CreditWord,
    createdAt: Timestamp,
  },
  { $id: 'SubscriptionChange' },
);

export const SubscriptionChangeReply = Type.Object(
  { change: SubscriptionChange, invoicePreview: Nullable(Invoice) },
  { $id: 'SubscriptionChangeReply' },
);

export const SubscriptionChangeList = ListOf(SubscriptionChange);
export const SubscriptionChangeListQuery = ListQuery({});

export const SimulationCreate = Strict(
  {
    customerId: Type.Optional(Id('customer')),
    usage: Type.Optional(
      MapOf(Id('billableMetric'), DecimalText({ minimum: '0', accept: 'both' }), {
        description: 'A quantity for each billable metric, instead of a customer’s usage.',
      }),
    ),
    from: Timestamp,
    to: Timestamp,
    replacePrices: Type.Optional(
      Type.Array(Strict({ replacesPriceId: Id('price'), withPriceId: Id('price') }), { maxItems: 1000 }),
    ),
  },
  { $id: 'PlanSimulationCreate', 'x-some-of': ['customerId', 'usage'] },
);
export type SimulationCreate = Static<typeof SimulationCreate>;

export const PlanSimulation = Type.Object(
  {
    object: Type.Literal('invoice_simulation'),
    planId: Id('plan'),
    currency: Type.String(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    subtotal: Type.String(),
    totalTax: Type.String(),
    grandTotal: Type.String(),
    lineItems: Type.Array(InvoiceLineItem),
  },
  { $id: 'PlanSimulation' },
);
