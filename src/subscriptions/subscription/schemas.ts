import { ConsumerBody, CustomerExternalId, TaxRatesBody } from '../../customers/index.ts';
import {
  Address,
  DecimalOut,
  DecimalText,
  Id,
  ListOf,
  ListQuery,
  MapOf,
  MapOut,
  Metadata,
  MetadataOut,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
  UpdatedFrom,
} from '../../http/index.ts';
import { InvoiceReply, PriceOverrideReply, PriceOverridesBody } from '../../invoicing/index.ts';

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

const CREDITS_REQUIRED =
  '`true`: metered features give access only while there are billing credits that could pay for them.';

const ORDER_ID =
  'The order that the subscription is of: commitments of the order count its spending. It never changes. Null: none.';

/** A customer made with its subscription (§4): like one of its own, but the address may come later. */
const InlineCustomer = Strict(
  {
    ...ConsumerBody.properties,
    address: Type.Optional(Address),
    taxRates: Type.Optional(TaxRatesBody),
    externalId: Type.Optional(Nullable(CustomerExternalId)),
  },
  {
    'x-fields': {
      name: 'The name of the person or company.',
      email: 'The email address for invoices.',
      phone: 'The telephone number. Null: none.',
      address: 'The billing address. It may be added later; tax needs it.',
      taxRates: 'Tax rates of this customer in percent. They win over the rates of plans and of the merchant.',
      externalId: 'Your own name for the customer. Usage events name it as `externalSubject`. Null: none.',
    },
  },
);

export const SubscriptionCreateBody = Strict(
  {
    name: Name,
    planId: Id('plan'),
    currency: Type.Optional(Nullable(Type.String({ format: 'currency' }))),
    startedAt: Timestamp,
    quantities: Type.Optional(Nullable(QuantitiesBody)),
    priceOverrides: Type.Optional(Nullable(PriceOverridesBody)),
    coupons: Type.Optional(Nullable(Type.Array(Text({ minLength: 1, maxLength: 255 }), { maxItems: 20 }))),
    customerId: Type.Optional(Id('customer')),
    customer: Type.Optional(InlineCustomer),
    orderId: Type.Optional(Nullable(Id('order'))),
    autoCharge: Type.Optional(Type.Boolean({ default: false })),
    creditsRequired: Type.Optional(Type.Boolean({ default: false })),
    autoApprove: Type.Optional(Nullable(Type.Boolean())),
    taxExempt: Type.Optional(Type.Boolean({ default: false })),
    bankTransferOnly: Type.Optional(Type.Boolean({ default: false })),
    endingAt: Type.Optional(Nullable(Timestamp)),
    prefundAmount: Type.Optional(DecimalText({ minimum: '0' })),
    minimumAccountBalance: Type.Optional(DecimalText({ minimum: '0' })),
    redirectUrls: Type.Optional(
      Strict(
        {
          onSuccess: Type.Optional(Text({ maxLength: 2048 })),
          onFailure: Type.Optional(Text({ maxLength: 2048 })),
        },
        {
          'x-fields': {
            onSuccess: 'The address after a payment. `https`, or `http` to localhost in the sandbox.',
            onFailure: 'The address after the customer leaves the page without a payment.',
          },
        },
      ),
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
  {
    $id: 'SubscriptionCreate',
    'x-some-of': ['customerId', 'customer'],
    examples: [
      {
        name: 'Acme on Growth',
        planId: 'plan_8c3d5e0f1a2b4c6d',
        customerId: 'cus_8c3d5e0f1a2b4c6d',
        startedAt: '2030-01-01T00:00:00Z',
        redirectUrls: { onSuccess: 'https://app.example/welcome' },
        idempotencyKey: 'sign-up-1042',
      },
    ],
    'x-fields': {
      coupons: 'Coupons to redeem, by their ids or codes. The first one applies first.',
      name: 'The name of the subscription, for people.',
      planId: 'The plan. The subscription keeps the version that is the default one now.',
      currency:
        'The currency of the subscription, for ever: the one of the plan, or one that every price of the version has. ' +
        'Default: the one of the plan.',
      startedAt:
        'The start of the first period. It may be in the future, or at most one `billingCadence` of the plan ' +
        'in the past.',
      quantities:
        'The quantity of each fee price, by the id of the price. A price that is absent has its own `quantity`.',
      priceOverrides: 'Negotiated prices: other terms for prices of the plan, each for a time or the whole term.',
      customerId: 'The billed customer. Required unless `customer` is sent.',
      customer:
        'A customer who is created, or found again, together with the subscription. Required unless ' +
        '`customerId` is sent.',
      orderId: ORDER_ID,
      creditsRequired: CREDITS_REQUIRED,
      autoCharge: '`true`: invoices are charged to the default card of the customer as they are issued.',
      autoApprove: '`false`: invoices stay drafts until they are approved. Null: the value of the plan.',
      taxExempt: '`true`: invoices have no tax.',
      bankTransferOnly:
        '`true`: invoices are paid by bank transfer. They have no payment page, and no card is charged.',
      endingAt: 'The planned end of the subscription. Null: it has no end.',
      prefundAmount: 'An amount that the first payment puts into the wallet of the customer, without tax. Default: 0.',
      minimumAccountBalance: 'Accepted for older clients, and ignored.',
      redirectUrls: 'Addresses to which the payment page of the first payment leads.',
      testClockId: 'Sandbox only. The subscription follows this test clock.',
      renewalReminderEnabled: 'Whether renewals are announced. Null: the value of the plan.',
      renewalReminderDays: 'How many days before a renewal it is announced. Null: the value of the plan.',
      paymentTermDays: 'The days from the issue of an invoice to its due date. Above 0 only with `bankTransferOnly`.',
      sessionExpiryMinutes: 'How long the first payment is possible, in minutes. Default: 240.',
      idempotencyKey:
        'Your key of this creation, valid for ever. The same key again answers 200 with the first subscription.',
    },
  },
);
export type SubscriptionCreateBody = Static<typeof SubscriptionCreateBody>;

export const SubscriptionUpdateBody = Strict(
  {
    name: Type.Optional(Name),
    metadata: Type.Optional(Metadata),
    bankTransferOnly: Type.Optional(Type.Boolean()),
    autoApprove: Type.Optional(Nullable(Type.Boolean())),
    endingAt: Type.Optional(Nullable(Timestamp)),
    resumesAt: Type.Optional(Nullable(Timestamp)),
    trialEnd: Type.Optional(Timestamp),
    terminatedAt: Type.Optional(Timestamp),
    terminatedBy: Type.Optional(Type.String({ maxLength: 128 })),
    terminationReason: Type.Optional(Text({ minLength: 1, maxLength: 1000 })),
    autoCharge: Type.Optional(Type.Boolean()),
    creditsRequired: Type.Optional(Type.Boolean()),
    taxExempt: Type.Optional(Type.Boolean()),
    minimumAccountBalance: Type.Optional(DecimalText({ minimum: '0' })),
    renewalReminderEnabled: Type.Optional(Nullable(Type.Boolean())),
    renewalReminderDays: Type.Optional(Nullable(RenewalReminderDays)),
    paymentTermDays: Type.Optional(PaymentTermDays),
  },
  {
    $id: 'SubscriptionUpdate',
    examples: [{ name: 'Acme, Growth', bankTransferOnly: true, paymentTermDays: 30 }],
    'x-fields': {
      name: 'The new name.',
      bankTransferOnly:
        '`true`: later invoices are paid by bank transfer, and no card is charged any more. It cannot change ' +
        'while the subscription is `pending_payment`.',
      autoApprove:
        '`false`: later invoices stay drafts until they are approved. Drafts that exist stay drafts. Null: ' +
        'the value of the plan.',
      endingAt: 'The planned end. Open periods are cut to it. Null: no planned end.',
      resumesAt: 'When the pause is over. Null: until it is resumed by hand. Without a pause it is a 409.',
      trialEnd:
        'When the trial that runs ends. The present time ends it now. A time in the past is refused. Without a ' +
        'running trial it is a 409.',
      terminatedAt:
        'Ends the subscription at this time. A time in the future counts as now. A time at or before ' +
        '`startedAt` is refused.',
      terminatedBy: 'The id of the customer or merchant that ends the subscription. Default: the merchant.',
      terminationReason: 'Why the subscription ends, for people.',
      creditsRequired: CREDITS_REQUIRED,
      autoCharge: '`true`: invoices are charged to the default card of the customer as they are issued.',
      taxExempt: '`true`: later invoices have no tax.',
      minimumAccountBalance: 'Accepted for older clients, and ignored.',
      renewalReminderEnabled: 'Whether renewals are announced. Null: the value of the plan.',
      renewalReminderDays: 'How many days before a renewal it is announced. Null: the value of the plan.',
      paymentTermDays:
        'The days from the issue of a later invoice to its due date. Above 0 only with `bankTransferOnly`.',
    },
  },
);
export type SubscriptionUpdateBody = Static<typeof SubscriptionUpdateBody>;

export const TerminationBody = Strict(
  {
    reason: Text({ minLength: 1, maxLength: 1000 }),
    credit: Type.Optional(OneOf(['invoice', 'wallet', 'none'])),
  },
  {
    $id: 'SubscriptionTermination',
    examples: [{ reason: 'Moves to another provider', credit: 'wallet' }],
    'x-fields': {
      reason: 'Why the subscription ends, for people. It is answered as `terminationReason`.',
      credit:
        'How charges in advance for the unused time are credited: `invoice` (default) on the last invoice, ' +
        '`wallet` to the wallet, `none` not at all.',
    },
  },
);

const PauseUsage = OneOf(['bill', 'free']);
const PauseAnchor = OneOf(['keep', 'restart']);

export const PauseBody = Strict(
  {
    effective: Type.Optional(OneOf(['now', 'periodEnd'])),
    resumesAt: Type.Optional(Nullable(Timestamp)),
    usage: Type.Optional(PauseUsage),
    credit: Type.Optional(OneOf(['invoice', 'wallet', 'none'])),
    anchor: Type.Optional(PauseAnchor),
    reason: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 1000 }))),
  },
  {
    $id: 'PauseRequest',
    examples: [{ resumesAt: '2030-03-01T00:00:00Z', usage: 'free', reason: 'Closed in winter' }],
    'x-fields': {
      effective: '`now` (default), or `periodEnd`: at the end of the open period of the plan.',
      resumesAt: 'When the pause is over. Null (default): until it is resumed by hand.',
      usage:
        'Usage in the pause: `bill` (default) at the prices of the plan, with all their included units; `free` not at all.',
      credit:
        'How paid fees of the pause are credited: `invoice` (default) on the next invoice, `wallet` to the wallet, ' +
        '`none` not at all.',
      anchor:
        'The periods after `resumesAt`: `keep` (default) counts them as before; `restart` counts them from there on.',
      reason: 'Why it is paused, for people. Default: null.',
    },
  },
);
export type PauseBody = Static<typeof PauseBody>;

export const ResumptionBody = Strict(
  { anchor: Type.Optional(PauseAnchor) },
  {
    $id: 'SubscriptionResumption',
    examples: [{ anchor: 'restart' }],
    'x-fields': {
      anchor: 'The periods after it: `keep` (default) counts them as before; `restart` counts them from now on.',
    },
  },
);
export type ResumptionBody = Static<typeof ResumptionBody>;

export const ReconciliationBody = Strict(
  { dryRun: Type.Optional(Type.Boolean({ default: false, description: '`true`: a preview without any change.' })) },
  { $id: 'SubscriptionReconciliationCreate', examples: [{ dryRun: true }] },
);

const namedFeature = { featureId: Id('feature'), featureKey: Type.String() };
const namedFeatureWords = {
  featureKey: ['The key of the feature.', 'api-calls'],
} as const;

export const SubscriptionReconciliationReply = Type.Object(
  {
    object: Type.Literal('subscriptionReconciliation'),
    dryRun: Type.Boolean(),
    features: Type.Object(
      {
        added: Type.Array(
          Type.Object(
            { ...namedFeature, billed: Type.Boolean() },
            {
              'x-fields': {
                ...namedFeatureWords,
                billed: 'Whether a price of the plan bills the feature.',
              },
            },
          ),
        ),
        updated: Type.Array(
          Type.Object(
            {
              ...namedFeature,
              allowance: Type.Optional(
                Type.Object(
                  { before: NumberOut, after: NumberOut },
                  {
                    description: 'Of a metered feature, in a usage period.',
                    'x-fields': {
                      before: 'The former allowance.',
                      after: 'The allowance from the next reset.',
                    },
                  },
                ),
              ),
              config: Type.Optional(
                Type.Object(
                  { before: Nullable(MapOut), after: MapOut },
                  {
                    description: 'Of a static feature.',
                    'x-fields': {
                      before: 'The former value. Null: it had none.',
                      after: 'The value now.',
                    },
                  },
                ),
              ),
            },
            { 'x-fields': namedFeatureWords },
          ),
        ),
        skipped: Type.Array(Type.Object(namedFeature, { 'x-fields': namedFeatureWords })),
        removed: Type.Array(Type.Object(namedFeature, { 'x-fields': namedFeatureWords })),
        failed: Type.Array(
          Type.Object(
            { ...namedFeature, reason: OneOf(['entitlement_failed', 'grant_mint_failed']) },
            {
              'x-fields': {
                ...namedFeatureWords,
                reason:
                  '`entitlement_failed`: no entitlement could be written. `grant_mint_failed`: no allowance could be ' +
                  'granted.',
              },
            },
          ),
        ),
      },
      {
        'x-fields': {
          added: 'Features of the plan that got an entitlement.',
          updated: 'Features with an entitlement that got new terms.',
          skipped: 'Features without a difference to the plan.',
          removed: 'Features that the plan no longer has. Their entitlements end.',
          failed: 'Features that could not be reconciled.',
        },
      },
    ),
    lineItems: Type.Object(
      { created: Type.Integer(), removed: Type.Integer() },
      {
        'x-fields': {
          created: 'The number of lines that were added.',
          removed: 'The number of lines that were removed.',
        },
      },
    ),
  },
  {
    $id: 'SubscriptionReconciliation',
    description: 'The outcome of a comparison of entitlements with the plan.',
    'x-fields': {
      dryRun: '`true`: nothing was written.',
      features: 'The entitlements of the subscription, by the outcome for each feature.',
      lineItems: 'Always 0: prices stay pinned, and a reconciliation bills nothing.',
    },
  },
);

const Person = Type.Object(
  { id: Type.String(), name: Type.String(), email: Type.String() },
  {
    'x-fields': {
      name: 'The name of the organization.',
      email: 'The first billing address of the organization.',
    },
  },
);

const nothingToPay = { breakdown: Type.Null(), checkoutUrl: Type.Null(), paymentSessionId: Type.Null() };
const nothingToPayWords = {
  breakdown: 'Null: nothing is left to pay.',
  checkoutUrl: 'Null: nothing is left to pay.',
  paymentSessionId: 'Null: nothing is left to pay.',
} as const;

const asked = { amount: DecimalOut, invoiceId: Id('invoice') };
const askedWords = {
  amount: "The amount with tax, in major units of the plan's currency.",
  invoiceId: 'The invoice of kind `upfront` that asks for the amount.',
} as const;

/** The payment before the subscription is active; in the answer to its creation also an immediate payment. */
const SubscriptionPayment = Type.Union(
  [
    Type.Object(
      {
        status: Type.Literal('pending'),
        amount: DecimalOut,
        invoiceId: Type.Optional(Id('invoice')),
        breakdown: Type.Object(
          { upfrontCharges: DecimalOut, walletCharge: DecimalOut },
          {
            'x-fields': {
              upfrontCharges: 'Fees in advance, with tax.',
              walletCharge: 'The amount that goes into the wallet of the customer, without tax.',
            },
          },
        ),
        checkoutUrl: Nullable(Type.String()),
        paymentSessionId: Nullable(Id('paymentSession')),
      },
      {
        $id: 'PendingSubscriptionPayment',
        description: 'The payment that a subscription waits for before it starts.',
        'x-fields': {
          ...askedWords,
          status: 'The amount due before the subscription is active; 0 before a trial that waits for a card.',
          invoiceId:
            'The invoice of kind `upfront` that asks for the amount. Absent: a card is asked for, and no money.',
          breakdown: 'The parts of the amount.',
          checkoutUrl:
            'The payment page. Send the customer there. Null while a card is being charged, or where no card can ' +
            'be taken.',
          paymentSessionId: 'The payment session of the page. Null where there is none.',
        },
      },
    ),
    Type.Object(
      { status: Type.Literal('paid'), ...asked, ...nothingToPay },
      {
        $id: 'PaidSubscriptionPayment',
        description: 'The payment that started a subscription.',
        'x-fields': {
          ...askedWords,
          ...nothingToPayWords,
          status: 'The amount was paid at the creation, or it is 0.',
        },
      },
    ),
    Type.Object(
      { status: Type.Literal('awaiting_approval'), ...asked },
      {
        $id: 'SubscriptionPaymentAwaitingApproval',
        description: 'A payment of a subscription whose invoice waits for an approval.',
        'x-fields': {
          ...askedWords,
          status: 'The merchant requires an approval of the invoice first. Then the payment is `pending`.',
        },
      },
    ),
  ],
  {
    $id: 'SubscriptionPayment',
    description: 'The first payment of a subscription: `pending`, `paid` or `awaiting_approval`.',
  },
);

export const SubscriptionReply = Type.Object(
  {
    id: Id('subscription'),
    object: Type.Literal('subscription'),
    merchantId: Id('organization'),
    customerId: Id('customer'),
    payerId: Nullable(Id('customer')),
    orderId: Nullable(Id('order')),
    planId: Id('plan'),
    planVersionId: Id('planVersion'),
    planVersionNumber: Type.Integer(),
    versionNumber: Type.Integer(),
    currency: Type.String(),
    quantities: QuantitiesReply,
    priceOverrides: Type.Array(PriceOverrideReply),
    name: Type.String(),
    status: SubscriptionStatus,
    pausedAt: Nullable(Timestamp),
    resumesAt: Nullable(Timestamp),
    pauseUsage: Nullable(PauseUsage),
    autoCharge: Type.Boolean(),
    creditsRequired: Type.Boolean(),
    autoApprove: Nullable(Type.Boolean()),
    taxExempt: Type.Boolean(),
    bankTransferOnly: Type.Boolean(),
    estimatedTaxRate: NumberOut,
    payment: Nullable(SubscriptionPayment),
    startedAt: Timestamp,
    trialEnd: Nullable(Timestamp),
    endingAt: Nullable(Timestamp),
    terminatedAt: Nullable(Timestamp),
    terminatedBy: Nullable(Type.String()),
    terminationReason: Nullable(Type.String()),
    prefundAmount: DecimalOut,
    paymentTermDays: Type.Integer(),
    renewalReminderEnabled: Nullable(Type.Boolean()),
    renewalReminderDays: Nullable(Type.Integer()),
    testClockId: Type.Optional(Id('testClock')),
    metadata: MetadataOut,
    customer: Type.Optional(
      Type.Object(
        { id: Id('customer'), merchantId: Id('organization'), merchant: Person, consumer: Person },
        {
          'x-fields': {
            merchant: 'The party that sells.',
            consumer: 'The party that is billed.',
          },
        },
      ),
    ),
    warnings: Type.Optional(Type.Array(Type.String())),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'Subscription',
    description: 'A customer on a version of a plan. Invoices follow automatically.',
    'x-fields': {
      metadata: 'Your own keys and values.',
      customerId: 'The billed customer.',
      payerId: 'The customer that pays its invoices. Null: `customerId` pays.',
      orderId: ORDER_ID,
      planVersionId: 'The version of the plan that was pinned. A plan change replaces it.',
      planVersionNumber: 'The number of the pinned version.',
      versionNumber: 'The same number as `planVersionNumber`.',
      currency: ['The currency of all its invoices, an ISO 4217 code. It never changes.', 'EUR'],
      priceOverrides: 'The negotiated prices. Empty: those of the plan.',
      name: 'The name of the subscription, for people.',
      status:
        '`pending_payment`: the first payment is not made yet. `active`: it is billed. `terminated`: it has ' +
        'ended, for good.',
      pausedAt: 'When the pause began, or will begin. Null: it is not paused.',
      resumesAt: 'When the pause is over. Null: it is not paused, or nobody knows yet.',
      pauseUsage: 'Whether usage in the pause is billed. Null: it is not paused.',
      creditsRequired: CREDITS_REQUIRED,
      autoCharge: '`true`: invoices are charged to the default card of the customer as they are issued.',
      autoApprove: '`false`: invoices stay drafts until they are approved. Null: the value of the plan.',
      taxExempt: '`true`: invoices have no tax.',
      bankTransferOnly: '`true`: invoices are paid by bank transfer, without a payment page.',
      payment: 'The first payment, as long as it is asked. Null: nothing is asked.',
      estimatedTaxRate:
        'The tax rate of the plan for this customer as of now, in percent: the highest rate of its prices.',
      startedAt: 'The start of the subscription. Without a trial it is the start of the first period.',
      trialEnd: 'When the trial ends or ended. Null: it has no trial.',
      endingAt: 'The planned end. Null: none is planned.',
      terminatedAt: 'The time at which it ended. Null: it has not ended.',
      terminatedBy: 'The id of the customer or merchant that ended it. Null: not ended by a request.',
      terminationReason: 'Why it ended. Null: it has not ended.',
      prefundAmount: "The amount that the first payment puts into the wallet, in major units of the plan's currency.",
      paymentTermDays: 'The days from the issue of an invoice to its due date.',
      renewalReminderEnabled: 'Whether renewals are announced. Null: the value of the plan.',
      renewalReminderDays: 'How many days before a renewal it is announced. Null: the value of the plan.',
      testClockId: 'The test clock of the subscription. Absent without one.',
      customer: 'The two parties. Present in a list with `include=customer`.',
      warnings:
        'What is missing around the subscription, such as a bank account for transfers. Present in the answers ' +
        'about one subscription where something is missing, and in no list.',
    },
  },
);

export const SubscriptionListQuery = ListQuery(
  {
    customerId: Type.Optional(Id('customer')),
    merchantId: Type.Optional(Id('organization')),
    consumerId: Type.Optional(Id('organization')),
    planId: Type.Optional(Id('plan')),
    status: Type.Optional(SubscriptionStatus),
    startedBefore: Type.Optional(Timestamp),
    ending: Type.Optional(Type.Boolean()),
    testClockId: Type.Optional(Id('testClock')),
    include: Type.Optional(Type.Literal('customer')),
    updatedFrom: Type.Optional(UpdatedFrom),
  },
  {
    fields: {
      consumerId: 'Only subscriptions of the customer with this organization.',
      status: 'Only subscriptions with this status.',
      startedBefore: 'Only subscriptions with a `startedAt` before this time.',
      ending: '`true`: only active subscriptions with an `endingAt`. `false`: only the others.',
      include: '`customer` adds the two parties to each subscription.',
    },
  },
);
export type SubscriptionListQuery = Static<typeof SubscriptionListQuery>;

export const SubscriptionListReply = ListOf(SubscriptionReply);

export const SubscriptionPreviewReply = Type.Object(
  {
    object: Type.Literal('subscription_preview'),
    merchantId: Id('organization'),
    billingStartsAt: Timestamp,
    upfrontInvoice: Nullable(InvoiceReply),
    upcomingInvoice: Nullable(InvoiceReply),
  },
  {
    $id: 'SubscriptionPreview',
    description: 'The first invoices of a subscription that could be made.',
    'x-fields': {
      billingStartsAt: 'When billing starts: at `startedAt`, or when the trial of the plan ends.',
      upfrontInvoice:
        'The invoice over what is asked as billing starts, with up to 1,000 lines. Null: nothing is asked in advance.',
      upcomingInvoice:
        'The invoice after that one, without any usage, with up to 1,000 lines. Null: no period is open after it.',
    },
  },
);
