import { ConsumerBody, CustomerExternalId, TaxRatesBody } from '../../customers/index.ts';
import {
  Address,
  DecimalText,
  Id,
  ListOf,
  ListQuery,
  MapOf,
  MapOut,
  Metadata,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../../http/index.ts';

const Days = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const RenewalReminderDays = Days(1, 30);
const PaymentTermDays = Days(0, 365);
const SubscriptionStatus = OneOf(['pending_payment', 'active', 'terminated']);

/** How many of each fee price, by the price's id. */
export const QuantitiesBody = MapOf(Id('price'), Type.Integer({ minimum: 0, maximum: 1_000_000_000 }), {
  description: 'How many of each fee price of the plan version, by the id of the price.',
});
export const QuantitiesReply = MapOf(Id('price'), NumberOut, {
  description: 'How many of each fee price of the plan version, by the id of the price.',
});

/** A customer made with its subscription (§4): like one of its own, but the address may come later. */
const InlineCustomer = Strict({
  ...ConsumerBody.properties,
  address: Type.Optional(Address),
  taxRates: Type.Optional(TaxRatesBody),
  externalId: Type.Optional(Nullable(CustomerExternalId)),
});

export const SubscriptionCreate = Strict(
  {
    name: Name,
    planId: Id('plan'),
    startedAt: Timestamp,
    quantities: Type.Optional(Nullable(QuantitiesBody)),
    customerId: Type.Optional(Id('customer')),
    customer: Type.Optional(InlineCustomer),
    autoCharge: Type.Optional(Type.Boolean({ default: false })),
    autoApprove: Type.Optional(Nullable(Type.Boolean())),
    taxExempt: Type.Optional(Type.Boolean({ default: false })),
    bankTransferOnly: Type.Optional(Type.Boolean({ default: false })),
    endingAt: Type.Optional(Nullable(Timestamp)),
    prefundAmount: Type.Optional(DecimalText({ minimum: '0' })),
    minimumAccountBalance: Type.Optional(DecimalText({ minimum: '0' })),
    redirectUrls: Type.Optional(
      Strict({
        onSuccess: Type.Optional(Text({ maxLength: 2048 })),
        onFailure: Type.Optional(Text({ maxLength: 2048 })),
      }),
    ),
    testClockId: Type.Optional(Id('testClock')),
    renewalReminderEnabled: Type.Optional(Nullable(Type.Boolean())),
    renewalReminderDays: Type.Optional(Nullable(RenewalReminderDays)),
    paymentTermDays: Type.Optional({ ...PaymentTermDays, default: 0 }),
    sessionExpiryMinutes: Type.Optional(Type.Integer({ minimum: 5, maximum: 43_200 })),
    metadata: Type.Optional(Metadata),
    idempotencyKey: Type.Optional(Text({ minLength: 1, maxLength: 255 })),
    merchantId: Type.Optional(Id('organization')),
  },
  { $id: 'SubscriptionCreate', 'x-some-of': ['customerId', 'customer'] },
);
export type SubscriptionCreate = Static<typeof SubscriptionCreate>;

export const SubscriptionPatch = Strict(
  {
    name: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
    bankTransferOnly: Type.Optional(Type.Boolean()),
    autoApprove: Type.Optional(Nullable(Type.Boolean())),
    endingAt: Type.Optional(Nullable(Timestamp)),
    terminatedAt: Type.Optional(Timestamp),
    terminatedBy: Type.Optional(Type.String({ maxLength: 128 })),
    terminationReason: Type.Optional(Text({ minLength: 1, maxLength: 1000 })),
    autoCharge: Type.Optional(Type.Boolean()),
    taxExempt: Type.Optional(Type.Boolean()),
    minimumAccountBalance: Type.Optional(DecimalText({ minimum: '0' })),
    renewalReminderEnabled: Type.Optional(Nullable(Type.Boolean())),
    renewalReminderDays: Type.Optional(Nullable(RenewalReminderDays)),
    paymentTermDays: Type.Optional(PaymentTermDays),
  },
  { $id: 'SubscriptionUpdate' },
);
export type SubscriptionPatch = Static<typeof SubscriptionPatch>;

export const TerminationBody = Strict(
  {
    reason: Text({ minLength: 1, maxLength: 1000 }),
    credit: Type.Optional(OneOf(['invoice', 'wallet', 'none'])),
  },
  { $id: 'SubscriptionTermination' },
);

export const ReconciliationBody = Strict(
  { dryRun: Type.Optional(Type.Boolean({ default: false, description: 'true: only tells what would be done.' })) },
  { $id: 'SubscriptionReconciliationCreate' },
);

const namedFeature = { featureId: Id('feature'), featureKey: Type.String() };
export const SubscriptionReconciliation = Type.Object(
  {
    object: Type.Literal('subscriptionReconciliation'),
    dryRun: Type.Boolean(),
    features: Type.Object({
      added: Type.Array(Type.Object({ ...namedFeature, billed: Type.Boolean() })),
      updated: Type.Array(
        Type.Object({
          ...namedFeature,
          allowance: Type.Optional(
            Type.Object(
              { before: NumberOut, after: NumberOut },
              { description: 'Of a metered feature, in a usage period.' },
            ),
          ),
          config: Type.Optional(
            Type.Object({ before: Nullable(MapOut), after: MapOut }, { description: 'Of a static feature.' }),
          ),
        }),
      ),
      skipped: Type.Array(Type.Object(namedFeature)),
      removed: Type.Array(Type.Object(namedFeature)),
      failed: Type.Array(Type.Object({ ...namedFeature, reason: OneOf(['entitlement_failed', 'grant_mint_failed']) })),
    }),
    lineItems: Type.Object({ created: Type.Integer(), removed: Type.Integer() }),
  },
  { $id: 'SubscriptionReconciliation' },
);

const Person = Type.Object({ id: Type.String(), name: Type.String(), email: Type.String() });

const nothingToPay = { breakdown: Type.Null(), checkoutUrl: Type.Null(), paymentSessionId: Type.Null() };
const asked = { amount: Type.String({ description: 'With tax.' }), invoiceId: Id('invoice') };

/** What is asked before the subscription is active; in the answer to its creation also what was paid at once. */
const SubscriptionPayment = Type.Union(
  [
    Type.Object({
      status: Type.Literal('pending'),
      ...asked,
      breakdown: Type.Object({ upfrontCharges: Type.String(), walletCharge: Type.String() }),
      checkoutUrl: Nullable(Type.String()),
      paymentSessionId: Nullable(Id('paymentSession')),
    }),
    Type.Object({ status: Type.Literal('paid'), ...asked, ...nothingToPay }),
    Type.Object({ status: Type.Literal('awaiting_approval'), ...asked }),
  ],
  { $id: 'SubscriptionPayment' },
);

export const Subscription = Type.Object(
  {
    id: Id('subscription'),
    object: Type.Literal('subscription'),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    planId: Id('plan'),
    planVersionId: Id('planVersion'),
    planVersionNumber: Type.Integer(),
    versionNumber: Type.Integer(),
    quantities: QuantitiesReply,
    name: Type.String(),
    status: SubscriptionStatus,
    autoCharge: Type.Boolean(),
    autoApprove: Nullable(Type.Boolean()),
    taxExempt: Type.Boolean(),
    bankTransferOnly: Type.Boolean(),
    estimatedTaxRate: NumberOut,
    payment: Nullable(SubscriptionPayment),
    startedAt: Timestamp,
    endingAt: Nullable(Timestamp),
    terminatedAt: Nullable(Timestamp),
    terminatedBy: Nullable(Type.String()),
    terminationReason: Nullable(Type.String()),
    prefundAmount: Type.String(),
    paymentTermDays: Type.Integer(),
    renewalReminderEnabled: Nullable(Type.Boolean()),
    renewalReminderDays: Nullable(Type.Integer()),
    testClockId: Type.Optional(Id('testClock')),
    metadata: MapOut,
    customer: Type.Optional(
      Type.Object({ id: Id('customer'), merchantId: Id('organization'), merchant: Person, consumer: Person }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Subscription' },
);

export const SubscriptionListQuery = ListQuery({
  customerId: Type.Optional(Id('customer')),
  merchantId: Type.Optional(Id('organization')),
  consumerId: Type.Optional(Id('organization')),
  planId: Type.Optional(Id('plan')),
  status: Type.Optional(SubscriptionStatus),
  startedBefore: Type.Optional(Timestamp),
  testClockId: Type.Optional(Id('testClock')),
  include: Type.Optional(Type.Literal('customer')),
});
export type SubscriptionListQuery = Static<typeof SubscriptionListQuery>;

export const SubscriptionList = ListOf(Subscription);
