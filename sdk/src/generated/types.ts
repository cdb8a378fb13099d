// Made of the OpenAPI document by `npm run sdk:generate`. A test makes it again and compares.

/** The reason of an error, for programs. A later version can add codes. */
export type ErrorCode = ("API_KEY_MISSING" | "API_KEY_INVALID" | "API_KEY_EXPIRED" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_IN_PROGRESS" | "INVALID_TRANSITION" | "PRECONDITION_FAILED" | "METHOD_NOT_ALLOWED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "MALFORMED_REQUEST" | "REQUEST_TIMEOUT" | "HEADERS_TOO_LARGE" | "MALFORMED_BODY" | "INVALID_VALUE" | "RATE_LIMITED" | "TOO_MANY_AT_ONCE" | "TOOK_TOO_LONG" | "CLOCK_BEHIND" | "DATABASE_FULL" | "DATABASE_UNAVAILABLE" | "CONSUMER_EXISTS" | "TAX_NOT_ENABLED" | "PROVIDER_NOT_CONNECTED" | "EXTERNAL_ID_TAKEN" | "CUSTOMER_EXISTS" | "CUSTOMER_IN_USE" | "KEY_TAKEN" | "FEATURE_IN_USE" | "METRIC_IN_USE" | "ITEM_IN_USE" | "FEE_IN_USE" | "PRICE_IN_USE" | "PLAN_IN_USE" | "VERSION_IS_DEFAULT" | "VERSION_NOT_PUBLISHED" | "CLOCK_BACKWARDS" | "CLOCK_ADVANCING" | "TEST_CLOCK_IN_USE" | "INGEST_QUEUE_FULL" | "EVENTS_ARCHIVED" | "ARCHIVE_UNAVAILABLE" | "ADJUSTMENT_IN_USE" | "COUPON_EXPIRED" | "COUPON_ALREADY_REDEEMED" | "COUPON_EXHAUSTED" | "COUPON_NOT_APPLICABLE" | "CHANGE_SCHEDULED" | "OTHER_PLAN_VERSION" | "PLAN_MIGRATION_RUNNING" | "ENTITLEMENT_NOT_METERED" | "RESERVATION_UNAVAILABLE" | "ENTITLEMENT_ENDED" | "ENTITLEMENT_EXISTS" | "INSUFFICIENT_BALANCE" | "INVOICE_NOT_PAID" | "INVOICE_ALREADY_REFUNDED" | "WALLET_SPENT" | "PAYMENT_RETURNED" | "SETTLEMENT_TOO_MUCH" | "REBILL_NOT_POSSIBLE" | "TAX_FAILED" | "DOCUMENT_NOT_AVAILABLE" | "PAYMENT_SESSION_EXPIRED" | "PAYMENT_IN_PROGRESS" | "PROVIDER_SIGNATURE_INVALID" | "PAID_AT_PROVIDER" | "PAYMENT_DISPUTED" | "PAYMENT_METHOD_REQUIRED" | "NO_PAYMENT_METHOD" | "NO_PAYMENT_PROVIDER" | "REFERENCE_TAKEN" | "ORDER_IN_USE" | "ORDER_WITHOUT_LINES" | "ORDER_TOTAL_DIFFERS" | "APPROVAL_PENDING" | "SNAPSHOT_STALE" | "SELF_APPROVAL" | "WEBHOOK_SIGNATURE_INVALID" | "SECRET_UNREADABLE" | "SOURCE_DISABLED" | "TOO_MANY_ENDPOINTS" | "ENDPOINT_DISABLED" | "TOO_MANY_DELIVERIES" | "CHECKOUT_NOT_POSSIBLE" | "CHECKOUT_LINK_USED" | "CHECKOUT_REPEATED" | "CHECKOUT_CHANGED" | "SIGNED_OUT" | "SIGN_IN_FAILED" | "SIGN_IN_LINK_INVALID" | "ORGANIZATION_NEEDED" | "INSECURE_SIGN_IN" | "CROSS_SITE" | "CONSOLE_HEADER_MISSING" | "PASSWORD_WRONG" | "SIGN_IN_AGAIN" | "PASSWORD_EXISTS")
/** A refusal with a code, or a list of wrong fields. */
export type BadRequest = (Error | ValidationError)
/** A decimal number. It is a string where a `double` would lose digits. */
export type DecimalNumber = (number | string)
/** A decimal number as a string, such as `"12.50"`: an amount, a price or a quantity with all its digits. */
export type Decimal = string
/** How much of a feature a customer gets. `type` decides the other fields. */
export type EntitlementTemplate = (BooleanTemplate | StaticTemplate | MeteredTemplate)
/** The `Price` with the `model` `standard`. */
export type StandardPrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "standard"
properties: StandardProperties
})
/** The `Price` with the `model` `graduated`. */
export type GraduatedPrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "graduated"
properties: GraduatedProperties
})
/** The `Price` with the `model` `volume`. */
export type VolumePrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "volume"
properties: VolumeProperties
})
/** The `Price` with the `model` `package`. */
export type PackagePrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "package"
properties: PackageProperties
})
/** The `Price` with the `model` `percentage`. */
export type PercentagePrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "percentage"
properties: PercentageProperties
})
/** The `Price` with the `model` `dynamic`. */
export type DynamicPrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "dynamic"
properties: DynamicProperties
})
/** The `Price` with the `model` `matrix`. */
export type MatrixPrice = (PriceBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "matrix"
properties: MatrixProperties
})
/** How a metric or a fee is billed. `model` decides the form of `properties`. */
export type Price = (StandardPrice | GraduatedPrice | VolumePrice | PackagePrice | PercentagePrice | DynamicPrice | MatrixPrice)
/** The `PlanVersionPriceSlot` with the `model` `standard`. */
export type StandardPlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "standard"
properties: StandardProperties
})
/** The `PlanVersionPriceSlot` with the `model` `graduated`. */
export type GraduatedPlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "graduated"
properties: GraduatedProperties
})
/** The `PlanVersionPriceSlot` with the `model` `volume`. */
export type VolumePlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "volume"
properties: VolumeProperties
})
/** The `PlanVersionPriceSlot` with the `model` `package`. */
export type PackagePlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "package"
properties: PackageProperties
})
/** The `PlanVersionPriceSlot` with the `model` `percentage`. */
export type PercentagePlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "percentage"
properties: PercentageProperties
})
/** The `PlanVersionPriceSlot` with the `model` `dynamic`. */
export type DynamicPlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "dynamic"
properties: DynamicProperties
})
/** The `PlanVersionPriceSlot` with the `model` `matrix`. */
export type MatrixPlanVersionPriceSlot = (PlanVersionPriceSlotBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "matrix"
properties: MatrixProperties
})
/** A price as a version of a plan has it. */
export type PlanVersionPriceSlot = (StandardPlanVersionPriceSlot | GraduatedPlanVersionPriceSlot | VolumePlanVersionPriceSlot | PackagePlanVersionPriceSlot | PercentagePlanVersionPriceSlot | DynamicPlanVersionPriceSlot | MatrixPlanVersionPriceSlot)
/** The first payment of a subscription: `pending`, `paid` or `awaiting_approval`. */
export type SubscriptionPayment = (PendingSubscriptionPayment | PaidSubscriptionPayment | SubscriptionPaymentAwaitingApproval)
/** The right of a customer to a feature. `featureType` decides the further fields. */
export type Entitlement = (MeteredEntitlement | StaticEntitlement | BooleanEntitlement)
/** An entitlement with its balance or its configuration. */
export type EntitlementDetail = (MeteredEntitlementDetail | StaticEntitlementDetail | BooleanEntitlementDetail)
/** The `FeatureAccess` with the `type` `metered`. */
export type MeteredFeatureAccess = (FeatureAccessBase & {
/** The type of the feature. */
type: "metered"
balance?: DecimalNumber
})
/** The `FeatureAccess` with the `type` `static`. */
export type StaticFeatureAccess = (FeatureAccessBase & {
/** The type of the feature. */
type: "static"
config?: JsonObject
})
/** The `FeatureAccess` with the `type` `boolean`. */
export type BooleanFeatureAccess = (FeatureAccessBase & {
/** The type of the feature. */
type: "boolean"
})
/** May the customer use this feature now? */
export type FeatureAccess = (MeteredFeatureAccess | StaticFeatureAccess | BooleanFeatureAccess)
/** The `ExplainedPrice` with the `model` `standard`. */
export type StandardExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "standard"
properties: StandardProperties
})
/** The `ExplainedPrice` with the `model` `graduated`. */
export type GraduatedExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "graduated"
properties: GraduatedProperties
})
/** The `ExplainedPrice` with the `model` `volume`. */
export type VolumeExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "volume"
properties: VolumeProperties
})
/** The `ExplainedPrice` with the `model` `package`. */
export type PackageExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "package"
properties: PackageProperties
})
/** The `ExplainedPrice` with the `model` `percentage`. */
export type PercentageExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "percentage"
properties: PercentageProperties
})
/** The `ExplainedPrice` with the `model` `dynamic`. */
export type DynamicExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "dynamic"
properties: DynamicProperties
})
/** The `ExplainedPrice` with the `model` `matrix`. */
export type MatrixExplainedPrice = (ExplainedPriceBase & {
/** The price model, such as `standard` or `graduated`. */
model: "matrix"
properties: MatrixProperties
})
/** The price of an explained line. */
export type ExplainedPrice = (StandardExplainedPrice | GraduatedExplainedPrice | VolumeExplainedPrice | PackageExplainedPrice | PercentageExplainedPrice | DynamicExplainedPrice | MatrixExplainedPrice)
/** The `Alert` with the `type` `balance`. */
export type BalanceAlert = (AlertBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "balance"
/** The entitlement of an alert of type `balance`. Null: another type. */
entitlementId: string
/** The subscription of an alert of type `invoice_total`. Null: another type. */
subscriptionId: null
/** The metric of an alert of type `usage`. Null: another type. */
billableMetricId: null
/** The period of an alert of type `usage`: `day`, `week`, `month` (in UTC), or `billing`, the billing period. Null: another type. */
period: null
/** The currency of an alert of type `billing_credits`. Null: another type. */
currency: null
})
/** The `Alert` with the `type` `invoice_total`. */
export type InvoiceTotalAlert = (AlertBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "invoice_total"
/** The entitlement of an alert of type `balance`. Null: another type. */
entitlementId: null
/** The subscription of an alert of type `invoice_total`. Null: another type. */
subscriptionId: string
/** The metric of an alert of type `usage`. Null: another type. */
billableMetricId: null
/** The period of an alert of type `usage`: `day`, `week`, `month` (in UTC), or `billing`, the billing period. Null: another type. */
period: null
/** The currency of an alert of type `billing_credits`. Null: another type. */
currency: null
})
/** The `Alert` with the `type` `usage`. */
export type UsageAlert = (AlertBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "usage"
/** The entitlement of an alert of type `balance`. Null: another type. */
entitlementId: null
/** The subscription of an alert of type `invoice_total`. Null: another type. */
subscriptionId: null
/** The metric of an alert of type `usage`. Null: another type. */
billableMetricId: string
/** The period of an alert of type `usage`: `day`, `week`, `month` (in UTC), or `billing`, the billing period. Null: another type. */
period: ("billing" | "day" | "week" | "month")
/** The currency of an alert of type `billing_credits`. Null: another type. */
currency: null
})
/** The `Alert` with the `type` `billing_credits`. */
export type BillingCreditsAlert = (AlertBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "billing_credits"
/** The entitlement of an alert of type `balance`. Null: another type. */
entitlementId: null
/** The subscription of an alert of type `invoice_total`. Null: another type. */
subscriptionId: null
/** The metric of an alert of type `usage`. Null: another type. */
billableMetricId: null
/** The period of an alert of type `usage`: `day`, `week`, `month` (in UTC), or `billing`, the billing period. Null: another type. */
period: null
/** The currency of an alert of type `billing_credits`. Null: another type. */
currency: string
})
/** A threshold that is watched. `type` decides what is watched. */
export type Alert = (BalanceAlert | InvoiceTotalAlert | UsageAlert | BillingCreditsAlert)
/** The `WebhookEvent` with the `type` `invoice.issued.v0`, `invoice.paid.v0`, `invoice.payment_failed.v0`, `invoice.overdue.v0`, `invoice.cancelled.v0`, `invoice.written_off.v0`, `invoice.refunded.v0`, `invoice.refund_voided.v0`, `invoice.credited.v0`, `invoice.credit_note_voided.v0`, `invoice.payment_reversed.v0`, `invoice.pushed.v0`. */
export type InvoiceWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("invoice.issued.v0" | "invoice.paid.v0" | "invoice.payment_failed.v0" | "invoice.overdue.v0" | "invoice.cancelled.v0" | "invoice.written_off.v0" | "invoice.refunded.v0" | "invoice.refund_voided.v0" | "invoice.credited.v0" | "invoice.credit_note_voided.v0" | "invoice.payment_reversed.v0" | "invoice.pushed.v0")
data: InvoiceEventData
})
/** The `WebhookEvent` with the `type` `subscription.created.v0`, `subscription.activated.v0`, `subscription.updated.v0`, `subscription.paused.v0`, `subscription.resumed.v0`, `subscription.trial_ending.v0`, `subscription.terminated.v0`, `subscription.renewal_reminder.v0`. */
export type SubscriptionWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("subscription.created.v0" | "subscription.activated.v0" | "subscription.updated.v0" | "subscription.paused.v0" | "subscription.resumed.v0" | "subscription.trial_ending.v0" | "subscription.terminated.v0" | "subscription.renewal_reminder.v0")
data: SubscriptionEventData
})
/** The `WebhookEvent` with the `type` `billing_credit.created.v0`, `billing_credit.low.v0`, `billing_credit.exhausted.v0`, `billing_credit.expired.v0`. */
export type BillingCreditWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("billing_credit.created.v0" | "billing_credit.low.v0" | "billing_credit.exhausted.v0" | "billing_credit.expired.v0")
data: BillingCreditEventData
})
/** The `WebhookEvent` with the `type` `credit_top_up.paused.v0`. */
export type CreditTopUpWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: "credit_top_up.paused.v0"
data: CreditTopUpEventData
})
/** The `WebhookEvent` with the `type` `grant.created.v0`, `grant.voided.v0`. */
export type GrantWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("grant.created.v0" | "grant.voided.v0")
data: GrantEventData
})
/** The `WebhookEvent` with the `type` `entitlement.balance_low.v0`, `entitlement.exhausted.v0`, `entitlement.reset.v0`. */
export type EntitlementWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("entitlement.balance_low.v0" | "entitlement.exhausted.v0" | "entitlement.reset.v0")
data: EntitlementEventData
})
/** The `WebhookEvent` with the `type` `payment_session.completed.v0`, `payment_session.expired.v0`. */
export type PaymentSessionWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("payment_session.completed.v0" | "payment_session.expired.v0")
data: PaymentSessionEventData
})
/** The `WebhookEvent` with the `type` `order.approved.v0`, `order.cancelled.v0`, `order.pushed.v0`. */
export type OrderWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("order.approved.v0" | "order.cancelled.v0" | "order.pushed.v0")
data: OrderEventData
})
/** The `WebhookEvent` with the `type` `approval.requested.v0`, `approval.decided.v0`. */
export type ApprovalWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("approval.requested.v0" | "approval.decided.v0")
data: ApprovalEventData
})
/** The `WebhookEvent` with the `type` `source_event.pending.v0`, `source_event.processed.v0`, `source_event.failed.v0`. */
export type SourceEventWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("source_event.pending.v0" | "source_event.processed.v0" | "source_event.failed.v0")
data: SourceEventEventData
})
/** The `WebhookEvent` with the `type` `usage.unmatched.v0`, `usage.unbilled.v0`. */
export type UsageWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("usage.unmatched.v0" | "usage.unbilled.v0")
data: UsageEventData
})
/** The `WebhookEvent` with the `type` `customer.created.v0`. */
export type CustomerWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: "customer.created.v0"
data: CustomerEventData
})
/** The `WebhookEvent` with the `type` `alert.triggered.v0`. */
export type AlertWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: "alert.triggered.v0"
data: AlertEventData
})
/** The `WebhookEvent` with the `type` `webhook_endpoint.failing.v0`, `webhook_endpoint.disabled.v0`. */
export type WebhookEndpointWebhookEvent = (WebhookEventBase & {
/** The type of the event. */
type: ("webhook_endpoint.failing.v0" | "webhook_endpoint.disabled.v0")
data: WebhookEndpointEventData
})
/** An event of the merchant with its deliveries. `type` decides the form of `data`. */
export type WebhookEvent = (InvoiceWebhookEvent | SubscriptionWebhookEvent | BillingCreditWebhookEvent | CreditTopUpWebhookEvent | GrantWebhookEvent | EntitlementWebhookEvent | PaymentSessionWebhookEvent | OrderWebhookEvent | ApprovalWebhookEvent | SourceEventWebhookEvent | UsageWebhookEvent | CustomerWebhookEvent | AlertWebhookEvent | WebhookEndpointWebhookEvent)
/** The `WebhookReceipt` with the `type` `invoice.issued.v0`, `invoice.paid.v0`, `invoice.payment_failed.v0`, `invoice.overdue.v0`, `invoice.cancelled.v0`, `invoice.written_off.v0`, `invoice.refunded.v0`, `invoice.refund_voided.v0`, `invoice.credited.v0`, `invoice.credit_note_voided.v0`, `invoice.payment_reversed.v0`, `invoice.pushed.v0`. */
export type InvoiceWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("invoice.issued.v0" | "invoice.paid.v0" | "invoice.payment_failed.v0" | "invoice.overdue.v0" | "invoice.cancelled.v0" | "invoice.written_off.v0" | "invoice.refunded.v0" | "invoice.refund_voided.v0" | "invoice.credited.v0" | "invoice.credit_note_voided.v0" | "invoice.payment_reversed.v0" | "invoice.pushed.v0")
data: InvoiceEventData
})
/** The `WebhookReceipt` with the `type` `subscription.created.v0`, `subscription.activated.v0`, `subscription.updated.v0`, `subscription.paused.v0`, `subscription.resumed.v0`, `subscription.trial_ending.v0`, `subscription.terminated.v0`, `subscription.renewal_reminder.v0`. */
export type SubscriptionWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("subscription.created.v0" | "subscription.activated.v0" | "subscription.updated.v0" | "subscription.paused.v0" | "subscription.resumed.v0" | "subscription.trial_ending.v0" | "subscription.terminated.v0" | "subscription.renewal_reminder.v0")
data: SubscriptionEventData
})
/** The `WebhookReceipt` with the `type` `billing_credit.created.v0`, `billing_credit.low.v0`, `billing_credit.exhausted.v0`, `billing_credit.expired.v0`. */
export type BillingCreditWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("billing_credit.created.v0" | "billing_credit.low.v0" | "billing_credit.exhausted.v0" | "billing_credit.expired.v0")
data: BillingCreditEventData
})
/** The `WebhookReceipt` with the `type` `credit_top_up.paused.v0`. */
export type CreditTopUpWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: "credit_top_up.paused.v0"
data: CreditTopUpEventData
})
/** The `WebhookReceipt` with the `type` `grant.created.v0`, `grant.voided.v0`. */
export type GrantWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("grant.created.v0" | "grant.voided.v0")
data: GrantEventData
})
/** The `WebhookReceipt` with the `type` `entitlement.balance_low.v0`, `entitlement.exhausted.v0`, `entitlement.reset.v0`. */
export type EntitlementWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("entitlement.balance_low.v0" | "entitlement.exhausted.v0" | "entitlement.reset.v0")
data: EntitlementEventData
})
/** The `WebhookReceipt` with the `type` `payment_session.completed.v0`, `payment_session.expired.v0`. */
export type PaymentSessionWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("payment_session.completed.v0" | "payment_session.expired.v0")
data: PaymentSessionEventData
})
/** The `WebhookReceipt` with the `type` `order.approved.v0`, `order.cancelled.v0`, `order.pushed.v0`. */
export type OrderWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("order.approved.v0" | "order.cancelled.v0" | "order.pushed.v0")
data: OrderEventData
})
/** The `WebhookReceipt` with the `type` `approval.requested.v0`, `approval.decided.v0`. */
export type ApprovalWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("approval.requested.v0" | "approval.decided.v0")
data: ApprovalEventData
})
/** The `WebhookReceipt` with the `type` `source_event.pending.v0`, `source_event.processed.v0`, `source_event.failed.v0`. */
export type SourceEventWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("source_event.pending.v0" | "source_event.processed.v0" | "source_event.failed.v0")
data: SourceEventEventData
})
/** The `WebhookReceipt` with the `type` `usage.unmatched.v0`, `usage.unbilled.v0`. */
export type UsageWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("usage.unmatched.v0" | "usage.unbilled.v0")
data: UsageEventData
})
/** The `WebhookReceipt` with the `type` `customer.created.v0`. */
export type CustomerWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: "customer.created.v0"
data: CustomerEventData
})
/** The `WebhookReceipt` with the `type` `alert.triggered.v0`. */
export type AlertWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: "alert.triggered.v0"
data: AlertEventData
})
/** The `WebhookReceipt` with the `type` `webhook_endpoint.failing.v0`, `webhook_endpoint.disabled.v0`, `webhook_endpoint.test.v0`. */
export type WebhookEndpointWebhookReceipt = (WebhookReceiptBase & {
/** The type of the event. */
type: ("webhook_endpoint.failing.v0" | "webhook_endpoint.disabled.v0" | "webhook_endpoint.test.v0")
data: WebhookEndpointEventData
})
/** A webhook that the inbox of the sandbox has received. */
export type WebhookReceipt = (InvoiceWebhookReceipt | SubscriptionWebhookReceipt | BillingCreditWebhookReceipt | CreditTopUpWebhookReceipt | GrantWebhookReceipt | EntitlementWebhookReceipt | PaymentSessionWebhookReceipt | OrderWebhookReceipt | ApprovalWebhookReceipt | SourceEventWebhookReceipt | UsageWebhookReceipt | CustomerWebhookReceipt | AlertWebhookReceipt | WebhookEndpointWebhookReceipt)
/** A decimal number as a string or as a JSON number. A number keeps the digits that are sent. */
export type DecimalInput = (string | number)
/** How much of a feature a customer gets. `type` decides the other fields. */
export type EntitlementTemplateBody = (BooleanTemplate | StaticTemplate | MeteredTemplateBody)
/** The `PriceCreate` with the `model` `standard`. */
export type StandardPriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "standard"
properties: StandardPropertiesBody
})
/** The `PriceCreate` with the `model` `graduated`. */
export type GraduatedPriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "graduated"
properties: GraduatedPropertiesBody
})
/** The `PriceCreate` with the `model` `volume`. */
export type VolumePriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "volume"
properties: VolumePropertiesBody
})
/** The `PriceCreate` with the `model` `package`. */
export type PackagePriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "package"
properties: PackagePropertiesBody
})
/** The `PriceCreate` with the `model` `percentage`. */
export type PercentagePriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "percentage"
properties: PercentagePropertiesBody
})
/** The `PriceCreate` with the `model` `dynamic`. */
export type DynamicPriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "dynamic"
properties: DynamicPropertiesBody
})
/** The `PriceCreate` with the `model` `matrix`. */
export type MatrixPriceCreate = (PriceCreateBase & {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model: "matrix"
properties: MatrixPropertiesBody
})
/** The body of `createPrice`. */
export type PriceCreate = (StandardPriceCreate | GraduatedPriceCreate | VolumePriceCreate | PackagePriceCreate | PercentagePriceCreate | DynamicPriceCreate | MatrixPriceCreate)
/** The `AlertCreate` with the `type` `balance`. */
export type BalanceAlertCreate = (AlertCreateBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "balance"
/** Required for type `balance`: the entitlement. */
entitlementId: string
})
/** The `AlertCreate` with the `type` `invoice_total`. */
export type InvoiceTotalAlertCreate = (AlertCreateBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "invoice_total"
/** Required for type `invoice_total`: the subscription. */
subscriptionId: string
/** The whole of `percent`. Required with it for the types `invoice_total` and `usage`. */
limit?: (Decimal | null)
})
/** The `AlertCreate` with the `type` `usage`. */
export type UsageAlertCreate = (AlertCreateBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "usage"
/** Required for the types `usage` and `billing_credits`: the customer. */
customerId: string
/** Required for type `usage`: the metric. */
billableMetricId: string
/** For type `usage`. Default: `billing`, the open billing period of the metric, or else the month in UTC. */
period?: (("billing" | "day" | "week" | "month") | null)
/** The whole of `percent`. Required with it for the types `invoice_total` and `usage`. */
limit?: (Decimal | null)
})
/** The `AlertCreate` with the `type` `billing_credits`. */
export type BillingCreditsAlertCreate = (AlertCreateBase & {
/** `balance`: the balance of an entitlement. `invoice_total`: the open invoice of a subscription. `usage`: the usage of a metric by a customer. `billing_credits`: the billing credits of a customer that are left. */
type: "billing_credits"
/** Required for the types `usage` and `billing_credits`: the customer. */
customerId: string
/** Required for type `billing_credits`: the currency. */
currency: string
})
/** The body of `createAlert`. */
export type AlertCreate = (BalanceAlertCreate | InvoiceTotalAlertCreate | UsageAlertCreate | BillingCreditsAlertCreate)
/** The `WebhookDelivery` with the `type` `invoice.issued.v0`. */
export type InvoiceIssuedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.issued.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.paid.v0`. */
export type InvoicePaidV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.paid.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.payment_failed.v0`. */
export type InvoicePaymentFailedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.payment_failed.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.overdue.v0`. */
export type InvoiceOverdueV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.overdue.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.cancelled.v0`. */
export type InvoiceCancelledV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.cancelled.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.written_off.v0`. */
export type InvoiceWrittenOffV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.written_off.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.refunded.v0`. */
export type InvoiceRefundedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.refunded.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.refund_voided.v0`. */
export type InvoiceRefundVoidedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.refund_voided.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.credited.v0`. */
export type InvoiceCreditedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.credited.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.credit_note_voided.v0`. */
export type InvoiceCreditNoteVoidedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.credit_note_voided.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.payment_reversed.v0`. */
export type InvoicePaymentReversedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.payment_reversed.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `invoice.pushed.v0`. */
export type InvoicePushedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "invoice.pushed.v0"
data: InvoiceEventData
})
/** The `WebhookDelivery` with the `type` `subscription.created.v0`. */
export type SubscriptionCreatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.created.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.activated.v0`. */
export type SubscriptionActivatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.activated.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.updated.v0`. */
export type SubscriptionUpdatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.updated.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.paused.v0`. */
export type SubscriptionPausedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.paused.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.resumed.v0`. */
export type SubscriptionResumedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.resumed.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.trial_ending.v0`. */
export type SubscriptionTrialEndingV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.trial_ending.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.terminated.v0`. */
export type SubscriptionTerminatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.terminated.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `subscription.renewal_reminder.v0`. */
export type SubscriptionRenewalReminderV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "subscription.renewal_reminder.v0"
data: SubscriptionEventData
})
/** The `WebhookDelivery` with the `type` `billing_credit.created.v0`. */
export type BillingCreditCreatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "billing_credit.created.v0"
data: BillingCreditEventData
})
/** The `WebhookDelivery` with the `type` `billing_credit.low.v0`. */
export type BillingCreditLowV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "billing_credit.low.v0"
data: BillingCreditEventData
})
/** The `WebhookDelivery` with the `type` `billing_credit.exhausted.v0`. */
export type BillingCreditExhaustedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "billing_credit.exhausted.v0"
data: BillingCreditEventData
})
/** The `WebhookDelivery` with the `type` `billing_credit.expired.v0`. */
export type BillingCreditExpiredV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "billing_credit.expired.v0"
data: BillingCreditEventData
})
/** The `WebhookDelivery` with the `type` `credit_top_up.paused.v0`. */
export type CreditTopUpPausedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "credit_top_up.paused.v0"
data: CreditTopUpEventData
})
/** The `WebhookDelivery` with the `type` `grant.created.v0`. */
export type GrantCreatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "grant.created.v0"
data: GrantEventData
})
/** The `WebhookDelivery` with the `type` `grant.voided.v0`. */
export type GrantVoidedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "grant.voided.v0"
data: GrantEventData
})
/** The `WebhookDelivery` with the `type` `entitlement.balance_low.v0`. */
export type EntitlementBalanceLowV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "entitlement.balance_low.v0"
data: EntitlementEventData
})
/** The `WebhookDelivery` with the `type` `entitlement.exhausted.v0`. */
export type EntitlementExhaustedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "entitlement.exhausted.v0"
data: EntitlementEventData
})
/** The `WebhookDelivery` with the `type` `entitlement.reset.v0`. */
export type EntitlementResetV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "entitlement.reset.v0"
data: EntitlementEventData
})
/** The `WebhookDelivery` with the `type` `payment_session.completed.v0`. */
export type PaymentSessionCompletedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "payment_session.completed.v0"
data: PaymentSessionEventData
})
/** The `WebhookDelivery` with the `type` `payment_session.expired.v0`. */
export type PaymentSessionExpiredV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "payment_session.expired.v0"
data: PaymentSessionEventData
})
/** The `WebhookDelivery` with the `type` `order.approved.v0`. */
export type OrderApprovedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "order.approved.v0"
data: OrderEventData
})
/** The `WebhookDelivery` with the `type` `order.cancelled.v0`. */
export type OrderCancelledV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "order.cancelled.v0"
data: OrderEventData
})
/** The `WebhookDelivery` with the `type` `order.pushed.v0`. */
export type OrderPushedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "order.pushed.v0"
data: OrderEventData
})
/** The `WebhookDelivery` with the `type` `approval.requested.v0`. */
export type ApprovalRequestedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "approval.requested.v0"
data: ApprovalEventData
})
/** The `WebhookDelivery` with the `type` `approval.decided.v0`. */
export type ApprovalDecidedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "approval.decided.v0"
data: ApprovalEventData
})
/** The `WebhookDelivery` with the `type` `source_event.pending.v0`. */
export type SourceEventPendingV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "source_event.pending.v0"
data: SourceEventEventData
})
/** The `WebhookDelivery` with the `type` `source_event.processed.v0`. */
export type SourceEventProcessedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "source_event.processed.v0"
data: SourceEventEventData
})
/** The `WebhookDelivery` with the `type` `source_event.failed.v0`. */
export type SourceEventFailedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "source_event.failed.v0"
data: SourceEventEventData
})
/** The `WebhookDelivery` with the `type` `usage.unmatched.v0`. */
export type UsageUnmatchedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "usage.unmatched.v0"
data: UsageEventData
})
/** The `WebhookDelivery` with the `type` `usage.unbilled.v0`. */
export type UsageUnbilledV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "usage.unbilled.v0"
data: UsageEventData
})
/** The `WebhookDelivery` with the `type` `customer.created.v0`. */
export type CustomerCreatedV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "customer.created.v0"
data: CustomerEventData
})
/** The `WebhookDelivery` with the `type` `alert.triggered.v0`. */
export type AlertTriggeredV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "alert.triggered.v0"
data: AlertEventData
})
/** The `WebhookDelivery` with the `type` `webhook_endpoint.failing.v0`. */
export type WebhookEndpointFailingV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "webhook_endpoint.failing.v0"
data: WebhookEndpointEventData
})
/** The `WebhookDelivery` with the `type` `webhook_endpoint.disabled.v0`. */
export type WebhookEndpointDisabledV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "webhook_endpoint.disabled.v0"
data: WebhookEndpointEventData
})
/** The `WebhookDelivery` with the `type` `webhook_endpoint.test.v0`. */
export type WebhookEndpointTestV0WebhookDelivery = (WebhookDeliveryBase & {
/** The type of the event. */
type: "webhook_endpoint.test.v0"
data: WebhookEndpointEventData
})
/** The body of a webhook. A later version can add types: ignore a type that you do not know. */
export type WebhookDelivery = (InvoiceIssuedV0WebhookDelivery | InvoicePaidV0WebhookDelivery | InvoicePaymentFailedV0WebhookDelivery | InvoiceOverdueV0WebhookDelivery | InvoiceCancelledV0WebhookDelivery | InvoiceWrittenOffV0WebhookDelivery | InvoiceRefundedV0WebhookDelivery | InvoiceRefundVoidedV0WebhookDelivery | InvoiceCreditedV0WebhookDelivery | InvoiceCreditNoteVoidedV0WebhookDelivery | InvoicePaymentReversedV0WebhookDelivery | InvoicePushedV0WebhookDelivery | SubscriptionCreatedV0WebhookDelivery | SubscriptionActivatedV0WebhookDelivery | SubscriptionUpdatedV0WebhookDelivery | SubscriptionPausedV0WebhookDelivery | SubscriptionResumedV0WebhookDelivery | SubscriptionTrialEndingV0WebhookDelivery | SubscriptionTerminatedV0WebhookDelivery | SubscriptionRenewalReminderV0WebhookDelivery | BillingCreditCreatedV0WebhookDelivery | BillingCreditLowV0WebhookDelivery | BillingCreditExhaustedV0WebhookDelivery | BillingCreditExpiredV0WebhookDelivery | CreditTopUpPausedV0WebhookDelivery | GrantCreatedV0WebhookDelivery | GrantVoidedV0WebhookDelivery | EntitlementBalanceLowV0WebhookDelivery | EntitlementExhaustedV0WebhookDelivery | EntitlementResetV0WebhookDelivery | PaymentSessionCompletedV0WebhookDelivery | PaymentSessionExpiredV0WebhookDelivery | OrderApprovedV0WebhookDelivery | OrderCancelledV0WebhookDelivery | OrderPushedV0WebhookDelivery | ApprovalRequestedV0WebhookDelivery | ApprovalDecidedV0WebhookDelivery | SourceEventPendingV0WebhookDelivery | SourceEventProcessedV0WebhookDelivery | SourceEventFailedV0WebhookDelivery | UsageUnmatchedV0WebhookDelivery | UsageUnbilledV0WebhookDelivery | CustomerCreatedV0WebhookDelivery | AlertTriggeredV0WebhookDelivery | WebhookEndpointFailingV0WebhookDelivery | WebhookEndpointDisabledV0WebhookDelivery | WebhookEndpointTestV0WebhookDelivery)
export type CreateEventsReply = (AcceptedEvent | AcceptedEvents)
export type CreateEventsBody = (EventCreate | EventCreate[])
export type ReceiveSourceEventReply = (SourceEvent | SourceEventReceipt)

/** A JSON object whose fields the API does not define. */
export interface JsonObject {
[k: string]: unknown
}
/** A refusal: the category of the status, a sentence for a person, and where a program can act a code. */
export interface Error {
/** The category of the error. Each status has one. */
error: string
/** A sentence for a person. It may change, so do not parse it. */
message: string
code?: ErrorCode
details?: JsonObject
}
/** A refusal of a request with wrong fields: it lists each of them. */
export interface ValidationError {
/** The category of the error. Each status has one. */
error: "validation_error"
/** A sentence for a person. It may change, so do not parse it. */
message: string
/** Every field that is wrong. */
errors: {
/** The path of the field, such as `consumer.email`. */
field: string
/** A sentence for a person. It may change, so do not parse it. */
message: string
/** The reason in capital letters, for programs. `docs/errors.md` lists all codes. */
code?: string
}[]
details?: JsonObject
}
/** A postal address. */
export interface Address {
/** Street and number. */
line1?: string
/** The second line of the address, such as a floor. */
line2?: string
/** The city. */
city?: string
/** The state, province or region. */
state?: string
/** The postal code. Taxes in the United States and Canada need it. */
zipCode?: string
/** The country: an ISO 3166 code or the English name. `DEU` and `Germany` are stored as `DE`. */
country?: string
}
/** The settings of a merchant, with their defaults. */
export interface Settings {
/** The tax rate in percent if nothing else sets one: 20 is 20 %. Default: null, which counts as 0. */
defaultTaxRate?: (DecimalNumber | null)
/** `internal`: your own rates. `stripe_tax`: Stripe calculates tax. Default: `internal`. */
taxProvider?: ("internal" | "stripe_tax")
/** The beginning of invoice numbers, before a hyphen and the counter. Default: `INV`. */
invoicePrefix?: string
/** The approvals for which an invoice or an order waits. Default: none. */
requiredApprovals?: {
/** The kinds of approval for which an invoice waits. */
invoice: ("data_review" | "financial_review" | "push")[]
/** The kinds of approval for which an order waits. */
order: ("data_review" | "financial_review" | "push")[]
}
/** The retries after a declined charge. */
dunning?: {
/** The days from each attempt to the next one, at most 10. Default: 2, 5, 7, 7. */
retryAfterDays: number[]
/** The action after the last retry: `keep` the invoice open, `write_off` the invoice, or `terminate` the subscription. Default: `keep`. */
finally: ("keep" | "write_off" | "terminate")
}
/** The provider of payments. Default: `none` in production, `sandbox` in the sandbox. */
paymentProvider?: ("none" | "stripe" | "sandbox")
/** How many days after the end of a subscription late usage is still billed. Default: 35. */
lateUsageDays?: number
/** The rate limits of the organization; only operators set them. Default: null, no limits. */
rateLimits?: ({
/** The limit of all requests but usage events. */
general?: {
/** How many requests a second are allowed. */
perSecond: number
/** How many requests may come at once. */
burst: number
}
/** The limit of requests with usage events. */
events?: {
/** How many requests a second are allowed. */
perSecond: number
/** How many requests may come at once. */
burst: number
}
} | null)
/** The hosts to which checkout may send people back. Default: none, which allows every host. */
redirectHosts?: string[]
/** Settings of the emails to customers. */
mail?: {
/** `true`: emails have the PDF attached. */
attachDocuments: boolean
/** `true`: invoices with a total of 0 are mailed too. */
zeroInvoices: boolean
/** `true`: emails lead to the customer portal. */
portalLinks: boolean
}
/** The look of pages and documents. */
branding?: {
/** The colour of the merchant, such as `#1a2b3c`. Null: the usual one. */
color: (string | null)
/** The text at the foot of documents. Null: none. */
footer: (string | null)
}
/** The account to which customers send money. It needs an `iban` or an `account`. Default: null, none. */
bankTransfer?: ({
/** The name of the account holder. */
holder: (string | null)
/** The IBAN, with or without spaces. */
iban: (string | null)
/** The number of an account without an IBAN. */
account: (string | null)
/** The BIC of the bank. */
bic: (string | null)
/** The name of the bank. */
bank: (string | null)
/** A note for the payer. */
note: (string | null)
} | null)
/** The changes that customers can make in the customer portal. Default: none. */
portal?: {
/** The plans that customers can choose. Null: they cannot change their plan. */
planChange: ({
/** The ids of these plans. */
plans: string[]
/** When a change takes effect: `now` or at `periodEnd`. Default: `now`. */
effective: ("now" | "periodEnd")
} | null)
/** `true`: customers can change quantities. */
quantities: boolean
/** How customers can end a subscription: `none`, at `period_end`, or `now`. Default: `none`. */
cancellation: ("none" | "period_end" | "now")
}
/** Where the merchant is registered for tax. */
taxRegistrations?: {
/** The country of the registration. */
country: string
/** The tax id of the registration. */
taxId: string
/** `oss`: the one-stop shop of the European Union. */
scheme: ("standard" | "oss")
/** The first day of the registration. */
from: string
/** The first day after the registration. Absent or null: it has no end. */
to: (string | null)
}[]
/** The sentences on documents about sales without tax. Default: the common wording. */
invoiceNotes?: {
/** The sentence for an exempt customer. */
exempt: (string | null)
/** The sentence for reverse charge. */
reverseCharge: (string | null)
/** The sentence for a sale outside the scope of tax. */
outside: (string | null)
}
}
/** A merchant, a consumer or the platform. */
export interface Organization {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "organization"
/** The merchant that owns the organization. A merchant owns itself. */
merchantId: string
/** `merchant` bills customers. `consumer` is behind a customer. `platform` is the operator. */
type: ("merchant" | "consumer" | "platform")
/** The name that customers see, 1 to 255 characters. */
name: string
/** The name in the register of companies. Null: `name` is used. */
legalName: (string | null)
/** The tax id, such as a VAT number. Documents show it. Null: none. */
taxId: (string | null)
/** The postal address. Documents show it. Null: none. */
address: (Address | null)
/** The addresses that receive invoices and alerts, at most 20. */
billingEmails: string[]
/** The address with which the organization was created. Null: none. */
email: (string | null)
/** The telephone number. Null: none. */
phone: (string | null)
/** The currency if neither plan nor customer has one: an ISO 4217 code. Null: `USD`. */
defaultCurrency: (string | null)
settings: Settings
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** The place of the page in the whole list. */
export interface Pagination {
/** How many resources the page has at most. */
limit: number
/** How many resources come before the page. */
offset: number
/** How many resources there are on all pages. */
total: number
nextAfter: (string | null)
}
/** A page of a list of `Organization`. */
export interface OrganizationList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Organization[]
pagination: Pagination
}
/** The logo of a merchant, for its documents and pages. */
export interface OrganizationLogo {
/** The name of the type of this resource. */
object: "organizationLogo"
/** The id of the merchant. */
organizationId: string
/** The content type of the file. */
contentType: ("image/png" | "image/svg+xml")
/** The width in pixels, or in the units of the SVG. */
width: number
/** The height in pixels, or in the units of the SVG. */
height: number
/** The size of the stored file. It is a new file, without the parts that draw nothing. */
bytes: number
/** When the resource was last changed. */
updatedAt: string
}
/** A user of an organization. */
export interface User {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "user"
/** The organization of the user. */
organizationId: string
/** The e-mail address of the user. */
email: string
/** The first name. */
firstName?: string
/** The last name. */
lastName?: string
/** The telephone number. */
phone?: string
address?: Address
/** `COMPANY` or `INDIVIDUAL`. Absent: not known. */
type?: ("COMPANY" | "INDIVIDUAL")
/** A `viewer` reads. A `member` also writes. An `admin` also changes users, settings, integrations and webhooks. */
role: ("admin" | "member" | "viewer")
/** The organizations of the user; there is one. */
organizations: {
/** The id of this resource. It never changes. */
id: string
/** The state of the membership. */
state: ("invited" | "active" | "suspended" | "declined")
/** The roles in this organization; there is one. */
roles: ("admin" | "member" | "viewer")[]
}[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `User`. */
export interface UserList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: User[]
pagination: Pagination
}
/** A key for calls to the API. The key itself is in the answer to its creation only. */
export interface ApiKey {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "apiKey"
/** The id of the user. */
userId: string
/** The name of the key, such as its use. */
name: string
/** The beginning of the key. */
prefix: string
/** The last four characters of the key. */
last4: string
/** The key itself. Only the answer to the creation has it. */
secret?: string
/** When the key stops working. Null: never. */
expiresAt: (string | null)
/** When the key was last used. Null: never. */
lastUsedAt: (string | null)
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `ApiKey`. */
export interface ApiKeyList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ApiKey[]
pagination: Pagination
}
/** The caller: its key, its user and its organization. */
export interface Me {
/** The name of the type of this resource. */
object: "me"
user: User
organization: Organization
/** The role of the user, which every call with this key has. */
role: ("admin" | "member" | "viewer")
/** The environment in which the key works. */
environment: ("production" | "sandbox")
}
/** Any JSON value. */
export interface JsonValue {
[k: string]: unknown
}
/** One change that was made through the API: who changed what, and when. */
export interface AuditEntry {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "auditEntry"
/** The id of the merchant that owns this resource. */
merchantId: string
/** `user`: a user, with an API key or in the web console. `customer`: the customer in the customer portal. */
actor: ("user" | "customer")
/** The user who made the change. Null: the customer made it. */
userId: (string | null)
/** The organization of the user. Another one than `merchantId`: an operator of the platform made the change. Null: the customer made it. */
userOrganizationId: (string | null)
/** The API key of the call. Null: the user was signed in at the web console, or the customer made the change. */
keyId: (string | null)
/** The customer behind the change. Null: a user made it. */
customerId: (string | null)
/** The `operationId` of the call, or the name of the page in the customer portal. */
operation: string
/** The id of the changed resource. Null: the change has no single resource. */
resourceId: (string | null)
before: JsonValue
after: JsonValue
/** The `X-Request-Id` of the call. */
requestId: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `AuditEntry`. */
export interface AuditEntryList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: AuditEntry[]
pagination: Pagination
}
/** Is the address good enough for taxes? */
export interface ValidTaxAddress {
/** Is the address good enough for taxes? */
valid: boolean
/** The missing parts of the address. Empty: none is missing. */
message: string
}
/** Your own data: at most 50 keys with strings, numbers or booleans. Reckoner only stores it. */
export interface Metadata {
[k: string]: string | DecimalNumber | boolean
}
/** A new customer with its consumer. */
export interface CustomerCreated {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "customer"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The organization behind the customer. It has the name and the addresses. */
consumerId: string
/** The id of the customer in your own system, 1 to 255 characters. Usage events name it in `externalSubject`. Null: none. */
externalId?: string
/** The tax id, such as a VAT number. Any text is accepted; `taxIdStatus` has the result of the check. Null: none. */
taxId: (string | null)
/** Absent without a tax id. `valid`: a register has confirmed it. `invalid`: its check digits are wrong, or the register does not know it. `unchecked`: no register has answered yet, or there is none. */
taxIdStatus?: ("valid" | "invalid" | "unchecked")
/** When a register last answered. Absent: none has. */
taxIdCheckedAt?: string
/** Tax rates in percent by plan id, metric id or `default`: 20 is 20 %. One number is the default. A change replaces all of them. */
taxRates: {
[k: string]: DecimalNumber
}
/** `true`: no sale to the customer has tax. Default: `false`. */
taxExempt: boolean
/** Why, in the words of the documents, 1 to 500 characters. Null: `settings.invoiceNotes.exempt` of the merchant, else "Exempt from VAT". */
taxExemptReason: (string | null)
validTaxAddress: ValidTaxAddress
/** The currency of the customer: an ISO 4217 code. Absent or null: none of its own. */
currency?: string
/** The language of emails, pages and documents. Absent or null: English. */
locale?: ("en" | "de" | "fr" | "es")
/** The reference of the customer for its invoices. Absent or null: none. */
buyerReference?: string
/** The customer that pays: invoices are addressed to it, and it pays them. Their lines stay of this customer. Null: this customer pays itself. */
payerId: (string | null)
/** `customer`: invoices of periods that end at one instant are joined in one, with a section for each subscription; also those of the customers for which this one pays. Null: each subscription has its own. */
invoiceGrouping: ("customer" | null)
/** The organization behind the customer. */
organization: {
/** The id of this resource. It never changes. */
id: string
/** The name of the person or company, 1 to 255 characters. */
name: string
address?: Address
/** The addresses that receive invoices. */
billingEmails: string[]
/** The telephone number. Null: none. */
phone?: string
}
/** The emails that the customer receives. */
notificationSettings: {
/** An email for each issued invoice. Default: `true`. */
invoiceIssued: boolean
/** An email for each payment. Default: `true`. */
invoicePaid: boolean
/** An email before a renewal. Default: `true`. */
renewalReminder: boolean
}
metadata: Metadata
/** Parts of the request that were accepted but will not work as you may expect. */
warnings?: {
/** The path of the field. */
field: string
/** The warning, for a person. */
message: string
}[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** The same as `id`. */
customerId: string
}
/** A consumer as the customer of one merchant: its tax, its terms and its wallet. */
export interface Customer {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "customer"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The organization behind the customer. It has the name and the addresses. */
consumerId: string
/** The id of the customer in your own system, 1 to 255 characters. Usage events name it in `externalSubject`. Null: none. */
externalId?: string
/** The tax id, such as a VAT number. Any text is accepted; `taxIdStatus` has the result of the check. Null: none. */
taxId: (string | null)
/** Absent without a tax id. `valid`: a register has confirmed it. `invalid`: its check digits are wrong, or the register does not know it. `unchecked`: no register has answered yet, or there is none. */
taxIdStatus?: ("valid" | "invalid" | "unchecked")
/** When a register last answered. Absent: none has. */
taxIdCheckedAt?: string
/** Tax rates in percent by plan id, metric id or `default`: 20 is 20 %. One number is the default. A change replaces all of them. */
taxRates: {
[k: string]: DecimalNumber
}
/** `true`: no sale to the customer has tax. Default: `false`. */
taxExempt: boolean
/** Why, in the words of the documents, 1 to 500 characters. Null: `settings.invoiceNotes.exempt` of the merchant, else "Exempt from VAT". */
taxExemptReason: (string | null)
validTaxAddress: ValidTaxAddress
/** The currency of the customer: an ISO 4217 code. Absent or null: none of its own. */
currency?: string
/** The language of emails, pages and documents. Absent or null: English. */
locale?: ("en" | "de" | "fr" | "es")
/** The reference of the customer for its invoices. Absent or null: none. */
buyerReference?: string
/** The customer that pays: invoices are addressed to it, and it pays them. Their lines stay of this customer. Null: this customer pays itself. */
payerId: (string | null)
/** `customer`: invoices of periods that end at one instant are joined in one, with a section for each subscription; also those of the customers for which this one pays. Null: each subscription has its own. */
invoiceGrouping: ("customer" | null)
/** The organization behind the customer. */
organization: {
/** The id of this resource. It never changes. */
id: string
/** The name of the person or company, 1 to 255 characters. */
name: string
address?: Address
/** The addresses that receive invoices. */
billingEmails: string[]
/** The telephone number. Null: none. */
phone?: string
}
/** The emails that the customer receives. */
notificationSettings: {
/** An email for each issued invoice. Default: `true`. */
invoiceIssued: boolean
/** An email for each payment. Default: `true`. */
invoicePaid: boolean
/** An email before a renewal. Default: `true`. */
renewalReminder: boolean
}
metadata: Metadata
/** Parts of the request that were accepted but will not work as you may expect. */
warnings?: {
/** The path of the field. */
field: string
/** The warning, for a person. */
message: string
}[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Customer`. */
export interface CustomerList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Customer[]
pagination: Pagination
}
/** A product that a merchant sells. Features, metrics, costs and plans belong to one. */
export interface Product {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "product"
/** The name of the product, 1 to 255 characters. */
name: string
/** The description of the product, in your own words. Default: empty. */
description: string
/** The id of the merchant that owns this resource. */
merchantId: string
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Product`. */
export interface ProductList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Product[]
pagination: Pagination
}
/** A function of a product to which customers can have a right. */
export interface Feature {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "feature"
/** The name of the feature for programs: groups of lowercase letters and digits, joined by single hyphens. It is unique within the product. */
key: string
/** The name that customers see. */
name: string
/** `boolean` is access alone. `static` has a configuration too. `metered` has a balance. */
type: ("metered" | "static" | "boolean")
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the product. */
productId: string
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Feature`. */
export interface FeatureList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Feature[]
pagination: Pagination
}
/** The unit in which pages, documents and mails say quantities and prices. */
export interface DisplayUnit {
per: Decimal
/** The name of it, as pages and documents say it. */
name: string
}
/** A measure of usage that prices can bill: which events count, and how. */
export interface BillableMetric {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "billableMetric"
/** The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events (`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, that value over time (`TIME_WEIGHTED`), or a `PERCENTILE` of the figures of many windows. */
aggregation: ("SUM" | "COUNT" | "AVG" | "MIN" | "MAX" | "UNIQUE_COUNT" | "LATEST" | "TIME_WEIGHTED" | "PERCENTILE")
/** The name of the metric, 1 to 255 characters. */
name: string
/** The description of the metric, in your own words. Default: empty. */
description: string
/** The name of one unit on invoices. Default: empty. */
unit: string
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit: (DisplayUnit | null)
/** The id of the merchant that owns this resource. */
merchantId: string
/** The product of the metric. A creation needs it unless it names an item. */
productId: string
/** The item that the metric measures. Null: none. With an item, the product is the one of the item. */
itemId: (string | null)
/** The `type` of the events that count. Null: no event counts. */
eventType: (string | null)
/** The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null where there is none. */
valueProperty: (string | null)
/** The dimensions of usage: names with paths in the `data` of an event. Null: none. */
groupBy: ({
[k: string]: string
} | null)
/** Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a `period`. Null: of another aggregation. */
timeUnit: (("hour" | "day" | "period") | null)
/** Of `PERCENTILE`, which needs it: above 0, up to 100. Of N windows it is the ⌈percentile × N ÷ 100⌉-th from below. Null: of another aggregation. */
percentile: (Decimal | null)
/** Of `PERCENTILE`, which needs it: the length of a window. Windows lie in UTC, clipped to the period; one without events is 0. Null: of another aggregation. */
sampleWindow: (("PT1M" | "PT5M" | "PT10M" | "PT15M" | "PT30M" | "PT1H" | "PT6H" | "PT12H" | "P1D") | null)
/** Of `PERCENTILE`: the figure of a window. Default: `SUM`. Null: of another aggregation. */
sampleAggregation: (("SUM" | "MAX" | "COUNT" | "AVG") | null)
/** Only events after this time count. Null: all events count. */
eventFrom: (string | null)
/** The tax rate in percent: 20 is 20 %. The rate of a price comes first. Null: no rate of its own. */
taxRate: (DecimalNumber | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** Metrics that were created together. */
export interface BillableMetrics {
/** The name of the type: a list. */
object: "list"
/** The metrics, in the order in which they were sent. */
data: BillableMetric[]
}
/** A page of a list of `BillableMetric`. */
export interface BillableMetricList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: BillableMetric[]
pagination: Pagination
}
/** A measure of what usage costs the merchant. */
export interface Cost {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "cost"
/** Every cost is `metered`. */
type: "metered"
/** The name of the cost, 1 to 255 characters. */
name: string
/** The currency: an ISO 4217 code. */
currency: string
unitCost: Decimal
/** The name of one unit. Null: none. */
unit: (string | null)
/** The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events (`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, or that value over time (`TIME_WEIGHTED`). */
aggregation: (("SUM" | "COUNT" | "AVG" | "MIN" | "MAX" | "UNIQUE_COUNT" | "LATEST" | "TIME_WEIGHTED") | null)
/** The `type` of the events that count. Null: no event counts. */
eventType: (string | null)
/** The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null where there is none. */
valueProperty: (string | null)
/** The dimensions of usage: names with paths in the `data` of an event. Null: none. */
groupBy: ({
[k: string]: string
} | null)
/** Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a `period`. Null: of another aggregation. */
timeUnit: (("hour" | "day" | "period") | null)
/** The id of the product. */
productId: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** Null: a deleted cost is never answered. */
deletedAt: null
}
/** A page of a list of `Cost`. */
export interface CostList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Cost[]
pagination: Pagination
}
/** The id of a resource in an outside system. */
export interface ExternalReference {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "externalReference"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The kind of the resource. It never changes. */
entityType: ("item" | "customer" | "order" | "invoice" | "subscription")
/** The id of the resource. It never changes. */
entityId: string
/** The external system: a word of lowercase letters, digits and underscores. */
provider: string
/** The id of the record in the external system, 1 to 255 characters. */
externalId: string
/** The name of the record there. Null: none. */
externalLabel: (string | null)
metadata: Metadata
/** `true`: the external id means this resource and no other. Default: `true`. */
isPrimary: boolean
/** `true`: of several references to one provider, this one is sent there. Default: `false`. */
isDefault: boolean
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** An item that orders and documents name, with its accounting codes. */
export interface Item {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "item"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The name of the item, 1 to 255 characters. */
name: string
metadata: Metadata
/** The records of this item in external systems, oldest first. */
externalReferences: ExternalReference[]
/** The product to which the item belongs. Null: to none. */
catalogId: (string | null)
/** When the item was archived. Null: it is in use. */
archivedAt: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Item`. */
export interface ItemList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Item[]
pagination: Pagination
}
/** A fee that prices can bill: an amount that does not depend on usage. */
export interface Fee {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "fee"
/** The name of the fee, 1 to 255 characters. */
name: string
/** The description of the fee, in your own words. Default: empty. */
description: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The product of the fee. A creation needs it unless it names an item. */
productId: string
/** The item that the fee is for. Null: none. With an item, the product is the one of the item. */
itemId: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Fee`. */
export interface FeeList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Fee[]
pagination: Pagination
}
/** Each unit at the same price. */
export interface StandardProperties {
unitPrice: Decimal
includedUnits?: Decimal
}
/** The units of each tier at the price of that tier. */
export interface GraduatedProperties {
/**
 * The tiers, from the lowest to the highest.
 * 
 * @minItems 1
 * @maxItems 100
 */
tiers: {
/** The last unit of the tier. Null: the last tier, which has no end. */
upTo: (Decimal | null)
unitPrice: Decimal
flatPrice?: Decimal
}[]
includedUnits?: Decimal
}
/** All units at the price of the tier that the quantity falls in. */
export interface VolumeProperties {
/**
 * The tiers, from the lowest to the highest.
 * 
 * @minItems 1
 * @maxItems 100
 */
tiers: {
/** The last unit of the tier. Null: the last tier, which has no end. */
upTo: (Decimal | null)
unitPrice: Decimal
flatPrice?: Decimal
}[]
includedUnits?: Decimal
}
/** Whole packages, each begun one paid in full. */
export interface PackageProperties {
size: Decimal
price: Decimal
includedUnits?: Decimal
}
/** A part of the quantity, and a fixed amount for each event; both together are not below or above a charge. With `perEvent` or `freeEvents` each event has its own amount, and an event of 0 or less bears its part alone. */
export interface PercentageProperties {
percentage: Decimal
fixed?: Decimal
minCharge?: Decimal
maxCharge?: Decimal
/** The bounds of the amount of each event, with `fixed`. Default: none. */
perEvent?: {
min?: Decimal
max?: Decimal
}
/** The events that cost nothing in each period: the first ones in order of time. Default: 0. */
freeEvents?: number
includedUnits?: Decimal
}
/** The events carry the price: their summed value, times the multiplier (default 1). */
export interface DynamicProperties {
multiplier?: Decimal
}
/** Each combination of group values at the price of the cell that matches most of it, else at the default. */
export interface MatrixProperties {
/**
 * The dimensions of the metric that decide the price.
 * 
 * @minItems 1
 * @maxItems 10
 */
dimensions: string[]
/**
 * The prices of combinations of values. The cell that matches most dimensions is used.
 * 
 * @maxItems 1000
 */
cells: {
/** The values of this cell by dimension. A dimension that is not named matches any value. */
match: {
[k: string]: string
}
unitPrice: Decimal
}[]
default: Decimal
}
/** A right to a feature, without more. */
export interface BooleanTemplate {
/** The type of the feature: `boolean`, `static` or `metered`. */
type: "boolean"
}
/** A right to a feature with a configuration of your own. */
export interface StaticTemplate {
/** The type of the feature: `boolean`, `static` or `metered`. */
type: "static"
config: JsonObject
}
/** A right to a number of units of a feature in each usage period. */
export interface MeteredTemplate {
/** The type of the feature: `boolean`, `static` or `metered`. */
type: "metered"
/** The period after which usage and balance are reset. Absent: the entitlement is never reset automatically. */
usagePeriod?: {
/** The length of a usage period: an ISO 8601 duration of whole days, weeks, months or years. */
interval: string
/** From where usage periods are counted. `billing`: they begin with the billing periods of the price; the end of a trial begins a new one. `start`: the beginning of the entitlement. Or a time. Default: `billing` in a price, `start` by hand. */
anchor?: string
}
/** `true`: there is access at a balance of 0 too. Default: `false`. */
isSoftLimit?: boolean
issueAfterReset?: DecimalNumber
/** The priority of these grants. The lowest is used first. Default: -1. */
issueAfterResetPriority?: number
/** `true`: usage beyond the balance is taken from the next period. Default: `false`. */
preserveOverageAtReset?: boolean
resetMaxRollover?: DecimalNumber
resetMinRollover?: DecimalNumber
/**
 * The measured metrics; their usage is added up. Of `SUM`, `COUNT`, `UNIQUE_COUNT`, `MAX`, `LATEST`, or `TIME_WEIGHTED` in hours or days, which uses the balance up while time passes. Default: the metrics of the prices with this feature.
 * 
 * @minItems 1
 * @maxItems 100
 */
billableMetricIds?: string[]
}
/** The fields of every `Price`. */
export interface PriceBase {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "price"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The metric of the price. Send exactly one of metric and fee. */
billableMetricId?: string
/** The fee of the price. Send exactly one of metric and fee. */
feeId?: string
/** The name of the line on invoices, 1 to 255 characters. */
invoiceDisplayName: string
/** `in_arrears`: billed after the period. `in_advance`: billed before the period; only for fees. */
paymentTerm: ("in_arrears" | "in_advance")
/** How often the price is billed: an ISO 8601 duration. `P0D` is once. Fees need one. Null for a metric: the cadence of the plan. */
billingCadence: (string | null)
quantity: DecimalNumber
minimumAmount?: Decimal
maximumAmount?: Decimal
/** The price in other currencies than the one of the plan, by ISO 4217 code. An entry stands for itself: it has its own minimum and maximum, or none. */
currencyPrices: {
[k: string]: {
/** The numbers of the model of the price, in this currency. */
properties: (StandardProperties | GraduatedProperties | VolumeProperties | PackageProperties | PercentageProperties | DynamicProperties | MatrixProperties)
/** The minimum of the price in each period, in this currency. Absent or null: no minimum. */
minimumAmount: (Decimal | null)
/** The maximum of the price in each period, in this currency. Absent or null: no maximum. */
maximumAmount: (Decimal | null)
}
}
taxRate?: DecimalNumber
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit: (DisplayUnit | null)
/** Only usage with these values is billed: dimensions of the metric with lists of values. Absent or null: all usage. */
groupFilters?: {
[k: string]: string[]
}
/** `true`: units that grants cover are not billed. Default: `false`. */
grantDiscountEnabled: boolean
/** The features that a subscription gets with this price. */
features: {
/** The id of this resource. It never changes. */
id: string
/** The id of the feature. */
featureId: string
entitlementTemplate: EntitlementTemplate
/** The feature that a subscription gets with this price. */
feature: {
/** The key of the feature. */
key: string
/** The name of the feature. */
name: string
/** The type of the feature. */
type: ("metered" | "static" | "boolean")
}
}[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Price`. */
export interface PriceList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Price[]
pagination: Pagination
}
/** A set of prices in versions, to which customers subscribe. */
export interface Plan {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "plan"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the product. */
productId: string
/** The name of the plan, 1 to 255 characters. */
name: string
/** The description of the plan, in your own words. */
description?: string
/** The name of the plan on invoices. Absent or null: `name`. */
invoiceDisplayName?: string
/** The currency of all prices of the plan: an ISO 4217 code. */
currency: string
/** The length of a billing period: an ISO 8601 duration of whole days, weeks, months or years. Default: `P1M`. */
billingCadence: string
/** Deprecated: send `billingCadence`. `monthly` is `P1M`, `quarterly` is `P3M`, `yearly` is `P1Y`. Null: the cadence has no such word. */
billingInterval: (("monthly" | "quarterly" | "yearly") | null)
/** The version of the billing rules. It is 1 and never changes. */
billingVersion: number
/** The time from which periods are counted. The first period is then shorter and prorated. Null: from the start of the subscription. */
billingAnchor: (string | null)
/** How long late events still count for a period that has ended: an ISO 8601 duration. Default: `PT0S`. */
gracePeriod: string
/** The free time at the start of a subscription: an ISO 8601 duration. Null: no trial. */
trialPeriod: (string | null)
/** `true`: invoices are issued without an approval. `false`: they stay drafts until you approve them. Default: `true`. */
autoApprove: boolean
/** The tax code that a tax provider receives. Default: `eservice`. */
defaultTaxCode: string
defaultTaxRate?: DecimalNumber
/** `exclusive`: tax is added to prices. `inclusive`: prices include tax. Default: `exclusive`. */
taxBehavior: ("exclusive" | "inclusive")
/** `true`: customers get an email before a period ends. Default: `true`. */
renewalReminderEnabled: boolean
/** How many days before the end of a period the reminder comes, 1 to 30. Default: 3. */
renewalReminderDays: number
metadata: Metadata
/** The version that new subscriptions get. */
defaultVersionId: string
/** A commitment: the minimum total of all prices in a period of the plan, asked once the period has ended. In major units. Null: none. */
minimumAmount: (Decimal | null)
/** The commitment in other currencies, by ISO 4217 code. A plan with `minimumAmount` has a currency only if it is here. */
currencyMinimums: {
[k: string]: Decimal
}
/** `true`: a trial begins once the customer has a payment method. Nothing is charged for it. Default: `false`. */
trialRequiresPaymentMethod: boolean
/** What happens at the end of a trial without a payment method. `invoice` (default): billing starts. `terminate`: the subscription ends. `pause`: it is paused until it is resumed. */
trialEndBehavior: ("invoice" | "terminate" | "pause")
/** The terms of the prices of the default version. */
paymentTerm: {
/** Is any price billed after its period? */
in_arrears: boolean
/** Is any price billed before its period? */
in_advance: boolean
}
/** The prices of the default version. To create a plan, send their ids. */
prices: Price[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Plan`. */
export interface PlanList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Plan[]
pagination: Pagination
}
/** A version of a plan without its prices. */
export interface PlanVersionSummary {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "plan_version"
/** The number of the version; the first is 1. */
versionNumber: number
/** `draft`: not for subscriptions yet. `published`: it never changes again. `archived`: not for new subscriptions. */
status: ("draft" | "published" | "archived")
/** When the version was published. Absent: it is a draft. */
publishedAt?: string
/** Do new subscriptions get this version? */
isDefault: boolean
/** Subscriptions pinned to it that have not ended. */
subscriptionCount: number
/** The version before this one. Absent: it is the first. */
basedOnVersionId?: string
/** The commitment of the version: the minimum total of all prices in a period. All prices together. Null: none. Not sent: the one of the version before; `"0"` is none. */
minimumAmount: (Decimal | null)
/** The commitment of the version in other currencies, by ISO 4217 code. Not sent: the ones of the version before. */
currencyMinimums: {
[k: string]: Decimal
}
/** `true`: a trial begins once the customer has a payment method. Not sent: as the version before. */
trialRequiresPaymentMethod: boolean
/** What happens at the end of a trial without a payment method: `invoice`, `terminate` or `pause`. Not sent: as the version before. */
trialEndBehavior: ("invoice" | "terminate" | "pause")
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `PlanVersionSummary`. */
export interface PlanVersionSummaryList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: PlanVersionSummary[]
pagination: Pagination
}
/** The fields of every `PlanVersionPriceSlot`. */
export interface PlanVersionPriceSlotBase {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "price"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The metric of the price. Send exactly one of metric and fee. */
billableMetricId?: string
/** The fee of the price. Send exactly one of metric and fee. */
feeId?: string
/** The name of the line on invoices, 1 to 255 characters. */
invoiceDisplayName: string
/** `in_arrears`: billed after the period. `in_advance`: billed before the period; only for fees. */
paymentTerm: ("in_arrears" | "in_advance")
/** How often the price is billed: an ISO 8601 duration. `P0D` is once. Fees need one. Null for a metric: the cadence of the plan. */
billingCadence: (string | null)
quantity: DecimalNumber
minimumAmount?: Decimal
maximumAmount?: Decimal
/** The price in other currencies than the one of the plan, by ISO 4217 code. An entry stands for itself: it has its own minimum and maximum, or none. */
currencyPrices: {
[k: string]: {
/** The numbers of the model of the price, in this currency. */
properties: (StandardProperties | GraduatedProperties | VolumeProperties | PackageProperties | PercentageProperties | DynamicProperties | MatrixProperties)
/** The minimum of the price in each period, in this currency. Absent or null: no minimum. */
minimumAmount: (Decimal | null)
/** The maximum of the price in each period, in this currency. Absent or null: no maximum. */
maximumAmount: (Decimal | null)
}
}
taxRate?: DecimalNumber
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit: (DisplayUnit | null)
/** Only usage with these values is billed: dimensions of the metric with lists of values. Absent or null: all usage. */
groupFilters?: {
[k: string]: string[]
}
/** `true`: units that grants cover are not billed. Default: `false`. */
grantDiscountEnabled: boolean
/** The features that a subscription gets with this price. */
features: {
/** The id of this resource. It never changes. */
id: string
/** The id of the feature. */
featureId: string
entitlementTemplate: EntitlementTemplate
/** The feature that a subscription gets with this price. */
feature: {
/** The key of the feature. */
key: string
/** The name of the feature. */
name: string
/** The type of the feature. */
type: ("metered" | "static" | "boolean")
}
}[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** `true`: the price was deleted since. The version still has it. */
priceDeleted: boolean
}
/** A version of a plan with its prices. A published version never changes. */
export interface PlanVersion {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "plan_version"
/** The number of the version; the first is 1. */
versionNumber: number
/** `draft`: not for subscriptions yet. `published`: it never changes again. `archived`: not for new subscriptions. */
status: ("draft" | "published" | "archived")
/** When the version was published. Absent: it is a draft. */
publishedAt?: string
/** Do new subscriptions get this version? */
isDefault: boolean
/** Subscriptions pinned to it that have not ended. */
subscriptionCount: number
/** The version before this one. Absent: it is the first. */
basedOnVersionId?: string
/** The commitment of the version: the minimum total of all prices in a period. All prices together. Null: none. Not sent: the one of the version before; `"0"` is none. */
minimumAmount: (Decimal | null)
/** The commitment of the version in other currencies, by ISO 4217 code. Not sent: the ones of the version before. */
currencyMinimums: {
[k: string]: Decimal
}
/** `true`: a trial begins once the customer has a payment method. Not sent: as the version before. */
trialRequiresPaymentMethod: boolean
/** What happens at the end of a trial without a payment method: `invoice`, `terminate` or `pause`. Not sent: as the version before. */
trialEndBehavior: ("invoice" | "terminate" | "pause")
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** The prices of the version. */
prices: PlanVersionPriceSlot[]
}
/** A page of a list of `ExternalReference`. */
export interface ExternalReferenceList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ExternalReference[]
pagination: Pagination
}
/** A metered entitlement with its balance. */
export interface MeteredEntitlementDetail {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** The id of the product. */
productId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** `active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: `activeTo` is over. */
status: ("active" | "canceled" | "expired")
/** When the entitlement begins. */
activeFrom: string
/** When the entitlement ends. Null: it has no end. */
activeTo: (string | null)
/** Does the entitlement give access? A metered one does while its balance is above 0, or its limit is soft. Budgets do not count here. */
hasAccess: boolean
/** `true`: its subscription is paused, so it gives no access. Absent otherwise. */
paused?: boolean
metadata: Metadata
/** The type of the feature. It decides the other fields. */
featureType: "metered"
/** Null: only static features have a configuration. */
config: null
/** `true`: there is access at a balance of 0 too. */
isSoftLimit: boolean
balance: DecimalNumber
usageInPeriod: DecimalNumber
overage: DecimalNumber
reserved: DecimalNumber
/** The beginning of the current usage period. Null: there is none. */
currentPeriodStart: (string | null)
/** The end of the current usage period, and the time of the next reset. Null: there is none. */
currentPeriodEnd: (string | null)
/** When the entitlement was last reset. Null: never. */
lastResetAt: (string | null)
/** The ids of the measured metrics. */
billableMetrics: string[]
/** Always null. */
pricingUnitId: null
}
/** An event that is stored on disk. */
export interface AcceptedEvent {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "event"
/** The type of the event. It counts for metrics and costs with this `eventType`. */
type: string
/** The system that reports the event, as a URI or a name. */
source: string
/** The id of the customer. Absent: the customer does not exist yet. */
subject?: string
/** The `externalId` of the customer. If no customer has it yet, the event is kept until one does. */
externalSubject?: string
/** The merchant of the event. Default: your own organization; only operators may name another. */
namespace: string
/** When the usage happened. It decides the billing period. Default: the time of the request. */
timestamp: string
/** The key that makes the event count once, for ever. Default: a generated one. */
idempotencyKey: string
/** Your own id of the event, to find it again. Absent: none. */
externalId?: string
/** The balances after the events, with `expand=entitlements`. Null: they could not be read; the events are stored. */
entitlements?: (MeteredEntitlementDetail[] | null)
}
/** A usage event. */
export interface Event {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "event"
/** The type of the event. It counts for metrics and costs with this `eventType`. */
type: string
/** The system that reports the event, as a URI or a name. */
source: string
/** The id of the customer. Absent: the customer does not exist yet. */
subject?: string
/** The `externalId` of the customer. If no customer has it yet, the event is kept until one does. */
externalSubject?: string
/** The merchant of the event. Default: your own organization; only operators may name another. */
namespace: string
/** When the usage happened. It decides the billing period. Default: the time of the request. */
timestamp: string
/** The key that makes the event count once, for ever. Default: a generated one. */
idempotencyKey: string
/** Your own id of the event, to find it again. Absent: none. */
externalId?: string
}
/** The events of one request, all stored on disk. */
export interface AcceptedEvents {
/** The name of the type of this resource. */
object: "list"
/** The stored events, in the order of the request. */
data: Event[]
/** The balances after the events, with `expand=entitlements`. Null: they could not be read; the events are stored. */
entitlements?: (MeteredEntitlementDetail[] | null)
}
/** A usage event in a list: is it counted, and if not, why? */
export interface ListedEvent {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "event"
/** The type of the event. It counts for metrics and costs with this `eventType`. */
type: string
/** The system that reports the event, as a URI or a name. */
source: string
/** The id of the customer. Absent: the customer does not exist yet. */
subject?: string
/** The `externalId` of the customer. If no customer has it yet, the event is kept until one does. */
externalSubject?: string
/** The merchant of the event. Default: your own organization; only operators may name another. */
namespace: string
/** When the usage happened. It decides the billing period. Default: the time of the request. */
timestamp: string
/** The key that makes the event count once, for ever. Default: a generated one. */
idempotencyKey: string
/** Your own id of the event, to find it again. Absent: none. */
externalId?: string
/** The subject as sent, if no customer or subscription matches. */
sentSubject?: string
/** `matched`: a metric or cost counts the event. `unmatched`: none does. */
status: ("matched" | "unmatched")
/** Why nothing counts the event. Absent: something does. */
reason?: ("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE")
}
/** A page of a list of `ListedEvent`. */
export interface ListedEventList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ListedEvent[]
pagination: Pagination
}
/** The metrics that count the event, and the invoices that bill it, as of now. */
export interface EventOutcome {
/** The metrics and costs of the type of the event. */
counts: {
/** The id of the metric or cost. */
id: string
/** The value that the event contributes. Absent: none. */
value?: (DecimalNumber | string)
/** The values of the event for the dimensions of the metric. */
group: {
[k: string]: string | null
}
/** Why the event is not counted or billed here. Absent: it is. */
reason?: ("BEFORE_EVENT_FROM" | "NO_VALUE")
}[]
/** The prices that could bill the event, each with the invoice of its period. */
billing: {
/** The id of the billable metric. */
billableMetricId: string
/** The id of the price. */
priceId: string
/** The id of the subscription. */
subscriptionId: string
/** The id of the invoice. */
invoiceId: string
/** The status of this invoice. */
invoiceStatus: string
/** The line of this invoice. Null: the invoice has no lines yet. */
lineItemId: (string | null)
/** Why the event is not counted or billed here. Absent: it is. */
reason?: ("GROUP_FILTERED" | "OLDER_SUBSCRIPTION" | "PERIOD_CLOSED" | "INVOICE_CANCELLED" | "SUPERSEDED" | "NO_PERIOD" | "NOT_PRICED")
}[]
/** Why the event is not counted or billed here. Absent: it is. */
reason?: ("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE" | "GROUP_FILTERED" | "OLDER_SUBSCRIPTION" | "PERIOD_CLOSED" | "INVOICE_CANCELLED" | "SUPERSEDED" | "NO_PERIOD" | "NOT_PRICED")
}
/** A usage event with its data and its outcome. */
export interface EventWithData {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "event"
/** The type of the event. It counts for metrics and costs with this `eventType`. */
type: string
/** The system that reports the event, as a URI or a name. */
source: string
/** The id of the customer. Absent: the customer does not exist yet. */
subject?: string
/** The `externalId` of the customer. If no customer has it yet, the event is kept until one does. */
externalSubject?: string
/** The merchant of the event. Default: your own organization; only operators may name another. */
namespace: string
/** When the usage happened. It decides the billing period. Default: the time of the request. */
timestamp: string
/** The key that makes the event count once, for ever. Default: a generated one. */
idempotencyKey: string
/** Your own id of the event, to find it again. Absent: none. */
externalId?: string
/** The subject as sent, if no customer or subscription matches. */
sentSubject?: string
/** `matched`: a metric or cost counts the event. `unmatched`: none does. */
status: ("matched" | "unmatched")
/** Why nothing counts the event. Absent: something does. */
reason?: ("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE")
data: JsonObject
outcome: EventOutcome
}
/** The usage of a metric in a time, as totals or by windows and groups. */
export interface UsageResponse {
/** The name of the type of this resource. */
object: "meter"
/** The id of the billable metric. */
billableMetricId: string
totalValue: DecimalNumber
/** The usage of each window, where `windowSize` was sent. A window without events is left out. */
windowedValues?: {
/** The beginning of the window, inclusive. */
windowStart: string
/** The end of the window, exclusive. */
windowEnd: string
value: DecimalNumber
}[]
/** The usage of each group, where `groupBy` was sent. */
groupedValues?: {
/** The values of the dimensions. Null: the events have none. */
groupBy: {
[k: string]: string | null
}
value: DecimalNumber
/** The number of events. */
eventCount: number
}[]
/** The number of all groups. */
groupCount?: number
}
/** A usage event that a metric counts, with its value. */
export interface MeterEvent {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "meterEvent"
/** The type of the event. */
type: string
/** The system that reported the event. */
source: string
/** The id of the customer. Absent: none has the `externalSubject` yet. */
subject?: string
/** When the usage happened. */
time: string
/** The key that makes the event count once. */
idempotencyKey: string
data: JsonObject
/** Your own id of the event. Absent: none. */
externalId?: string
/** The `externalId` of the customer, where the event named it. */
externalSubject?: string
}
/** The events that a metric counts. */
export interface MetricEvents {
/** The name of the type of this resource. */
object: "list"
/** The id of the billable metric. */
billableMetricId: string
/** The events of this page. */
data: MeterEvent[]
/** The same as `data`. */
events: MeterEvent[]
pagination: Pagination
}
/** The cost of the usage in a time, by windows and groups. */
export interface CostUsageResponse {
/** The name of the type of this resource. */
object: "cost"
/** The id of this resource. It never changes. */
id: string
/** The name of the cost. */
name: string
/** Every cost is `metered`. */
type: "metered"
/** The currency: an ISO 4217 code. */
currency: string
/** The type of the events that count. Absent: none count. */
eventType?: string
/** The cost of the whole time, in major units. Null: the cost measures nothing. */
totalCost: (Decimal | null)
/** The usage of the whole time. Null: the cost measures nothing. */
totalQuantity: (DecimalNumber | null)
/** The cost of each group, where `groupBy` was sent. */
groups?: {
/** The values of the dimensions. Null: the events have none. */
dimensions: {
[k: string]: string | null
}
quantity: DecimalNumber
cost: Decimal
}[]
/** The cost of each window, where `window` was sent. */
timeSeries?: {
/** The beginning of the window, inclusive. */
windowStart: string
/** The end of the window, exclusive. */
windowEnd: string
quantity: DecimalNumber
cost: Decimal
}[]
}
/** The cost of one group of a cost report. */
export interface CostReportGroup {
/** The key of the group: an id, or a value of the dimension. */
key: string
/** The name of the group. */
label: string
totalCost: Decimal
totalQuantity: DecimalNumber
/** The unit of the usage. Null: there are several, or none. */
unit: (string | null)
percentOfTotal: DecimalNumber
/** The time of the same length before. Null: it was not asked for. */
priorPeriod: ({
cost: Decimal
/** The change since then, in percent. Null: there was no cost. */
changePercent: (DecimalNumber | null)
} | null)
/** `true`: this group is the sum of all other groups. */
isOther: boolean
}
/** The cost of the usage in a time, by groups. */
export interface CostReport {
/** The name of the type of this resource. */
object: "cost_report"
/** The currency of all amounts: an ISO 4217 code. */
currency: string
/** The time of the report. */
period: {
/** The beginning of the time, inclusive. */
from: string
/** The end of the time, exclusive. */
to: string
}
/** The grouping: `cost`, `customer`, or a dimension. */
groupBy: string
totalCost: Decimal
totalQuantity: DecimalNumber
/** The groups of this page; in a window the cost of each group by its key. */
groups: CostReportGroup[]
/** The cost of each window by group. */
timeSeries: {
/** The beginning of the window, inclusive. */
windowStart: string
/** The end of the window, exclusive. */
windowEnd: string
/** The groups of this page; in a window the cost of each group by its key. */
groups: {
[k: string]: Decimal
}
}[]
/** The dimensions that `groupBy` and `filterGroupBy` can name. */
availableDimensions: string[]
/** Remarks, such as costs in another currency that are left out. */
warnings: string[]
/** The place of the page among all groups. */
pagination: {
/** How many groups there are. */
total: number
/** How many groups the page has at most. */
limit: number
/** How many groups come before the page. */
offset: number
}
}
/** A number of invoices and their amount without tax. */
export interface InvoiceCategorySummary {
/** The number of invoices. */
count: number
amount: Decimal
}
/** The invoices of the time, by their state. */
export interface InvoiceSummary {
issued: InvoiceCategorySummary
outstanding: InvoiceCategorySummary
paid: InvoiceCategorySummary
writtenOff: InvoiceCategorySummary
}
/** A number of disputes and their amount. */
export interface DisputeCategorySummary {
/** The number of disputes. */
count: number
amount: Decimal
}
/** The disputes that began in the time, and are not won. */
export interface DisputeSummary {
open: DisputeCategorySummary
lost: DisputeCategorySummary
}
/** The payments of the time, with tax and top-ups. */
export interface PaymentSummary {
/** The number of payments received. */
completedCount: number
completedAmount: Decimal
/** The number of payment sessions that can still be paid. */
pendingCount: number
pendingAmount: Decimal
/** The number of payment sessions that were not paid. */
expiredCount: number
expiredAmount: Decimal
}
/** The figure of one group in a bucket. */
export interface GroupTrendEntry {
/** The id of the group, or `other` or `none`. */
groupKey: string
/** The name of the group. */
groupLabel: string
issuedInvoices: Decimal
}
/** The figures of one bucket. The first and the last one are cut to the time of the report. */
export interface RevenueTrendBucket {
/** The start of the bucket. */
timestamp: string
issuedInvoices: Decimal
writtenOffInvoices: Decimal
completedPayments: Decimal
refunds: Decimal
rebates: Decimal
earned: Decimal
netRevenue: Decimal
/** The issued invoices of each group. Present with `groupBy`. */
groupBreakdown?: GroupTrendEntry[]
}
/** The figures of one group. */
export interface GroupInvoiceSummary {
/** The id of the group, or `other` or `none`. */
groupKey: string
/** The name of the group. */
groupLabel: string
issued: InvoiceCategorySummary
outstanding: InvoiceCategorySummary
paid: InvoiceCategorySummary
writtenOff: InvoiceCategorySummary
netRevenue: Decimal
}
/** The figures of a report in one currency. */
export interface CurrencyBreakdownEntry {
/** The currency: an ISO 4217 code. */
currency: string
netRevenue: Decimal
totalRefunds: Decimal
/** The number of these refunds. */
refundCount: number
totalRebates: Decimal
/** The number of these credit notes. */
rebateCount: number
totalEarned: Decimal
invoices: InvoiceSummary
disputes: DisputeSummary
payments: PaymentSummary
/** The figures of each bucket, also of those without any. */
trend: RevenueTrendBucket[]
}
/** The revenue of a merchant in a stretch of time. Two currencies are never added. */
export interface RevenueSummaryResponse {
/** The name of the type of this resource. */
object: "revenue_summary"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The start of the time of the report, inclusive. */
startTime: string
/** The end of the time of the report, exclusive. */
endTime: string
/** The width of a bucket of `trend`. */
bucketWidth: ("hour" | "day" | "week" | "month")
netRevenue: Decimal
totalRefunds: Decimal
/** The number of these refunds. */
refundCount: number
totalRebates: Decimal
/** The number of these credit notes. */
rebateCount: number
totalEarned: Decimal
invoices: InvoiceSummary
disputes: DisputeSummary
payments: PaymentSummary
/** The figures of each bucket, also of those without any. */
trend: RevenueTrendBucket[]
/** The 100 groups with the most issued, largest first. All others are the group `other`. Empty without `groupBy`. */
groupBreakdown: GroupInvoiceSummary[]
/** The figures of each currency. */
currencyBreakdown: CurrencyBreakdownEntry[]
}
/** The change of the profit since the period before. */
export interface ProfitabilityTrend {
/**
 * The profit of each bucket, in major units.
 * 
 * Items: The profit of a bucket.
 */
values: string[]
/** The change from the time of the same length before, in percent. Null: there is nothing to compare. */
periodChange: (DecimalNumber | null)
}
/** The revenue, cost and margin of one customer. */
export interface ProfitabilityRow {
/** The id of the customer. */
customerId: string
/** The name of the customer. */
customerName: string
netRevenue: Decimal
totalCost: Decimal
profit: Decimal
/** The profit in percent of the net revenue. Null: the net revenue is not above 0. */
marginPct: (Decimal | null)
/** The profit in each bucket. Null: without `bucketWidth`. */
trend: (ProfitabilityTrend | null)
}
/** The profit of a merchant by customer, in a stretch of time. */
export interface ProfitabilitySummaryResponse {
/** The name of the type of this resource. */
object: "profitability_summary"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The start of the time of the report, inclusive. */
from: string
/** The end of the time of the report, exclusive. */
to: string
/** The number of customers with revenue or costs, also of those without a row. */
customerCount: number
/** The sums over all customers. */
totals: {
netRevenue: Decimal
totalCost: Decimal
profit: Decimal
/** The profit in percent of the net revenue. Null: the net revenue is not above 0. */
marginPct: (Decimal | null)
}
/** The customers, at most `topN`. */
rows: ProfitabilityRow[]
/** Sentences about figures that are left out, such as other currencies. */
warnings: string[]
}
/** A price that could bill an event. */
export interface ExplainedEventPrice {
/** The id of the price. */
priceId: string
/** The text of the price on invoices. */
name: string
/** The plan of the subscription. */
planId: string
/** The id of the subscription. */
subscriptionId: string
/** The invoice of the period at the time of the event. */
invoiceId: string
/** The status of this invoice. */
invoiceStatus: string
/** The line of this invoice. Null: the invoice has no lines yet, or does not bill the event. */
lineItemId: (string | null)
/** The entitlement of the subscription that measures the metric at the time of the event. Null: none. */
entitlementId: (string | null)
/** Why the price does not bill the event. Null: it does. */
reason: (("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE" | "GROUP_FILTERED" | "OLDER_SUBSCRIPTION" | "PERIOD_CLOSED" | "INVOICE_CANCELLED" | "SUPERSEDED" | "NO_PERIOD" | "NOT_PRICED") | null)
}
/** A metric of the type of an event. */
export interface ExplainedEventMetric {
/** The id of the billable metric. */
billableMetricId: string
/** The name of the metric or cost. */
name: string
/** `true`: it counts the event. */
isMatched: boolean
/** Why no price bills the event for this metric. Null: one does. */
reason: (("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE" | "GROUP_FILTERED" | "OLDER_SUBSCRIPTION" | "PERIOD_CLOSED" | "INVOICE_CANCELLED" | "SUPERSEDED" | "NO_PERIOD" | "NOT_PRICED") | null)
/** The value that the event contributes, as text. Null: none. */
value: (string | null)
/** The values of the event for its dimensions. */
group: {
[k: string]: string | null
}
/** The prices for the metric that could bill the event. */
prices: ExplainedEventPrice[]
}
/** A cost of the type of an event. */
export interface ExplainedEventCost {
/** The id of the cost. */
costId: string
/** The name of the metric or cost. */
name: string
/** `true`: it counts the event. */
isMatched: boolean
/** Why the cost does not count the event. Null: it does. */
reason: (("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE" | "GROUP_FILTERED" | "OLDER_SUBSCRIPTION" | "PERIOD_CLOSED" | "INVOICE_CANCELLED" | "SUPERSEDED" | "NO_PERIOD" | "NOT_PRICED") | null)
/** The value that the event contributes, as text. Null: none. */
value: (string | null)
/** The values of the event for its dimensions. */
group: {
[k: string]: string | null
}
}
/** Why an event is billed or not, as of now. */
export interface EventExplanation {
/** The name of the type of this resource. */
object: "eventExplanation"
event: EventWithData
/** The customer of the event. Null: the customer does not exist yet. */
customer: ({
/** The id of the customer. */
id: string
/** The name of the customer. */
name: string
} | null)
/** `true`: a price bills the event, on the invoice of its period. */
isCounted: boolean
/** Why no price bills the event. The guide "Usage events" explains each. Null: one does. */
reason: (("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE" | "GROUP_FILTERED" | "OLDER_SUBSCRIPTION" | "PERIOD_CLOSED" | "INVOICE_CANCELLED" | "SUPERSEDED" | "NO_PERIOD" | "NOT_PRICED") | null)
/** The reason as a sentence, with what to do. */
message: string
/** The metrics of the type of the event. */
metrics: ExplainedEventMetric[]
/** The costs of the type of the event. Costs are reported, not billed. */
costs: ExplainedEventCost[]
}
/** Unbilled usage, by reason. */
export interface UnbilledUsage {
/** The name of the type of this resource. */
object: "unbilledUsage"
/** The start of the time of the report, inclusive. */
from: string
/** The end of the time of the report, exclusive. */
to: string
/** The grouping of the report. */
groupBy: ("reason" | "metric")[]
/** The groups, those with the most events first. */
groups: {
/** The reason for which the usage is not billed. The guide "Unbilled usage" explains each. Null: the groups are not by reason. */
reason: (("UNKNOWN_SUBJECT" | "UNKNOWN_TYPE" | "BEFORE_EVENT_FROM" | "NO_VALUE" | "NO_PERIOD" | "NOT_PRICED" | "GROUP_FILTERED" | "PERIOD_CLOSED" | "INVOICE_CANCELLED") | null)
/** The metric. Null: no metric counts the events, or the groups are not by metric. */
billableMetricId: (string | null)
/** The name of the metric. Null: there is none. */
metricName: (string | null)
/** The type of the events. Null: they have several. */
eventType: (string | null)
group: ({
[k: string]: string | null
} | null)
/** Null where the figures of the metric do not add up, or no metric counts the events. */
quantity: (DecimalNumber | null)
/** The number of events. */
eventCount: number
/** The time of the first event. Null: not known. */
firstAt: (string | null)
/** The time of the last event. Null: not known. */
lastAt: (string | null)
/** The ids of at most five events, the latest first. */
examples: string[]
}[]
/** The usage of each metric, and its billed part. The remainder is in the groups. */
metrics: {
/** The id of the billable metric. */
billableMetricId: string
/** The name of the metric. */
metricName: string
/** The usage that the metric counts. */
counted: {
/** The sum of the usage. Null: the figures of the metric do not add up. */
quantity: (DecimalNumber | null)
/** The number of events. */
eventCount: number
}
/** The billed part of it. */
priced: {
/** The sum of the usage. Null: the figures of the metric do not add up. */
quantity: (DecimalNumber | null)
/** The number of events. */
eventCount: number
}
}[]
/** The place of the page in the whole list. */
pagination: {
/** The most groups in the answer. */
limit: number
/** The number of groups before this page. */
offset: number
/** The number of all groups. */
total: number
}
}
/** A negotiated price of a subscription: other terms for a price of its plan, for a time. */
export interface PriceOverride {
/** The price of the plan version for which other terms hold. */
priceId: string
/** The factor of all amounts of money of the price. Null: it has none. */
multiplier: (Decimal | null)
/** Other numbers, of the model of the price. Null: it has none. */
properties: ((StandardProperties | GraduatedProperties | VolumeProperties | PackageProperties | PercentageProperties | DynamicProperties | MatrixProperties) | null)
/** Another minimum of the price in each period. `none`: no minimum. Null: the one of the price. */
minimumAmount: (string | null)
/** Another maximum of the price in each period. `none`: no maximum. Null: the one of the price. */
maximumAmount: (string | null)
/** The begin of the terms, inclusive. Null: the begin of the subscription. */
from: (string | null)
/** The end of the terms, exclusive. Null: they do not end. */
to: (string | null)
}
/** The payment that a subscription waits for before it starts. */
export interface PendingSubscriptionPayment {
/** The amount due before the subscription is active; 0 before a trial that waits for a card. */
status: "pending"
amount: Decimal
/** The invoice of kind `upfront` that asks for the amount. Absent: a card is asked for, and no money. */
invoiceId?: string
/** The parts of the amount. */
breakdown: {
upfrontCharges: Decimal
walletCharge: Decimal
}
/** The payment page. Send the customer there. Null while a card is being charged, or where no card can be taken. */
checkoutUrl: (string | null)
/** The payment session of the page. Null where there is none. */
paymentSessionId: (string | null)
}
/** The payment that started a subscription. */
export interface PaidSubscriptionPayment {
/** The amount was paid at the creation, or it is 0. */
status: "paid"
amount: Decimal
/** The invoice of kind `upfront` that asks for the amount. */
invoiceId: string
/** Null: nothing is left to pay. */
breakdown: null
/** Null: nothing is left to pay. */
checkoutUrl: null
/** Null: nothing is left to pay. */
paymentSessionId: null
}
/** A payment of a subscription whose invoice waits for an approval. */
export interface SubscriptionPaymentAwaitingApproval {
/** The merchant requires an approval of the invoice first. Then the payment is `pending`. */
status: "awaiting_approval"
amount: Decimal
/** The invoice of kind `upfront` that asks for the amount. */
invoiceId: string
}
/** A customer on a version of a plan. Invoices follow automatically. */
export interface Subscription {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "subscription"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The billed customer. */
customerId: string
/** The customer that pays its invoices. Null: `customerId` pays. */
payerId: (string | null)
/** The order that the subscription is of: commitments of the order count its spending. It never changes. Null: none. */
orderId: (string | null)
/** The id of the plan. */
planId: string
/** The version of the plan that was pinned. A plan change replaces it. */
planVersionId: string
/** The number of the pinned version. */
planVersionNumber: number
/** The same number as `planVersionNumber`. */
versionNumber: number
/** The currency of all its invoices, an ISO 4217 code. It never changes. */
currency: string
/** How many of each fee price of the plan version, by the id of the price. */
quantities: {
[k: string]: DecimalNumber
}
/** The negotiated prices. Empty: those of the plan. */
priceOverrides: PriceOverride[]
/** The name of the subscription, for people. */
name: string
/** `pending_payment`: the first payment is not made yet. `active`: it is billed. `terminated`: it has ended, for good. */
status: ("pending_payment" | "active" | "terminated")
/** When the pause began, or will begin. Null: it is not paused. */
pausedAt: (string | null)
/** When the pause is over. Null: it is not paused, or nobody knows yet. */
resumesAt: (string | null)
/** Whether usage in the pause is billed. Null: it is not paused. */
pauseUsage: (("bill" | "free") | null)
/** `true`: invoices are charged to the default card of the customer as they are issued. */
autoCharge: boolean
/** `true`: metered features give access only while there are billing credits that could pay for them. */
creditsRequired: boolean
/** `false`: invoices stay drafts until they are approved. Null: the value of the plan. */
autoApprove: (boolean | null)
/** `true`: invoices have no tax. */
taxExempt: boolean
/** `true`: invoices are paid by bank transfer, without a payment page. */
bankTransferOnly: boolean
estimatedTaxRate: DecimalNumber
/** The first payment, as long as it is asked. Null: nothing is asked. */
payment: (SubscriptionPayment | null)
/** The start of the subscription. Without a trial it is the start of the first period. */
startedAt: string
/** When the trial ends or ended. Null: it has no trial. */
trialEnd: (string | null)
/** The planned end. Null: none is planned. */
endingAt: (string | null)
/** The time at which it ended. Null: it has not ended. */
terminatedAt: (string | null)
/** The id of the customer or merchant that ended it. Null: not ended by a request. */
terminatedBy: (string | null)
/** Why it ended. Null: it has not ended. */
terminationReason: (string | null)
prefundAmount: Decimal
/** The days from the issue of an invoice to its due date. */
paymentTermDays: number
/** Whether renewals are announced. Null: the value of the plan. */
renewalReminderEnabled: (boolean | null)
/** How many days before a renewal it is announced. Null: the value of the plan. */
renewalReminderDays: (number | null)
/** The test clock of the subscription. Absent without one. */
testClockId?: string
metadata: Metadata
/** The two parties. Present in a list with `include=customer`. */
customer?: {
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The party that sells. */
merchant: {
/** The id of this resource. It never changes. */
id: string
/** The name of the organization. */
name: string
/** The first billing address of the organization. */
email: string
}
/** The party that is billed. */
consumer: {
/** The id of this resource. It never changes. */
id: string
/** The name of the organization. */
name: string
/** The first billing address of the organization. */
email: string
}
}
/** What is missing around the subscription, such as a bank account for transfers. Present in the answers about one subscription where something is missing, and in no list. */
warnings?: string[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A subscription on a grouped invoice. */
export interface InvoiceSection {
/** The subscription. */
subscriptionId: string
/** The customer of the subscription. */
customerId: string
/** The name of the section, as on the document. */
name: string
subtotal: Decimal
}
/** The units of a line that fell into one tier: above `above`, up to and including `upTo`. Amounts are exact; where one does not end (a part of a period), all are rounded to the currency so that they sum to the line. */
export interface TierUsed {
above: Decimal
/** The upper bound of the tier, inclusive. Null: the last tier has no upper bound. */
upTo: (Decimal | null)
quantity: Decimal
unitPrice: Decimal
flatPrice: Decimal
amount: Decimal
}
/** A line of an invoice: a charge, a discount, or a credit of a charge that was billed before. */
export interface InvoiceLineItem {
/** The id of this resource. It never changes. */
id: string
/** `usage`: of a metric, also late usage. `fee`: of a fee, a minimum, a manual line or a top-up. `discount`: an adjustment, a maximum or units that grants cover. */
eventType: ("usage" | "fee" | "discount")
/** The line's own id. */
eventId: string
/** The id of the metric or fee; empty: none. */
eventSourceId: string
/** `refund`: a credit of a charge that was billed before. `charge`: every other line. */
lineItemType: ("charge" | "refund")
/** The kind of the line in detail, such as `usage`, `fee`, `manual` or `wallet_top_up`. */
type: string
/** The price of the line. Null: the line has no price. */
priceId: (string | null)
/** Empty where there is none. */
billableMetricId: string
/** The item of the line. Null: it has none. */
itemId: (string | null)
/** The text of the line, as on the document. */
invoiceDisplayName: string
/** The name of the metric. Empty: the line has none. */
metricName: string
/** The unit of the metric. Empty: the line has none. */
metricUnit: string
/** The description of the metric. Empty: the line has none. */
metricDescription: string
/** Empty: the line aggregates many events. */
meterEventId: string
quantity: DecimalNumber
unitPrice: Decimal
/** The price of one unit in the catalog, where a negotiated price holds. Null: none holds. */
listUnitPrice: (Decimal | null)
/** The unit in which documents and pages say the line, as it was at the issue. Quantity and price of the line are of one unit. Null: the unit itself. */
displayUnit: (DisplayUnit | null)
totalPrice: Decimal
discountPrice: Decimal
taxRate: DecimalNumber
totalTax: Decimal
totalAmount: Decimal
/** The start of the time that the line bills, inclusive. */
periodStart: string
/** The end of the time that the line bills, exclusive. */
periodEnd: string
/** The values of the dimensions, where the price bills each combination by itself. Null: it does not. */
group: ({
[k: string]: string | null
} | null)
/** The part of the line in each tier. Null: the price has no tiers. */
tiers: (TierUsed[] | null)
/** The calculation of the amount in words, as on the document: "14 of 31 days of 99.00". */
notes: string[]
/** Of a discount or a credit: the line that it reduces. Null: none. */
appliesToLineId: (string | null)
/** The coupon that made the line. Null: none did. */
couponId: (string | null)
/** The redemption of the coupon by the subscription. Null: no coupon made the line. */
redemptionId: (string | null)
/** The billing credit that pays by the line, or has something back. Null: none. */
billingCreditId: (string | null)
/** The commitment over a term that made the line. Null: none did. */
commitmentId: (string | null)
/** The subscription of the line. Null: of none. */
subscriptionId: (string | null)
/** The customer of the line. Empty: a simulation without a customer. */
customerId: string
}
/** An item of a line, with its ids in external systems. */
export interface ResolvedItem {
/** The id of this resource. It never changes. */
id: string
/** The name of the item. */
name: string
/** The product of the item. Null: it has none. */
catalogId: (string | null)
/** The time at which the item was archived. Null: it is in use. */
archivedAt: (string | null)
/** The external references of the item. */
externalReferences: ExternalReference[]
}
/** A page of the lines of an invoice. */
export interface InvoiceLineItemsResponse {
/** The id of the invoice. */
invoiceId: string
/** The lines of this page, in the order of the document. */
lineItems: InvoiceLineItem[]
/** The items of the lines. Present with `expand=items`. */
items?: ResolvedItem[]
/** Send it as `pageToken` for the next page. Null: this is the last page. */
nextPageToken: (string | null)
/** The number of all lines of the invoice. */
totalCount: number
}
/** The tax that an outside provider calculated and recorded. */
export interface OutsideTax {
estimatedTax: Decimal
/** Always `false`: an issued invoice is never changed. */
adjustmentApplied: boolean
actualTax?: Decimal
difference?: Decimal
/** `true`: the two differ. */
adjustmentNeeded: boolean
/** `true`: the two are the same. */
reconciled: boolean
/** When they were compared. Absent: not yet. */
reconciledAt?: string
/** Why the provider could not record the tax. Absent: there is no problem. */
problem?: string
}
/** An invoice. After its issue it is never edited; credit notes correct it. */
export interface Invoice {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "invoice"
/** `subscription`: for a period. `upfront`: the first payment of a subscription. `order`: of a billing schedule. `ad_hoc`: a one-off invoice, a top-up or the purchase of a grant. `grouped`: several invoices of periods in one. */
kind: ("subscription" | "upfront" | "ad_hoc" | "order" | "grouped")
/** `ACTIVE`: the period is open. `CLOSING`: the grace period runs. `CLOSED`, `CALCULATING`: the amounts are being calculated. `DRAFT`: it waits for approval. `ISSUED`: it is due for payment. `PAYMENT_FAILED`: a charge was declined. `PAID`, `CANCELLED`, `WRITTEN_OFF`. `FAILED`: the calculation failed. */
status: ("ACTIVE" | "CLOSING" | "CLOSED" | "CALCULATING" | "DRAFT" | "ISSUED" | "PAYMENT_FAILED" | "PAID" | "WRITTEN_OFF" | "CANCELLED" | "FAILED")
/** The id of the merchant that owns this resource. */
merchantId: string
/** The billed customer. */
customerId: string
/** The customer that pays it, and to which it is addressed. Fixed at its issue. Null: `customerId` pays. */
payerId: (string | null)
/** The invoice that this one replaces. Null: none. */
reissueOfId: (string | null)
/** The invoice that replaces this one. Null: none. */
reissuedAsId: (string | null)
/** The grouped invoice that has its lines. Null: it has them itself. */
groupedIntoId: (string | null)
/** Of a grouped invoice: each of its subscriptions. Empty of every other. */
sections: InvoiceSection[]
/** The subscription. Null: a one-off invoice, one of an order, or a grouped one. */
subscriptionId: (string | null)
/** The currency: an ISO 4217 code. */
currency: string
/** `true`: it is issued when it is calculated. `false`: it stays `DRAFT` until it is approved. */
autoApprove: boolean
/** The time from which periods are counted. */
billingAnchor: string
/** The length of the period as an ISO 8601 duration: `P1M` is a month. `P0D`: it bills no period. */
billingCadence: string
/** The start of the period, inclusive. */
periodStart: string
/** The end of the period, exclusive. */
periodEnd: string
/** Usage of the period that arrives before this time is on this invoice. */
gracePeriodEnd: string
subtotal: Decimal
totalTax: Decimal
grandTotal: Decimal
paidAmount: Decimal
unpaidAmount: Decimal
walletApplied: Decimal
/** The number, without gaps for the merchant. Null: it has none before its issue, or before its payment where it is cancelled if it is not paid. */
invoiceNumber: (string | null)
/** The number of the period within its series of invoices. 0: it bills no period. */
sequenceNumber: number
/** The number of lines. */
itemCount: number
/** The lines, where they were asked for with `expand=lineItems`. Null: they were not, as in lists. */
lineItems: (InvoiceLineItemsResponse | null)
/** The tax of an external provider: `estimatedTax`, `actualTax`, `difference`, `reconciled`. Null: Reckoner calculates the tax itself. */
tax: (OutsideTax | null)
/** The time at which a background job takes it up next, such as the end of the period or the next charge. Null: none does. */
nextActionAt: (string | null)
/** The time of its issue. Null: it is not issued. */
issuedAt: (string | null)
/** The due time: `paymentTermDays` after its issue. Null: it is not issued. */
dueAt: (string | null)
/** The time at which it was paid in full. Null: it is not. */
paidAt: (string | null)
/** The days from its issue to `dueAt`. */
paymentTermDays: number
/** The start of the supply of a one-off invoice, inclusive. Null: not issued yet, and no time was sent; also of a top-up, which is no supply, and of a subscription, whose lines have periods. */
serviceFrom: (string | null)
/** The end of the supply, exclusive; the same as `serviceFrom`: a point of time. */
serviceTo: (string | null)
/** `true`: a charge is in progress. Until it ends, nothing else can pay or cancel the invoice. */
paymentInFlight: boolean
/** The page on which the customer pays. Null: it cannot be paid online now. */
paymentUrl: (string | null)
/** The address of the PDF. It needs a key. Null: no document. */
pdfUrl: (string | null)
/** The page of the invoice for the customer, without a key. Null: it is not issued. */
permalink: (string | null)
/** `tax_provider`: the document is the one of the tax provider; Stripe Tax makes none. Null: it is rendered here. */
pdfSource: (string | null)
/** The SHA-256 of the content for which an approval is requested. Null: it is not calculated yet. */
dataSnapshotHash: (string | null)
/** Why there is no document, such as `not_issued` or `too_many_lines`. Null: there is one. */
documentWithheldReason: (string | null)
/** Why the last charge was declined or the calculation failed. Absent: nothing failed. */
failureReason?: string
/** The message of the tax provider, where it is the reason. Absent otherwise. */
failureDetail?: string
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** The first invoices of a subscription that could be made. */
export interface SubscriptionPreview {
/** The name of the type of this resource. */
object: "subscription_preview"
/** The id of the merchant that owns this resource. */
merchantId: string
/** When billing starts: at `startedAt`, or when the trial of the plan ends. */
billingStartsAt: string
/** The invoice over what is asked as billing starts, with up to 1,000 lines. Null: nothing is asked in advance. */
upfrontInvoice: (Invoice | null)
/** The invoice after that one, without any usage, with up to 1,000 lines. Null: no period is open after it. */
upcomingInvoice: (Invoice | null)
}
/** A page of a list of `Subscription`. */
export interface SubscriptionList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Subscription[]
pagination: Pagination
}
/** The outcome of a comparison of entitlements with the plan. */
export interface SubscriptionReconciliation {
/** The name of the type of this resource. */
object: "subscriptionReconciliation"
/** `true`: nothing was written. */
dryRun: boolean
/** The entitlements of the subscription, by the outcome for each feature. */
features: {
/** Features of the plan that got an entitlement. */
added: {
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** Whether a price of the plan bills the feature. */
billed: boolean
}[]
/** Features with an entitlement that got new terms. */
updated: {
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** Of a metered feature, in a usage period. */
allowance?: {
before: DecimalNumber
after: DecimalNumber
}
/** Of a static feature. */
config?: {
/** The former value. Null: it had none. */
before: (JsonObject | null)
after: JsonObject
}
}[]
/** Features without a difference to the plan. */
skipped: {
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
}[]
/** Features that the plan no longer has. Their entitlements end. */
removed: {
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
}[]
/** Features that could not be reconciled. */
failed: {
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** `entitlement_failed`: no entitlement could be written. `grant_mint_failed`: no allowance could be granted. */
reason: ("entitlement_failed" | "grant_mint_failed")
}[]
}
/** Always 0: prices stay pinned, and a reconciliation bills nothing. */
lineItems: {
/** The number of lines that were added. */
created: number
/** The number of lines that were removed. */
removed: number
}
}
/** A discount on the charges of a subscription, for a window of time. */
export interface SubscriptionAdjustment {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "subscriptionAdjustment"
/** The id of the subscription. */
subscriptionId: string
/** The kind of the adjustment. There is one. */
type: "percentageDiscount"
percentageDiscount: Decimal
/** The start of the window, inclusive. */
effectiveFrom: string
/** The end of the window, exclusive. Null: it has no end. */
effectiveTo: (string | null)
/** The text on each discount line. */
description: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `SubscriptionAdjustment`. */
export interface SubscriptionAdjustmentList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: SubscriptionAdjustment[]
pagination: Pagination
}
/** A change of the plan, of the version or of the quantities of a subscription. */
export interface SubscriptionChange {
/** The id of the change. Null: of a dry run. */
id: (string | null)
/** The name of the type of this resource. */
object: "subscription_change"
/** The id of the subscription. */
subscriptionId: string
/** `scheduled`: it will be applied at `effectiveAt`. `applied`: it is done. `cancelled`: it was cancelled before. */
status: ("scheduled" | "applied" | "cancelled")
/** `now`, or `periodEnd`: the end of the open period. */
effective: ("now" | "periodEnd")
/** The start of the new terms. */
effectiveAt: string
/** The version before the change. */
fromPlanVersionId: string
/** The id of the plan. */
planId: string
/** The version after the change. */
planVersionId: string
/** The number of the version after the change. */
planVersionNumber: number
/** How many of each fee price of the plan version, by the id of the price. */
quantities: {
[k: string]: DecimalNumber
}
/** The negotiated prices from the change on. Null: the change says nothing of them. */
priceOverrides: (PriceOverride[] | null)
/** Negotiated prices that end with the change, because the version has not their price. */
droppedPriceOverrides: PriceOverride[]
/** Redemptions of coupons that end with the change, because they are not for the plan. */
endedRedemptionIds: string[]
/** How fees are divided: by `second`, by whole `day`, or `none`. */
proration: ("second" | "day" | "none")
/** How unused charges in advance are credited: `invoice`, `wallet`, or `none`. */
credit: ("invoice" | "wallet" | "none")
/** When the resource was created. */
createdAt: string
}
/** A change with a preview of its first invoice. */
export interface SubscriptionChangeReply {
change: SubscriptionChange
/** The first invoice on which the change shows, with up to 1,000 lines. Null: no invoice shows it. */
invoicePreview: (Invoice | null)
}
/** A page of a list of `SubscriptionChange`. */
export interface SubscriptionChangeList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: SubscriptionChange[]
pagination: Pagination
}
/** The new migration, with the outcomes if it is already completed. */
export interface PlanMigration {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "plan_migration"
/** The id of the plan. */
planId: string
/** The number of the old version. */
fromVersion: number
/** The number of the new version. */
toVersion: number
/** Fee prices of the new version with a quantity of the old one. */
replacePrices: {
/** The fee price of the old version. */
replacesPriceId: string
/** The fee price of the new version. */
withPriceId: string
}[]
/** `now`, or `periodEnd`: the end of the open period of each subscription. */
effective: ("now" | "periodEnd")
/** How fees are divided: by `second`, by whole `day`, or `none`. */
proration: ("second" | "day" | "none")
/** How unused charges in advance are credited: `invoice`, `wallet`, or `none`. */
credit: ("invoice" | "wallet" | "none")
/** `true`: no subscription is changed. */
dryRun: boolean
/** `running`: some subscriptions are still to come. `completed`: each has an outcome. `cancelled`: it was cancelled before. */
status: ("running" | "completed" | "cancelled")
/** The numbers of subscriptions. */
progress: {
/** Subscriptions of the migration, fixed when it begins. */
total: number
/** Subscriptions that are changed, or will be changed at the end of their period. */
done: number
/** Subscriptions that were refused. */
failed: number
}
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** The time at which it was completed or cancelled. Null: it is running. */
endedAt: (string | null)
/** The outcomes of a migration that is completed by now; none while it is running. */
subscriptions: {
/** The id of the subscription. */
subscriptionId: string
/** `applied`: changed. `scheduled`: to be changed at `effectiveAt`. `refused`: left as it is. `waiting`: still to come. `cancelled`: the migration was cancelled before its turn. */
outcome: ("applied" | "scheduled" | "refused")
/** The start of the new version. Null: no change. */
effectiveAt: (string | null)
/** The change of the subscription. Null: without a change, and in a dry run. */
changeId: (string | null)
/** The code of the refusal; `INTERNAL_ERROR` for a fault of ours. Null: not refused. */
reason: (string | null)
}[]
}
/** The progress of a migration from one version of a plan to another. */
export interface PlanMigrationProgress {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "plan_migration"
/** The id of the plan. */
planId: string
/** The number of the old version. */
fromVersion: number
/** The number of the new version. */
toVersion: number
/** Fee prices of the new version with a quantity of the old one. */
replacePrices: {
/** The fee price of the old version. */
replacesPriceId: string
/** The fee price of the new version. */
withPriceId: string
}[]
/** `now`, or `periodEnd`: the end of the open period of each subscription. */
effective: ("now" | "periodEnd")
/** How fees are divided: by `second`, by whole `day`, or `none`. */
proration: ("second" | "day" | "none")
/** How unused charges in advance are credited: `invoice`, `wallet`, or `none`. */
credit: ("invoice" | "wallet" | "none")
/** `true`: no subscription is changed. */
dryRun: boolean
/** `running`: some subscriptions are still to come. `completed`: each has an outcome. `cancelled`: it was cancelled before. */
status: ("running" | "completed" | "cancelled")
/** The numbers of subscriptions. */
progress: {
/** Subscriptions of the migration, fixed when it begins. */
total: number
/** Subscriptions that are changed, or will be changed at the end of their period. */
done: number
/** Subscriptions that were refused. */
failed: number
}
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** The time at which it was completed or cancelled. Null: it is running. */
endedAt: (string | null)
}
/** A page of a list of `PlanMigrationProgress`. */
export interface PlanMigrationProgressList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: PlanMigrationProgress[]
pagination: Pagination
}
/** The outcome of a migration for one subscription. */
export interface PlanMigrationSubscription {
/** The name of the type of this resource. */
object: "plan_migration_subscription"
/** The id of the subscription. */
subscriptionId: string
/** `applied`: changed. `scheduled`: to be changed at `effectiveAt`. `refused`: left as it is. `waiting`: still to come. `cancelled`: the migration was cancelled before its turn. */
outcome: ("applied" | "scheduled" | "refused" | "waiting" | "cancelled")
/** The start of the new version. Null: no change. */
effectiveAt: (string | null)
/** The change of the subscription. Null: without a change, and in a dry run. */
changeId: (string | null)
/** The code of the refusal; `INTERNAL_ERROR` for a fault of ours. Null: not refused. */
reason: (string | null)
}
/** A page of a list of `PlanMigrationSubscription`. */
export interface PlanMigrationSubscriptionList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: PlanMigrationSubscription[]
pagination: Pagination
}
/** The preview of an invoice of a plan for some usage. */
export interface PlanSimulation {
/** The name of the type of this resource. */
object: "invoice_simulation"
/** The id of the plan. */
planId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The start of the simulated period, inclusive. */
periodStart: string
/** The end of the simulated period, exclusive. */
periodEnd: string
subtotal: Decimal
totalTax: Decimal
grandTotal: Decimal
/** The lines of the invoice. */
lineItems: InvoiceLineItem[]
}
/** A choice of charges. All lists empty: all charges. */
export interface AppliesTo {
/** Charges under these plans alone. Empty: under any plan. */
planIds: string[]
/** Charges of these prices. Together with the metrics and fees: any of them. All empty: all charges. */
priceIds: string[]
/** Charges for the usage of these metrics. */
billableMetricIds: string[]
/** Charges of these fees. */
feeIds: string[]
}
/** A discount that subscriptions redeem: a fraction or an amount off, for some periods. */
export interface Coupon {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "coupon"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The name, as invoices show it. */
name: string
/** What customers type: letters, digits, `-` and `_`, in any case. Null: only you can apply it. */
code: (string | null)
/** The discount as a fraction: "0.5" is 50 %. Null: it is an amount. */
percentOff: (Decimal | null)
/** The discount for each period of the plan, in major units. Null: it is a fraction. */
amountOff: (Decimal | null)
/** The currency of the amounts. A coupon with a currency is for subscriptions in it. */
currency: (string | null)
/** `once`: one period. `periods`: as many as `durationInPeriods`. `forever`: it does not end. */
duration: ("once" | "periods" | "forever")
/** With `periods`: the number of billing periods of the plan. Null: it has another duration. */
durationInPeriods: (number | null)
/** What a period leaves of `amountOff` goes on to the next one, until it is used up. */
carriesOver: boolean
appliesTo: AppliesTo
/** What the charges of a period must come to before the coupon, in major units. Null: nothing. */
minimumAmount: (Decimal | null)
/** How often it can be redeemed. Null: any number of times. */
maxRedemptions: (number | null)
/** How often one customer can redeem it. */
maxRedemptionsPerCustomer: number
/** Only customers without any earlier active subscription can redeem it. */
newCustomersOnly: boolean
/** Until when it can be redeemed, exclusive. What is redeemed goes on. Null: it can always be. */
redeemBy: (string | null)
metadata: Metadata
/** It can no longer be redeemed. What is redeemed goes on. */
archived: boolean
/** How often it is redeemed. */
redemptionCount: number
/** `active`: it can be redeemed. `exhausted`: `maxRedemptions` is reached. `expired`: `redeemBy` is over. */
status: ("active" | "exhausted" | "expired" | "archived")
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Coupon`. */
export interface CouponList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Coupon[]
pagination: Pagination
}
/** A coupon as a subscription has redeemed it: less for service that begins in a window. */
export interface Redemption {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "redemption"
/** The coupon that is redeemed. */
couponId: string
/** The subscription that has redeemed it. */
subscriptionId: string
/** The id of the customer. */
customerId: string
/** The start of the window, inclusive. */
from: string
/** The end of the window, exclusive. Null: it does not end, or not before the amount is used up. */
until: (string | null)
/** What is left of the amount for the running period, with what was carried over. Null: no amount. */
remainingAmount: (Decimal | null)
totalDiscount: Decimal
/** The currency of the subscription. */
currency: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `Redemption`. */
export interface RedemptionList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Redemption[]
pagination: Pagination
}
/** The right of a customer to units of a metered feature. */
export interface MeteredEntitlement {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** The id of the product. */
productId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** `active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: `activeTo` is over. */
status: ("active" | "canceled" | "expired")
/** When the entitlement begins. */
activeFrom: string
/** When the entitlement ends. Null: it has no end. */
activeTo: (string | null)
/** Does the entitlement give access? A metered one does while its balance is above 0, or its limit is soft. Budgets do not count here. */
hasAccess: boolean
/** `true`: its subscription is paused, so it gives no access. Absent otherwise. */
paused?: boolean
metadata: Metadata
/** The type of the feature. It decides the other fields. */
featureType: "metered"
/** Null: only static features have a configuration. */
config: null
/** `true`: there is access at a balance of 0 too. */
isSoftLimit: boolean
balance: DecimalNumber
usageInPeriod: DecimalNumber
overage: DecimalNumber
reserved: DecimalNumber
/** The beginning of the current usage period. Null: there is none. */
currentPeriodStart: (string | null)
/** The end of the current usage period, and the time of the next reset. Null: there is none. */
currentPeriodEnd: (string | null)
/** When the entitlement was last reset. Null: never. */
lastResetAt: (string | null)
/** The ids of the measured metrics. */
billableMetrics: string[]
/** Always null. */
pricingUnitId: null
/** The same as `id`. */
entitlementId: string
}
/** The right of a customer to a static feature, with its configuration. */
export interface StaticEntitlement {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** The id of the product. */
productId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** `active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: `activeTo` is over. */
status: ("active" | "canceled" | "expired")
/** When the entitlement begins. */
activeFrom: string
/** When the entitlement ends. Null: it has no end. */
activeTo: (string | null)
/** Does the entitlement give access? A metered one does while its balance is above 0, or its limit is soft. Budgets do not count here. */
hasAccess: boolean
/** `true`: its subscription is paused, so it gives no access. Absent otherwise. */
paused?: boolean
metadata: Metadata
/** The type of the feature. It decides the other fields. */
featureType: "static"
config: JsonObject
/** The same as `id`. */
entitlementId: string
}
/** The right of a customer to a boolean feature. */
export interface BooleanEntitlement {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** The id of the product. */
productId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** `active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: `activeTo` is over. */
status: ("active" | "canceled" | "expired")
/** When the entitlement begins. */
activeFrom: string
/** When the entitlement ends. Null: it has no end. */
activeTo: (string | null)
/** Does the entitlement give access? A metered one does while its balance is above 0, or its limit is soft. Budgets do not count here. */
hasAccess: boolean
/** `true`: its subscription is paused, so it gives no access. Absent otherwise. */
paused?: boolean
metadata: Metadata
/** The type of the feature. It decides the other fields. */
featureType: "boolean"
/** Null: only static features have a configuration. */
config: null
/** The same as `id`. */
entitlementId: string
}
/** A page of a list of `Entitlement`. */
export interface EntitlementList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Entitlement[]
pagination: Pagination
}
/** An entitlement of a customer that holds now. */
export interface ActiveEntitlement {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The ids of the measured metrics. */
billableMetrics: string[]
/** The id of the customer. */
customerId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The id of the product. */
productId: string
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** The time of the answer. */
verifiedAt: string
}
/** A page of a list of `ActiveEntitlement`. */
export interface ActiveEntitlementList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ActiveEntitlement[]
pagination: Pagination
}
/** A static entitlement with its configuration. */
export interface StaticEntitlementDetail {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** The id of the product. */
productId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** `active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: `activeTo` is over. */
status: ("active" | "canceled" | "expired")
/** When the entitlement begins. */
activeFrom: string
/** When the entitlement ends. Null: it has no end. */
activeTo: (string | null)
/** Does the entitlement give access? A metered one does while its balance is above 0, or its limit is soft. Budgets do not count here. */
hasAccess: boolean
/** `true`: its subscription is paused, so it gives no access. Absent otherwise. */
paused?: boolean
metadata: Metadata
/** The type of the feature. It decides the other fields. */
featureType: "static"
config: JsonObject
}
/** A boolean entitlement in detail. */
export interface BooleanEntitlementDetail {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "entitlement"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
/** The key of the feature. */
featureKey: string
/** The id of the product. */
productId: string
/** The plan of the subscription. Null: there is no subscription. */
planId: (string | null)
/** The subscription with which the entitlement ends. Null: none. */
subscriptionId: (string | null)
/** `active`: it counts, or begins later. `canceled`: its plan or subscription ended it. `expired`: `activeTo` is over. */
status: ("active" | "canceled" | "expired")
/** When the entitlement begins. */
activeFrom: string
/** When the entitlement ends. Null: it has no end. */
activeTo: (string | null)
/** Does the entitlement give access? A metered one does while its balance is above 0, or its limit is soft. Budgets do not count here. */
hasAccess: boolean
/** `true`: its subscription is paused, so it gives no access. Absent otherwise. */
paused?: boolean
metadata: Metadata
/** The type of the feature. It decides the other fields. */
featureType: "boolean"
/** Null: only static features have a configuration. */
config: null
}
/** The balance and the usage of an entitlement, by windows of time. */
export interface EntitlementHistory {
/** The name of the type of this resource. */
object: "entitlementHistory"
/** The windows, the earliest first. */
windows: {
/** The beginning of the window, inclusive. */
from: string
/** The end of the window, exclusive. */
to: string
balanceAtStart: DecimalNumber
usage: DecimalNumber
overage: DecimalNumber
balanceAtEnd: DecimalNumber
/** The grants that were used in the window. */
grants: {
/** The id of the grant. */
grantId: string
burned: DecimalNumber
balance: DecimalNumber
}[]
}[]
}
/** The fields of every `FeatureAccess`. */
export interface FeatureAccessBase {
/** The key of the feature. */
featureKey: string
/** The id of the feature. */
featureId: string
/** The id of the product. */
productId: string
/** May the customer use the feature now? */
hasAccess: boolean
reason: (("not_entitled" | "no_balance" | "budget_spent" | "paused" | "credits_exhausted") | null)
/** The entitlements to the feature. */
entitlementIds: string[]
}
/** The features that a customer may use now. */
export interface CustomerAccess {
/** The name of the type of this resource. */
object: "customerAccess"
/** The id of the customer. */
customerId: string
/** The features of the customer, each with the sum of its entitlements. */
features: FeatureAccess[]
}
/** Units that were given to an entitlement. Usage burns them. */
export interface Grant {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "grant"
/** The id of the entitlement. */
entitlementId: string
amount: DecimalNumber
/** When the grant begins to count. Default: now. */
effectiveAt: string
/** When the grant stops counting. Default: null, never. */
expiresAt: (string | null)
/** When the grant was voided. Null: it was not. */
voidedAt: (string | null)
/** After each such period the grant is full again: an ISO 8601 duration of whole days, weeks, months or years. Default: null, given once. */
recurrencePeriod: (string | null)
/** The key that makes the grant once. A known key answers the first grant. Null: none was sent. */
idempotencyKey: (string | null)
resetMaxRollover: DecimalNumber
resetMinRollover: DecimalNumber
/** The lowest is used first, then the earliest expiry, then the oldest grant. Default: 0. */
priority: number
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `Grant`. */
export interface GrantList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Grant[]
pagination: Pagination
}
/** A grant that is paid by an invoice. */
export interface GrantPurchase {
/** The name of the type of this resource. */
object: "grant_purchase"
/** The id of the invoice. */
invoiceId: string
/** The id of the entitlement. */
entitlementId: string
grantAmount: DecimalNumber
price: Decimal
/** The currency of the price: an ISO 4217 code. Default: the one of the plan, the customer or the merchant, or `USD`. */
currency: string
/** The open payment sessions. Empty once the invoice is paid or cancelled. */
paymentSessions: {
/** The page on which the customer pays. */
url: string
/** When the session ends. Null: it does not. */
expiresAt: (string | null)
amount: Decimal
}[]
}
/** Units that are set aside for usage that has begun. */
export interface Reservation {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "reservation"
/** The id of the entitlement. */
entitlementId: string
amount: DecimalNumber
/** `held`: it lowers the balance. `settled`, `released` and `expired`: it no longer does. */
status: ("held" | "settled" | "released" | "expired")
/** The units that were really used. Null: it is not settled. */
settledAmount: (DecimalNumber | null)
/** When the reservation ends by itself. */
expiresAt: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `Reservation`. */
export interface ReservationList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Reservation[]
pagination: Pagination
}
/** A line of a subscription or an invoice, pending or invoiced. */
export interface LineItem {
/** The line. A pending line that was not added by hand has the id of its invoice and its place there. */
id: string
/** The name of the type of this resource. */
object: "lineItem"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The subscription. Null: the invoice is of none. */
subscriptionId: (string | null)
/** The billed customer. */
customerId: string
/** The price. Null: the line has no price. */
priceId: (string | null)
/** The item. Null: none. */
itemId: (string | null)
/** The invoice of the line. Null: it waits for a later invoice. */
invoiceId: (string | null)
/** `fee`, `metered` (usage), `manual` (added by hand) or `discount`. */
type: ("fee" | "metered" | "manual" | "discount")
/** `pending`: its invoice is open, or a later one. `invoiced`: its invoice is calculated. */
status: ("pending" | "invoiced")
/** The text of the line, as on the document. */
displayName: string
/** A longer text. Null: none. */
description: (string | null)
/** The currency: an ISO 4217 code. */
currency: string
/** The start of the time that the line bills, inclusive. */
periodStart: string
/** The end of the time that the line bills, exclusive. */
periodEnd: string
/** The time from which it can be invoiced. */
invoiceAt: string
/** The time at which its invoice was calculated. Null: it is pending. */
calculatedAt: (string | null)
/** The earlier credit of which this line is the remainder. Null: it is not a remainder. */
carriedFromLineItemId: (string | null)
/** The number of units as a decimal string. */
quantity: (Decimal | null)
unitPrice: Decimal
/** The billed usage as a decimal string. Null: it is pending, or no usage. */
meteredQuantity: (Decimal | null)
/** `in_advance`: for a time after the period. `in_arrears`: for the period. Null: the line has no price. */
paymentTerm: (("in_advance" | "in_arrears") | null)
subtotal: Decimal
/** The tax, in major units. Null: it is not known before the line is on an invoice. */
taxesTotal: (Decimal | null)
total: Decimal
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** The usage so far as a decimal string. Null: it is invoiced, or no usage. */
estimatedMeteredQuantity: (Decimal | null)
/** The amount of the usage so far before tax, in major units. Null: it is invoiced, or no usage. */
estimatedSubtotal: (Decimal | null)
}
/** Sums over all lines in one currency, in major units. */
export interface LineItemsSummary {
feeSubtotal: Decimal
meteredEstimatedSubtotal: Decimal
/** The currency of the sums: the one of most lines. */
currency: string
}
/** A page of lines with sums over all of them. */
export interface LineItemsResponse {
/** The name of the type of this resource. */
object: "list"
pagination: Pagination
/** The lines of this page. */
data: LineItem[]
/** The number of all lines. */
totalCount: number
summary: LineItemsSummary
}
/** Where the invoice is taxed, as it was decided when it was calculated; null before that, and without a registration for tax. */
export interface TaxPlace {
/** The tax treatment: `domestic`, `reverse_charge` (the customer pays the tax), `consumer_abroad`, `outside` (not taxable), `exempt`, or `not_registered` there. */
treatment: ("domestic" | "reverse_charge" | "consumer_abroad" | "outside" | "exempt" | "not_registered")
/** The country with the tax, as an ISO 3166 code. Null: no country taxes the sale. */
country: (string | null)
/** The tax rate of the country in percent. Null: the rates of the customer, the plan and the merchant decide. */
rate: (DecimalNumber | null)
/** The rule that decided, as a sentence. */
because: string
/** The tax number of the customer: `none`, `valid`, `invalid`, or `unchecked`. */
taxIdStatus: ("none" | "valid" | "invalid" | "unchecked")
/** The UTC day for which rates and registrations were read. */
taxPoint: string
/** The registration of the merchant that applies. Null: none. */
registration: ({
/** The country of the registration, as an ISO 3166 code. */
country: string
/** The tax number of the merchant there. */
taxId: string
/** `standard`, or `oss`: the One-Stop Shop of the European Union. */
scheme: ("standard" | "oss")
} | null)
}
/** The fields of every `ExplainedPrice`. */
export interface ExplainedPriceBase {
/** The id of this resource. It never changes. */
id: string
/** The minimum for a period, in major units. Null: none. */
minimumAmount: (Decimal | null)
/** The maximum for a period, in major units. Null: none. */
maximumAmount: (Decimal | null)
/** The negotiated price that made these terms. Null: they are those of the catalog. */
override: (PriceOverride | null)
}
/** How the amount of a line came about. A field is there where its rule changed the amount. */
export interface LineWorkings {
/** The part of the period that is charged. */
share?: {
part: Decimal
whole: Decimal
}
whole?: Decimal
/** The part of the period by which flat prices of tiers are scaled. */
flatShare?: {
part: Decimal
whole: Decimal
}
/** The units at no cost. */
included?: {
units: Decimal
allowance: Decimal
/** The part of the period. */
share?: {
part: Decimal
whole: Decimal
}
}
display?: DisplayUnit
/** Of an agreed price: the catalog. */
list?: {
unitPrice: Decimal
}
/** The packages of the price. */
packages?: {
count: Decimal
size: Decimal
price: Decimal
}
/** The percentage of the price. */
percentage?: {
percent: Decimal
of: Decimal
fixed?: Decimal
events?: Decimal
least?: Decimal
most?: Decimal
}
/** The groups that a matrix priced by its default. */
others?: {
/** Groups that the default of a matrix priced. */
groups: string[]
/** How many more there are. */
more: number
}
/** Of a price with several lines, which is rounded once. */
rows?: {
exact: Decimal
/** On the last line of the price: all lines of the price. */
all?: {
/** The number of lines. */
count: number
exact: Decimal
amount: Decimal
}
}
/** The minimum or maximum that made the line. */
limit?: {
amount: Decimal
reached: Decimal
}
/** The percentage that made a discount line. */
discount?: {
percent: Decimal
of: Decimal
}
/** The coupon that made the line. */
coupon?: {
/** The coupon. */
couponId: string
/** The redemption of the coupon by the subscription. */
redemptionId: string
/** The start of the period for which it is worked out. Absent: it is worked out on the charge alone. */
period?: string
}
/** The billing credit that pays by the line, or has something back. */
use?: {
/** The billing credit. */
billingCreditId: string
/** The invoice on which it had paid what it has back. Absent: the line pays. */
onInvoiceId?: string
/** The credit for unused time with which it is given back. */
creditId?: string
/** It pays what this commitment asks. Absent: it pays a charge. */
commitmentId?: string
}
/** Of what is missing to a commitment over a term. */
trueUp?: {
/** The commitment. */
commitmentId: string
/** Its segment, counted from 0; of a whole term the last one. */
segment: number
}
/** Of a date of a prepaid commitment. */
prepayment?: {
/** The prepaid commitment. */
commitmentId: string
/** The date that asks, counted from 0; behind the agreed ones: its early end. */
date: number
}
/** Of usage that goes on or is late. */
soFar?: {
total: Decimal
before: Decimal
}
/** Of a correction: the parts that limits make. */
late?: {
maximum: Decimal
minimum: Decimal
}
cut?: Decimal
lost?: Decimal
/** Of a credit: the charge that was billed before. */
credit?: {
/** The credit. */
id: string
/** The number of the invoice that billed the charge. Null: it had none. */
invoiceNumber: (string | null)
/** The start of the charge that was billed, inclusive. */
from: string
/** The end of the charge that was billed, exclusive. */
to: string
/** The amount of the charge before tax. Null: it was not billed. */
billed: (Decimal | null)
/** The unused part of its time. Null: all of it. */
share: ({
part: Decimal
whole: Decimal
} | null)
amount: Decimal
before: Decimal
/** The credit notes about the remainder of the credit. */
notes?: {
/** The number of the credit note. */
number: string
amount: Decimal
}[]
}
/** Of a negative line by hand. */
byHand?: {
amount: Decimal
}
}
/** A line of an invoice with the figures from which it follows. */
export interface ExplainedLine {
/** The line. */
lineItemId: string
/** The subscription of the line. Null: of none. */
subscriptionId: (string | null)
/** The text of the line, as on the document. */
invoiceDisplayName: string
/** The kind of the line, such as `usage`, `fee` or `manual`. */
type: string
/** The start of the time that the line bills, inclusive. */
periodStart: string
/** The end of the time that the line bills, exclusive. */
periodEnd: string
/** The pinned price. Null: the line has no price. */
price: (ExplainedPrice | null)
/** The values of the dimensions, where the price bills each combination by itself. Null: it does not. */
group: ({
[k: string]: string | null
} | null)
quantity: DecimalNumber
unitPrice: Decimal
/** The part of the line in each tier. Null: the price has no tiers. */
tiers: (TierUsed[] | null)
/** Details of the calculation, if the amount is not quantity times unit price. Decimals are text. Null: it does. */
workings: (LineWorkings | null)
/** The calculation of the amount in words, as on the document: "14 of 31 days of 99.00". */
notes: string[]
earlier: ({
/** The start of the earlier parts, inclusive. */
from: string
/** The end of the earlier parts, exclusive. */
to: string
quantity: DecimalNumber
amount: Decimal
} | null)
amount: Decimal
/** The tax of the line. */
tax: {
rate: DecimalNumber
amount: Decimal
decidedBy: (string | null)
}
total: Decimal
usageByHour: ({
/** The start of the hour, inclusive. */
from: string
/** The end of the hour, exclusive. */
to: string
value: DecimalNumber
/** The number of events in the hour. */
eventCount: number
}[] | null)
/** The discount lines that reduce the line. */
discounts: {
/** The discount line. */
lineItemId: string
/** The text of the discount line. */
description: string
/** The adjustment. Null: the discount has another source. */
adjustmentId: (string | null)
/** The discount as a fraction: "0.35" is 35 percent. Null: it is no percentage. */
percentageDiscount: (Decimal | null)
/** The calculation of the amount in words, as on the document: "14 of 31 days of 99.00". */
notes: string[]
amount: Decimal
/** The tax on the discount. */
tax: {
rate: DecimalNumber
amount: Decimal
}
total: Decimal
}[]
}
/** An invoice with the figures from which each amount follows. */
export interface InvoiceExplanation {
/** The name of the type of this resource. */
object: "invoiceExplanation"
/** The id of the invoice. */
invoiceId: string
/** The status of the invoice. */
status: string
/** The currency: an ISO 4217 code. */
currency: string
/** `exclusive`: prices are without tax. `inclusive`: prices contain the tax. */
taxBehavior: string
/** The place of taxation, decided at the calculation. Null: not calculated yet, or without a registration for tax. */
place: (TaxPlace | null)
/** The lines with their figures. */
lines: ExplainedLine[]
/** The tax by rate: `rate` in percent, `base` before tax, and `amount`. */
taxes: {
rate: Decimal
base: Decimal
amount: Decimal
}[]
subtotal: Decimal
totalTax: Decimal
grandTotal: Decimal
/** The result of a second calculation from stored data. Null: the invoice is not calculated. */
recalculation: ({
grandTotal: Decimal
/** `true`: the second calculation gives the same invoice. */
isSame: boolean
} | null)
}
/** A top-up of a wallet: an invoice without tax, and the page on which it is paid. */
export interface WalletTopUp {
/** The name of the type of this resource. */
object: "wallet_top_up"
/** The invoice. The money is in the wallet once it is `PAID`. */
invoiceId: string
/** The id of the customer. */
customerId: string
amount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** The open payment sessions. Empty: it is paid or cancelled. */
paymentSessions: {
/** The payment page. Send the customer there. */
url: string
/** The end of the session. Then the invoice is cancelled. Null: it has no end. */
expiresAt: (string | null)
amount: Decimal
}[]
}
/** Money before tax that pays lines of a customer’s invoices. */
export interface BillingCredit {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "billing_credit"
/** The id of the customer. */
customerId: string
/** The subscription that it pays. Null: all of the customer’s on the same clock. */
subscriptionId: (string | null)
/** The commitment that made it. Null: none did. */
commitmentId: (string | null)
/** The invoice by which it was bought. Null: it was given. */
invoiceId: (string | null)
/** The name, as invoices show it. */
name: string
amount: Decimal
/** It pays invoices in this currency. */
currency: string
/** `promotional`: a discount. `paid`: money that the customer has paid. */
category: ("promotional" | "paid")
/** Of several credits the one with the lowest number is used first. */
priority: number
/** It pays service from here on. Default: now. */
effectiveAt: string
/** It pays service before this. Null: it does not expire. */
expiresAt: (string | null)
/** Since when it pays no service because it was voided. Null: it is not voided. */
voidedAt: (string | null)
appliesTo: AppliesTo
remaining: Decimal
usedAmount: Decimal
pendingAmount: Decimal
expiredAmount: Decimal
voidedAmount: Decimal
/** `scheduled`: it begins later. `used_up`: issued invoices used all of it. */
status: ("scheduled" | "active" | "used_up" | "expired" | "voided")
/** How it was made. */
source: ("manual" | "purchase" | "commitment" | "top_up")
/** The key of the request that made it. */
idempotencyKey: (string | null)
/** The test clock of the credit. Default: the one clock of all the customer’s subscriptions, else none. */
testClockId?: string
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `BillingCredit`. */
export interface BillingCreditList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: BillingCredit[]
pagination: Pagination
}
/** The billing credits of a customer in one currency. */
export interface BillingCreditBalance {
/** The name of the type of this resource. */
object: "billing_credit_balance"
/** The id of the customer. */
customerId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The time of the balance. */
at: string
granted: Decimal
used: Decimal
pending: Decimal
expired: Decimal
available: Decimal
}
/** A billing credit that the payment of an invoice makes. */
export interface BillingCreditPurchase {
/** The name of the type of this resource. */
object: "billing_credit_purchase"
/** The invoice over the price, with tax. */
invoiceId: string
/** The id of the customer. */
customerId: string
amount: Decimal
price: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** The open payment sessions. Empty once the invoice is paid or cancelled. */
paymentSessions: {
/** The payment page. Send the customer there. */
url: string
/** The end of the session. Then the invoice is cancelled. Null: it has no end. */
expiresAt: (string | null)
amount: Decimal
}[]
}
/** Buys billing credits for a customer by the stored card. */
export interface CreditTopUp {
/** The name of the type of this resource. */
object: "credit_top_up"
/** The id of the customer. */
customerId: string
/** It watches and buys credits in this currency. */
currency: string
threshold: Decimal
amount: Decimal
/** How long a credit lasts from its payment, as an ISO 8601 duration. Null: it does not expire. */
expiresAfter: (string | null)
/** The most top-ups in a calendar month (UTC). Null: any number. */
maximumPerMonth: (number | null)
/** `paused`: three charges in a row were declined. A PUT makes it active again. */
status: ("active" | "paused")
/** The declined charges since the last one that was paid. */
declines: number
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A part of the term of a commitment. */
export interface CommitmentSegment {
/** The start. */
startDate: string
/** The end, exclusive. */
endDate: string
amount: Decimal
spent: Decimal
remaining: Decimal
/** What is spent, divided by what an even pace would have spent. Null: the segment has not begun. */
pace: (Decimal | null)
/** What will be spent by its end at this pace. Null: the segment has not begun. */
forecast: (Decimal | null)
shortfall: Decimal
/** Of a prepaid commitment: its first billing credit. Null: none. */
billingCreditId: (string | null)
/** The invoice that asked what was missing, or asked the segment at its start. Null: none did. */
invoiceId: (string | null)
}
/** What a customer has promised to spend over a term. */
export interface Commitment {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "commitment"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The customer that has promised to spend. */
customerId: string
/** The subscription whose spending counts. Null: those of `orderId`, or without it all of the customer on its clock. */
subscriptionId: (string | null)
/** The order whose subscriptions count: those that were made with this `orderId`. Null: it is of none. */
orderId: (string | null)
/** The name, as invoices show it. */
name: string
/** The currency of the amounts: that of the subscription, where it is of one. */
currency: string
/** `postpaid`: what is missing to the amount of a segment is invoiced at its end. `prepaid`: the amounts are invoiced first, and each segment makes a billing credit that pays its charges. */
type: ("prepaid" | "postpaid")
/** The parts of the term, each with its own amount. Each begins where the one before it ends. */
segments: CommitmentSegment[]
appliesTo: AppliesTo
/** Spending counts for one commitment at a time, for the one with the lowest number first. */
priority: number
/** Of a postpaid commitment. `segment`: what is missing is asked at the end of each segment. `term`: once, at the end of the last one. */
trueUp: (("segment" | "term") | null)
/** Of a prepaid commitment: when it is invoiced. `start`: each segment at its start. Or dates with their amounts, which come to the same sum as the segments. */
invoiceAt: (("start" | {
/** When the amount is invoiced. */
date: string
amount: Decimal
/** The invoice of the date. Null: it has not come. */
invoiceId: (string | null)
}[]) | null)
/** Of a prepaid commitment: its billing credits begin with the issue of its invoices, or with the payment. */
availableOn: (("issue" | "payment") | null)
/** Of a prepaid commitment: the part of the rest of a segment that goes on, and for how long. */
rollover: ({
fraction: Decimal
/** How many days longer that part holds. */
days: number
} | null)
/** What an early end asks. `owed`: what is missing to all segments; of a prepaid one all dates. `prorated`: the part that is over; of a prepaid one the rest is given back. `waived`: nothing more. */
onEnd: ("owed" | "prorated" | "waived")
/** Agreed prices, which hold while it does: from its start, of no time before it was made, until its end. A price that the subscription has agreed itself stays. */
overrides: PriceOverride[]
/** `scheduled`: its first segment has not begun. `ended`: its term is over, or it ended before. */
status: ("scheduled" | "active" | "ended")
/** When it ended before its term, by a request or with its subscription. Null: it did not. */
endedAt: (string | null)
/** The test clock: that of the subscription. Default: the one clock of all subscriptions of the customer. */
testClockId?: string
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Commitment`. */
export interface CommitmentList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Commitment[]
pagination: Pagination
}
/** A part of a receipt that pays an invoice or is in the wallet. */
export interface ReceiptApplication {
/** The payment of the invoice. Null: the part is in the wallet. */
paymentId: (string | null)
/** The invoice that it pays. Null: the part is in the wallet. */
invoiceId: (string | null)
/** Whether the part went into the wallet. */
wallet: boolean
amount: Decimal
/** The time at which it was applied. */
appliedAt: string
}
/** Money of a customer that names no invoice. */
export interface Receipt {
/** The name of the type of this resource. */
object: "receipt"
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
amount: Decimal
unappliedAmount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** The means of payment: `bank_transfer`, `cash` or `other`. */
method: ("bank_transfer" | "cash" | "other")
/** The reference that was recorded. Null: none. */
reference: (string | null)
/** The time of the payment. */
receivedAt: string
/** `unapplied`: some of it waits. `applied`: it pays invoices or is in the wallet. `returned`: nothing waits, and some of it was sent back. */
status: ("unapplied" | "applied" | "returned")
/** The parts that pay invoices or are in the wallet, the oldest first. Reversed payments are not here. */
applications: ReceiptApplication[]
returnedAmount: Decimal
/** The time of the last return. Null: nothing was sent back. */
returnedAt: (string | null)
/** The reference of the last return. Null: none. */
returnReference: (string | null)
/** The test clock of the receipt. Null: none. */
testClockId: (string | null)
/** Your key of the receipt. */
idempotencyKey: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `Receipt`. */
export interface ReceiptList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Receipt[]
pagination: Pagination
}
/** An entry of a statement. */
export interface StatementEntry {
/** The time of its booking. */
date: string
/** The kind of the entry. The guide "Statements" explains each. */
type: ("invoice" | "credit_note" | "payment" | "refund" | "reversal" | "wallet" | "receipt" | "write_off" | "billing_credit")
/** The id of the resource: of an invoice, a credit note, a payment, a receipt, a billing credit, or of the change of the wallet. */
id: string
/** The number of the credit note, else of the invoice. Null: neither. */
number: (string | null)
/** The entry in a few English words. */
description: string
amount: Decimal
balance: Decimal
}
/** The account of a customer in one currency over a stretch of time. */
export interface Statement {
/** The name of the type of this resource. */
object: "statement"
/** The id of the customer. */
customerId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The start, inclusive. */
from: string
/** The end, exclusive. */
to: string
openingBalance: Decimal
closingBalance: Decimal
/** The entries in the order of their times. */
entries: StatementEntry[]
}
/** A page of a list of `Invoice`. */
export interface InvoiceList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Invoice[]
pagination: Pagination
}
/** The credited charges and their periods; `taxRate` in percent. */
export interface CreditNoteLine {
/** The id of this resource. It never changes. */
id: string
/** The line of the invoice that is credited. Null: the credit note is from before this was stored, and no line of the invoice has its charge. */
appliesToLineId: (string | null)
/** The price of the charge. Null: it has none, such as a line by hand or a commitment. */
priceId: (string | null)
/** The text of the line. */
displayName: string
quantity: Decimal
unitPrice: Decimal
amount: Decimal
taxAmount: Decimal
taxRate: DecimalNumber
total: Decimal
/** The start of the time that is credited, inclusive. */
periodStart: string
/** The end of the time that is credited, exclusive. */
periodEnd: string
}
/** A document that credits an issued invoice, in full or in part. */
export interface CreditNote {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "credit_note"
/** `refund`: of a whole paid invoice. `cancellation`: of an unpaid one. `credit`: of a part, such as unused time. `partial`: of parts of lines, as you asked. `reissue`: of one that another invoice replaces. */
kind: ("refund" | "cancellation" | "credit" | "partial" | "reissue")
/** The number of the credit note, without gaps for the merchant. */
number: string
/** The invoice that is credited. */
invoiceId: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The customer of the invoice. */
customerId: string
amount: Decimal
taxAmount: Decimal
total: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** `ISSUED`: it is valid. `VOIDED`: it was voided, permanently. */
status: ("ISSUED" | "VOIDED")
/** The settlement of a `partial` that was sent. Null: none was. */
settlement: (("refund" | "wallet" | "reduce") | null)
/** The reason that was sent. Null: none was. */
reason: (string | null)
/** The reason that was sent with the void. Null: none was. */
voidReason: (string | null)
/** Your key of a `partial`; on a reissued invoice the id of the credit note that it repeats. Null: of the other kinds. */
idempotencyKey: (string | null)
/** The lines of a `credit` or a `partial`. Empty: the lines are those of the invoice. */
lines: CreditNoteLine[]
/** The address of the PDF. It needs a key. */
pdfUrl: string
/** The address of the e-invoice. It needs a key. */
documentXmlUrl: string
/** When the resource was created. */
createdAt: string
/** The time of the void. Null: it is not voided. */
voidedAt: (string | null)
}
/** A page of a list of `CreditNote`. */
export interface CreditNoteList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: CreditNote[]
pagination: Pagination
}
/** A part of a payment that goes back because of a credit note over a part of the invoice. */
export interface PartReturn {
/** The credit note that returns it. */
creditNoteId: string
amount: Decimal
/** `requested`: the provider is asked. `manual`: send it back yourself, and mark the payment as returned. `returned`: it went back. `stopped`: the credit note was voided in time, or a dispute took the money. */
status: ("requested" | "manual" | "returned" | "stopped")
/** The time at which it went back. Null: it did not. */
returnedAt: (string | null)
/** The reference of the return, of the provider or your own. Null: none. */
reference: (string | null)
}
/** A payment of an invoice, by card or recorded by hand. */
export interface InvoicePayment {
/** The name of the type of this resource. */
object: "payment"
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the invoice. */
invoiceId: string
amount: Decimal
appliedAmount: Decimal
walletAmount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** The means of payment: `card`, or `bank_transfer`, `cash` or `other` of a recorded payment. */
method: ("card" | "bank_transfer" | "cash" | "other")
/** `completed`: it counts. `reversed`: it came back, or was a mistake, and pays nothing. */
status: ("completed" | "reversed")
/** The time of the reversal. Null: it is not reversed. */
reversedAt: (string | null)
/** Why it was reversed. Null: it is not. */
reverseReason: (string | null)
/** The reference that was recorded. Null: none. */
reference: (string | null)
/** The time of the payment. */
receivedAt: string
/** Whether the money went back after a refund. `none`: no. `requested`: the provider is asked. `returned`: yes. `stopped`: the refund was voided in time, or a dispute took the money. `manual`: send it back yourself, and mark it as returned. */
returnStatus: ("none" | "requested" | "returned" | "stopped" | "manual")
/** The time at which the money went back. Null: it did not. */
returnedAt: (string | null)
/** The reference of the return, of the provider or your own. Null: none. */
returnReference: (string | null)
/** The refund that returns the money. Null: none does. */
refundId: (string | null)
/** The payment session. Null: it was paid without one. */
paymentSessionId: (string | null)
/** The stored card. Null: none was used. */
paymentMethodId: (string | null)
/** Your key of a recorded payment. Null: it was not recorded by hand. */
idempotencyKey: (string | null)
/** The receipt whose money it is. Null: the money came for the invoice. */
receiptId: (string | null)
dispute: ({
/** `inquiry`: a question of the bank. `open`: the money is held back. `won`: the money is yours. `lost`: the money is gone. */
status: ("inquiry" | "open" | "won" | "lost")
amount: Decimal
/** The reason in the word of the provider. */
reason: string
} | null)
/** The parts that go back because of credit notes over a part of the invoice. */
returns: PartReturn[]
/** The address of the receipt as PDF. It needs a key. */
receiptPdfUrl: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `InvoicePayment`. */
export interface InvoicePaymentList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: InvoicePayment[]
pagination: Pagination
}
/** An offer to pay an amount, or to store a card, on a hosted page. */
export interface PaymentSession {
/** The name of the type of this resource. */
object: "paymentSession"
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** `payment`: it asks for an amount. `setup`: it stores a card and charges nothing. */
mode: ("payment" | "setup")
/** What the session is for: an `invoice`, the first payment of a `subscription`, a payment link (`payment`), a wallet `topup`, or a card of a `customer`. */
entityType: ("invoice" | "subscription" | "payment" | "topup" | "customer")
/** The id of the record that the session is for. */
entityId: string
/** The name of that record for people, such as an invoice number. Null: it has none. */
entityLabel: (string | null)
/** The invoice that is paid. Null: it pays none. */
invoiceId: (string | null)
/** The customer. Null: of a payment link for anybody. */
customerId: (string | null)
/** The subscription. Null: it is of none. */
subscriptionId: (string | null)
amount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** `pending`: it can be used. `processing`: the provider has not answered yet. `completed`: it is done. `failed`: the last card was declined, and another may be tried. `expired`, `cancelled`: it is over. */
status: ("pending" | "processing" | "completed" | "failed" | "expired" | "cancelled")
/** Why the last card was declined. Null: none was. */
failureReason: (("card_declined" | "insufficient_funds" | "expired_card" | "incorrect_cvc" | "authentication_required" | "processing_error") | null)
/** The hosted page. Send the customer there; it needs no key. */
url: string
/** The address to which the page leads after success. Null: none. */
successRedirectUrl: (string | null)
/** The address to which the page leads without success. Null: none. */
failureRedirectUrl: (string | null)
metadata: Metadata
/** The card that was stored. Null: none was. */
paymentMethodId: (string | null)
/** The payment provider: `stripe`, or the test cards of the `sandbox`. */
provider: ("sandbox" | "stripe")
/** The time from which it can no longer be used. */
expiresAt: string
/** The time at which it was completed. Null: it was not. */
completedAt: (string | null)
/** When the session was opened. */
createdAt: string
/** When the session was last changed. */
updatedAt: string
}
/** A refund of a whole paid invoice. It is a credit note with a number of its own. */
export interface InvoiceRefund {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "invoice_refund"
/** The invoice that was refunded. */
invoiceId: string
/** The id of the merchant that owns this resource. */
merchantId: string
amount: Decimal
taxAmount: Decimal
total: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** `ISSUED`: it is valid. `VOIDED`: it was voided, permanently. */
status: ("ISSUED" | "VOIDED")
/** The id of the credit note at the tax provider. Without one, the number of the credit note. */
externalCreditNoteId: string
/** The page of the credit note at the tax provider. Null: it has none. */
permalink: (string | null)
/** The address of the PDF. Without a tax provider it needs a key. */
pdfUrl: (string | null)
/** The reason that was sent with the refund. Null: none was. */
reason: (string | null)
/** The reason that was sent with the void. Null: none was. */
voidReason: (string | null)
/** When the resource was created. */
createdAt: string
/** The time of the void. Null: it is not voided. */
voidedAt: (string | null)
}
/** A page of a list of `InvoiceRefund`. */
export interface InvoiceRefundList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: InvoiceRefund[]
pagination: Pagination
}
/** A line of an order: an item, a quantity and a price for a term. */
export interface OrderLineItem {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "order_line_item"
/** The id of the order. */
orderId: string
/** The item that is sold. Null: none. */
itemId: (string | null)
/** The text of the line. Null: none. */
description: (string | null)
quantity: Decimal
listUnitPrice: Decimal
discountUnitAmount: Decimal
unitPrice: Decimal
totalPrice: Decimal
/** The start of the term of the line, inclusive. Null: the one of the order. */
termStartDate: (string | null)
/** The end of the term of the line, exclusive. Null: the one of the order. */
termEndDate: (string | null)
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** The invoicing times of an order, or of a subscription in addition to its plan. */
export interface BillingSchedule {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "billing_schedule"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The order that is billed. Null: the schedule is of a subscription. */
orderId: (string | null)
/** The subscription that is billed. Null: the schedule is of an order. */
subscriptionId: (string | null)
/** `draft`: the order is not approved, or the subscription not active. `active`: it bills. `completed`: the last window is invoiced. `cancelled`: the order was cancelled, or the subscription has ended. */
status: ("draft" | "active" | "completed" | "cancelled")
/** The start of the first window, inclusive. */
startDate: string
/** The end of the last window, exclusive. */
endDate: string
/** The time from which windows are counted, with the alignment `anchor`. */
billingAnchor: string
/** Where windows begin: counted from `billingAnchor` (`anchor`), with the `calendar` month, or counted back from the end (`coterm`). */
alignmentPolicy: ("anchor" | "calendar" | "coterm")
/** The price of a partial period: its share by days (`daily`), or the whole price (`none`). */
prorationPolicy: ("none" | "daily")
/** How often an invoice is made: once (`single`), by a duration, or by `custom` windows. */
periodPreset: ("single" | "P1M" | "P3M" | "P6M" | "P1Y" | "custom")
/** The windows of the preset `custom`. Empty for other presets. */
customPeriodWindows: {
/** The start of the window, inclusive. */
start: string
/** The end of the window, exclusive. */
end: string
}[]
/** The days from the issue of an invoice to its due date. Null: those of the order or subscription. */
paymentTermDays: (number | null)
metadata: Metadata
/** The billed customer. */
customerId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The time from which nothing is owed. Null: it is not cancelled. */
cancelledAt: (string | null)
/** The test clock of the order or subscription. Null: none. */
testClockId: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A contract: a customer buys items over a term. Billing schedules invoice it once it is approved. */
export interface Order {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "order"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. */
customerId: string
/** Your own id of a reseller. No rule reads it. Null: none. */
resellerId: (string | null)
/** `true`: invoices of the order have no tax. */
taxExempt: boolean
/** Your own name of the selling company. No rule reads it. Null: none. */
sellingEntity: (string | null)
/** The currency: an ISO 4217 code. */
currency: string
/** `draft`: it can be edited and submitted. `pending`: approvals are requested. `approved`: it can be invoiced. `rejected`: a reviewer rejected it. */
approvalStatus: ("draft" | "pending" | "approved" | "rejected")
/** The time from which nothing is owed. Null: the order is not cancelled. */
cancelledAt: (string | null)
/** `new_business`, `renewal` or `expansion`. Null: none was named. */
type: (("new_business" | "renewal" | "expansion") | null)
/** The start of the term, inclusive. */
termStartDate: string
/** The end of the term, exclusive. */
termEndDate: string
/** The day on which the deal was closed. No rule reads it. Null: none. */
closeDate: (string | null)
totalAmount: Decimal
/** The days from the issue of an invoice to its due date, unless a schedule names other ones. */
defaultPaymentTermDays: number
metadata: Metadata
/** The lines of the order. */
lineItems: OrderLineItem[]
/** The billing schedules of the order. */
billingSchedules: BillingSchedule[]
/** The SHA-256 of the content that an approval is given for. */
dataSnapshotHash: string
/** The test clock of the order. Null: none. */
testClockId: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Order`. */
export interface OrderList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Order[]
pagination: Pagination
}
/** A page of a list of `OrderLineItem`. */
export interface OrderLineItemList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: OrderLineItem[]
pagination: Pagination
}
/** A page of a list of `BillingSchedule`. */
export interface BillingScheduleList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: BillingSchedule[]
pagination: Pagination
}
/** A charge of a billing schedule: a price and a quantity for a stretch of time. */
export interface ScheduleInterval {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "schedule_interval"
/** The billing schedule. */
scheduleId: string
/** The order line that is billed. Null: none. */
orderLineItemId: (string | null)
/** The item. Null: none. */
itemId: (string | null)
/** The price. Null: none. */
priceId: (string | null)
/** The text of the line on invoices. Null: the text of the order line. */
description: (string | null)
/** The price of one unit for one period of the cadence, in major units. Null: the total price of the order line is divided. */
unitPrice: (Decimal | null)
baseQuantity: Decimal
/** Later quantities, each from a time on. */
quantityTransitions: {
/** The start of the quantity. */
effectiveDate: string
quantity: Decimal
}[]
/** The time for which the price is, as an ISO 8601 duration, or `one_off`. */
billingCadence: string
/** `advance`: invoiced as a window begins. `arrears`: invoiced as it ends. */
billingMode: ("advance" | "arrears")
/** The time at which a `one_off` charge is invoiced. Null: at `startDate`, or in arrears at `endDate`. */
billDate: (string | null)
/** The start of the charge, inclusive. */
startDate: string
/** The end of the charge, exclusive. Null: the end of the schedule. */
endDate: (string | null)
/** Your own object. It has no effect. Null: none. */
usageFilter: (JsonObject | null)
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `ScheduleInterval`. */
export interface ScheduleIntervalList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ScheduleInterval[]
pagination: Pagination
}
/** An invoice that a billing schedule will make, or has made. */
export interface ScheduleInvoice {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "schedule_invoice"
/** The order. Null: the schedule is of a subscription. */
orderId: (string | null)
/** The subscription. Null: the schedule is of an order. */
subscriptionId: (string | null)
/** The billing schedule. */
billingScheduleId: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The start of the window, inclusive. */
periodStart: string
/** The end of the window, exclusive. */
periodEnd: string
/** The time at which it is invoiced. */
billDate: string
/** The time by which it is to be paid. */
dueDate: string
amount: Decimal
/** `staged`: it will be invoiced at `billDate`. `pushed`: it is invoiced. `cancelled`: it will not be invoiced. */
status: ("staged" | "pushed" | "cancelled")
/** The invoice. Null: there is none. */
invoiceId: (string | null)
/** The lines of the invoice. */
lineItems: {
/** The id of the order line, the price or the item that is billed. Null: none. */
lineKey: (string | null)
/** The text of the line. */
description: string
quantity: Decimal
unitPrice: Decimal
subtotal: Decimal
/** The start of the time that the line bills, inclusive. */
periodStart: string
/** The end of the time that the line bills, exclusive. */
periodEnd: string
}[]
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `ScheduleInvoice`. */
export interface ScheduleInvoiceList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ScheduleInvoice[]
pagination: Pagination
}
/** A request that a second person decides on an order or an invoice. */
export interface Approval {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "approval"
/** The id of the merchant that owns this resource. */
merchantId: string
/** `order` or `invoice`. */
resourceType: ("order" | "invoice")
/** The id of the order or invoice. */
resourceId: string
/** `data_review`, `financial_review`, or `push`, which also sends the resource to external systems. */
kind: ("data_review" | "financial_review" | "push")
/** `pending`: not decided. `approved`, `rejected`: another user decided. `cancelled`: it holds no more. */
decision: ("pending" | "approved" | "rejected" | "cancelled")
/** The id of the user who requested it. */
requester: string
/** The id of the user who approved or rejected it. Null: not decided. */
reviewer: (string | null)
/** The note of the decision. Before it, the note of the request. Null: none. */
note: (string | null)
/** The note of the request. Null: none. */
requestNote: (string | null)
/** The SHA-256 of the content to approve. */
dataSnapshotHash: string
/** The time of the decision. Null: it is pending. */
decidedAt: (string | null)
/** Of kind `push`: the time at which the webhook was written. Null: none was. */
pushedAt: (string | null)
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `Approval`. */
export interface ApprovalList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Approval[]
pagination: Pagination
}
/** The differences between the approved content and the content now. */
export interface ApprovalChanges {
/** The name of the type of this resource. */
object: "approvalChanges"
/** The approval. */
approvalId: string
/** `order` or `invoice`. */
resourceType: ("order" | "invoice")
/** The id of the order or invoice. */
resourceId: string
/** The SHA-256 of the content for which the approval was requested. */
approvedSnapshotHash: string
/** The SHA-256 of the content now. Null: the resource was deleted. */
dataSnapshotHash: (string | null)
/** `true`: the content has changed since. */
isStale: boolean
/** The differences, one for each field. */
changes: {
/** The field, such as `lineItems[oli_…].quantity`. */
path: string
before: JsonValue
after: JsonValue
/** The difference as a sentence. */
text: string
}[]
}
/** Prepaid or overpaid money of a customer. It pays the next invoices automatically. */
export interface Wallet {
/** The name of the type of this resource. */
object: "wallet"
/** The id of the customer. */
customerId: string
/** A balance for each currency that was ever used. */
balances: {
/** The currency: an ISO 4217 code. */
currency: string
balance: Decimal
}[]
}
/** A change of a wallet, with the whole transaction in the ledger. */
export interface WalletEntry {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "walletEntry"
/** The id of the customer. */
customerId: string
/** The currency: an ISO 4217 code. */
currency: string
amount: Decimal
balance: Decimal
/** The cause of the change. */
reason: ("invoice_issued" | "invoice_cancelled" | "invoice_written_off" | "payment" | "payment_reversed" | "receipt" | "receipt_applied" | "receipt_returned" | "wallet_top_up" | "credits_earned" | "wallet_applied" | "credit" | "refund" | "refund_voided" | "money_returned" | "dispute" | "returned_outside")
/** The invoice. Null: it is of none. */
invoiceId: (string | null)
/** The transaction by double entry. The amounts sum to 0. */
entries: {
/** The account. The guide "Wallets" explains each. */
account: ("receivable" | "owed_again" | "to_collect" | "wallet" | "unapplied" | "top_ups_due" | "deferred_credits" | "cash" | "revenue" | "tax" | "refunds_payable" | "write_off" | "disputes" | "returned_outside")
amount: Decimal
}[]
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `WalletEntry`. */
export interface WalletEntryList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: WalletEntry[]
pagination: Pagination
}
/** Something that happened to a customer. */
export interface TimelineEntry {
/** The name of the type of this resource. */
object: "timelineEntry"
/** The id of the entry. It stays the same. */
id: string
/** When it happened. On a test clock, the time of the clock. Of usage, the beginning of the day. */
at: string
/** The kind of the entry. */
kind: ("usage" | "invoice" | "creditNote" | "payment" | "wallet" | "subscription" | "entitlement" | "alert" | "order" | "change" | "mail" | "webhook")
/** What happened, as a word: `invoice.issued`. Of a change by a user or the customer, the operation: `updateCustomer`. The guide "Customers" lists the words. */
what: string
/** What happened, in a few English words. */
title: string
/** The kind of the resource that it happened to. Null: none. */
resourceType: (string | null)
/** The id of the resource that it happened to. Null: none. */
resourceId: (string | null)
/** The invoice. Null: it is about none. */
invoiceId: (string | null)
/** The amount: of an invoice its total, of the wallet the change of its balance, of a grant its units. Null: none. */
amount: (Decimal | null)
/** The currency of the amount. Null: the amount is in units, or there is none. */
currency: (string | null)
/** Of usage: the number of events. Null: it is no usage. */
count: (number | null)
/** A number or a name in the title: of an invoice its number, of usage the event type, of an email its kind. Null: none. */
label: (string | null)
/** Of a change: by a `user` of the merchant, or by the `customer` in the customer portal. Null: no change. */
actor: (("user" | "customer") | null)
/** The user who made the change. Null: no user did. */
userId: (string | null)
}
/** A page of the timeline of a customer, the latest entry first. */
export interface Timeline {
/** The name of the type of this resource. */
object: "list"
/** The entries of the page. */
data: TimelineEntry[]
/** Are there more entries behind this page? */
hasMore: boolean
/** The `before` of the next page. Null: this is the last page. */
nextCursor: (string | null)
}
/** An external system with revenue of customers. Each revenue becomes a usage event. */
export interface Source {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "source"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The name of the source. */
name: string
/** A text for people. Absent: none. */
description?: string
/** The plan that bills the revenue. */
planId: string
/** The external system: `stripe_revenue`, `revenuecat_revenue`, or `generic_revenue` for a system of your own. */
type: ("stripe_revenue" | "revenuecat_revenue" | "generic_revenue")
/** The project in the external system, and your own fields. Without the secret. */
config: {
/** The project in the outside system. */
projectId: string
[k: string]: unknown
}
/** `true`: a secret for webhooks is stored. It is never answered. */
hasWebhookSecret: boolean
/** `false`: webhooks are refused with 409 `SOURCE_DISABLED`. */
enabled: boolean
/** The metric for the revenue in `billableMetricMapping.revenue`, and fields of your own. */
metadata: {
/** The metrics for the figures of an event. */
billableMetricMapping: {
/** A `SUM` metric. It adds the amounts up. */
revenue: string
}
[k: string]: unknown
}
/** `automatic`: an event is processed as it arrives. `manual`: it waits for a decision or a rule. */
processingMode: ("automatic" | "manual")
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Source`. */
export interface SourceList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Source[]
pagination: Pagination
}
/** A revenue from an external system, and its outcome. */
export interface SourceEvent {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "sourceEvent"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The source. */
sourceId: string
/** `pending`: it waits for a decision. `processed`: a usage event was created. `failed`: none could be created. `rejected`: it is not billed. */
status: ("pending" | "processed" | "failed" | "rejected")
/** The id of the event in the external system. The same id is the same event. */
externalEventId: string
/** The customer id in the external system. Null: the event has none. */
customerExternalId: (string | null)
/** The customer. Absent: no customer has this name yet. */
customerId?: string
/** The subscription that bills the revenue. Absent: none was found. */
subscriptionId?: string
amount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** The time at which the revenue was earned. It decides the billing period. */
occurredAt: string
rawData: JsonObject
/** Why it failed. Null: it did not. */
errorMessage: (string | null)
/** The created usage event. Empty: none. */
usageEventIds: string[]
/** The time of the decision. Absent: it is pending. */
processedAt?: string
/** The id of the user or of the rule that decided, or `system`. Absent: it is pending. */
processedBy?: string
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** The answer to a webhook that is no revenue. */
export interface SourceEventReceipt {
/** The name of the type of this resource. */
object: "sourceEventReceipt"
/** The source. */
sourceId: string
/** Nothing was recorded. */
recorded: false
/** Why nothing was recorded. */
reason: string
}
/** A page of a list of `SourceEvent`. */
export interface SourceEventList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: SourceEvent[]
pagination: Pagination
}
/** The outcomes of an approval of several events. */
export interface SourceEventsApproved {
/** The number of events that were processed. */
processed: number
/** The number of events that could not be approved. */
failed: number
/** The ids behind the two numbers. */
details: {
/** The events that were processed. */
processed: string[]
/** The number of events that could not be approved. */
failed: {
/** The id of this resource. It never changes. */
id: string
/** Why the event was refused. */
error: string
}[]
}
}
/** The outcomes of a rejection of several events. */
export interface SourceEventsRejected {
/** The number of events that were rejected. */
rejected: number
/** The number of events that could not be rejected. */
failed: number
/** The ids behind the two numbers. */
details: {
/** The events that were rejected. */
rejected: string[]
/** The number of events that could not be rejected. */
failed: {
/** The id of this resource. It never changes. */
id: string
/** Why the event was refused. */
error: string
}[]
}
}
/** A rule that approves events of a source in mode `manual`. */
export interface SourceRule {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "sourceRule"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The source. */
sourceId: string
/** The name of the rule. */
name: string
/** A text for people. Empty: none. */
description: string
/** The conditions. The rule matches if all are true. */
conditions: {
/** The property that is compared: `amount`, `date`, `customerName` or `customerEmail`. */
type: ("date" | "customerName" | "customerEmail" | "amount")
/** The comparison. */
operator: ("equals" | "contains" | "between" | "greaterThan" | "lessThan" | "domain")
/** The value that is compared with. */
value: (string | DecimalNumber | {
/** The lower bound, inclusive. */
from: (string | DecimalNumber)
/** The upper bound, inclusive. */
to: (string | DecimalNumber)
})
}[]
/** The place of the rule. Rules are asked in ascending order, and the first match approves. */
order: number
/** `false`: the rule is not asked. */
enabled: boolean
/** The number of events for which the rule was asked. */
evaluationCount: number
/** The number of events that the rule approved. */
matchCount: number
/** The last time at which the rule was asked. Null: never. */
lastEvaluatedAt: (string | null)
/** The author of the rule. Null: not known. */
createdBy: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `SourceRule`. */
export interface SourceRuleList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: SourceRule[]
pagination: Pagination
}
/** An account of the merchant in an outside system. Its secrets are never answered. */
export interface MerchantIntegration {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "merchantIntegration"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The external system: a word of lowercase letters, digits and underscores. */
provider: string
/** Your account in the external system. Null: not known. */
externalId: (string | null)
/** `active`: connected. `error`: the connection does not work. `disconnected`: it was ended. Default: `active`. */
status: ("active" | "disconnected" | "error")
/** Why the connection does not work, in the words of the provider. Null: nothing is wrong. */
statusReason: (string | null)
config: JsonObject
/** The paths in `config` of the secrets that are stored. The secrets are never answered. */
secrets: string[]
metadata: Metadata
/** When the integration was last connected. */
connectedAt: string
/** When the integration was disconnected. Null: it is connected. */
disconnectedAt: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `MerchantIntegration`. */
export interface MerchantIntegrationList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: MerchantIntegration[]
pagination: Pagination
}
/** The fields of every `Alert`. */
export interface AlertBase {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "alert"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The name of the alert. The email shows it. Null: none. */
name: (string | null)
/** The customer of the balance, the invoice or the usage. */
customerId: string
/** The figure at which the alert triggers, a decimal string. Null: it has a `percent`. */
threshold: (Decimal | null)
/** The percentage at which the alert triggers. Of a balance: of all units of the usage period; of billing credits: of what was granted. Otherwise: of `limit`. Null: it has a `threshold`. */
percent: (DecimalNumber | null)
/** The whole of `percent`, a decimal string. Null: there is none. */
limit: (Decimal | null)
/** `true`: the alert is a budget. While it is reached, the customer has no access to the features that it covers. Not for the types `balance` and `billing_credits`. Default: `false`. */
blocksAccess: boolean
/** `true`: the customer gets an email too. Default: `false`. */
notifyCustomer: boolean
/** The figure now: the balance, the invoice total with tax, or the usage. Null: there is none now. */
currentValue: (Decimal | null)
/** Has the figure reached the threshold? */
isReached: boolean
/** The beginning of the current period. Null: there is none. */
periodStart: (string | null)
/** The end of the current period. Null: it has no end. */
periodEnd: (string | null)
/** When the alert last triggered. Null: never. */
lastTriggeredAt: (string | null)
/** The test clock of the entitlement or subscription. Null: none. */
testClockId: (string | null)
metadata: Metadata
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `Alert`. */
export interface AlertList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Alert[]
pagination: Pagination
}
/** One time that an alert triggered. */
export interface AlertTrigger {
/** The name of the type of this resource. */
object: "alertTrigger"
/** The id of the alert. */
alertId: string
/** The beginning of the period in which it triggered. */
periodStart: string
/** The end of the current period. Null: it has no end. */
periodEnd: (string | null)
/** The figure at which the alert triggers, a decimal string. Null: it has a `percent`. */
threshold: (Decimal | null)
/** The percentage at which the alert triggers. Of a balance: of all units of the usage period; of billing credits: of what was granted. Otherwise: of `limit`. Null: it has a `threshold`. */
percent: (DecimalNumber | null)
/** The whole of `percent`, a decimal string. Null: there is none. */
limit: (Decimal | null)
value: Decimal
/** The webhook event of this trigger. */
webhookEventId: string
/** When the alert triggered. */
triggeredAt: string
}
/** A page of a list of `AlertTrigger`. */
export interface AlertTriggerList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: AlertTrigger[]
pagination: Pagination
}
/** A payment session in a list. */
export interface ListedPaymentSession {
/** The name of the type of this resource. */
object: "payment_session"
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** `payment`: it asks for an amount. `setup`: it stores a card and charges nothing. */
mode: ("payment" | "setup")
/** What the session is for: an `invoice`, the first payment of a `subscription`, a payment link (`payment`), a wallet `topup`, or a card of a `customer`. */
entityType: ("invoice" | "subscription" | "payment" | "topup" | "customer")
/** The id of the record that the session is for. */
entityId: string
/** The name of that record for people, such as an invoice number. Null: it has none. */
entityLabel: (string | null)
/** The customer. Null: of a payment link for anybody. */
customerId: (string | null)
/** The subscription. Null: it is of none. */
subscriptionId: (string | null)
amount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** `pending`: it can be used. `processing`: the provider has not answered yet. `completed`: it is done. `failed`: the last card was declined, and another may be tried. `expired`, `cancelled`: it is over. */
status: ("pending" | "processing" | "completed" | "failed" | "expired" | "cancelled")
/** The account of the merchant at the provider. Null: not known here. */
merchantPaymentAccountId: (string | null)
/** The reference of the last attempt at the provider. Null: no attempt was made. */
providerPaymentRef: (string | null)
/** The time from which it can no longer be used. */
expiresAt: string
/** The time at which it was completed. Null: it was not. */
completedAt: (string | null)
/** When the session was opened. */
createdAt: string
/** When the session was last changed. */
updatedAt: string
}
/** A page of a list of `ListedPaymentSession`. */
export interface ListedPaymentSessionList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: ListedPaymentSession[]
pagination: Pagination
}
/** A stored card of a customer. Its number is never stored here. */
export interface PaymentMethod {
/** The name of the type of this resource. */
object: "paymentMethod"
/** The id of this resource. It never changes. */
id: string
/** The id of the customer. */
customerId: string
/** The kind of the payment method. There is one. */
type: "card"
/** The brand of the card, such as `visa`. */
brand: string
/** The last four digits of the card number. */
last4: string
/** The last month in which the card is valid, 1 to 12. */
expMonth: number
/** The year of that month, with four digits. */
expYear: number
/** Automatic charges use the default card. A customer with cards has exactly one. */
isDefault: boolean
/** When the card was stored. */
createdAt: string
}
/** A page of a list of `PaymentMethod`. */
export interface PaymentMethodList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: PaymentMethod[]
pagination: Pagination
}
/** A payment link: an amount to pay on a hosted page, without an invoice. */
export interface Payment {
/** The name of the type of this resource. */
object: "payment"
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The payer. Absent: anybody. */
customerId?: string
amount: Decimal
/** The currency: an ISO 4217 code. */
currency: string
/** `pending`: it can be paid, also after a declined card. `processing`: a payment is under way. `completed`: it is paid. `expired`, `cancelled`: it can no longer be paid. */
status: ("pending" | "processing" | "completed" | "expired" | "cancelled")
/** The payment page. Send the customer there. */
paymentUrl: string
/** The payment session of the page. `POST /v0/paymentSessions/{id}/expire` ends it early. */
paymentSessionId: string
/** Your own reference. Absent: none. */
reference?: string
/** Your key of this payment link. Absent: none. */
idempotencyKey?: string
/** The items that the payment page shows. */
lineItems: {
/** The text of the item. */
description: string
amount: Decimal
quantity: DecimalNumber
}[]
metadata: Metadata
/** The time from which it can no longer be paid. */
expiresAt: string
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `Payment`. */
export interface PaymentList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Payment[]
pagination: Pagination
}
/** The receipt for a webhook of a payment provider. */
export interface ProviderNotice {
/** The name of the type of this resource. */
object: "providerNotice"
/** The notice is stored. */
received: true
}
/** A decided dispute about a payment. */
export interface PaymentDispute {
/** The name of the type of this resource. */
object: "payment_dispute"
/** The id of the dispute. */
id: string
/** The payment. */
paymentId: string
amount: Decimal
/** The currency as an ISO 4217 code. */
currency: string
/** The reason of the cardholder, as the provider says it. */
reason: string
/** `won`: the money is back. `lost`: it is gone. */
status: ("won" | "lost")
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A payment at an external provider that needs a person. */
export interface PaymentException {
/** The name of the type of this resource. */
object: "payment_exception"
/** The id of the charge, the payment or the notice of the provider. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** `charge`, `refund`, `strayPayment` (money that pays nothing and goes back), or `notice` (a webhook of the provider). */
kind: ("charge" | "refund" | "strayPayment" | "notice")
/** `unresolved`: the outcome is unknown after 24 hours. `manual`: send the money back yourself. `failed`: the notice could not be read for a day. `returned`: it is settled. */
status: ("unresolved" | "manual" | "failed" | "returned")
/** The invoice. Null: it is of none. */
invoiceId: (string | null)
/** The amount, in major units. Null: of a notice. */
amount: (Decimal | null)
/** The currency as an ISO 4217 code. Null: of a notice. */
currency: (string | null)
/** The payment provider. */
provider: ("sandbox" | "stripe")
/** The reference with which the provider finds the payment. Null: none is known. */
providerReference: (string | null)
/** Why stray money pays nothing (`too_late`, `differs`), or why the notice failed. Null: neither. */
reason: (string | null)
/** The time of the next automatic attempt. Null: there is none. */
nextActionAt: (string | null)
/** The time at which the money went back. Null: it did not. */
returnedAt: (string | null)
/** The reference of the return. Null: none. */
returnReference: (string | null)
/** When it was found. */
createdAt: string
}
/** A page of a list of `PaymentException`. */
export interface PaymentExceptionList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: PaymentException[]
pagination: Pagination
}
/** A link to the customer portal. */
export interface SubscriptionPortal {
/** The name of the type of this resource. */
object: "subscriptionPortal"
/** The link. It opens the portal once. Anybody with the link acts as the customer. */
url: string
/** Until then the link opens the portal. The visit lasts an hour from its last request. */
expiresAt: string
}
/** A link to the customer portal. */
export interface CustomerPortal {
/** The name of the type of this resource. */
object: "customerPortal"
/** The link. It opens the portal once. Anybody with the link acts as the customer. */
url: string
/** Until then the link opens the portal. The visit lasts an hour from its last request. */
expiresAt: string
}
/** The known details of one person. The form is filled in with them, and the link works once. */
export interface CheckoutBuyer {
/** The name of the person or company. */
name?: string
/** The email address for invoices. */
email?: string
address?: Address
/** The tax number. */
taxId?: string
/** Your own name for the customer. Usage events name it as `externalSubject`. */
externalId?: string
/** The language of the page and of the emails. */
locale?: ("en" | "de" | "fr" | "es")
}
/** A page on which people subscribe to a plan. */
export interface CheckoutLink {
/** The name of the type of this resource. */
object: "checkoutLink"
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the plan. */
planId: string
/** The currency of subscriptions by the link, an ISO 4217 code. */
currency: string
/** The sign-up page. It needs no key. */
url: string
/** `open`: people can subscribe. `used`: `maxUses` is reached. `expired`: it has ended. */
status: ("open" | "used" | "expired")
/** How many people may subscribe by it. Null: any number. */
maxUses: (number | null)
/** The number of subscriptions made with it. */
uses: number
customer?: CheckoutBuyer
/** The customer that the link is for. Absent: it creates new customers. */
customerId?: string
/** Coupons that everybody gets, as they were sent: ids or codes. */
coupons: string[]
/** The page has a field for the code of a coupon. */
allowPromotionCodes: boolean
/** Addresses to which the sign-up page leads. */
redirectUrls: {
/** The address after the subscription is created. Null: the page shows the result. */
onSuccess: (string | null)
/** The address behind "cancel and return". Null: the page has no such button. */
onFailure: (string | null)
}
metadata: Metadata
/** The end of the link. */
expiresAt: string
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `CheckoutLink`. */
export interface CheckoutLinkList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: CheckoutLink[]
pagination: Pagination
}
/** An email to a customer, or to the merchant about an alert. */
export interface Mail {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "mail"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The occasion of the email. */
kind: ("invoiceIssued" | "invoicePaid" | "paymentReceived" | "paymentReversed" | "paymentFailed" | "invoiceRefunded" | "refundVoided" | "invoiceCredited" | "invoiceCancelled" | "renewalReminder" | "trialEnding" | "alertTriggered" | "alertReached" | "portalLink")
/** `pending`: it will be sent, or sent again at `nextAttemptAt`. `sent`: the mail server took it. `failed`: it was refused for good, or the last attempt failed. `withdrawn`: it was no longer true before it left. `held`: it is not sent, like all mail of the sandbox. */
status: ("held" | "pending" | "sent" | "failed" | "withdrawn")
/** The id of the customer. */
customerId: string
/** The invoice that the email is about. Null: it is about none. */
invoiceId: (string | null)
/** The subscription that the email is about. Null: it is about none. */
subscriptionId: (string | null)
/** The alert that the email is about. Null: it is about none. */
alertId: (string | null)
/** The email addresses of the recipients. */
to: string[]
/** The subject. */
subject: string
/** The text without markup. */
text: string
/** The same mail as HTML, with the look of the pages. One email has the logo of the merchant in it, a list has not. */
html: string
/** The names of the attached PDF files. */
attachments: string[]
/** The number of attempts to send it. */
attempts: number
/** Why the last attempt failed, or the recipients that the server refused. Null: neither. */
lastError: (string | null)
/** The time of the next attempt. Null: there is none. */
nextAttemptAt: (string | null)
/** When the resource was created. */
createdAt: string
/** The time at which the mail server took it. Null: it was not sent. */
sentAt: (string | null)
}
/** A page of a list of `Mail`. */
export interface MailList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: Mail[]
pagination: Pagination
}
/** An address that receives webhooks. */
export interface WebhookEndpoint {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "webhookEndpoint"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The address that receives webhooks: https, port 443 or 8443, public. In the sandbox also this machine, by http and any port. */
url: string
/** The types of events that are sent. `*`, the default, is all of them, and new ones too. */
eventTypes: string[]
/** A description of the endpoint. Null: none. */
description: (string | null)
/** `enabled`: webhooks are sent. `disabled`: none are. Default: `enabled`. */
status: ("enabled" | "disabled")
/** `request`: a call disabled it. `gone`: it answered 410. `failing`: every attempt of five days failed. Null: it is enabled. */
disabledReason: (("request" | "gone" | "failing") | null)
/** Since when every attempt has failed. Null: the last attempt succeeded. */
failingSince: (string | null)
/** The secret of the signatures. Only the answers to the creation and to a rotation have it. */
secret?: string
/** Until when the secret before signs too. Null: there is none. */
previousSecretUntil: (string | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
}
/** A page of a list of `WebhookEndpoint`. */
export interface WebhookEndpointList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: WebhookEndpoint[]
pagination: Pagination
}
/** The result of a test of a webhook endpoint. */
export interface WebhookTest {
/** The name of the type of this resource. */
object: "webhookTest"
/** The id of the webhook endpoint. */
endpointId: string
/** The id of the webhook event. */
eventId: string
/** Was the answer a 2xx? */
delivered: boolean
/** The status of the answer. Null: there was no answer. */
statusCode: (number | null)
/** The first 2 KiB of the answer. Null: there was none. */
reply: (string | null)
/** The reason why there was no answer. Null: there was one. */
error: (string | null)
}
/** The fields of every `WebhookEvent`. */
export interface WebhookEventBase {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "webhookEvent"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the resource of the event. Its `sequence` counts the event. */
resourceId: string
/** The endpoints to which the event is sent. */
deliveries: {
/** The id of the webhook endpoint. */
endpointId: string
/** `pending`: attempts go on. `delivered`: the endpoint has it. `exhausted`: all attempts failed. */
status: ("pending" | "delivered" | "exhausted")
/** The number of attempts. */
attempts: number
/** The time of the next attempt. Null: none. */
nextAttemptAt: (string | null)
}[]
/** When the resource was created. */
createdAt: string
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface InvoiceEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the invoice. */
invoiceId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The id of the subscription. Absent or null: there is none. */
subscriptionId?: (string | null)
/** The id of the grant. Of an invoice: the grant that its payment made. */
grantId?: string
/** The id of the billing credit. Of an invoice: the credit that its payment made. */
billingCreditId?: string
/** Of a refund: its id. */
refundId?: string
/** Of a credit note over a part: its id. */
creditNoteId?: string
/** Of a reversed payment: its id. */
paymentId?: string
/** Of an invoice whose lines stand on a grouped one: the id of that. */
groupedIntoId?: string
/** The id of the approval. */
approvalId?: string
/** The default references of the resource and its customer in outside systems. */
externalReferences?: {
/** The kind of the resource. */
entityType: string
/** The id of the resource. */
entityId: string
/** The outside system. */
provider: string
/** The id of the record there. */
externalId: string
}[]
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface SubscriptionEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the subscription. Absent or null: there is none. */
subscriptionId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface BillingCreditEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the billing credit. Of an invoice: the credit that its payment made. */
billingCreditId?: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The currency of an invoice total or of billing credits. Null: the figure is no amount of money. */
currency?: string
available?: Decimal
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface CreditTopUpEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The currency of an invoice total or of billing credits. Null: the figure is no amount of money. */
currency: string
/** Of a top-up: the declined charges in a row. */
declines: number
available: Decimal
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface GrantEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the grant. Of an invoice: the grant that its payment made. */
grantId: string
/** The id of the entitlement. Null: the alert watches something else. */
entitlementId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The id of the subscription. Absent or null: there is none. */
subscriptionId?: (string | null)
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface EntitlementEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the entitlement. Null: the alert watches something else. */
entitlementId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The id of the subscription. Absent or null: there is none. */
subscriptionId?: (string | null)
/** What is watched: `balance`, `invoice_total`, `usage` or `billing_credits`. */
type?: ("balance" | "invoice_total" | "usage" | "billing_credits")
/** The name of the alert; of a low or spent balance the name of the feature. Null: none. */
name?: (string | null)
value?: Decimal
/** The figure that was reached. Null: it is a percentage. */
threshold?: (Decimal | null)
/** The percentage that was reached; of a balance the used part of all units of the period. Null: it is a threshold. */
percent?: (DecimalNumber | null)
/** The currency of an invoice total or of billing credits. Null: the figure is no amount of money. */
currency?: (string | null)
/** The beginning of the period of the figure. */
periodStart?: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface PaymentSessionEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the payment session. */
paymentSessionId: string
/** The kind of the resource that is paid. */
entityType: string
/** The id of the resource that is paid. */
entityId: string
/** The id of the invoice. */
invoiceId?: string
/** The id of the customer. Absent or null: it is not known. */
customerId?: string
/** The id of the subscription. Absent or null: there is none. */
subscriptionId?: (string | null)
/** The id of the stored payment method. Absent: none. */
paymentMethodId?: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface OrderEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the order. */
orderId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The id of the approval. */
approvalId?: string
/** The default references of the resource and its customer in outside systems. */
externalReferences?: {
/** The kind of the resource. */
entityType: string
/** The id of the resource. */
entityId: string
/** The outside system. */
provider: string
/** The id of the record there. */
externalId: string
}[]
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface ApprovalEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the approval. */
approvalId: string
/** The kind of the resource of the approval. */
resourceType: ("order" | "invoice")
/** The id of the resource of the approval. */
resourceId: string
/** The kind of the approval. */
kind: string
/** The decision. */
decision: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface SourceEventEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the source event. */
sourceEventId: string
/** The id of the source. */
sourceId: string
/** The id of the customer. Absent or null: it is not known. */
customerId?: (string | null)
/** The id of the subscription. Absent or null: there is none. */
subscriptionId?: (string | null)
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface UsageEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the metric. Null: the alert watches something else. */
billableMetricId?: string
/** The reason. */
reason?: string
/** The day, in UTC. */
day: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface CustomerEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The id of the consumer. */
consumerId: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface AlertEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the alert. */
alertId: string
/** The id of the customer. Absent or null: it is not known. */
customerId: string
/** The id of the entitlement. Null: the alert watches something else. */
entitlementId: (string | null)
/** The id of the subscription. Absent or null: there is none. */
subscriptionId?: (string | null)
/** The id of the metric. Null: the alert watches something else. */
billableMetricId: (string | null)
/** What is watched: `balance`, `invoice_total`, `usage` or `billing_credits`. */
type: ("balance" | "invoice_total" | "usage" | "billing_credits")
/** The name of the alert; of a low or spent balance the name of the feature. Null: none. */
name: (string | null)
value: Decimal
/** The figure that was reached. Null: it is a percentage. */
threshold: (Decimal | null)
/** The percentage that was reached; of a balance the used part of all units of the period. Null: it is a threshold. */
percent: (DecimalNumber | null)
/** The currency of an invoice total or of billing credits. Null: the figure is no amount of money. */
currency: (string | null)
/** The beginning of the period of the figure. */
periodStart: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** The ids that the event is about. Only alerts and notices of balances have figures. */
export interface WebhookEndpointEventData {
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the webhook endpoint. */
webhookEndpointId: string
/** The reason. */
reason?: string
/** The number of the event among those of its resource; the first is 1. */
sequence?: number
}
/** A page of a list of `WebhookEvent`. */
export interface WebhookEventList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: WebhookEvent[]
pagination: Pagination
}
/** One attempt to deliver an event to an endpoint. */
export interface WebhookAttempt {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "webhookAttempt"
/** The id of the webhook event. */
eventId: string
/** The id of the webhook endpoint. */
endpointId: string
/** The number of the attempt; the first is 1. */
number: number
/** `delivered`: the answer was a 2xx. `failed`: it was not. */
status: ("delivered" | "failed")
/** The status of the answer. Null: there was no answer. */
statusCode: (number | null)
/** The reason why there was no answer. Null: there was one. */
error: (string | null)
/** The first 2 KiB of the answer. Null: there was none. */
reply: (string | null)
/** The duration of the attempt, in milliseconds. Null: not known. */
durationMilliseconds: (number | null)
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `WebhookAttempt`. */
export interface WebhookAttemptList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: WebhookAttempt[]
pagination: Pagination
}
/** How many deliveries a request has started again. */
export interface WebhookRedeliveryCount {
/** The name of the type of this resource. */
object: "webhookRedelivery"
/** The id of the merchant that owns this resource. */
merchantId: string
/** How many deliveries were started. */
deliveries: number
}
/** The fields of every `WebhookReceipt`. */
export interface WebhookReceiptBase {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "webhookReceipt"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The id of the webhook endpoint. */
endpointId: string
/** The id of the webhook event. */
eventId: string
/** When the event happened; on a test clock its time. */
timestamp: string
/** The headers of the webhook. */
headers: {
[k: string]: string
}
/** When the resource was created. */
createdAt: string
}
/** A page of a list of `WebhookReceipt`. */
export interface WebhookReceiptList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: WebhookReceipt[]
pagination: Pagination
}
/** A clock with simulated time, in the sandbox. */
export interface TestClock {
/** The id of this resource. It never changes. */
id: string
/** The name of the type of this resource. */
object: "testClock"
/** The id of the merchant that owns this resource. */
merchantId: string
/** A name for the clock. Null: none. */
name: (string | null)
/** A description of the clock. Null: none. */
description: (string | null)
/** The simulated time. Default of a creation: the time of the request. */
currentTime: string
/** The target of the advance. Null: the clock is not advancing. */
advancingTo: (string | null)
/** The progress of the advance. Null: the clock is not advancing. */
progress: ({
/** The time at which the advance began. */
from: string
/** How many steps the advance has taken. */
steps: number
} | null)
/** When the resource was created. */
createdAt: string
/** When the resource was last changed. */
updatedAt: string
/** When the clock was deleted. Null: it exists. */
deletedAt: (string | null)
}
/** A page of a list of `TestClock`. */
export interface TestClockList {
/** The name of the type: a list. */
object: "list"
/** The resources of this page. */
data: TestClock[]
pagination: Pagination
}
/** A resource that a search has found. */
export interface SearchResult {
/** The name of the type of this resource. */
object: "searchResult"
/** The kind of the resource. `refund` is a credit note. */
type: ("organization" | "user" | "apiKey" | "product" | "feature" | "customer" | "subscription" | "plan" | "planVersion" | "billableMetric" | "item" | "cost" | "fee" | "price" | "testClock" | "entitlement" | "grant" | "source" | "sourceEvent" | "sourceRule" | "invoice" | "refund" | "adjustment" | "paymentSession" | "event" | "order" | "orderLineItem" | "billingSchedule" | "scheduleInterval" | "scheduleInvoice" | "approval" | "externalReference" | "merchantIntegration" | "paymentMethod" | "payment" | "receipt" | "webhookEndpoint" | "webhookEvent" | "webhookAttempt" | "webhookReceipt" | "reservation" | "lineItem" | "priceFeature" | "auditEntry" | "ledgerTransaction" | "subscriptionChange" | "planMigration" | "credit" | "mail" | "alert" | "checkoutLink" | "checkout" | "coupon" | "redemption" | "billingCredit" | "commitment")
/** The id of this resource. It never changes. */
id: string
/** The id of the merchant that owns this resource. */
merchantId: string
/** The name or the number of the resource; its id, if it has neither. */
title: string
/** What tells it from others: an e-mail address, a status, a key. Null: nothing. */
detail: (string | null)
/** The id of its customer; of a customer its own. Null: it belongs to none. */
customerId: (string | null)
/** The id of its invoice; of an invoice its own. Null: it belongs to none. */
invoiceId: (string | null)
}
/** The results of a search, the best first. */
export interface SearchResults {
/** The name of the type of this resource. */
object: "searchResults"
/** The text that was searched for, without the spaces around it. */
query: string
/** The results: the resource with this id, then whole numbers, beginnings of names, beginnings of other texts, and parts. */
data: SearchResult[]
/** Are there more results than `limit`? */
hasMore: boolean
}
/** The names of resources. */
export interface Names {
/** The name of the type of this resource. */
object: "names"
/** The name by each id; of an invoice its number, of a user the name or the e-mail address. Null: it has none, or the merchant has no such resource. */
names: {
[k: string]: string | null
}
}
/** Invoices in one currency. */
export interface OverviewSum {
/** The currency: an ISO 4217 code. */
currency: string
/** The number of the invoices. */
count: number
amount: Decimal
}
/** What a merchant has, and what needs a person. */
export interface Overview {
/** The name of the type of this resource. */
object: "overview"
/** The id of the merchant that owns this resource. */
merchantId: string
/** The time of the figures. */
at: string
/** Invoices for which money is still asked, by currency: `GET /v2/invoices?unpaid=true`. */
unpaid: OverviewSum[]
/** Those of them that are overdue: `GET /v2/invoices?overdue=true`. */
overdue: OverviewSum[]
/** Those of them whose last charge was declined: `GET /v2/invoices?status=PAYMENT_FAILED`. */
failedPayments: OverviewSum[]
/** Invoices that need a person. */
invoices: {
/** Invoices whose calculation failed: `GET /v2/invoices?status=FAILED`. */
failed: number
/** Invoices that wait for approval: `GET /v2/invoices?status=DRAFT`. */
draft: number
}
/** Background jobs that gave up after their last attempt, by kind. No list has them; the log of the program and its metrics do. */
parkedJobs: {
/** The kind of the background job. */
kind: string
/** The number of the jobs. */
count: number
}[]
/** Endpoints that take no webhooks at present. */
webhookEndpoints: {
/** Endpoints with a `failingSince`: `GET /v0/webhookEndpoints?status=enabled`. */
failing: number
/** Endpoints that were disabled because they failed or answered 410: `GET /v0/webhookEndpoints?status=disabled`. */
disabled: number
}
/** Emails that did not leave. */
mails: {
/** Emails that no server has taken: `GET /v0/mails?status=held`. In the sandbox all of them. */
held: number
/** Emails that could not be sent: `GET /v0/mails?status=failed`. */
failed: number
}
/** Subscriptions by status. */
subscriptions: {
/** Active subscriptions: `GET /v0/subscriptions?status=active`. */
active: number
/** Subscriptions that wait for their first payment: `GET /v0/subscriptions?status=pending_payment`. */
pendingPayment: number
/** Active subscriptions that will end: `GET /v0/subscriptions?ending=true`. */
ending: number
}
/** The net revenue by month and currency, as `GET /v0/revenue` reports it. Empty: there is none. */
revenue: {
/** The currency: an ISO 4217 code. */
currency: string
/** The last twelve months, the present one last. */
months: {
/** The start of the month, in UTC. */
month: string
netRevenue: Decimal
}[]
}[]
/** The usage events of the last 30 days, today last: `GET /v0/events` with `from` and `to`. */
events: {
/** The day, in UTC. */
day: string
/** The number of events with a `timestamp` of this day. */
count: number
}[]
/** The steps of a first trial, from the records of the merchant. */
checklist: {
/** `eventReceived`: a usage event was accepted. `eventPriced`: an invoice has usage of more than 0. `clockAdvanced`: a test clock was advanced (sandbox only). `invoicePaid`: an invoice was paid. `webhookDelivered`: an endpoint has taken a webhook. */
step: ("eventReceived" | "eventPriced" | "clockAdvanced" | "invoicePaid" | "webhookDelivered")
/** Was it done? */
done: boolean
/** When it was first done; on a test clock its time. Null: not yet. */
at: (string | null)
}[]
}
/** A postal address. */
export interface AddressBody {
/** Street and number. */
line1?: (string | null)
/** The second line of the address, such as a floor. */
line2?: (string | null)
/** The city. */
city?: (string | null)
/** The state, province or region. */
state?: (string | null)
/** The postal code. Taxes in the United States and Canada need it. */
zipCode?: (string | null)
/** The country: an ISO 3166 code or the English name. `DEU` and `Germany` are stored as `DE`. */
country?: (string | null)
}
/** The settings of a merchant that a request changes. */
export interface SettingsInput {
/** The tax rate in percent if nothing else sets one: 20 is 20 %. Default: null, which counts as 0. */
defaultTaxRate?: (DecimalNumber | null)
/** `internal`: your own rates. `stripe_tax`: Stripe calculates tax. Default: `internal`. */
taxProvider?: (("internal" | "stripe_tax") | null)
/** The beginning of invoice numbers, before a hyphen and the counter. Default: `INV`. */
invoicePrefix?: (string | null)
/** The approvals for which an invoice or an order waits. Default: none. */
requiredApprovals?: ({
/**
 * The kinds of approval for which an invoice waits.
 * 
 * @maxItems 3
 */
invoice?: (("data_review" | "financial_review" | "push")[] | null)
/**
 * The kinds of approval for which an order waits.
 * 
 * @maxItems 3
 */
order?: (("data_review" | "financial_review" | "push")[] | null)
} | null)
/** The retries after a declined charge. */
dunning?: ({
/**
 * The days from each attempt to the next one, at most 10. Default: 2, 5, 7, 7.
 * 
 * @maxItems 10
 */
retryAfterDays?: (number[] | null)
/** The action after the last retry: `keep` the invoice open, `write_off` the invoice, or `terminate` the subscription. Default: `keep`. */
finally?: (("keep" | "write_off" | "terminate") | null)
} | null)
/** The provider of payments. Default: `none` in production, `sandbox` in the sandbox. */
paymentProvider?: (("none" | "stripe" | "sandbox") | null)
/** How many days after the end of a subscription late usage is still billed. Default: 35. */
lateUsageDays?: (number | null)
/** The rate limits of the organization; only operators set them. Default: null, no limits. */
rateLimits?: ({
/** The limit of all requests but usage events. */
general?: ({
/** How many requests a second are allowed. */
perSecond: number
/** How many requests may come at once. */
burst: number
} | null)
/** The limit of requests with usage events. */
events?: ({
/** How many requests a second are allowed. */
perSecond: number
/** How many requests may come at once. */
burst: number
} | null)
} | null)
/** The hosts to which checkout may send people back. Default: none, which allows every host. */
redirectHosts?: (string[] | null)
/** Settings of the emails to customers. */
mail?: ({
/** `true`: emails have the PDF attached. Default: `true`. */
attachDocuments?: (boolean | null)
/** `true`: invoices with a total of 0 are mailed too. Default: `false`. */
zeroInvoices?: (boolean | null)
/** `true`: emails lead to the customer portal. Default: `true`. */
portalLinks?: (boolean | null)
} | null)
/** The look of pages and documents. */
branding?: ({
/** The colour of the merchant, such as `#1a2b3c`. Null: the usual one. */
color?: (string | null)
/** The text at the foot of documents. Null: none. */
footer?: (string | null)
} | null)
/** The account to which customers send money. It needs an `iban` or an `account`. Default: null, none. */
bankTransfer?: ({
/** The name of the account holder. */
holder?: (string | null)
/** The IBAN, with or without spaces. */
iban?: (string | null)
/** The number of an account without an IBAN. */
account?: (string | null)
/** The BIC of the bank. */
bic?: (string | null)
/** The name of the bank. */
bank?: (string | null)
/** A note for the payer. */
note?: (string | null)
} | null)
/** The changes that customers can make in the customer portal. Default: none. */
portal?: ({
/** The plans that customers can choose. Null: they cannot change their plan. */
planChange?: ({
/**
 * The ids of these plans.
 * 
 * @minItems 1
 * @maxItems 50
 */
plans: string[]
/** When a change takes effect: `now` or at `periodEnd`. Default: `now`. */
effective?: (("now" | "periodEnd") | null)
} | null)
/** `true`: customers can change quantities. Default: `false`. */
quantities?: (boolean | null)
/** How customers can end a subscription: `none`, at `period_end`, or `now`. Default: `none`. */
cancellation?: (("none" | "period_end" | "now") | null)
} | null)
taxRegistrations?: ({
/** The country of the registration. */
country: string
/** The tax id of the registration. */
taxId: string
scheme?: (("standard" | "oss") | null)
/** The first day of the registration. */
from: string
/** The first day after the registration. Absent or null: it has no end. */
to?: (string | null)
}[] | null)
/** The sentences on documents about sales without tax. Default: the common wording. */
invoiceNotes?: ({
/** The sentence for an exempt customer. */
exempt?: (string | null)
/** The sentence for reverse charge. */
reverseCharge?: (string | null)
/** The sentence for a sale outside the scope of tax. */
outside?: (string | null)
} | null)
}
/** The body of `createOrganization`. */
export interface OrganizationCreate {
/** The name that customers see, 1 to 255 characters. */
name: string
/** `merchant` bills customers. `consumer` is behind a customer. `platform` is the operator. */
type: ("merchant" | "consumer")
/** The merchant that owns a consumer. A new merchant has none. */
merchantId?: (string | null)
/** The name in the register of companies. Null: `name` is used. */
legalName?: (string | null)
/** The tax id, such as a VAT number. Documents show it. Null: none. */
taxId?: (string | null)
/** The postal address. Documents show it. Null: none. */
address?: (AddressBody | null)
/**
 * The addresses that receive invoices and alerts, at most 20.
 * 
 * @maxItems 20
 */
billingEmails?: (string[] | null)
/** The telephone number. Null: none. */
phone?: (string | null)
/** The currency if neither plan nor customer has one: an ISO 4217 code. Null: `USD`. */
defaultCurrency?: (string | null)
/** The settings of a merchant. A setting that is not sent stays as it is; null is its default again. */
settings?: (SettingsInput | null)
}
/** The body of `updateOrganization`. */
export interface OrganizationChange {
/** The name that customers see, 1 to 255 characters. */
name?: (string | null)
/** The name in the register of companies. Null: `name` is used. */
legalName?: (string | null)
/** The tax id, such as a VAT number. Documents show it. Null: none. */
taxId?: (string | null)
/** The postal address. Documents show it. Null: none. */
address?: (AddressBody | null)
/**
 * The addresses that receive invoices and alerts, at most 20.
 * 
 * @maxItems 20
 */
billingEmails?: (string[] | null)
/** The telephone number. Null: none. */
phone?: (string | null)
/** The currency if neither plan nor customer has one: an ISO 4217 code. Null: `USD`. */
defaultCurrency?: (string | null)
/** The settings of a merchant. A setting that is not sent stays as it is; null is its default again. */
settings?: (SettingsInput | null)
}
/** The body of `createUser`. */
export interface UserCreate {
/** The organization of the user. */
organizationId: string
/** The e-mail address of the user. */
email: string
/** A `viewer` reads. A `member` also writes. An `admin` also changes users, settings, integrations and webhooks. */
role: ("admin" | "member" | "viewer")
/** `COMPANY` or `INDIVIDUAL`. Absent: not known. */
type?: (("COMPANY" | "INDIVIDUAL") | null)
/** The first name. */
firstName?: (string | null)
/** The last name. */
lastName?: (string | null)
/** The telephone number. */
phone?: (string | null)
/** The postal address. */
address?: (AddressBody | null)
}
/** The body of `updateUser`. */
export interface UserChange {
/** The e-mail address of the user. */
email?: (string | null)
/** A `viewer` reads. A `member` also writes. An `admin` also changes users, settings, integrations and webhooks. */
role?: (("admin" | "member" | "viewer") | null)
/** The type that the user has. It never changes, so another one is refused. */
type?: (("COMPANY" | "INDIVIDUAL") | null)
/** The first name. */
firstName?: (string | null)
/** The last name. */
lastName?: (string | null)
/** The telephone number. */
phone?: (string | null)
/** The postal address. */
address?: (AddressBody | null)
}
/** The body of `createApiKey`. */
export interface ApiKeyCreate {
/** The name of the key, such as its use. */
name: string
/** When the key stops working. Null: never. */
expiresAt?: (string | null)
}
/** The body of `createCustomer`. */
export interface CustomerCreate {
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
/** The organization behind a new customer. Send it, or `consumerId`. */
consumer?: ({
/** The name of the person or company, 1 to 255 characters. */
name: string
/** The e-mail address. Without an `externalId` it finds a customer that exists already. */
email: string
/** The telephone number. Null: none. */
phone?: (string | null)
address: AddressBody
} | null)
/** The organization behind the customer. It has the name and the addresses. */
consumerId?: (string | null)
/** The id of the customer in your own system, 1 to 255 characters. Usage events name it in `externalSubject`. Null: none. */
externalId?: (string | null)
/** The tax id, such as a VAT number. Any text is accepted; `taxIdStatus` has the result of the check. Null: none. */
taxId?: (string | null)
/** Tax rates in percent by plan id, metric id or `default`: 20 is 20 %. One number is the default. A change replaces all of them. */
taxRates?: ((DecimalNumber | {
[k: string]: DecimalNumber
}) | null)
/** `true`: no sale to the customer has tax. Default: `false`. */
taxExempt?: (boolean | null)
/** Why, in the words of the documents, 1 to 500 characters. Null: `settings.invoiceNotes.exempt` of the merchant, else "Exempt from VAT". */
taxExemptReason?: (string | null)
/** The currency of the customer: an ISO 4217 code. Absent or null: none of its own. */
currency?: (string | null)
/** The language of emails, pages and documents. Absent or null: English. */
locale?: (("en" | "de" | "fr" | "es") | null)
/** The reference of the customer for its invoices. Absent or null: none. */
buyerReference?: (string | null)
/** The customer that pays: invoices are addressed to it, and it pays them. Their lines stay of this customer. Null: this customer pays itself. */
payerId?: (string | null)
/** `customer`: invoices of periods that end at one instant are joined in one, with a section for each subscription; also those of the customers for which this one pays. Null: each subscription has its own. */
invoiceGrouping?: ("customer" | null)
/** The emails that the customer receives. */
notificationSettings?: ({
/** An email for each issued invoice. Default: `true`. */
invoiceIssued?: (boolean | null)
/** An email for each payment. Default: `true`. */
invoicePaid?: (boolean | null)
/** An email before a renewal. Default: `true`. */
renewalReminder?: (boolean | null)
} | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** The body of `updateCustomer`. */
export interface CustomerChange {
/** The id of the customer in your own system, 1 to 255 characters. Usage events name it in `externalSubject`. Null: none. */
externalId?: (string | null)
/** The tax id, such as a VAT number. Any text is accepted; `taxIdStatus` has the result of the check. Null: none. */
taxId?: (string | null)
/** Tax rates in percent by plan id, metric id or `default`: 20 is 20 %. One number is the default. A change replaces all of them. */
taxRates?: ((DecimalNumber | {
[k: string]: DecimalNumber
}) | null)
/** `true`: no sale to the customer has tax. Default: `false`. */
taxExempt?: (boolean | null)
/** Why, in the words of the documents, 1 to 500 characters. Null: `settings.invoiceNotes.exempt` of the merchant, else "Exempt from VAT". */
taxExemptReason?: (string | null)
/** The currency of the customer: an ISO 4217 code. Absent or null: none of its own. */
currency?: (string | null)
/** The language of emails, pages and documents. Absent or null: English. */
locale?: (("en" | "de" | "fr" | "es") | null)
/** The reference of the customer for its invoices. Absent or null: none. */
buyerReference?: (string | null)
/** The customer that pays: invoices are addressed to it, and it pays them. Their lines stay of this customer. Null: this customer pays itself. */
payerId?: (string | null)
/** `customer`: invoices of periods that end at one instant are joined in one, with a section for each subscription; also those of the customers for which this one pays. Null: each subscription has its own. */
invoiceGrouping?: ("customer" | null)
/** The emails that the customer receives. */
notificationSettings?: ({
/** An email for each issued invoice. Default: `true`. */
invoiceIssued?: (boolean | null)
/** An email for each payment. Default: `true`. */
invoicePaid?: (boolean | null)
/** An email before a renewal. Default: `true`. */
renewalReminder?: (boolean | null)
} | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** The body of `createProduct`. */
export interface ProductCreate {
/** The name of the product, 1 to 255 characters. */
name: string
/** The description of the product, in your own words. Default: empty. */
description?: (string | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateProduct`. */
export interface ProductUpdate {
/** The name of the product, 1 to 255 characters. */
name?: (string | null)
/** The description of the product, in your own words. Default: empty. */
description?: (string | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** The body of `createFeature`. */
export interface FeatureCreate {
/** The name of the feature for programs: groups of lowercase letters and digits, joined by single hyphens. It is unique within the product. */
key: string
/** The name that customers see. */
name: string
/** The id of the product. */
productId: string
/** `boolean` is access alone. `static` has a configuration too. `metered` has a balance. */
type: ("metered" | "static" | "boolean")
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateFeature`. */
export interface FeatureUpdate {
/** The name of the feature for programs: groups of lowercase letters and digits, joined by single hyphens. It is unique within the product. */
key?: (string | null)
/** The name that customers see. */
name?: (string | null)
/** The id of the product. */
productId?: (string | null)
/** The type that the feature has. It never changes, so another one is refused. */
type?: (("metered" | "static" | "boolean") | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** The body of `createBillableMetric`. */
export interface BillableMetricCreate {
/** The name of the metric, 1 to 255 characters. */
name: string
/** The description of the metric, in your own words. Default: empty. */
description?: (string | null)
/** The name of one unit on invoices. Default: empty. */
unit?: (string | null)
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit?: ({
per: Decimal
/** The name of it, as pages and documents say it. */
name: string
} | null)
/** The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events (`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, that value over time (`TIME_WEIGHTED`), or a `PERCENTILE` of the figures of many windows. */
aggregation: ("SUM" | "COUNT" | "AVG" | "MIN" | "MAX" | "UNIQUE_COUNT" | "LATEST" | "TIME_WEIGHTED" | "PERCENTILE")
/** The product of the metric. A creation needs it unless it names an item. */
productId?: (string | null)
/** The item that the metric measures. Null: none. With an item, the product is the one of the item. */
itemId?: (string | null)
/** The `type` of the events that count. Null: no event counts. */
eventType?: (string | null)
/** The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null where there is none. */
valueProperty?: (string | null)
/** The dimensions of usage: names with paths in the `data` of an event. Null: none. */
groupBy?: ({
[k: string]: string
} | null)
/** Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a `period`. Null: of another aggregation. */
timeUnit?: (("hour" | "day" | "period") | null)
/** Of `PERCENTILE`, which needs it: above 0, up to 100. Of N windows it is the ⌈percentile × N ÷ 100⌉-th from below. Null: of another aggregation. */
percentile?: (Decimal | null)
/** Of `PERCENTILE`, which needs it: the length of a window. Windows lie in UTC, clipped to the period; one without events is 0. Null: of another aggregation. */
sampleWindow?: (("PT1M" | "PT5M" | "PT10M" | "PT15M" | "PT30M" | "PT1H" | "PT6H" | "PT12H" | "P1D") | null)
/** Of `PERCENTILE`: the figure of a window. Default: `SUM`. Null: of another aggregation. */
sampleAggregation?: (("SUM" | "MAX" | "COUNT" | "AVG") | null)
/** Only events after this time count. Null: all events count. */
eventFrom?: (string | null)
/** The tax rate in percent: 20 is 20 %. The rate of a price comes first. Null: no rate of its own. */
taxRate?: (DecimalNumber | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `createBillableMetrics`. */
export interface BillableMetricsCreate {
/**
 * The metrics, 1 to 100, all of one `eventType`.
 * 
 * @minItems 1
 * @maxItems 100
 */
metrics: BillableMetricCreate[]
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateBillableMetric`. */
export interface BillableMetricUpdate {
/** The name of the metric, 1 to 255 characters. */
name?: (string | null)
/** The description of the metric, in your own words. Default: empty. */
description?: (string | null)
/** The name of one unit on invoices. Default: empty. */
unit?: (string | null)
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit?: ({
per: Decimal
/** The name of it, as pages and documents say it. */
name: string
} | null)
/** The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events (`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, that value over time (`TIME_WEIGHTED`), or a `PERCENTILE` of the figures of many windows. */
aggregation?: (("SUM" | "COUNT" | "AVG" | "MIN" | "MAX" | "UNIQUE_COUNT" | "LATEST" | "TIME_WEIGHTED" | "PERCENTILE") | null)
/** The product of the metric. A creation needs it unless it names an item. */
productId?: (string | null)
/** The item that the metric measures. Null: none. With an item, the product is the one of the item. */
itemId?: (string | null)
/** The `type` of the events that count. Null: no event counts. */
eventType?: (string | null)
/** The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null where there is none. */
valueProperty?: (string | null)
/** The dimensions of usage: names with paths in the `data` of an event. Null: none. */
groupBy?: ({
[k: string]: string
} | null)
/** Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a `period`. Null: of another aggregation. */
timeUnit?: (("hour" | "day" | "period") | null)
/** Of `PERCENTILE`, which needs it: above 0, up to 100. Of N windows it is the ⌈percentile × N ÷ 100⌉-th from below. Null: of another aggregation. */
percentile?: (Decimal | null)
/** Of `PERCENTILE`, which needs it: the length of a window. Windows lie in UTC, clipped to the period; one without events is 0. Null: of another aggregation. */
sampleWindow?: (("PT1M" | "PT5M" | "PT10M" | "PT15M" | "PT30M" | "PT1H" | "PT6H" | "PT12H" | "P1D") | null)
/** Of `PERCENTILE`: the figure of a window. Default: `SUM`. Null: of another aggregation. */
sampleAggregation?: (("SUM" | "MAX" | "COUNT" | "AVG") | null)
/** Only events after this time count. Null: all events count. */
eventFrom?: (string | null)
/** The tax rate in percent: 20 is 20 %. The rate of a price comes first. Null: no rate of its own. */
taxRate?: (DecimalNumber | null)
}
/** The body of `createCost`. */
export interface CostCreate {
/** Every cost is `metered`. */
type?: ("metered" | null)
/** The name of the cost, 1 to 255 characters. */
name: string
unitCost: DecimalNumber
/** The currency: an ISO 4217 code. */
currency: string
/** The id of the product. */
productId: string
/** The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events (`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, or that value over time (`TIME_WEIGHTED`). */
aggregation?: (("SUM" | "COUNT" | "AVG" | "MIN" | "MAX" | "UNIQUE_COUNT" | "LATEST" | "TIME_WEIGHTED") | null)
/** The `type` of the events that count. Null: no event counts. */
eventType?: (string | null)
/** The name of one unit. Null: none. */
unit?: (string | null)
/** The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null where there is none. */
valueProperty?: (string | null)
/** The dimensions of usage: names with paths in the `data` of an event. Null: none. */
groupBy?: ({
[k: string]: string
} | null)
/** Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a `period`. Null: of another aggregation. */
timeUnit?: (("hour" | "day" | "period") | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateCost`. */
export interface CostUpdate {
/** The name of the cost, 1 to 255 characters. */
name?: (string | null)
/** Your expense for one unit now, in major units of the currency. At least 0. */
unitCost?: (DecimalNumber | null)
/** From when on `unitCost` holds; values for later times are replaced. Usage before it keeps its cost. Default: now. */
effectiveFrom?: (string | null)
/** The currency: an ISO 4217 code. */
currency?: (string | null)
/** The id of the product. */
productId?: (string | null)
/** The quantity of a period: `SUM`, `AVG`, `MIN` and `MAX` of the values, the number of events (`COUNT`) or of different values (`UNIQUE_COUNT`), the `LATEST` value, or that value over time (`TIME_WEIGHTED`). */
aggregation?: (("SUM" | "COUNT" | "AVG" | "MIN" | "MAX" | "UNIQUE_COUNT" | "LATEST" | "TIME_WEIGHTED") | null)
/** The `type` of the events that count. Null: no event counts. */
eventType?: (string | null)
/** The name of one unit. Null: none. */
unit?: (string | null)
/** The path of the value in the `data` of an event. Required for each aggregation but `COUNT`; null where there is none. */
valueProperty?: (string | null)
/** The dimensions of usage: names with paths in the `data` of an event. Null: none. */
groupBy?: ({
[k: string]: string
} | null)
/** Of `TIME_WEIGHTED`, which needs it: the value counts in `hour`s or `day`s that it holds, or on the average of a `period`. Null: of another aggregation. */
timeUnit?: (("hour" | "day" | "period") | null)
}
/** The body of `createItem`. */
export interface ItemCreate {
/** The name of the item, 1 to 255 characters. */
name: string
/** The product to which the item belongs. Null: to none. */
catalogId?: (string | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateItem`. */
export interface ItemUpdate {
/** The name of the item, 1 to 255 characters. */
name?: (string | null)
/** The product to which the item belongs. Null: to none. */
catalogId?: (string | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** `true` archives the item, `false` restores it. An archived item keeps its references. */
archived?: (boolean | null)
}
/** The body of `createFee`. */
export interface FeeCreate {
/** The name of the fee, 1 to 255 characters. */
name: string
/** The description of the fee, in your own words. Default: empty. */
description?: (string | null)
/** The product of the fee. A creation needs it unless it names an item. */
productId?: (string | null)
/** The item that the fee is for. Null: none. With an item, the product is the one of the item. */
itemId?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateFee`. */
export interface FeeUpdate {
/** The name of the fee, 1 to 255 characters. */
name?: (string | null)
/** The description of the fee, in your own words. Default: empty. */
description?: (string | null)
/** The product of the fee. A creation needs it unless it names an item. */
productId?: (string | null)
/** The item that the fee is for. Null: none. With an item, the product is the one of the item. */
itemId?: (string | null)
}
/** Each unit at the same price. */
export interface StandardPropertiesBody {
unitPrice: DecimalInput
/** The units that are free in each period. Default: 0. */
includedUnits?: (DecimalInput | null)
}
/** The units of each tier at the price of that tier. */
export interface GraduatedPropertiesBody {
/**
 * The tiers, from the lowest to the highest.
 * 
 * @minItems 1
 * @maxItems 100
 */
tiers: {
/** The last unit of the tier. Null: the last tier, which has no end. */
upTo: (DecimalInput | null)
unitPrice: DecimalInput
/** An amount for the whole tier, in major units. Default: 0. */
flatPrice?: (DecimalInput | null)
}[]
/** The units that are free in each period. Default: 0. */
includedUnits?: (DecimalInput | null)
}
/** All units at the price of the tier that the quantity falls in. */
export interface VolumePropertiesBody {
/**
 * The tiers, from the lowest to the highest.
 * 
 * @minItems 1
 * @maxItems 100
 */
tiers: {
/** The last unit of the tier. Null: the last tier, which has no end. */
upTo: (DecimalInput | null)
unitPrice: DecimalInput
/** An amount for the whole tier, in major units. Default: 0. */
flatPrice?: (DecimalInput | null)
}[]
/** The units that are free in each period. Default: 0. */
includedUnits?: (DecimalInput | null)
}
/** Whole packages, each begun one paid in full. */
export interface PackagePropertiesBody {
size: DecimalInput
price: DecimalInput
/** The units that are free in each period. Default: 0. */
includedUnits?: (DecimalInput | null)
}
/** A part of the quantity, and a fixed amount for each event; both together are not below or above a charge. With `perEvent` or `freeEvents` each event has its own amount, and an event of 0 or less bears its part alone. */
export interface PercentagePropertiesBody {
percentage: DecimalInput
/** An amount for each event, in major units. Default: 0. */
fixed?: (DecimalInput | null)
/** The amount of a period at least, in major units. Default: none. */
minCharge?: (DecimalInput | null)
/** The amount of a period at most, in major units. Default: none. */
maxCharge?: (DecimalInput | null)
/** The bounds of the amount of each event, with `fixed`. Default: none. */
perEvent?: ({
/** The amount of an event at least, in major units. */
min?: (DecimalInput | null)
/** The amount of an event at most, in major units. */
max?: (DecimalInput | null)
} | null)
/** The events that cost nothing in each period: the first ones in order of time. Default: 0. */
freeEvents?: (number | null)
/** The units that are free in each period. Default: 0. */
includedUnits?: (DecimalInput | null)
}
/** The events carry the price: their summed value, times the multiplier (default 1). */
export interface DynamicPropertiesBody {
/** The factor of the summed values. Default: 1. */
multiplier?: (DecimalInput | null)
}
/** Each combination of group values at the price of the cell that matches most of it, else at the default. */
export interface MatrixPropertiesBody {
/**
 * The dimensions of the metric that decide the price.
 * 
 * @minItems 1
 * @maxItems 10
 */
dimensions: string[]
/**
 * The prices of combinations of values. The cell that matches most dimensions is used.
 * 
 * @maxItems 1000
 */
cells: {
/** The values of this cell by dimension. A dimension that is not named matches any value. */
match: {
[k: string]: string
}
unitPrice: DecimalInput
}[]
default: DecimalInput
}
/** A right to a number of units of a feature in each usage period. */
export interface MeteredTemplateBody {
/** The type of the feature: `boolean`, `static` or `metered`. */
type: "metered"
/** The period after which usage and balance are reset. Absent: the entitlement is never reset automatically. */
usagePeriod?: ({
/** The length of a usage period: an ISO 8601 duration of whole days, weeks, months or years. */
interval: string
/** From where usage periods are counted. `billing`: they begin with the billing periods of the price; the end of a trial begins a new one. `start`: the beginning of the entitlement. Or a time. Default: `billing` in a price, `start` by hand. */
anchor?: (string | null)
} | null)
/** `true`: there is access at a balance of 0 too. Default: `false`. */
isSoftLimit?: (boolean | null)
/** The units that are granted at the start and after each reset. Absent: none. */
issueAfterReset?: (DecimalNumber | null)
/** The priority of these grants. The lowest is used first. Default: -1. */
issueAfterResetPriority?: (number | null)
/** `true`: usage beyond the balance is taken from the next period. Default: `false`. */
preserveOverageAtReset?: (boolean | null)
/** The units of these grants that a reset carries over at most. Default: 0. */
resetMaxRollover?: (DecimalNumber | null)
/** The units of these grants that there are after a reset at least. Default: 0. */
resetMinRollover?: (DecimalNumber | null)
/**
 * The measured metrics; their usage is added up. Of `SUM`, `COUNT`, `UNIQUE_COUNT`, `MAX`, `LATEST`, or `TIME_WEIGHTED` in hours or days, which uses the balance up while time passes. Default: the metrics of the prices with this feature.
 * 
 * @minItems 1
 * @maxItems 100
 */
billableMetricIds?: (string[] | null)
}
/** The fields of every `PriceCreate`. */
export interface PriceCreateBase {
/** The metric of the price. Send exactly one of metric and fee. */
billableMetricId?: (string | null)
/** The fee of the price. Send exactly one of metric and fee. */
feeId?: (string | null)
/** The name of the line on invoices, 1 to 255 characters. */
invoiceDisplayName: string
/** `in_arrears`: billed after the period. `in_advance`: billed before the period; only for fees. */
paymentTerm: ("in_arrears" | "in_advance")
/** How often the price is billed: an ISO 8601 duration. `P0D` is once. Fees need one. Null for a metric: the cadence of the plan. */
billingCadence?: (string | null)
/** The minimum of the price in each period, in major units. Absent or null: no minimum. */
minimumAmount?: (DecimalInput | null)
/** The maximum of the price in each period, in major units. Absent or null: no maximum. */
maximumAmount?: (DecimalInput | null)
/** The price in other currencies than the one of the plan, by ISO 4217 code. An entry stands for itself: it has its own minimum and maximum, or none. */
currencyPrices?: ({
[k: string]: {
/** The numbers of the model of the price, in this currency. */
properties: (StandardPropertiesBody | GraduatedPropertiesBody | VolumePropertiesBody | PackagePropertiesBody | PercentagePropertiesBody | DynamicPropertiesBody | MatrixPropertiesBody)
/** The minimum of the price in each period, in this currency. Absent or null: no minimum. */
minimumAmount?: (DecimalInput | null)
/** The maximum of the price in each period, in this currency. Absent or null: no maximum. */
maximumAmount?: (DecimalInput | null)
}
} | null)
/** The tax rate in percent: 20 is 20 %. Absent or null: the rate of the metric, the plan or the merchant. */
taxRate?: (DecimalNumber | null)
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit?: ({
per: Decimal
/** The name of it, as pages and documents say it. */
name: string
} | null)
/** Only usage with these values is billed: dimensions of the metric with lists of values. Absent or null: all usage. */
groupFilters?: ({
/**
 * @minItems 1
 * @maxItems 1000
 */
[k: string]: string[]
} | null)
/** The feature that a subscription gets with this price. */
feature?: ({
/** The id of the feature. */
featureId: string
/** How much of the feature the subscription gets. Default: the template of a boolean feature. */
entitlementTemplate?: (EntitlementTemplateBody | null)
} | null)
/** How many units of a fee are billed. Default: 1. */
quantity?: (DecimalNumber | null)
/** `true`: units that grants cover are not billed. Default: `false`. */
grantDiscountEnabled?: (boolean | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updatePrice`. */
export interface PriceUpdate {
/** How the price is calculated from the quantity. It decides the form of `properties`. Default: `standard`. */
model?: (("standard" | "graduated" | "volume" | "package" | "percentage" | "dynamic" | "matrix") | null)
/** The name of the line on invoices, 1 to 255 characters. */
invoiceDisplayName?: (string | null)
/** `in_arrears`: billed after the period. `in_advance`: billed before the period; only for fees. */
paymentTerm?: (("in_arrears" | "in_advance") | null)
/** The numbers of the model. Money is in major units of the currency of the plan. */
properties?: ((StandardPropertiesBody | GraduatedPropertiesBody | VolumePropertiesBody | PackagePropertiesBody | PercentagePropertiesBody | DynamicPropertiesBody | MatrixPropertiesBody) | null)
/** How often the price is billed: an ISO 8601 duration. `P0D` is once. Fees need one. Null for a metric: the cadence of the plan. */
billingCadence?: (string | null)
/** The minimum of the price in each period, in major units. Absent or null: no minimum. */
minimumAmount?: (DecimalInput | null)
/** The maximum of the price in each period, in major units. Absent or null: no maximum. */
maximumAmount?: (DecimalInput | null)
/** The price in other currencies than the one of the plan, by ISO 4217 code. An entry stands for itself: it has its own minimum and maximum, or none. */
currencyPrices?: ({
[k: string]: {
/** The numbers of the model of the price, in this currency. */
properties: (StandardPropertiesBody | GraduatedPropertiesBody | VolumePropertiesBody | PackagePropertiesBody | PercentagePropertiesBody | DynamicPropertiesBody | MatrixPropertiesBody)
/** The minimum of the price in each period, in this currency. Absent or null: no minimum. */
minimumAmount?: (DecimalInput | null)
/** The maximum of the price in each period, in this currency. Absent or null: no maximum. */
maximumAmount?: (DecimalInput | null)
}
} | null)
/** The tax rate in percent: 20 is 20 %. Absent or null: the rate of the metric, the plan or the merchant. */
taxRate?: (DecimalNumber | null)
/** The unit in which pages, documents and mails say quantities and prices. Figures in answers stay for one unit. It can change at any time: issued invoices keep theirs. Null: the unit itself. */
displayUnit?: ({
per: Decimal
/** The name of it, as pages and documents say it. */
name: string
} | null)
/** Only usage with these values is billed: dimensions of the metric with lists of values. Absent or null: all usage. */
groupFilters?: ({
/**
 * @minItems 1
 * @maxItems 1000
 */
[k: string]: string[]
} | null)
/** The feature that a subscription gets with this price. */
feature?: ({
/** The id of the feature. */
featureId: string
/** How much of the feature the subscription gets. Default: the template of a boolean feature. */
entitlementTemplate?: (EntitlementTemplateBody | null)
} | null)
/** How many units of a fee are billed. Default: 1. */
quantity?: (DecimalNumber | null)
/** `true`: units that grants cover are not billed. Default: `false`. */
grantDiscountEnabled?: (boolean | null)
}
/** The body of `createPlan`. */
export interface PlanCreate {
/** The name of the plan, 1 to 255 characters. */
name: string
/** The id of the product. */
productId: string
/** The currency of all prices of the plan: an ISO 4217 code. */
currency: string
/**
 * The prices of the default version. To create a plan, send their ids.
 * 
 * @maxItems 1000
 */
prices?: (string[] | null)
/** A commitment: the minimum total of all prices in a period of the plan, asked once the period has ended. In major units. Null: none. */
minimumAmount?: (DecimalInput | null)
/** The commitment in other currencies, by ISO 4217 code. A plan with `minimumAmount` has a currency only if it is here. */
currencyMinimums?: ({
[k: string]: DecimalInput
} | null)
/** `true`: a trial begins once the customer has a payment method. Nothing is charged for it. Default: `false`. */
trialRequiresPaymentMethod?: (boolean | null)
/** What happens at the end of a trial without a payment method. `invoice` (default): billing starts. `terminate`: the subscription ends. `pause`: it is paused until it is resumed. */
trialEndBehavior?: (("invoice" | "terminate" | "pause") | null)
/** The version of the billing rules. It is 1 and never changes. */
billingVersion?: (1 | null)
/** The length of a billing period: an ISO 8601 duration of whole days, weeks, months or years. Default: `P1M`. */
billingCadence?: (string | null)
/** Deprecated: send `billingCadence`. `monthly` is `P1M`, `quarterly` is `P3M`, `yearly` is `P1Y`. Null: the cadence has no such word. */
billingInterval?: (("monthly" | "quarterly" | "yearly" | "annual") | null)
/** The description of the plan, in your own words. */
description?: (string | null)
/** The name of the plan on invoices. Absent or null: `name`. */
invoiceDisplayName?: (string | null)
/** The time from which periods are counted. The first period is then shorter and prorated. Null: from the start of the subscription. */
billingAnchor?: (string | null)
/** How long late events still count for a period that has ended: an ISO 8601 duration. Default: `PT0S`. */
gracePeriod?: (string | null)
/** `true`: invoices are issued without an approval. `false`: they stay drafts until you approve them. Default: `true`. */
autoApprove?: (boolean | null)
/** The free time at the start of a subscription: an ISO 8601 duration. Null: no trial. */
trialPeriod?: (string | null)
/** The tax code that a tax provider receives. Default: `eservice`. */
defaultTaxCode?: (string | null)
/** The tax rate in percent of prices without a rate of their own: 20 is 20 %. Absent or null: the rate of the merchant. */
defaultTaxRate?: (DecimalNumber | null)
/** `exclusive`: tax is added to prices. `inclusive`: prices include tax. Default: `exclusive`. */
taxBehavior?: (("exclusive" | "inclusive") | null)
/** `true`: customers get an email before a period ends. Default: `true`. */
renewalReminderEnabled?: (boolean | null)
/** How many days before the end of a period the reminder comes, 1 to 30. Default: 3. */
renewalReminderDays?: (number | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updatePlan`. */
export interface PlanUpdate {
/** The name of the plan, 1 to 255 characters. */
name?: (string | null)
/** The id of the product. */
productId?: (string | null)
/** The currency of all prices of the plan: an ISO 4217 code. */
currency?: (string | null)
/**
 * The ids of all prices. Other prices are published as the next version.
 * 
 * @maxItems 1000
 */
prices?: (string[] | null)
/** The length of a billing period: an ISO 8601 duration of whole days, weeks, months or years. Default: `P1M`. */
billingCadence?: (string | null)
/** Deprecated: send `billingCadence`. `monthly` is `P1M`, `quarterly` is `P3M`, `yearly` is `P1Y`. Null: the cadence has no such word. */
billingInterval?: (("monthly" | "quarterly" | "yearly" | "annual") | null)
/** The description of the plan, in your own words. */
description?: (string | null)
/** The name of the plan on invoices. Absent or null: `name`. */
invoiceDisplayName?: (string | null)
/** The time from which periods are counted. The first period is then shorter and prorated. Null: from the start of the subscription. */
billingAnchor?: (string | null)
/** How long late events still count for a period that has ended: an ISO 8601 duration. Default: `PT0S`. */
gracePeriod?: (string | null)
/** `true`: invoices are issued without an approval. `false`: they stay drafts until you approve them. Default: `true`. */
autoApprove?: (boolean | null)
/** The free time at the start of a subscription: an ISO 8601 duration. Null: no trial. */
trialPeriod?: (string | null)
/** The tax code that a tax provider receives. Default: `eservice`. */
defaultTaxCode?: (string | null)
/** The tax rate in percent of prices without a rate of their own: 20 is 20 %. Absent or null: the rate of the merchant. */
defaultTaxRate?: (DecimalNumber | null)
/** `exclusive`: tax is added to prices. `inclusive`: prices include tax. Default: `exclusive`. */
taxBehavior?: (("exclusive" | "inclusive") | null)
/** `true`: customers get an email before a period ends. Default: `true`. */
renewalReminderEnabled?: (boolean | null)
/** How many days before the end of a period the reminder comes, 1 to 30. Default: 3. */
renewalReminderDays?: (number | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** The body of `createPlanVersion`. */
export interface PlanVersionCreate {
/**
 * The prices that are added to those of the default version.
 * 
 * @maxItems 1000
 */
addPrices?: (string[] | null)
/**
 * The prices of the default version that the new version no longer has.
 * 
 * @maxItems 1000
 */
removePrices?: (string[] | null)
/**
 * The replaced prices of the default version.
 * 
 * @maxItems 1000
 */
replacePrices?: ({
/** The price of the default version. */
replacesPriceId: string
/** The price in its place. */
withPriceId: string
}[] | null)
/** The commitment of the version in other currencies, by ISO 4217 code. Not sent: the ones of the version before. */
currencyMinimums?: ({
[k: string]: DecimalInput
} | null)
/** `true`: a trial begins once the customer has a payment method. Not sent: as the version before. */
trialRequiresPaymentMethod?: (boolean | null)
/** What happens at the end of a trial without a payment method: `invoice`, `terminate` or `pause`. Not sent: as the version before. */
trialEndBehavior?: (("invoice" | "terminate" | "pause") | null)
/** The commitment of the version: the minimum total of all prices in a period. All prices together. Null: none. Not sent: the one of the version before; `"0"` is none. */
minimumAmount?: (DecimalInput | null)
/** `true`: published at once as the new default. `false`: the version stays a draft. Default: `true`. */
publish?: (boolean | null)
}
/** The body of `updatePlanVersion`. */
export interface PlanVersionUpdate {
/** `true`: new subscriptions get this version. */
default?: (true | null)
/** `draft`: not for subscriptions yet. `published`: it never changes again. `archived`: not for new subscriptions. */
status?: (("published" | "archived") | null)
}
/** The body of `createExternalReference`. */
export interface ExternalReferenceCreate {
/** The kind of the resource. It never changes. */
entityType: ("item" | "customer" | "order" | "invoice" | "subscription")
/** The id of the resource. It never changes. */
entityId: string
/** The external system: a word of lowercase letters, digits and underscores. */
provider: string
/** The id of the record in the external system, 1 to 255 characters. */
externalId: string
/** The name of the record there. Null: none. */
externalLabel?: (string | null)
/** `true`: the external id means this resource and no other. Default: `true`. */
isPrimary?: (boolean | null)
/** `true`: of several references to one provider, this one is sent there. Default: `false`. */
isDefault?: (boolean | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateExternalReference`. */
export interface ExternalReferenceUpdate {
/** The external system: a word of lowercase letters, digits and underscores. */
provider?: (string | null)
/** The id of the record in the external system, 1 to 255 characters. */
externalId?: (string | null)
/** The name of the record there. Null: none. */
externalLabel?: (string | null)
/** `true`: the external id means this resource and no other. Default: `true`. */
isPrimary?: (boolean | null)
/** `true`: of several references to one provider, this one is sent there. Default: `false`. */
isDefault?: (boolean | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** A usage event to report. */
export interface EventCreate {
/** The type of the event. It counts for metrics and costs with this `eventType`. */
type: string
/** The system that reports the event, as a URI or a name. */
source: string
/** The id of a customer or a subscription. Required without `externalSubject`; with both it decides. */
subject?: (string | null)
/** The `externalId` of the customer. If no customer has it yet, the event is kept until one does. */
externalSubject?: (string | null)
/** The values of the event. Metrics read them by path: `$.tokens` is `data.tokens`. */
data?: (JsonObject | null)
/** The merchant of the event. Default: your own organization; only operators may name another. */
namespace?: (string | null)
/** When the usage happened. It decides the billing period. Default: the time of the request. */
timestamp?: (string | null)
/** The key that makes the event count once, for ever. Default: a generated one. */
idempotencyKey?: (string | null)
/** Your own id of the event, to find it again. Absent: none. */
externalId?: (string | null)
}
/** A CloudEvent 1.0 in its JSON format. Attributes of other names are accepted and not stored. */
export interface CloudEvent {
/** The version of CloudEvents. */
specversion: "1.0"
/** The id of the event. Within its `source` it makes the event count once, for ever. */
id: string
/** The system that reports the event, as a URI or a name. */
source: string
/** The type of the event. It counts for metrics and costs with this `eventType`. */
type: string
/** The id of a customer or a subscription. Required without `externalSubject`; with both it decides. */
subject?: (string | null)
/** When the usage happened. It decides the billing period. Default: the time of the request. */
time?: (string | null)
/** The `externalSubject` of the event. */
externalsubject?: (string | null)
/** The `externalId` of the event. */
externalid?: (string | null)
/** The merchant of the event. Default: your own organization; only operators may name another. */
namespace?: (string | null)
/** The content type of `data`: a JSON type. */
datacontenttype?: (string | null)
/** The schema of `data`. It is not stored. */
dataschema?: (string | null)
/** The values of the event. Metrics read them by path: `$.tokens` is `data.tokens`. */
data?: (JsonObject | null)
[k: string]: unknown
}
/** The body of `createSubscription`, `previewSubscription`. */
export interface SubscriptionCreate {
/** The name of the subscription, for people. */
name: string
/** The plan. The subscription keeps the version that is the default one now. */
planId: string
/** The currency of the subscription, for ever: the one of the plan, or one that every price of the version has. Default: the one of the plan. */
currency?: (string | null)
/** The start of the first period. It may be in the future, or at most one `billingCadence` of the plan in the past. */
startedAt: string
/** The quantity of each fee price, by the id of the price. A price that is absent has its own `quantity`. */
quantities?: ({
[k: string]: number
} | null)
/** Negotiated prices: other terms for prices of the plan, each for a time or the whole term. */
priceOverrides?: ({
/** The price of the plan version for which other terms hold. */
priceId: string
/** The factor of all amounts of money of the price, its minimum and maximum too. 0.8 is 20 % less. */
multiplier?: (Decimal | null)
/** Other numbers, of the model of the price. Not together with `multiplier`. */
properties?: ((StandardPropertiesBody | GraduatedPropertiesBody | VolumePropertiesBody | PackagePropertiesBody | PercentagePropertiesBody | DynamicPropertiesBody | MatrixPropertiesBody) | null)
/** Another minimum of the price in each period. `none` takes it away. Null: the one of the price. */
minimumAmount?: (string | null)
/** Another maximum of the price in each period. `none` takes it away. Null: the one of the price. */
maximumAmount?: (string | null)
/** The begin of the terms. Null: the begin of the subscription, or the time of the change. */
from?: (string | null)
/** The end of the terms, exclusive. Null: they do not end. */
to?: (string | null)
}[] | null)
/** Coupons to redeem, by their ids or codes. The first one applies first. */
coupons?: (string[] | null)
/** The billed customer. Required unless `customer` is sent. */
customerId?: (string | null)
/** A customer who is created, or found again, together with the subscription. Required unless `customerId` is sent. */
customer?: ({
/** The name of the person or company. */
name: string
/** The email address for invoices. */
email: string
/** The telephone number. Null: none. */
phone?: (string | null)
/** The billing address. It may be added later; tax needs it. */
address?: (AddressBody | null)
/** Tax rates of this customer in percent. They win over the rates of plans and of the merchant. */
taxRates?: ((DecimalNumber | {
[k: string]: DecimalNumber
}) | null)
/** Your own name for the customer. Usage events name it as `externalSubject`. Null: none. */
externalId?: (string | null)
} | null)
/** The order that the subscription is of: commitments of the order count its spending. It never changes. Null: none. */
orderId?: (string | null)
/** `true`: invoices are charged to the default card of the customer as they are issued. */
autoCharge?: (boolean | null)
/** `true`: metered features give access only while there are billing credits that could pay for them. */
creditsRequired?: (boolean | null)
/** `false`: invoices stay drafts until they are approved. Null: the value of the plan. */
autoApprove?: (boolean | null)
/** `true`: invoices have no tax. */
taxExempt?: (boolean | null)
/** `true`: invoices are paid by bank transfer. They have no payment page, and no card is charged. */
bankTransferOnly?: (boolean | null)
/** The planned end of the subscription. Null: it has no end. */
endingAt?: (string | null)
/** An amount that the first payment puts into the wallet of the customer, without tax. Default: 0. */
prefundAmount?: (Decimal | null)
/** Accepted for older clients, and ignored. */
minimumAccountBalance?: (Decimal | null)
/** Addresses to which the payment page of the first payment leads. */
redirectUrls?: ({
/** The address after a payment. `https`, or `http` to localhost in the sandbox. */
onSuccess?: (string | null)
/** The address after the customer leaves the page without a payment. */
onFailure?: (string | null)
} | null)
/** Sandbox only. The subscription follows this test clock. */
testClockId?: (string | null)
/** Whether renewals are announced. Null: the value of the plan. */
renewalReminderEnabled?: (boolean | null)
/** How many days before a renewal it is announced. Null: the value of the plan. */
renewalReminderDays?: (number | null)
/** The days from the issue of an invoice to its due date. Above 0 only with `bankTransferOnly`. */
paymentTermDays?: (number | null)
/** How long the first payment is possible, in minutes. Default: 240. */
sessionExpiryMinutes?: (number | null)
metadata?: (Metadata | null)
/** Your key of this creation, valid for ever. The same key again answers 200 with the first subscription. */
idempotencyKey?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateSubscription`. */
export interface SubscriptionUpdate {
/** The new name. */
name?: (string | null)
metadata?: (Metadata | null)
/** `true`: later invoices are paid by bank transfer, and no card is charged any more. It cannot change while the subscription is `pending_payment`. */
bankTransferOnly?: (boolean | null)
/** `false`: later invoices stay drafts until they are approved. Drafts that exist stay drafts. Null: the value of the plan. */
autoApprove?: (boolean | null)
/** The planned end. Open periods are cut to it. Null: no planned end. */
endingAt?: (string | null)
/** When the pause is over. Null: until it is resumed by hand. Without a pause it is a 409. */
resumesAt?: (string | null)
/** When the trial that runs ends. The present time ends it now. A time in the past is refused. Without a running trial it is a 409. */
trialEnd?: (string | null)
/** Ends the subscription at this time. A time in the future counts as now. A time at or before `startedAt` is refused. */
terminatedAt?: (string | null)
/** The id of the customer or merchant that ends the subscription. Default: the merchant. */
terminatedBy?: (string | null)
/** Why the subscription ends, for people. */
terminationReason?: (string | null)
/** `true`: invoices are charged to the default card of the customer as they are issued. */
autoCharge?: (boolean | null)
/** `true`: metered features give access only while there are billing credits that could pay for them. */
creditsRequired?: (boolean | null)
/** `true`: later invoices have no tax. */
taxExempt?: (boolean | null)
/** Accepted for older clients, and ignored. */
minimumAccountBalance?: (Decimal | null)
/** Whether renewals are announced. Null: the value of the plan. */
renewalReminderEnabled?: (boolean | null)
/** How many days before a renewal it is announced. Null: the value of the plan. */
renewalReminderDays?: (number | null)
/** The days from the issue of a later invoice to its due date. Above 0 only with `bankTransferOnly`. */
paymentTermDays?: (number | null)
}
/** The body of `terminateSubscription`. */
export interface SubscriptionTermination {
/** Why the subscription ends, for people. It is answered as `terminationReason`. */
reason: string
/** How charges in advance for the unused time are credited: `invoice` (default) on the last invoice, `wallet` to the wallet, `none` not at all. */
credit?: (("invoice" | "wallet" | "none") | null)
}
/** The body of `pauseSubscription`. */
export interface PauseRequest {
/** `now` (default), or `periodEnd`: at the end of the open period of the plan. */
effective?: (("now" | "periodEnd") | null)
/** When the pause is over. Null (default): until it is resumed by hand. */
resumesAt?: (string | null)
/** Usage in the pause: `bill` (default) at the prices of the plan, with all their included units; `free` not at all. */
usage?: (("bill" | "free") | null)
/** How paid fees of the pause are credited: `invoice` (default) on the next invoice, `wallet` to the wallet, `none` not at all. */
credit?: (("invoice" | "wallet" | "none") | null)
/** The periods after `resumesAt`: `keep` (default) counts them as before; `restart` counts them from there on. */
anchor?: (("keep" | "restart") | null)
/** Why it is paused, for people. Default: null. */
reason?: (string | null)
}
/** The body of `resumeSubscription`. */
export interface SubscriptionResumption {
/** The periods after it: `keep` (default) counts them as before; `restart` counts them from now on. */
anchor?: (("keep" | "restart") | null)
}
/** The body of `reconcileSubscription`. */
export interface SubscriptionReconciliationCreate {
/** `true`: a preview without any change. */
dryRun?: (boolean | null)
}
/** The body of `createSubscriptionAdjustment`. */
export interface SubscriptionAdjustmentCreate {
/** The kind of the adjustment. There is one. */
type: "percentageDiscount"
percentageDiscount: Decimal
/** The start of the window, inclusive. An invoice is discounted if its `gracePeriodEnd` lies in the window. */
effectiveFrom: string
/** The end of the window, exclusive. Null: it has no end. */
effectiveTo?: (string | null)
/** Shown on each discount line. */
description?: (string | null)
/** Your key of this adjustment, valid for ever. The same key again answers 200 with the first adjustment. Without a key, a retry makes a second discount. */
idempotencyKey?: (string | null)
}
/** The body of `changeSubscriptionPlan`. */
export interface SubscriptionChangeCreate {
/** The plan after the change, in the same currency. Default: the plan of the subscription. */
planId?: (string | null)
/** The version after the change. Default: the default version of a named plan, else the version that the subscription has. */
versionNumber?: (number | null)
/** The new quantity of some fee prices, by the id of the price. Alone, it keeps the version. */
quantities?: ({
[k: string]: number
} | null)
/** All negotiated prices from the change on; an empty list ends them. Absent: those stay whose price the version holds. */
priceOverrides?: ({
/** The price of the plan version for which other terms hold. */
priceId: string
/** The factor of all amounts of money of the price, its minimum and maximum too. 0.8 is 20 % less. */
multiplier?: (Decimal | null)
/** Other numbers, of the model of the price. Not together with `multiplier`. */
properties?: ((StandardPropertiesBody | GraduatedPropertiesBody | VolumePropertiesBody | PackagePropertiesBody | PercentagePropertiesBody | DynamicPropertiesBody | MatrixPropertiesBody) | null)
/** Another minimum of the price in each period. `none` takes it away. Null: the one of the price. */
minimumAmount?: (string | null)
/** Another maximum of the price in each period. `none` takes it away. Null: the one of the price. */
maximumAmount?: (string | null)
/** The begin of the terms. Null: the begin of the subscription, or the time of the change. */
from?: (string | null)
/** The end of the terms, exclusive. Null: they do not end. */
to?: (string | null)
}[] | null)
/** `now` (default), or `periodEnd`: at the end of the open period of the plan. */
effective?: (("now" | "periodEnd") | null)
/** How fees are divided: `second` (default), by whole `day`s, or `none`: the old fees apply to the whole period. */
proration?: (("second" | "day" | "none") | null)
/** How unused charges in advance are credited: `invoice` (default), `wallet`, or `none`. */
credit?: (("invoice" | "wallet" | "none") | null)
/** `true`: nothing is written. The answer is 200 with the preview that the change would have. */
dryRun?: (boolean | null)
}
/** The body of `migratePlan`. */
export interface PlanMigrationCreate {
/** The version that the subscriptions have. */
fromVersion: number
/** The published version that they get. */
toVersion: number
/**
 * Fee prices of `toVersion` with the quantity of a price of `fromVersion`.
 * 
 * @maxItems 1000
 */
replacePrices?: ({
/** The fee price of the old version. */
replacesPriceId: string
/** The fee price of the new version. */
withPriceId: string
}[] | null)
/** `now` (default), or `periodEnd`: at the end of the open period of each subscription. */
effective?: (("now" | "periodEnd") | null)
/** How fees are divided: `second` (default), by whole `day`s, or `none`: the old fees apply to the whole period. */
proration?: (("second" | "day" | "none") | null)
/** How unused charges in advance are credited: `invoice` (default), `wallet`, or `none`. */
credit?: (("invoice" | "wallet" | "none") | null)
/** `true`: no subscription is changed. The answer is 200 with the outcomes that a migration would have. */
dryRun?: (boolean | null)
}
/** The body of `simulatePlan`. */
export interface PlanSimulationCreate {
/** Uses the usage of this customer. Required unless `usage` is sent. */
customerId?: (string | null)
/** A quantity for each billable metric, as a number or a decimal string. Required unless `customerId` is sent. */
usage?: ({
[k: string]: DecimalInput
} | null)
/** The start of the simulated period, inclusive. */
from: string
/** The end of the simulated period, exclusive. */
to: string
/**
 * Prices that are tried instead of prices of the plan. Nothing is stored.
 * 
 * @maxItems 1000
 */
replacePrices?: ({
/** The price of the plan that is left out. */
replacesPriceId: string
/** The price that replaces it. */
withPriceId: string
}[] | null)
}
/** The body of `createCoupon`. */
export interface CouponCreate {
/** The name, as invoices show it. */
name: string
/** What customers type: letters, digits, `-` and `_`, in any case. Null: only you can apply it. */
code?: (string | null)
/** The discount as a fraction: "0.5" is 50 %. Null: it is an amount. */
percentOff?: (Decimal | null)
/** The discount for each period of the plan, in major units. Null: it is a fraction. */
amountOff?: (Decimal | null)
/** The currency of the amounts. A coupon with a currency is for subscriptions in it. */
currency?: (string | null)
/** `once`: one period. `periods`: as many as `durationInPeriods`. `forever`: it does not end. */
duration: ("once" | "periods" | "forever")
/** With `periods`: the number of billing periods of the plan. Null: it has another duration. */
durationInPeriods?: (number | null)
/** What a period leaves of `amountOff` goes on to the next one, until it is used up. */
carriesOver?: (boolean | null)
/** The charges that it is for. Without it: all. */
appliesTo?: ({
/**
 * Charges under these plans alone. Empty: under any plan.
 * 
 * @maxItems 1000
 */
planIds?: (string[] | null)
/**
 * Charges of these prices. Together with the metrics and fees: any of them. All empty: all charges.
 * 
 * @maxItems 1000
 */
priceIds?: (string[] | null)
/**
 * Charges for the usage of these metrics.
 * 
 * @maxItems 1000
 */
billableMetricIds?: (string[] | null)
/**
 * Charges of these fees.
 * 
 * @maxItems 1000
 */
feeIds?: (string[] | null)
} | null)
/** What the charges of a period must come to before the coupon, in major units. Null: nothing. */
minimumAmount?: (Decimal | null)
/** How often it can be redeemed. Null: any number of times. */
maxRedemptions?: (number | null)
/** How often one customer can redeem it. */
maxRedemptionsPerCustomer?: (number | null)
/** Only customers without any earlier active subscription can redeem it. */
newCustomersOnly?: (boolean | null)
/** Until when it can be redeemed, exclusive. What is redeemed goes on. Null: it can always be. */
redeemBy?: (string | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateCoupon`. */
export interface CouponUpdate {
/** The name, as invoices show it. */
name?: (string | null)
/** Until when it can be redeemed, exclusive. What is redeemed goes on. Null: it can always be. */
redeemBy?: (string | null)
/** How often it can be redeemed. Null: any number of times. */
maxRedemptions?: (number | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** It can no longer be redeemed. What is redeemed goes on. */
archived?: (boolean | null)
}
/** The body of `redeemCoupon`. */
export interface RedemptionCreate {
/** The coupon. Give it or `code`, one of the two. */
couponId?: (string | null)
/** The code of the coupon, in any case. */
code?: (string | null)
/** From when it counts: the next start of a period of the plan. Default: the first period not yet billed. */
from?: (string | null)
/** Your key of this redemption. The same key again answers 200 with the first redemption. */
idempotencyKey?: (string | null)
}
/** The body of `createEntitlement`. */
export interface EntitlementCreate {
/** The id of the customer. */
customerId: string
/** The id of the feature. */
featureId: string
template: EntitlementTemplateBody
/** When the entitlement begins. It may lie in the past. Default: now. */
activeFrom?: (string | null)
/** When the entitlement ends. Default: null, no end. */
activeTo?: (string | null)
/** The subscription with which the entitlement ends, on its test clock. Default: none. */
subscriptionId?: (string | null)
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `resetEntitlement`. */
export interface EntitlementReset {
/** When the reset happens, in the current usage period. Default: now. */
effectiveAt?: (string | null)
/** `false`: usage periods are counted from this reset. `true`: they go on as before. */
retainAnchor?: (boolean | null)
/** `true`: usage beyond the balance is taken from the new period. Default: the one of the template. */
preserveOverage?: (boolean | null)
}
/** The body of `createGrant`. */
export interface GrantCreate {
amount: DecimalNumber
/** The key that makes the grant once. A known key answers the first grant. Null: none was sent. */
idempotencyKey?: (string | null)
/** When the grant begins to count. Default: now. */
effectiveAt?: (string | null)
/** When the grant stops counting. Default: null, never. */
expiresAt?: (string | null)
/** After each such period the grant is full again: an ISO 8601 duration of whole days, weeks, months or years. Default: null, given once. */
recurrencePeriod?: (string | null)
/** The units that a reset carries over at most. Default: 999999999999, which is no bound. */
resetMaxRollover?: (DecimalNumber | null)
/** The units that there are after a reset at least. Default: 0. */
resetMinRollover?: (DecimalNumber | null)
/** The lowest is used first, then the earliest expiry, then the oldest grant. Default: 0. */
priority?: (number | null)
}
/** The body of `purchaseGrant`. */
export interface GrantPurchaseCreate {
amount: DecimalNumber
price: Decimal
/** The key that makes the purchase once. A known key answers the same invoice. */
idempotencyKey: string
/** When the grant begins to count. Default: when the invoice is paid. */
effectiveAt?: (string | null)
/** When the grant stops counting. Default: never. */
expiresAt?: (string | null)
/** The page to which the customer returns after the payment. Default: none. */
successUrl?: (string | null)
/** The page to which the customer returns without a payment. Default: none. */
cancelUrl?: (string | null)
/** When the payment session ends. An unpaid invoice is then cancelled. Default: 24 hours from now. */
paymentExpiresAt?: (string | null)
/** The units that a reset carries over at most. Default: 999999999999, which is no bound. */
resetMaxRollover?: (DecimalNumber | null)
/** The units that there are after a reset at least. Default: 0. */
resetMinRollover?: (DecimalNumber | null)
/** The currency of the price: an ISO 4217 code. Default: the one of the plan, the customer or the merchant, or `USD`. */
currency?: (string | null)
}
/** The body of `createReservation`. */
export interface ReservationCreate {
amount: DecimalNumber
/** When the reservation ends by itself. */
expiresAt: string
}
/** The body of `settleReservation`. */
export interface ReservationSettlement {
/** The units that were really used. Default: the reserved amount. 0 writes no event. */
amount?: (DecimalNumber | null)
}
/** A negative `unitPrice` is a deduction. */
export interface LineItemCreate {
/** The subscription that is billed. Required unless `invoiceId` is sent. */
subscriptionId?: (string | null)
/** The open invoice that gets the line. It is `ACTIVE` or `CLOSING`. Required unless `subscriptionId` is sent. */
invoiceId?: (string | null)
/** The text of the line, as on the document. */
displayName: string
/** A longer text. Null: none. */
description?: (string | null)
/** The currency of the invoice as an ISO 4217 code. Another currency is refused. */
currency: string
quantity: DecimalInput
unitPrice: DecimalInput
/** The sold item, for reports and external systems. Null: none. */
itemId?: (string | null)
/** The start of the time that the line bills. Default: the period of the invoice. */
periodStart?: (string | null)
/** The end of the time that the line bills. Default: the period of the invoice. */
periodEnd?: (string | null)
/** With `subscriptionId`: the line is on the first invoice that closes at this time or later. Default: the open invoice. */
invoiceAt?: (string | null)
/** Your key of this line, valid for ever. The same key again answers 200 with the first line. */
idempotencyKey?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `topUpWallet`. */
export interface WalletTopUpCreate {
amount: DecimalInput
/** The currency: an ISO 4217 code. */
currency: string
/** Your key of this top-up, valid for ever for this customer. The same key again answers 200 with the first top-up. */
idempotencyKey: string
/** Addresses to which the payment page leads. */
redirectUrls?: ({
/** The address after a payment. `https`, or `http` to localhost in the sandbox. */
onSuccess?: (string | null)
/** The address after the customer leaves the page without a payment. */
onFailure?: (string | null)
} | null)
}
/** The body of `createBillingCredit`. */
export interface BillingCreditCreate {
/** The name, as invoices show it. */
name: string
amount: Decimal
/** It pays invoices in this currency. */
currency: string
/** `promotional`: a discount. `paid`: money that the customer has paid. */
category?: (("promotional" | "paid") | null)
/** Of several credits the one with the lowest number is used first. */
priority?: (number | null)
/** It pays service from here on. Default: now. */
effectiveAt?: (string | null)
/** It pays service before this. Null: it does not expire. */
expiresAt?: (string | null)
/** The charges that it pays. Without it: all. */
appliesTo?: ({
/**
 * Charges under these plans alone. Empty: under any plan.
 * 
 * @maxItems 1000
 */
planIds?: (string[] | null)
/**
 * Charges of these prices. Together with the metrics and fees: any of them. All empty: all charges.
 * 
 * @maxItems 1000
 */
priceIds?: (string[] | null)
/**
 * Charges for the usage of these metrics.
 * 
 * @maxItems 1000
 */
billableMetricIds?: (string[] | null)
/**
 * Charges of these fees.
 * 
 * @maxItems 1000
 */
feeIds?: (string[] | null)
} | null)
/** The subscription that it pays. Null: all of the customer’s on the same clock. */
subscriptionId?: (string | null)
/** Your key of this credit. The same key again answers 200 with the first credit. */
idempotencyKey: string
/** The test clock of the credit. Default: the one clock of all the customer’s subscriptions, else none. */
testClockId?: (string | null)
/** Data of your own. */
metadata?: (Metadata | null)
}
/** The body of `purchaseBillingCredit`. */
export interface BillingCreditPurchaseCreate {
amount: Decimal
/** What is asked for it, without tax. Less is a discount. Default: `amount`. */
price?: (Decimal | null)
/** It pays invoices in this currency. */
currency: string
/** It pays service before this. Null: it does not expire. */
expiresAt?: (string | null)
/** Your key of this purchase. The same key again answers 200 with the first purchase. */
idempotencyKey: string
/** Addresses to which the payment page leads. */
redirectUrls?: ({
/** The address after a payment. `https`, or `http` to localhost in the sandbox. */
onSuccess?: (string | null)
/** The address after the customer leaves the page without a payment. */
onFailure?: (string | null)
} | null)
/** The test clock of the credit. Default: the one clock of all the customer’s subscriptions, else none. */
testClockId?: (string | null)
}
/** The body of `setCreditTopUp`. */
export interface CreditTopUpSet {
/** It watches and buys credits in this currency. */
currency: string
threshold: Decimal
amount: Decimal
/** How long a credit lasts from its payment, as an ISO 8601 duration. Null: it does not expire. */
expiresAfter?: (string | null)
/** The most top-ups in a calendar month (UTC). Null: any number. */
maximumPerMonth?: (number | null)
/** The test clock of its credits. Default: the one clock of all the customer’s subscriptions, else none. */
testClockId?: (string | null)
}
/** The body of `voidBillingCredit`, `endCommitment`, `voidInvoiceCreditNote`, `closeInvoiceNow`, `approveInvoice`, `writeOffInvoice`, `recalculateInvoice`, `payInvoiceNow`, `voidInvoiceRefund`. */
export interface Reason {
/** The reason, for people. */
reason?: (string | null)
}
/** The body of `createCommitment`. */
export interface CommitmentCreate {
/** The customer that has promised to spend. */
customerId: string
/** The subscription whose spending counts. Null: those of `orderId`, or without it all of the customer on its clock. */
subscriptionId?: (string | null)
/** The order whose subscriptions count: those that were made with this `orderId`. Null: it is of none. */
orderId?: (string | null)
/** The name, as invoices show it. */
name: string
/** The currency of the amounts: that of the subscription, where it is of one. */
currency: string
/** `postpaid`: what is missing to the amount of a segment is invoiced at its end. `prepaid`: the amounts are invoiced first, and each segment makes a billing credit that pays its charges. */
type: ("prepaid" | "postpaid")
/**
 * The parts of the term, each with its own amount. Each begins where the one before it ends.
 * 
 * @minItems 1
 * @maxItems 240
 */
segments: {
/** The start. */
startDate: string
/** The end, exclusive. */
endDate: string
amount: Decimal
}[]
/** The charges that count. Without it: all. */
appliesTo?: ({
/**
 * Charges under these plans alone. Empty: under any plan.
 * 
 * @maxItems 1000
 */
planIds?: (string[] | null)
/**
 * Charges of these prices. Together with the metrics and fees: any of them. All empty: all charges.
 * 
 * @maxItems 1000
 */
priceIds?: (string[] | null)
/**
 * Charges for the usage of these metrics.
 * 
 * @maxItems 1000
 */
billableMetricIds?: (string[] | null)
/**
 * Charges of these fees.
 * 
 * @maxItems 1000
 */
feeIds?: (string[] | null)
} | null)
/** Spending counts for one commitment at a time, for the one with the lowest number first. */
priority?: (number | null)
/** Of a postpaid commitment. `segment`: what is missing is asked at the end of each segment. `term`: once, at the end of the last one. */
trueUp?: (("segment" | "term") | null)
/** Of a prepaid commitment: when it is invoiced. `start`: each segment at its start. Or dates with their amounts, which come to the same sum as the segments. */
invoiceAt?: (("start" | {
/** When the amount is invoiced. */
date: string
amount: Decimal
}[]) | null)
/** Of a prepaid commitment: its billing credits begin with the issue of its invoices, or with the payment. */
availableOn?: (("issue" | "payment") | null)
/** Of a prepaid commitment: the part of the rest of a segment that goes on, and for how long. */
rollover?: ({
fraction: Decimal
/** How many days longer that part holds. */
days: number
} | null)
/** What an early end asks. `owed`: what is missing to all segments; of a prepaid one all dates. `prorated`: the part that is over; of a prepaid one the rest is given back. `waived`: nothing more. */
onEnd?: (("owed" | "prorated" | "waived") | null)
/** Agreed prices, which hold while it does: from its start, of no time before it was made, until its end. A price that the subscription has agreed itself stays. */
overrides?: ({
/** The price of the plan version for which other terms hold. */
priceId: string
/** The factor of all amounts of money of the price, its minimum and maximum too. 0.8 is 20 % less. */
multiplier?: (Decimal | null)
/** Other numbers, of the model of the price. Not together with `multiplier`. */
properties?: ((StandardPropertiesBody | GraduatedPropertiesBody | VolumePropertiesBody | PackagePropertiesBody | PercentagePropertiesBody | DynamicPropertiesBody | MatrixPropertiesBody) | null)
/** Another minimum of the price in each period. `none` takes it away. Null: the one of the price. */
minimumAmount?: (string | null)
/** Another maximum of the price in each period. `none` takes it away. Null: the one of the price. */
maximumAmount?: (string | null)
/** The begin of the terms. Null: the begin of the subscription, or the time of the change. */
from?: (string | null)
/** The end of the terms, exclusive. Null: they do not end. */
to?: (string | null)
}[] | null)
/** The test clock: that of the subscription. Default: the one clock of all subscriptions of the customer. */
testClockId?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateCommitment`. */
export interface CommitmentUpdate {
/** The name, as invoices show it. */
name?: (string | null)
/** Spending counts for one commitment at a time, for the one with the lowest number first. */
priority?: (number | null)
/** What an early end asks. `owed`: what is missing to all segments; of a prepaid one all dates. `prorated`: the part that is over; of a prepaid one the rest is given back. `waived`: nothing more. */
onEnd?: (("owed" | "prorated" | "waived") | null)
}
/** The body of `createReceipt`. */
export interface ReceiptCreate {
amount: DecimalInput
/** The currency: an ISO 4217 code. */
currency: string
/** The means of payment: `bank_transfer`, `cash` or `other`. */
method: ("bank_transfer" | "cash" | "other")
/** The reference of the payer's bank. */
reference?: (string | null)
/** The time of the payment. Default: now. */
receivedAt?: (string | null)
/** Sandbox only. The receipt follows this test clock, and pays invoices on it. Default: the one clock of all subscriptions of the customer, otherwise none. */
testClockId?: (string | null)
/** Your key of this receipt, valid for ever and for all customers of the merchant. The same key again answers 200 with the first receipt. */
idempotencyKey: string
}
/** The body of `applyReceipt`. */
export interface ReceiptApply {
/** The invoice that the money pays. Either this or `wallet`. */
invoiceId?: (string | null)
/** The money goes into the wallet of the customer, or of its payer. */
wallet?: (true | null)
/** How much of the receipt, above 0, in major units. Default: the unapplied amount, and at most the unpaid amount of the invoice. */
amount?: (DecimalInput | null)
}
/** The body of `returnReceipt`. */
export interface ReceiptReturning {
/** The reference of your bank. */
reference?: (string | null)
/** The time at which the money went back. Default: now. */
returnedAt?: (string | null)
}
/** A negative `unitPrice` is a deduction. `taxRate` in percent. */
export interface InvoiceLineCreate {
/** The text of the line, as on the document. */
displayName: string
quantity: DecimalInput
unitPrice: DecimalInput
/** The sold item, for reports and external systems. Null: none. */
itemId?: (string | null)
/** The tax rate in percent: 19 is 19 %. Null: the rate of the merchant. A rate of the customer wins. */
taxRate?: (DecimalNumber | null)
/** The start of the supply of this line, inclusive. Null or absent: the time of the invoice. */
serviceFrom?: (string | null)
/** The end of the supply of this line, exclusive. The two may be the same. One of them alone is a point of time. */
serviceTo?: (string | null)
}
/** The body of `createInvoice`. */
export interface InvoiceCreate {
/** The billed customer. */
customerId: string
/** The currency: an ISO 4217 code. */
currency: string
/**
 * The lines, in the order of the document. Their sum with tax is 0 or more.
 * 
 * @minItems 1
 * @maxItems 1000
 */
lines: InvoiceLineCreate[]
/** The start of the supply, inclusive: the date of supply on the document. Default: from the first to the last time of the lines, else the day of the issue. */
serviceFrom?: (string | null)
/** The end of the supply, exclusive. Its last day decides the tax. The two may be the same. One of them alone is a point of time. */
serviceTo?: (string | null)
/** `true`: no line has tax. `false`: the lines have tax, also if the customer is exempt. Default: `taxExempt` of the customer. */
taxExempt?: (boolean | null)
/** The days from the issue to the due date. */
paymentTermDays?: (number | null)
/** `true`: it is issued at once, unless the merchant requires an approval. `false`: it is a draft. */
autoApprove?: (boolean | null)
metadata?: (Metadata | null)
/** Your key of this invoice, valid for ever. The same key again answers 200 with the first invoice. */
idempotencyKey?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** A part of a charge that is credited: either `quantity` or `amount`. */
export interface CreditNoteLineCreate {
/** The charge that is credited: its discounts are credited with it. */
lineItemId: string
/** The units that are credited, at most what is left of the line. What billing credits paid of them goes back to these. */
quantity?: (DecimalInput | null)
/** The amount that is credited, in major units: before tax, or with tax if prices include it. At most what the discounts, billing credits and earlier credit notes left of the line. */
amount?: (DecimalInput | null)
}
/** The body of `creditInvoiceLines`. */
export interface CreditNoteCreate {
/**
 * The charges that are credited in part, each once.
 * 
 * @minItems 1
 * @maxItems 100
 */
lines: CreditNoteLineCreate[]
/** The reason. It is on the document. */
reason: string
/** `reduce`: off what is unpaid. `refund`: back as it was paid. `wallet`: into the wallet. Default: first off what is unpaid, and the remainder back as it was paid. */
settlement?: (("refund" | "wallet" | "reduce") | null)
/** Your key of this credit note, valid for ever and for all invoices of the merchant. The same key again answers 200 with the first credit note. */
idempotencyKey: string
}
/** The body of `cancelInvoice`. */
export interface InvoiceCancel {
/** The reason, for people. */
reason?: (string | null)
/** Only for invoices of subscriptions: the next invoice bears the fees and the usage of this one, at the prices that hold now for each time. Lines that were added by hand are not repeated. */
rebill?: (boolean | null)
}
/** The body of `recordInvoicePayment`. */
export interface InvoicePaymentCreate {
amount: DecimalInput
/** The means of payment: `bank_transfer`, `cash` or `other`. */
method: ("bank_transfer" | "cash" | "other")
/** The reference of the payer's bank. */
reference?: (string | null)
/** The time of the payment. Default: now. */
receivedAt?: (string | null)
/** Your key of this payment, valid for ever and for all invoices of the merchant. The same key again answers 200 with the first payment. */
idempotencyKey: string
}
/** The body of `reverseInvoicePayment`. */
export interface PaymentReverse {
/** Why the payment does not count. */
reason: string
/** The time at which the money came back. Default: now. */
reversedAt?: (string | null)
/** Your key of this reversal, valid for ever and for all payments of the merchant. The same key again answers the reversed payment. */
idempotencyKey: string
}
/** The body of `markInvoicePaymentReturned`. */
export interface PaymentReturnCreate {
/** The reference of your bank. */
reference?: (string | null)
/** The time at which the money went back. Default: now. */
returnedAt?: (string | null)
}
/** The body of `openInvoicePaymentSession`. */
export interface InvoicePaymentSessionCreate {
/** Addresses to which the payment page leads. */
redirectUrls?: ({
/** The address after a payment. `https`, or `http` to localhost in the sandbox. */
onSuccess?: (string | null)
/** The address after the customer leaves the page without a payment. */
onFailure?: (string | null)
} | null)
/** How long the page can be used, in minutes. Default: 1,440, which is a day. */
sessionExpiryMinutes?: (number | null)
}
/** The body of `reissueInvoice`. */
export interface InvoiceReissue {
/** The reason. It stands on the credit note. */
reason: string
/** `true`: the new invoice is rated anew, with the usage and the tax rates of now. `false`: it has the same lines. */
recalculate?: (boolean | null)
}
/** The body of `refundInvoice`. */
export interface RefundCreate {
/** The reason, for people. */
reason?: (string | null)
}
/** The body of `createOrderLineItem`. */
export interface OrderLineItemCreate {
quantity: Decimal
listUnitPrice: Decimal
unitPrice: Decimal
totalPrice: Decimal
/** The item that is sold. Null: none. */
itemId?: (string | null)
/** The text of the line. Null: none. */
description?: (string | null)
/** The discount on one unit, in major units, at most `listUnitPrice`. Default of a new line: 0. */
discountUnitAmount?: (Decimal | null)
/** The start of the term of the line, inclusive. Null: the one of the order. */
termStartDate?: (string | null)
/** The end of the term of the line, exclusive. Null: the one of the order. */
termEndDate?: (string | null)
metadata?: (Metadata | null)
}
/** The body of `createOrder`. */
export interface OrderCreate {
/** The buyer. It never changes. */
customerId: string
/** The currency: an ISO 4217 code. */
currency: string
/** The start of the term, inclusive. */
termStartDate: string
/** The end of the term, exclusive. */
termEndDate: string
/** `new_business`, `renewal` or `expansion`. It never changes. Null: none. */
type?: (("new_business" | "renewal" | "expansion") | null)
/**
 * The lines of the order. More lines can be added later. Default: none.
 * 
 * @maxItems 500
 */
lineItems?: (OrderLineItemCreate[] | null)
/** The day on which the deal was closed. No rule reads it. Null: none. */
closeDate?: (string | null)
/** The total contract value, in major units. Default of a new order: the sum of the lines. */
totalAmount?: (Decimal | null)
/** The days from the issue of an invoice to its due date, unless a schedule names other ones. Default of a new order: 0. */
defaultPaymentTermDays?: (number | null)
metadata?: (Metadata | null)
/** Your own id of a reseller. No rule reads it. Null: none. */
resellerId?: (string | null)
/** `true`: invoices of the order have no tax. Default of a new order: `false`. */
taxExempt?: (boolean | null)
/** Your own name of the selling company. No rule reads it. Null: none. */
sellingEntity?: (string | null)
/** Sandbox only. The order follows this test clock. Null: real time. */
testClockId?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateOrder`. */
export interface OrderUpdate {
/** The start of the term, inclusive. */
termStartDate?: (string | null)
/** The end of the term, exclusive. */
termEndDate?: (string | null)
/** Cancels the order at this time, once. Time from then on is not owed. It may lie in the past or in the future. */
cancelledAt?: (string | null)
/** The day on which the deal was closed. No rule reads it. Null: none. */
closeDate?: (string | null)
/** The total contract value, in major units. Default of a new order: the sum of the lines. */
totalAmount?: (Decimal | null)
/** The days from the issue of an invoice to its due date, unless a schedule names other ones. Default of a new order: 0. */
defaultPaymentTermDays?: (number | null)
metadata?: (Metadata | null)
/** Your own id of a reseller. No rule reads it. Null: none. */
resellerId?: (string | null)
/** `true`: invoices of the order have no tax. Default of a new order: `false`. */
taxExempt?: (boolean | null)
/** Your own name of the selling company. No rule reads it. Null: none. */
sellingEntity?: (string | null)
}
/** The body of `updateOrderLineItem`. */
export interface OrderLineItemUpdate {
/** The number of units, 0 or more. */
quantity?: (Decimal | null)
/** The price of one unit before the discount, in major units. */
listUnitPrice?: (Decimal | null)
/** The price of one unit. Default: it follows from `listUnitPrice` and `discountUnitAmount`. */
unitPrice?: (Decimal | null)
/** The price of the line. Default: it follows from `quantity` and `unitPrice`. */
totalPrice?: (Decimal | null)
/** The item that is sold. Null: none. */
itemId?: (string | null)
/** The text of the line. Null: none. */
description?: (string | null)
/** The discount on one unit, in major units, at most `listUnitPrice`. Default of a new line: 0. */
discountUnitAmount?: (Decimal | null)
/** The start of the term of the line, inclusive. Null: the one of the order. */
termStartDate?: (string | null)
/** The end of the term of the line, exclusive. Null: the one of the order. */
termEndDate?: (string | null)
metadata?: (Metadata | null)
}
/** The body of `createBillingSchedule`. */
export interface BillingScheduleCreate {
/** The order that is billed. Required unless `subscriptionId` is sent. */
orderId?: (string | null)
/** The subscription to bill in addition to its plan. Required unless `orderId` is sent. */
subscriptionId?: (string | null)
/** The start of the first window, inclusive. */
startDate: string
/** The end of the last window, exclusive. */
endDate: string
/** The time from which windows are counted, with the alignment `anchor`. */
billingAnchor: string
/** Where windows begin: counted from `billingAnchor` (`anchor`), with the `calendar` month, or counted back from the end (`coterm`). Default of a new schedule: `anchor`. */
alignmentPolicy?: (("anchor" | "calendar" | "coterm") | null)
/** The price of a partial period: its share by days (`daily`), or the whole price (`none`). Default of a new schedule: `daily`. */
prorationPolicy?: (("none" | "daily") | null)
/** The days from the issue of an invoice to its due date. Null: those of the order or subscription. */
paymentTermDays?: (number | null)
/** How often an invoice is made: once (`single`), by a duration, or by `custom` windows. Default of a new schedule: `P1M`. */
periodPreset?: (("single" | "P1M" | "P3M" | "P6M" | "P1Y" | "custom") | null)
/**
 * The windows of the preset `custom`, and only of it: in order, without overlap, and within the dates.
 * 
 * @maxItems 1200
 */
customPeriodWindows?: ({
/** The start of the window, inclusive. */
start: string
/** The end of the window, exclusive. */
end: string
}[] | null)
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateBillingSchedule`. */
export interface BillingScheduleUpdate {
/** The start of the first window, inclusive. */
startDate?: (string | null)
/** The end of the last window, exclusive. */
endDate?: (string | null)
/** The time from which windows are counted, with the alignment `anchor`. */
billingAnchor?: (string | null)
/** Where windows begin: counted from `billingAnchor` (`anchor`), with the `calendar` month, or counted back from the end (`coterm`). Default of a new schedule: `anchor`. */
alignmentPolicy?: (("anchor" | "calendar" | "coterm") | null)
/** The price of a partial period: its share by days (`daily`), or the whole price (`none`). Default of a new schedule: `daily`. */
prorationPolicy?: (("none" | "daily") | null)
/** The days from the issue of an invoice to its due date. Null: those of the order or subscription. */
paymentTermDays?: (number | null)
/** How often an invoice is made: once (`single`), by a duration, or by `custom` windows. Default of a new schedule: `P1M`. */
periodPreset?: (("single" | "P1M" | "P3M" | "P6M" | "P1Y" | "custom") | null)
/**
 * The windows of the preset `custom`, and only of it: in order, without overlap, and within the dates.
 * 
 * @maxItems 1200
 */
customPeriodWindows?: ({
/** The start of the window, inclusive. */
start: string
/** The end of the window, exclusive. */
end: string
}[] | null)
metadata?: (Metadata | null)
}
/** An interval of a billing schedule, as a request has it. */
export interface ScheduleIntervalInput {
/** The order line that is billed. Null: none. */
orderLineItemId?: (string | null)
/** The item. Null: none. */
itemId?: (string | null)
/** A price for reference. Metered prices are refused. Null: none. */
priceId?: (string | null)
/** The text of the line on invoices. Null: the text of the order line. */
description?: (string | null)
/** The price of one unit for one period of the cadence, in major units. Null: the total price of the order line is divided. */
unitPrice?: (Decimal | null)
baseQuantity: Decimal
/**
 * Later quantities, each from a time on. Inside a period they count by days.
 * 
 * @maxItems 200
 */
quantityTransitions?: ({
/** The start of the quantity. */
effectiveDate: string
quantity: Decimal
}[] | null)
/** The time for which the price is, as an ISO 8601 duration such as `P3M`, or `one_off`. */
billingCadence: string
/** `advance` (default): invoiced as a window begins. `arrears`: invoiced as it ends. */
billingMode?: (("advance" | "arrears") | null)
/** The time at which a `one_off` charge is invoiced. Null: at `startDate`, or in arrears at `endDate`. */
billDate?: (string | null)
/** The start of the charge, inclusive. */
startDate: string
/** The end of the charge, exclusive. Null: the end of the schedule. */
endDate?: (string | null)
/** Your own object. It is stored and has no effect. Null: none. */
usageFilter?: (JsonObject | null)
metadata?: (Metadata | null)
}
/** The body of `replaceScheduleIntervals`. */
export interface ScheduleIntervalsReplace {
/**
 * The new intervals. An interval with the content of a former one keeps its id.
 * 
 * @maxItems 200
 */
intervals: ScheduleIntervalInput[]
/** Replaces only the intervals of this order line. Null: replaces all. */
orderLineItemId?: (string | null)
}
/** The body of `createApproval`. */
export interface ApprovalCreate {
/** `order` or `invoice`. */
resourceType: ("order" | "invoice")
/** The id of the order or invoice. */
resourceId: string
/** `data_review` (default), `financial_review`, or `push`, which also sends the resource to external systems. */
kind?: (("data_review" | "financial_review" | "push") | null)
/** A note for the reviewer. Null: none. */
note?: (string | null)
/** The hash of the content that you have seen. If the content has changed since: 409 `SNAPSHOT_STALE`. Default: the content now. */
dataSnapshotHash?: (string | null)
/** For platform operators: the user on whose behalf they act. Default: the caller. */
actorId?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `createOrderApproval`. */
export interface OrderApprovalCreate {
/** `data_review` (default), `financial_review`, or `push`, which also sends the resource to external systems. */
kind?: (("data_review" | "financial_review" | "push") | null)
/** A note for the reviewer. Null: none. */
note?: (string | null)
/** The hash of the content that you have seen. If the content has changed since: 409 `SNAPSHOT_STALE`. Default: the content now. */
dataSnapshotHash?: (string | null)
/** For platform operators: the user on whose behalf they act. Default: the caller. */
requester?: (string | null)
}
/** The body of `updateApproval`. */
export interface ApprovalUpdate {
/** `approved` and `rejected`: by another user than the requester. `cancelled`: by the requester or an admin. */
decision: ("approved" | "rejected" | "cancelled")
/** A note of the decision. Null: none. */
note?: (string | null)
/** For platform operators: the user on whose behalf they act. Default: the caller. */
actorId?: (string | null)
}
/** The body of `createSource`. */
export interface SourceCreate {
/** The name of the source. */
name: string
/** The plan that bills the revenue. */
planId: string
/** The external system: `stripe_revenue`, `revenuecat_revenue`, or `generic_revenue` for a system of your own. It never changes. */
type: ("stripe_revenue" | "revenuecat_revenue" | "generic_revenue")
/** Other fields are stored and returned unchanged. */
config: {
/** The project in the external system. */
projectId: string
/** The secret with which webhooks are signed. It is stored encrypted and never answered. Null removes it. */
webhookSecret?: (string | null)
[k: string]: unknown
}
/** Other fields are yours. */
metadata: {
/** The metrics for the figures of an event. */
billableMetricMapping: {
/** A `SUM` metric. It adds the amounts up. */
revenue: string
}
[k: string]: unknown
}
/** A text for people. Null: none. */
description?: (string | null)
/** `false`: webhooks are refused with 409 `SOURCE_DISABLED`. */
enabled?: (boolean | null)
/** `automatic` (default): an event is processed as it arrives. `manual`: it waits for a decision or a rule. */
processingMode?: (("automatic" | "manual") | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateSource`. */
export interface SourceUpdate {
/** The name of the source. */
name?: (string | null)
/** The plan that bills the revenue. */
planId?: (string | null)
/** Other fields are stored and returned unchanged. */
config?: ({
/** The project in the external system. */
projectId: string
/** The secret with which webhooks are signed. It is stored encrypted and never answered. Null removes it. */
webhookSecret?: (string | null)
[k: string]: unknown
} | null)
/** Other fields are yours. */
metadata?: ({
/** The metrics for the figures of an event. */
billableMetricMapping: {
/** A `SUM` metric. It adds the amounts up. */
revenue: string
}
[k: string]: unknown
} | null)
/** A text for people. Null: none. */
description?: (string | null)
/** `false`: webhooks are refused with 409 `SOURCE_DISABLED`. */
enabled?: (boolean | null)
/** `automatic`: an event is processed as it arrives. `manual`: it waits for a decision or a rule. */
processingMode?: (("automatic" | "manual") | null)
}
/** The body of `approveSourceEvents`, `rejectSourceEvents`. */
export interface SourceEventIds {
/**
 * The events. Each has an outcome of its own.
 * 
 * @minItems 1
 * @maxItems 1000
 */
eventIds: string[]
}
/** The body of `createSourceRule`. */
export interface SourceRuleCreate {
/** The source. */
sourceId: string
/** The name of the rule. */
name: string
/**
 * The conditions. The rule matches if all are true.
 * 
 * @minItems 1
 * @maxItems 20
 */
conditions: {
/** The property that is compared: `amount`, `date` (of `occurredAt`), `customerName` or `customerEmail`. */
type: ("date" | "customerName" | "customerEmail" | "amount")
/** The comparison. `contains` is for names and emails, `domain` for emails, the others for amounts and dates; `equals` is for all. */
operator: ("equals" | "contains" | "between" | "greaterThan" | "lessThan" | "domain")
/** The value: a text, a number or a date. With `between`: `{from, to}`, both inclusive. Texts are compared without case. */
value: (string | number | {
/** The lower bound, inclusive. */
from: (string | number)
/** The upper bound, inclusive. */
to: (string | number)
})
}[]
/** A text for people. Null: none. */
description?: (string | null)
/** The place of the rule. Rules are asked in ascending order, and the first match approves. Default: after all others. */
order?: (number | null)
/** `false`: the rule is not asked. */
enabled?: (boolean | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateSourceRule`. */
export interface SourceRuleUpdate {
/** The name of the rule. */
name?: (string | null)
/**
 * The conditions. The rule matches if all are true.
 * 
 * @minItems 1
 * @maxItems 20
 */
conditions?: ({
/** The property that is compared: `amount`, `date` (of `occurredAt`), `customerName` or `customerEmail`. */
type: ("date" | "customerName" | "customerEmail" | "amount")
/** The comparison. `contains` is for names and emails, `domain` for emails, the others for amounts and dates; `equals` is for all. */
operator: ("equals" | "contains" | "between" | "greaterThan" | "lessThan" | "domain")
/** The value: a text, a number or a date. With `between`: `{from, to}`, both inclusive. Texts are compared without case. */
value: (string | number | {
/** The lower bound, inclusive. */
from: (string | number)
/** The upper bound, inclusive. */
to: (string | number)
})
}[] | null)
/** A text for people. Null: none. */
description?: (string | null)
/** The place of the rule. Rules are asked in ascending order, and the first match approves. */
order?: (number | null)
/** `false`: the rule is not asked. */
enabled?: (boolean | null)
}
/** The body of `putMerchantIntegration`. */
export interface MerchantIntegrationPut {
/** The external system: a word of lowercase letters, digits and underscores. */
provider: string
/** Your account in the external system. Null: not known. */
externalId?: (string | null)
/** `active`: connected. `error`: the connection does not work. `disconnected`: it was ended. Default: `active`. */
status?: (("active" | "disconnected" | "error") | null)
config?: (JsonObject | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The fields of every `AlertCreate`. */
export interface AlertCreateBase {
/** The figure at which the alert triggers. Send exactly one of `threshold` and `percent`. */
threshold?: (Decimal | null)
/** The percentage at which the alert triggers. Of a balance: of all units of the usage period; of billing credits: of what was granted. Otherwise: of `limit`. Null: it has a `threshold`. */
percent?: (DecimalInput | null)
/** The name of the alert. The email shows it. Null: none. */
name?: (string | null)
/** `true`: the alert is a budget. While it is reached, the customer has no access to the features that it covers. Not for the types `balance` and `billing_credits`. Default: `false`. */
blocksAccess?: (boolean | null)
/** `true`: the customer gets an email too. Default: `false`. */
notifyCustomer?: (boolean | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateAlert`. */
export interface AlertUpdate {
/** The figure at which the alert triggers. It replaces a percentage. */
threshold?: (Decimal | null)
/** The percentage at which the alert triggers. It replaces a threshold. */
percent?: (DecimalInput | null)
/** The whole of `percent`, a decimal string. Null: there is none. */
limit?: (Decimal | null)
/** The name of the alert. The email shows it. Null: none. */
name?: (string | null)
/** `true`: the alert is a budget. While it is reached, the customer has no access to the features that it covers. Not for the types `balance` and `billing_credits`. Default: `false`. */
blocksAccess?: (boolean | null)
/** `true`: the customer gets an email too. Default: `false`. */
notifyCustomer?: (boolean | null)
/** Data of your own. A change replaces all of it. */
metadata?: (Metadata | null)
}
/** The body of `completePaymentSession`. */
export interface PaymentSessionCompletion {
/** The test card. The guide "Payments" lists the outcome of each. */
paymentMethod: ("pm_ok" | "pm_declined" | "pm_insufficient_funds" | "pm_then_declined" | "pm_disputed" | "pm_3ds" | "pm_slow" | "pm_slow_declined")
}
/** The body of `setUpPaymentMethod`. */
export interface PaymentMethodSetup {
/** The address after the card is stored. `https`, or `http` to localhost in the sandbox. */
successRedirectUrl?: (string | null)
/** The address after the customer leaves the page. */
failureRedirectUrl?: (string | null)
/** The time from which the page can no longer be used. Default: a day from now. */
expiresAt?: (string | null)
metadata?: (Metadata | null)
}
/** `amount` is that of one unit. */
export interface PaymentItemCreate {
/** The text of the item, as on the payment page. */
description: string
amount: DecimalInput
/** The number of units. */
quantity?: (number | null)
}
/** The body of `createPayment`. */
export interface PaymentCreate {
amount: DecimalInput
/** The currency: an ISO 4217 code. */
currency: string
/** The payer. Required with `savePaymentMethod`. */
customerId?: (string | null)
/** Your own reference, for people and searches. */
reference?: (string | null)
metadata?: (Metadata | null)
/**
 * The items that the payment page shows. Their sum is `amount`. Default: none.
 * 
 * @maxItems 100
 */
lineItems?: (PaymentItemCreate[] | null)
/** The address after a payment. `https`, or `http` to localhost in the sandbox. */
successRedirectUrl?: (string | null)
/** The address after the customer leaves the page without a payment. */
failureRedirectUrl?: (string | null)
/** `true`: the card that pays is stored for the customer. */
savePaymentMethod?: (boolean | null)
/** How long it can be paid, as an ISO 8601 duration of at most a year. Default: `P30D`. */
expiresIn?: (string | null)
/** Your key of this payment link, valid for ever. The same key again answers 200 with the first payment link. */
idempotencyKey?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `decidePaymentDispute`. */
export interface PaymentDisputeDecision {
/** The decision: `won` by the merchant, or `lost`. */
outcome: ("won" | "lost")
}
/** The body of `markPaymentExceptionReturned`. */
export interface PaymentExceptionReturnCreate {
/** The reference of your bank. */
reference?: (string | null)
/** The time at which the money went back. Default: now. */
returnedAt?: (string | null)
}
/** The body of `createSubscriptionPortal`, `createCustomerPortal`. */
export interface PortalLinkCreate {
/** How long the link opens the portal, as an ISO 8601 duration of at most `P7D`. Default: `PT10M`. */
expiresIn?: (string | null)
/** The address of the link "back" in the portal. Default: no link. */
returnUrl?: (string | null)
}
/** The known details of one person. The form is filled in with them, and the link works once. */
export interface CheckoutBuyerBody {
/** The name of the person or company. */
name?: (string | null)
/** The email address for invoices. */
email?: (string | null)
/** The billing address. */
address?: (AddressBody | null)
/** The tax number. */
taxId?: (string | null)
/** Your own name for the customer. Usage events name it as `externalSubject`. */
externalId?: (string | null)
/** The language of the page and of the emails. */
locale?: (("en" | "de" | "fr" | "es") | null)
}
/** The body of `createCheckoutLink`. */
export interface CheckoutLinkCreate {
/** The plan. The page sells the version that is the default one at the visit. */
planId: string
/** The currency: the one of the plan, or one that every price of it has. Default: the one of the plan. */
currency?: (string | null)
/** Addresses to which the sign-up page leads. */
redirectUrls?: ({
/** The address after the subscription is created. `https`, or `http` to localhost in the sandbox. */
onSuccess?: (string | null)
/** The address behind "cancel and return". */
onFailure?: (string | null)
} | null)
/** How long the link can be used, as an ISO 8601 duration of at most a year. Default: `P30D`. */
expiresIn?: (string | null)
/** How many people may subscribe by the link. Null: any number. Always 1 with `customer` or `customerId`. */
maxUses?: (number | null)
customer?: (CheckoutBuyerBody | null)
/** An existing customer. The page asks for no billing details, and the link works once. */
customerId?: (string | null)
/**
 * Coupons that everybody gets who subscribes by the link, by their ids or codes.
 * 
 * @maxItems 20
 */
coupons?: (string[] | null)
/** The page has a field for the code of a coupon. */
allowPromotionCodes?: (boolean | null)
metadata?: (Metadata | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `createWebhookEndpoint`. */
export interface WebhookEndpointCreate {
/** The address that receives webhooks: https, port 443 or 8443, public. In the sandbox also this machine, by http and any port. */
url: string
/**
 * The types of events that are sent. `*`, the default, is all of them, and new ones too.
 * 
 * @minItems 1
 * @maxItems 100
 */
eventTypes?: (("*" | "invoice.issued.v0" | "invoice.paid.v0" | "invoice.payment_failed.v0" | "invoice.overdue.v0" | "invoice.cancelled.v0" | "invoice.written_off.v0" | "invoice.refunded.v0" | "invoice.refund_voided.v0" | "invoice.credited.v0" | "invoice.credit_note_voided.v0" | "invoice.payment_reversed.v0" | "invoice.pushed.v0" | "subscription.created.v0" | "subscription.activated.v0" | "subscription.updated.v0" | "subscription.paused.v0" | "subscription.resumed.v0" | "subscription.trial_ending.v0" | "subscription.terminated.v0" | "subscription.renewal_reminder.v0" | "billing_credit.created.v0" | "billing_credit.low.v0" | "billing_credit.exhausted.v0" | "billing_credit.expired.v0" | "credit_top_up.paused.v0" | "grant.created.v0" | "grant.voided.v0" | "entitlement.balance_low.v0" | "entitlement.exhausted.v0" | "entitlement.reset.v0" | "payment_session.completed.v0" | "payment_session.expired.v0" | "order.approved.v0" | "order.cancelled.v0" | "order.pushed.v0" | "approval.requested.v0" | "approval.decided.v0" | "source_event.pending.v0" | "source_event.processed.v0" | "source_event.failed.v0" | "usage.unmatched.v0" | "usage.unbilled.v0" | "customer.created.v0" | "alert.triggered.v0" | "webhook_endpoint.failing.v0" | "webhook_endpoint.disabled.v0")[] | null)
/** A description of the endpoint. Null: none. */
description?: (string | null)
/** `enabled`: webhooks are sent. `disabled`: none are. Default: `enabled`. */
status?: (("enabled" | "disabled") | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `updateWebhookEndpoint`. */
export interface WebhookEndpointUpdate {
/** The address that receives webhooks: https, port 443 or 8443, public. In the sandbox also this machine, by http and any port. */
url?: (string | null)
/**
 * The types of events that are sent. `*`, the default, is all of them, and new ones too.
 * 
 * @minItems 1
 * @maxItems 100
 */
eventTypes?: (("*" | "invoice.issued.v0" | "invoice.paid.v0" | "invoice.payment_failed.v0" | "invoice.overdue.v0" | "invoice.cancelled.v0" | "invoice.written_off.v0" | "invoice.refunded.v0" | "invoice.refund_voided.v0" | "invoice.credited.v0" | "invoice.credit_note_voided.v0" | "invoice.payment_reversed.v0" | "invoice.pushed.v0" | "subscription.created.v0" | "subscription.activated.v0" | "subscription.updated.v0" | "subscription.paused.v0" | "subscription.resumed.v0" | "subscription.trial_ending.v0" | "subscription.terminated.v0" | "subscription.renewal_reminder.v0" | "billing_credit.created.v0" | "billing_credit.low.v0" | "billing_credit.exhausted.v0" | "billing_credit.expired.v0" | "credit_top_up.paused.v0" | "grant.created.v0" | "grant.voided.v0" | "entitlement.balance_low.v0" | "entitlement.exhausted.v0" | "entitlement.reset.v0" | "payment_session.completed.v0" | "payment_session.expired.v0" | "order.approved.v0" | "order.cancelled.v0" | "order.pushed.v0" | "approval.requested.v0" | "approval.decided.v0" | "source_event.pending.v0" | "source_event.processed.v0" | "source_event.failed.v0" | "usage.unmatched.v0" | "usage.unbilled.v0" | "customer.created.v0" | "alert.triggered.v0" | "webhook_endpoint.failing.v0" | "webhook_endpoint.disabled.v0")[] | null)
/** A description of the endpoint. Null: none. */
description?: (string | null)
/** `enabled`: webhooks are sent. `disabled`: none are. Default: `enabled`. */
status?: (("enabled" | "disabled") | null)
}
/** The body of `redeliverWebhookEvent`. */
export interface WebhookRedelivery {
/** Only to this endpoint. Default: to every enabled endpoint that is subscribed to the type. */
endpointId?: (string | null)
}
/** The body of `redeliverWebhookEvents`. */
export interface WebhookRangeRedelivery {
/** The beginning of the time, inclusive. */
from: string
/** The end of the time, exclusive. */
to: string
/** Only to this endpoint. Default: to every enabled endpoint that is subscribed to the type. */
endpointId?: (string | null)
/**
 * Only events of these types. Default: all.
 * 
 * @minItems 1
 * @maxItems 100
 */
types?: (("invoice.issued.v0" | "invoice.paid.v0" | "invoice.payment_failed.v0" | "invoice.overdue.v0" | "invoice.cancelled.v0" | "invoice.written_off.v0" | "invoice.refunded.v0" | "invoice.refund_voided.v0" | "invoice.credited.v0" | "invoice.credit_note_voided.v0" | "invoice.payment_reversed.v0" | "invoice.pushed.v0" | "subscription.created.v0" | "subscription.activated.v0" | "subscription.updated.v0" | "subscription.paused.v0" | "subscription.resumed.v0" | "subscription.trial_ending.v0" | "subscription.terminated.v0" | "subscription.renewal_reminder.v0" | "billing_credit.created.v0" | "billing_credit.low.v0" | "billing_credit.exhausted.v0" | "billing_credit.expired.v0" | "credit_top_up.paused.v0" | "grant.created.v0" | "grant.voided.v0" | "entitlement.balance_low.v0" | "entitlement.exhausted.v0" | "entitlement.reset.v0" | "payment_session.completed.v0" | "payment_session.expired.v0" | "order.approved.v0" | "order.cancelled.v0" | "order.pushed.v0" | "approval.requested.v0" | "approval.decided.v0" | "source_event.pending.v0" | "source_event.processed.v0" | "source_event.failed.v0" | "usage.unmatched.v0" | "usage.unbilled.v0" | "customer.created.v0" | "alert.triggered.v0" | "webhook_endpoint.failing.v0" | "webhook_endpoint.disabled.v0")[] | null)
/** `true`: leaves out delivered and pending events. */
onlyFailed?: (boolean | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** The body of `createTestClock`. */
export interface TestClockCreate {
/** A name for the clock. Null: none. */
name?: (string | null)
/** A description of the clock. Null: none. */
description?: (string | null)
/** The simulated time. Default of a creation: the time of the request. */
currentTime?: (string | null)
/** The merchant that owns the resource. Default: your own organization; an operator must send it. */
merchantId?: (string | null)
}
/** Exactly one of currentTime and advanceBy, unless only the name changes. */
export interface TestClockUpdate {
/** A name for the clock. Null: none. */
name?: (string | null)
/** A description of the clock. Null: none. */
description?: (string | null)
/** The time to which the clock advances. A time that it has reached already stops an advance. */
currentTime?: (string | null)
/** How far to advance: an ISO 8601 duration, such as `P1M` or `PT12H`. Send it or `currentTime`. */
advanceBy?: (string | null)
}
/** The fields of every `WebhookDelivery`. */
export interface WebhookDeliveryBase {
/** When the event happened; on a test clock its time. */
timestamp: string
}
export interface ListOrganizationsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only this merchant and its consumers. Default: your own organization; an operator without it gets all. */
merchantId?: string
/** Only organizations of this type. */
type?: ("merchant" | "consumer" | "platform")
/** Only organizations with this text in their name, in any case; at least 3 characters. */
name?: string
/** Only organizations with this text in one of their addresses, in any case; at least 3 characters. */
email?: string
}
export interface ListUsersQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only users of this organization. */
organizationId?: string
/** Only the users with this e-mail address, in any case. */
email?: string
/** Only users with this role. */
role?: ("admin" | "member" | "viewer")
}
export interface ListApiKeysQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListAuditLogQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only changes of this resource. */
resourceId?: string
/** Only changes by this operation, such as `updateCustomer`. */
operation?: string
/** Only resources of this user. */
userId?: string
/** Only changes at this time or later. */
from?: string
/** Only changes before this time. */
to?: string
}
export interface ListCustomersQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only the customers of this organization. The id of the merchant means all of its customers. */
organizationId?: string
/** Only customers with this text in their name, in any case; at least 3 characters. */
name?: string
/** Only customers with this text in an e-mail address, in any case; at least 3 characters. */
email?: string
/** Only the customer with this id in your own system. */
externalId?: string
/** Only the customers for which this customer pays. */
payerId?: string
/** Only resources that changed at this time or later, by the time of the world, whatever test clock they are on. Figures that are calculated for the answer, such as live totals, are no change. */
updatedFrom?: string
}
export interface ListProductsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListFeaturesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
/** Only features with this key. Keys are unique within one product only. */
key?: string
/** Only features of this type. */
type?: ("metered" | "static" | "boolean")
}
export interface ListBillableMetricsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
/** Only resources of this item. */
itemId?: string
/** Only metrics that count events of this type. */
eventType?: string
}
export interface ListCostsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
/** Only costs that count events of this type. */
eventType?: string
}
export interface ListItemsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only items of this product. */
catalogId?: string
/** Only items with a reference to this external system, such as `salesforce`. */
provider?: string
/** Only items with a reference to this record in an external system. */
externalId?: string
/** `true`: archived items are listed too. */
includeArchived?: boolean
}
export interface ListFeesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
/** Only resources of this item. */
itemId?: string
}
export interface ListPricesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this billable metric. */
billableMetricId?: string
/** Only resources of this fee. */
feeId?: string
}
export interface ListPlansQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
}
export interface ListAvailablePlansQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** The customer of the plans. */
customerId: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
/** Only plans with this text in their name, in any case. */
search?: string
}
export interface ListPlanVersionsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListExternalReferencesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only references of resources of this kind. */
entityType?: ("item" | "customer" | "order" | "invoice" | "subscription")
/** Only references of this resource. */
entityId?: string
/** Only references to this external system. */
provider?: string
/** Only references to this record. */
externalId?: string
}
export interface CreateEventsQuery {
/** entitlements: the answer has the balances that the events change. At most 100 subjects. */
expand?: "entitlements"
}
export interface ListEventsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only events of this type. */
type?: string
/** Only events of this customer or subscription. */
subject?: string
/** Only events that named the customer by this `externalSubject`. */
externalSubject?: string
/** Only events with this id of your own. */
externalId?: string
/** Only events with this `timestamp` or a later one. */
from?: string
/** Only events with a `timestamp` before this time. */
to?: string
/** `unmatched`: only events that nothing counts. `matched`: only the others. */
status?: ("matched" | "unmatched")
/** Only events that were accepted at this time or later. */
updatedFrom?: string
}
export interface GetMetricUsageQuery {
/** The beginning of the time, inclusive. */
from: string
/** The end of the time, exclusive. */
to: string
/** Only usage of this customer or subscription. */
subject?: string
/** Adds the usage of each window of this size, in UTC. At most 10,000 windows. */
windowSize?: ("MINUTE" | "HOUR" | "DAY" | "MONTH")
/** Adds the usage by these dimensions: names with commas between them. */
groupBy?: (string | string[])
/** Only usage with these values: a JSON object of dimensions with a value or a list of values. Null in a list stands for a missing value. */
filterGroupBy?: string
/** How many groups are answered at most. */
groupLimit?: number
/** How many groups come before those that are answered. */
groupOffset?: number
}
export interface ListMetricEventsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** The beginning of the time, inclusive. */
from: string
/** The end of the time, exclusive. */
to: string
/** Only usage of this customer or subscription. */
subject?: string
/** Only events that named the customer by this `externalSubject`. */
externalSubject?: string
/** Only events with this id of your own. */
externalId?: string
}
export interface GetCostSummaryQuery {
/** The beginning of the time, inclusive. */
from: string
/** The end of the time, exclusive. */
to: string
/** Only usage of this customer or subscription. */
subject?: string
/** Adds the usage by these dimensions: names with commas between them. */
groupBy?: (string | string[])
/** Adds the usage of each window of this size, in UTC. At most 10,000 windows. */
window?: ("MINUTE" | "HOUR" | "DAY")
/** Only usage with these values: a JSON object of dimensions with a value or a list of values. Null in a list stands for a missing value. */
filterGroupBy?: string
}
export interface GetCostReportQuery {
/** The beginning of the time, inclusive. */
from: string
/** The end of the time, exclusive. */
to: string
/** The merchant of the costs. Default: your own organization; an operator must send it. */
merchantId?: string
/** `cost`, `customer`, or a dimension of the costs. */
groupBy: string
/** Only this cost. */
costId?: string
/** Only usage of this customer or subscription. */
subject?: string
/** Only usage with these values: a JSON object of dimensions with a value or a list of values. Null in a list stands for a missing value. */
filterGroupBy?: string
/** The number of separate groups; the others are added up as one. Default: 9, and all with `limit` or `offset`. */
topN?: number
/** How many groups the page has at most. Default: 10. */
limit?: number
/** How many groups come before the page. Default: 0. */
offset?: number
/** `true`: each group is compared with the time of the same length before. */
comparePriorPeriod?: boolean
/** The size of the windows of the series, in UTC. Default: `DAY`, and `MONTH` above 1,000 days. At most 10,000 figures: windows times the groups in the answer. */
windowSize?: ("HOUR" | "DAY" | "MONTH")
/** The figure by which the groups are sorted. */
sort?: ("totalCost" | "totalQuantity")
/** `desc`: the largest first. `asc`: the smallest first. */
sortDir?: ("asc" | "desc")
/** Only costs in this currency: an ISO 4217 code. Default: the one of most costs. */
currency?: string
}
export interface GetRevenueQuery {
/** The start of the time of the report, inclusive. */
startTime: string
/** The end of the time of the report, exclusive. */
endTime: string
/** The width of a bucket of `trend`, in UTC. Weeks begin on Monday. Default: `day`, and `month` above about 1,000 days. At most 10,000 figures: buckets times the groups or currencies in the answer. */
bucketWidth?: ("hour" | "day" | "week" | "month")
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this customer. */
customerId?: string
/** Only revenue of these subscriptions, at most 100: separated by commas, or repeated. */
subscriptionIds?: (string | string[])
/** The currency of the figures at the top. Default: the currency of the merchant, or the only currency of the figures. */
currency?: string
/** Adds `groupBreakdown`: by `plan`, `customer` or `currency`. */
groupBy?: ("plan" | "customer" | "currency")
}
export interface GetProfitabilityQuery {
/** The start of the time of the report, inclusive. */
from: string
/** The end of the time of the report, exclusive. */
to: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** The most rows in the answer. */
topN?: number
/** The currency of the figures. Default: the currency of the merchant, or the only currency of the figures. */
currency?: string
/** Adds a `trend` to each row, with buckets of this width: at most 10,000 values, buckets times `topN`. */
bucketWidth?: ("hour" | "day" | "week" | "month")
/** The figure by which rows are sorted. */
sort?: ("profit" | "netRevenue" | "totalCost")
/** The direction of the sort. */
sortDir?: ("asc" | "desc")
}
export interface GetUnbilledUsageQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The start of the time of the usage, inclusive. */
from: string
/** The end of the time of the usage, exclusive. */
to: string
/** `reason,metric` (default), `reason` or `metric`. */
groupBy?: (string | string[])
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListSubscriptionsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this customer. */
customerId?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only subscriptions of the customer with this organization. */
consumerId?: string
/** Only resources of this plan. */
planId?: string
/** Only subscriptions with this status. */
status?: ("pending_payment" | "active" | "terminated")
/** Only subscriptions with a `startedAt` before this time. */
startedBefore?: string
/** `true`: only active subscriptions with an `endingAt`. `false`: only the others. */
ending?: boolean
/** Only resources on this test clock. */
testClockId?: string
/** `customer` adds the two parties to each subscription. */
include?: "customer"
/** Only resources that changed at this time or later, by the time of the world, whatever test clock they are on. Figures that are calculated for the answer, such as live totals, are no change. */
updatedFrom?: string
}
export interface ListSubscriptionAdjustmentsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListSubscriptionChangesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListPlanMigrationsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListPlanMigrationSubscriptionsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only subscriptions with this outcome. */
outcome?: ("applied" | "scheduled" | "refused" | "waiting" | "cancelled")
}
export interface ListCouponsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only the coupon with this code, in any case. */
code?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListRedemptionsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListEntitlementsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only entitlements of this customer. Not together with `externalCustomerId`. */
customerId?: string
/** Only entitlements of the customer with this `externalId`. */
externalCustomerId?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only features of this product. */
productId?: string
/** Only the feature with this key. */
featureKey?: string
/** Only entitlements of this subscription. */
subscriptionId?: string
/** Answers for this time: usage before it, without reservations and budgets. Default: now. */
at?: string
}
export interface ListActiveEntitlementsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** The customer of the entitlements. */
customerId: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this product. */
productId?: string
/** Only resources of this subscription. */
subscriptionId?: string
}
export interface GetEntitlementQuery {
/** Answers for this time: usage before it, without reservations and budgets. Default: now. */
at?: string
}
export interface GetEntitlementHistoryQuery {
/** The beginning of the history. Default: the start of the current usage period. */
from?: string
/** The end of the history. Default: now. */
to?: string
/** The size of the windows, in UTC. Default: `DAY`. There are at most 400 windows, and at most 10,000 figures of grants in them. */
windowSize?: ("MINUTE" | "HOUR" | "DAY" | "MONTH")
}
export interface GetCustomerAccessQuery {
/** Answers for this time: usage before it, without reservations and budgets. Default: now. */
at?: string
/** Only features of this product. */
productId?: string
/** Only the feature with this key. */
featureKey?: string
}
export interface GetExternalCustomerAccessQuery {
/** The `externalId` of the customer. */
externalCustomerId: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Answers for this time: usage before it, without reservations and budgets. Default: now. */
at?: string
/** Only features of this product. */
productId?: string
/** Only the feature with this key. */
featureKey?: string
}
export interface ListGrantsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** `true`: voided grants are listed too. */
includeVoided?: boolean
}
export interface ListReservationsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface GetUpcomingInvoiceQuery {
/** Only the series of invoices with this cadence, an ISO 8601 duration such as `P1Y`. Default: all series. */
billingCadence?: string
}
export interface ListLineItemsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only lines of this subscription. */
subscriptionId?: string
/** Only lines of this invoice. */
invoiceId?: string
/** `pending`: only lines of open and later invoices. `invoiced`: only the others. Default: both. */
status?: ("pending" | "invoiced")
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListBillingCreditsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface GetBillingCreditBalanceQuery {
/** The currency. */
currency: string
/** The credits that are effective by then. Default: now. */
at?: string
}
export interface ListCommitmentsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this customer. */
customerId?: string
/** Only resources of this subscription. */
subscriptionId?: string
/** Only resources of this order. */
orderId?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListReceiptsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface GetCustomerStatementQuery {
/** The start of the statement, inclusive. */
from: string
/** The end of the statement, exclusive. */
to: string
/** The currency of the statement. Required for a customer with several currencies. Default: its only one. */
currency?: string
}
export interface ListInvoicesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** `ready` lists invoices that are due for their next step. For platform operators. */
nextActionAt?: "ready"
/** Only invoices with this status. */
status?: ("ACTIVE" | "CLOSING" | "CLOSED" | "CALCULATING" | "DRAFT" | "ISSUED" | "PAYMENT_FAILED" | "PAID" | "WRITTEN_OFF" | "CANCELLED" | "FAILED")
/** Only resources of this subscription. */
subscriptionId?: string
/** Only invoices of this customer. It wins over `merchantId`. */
customerId?: string
/** Only invoices that this customer pays for others. */
payerId?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only the invoice with exactly this number. */
invoiceNumber?: string
/** Only invoices that were issued at this time or later. */
issuedFrom?: string
/** Only invoices that were issued before this time. */
issuedTo?: string
/** Only invoices that are due at this time or later. */
dueFrom?: string
/** Only invoices that are due before this time. */
dueTo?: string
/** `true`: only issued invoices for which money is still asked, also after a declined charge. `false`: only the others. */
unpaid?: boolean
/** `true`: only unpaid invoices after the UTC day of `dueAt`. `false`: only the others. */
overdue?: boolean
amountFrom?: Decimal
amountTo?: Decimal
/** Only resources that changed at this time or later, by the time of the world, whatever test clock they are on. Figures that are calculated for the answer, such as live totals, are no change. */
updatedFrom?: string
}
export interface GetInvoiceQuery {
/** `lineItems` adds the lines to the invoice. */
expand?: "lineItems"
/** The most lines in the answer. */
lineItemsLimit?: number
/** The `nextPageToken` of the page before. Default: the first page. */
lineItemsPageToken?: string
}
export interface ListInvoiceLineItemsQuery {
/** The most lines in the answer. */
limit?: number
/** The `nextPageToken` of the page before. Default: the first page. */
pageToken?: string
/** `items` adds the items of the lines, with their external references. */
expand?: "items"
/** With `expand=items`: only references to this external system. */
provider?: string
}
export interface ListInvoiceCreditNotesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListInvoicePaymentsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources that changed at this time or later, by the time of the world, whatever test clock they are on. Figures that are calculated for the answer, such as live totals, are no change. */
updatedFrom?: string
}
export interface ListInvoiceRefundsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListOrdersQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this customer. */
customerId?: string
/** Only orders with this `approvalStatus`, without cancelled ones. `cancelled`: only orders with `cancelledAt`. */
status?: ("draft" | "pending" | "approved" | "rejected" | "cancelled")
/** Only orders of this type. */
type?: ("new_business" | "renewal" | "expansion")
}
export interface ListOrderLineItemsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListBillingSchedulesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this order. */
orderId?: string
/** Only resources of this subscription. */
subscriptionId?: string
/** Only resources of this customer. */
customerId?: string
/** Only schedules with this status. */
status?: ("draft" | "active" | "completed" | "cancelled")
}
export interface ListScheduleIntervalsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListScheduleInvoicesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only rows with this status. Default: all. */
status?: ("staged" | "pushed" | "cancelled")
}
export interface ListApprovalsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only approvals of this type of resource. */
resourceType?: ("order" | "invoice")
/** Only approvals of this order or invoice. */
resourceId?: string
/** Only approvals of this kind. */
kind?: ("data_review" | "financial_review" | "push")
/** Only approvals with this decision. */
decision?: ("pending" | "approved" | "rejected" | "cancelled")
}
export interface ListWalletEntriesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources in this currency: an ISO 4217 code. */
currency?: string
}
export interface GetCustomerTimelineQuery {
/** Only entries of these kinds, separated by commas, or repeated. Default: all. */
kinds?: (string | string[])
/** Only entries at this time or later. */
from?: string
/** Only entries before this time. */
to?: string
/** How many entries the page has at most. */
limit?: number
/** The page begins behind this place: the `nextCursor` of the page before. */
before?: string
}
export interface ListSourcesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this plan. */
planId?: string
/** Only sources of this type. */
type?: ("stripe_revenue" | "revenuecat_revenue" | "generic_revenue")
/** Only sources that are enabled, or disabled. */
enabled?: boolean
/** Only sources with this mode. */
processingMode?: ("automatic" | "manual")
}
export interface ListSourceEventsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only events with this status. */
status?: ("pending" | "processed" | "failed" | "rejected")
/** Only resources of this customer. */
customerId?: string
/** Only events that this subscription bills. */
subscriptionId?: string
/** Only the event with this id of the external system. */
externalEventId?: string
/** Only events that arrived at this time or later. */
from?: string
/** Only events that arrived before this time. */
to?: string
}
export interface ListSourceRulesQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only rules of this source. */
sourceId?: string
/** Only rules that are enabled, or disabled. */
enabled?: boolean
}
export interface ListMerchantIntegrationsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only the integration with this external system. */
provider?: string
/** Only integrations in this status. */
status?: ("active" | "disconnected" | "error")
}
export interface ListAlertsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only alerts of this type. */
type?: ("balance" | "invoice_total" | "usage" | "billing_credits")
/** Only resources of this customer. */
customerId?: string
/** Only resources of this entitlement. */
entitlementId?: string
/** Only resources of this subscription. */
subscriptionId?: string
/** Only resources of this billable metric. */
billableMetricId?: string
}
export interface ListAlertTriggersQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListPaymentSessionsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this subscription. */
subscriptionId?: string
/** Only resources of this customer. */
customerId?: string
/** Only sessions with this status. */
status?: ("pending" | "processing" | "completed" | "failed" | "expired" | "cancelled")
/** Only sessions for this type of record. */
entityType?: ("invoice" | "subscription" | "payment" | "topup" | "customer")
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListPaymentMethodsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
}
export interface ListPaymentsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this customer. */
customerId?: string
/** Only payment links with this status. */
status?: ("pending" | "processing" | "completed" | "expired" | "cancelled")
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources that changed at this time or later, by the time of the world, whatever test clock they are on. Figures that are calculated for the answer, such as live totals, are no change. */
updatedFrom?: string
}
export interface ListPaymentExceptionsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only exceptions of this kind. */
kind?: ("charge" | "refund" | "strayPayment" | "notice")
/** Only exceptions with this status. */
status?: ("unresolved" | "manual" | "failed")
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListCheckoutLinksQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this plan. */
planId?: string
/** Only resources of this customer. */
customerId?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface ListMailsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only resources of this customer. */
customerId?: string
/** Only emails about this invoice. */
invoiceId?: string
/** Only emails about this subscription. */
subscriptionId?: string
/** Only emails of this kind. */
kind?: ("invoiceIssued" | "invoicePaid" | "paymentReceived" | "paymentReversed" | "paymentFailed" | "invoiceRefunded" | "refundVoided" | "invoiceCredited" | "invoiceCancelled" | "renewalReminder" | "trialEnding" | "alertTriggered" | "alertReached" | "portalLink")
/** Only emails with this status. */
status?: ("held" | "pending" | "sent" | "failed" | "withdrawn")
}
export interface ListWebhookEndpointsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The events after this one, in the order of their commits, oldest first. `start` is before the first. No event is added in between later. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only endpoints in this status. */
status?: ("enabled" | "disabled")
}
export interface ListWebhookEventsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The events after this one, in the order of their commits, oldest first. `start` is before the first. No event is added in between later. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only events of this type. */
type?: ("invoice.issued.v0" | "invoice.paid.v0" | "invoice.payment_failed.v0" | "invoice.overdue.v0" | "invoice.cancelled.v0" | "invoice.written_off.v0" | "invoice.refunded.v0" | "invoice.refund_voided.v0" | "invoice.credited.v0" | "invoice.credit_note_voided.v0" | "invoice.payment_reversed.v0" | "invoice.pushed.v0" | "subscription.created.v0" | "subscription.activated.v0" | "subscription.updated.v0" | "subscription.paused.v0" | "subscription.resumed.v0" | "subscription.trial_ending.v0" | "subscription.terminated.v0" | "subscription.renewal_reminder.v0" | "billing_credit.created.v0" | "billing_credit.low.v0" | "billing_credit.exhausted.v0" | "billing_credit.expired.v0" | "credit_top_up.paused.v0" | "grant.created.v0" | "grant.voided.v0" | "entitlement.balance_low.v0" | "entitlement.exhausted.v0" | "entitlement.reset.v0" | "payment_session.completed.v0" | "payment_session.expired.v0" | "order.approved.v0" | "order.cancelled.v0" | "order.pushed.v0" | "approval.requested.v0" | "approval.decided.v0" | "source_event.pending.v0" | "source_event.processed.v0" | "source_event.failed.v0" | "usage.unmatched.v0" | "usage.unbilled.v0" | "customer.created.v0" | "alert.triggered.v0" | "webhook_endpoint.failing.v0" | "webhook_endpoint.disabled.v0")
/** Only events of this resource. */
resourceId?: string
}
export interface ListWebhookAttemptsQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The events after this one, in the order of their commits, oldest first. `start` is before the first. No event is added in between later. */
after?: string
/** Only attempts and webhooks of this endpoint. */
endpointId?: string
}
export interface ListWebhookInboxQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The events after this one, in the order of their commits, oldest first. `start` is before the first. No event is added in between later. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
/** Only attempts and webhooks of this endpoint. */
endpointId?: string
/** Only webhooks of this event. */
eventId?: string
/** Only events of this type. */
type?: string
}
export interface ListTestClocksQuery {
/** How many resources the page has at most. */
limit?: number
/** How many resources come before the page. */
offset?: number
/** The page begins behind this resource: its id, or the `nextAfter` of the page before. Resources that come, go or change meanwhile do not move it. Not with `offset`. */
after?: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface SearchQuery {
/** An id, a number of an invoice or a credit note, or a part of a name, an e-mail address, an `externalId` or a key. 1 to 200 characters without the spaces around them. */
q: string
/** How many results the answer has at most. */
limit?: number
/** Only results of this merchant. Default: your own organization; an operator without it finds exact ids alone, and no events. */
merchantId?: string
}
export interface GetNamesQuery {
/** The ids, separated by commas: 1 to 100. */
ids: string
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
export interface GetOverviewQuery {
/** Only resources of this merchant. Default: your own organization; an operator without it gets all merchants. */
merchantId?: string
}
