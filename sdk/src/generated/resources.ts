// Made of the OpenAPI document by `npm run sdk:generate`. A test makes it again and compares.

import type { CallOptions } from '../call.ts';
import type { List } from '../list.ts';
import type {
  ActiveEntitlementList,
  Alert,
  AlertCreate,
  AlertList,
  AlertTriggerList,
  AlertUpdate,
  ApiKey,
  ApiKeyCreate,
  ApiKeyList,
  Approval,
  ApprovalChanges,
  ApprovalCreate,
  ApprovalList,
  ApprovalUpdate,
  AuditEntryList,
  BillableMetric,
  BillableMetricCreate,
  BillableMetricList,
  BillableMetricUpdate,
  BillableMetrics,
  BillableMetricsCreate,
  BillingCredit,
  BillingCreditBalance,
  BillingCreditCreate,
  BillingCreditList,
  BillingCreditPurchase,
  BillingCreditPurchaseCreate,
  BillingSchedule,
  BillingScheduleCreate,
  BillingScheduleList,
  BillingScheduleUpdate,
  CheckoutLink,
  CheckoutLinkCreate,
  CheckoutLinkList,
  Commitment,
  CommitmentCreate,
  CommitmentList,
  CommitmentUpdate,
  Cost,
  CostCreate,
  CostList,
  CostReport,
  CostUpdate,
  CostUsageResponse,
  Coupon,
  CouponCreate,
  CouponList,
  CouponUpdate,
  CreateEventsBody,
  CreateEventsQuery,
  CreateEventsReply,
  CreditNote,
  CreditNoteCreate,
  CreditNoteList,
  CreditTopUp,
  CreditTopUpSet,
  Customer,
  CustomerAccess,
  CustomerChange,
  CustomerCreate,
  CustomerCreated,
  CustomerList,
  CustomerPortal,
  EntitlementCreate,
  EntitlementDetail,
  EntitlementHistory,
  EntitlementList,
  EntitlementReset,
  EventExplanation,
  EventWithData,
  ExternalReference,
  ExternalReferenceCreate,
  ExternalReferenceList,
  ExternalReferenceUpdate,
  Feature,
  FeatureCreate,
  FeatureList,
  FeatureUpdate,
  Fee,
  FeeCreate,
  FeeList,
  FeeUpdate,
  GetBillingCreditBalanceQuery,
  GetCostReportQuery,
  GetCostSummaryQuery,
  GetCustomerAccessQuery,
  GetCustomerStatementQuery,
  GetCustomerTimelineQuery,
  GetEntitlementHistoryQuery,
  GetEntitlementQuery,
  GetExternalCustomerAccessQuery,
  GetInvoiceQuery,
  GetMetricUsageQuery,
  GetNamesQuery,
  GetOverviewQuery,
  GetProfitabilityQuery,
  GetRevenueQuery,
  GetUnbilledUsageQuery,
  GetUpcomingInvoiceQuery,
  Grant,
  GrantCreate,
  GrantList,
  GrantPurchase,
  GrantPurchaseCreate,
  Invoice,
  InvoiceCancel,
  InvoiceCreate,
  InvoiceExplanation,
  InvoiceLineItemsResponse,
  InvoiceList,
  InvoicePayment,
  InvoicePaymentCreate,
  InvoicePaymentList,
  InvoicePaymentSessionCreate,
  InvoiceRefund,
  InvoiceRefundList,
  InvoiceReissue,
  Item,
  ItemCreate,
  ItemList,
  ItemUpdate,
  JsonObject,
  LineItem,
  LineItemCreate,
  LineItemsResponse,
  ListActiveEntitlementsQuery,
  ListAlertTriggersQuery,
  ListAlertsQuery,
  ListApiKeysQuery,
  ListApprovalsQuery,
  ListAuditLogQuery,
  ListAvailablePlansQuery,
  ListBillableMetricsQuery,
  ListBillingCreditsQuery,
  ListBillingSchedulesQuery,
  ListCheckoutLinksQuery,
  ListCommitmentsQuery,
  ListCostsQuery,
  ListCouponsQuery,
  ListCustomersQuery,
  ListEntitlementsQuery,
  ListEventsQuery,
  ListExternalReferencesQuery,
  ListFeaturesQuery,
  ListFeesQuery,
  ListGrantsQuery,
  ListInvoiceCreditNotesQuery,
  ListInvoiceLineItemsQuery,
  ListInvoicePaymentsQuery,
  ListInvoiceRefundsQuery,
  ListInvoicesQuery,
  ListItemsQuery,
  ListLineItemsQuery,
  ListMailsQuery,
  ListMerchantIntegrationsQuery,
  ListMetricEventsQuery,
  ListOrderLineItemsQuery,
  ListOrdersQuery,
  ListOrganizationsQuery,
  ListPaymentExceptionsQuery,
  ListPaymentMethodsQuery,
  ListPaymentSessionsQuery,
  ListPaymentsQuery,
  ListPlanMigrationSubscriptionsQuery,
  ListPlanMigrationsQuery,
  ListPlanVersionsQuery,
  ListPlansQuery,
  ListPricesQuery,
  ListProductsQuery,
  ListReceiptsQuery,
  ListRedemptionsQuery,
  ListReservationsQuery,
  ListScheduleIntervalsQuery,
  ListScheduleInvoicesQuery,
  ListSourceEventsQuery,
  ListSourceRulesQuery,
  ListSourcesQuery,
  ListSubscriptionAdjustmentsQuery,
  ListSubscriptionChangesQuery,
  ListSubscriptionsQuery,
  ListTestClocksQuery,
  ListUsersQuery,
  ListWalletEntriesQuery,
  ListWebhookAttemptsQuery,
  ListWebhookEndpointsQuery,
  ListWebhookEventsQuery,
  ListWebhookInboxQuery,
  ListedEventList,
  ListedPaymentSessionList,
  Mail,
  MailList,
  Me,
  MerchantIntegration,
  MerchantIntegrationList,
  MerchantIntegrationPut,
  MetricEvents,
  Names,
  Order,
  OrderApprovalCreate,
  OrderCreate,
  OrderLineItem,
  OrderLineItemCreate,
  OrderLineItemList,
  OrderLineItemUpdate,
  OrderList,
  OrderUpdate,
  Organization,
  OrganizationChange,
  OrganizationCreate,
  OrganizationList,
  OrganizationLogo,
  Overview,
  PauseRequest,
  Payment,
  PaymentCreate,
  PaymentDispute,
  PaymentDisputeDecision,
  PaymentException,
  PaymentExceptionList,
  PaymentExceptionReturnCreate,
  PaymentList,
  PaymentMethod,
  PaymentMethodList,
  PaymentMethodSetup,
  PaymentReturnCreate,
  PaymentReverse,
  PaymentSession,
  PaymentSessionCompletion,
  Plan,
  PlanCreate,
  PlanList,
  PlanMigration,
  PlanMigrationCreate,
  PlanMigrationProgress,
  PlanMigrationProgressList,
  PlanMigrationSubscriptionList,
  PlanSimulation,
  PlanSimulationCreate,
  PlanUpdate,
  PlanVersion,
  PlanVersionCreate,
  PlanVersionSummaryList,
  PlanVersionUpdate,
  PortalLinkCreate,
  Price,
  PriceCreate,
  PriceList,
  PriceUpdate,
  Product,
  ProductCreate,
  ProductList,
  ProductUpdate,
  ProfitabilitySummaryResponse,
  Reason,
  Receipt,
  ReceiptApply,
  ReceiptCreate,
  ReceiptList,
  ReceiptReturning,
  ReceiveSourceEventReply,
  Redemption,
  RedemptionCreate,
  RedemptionList,
  RefundCreate,
  Reservation,
  ReservationCreate,
  ReservationList,
  ReservationSettlement,
  RevenueSummaryResponse,
  ScheduleIntervalList,
  ScheduleIntervalsReplace,
  ScheduleInvoiceList,
  SearchQuery,
  SearchResults,
  Source,
  SourceCreate,
  SourceEvent,
  SourceEventIds,
  SourceEventList,
  SourceEventsApproved,
  SourceEventsRejected,
  SourceList,
  SourceRule,
  SourceRuleCreate,
  SourceRuleList,
  SourceRuleUpdate,
  SourceUpdate,
  Statement,
  Subscription,
  SubscriptionAdjustment,
  SubscriptionAdjustmentCreate,
  SubscriptionAdjustmentList,
  SubscriptionChangeCreate,
  SubscriptionChangeList,
  SubscriptionChangeReply,
  SubscriptionCreate,
  SubscriptionList,
  SubscriptionPortal,
  SubscriptionPreview,
  SubscriptionReconciliation,
  SubscriptionReconciliationCreate,
  SubscriptionResumption,
  SubscriptionTermination,
  SubscriptionUpdate,
  TestClock,
  TestClockCreate,
  TestClockList,
  TestClockUpdate,
  Timeline,
  UnbilledUsage,
  UsageResponse,
  User,
  UserChange,
  UserCreate,
  UserList,
  Wallet,
  WalletEntryList,
  WalletTopUp,
  WalletTopUpCreate,
  WebhookAttemptList,
  WebhookEndpoint,
  WebhookEndpointCreate,
  WebhookEndpointList,
  WebhookEndpointUpdate,
  WebhookEvent,
  WebhookEventList,
  WebhookRangeRedelivery,
  WebhookReceiptList,
  WebhookRedelivery,
  WebhookRedeliveryCount,
  WebhookTest,
} from './types.ts';

export interface OrganizationsResource {
  /**
   * Create a merchant or a consumer.
   *
   * For platform operators. A consumer belongs to the merchant in `merchantId`. A merchant needs a user and an API key next.
   *
   * `POST /v0/organizations`
   */
  create(body: OrganizationCreate, options?: CallOptions): Promise<Organization>;

  /**
   * List organizations.
   *
   * The merchant itself and its consumers, newest first.
   *
   * `GET /v0/organizations`
   */
  list(query?: ListOrganizationsQuery, options?: CallOptions): List<OrganizationList>;

  /**
   * Retrieve an organization.
   *
   * Answers one organization; a merchant with its settings.
   *
   * `GET /v0/organizations/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Organization>;

  /**
   * Update an organization or its settings.
   *
   * A field of `settings` that is not sent stays as it is; null is its default again. Only admins change settings. Issued invoices do not change.
   *
   * `PATCH /v0/organizations/{id}`
   */
  update(id: string, body?: OrganizationChange, options?: CallOptions): Promise<Organization>;

  /**
   * Upload the logo of a merchant.
   *
   * The body is the file with its content type, at most 256 KiB. A PNG has sides of at most 2,000 pixels. An SVG may have shapes, gradients and clip paths. Documents that are rendered from now on show it.
   *
   * `PUT /v0/organizations/{id}/logo`
   */
  putLogo(id: string, body: Blob, options?: CallOptions): Promise<OrganizationLogo>;

  /**
   * Download the logo of a merchant.
   *
   * Answers the file itself. A 404 where the merchant has none.
   *
   * `GET /v0/organizations/{id}/logo`
   */
  getLogo(id: string, options?: CallOptions): Promise<Uint8Array>;

  /**
   * Delete the logo of a merchant.
   *
   * New documents have no logo. Stored documents do not change.
   *
   * `DELETE /v0/organizations/{id}/logo`
   */
  deleteLogo(id: string, options?: CallOptions): Promise<void>;
}

export interface UsersResource {
  /**
   * Create a user of an organization.
   *
   * A user acts through API keys. Users of the platform organization are operators. A user cannot grant a role above their own.
   *
   * `POST /v0/users`
   */
  create(body: UserCreate, options?: CallOptions): Promise<User>;

  /**
   * List users.
   *
   * Newest first.
   *
   * `GET /v0/users`
   */
  list(query?: ListUsersQuery, options?: CallOptions): List<UserList>;

  /**
   * Retrieve a user.
   *
   * Answers one user. An unknown id is a 404.
   *
   * `GET /v0/users/{id}`
   */
  get(id: string, options?: CallOptions): Promise<User>;

  /**
   * Update a user.
   *
   * A field that is not sent stays unchanged. A new role applies to all keys of the user within a second.
   *
   * `PATCH /v0/users/{id}`
   */
  update(id: string, body?: UserChange, options?: CallOptions): Promise<User>;

  /**
   * Create an API key.
   *
   * Only this answer has the `secret`. The key works in this environment only, with the role of the user.
   *
   * `POST /v0/users/{userId}/apikeys`
   */
  createApiKey(userId: string, body: ApiKeyCreate, options?: CallOptions): Promise<ApiKey>;

  /**
   * List the API keys of a user.
   *
   * Newest first, without their secrets.
   *
   * `GET /v0/users/{userId}/apikeys`
   */
  listApiKeys(userId: string, query?: ListApiKeysQuery, options?: CallOptions): List<ApiKeyList>;

  /**
   * Revoke an API key.
   *
   * Within a second the key stops working. A revoked key cannot be restored.
   *
   * `DELETE /v0/users/{userId}/apikeys/{keyId}`
   */
  revokeApiKey(userId: string, keyId: string, options?: CallOptions): Promise<void>;
}

export interface Alone {
  /**
   * Retrieve the user of this API key.
   *
   * Shows the owner of a key. Use it to test a key.
   *
   * `GET /v0/me`
   */
  getMe(options?: CallOptions): Promise<Me>;

  /**
   * Report revenue.
   *
   * Reports invoices, refunds, payments and net revenue of a stretch of time, with a figure for each bucket. Amounts are without tax, except payments. A later refund, void or cancellation changes the report of the time to which it belongs. Platform operators must send `merchantId`.
   *
   * `GET /v0/revenue`
   */
  getRevenue(query?: GetRevenueQuery, options?: CallOptions): Promise<RevenueSummaryResponse>;

  /**
   * Report the profit by customer.
   *
   * Subtracts the cost of the usage of each customer from the net revenue of the customer. Costs are those of `/v0/costs`. Platform operators must send `merchantId`.
   *
   * `GET /v0/profitability`
   */
  getProfitability(query?: GetProfitabilityQuery, options?: CallOptions): Promise<ProfitabilitySummaryResponse>;

  /**
   * Search for a resource.
   *
   * Finds any resource by its id, invoices and credit notes by the beginning of their number, customers by name, e-mail address and `externalId`, and products, plans, features and billable metrics by name and key. Upper and lower case are the same. One or two characters find beginnings alone.
   *
   * `GET /v0/search`
   */
  search(query?: SearchQuery, options?: CallOptions): Promise<SearchResults>;

  /**
   * Retrieve names by ids.
   *
   * The names of customers, subscriptions, invoices, test clocks, users, products, plans, features and billable metrics, for a list that has their ids. Platform operators must send `merchantId`.
   *
   * `GET /v0/names`
   */
  getNames(query?: GetNamesQuery, options?: CallOptions): Promise<Names>;

  /**
   * Retrieve the overview of a merchant.
   *
   * The figures of a home page, each from the source of the list that its description names. Platform operators must send `merchantId`.
   *
   * `GET /v0/overview`
   */
  getOverview(query?: GetOverviewQuery, options?: CallOptions): Promise<Overview>;
}

export interface AuditLogResource {
  /**
   * List the audit log.
   *
   * Every change by a call or in the customer portal, newest first. Entries are never changed or deleted.
   *
   * `GET /v0/auditLog`
   */
  list(query?: ListAuditLogQuery, options?: CallOptions): List<AuditEntryList>;
}

export interface CustomersResource {
  /**
   * Create a customer.
   *
   * The `externalId` identifies the customer. A known one with the same content answers 200; with other content it is 409 `EXTERNAL_ID_TAKEN`. Without an `externalId` the e-mail address identifies it: 200, or 409 `CUSTOMER_EXISTS` where name or address differ. Events that named the `externalId` before are linked at once.
   *
   * `POST /v0/customers`
   */
  create(body?: CustomerCreate, options?: CallOptions): Promise<CustomerCreated>;

  /**
   * List customers.
   *
   * Newest first. Filters of name and e-mail address find parts of at least three characters, in any case.
   *
   * `GET /v0/customers`
   */
  list(query?: ListCustomersQuery, options?: CallOptions): List<CustomerList>;

  /**
   * Retrieve a customer.
   *
   * Answers one customer. An unknown or deleted id is a 404.
   *
   * `GET /v0/customers/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Customer>;

  /**
   * Update a customer.
   *
   * A field that is not sent stays as it is. `taxRates` and `metadata` are replaced whole. `externalId: null` unlinks the customer; its old events stay. `PATCH /v0/organizations/{id}` changes name and addresses.
   *
   * `PATCH /v0/customers/{id}`
   */
  update(id: string, body?: CustomerChange, options?: CallOptions): Promise<Customer>;

  /**
   * Delete a customer.
   *
   * Refused with 409 and the blockers while the customer has subscriptions, orders, open invoices, entitlements or money in a wallet, and while it pays for others. Issued invoices stay. Its `externalId` is free again.
   *
   * `DELETE /v0/customers/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * Retrieve the access of a customer.
   *
   * Ask this before you let a customer use a feature. There is access where any entitlement gives it and no budget blocks it. Every event that was answered with 202 counts at once.
   *
   * `GET /v1/customers/{id}/access`
   */
  getAccess(id: string, query?: GetCustomerAccessQuery, options?: CallOptions): Promise<CustomerAccess>;

  /**
   * Retrieve the access of a customer by your own id.
   *
   * The same as `GET /v1/customers/{id}/access`, by your own id of the customer.
   *
   * `GET /v1/customers/access`
   */
  getExternalAccess(query?: GetExternalCustomerAccessQuery, options?: CallOptions): Promise<CustomerAccess>;

  /**
   * Top up the wallet of a customer.
   *
   * Makes an invoice without tax and a payment session. The money is in the wallet once the invoice is `PAID`. If the session expires, the invoice is cancelled. The same `idempotencyKey` again answers 200 with the first top-up.
   *
   * `POST /v0/customers/{id}/wallet/topUps`
   */
  topUpWallet(id: string, body: WalletTopUpCreate, options?: CallOptions): Promise<WalletTopUp>;

  /**
   * Give a customer a billing credit.
   *
   * Money before tax. It pays lines of invoices: usage by the time of its events, fees by the start of their service. The same `idempotencyKey` again answers 200 with the first credit.
   *
   * `POST /v0/customers/{id}/billingCredits`
   */
  createBillingCredit(id: string, body: BillingCreditCreate, options?: CallOptions): Promise<BillingCredit>;

  /**
   * List the billing credits of a customer.
   *
   * The newest credit comes first.
   *
   * `GET /v0/customers/{id}/billingCredits`
   */
  listBillingCredits(id: string, query?: ListBillingCreditsQuery, options?: CallOptions): List<BillingCreditList>;

  /**
   * Retrieve the billing credit balance of a customer.
   *
   * In one currency. `pending` is what the usage and fees of open periods will use.
   *
   * `GET /v0/customers/{id}/billingCredits/balance`
   */
  getBillingCreditBalance(id: string, query?: GetBillingCreditBalanceQuery, options?: CallOptions): Promise<BillingCreditBalance>;

  /**
   * Sell a billing credit to a customer.
   *
   * Makes an invoice over the price and a payment session. The credit is made in the transaction that marks the invoice `PAID`. If the session expires, the invoice is cancelled. The same `idempotencyKey` again answers 201 with the first purchase; another amount or price is a 409.
   *
   * `POST /v0/customers/{id}/billingCredits/purchase`
   */
  purchaseBillingCredit(id: string, body: BillingCreditPurchaseCreate, options?: CallOptions): Promise<BillingCreditPurchase>;

  /**
   * Top up billing credits automatically.
   *
   * Buys credits by the stored card when less than the threshold is available, one at a time. Three declined charges in a row pause it, until it is set again. Without a stored card: 409 `PAYMENT_METHOD_REQUIRED`.
   *
   * `PUT /v0/customers/{id}/creditTopUp`
   */
  setCreditTopUp(id: string, body: CreditTopUpSet, options?: CallOptions): Promise<CreditTopUp>;

  /**
   * Retrieve the automatic top-up of a customer.
   *
   * If there is none: 404.
   *
   * `GET /v0/customers/{id}/creditTopUp`
   */
  getCreditTopUp(id: string, options?: CallOptions): Promise<CreditTopUp>;

  /**
   * End the automatic top-up of a customer.
   *
   * A top-up that is being paid still makes its credit.
   *
   * `DELETE /v0/customers/{id}/creditTopUp`
   */
  deleteCreditTopUp(id: string, options?: CallOptions): Promise<void>;

  /**
   * Record money that names no invoice.
   *
   * Records money that was received outside Reckoner, before it is known what it pays. It waits as `unapplied` until you apply it to invoices or the wallet, or return it. The same `idempotencyKey` again answers 200 with the first receipt.
   *
   * `POST /v0/customers/{id}/receipts`
   */
  createReceipt(id: string, body: ReceiptCreate, options?: CallOptions): Promise<Receipt>;

  /**
   * List the receipts of a customer.
   *
   * The newest receipt comes first.
   *
   * `GET /v0/customers/{id}/receipts`
   */
  listReceipts(id: string, query?: ListReceiptsQuery, options?: CallOptions): List<ReceiptList>;

  /**
   * Apply a receipt to an invoice or to the wallet.
   *
   * Pays an invoice with money that waits, or puts it into the wallet. Without `amount`: the smaller of what is left of the receipt and what is unpaid of the invoice. The payment can be reversed; then the money waits again.
   *
   * `POST /v0/customers/{id}/receipts/{receiptId}/apply`
   */
  applyReceipt(id: string, receiptId: string, body?: ReceiptApply, options?: CallOptions): Promise<Receipt>;

  /**
   * Mark the unapplied money of a receipt as returned.
   *
   * Confirms that you have sent back what waits of a receipt. Fails with 409 if nothing waits.
   *
   * `POST /v0/customers/{id}/receipts/{receiptId}/return`
   */
  returnReceipt(id: string, receiptId: string, body?: ReceiptReturning, options?: CallOptions): Promise<Receipt>;

  /**
   * Retrieve the statement of a customer.
   *
   * Every invoice, credit note, payment, refund and movement of the wallet in a stretch of time, between an opening and a closing balance. The balance is the debt, less the wallet and the unapplied money. With `Accept: application/pdf` the answer is a document in the language of the customer. Fails with 400 for a customer with a payer, who has the statement.
   *
   * `GET /v0/customers/{id}/statement`
   */
  getStatement(id: string, query?: GetCustomerStatementQuery, options?: CallOptions): Promise<Statement>;

  /**
   * Retrieve the wallet of a customer.
   *
   * Answers the balance of each currency. The wallet pays the next invoices of its currency automatically.
   *
   * `GET /v0/customers/{id}/wallet`
   */
  getWallet(id: string, options?: CallOptions): Promise<Wallet>;

  /**
   * List the changes of the wallet of a customer.
   *
   * The newest change comes first. `entries` is the whole transaction in the ledger, by double entry.
   *
   * `GET /v0/customers/{id}/wallet/entries`
   */
  listWalletEntries(id: string, query?: ListWalletEntriesQuery, options?: CallOptions): List<WalletEntryList>;

  /**
   * Retrieve the timeline of a customer.
   *
   * Lists what happened to one customer, the latest first: usage by day, invoices, payments, the wallet, subscriptions, entitlements, changes, emails and webhooks. Read on with `before` set to `nextCursor`.
   *
   * `GET /v0/customers/{id}/timeline`
   */
  getTimeline(id: string, query?: GetCustomerTimelineQuery, options?: CallOptions): Promise<Timeline>;

  /**
   * List the payment methods of a customer.
   *
   * The default card has `isDefault`. Automatic charges use it.
   *
   * `GET /v0/customers/{id}/paymentMethods`
   */
  listPaymentMethods(id: string, query?: ListPaymentMethodsQuery, options?: CallOptions): List<PaymentMethodList>;

  /**
   * Open a session in which the customer stores a card.
   *
   * Nothing is charged. Send the customer to the `url` of the session. An open session of this kind for the customer expires.
   *
   * `POST /v0/customers/{id}/paymentMethods`
   */
  setUpPaymentMethod(id: string, body?: PaymentMethodSetup, options?: CallOptions): Promise<PaymentSession>;

  /**
   * Delete a payment method.
   *
   * The card is never charged again. If it was the default one, the card that was stored last takes its place.
   *
   * `DELETE /v0/customers/{id}/paymentMethods/{paymentMethodId}`
   */
  deletePaymentMethod(id: string, paymentMethodId: string, options?: CallOptions): Promise<void>;

  /**
   * Set the default payment method.
   *
   * Automatic charges use this card from now on.
   *
   * `POST /v0/customers/{id}/paymentMethods/{paymentMethodId}/default`
   */
  setDefaultPaymentMethod(id: string, paymentMethodId: string, options?: CallOptions): Promise<PaymentMethod>;

  /**
   * Create a link to the customer portal.
   *
   * The link works once, until `expiresAt`. Create it when the customer presses your button, and redirect to it.
   *
   * `POST /v0/customers/{id}/portal`
   */
  createPortal(id: string, body?: PortalLinkCreate, options?: CallOptions): Promise<CustomerPortal>;
}

export interface ProductsResource {
  /**
   * Create a product.
   *
   * A product is the frame for features, metrics, fees and plans. It has no price itself.
   *
   * `POST /v0/products`
   */
  create(body: ProductCreate, options?: CallOptions): Promise<Product>;

  /**
   * List products.
   *
   * Newest first.
   *
   * `GET /v0/products`
   */
  list(query?: ListProductsQuery, options?: CallOptions): List<ProductList>;

  /**
   * Retrieve a product.
   *
   * Answers one product. An unknown id is a 404.
   *
   * `GET /v0/products/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Product>;

  /**
   * Update a product.
   *
   * A field that is not sent stays as it is. Invoices do not change.
   *
   * `PATCH /v0/products/{id}`
   */
  update(id: string, body?: ProductUpdate, options?: CallOptions): Promise<Product>;
}

export interface FeaturesResource {
  /**
   * Create a feature.
   *
   * A feature alone gives no access. A price or an entitlement gives access to customers. A known `key` in the same product is a 409.
   *
   * `POST /v0/features`
   */
  create(body: FeatureCreate, options?: CallOptions): Promise<Feature>;

  /**
   * List features.
   *
   * Newest first.
   *
   * `GET /v0/features`
   */
  list(query?: ListFeaturesQuery, options?: CallOptions): List<FeatureList>;

  /**
   * Retrieve a feature.
   *
   * Answers one feature. An unknown id is a 404.
   *
   * `GET /v0/features/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Feature>;

  /**
   * Update a feature.
   *
   * A field that is not sent stays as it is. The type never changes.
   *
   * `PATCH /v0/features/{id}`
   */
  update(id: string, body?: FeatureUpdate, options?: CallOptions): Promise<Feature>;

  /**
   * Delete an unused feature.
   *
   * Refused with 409 and the blockers while a price or an entitlement uses the feature.
   *
   * `DELETE /v0/features/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface BillableMetricsResource {
  /**
   * Create a billable metric.
   *
   * A metric makes a quantity out of usage events. It counts events that are stored already too, unless `eventFrom` is later. A price turns the quantity into money.
   *
   * `POST /v0/billableMetrics`
   */
  create(body: BillableMetricCreate, options?: CallOptions): Promise<BillableMetric>;

  /**
   * List billable metrics.
   *
   * Newest first.
   *
   * `GET /v0/billableMetrics`
   */
  list(query?: ListBillableMetricsQuery, options?: CallOptions): List<BillableMetricList>;

  /**
   * Create the metrics of an event type.
   *
   * Creates 1 to 100 metrics of one `eventType`: all of them, or none. `errors[].field` begins with the place of the metric in the list, such as `1.valueProperty`.
   *
   * `POST /v0/billableMetrics/bulk`
   */
  createMany(body: BillableMetricsCreate, options?: CallOptions): Promise<BillableMetrics>;

  /**
   * Retrieve a billable metric.
   *
   * Answers the metric itself. `GET /v0/billableMetrics/{id}/meter` answers its usage.
   *
   * `GET /v0/billableMetrics/{id}`
   */
  get(id: string, options?: CallOptions): Promise<BillableMetric>;

  /**
   * Update a billable metric.
   *
   * A field that is not sent stays as it is. Once a price uses the metric, 409 `METRIC_IN_USE` refuses a change of its measurement.
   *
   * `PATCH /v0/billableMetrics/{id}`
   */
  update(id: string, body?: BillableMetricUpdate, options?: CallOptions): Promise<BillableMetric>;

  /**
   * Retrieve the usage of a metric.
   *
   * `from` is inclusive and `to` is exclusive. Every event that was answered with 202 counts at once. Only an answer with `Reckoner-Data-Age` may lack those of the last seconds.
   *
   * `GET /v0/billableMetrics/{id}/meter`
   */
  getUsage(id: string, query?: GetMetricUsageQuery, options?: CallOptions): Promise<UsageResponse>;

  /**
   * List the events of a metric.
   *
   * Newest first. `from` is inclusive and `to` is exclusive.
   *
   * `GET /v0/billableMetrics/{id}/events`
   */
  listEvents(id: string, query?: ListMetricEventsQuery, options?: CallOptions): List<MetricEvents>;
}

export interface CostsResource {
  /**
   * Create a cost.
   *
   * A cost is an expense of yours for usage. It is measured like a metric, and no customer is billed for it. Reports subtract it from revenue.
   *
   * `POST /v0/costs`
   */
  create(body: CostCreate, options?: CallOptions): Promise<Cost>;

  /**
   * List costs.
   *
   * Newest first.
   *
   * `GET /v0/costs`
   */
  list(query?: ListCostsQuery, options?: CallOptions): List<CostList>;

  /**
   * Retrieve a cost.
   *
   * Answers the cost itself. `GET /v0/costs/{id}/summary` answers its usage.
   *
   * `GET /v0/costs/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Cost>;

  /**
   * Update a cost.
   *
   * A field that is not sent stays as it is. A new `unitCost` holds from `effectiveFrom` on, and reports of the time before keep the earlier one.
   *
   * `PATCH /v0/costs/{id}`
   */
  update(id: string, body?: CostUpdate, options?: CallOptions): Promise<Cost>;

  /**
   * Delete a cost.
   *
   * Reports of the time before keep the cost; later usage costs nothing. Its events stay.
   *
   * `DELETE /v0/costs/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * Summarize the usage of a cost.
   *
   * What usage cost at its time. `from` is inclusive and `to` is exclusive. A figure that is no sum, such as a level, is each customer's own, and the total is their sum.
   *
   * `GET /v0/costs/{id}/summary`
   */
  getSummary(id: string, query?: GetCostSummaryQuery, options?: CallOptions): Promise<CostUsageResponse>;

  /**
   * Report costs by cost, customer or dimension.
   *
   * In one currency. A cost without the dimension of `groupBy` counts with its missing value. The total is the sum of all groups: a level is each customer's own.
   *
   * `GET /v0/costs/report`
   */
  getReport(query?: GetCostReportQuery, options?: CallOptions): Promise<CostReport>;
}

export interface ItemsResource {
  /**
   * Create an item.
   *
   * An item is separate from the catalog and has no price. It has the ids of external systems.
   *
   * `POST /v0/items`
   */
  create(body: ItemCreate, options?: CallOptions): Promise<Item>;

  /**
   * List items.
   *
   * Newest first. `provider` and `externalId` find the item of a record in an external system.
   *
   * `GET /v0/items`
   */
  list(query?: ListItemsQuery, options?: CallOptions): List<ItemList>;

  /**
   * Retrieve an item.
   *
   * Answers one item with its external references. An archived item is answered too.
   *
   * `GET /v0/items/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Item>;

  /**
   * Update, archive or restore an item.
   *
   * A field that is not sent stays as it is. `archived` archives or restores the item.
   *
   * `PATCH /v0/items/{id}`
   */
  update(id: string, body?: ItemUpdate, options?: CallOptions): Promise<Item>;

  /**
   * Delete an unused item.
   *
   * Refused with 409 and the blockers while a metric, a fee or a line of an order uses the item. Its external references are deleted too.
   *
   * `DELETE /v0/items/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface FeesResource {
  /**
   * Create a fee.
   *
   * A fee is a fixed charge. A price has its amount and its billing cadence.
   *
   * `POST /v0/fees`
   */
  create(body: FeeCreate, options?: CallOptions): Promise<Fee>;

  /**
   * List fees.
   *
   * Newest first.
   *
   * `GET /v0/fees`
   */
  list(query?: ListFeesQuery, options?: CallOptions): List<FeeList>;

  /**
   * Retrieve a fee.
   *
   * Answers one fee. An unknown id is a 404.
   *
   * `GET /v0/fees/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Fee>;

  /**
   * Update a fee.
   *
   * A field that is not sent stays as it is. Issued invoices do not change.
   *
   * `PATCH /v0/fees/{id}`
   */
  update(id: string, body?: FeeUpdate, options?: CallOptions): Promise<Fee>;

  /**
   * Delete an unused fee.
   *
   * Refused with 409 and the blockers while a price is for the fee.
   *
   * `DELETE /v0/fees/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * Retrieve the price of a fee for a subscription.
   *
   * Answers the price of the fee in the version to which the subscription is pinned. `taxRate` is the rate, in percent, at which it would be taxed now. If the version has no price of the fee, the answer is a 404.
   *
   * `GET /v0/fees/{id}/price/{subscriptionId}`
   */
  getPrice(id: string, subscriptionId: string, options?: CallOptions): Promise<Price>;
}

export interface PricesResource {
  /**
   * Create a price of a metric or a fee.
   *
   * Customers pay a price once a plan version has it. A price is calculated exactly and rounded once, to the minor unit of the currency.
   *
   * `POST /v0/prices`
   */
  create(body: PriceCreate, options?: CallOptions): Promise<Price>;

  /**
   * List prices.
   *
   * Newest first.
   *
   * `GET /v0/prices`
   */
  list(query?: ListPricesQuery, options?: CallOptions): List<PriceList>;

  /**
   * Retrieve a price.
   *
   * Answers one price with the features that it gives.
   *
   * `GET /v0/prices/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Price>;

  /**
   * Update a price.
   *
   * A field that is not sent stays as it is. Once a plan version has the price, only `invoiceDisplayName` can change; anything else is a 409.
   *
   * `PATCH /v0/prices/{id}`
   */
  update(id: string, body?: PriceUpdate, options?: CallOptions): Promise<Price>;

  /**
   * Delete an unused price.
   *
   * Refused with 409 and the blockers while a version of a plan that is not archived has the price.
   *
   * `DELETE /v0/prices/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface PlansResource {
  /**
   * Create a plan and publish its first version.
   *
   * Publishes version 1 with the prices that are sent. Customers pay after a subscription to the plan.
   *
   * `POST /v0/plans`
   */
  create(body: PlanCreate, options?: CallOptions): Promise<Plan>;

  /**
   * List plans.
   *
   * Newest first, each with the prices of its default version.
   *
   * `GET /v0/plans`
   */
  list(query?: ListPlansQuery, options?: CallOptions): List<PlanList>;

  /**
   * List plans that a customer can subscribe to.
   *
   * Plans of products to which the customer has no active subscription. Newest first.
   *
   * `GET /v0/plans/available`
   */
  listAvailable(query?: ListAvailablePlansQuery, options?: CallOptions): List<PlanList>;

  /**
   * Retrieve a plan.
   *
   * Answers the plan with the prices of its default version.
   *
   * `GET /v0/plans/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Plan>;

  /**
   * Update a plan.
   *
   * A field that is not sent stays as it is. Other `prices` than those of the default version are published as the next version. Existing subscriptions do not change.
   *
   * `PATCH /v0/plans/{id}`
   */
  update(id: string, body?: PlanUpdate, options?: CallOptions): Promise<Plan>;

  /**
   * List the versions of a plan.
   *
   * Newest first, without their prices.
   *
   * `GET /v0/plans/{id}/versions`
   */
  listVersions(id: string, query?: ListPlanVersionsQuery, options?: CallOptions): List<PlanVersionSummaryList>;

  /**
   * Create the next version of a plan.
   *
   * The new version has the prices of the default version with the changes that are sent. It becomes the default for new subscriptions; existing ones keep theirs. No difference, or no price, is a 400.
   *
   * `POST /v0/plans/{id}/versions`
   */
  createVersion(id: string, body?: PlanVersionCreate, options?: CallOptions): Promise<PlanVersion>;

  /**
   * Retrieve a version of a plan.
   *
   * Answers the version with its prices. A price that was deleted since is answered too.
   *
   * `GET /v0/plans/{id}/versions/{versionNumber}`
   */
  getVersion(id: string, versionNumber: string, options?: CallOptions): Promise<PlanVersion>;

  /**
   * Update a version of a plan.
   *
   * The prices of a published version never change. The default version cannot be archived.
   *
   * `PATCH /v0/plans/{id}/versions/{versionNumber}`
   */
  updateVersion(id: string, versionNumber: string, body?: PlanVersionUpdate, options?: CallOptions): Promise<PlanVersion>;

  /**
   * Change all subscriptions of one version of a plan to another version.
   *
   * Each subscription is changed as by `POST /v0/subscriptions/{id}/changes`. A subscription that cannot be changed stays unchanged, with the reason in `reason`. A migration of up to 50 subscriptions is `completed` in the answer. A larger one is `running` and continues automatically; `GET /v0/plans/{id}/migrations/{migrationId}` has its progress. With `dryRun` no subscription is changed, and the answer is 200. A version has one running migration at a time: 409 `PLAN_MIGRATION_RUNNING`.
   *
   * `POST /v0/plans/{id}/migrations`
   */
  migrate(id: string, body: PlanMigrationCreate, options?: CallOptions): Promise<PlanMigration>;

  /**
   * List the migrations of a plan.
   *
   * The newest migration comes first. Dry runs are in the list, too.
   *
   * `GET /v0/plans/{id}/migrations`
   */
  listMigrations(id: string, query?: ListPlanMigrationsQuery, options?: CallOptions): List<PlanMigrationProgressList>;

  /**
   * Retrieve a migration and its progress.
   *
   * `progress` counts the subscriptions with an outcome. The status is `running` until all have one.
   *
   * `GET /v0/plans/{id}/migrations/{migrationId}`
   */
  getMigration(id: string, migrationId: string, options?: CallOptions): Promise<PlanMigrationProgress>;

  /**
   * Cancel a running migration.
   *
   * Changed subscriptions stay changed. The others stay as they are. A migration that is not `running` is a 409.
   *
   * `DELETE /v0/plans/{id}/migrations/{migrationId}`
   */
  cancelMigration(id: string, migrationId: string, options?: CallOptions): Promise<PlanMigrationProgress>;

  /**
   * List the subscriptions of a migration.
   *
   * The oldest subscription comes first. `waiting`: not processed yet. `cancelled`: the migration was cancelled before its turn.
   *
   * `GET /v0/plans/{id}/migrations/{migrationId}/subscriptions`
   */
  listMigrationSubscriptions(id: string, migrationId: string, query?: ListPlanMigrationSubscriptionsQuery, options?: CallOptions): List<PlanMigrationSubscriptionList>;

  /**
   * Simulate the invoice of a plan.
   *
   * Previews the invoice of a plan for the usage of a customer, or for quantities that you send. `replacePrices` tries other prices. The time counts as one whole period of every price. Nothing is stored.
   *
   * `POST /v0/plans/{id}/simulate`
   */
  simulate(id: string, body: PlanSimulationCreate, options?: CallOptions): Promise<PlanSimulation>;
}

export interface ExternalReferencesResource {
  /**
   * Create an external reference.
   *
   * Links an item, a customer, an order, an invoice or a subscription. A second primary reference with the same external id is 409 `REFERENCE_TAKEN`. A new default clears the old one.
   *
   * `POST /v0/externalReferences`
   */
  create(body: ExternalReferenceCreate, options?: CallOptions): Promise<ExternalReference>;

  /**
   * List external references.
   *
   * Newest first.
   *
   * `GET /v0/externalReferences`
   */
  list(query?: ListExternalReferencesQuery, options?: CallOptions): List<ExternalReferenceList>;

  /**
   * Retrieve an external reference.
   *
   * Answers one reference. An unknown id is a 404.
   *
   * `GET /v0/externalReferences/{id}`
   */
  get(id: string, options?: CallOptions): Promise<ExternalReference>;

  /**
   * Update an external reference.
   *
   * A field that is not sent stays as it is. The resource of a reference never changes.
   *
   * `PATCH /v0/externalReferences/{id}`
   */
  update(id: string, body?: ExternalReferenceUpdate, options?: CallOptions): Promise<ExternalReference>;

  /**
   * Delete an external reference.
   *
   * Deletes the link only. The resource and the record in the external system stay.
   *
   * `DELETE /v0/externalReferences/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface EventsResource {
  /**
   * Report usage.
   *
   * Answers 202 when the events are on disk. An array is accepted whole or not at all. The same `idempotencyKey` with the same content is the same event, for ever; other content is a 409. The `Idempotency-Key` header replaces a missing `idempotencyKey` of a single event. CloudEvents 1.0 are accepted as `application/cloudevents+json`, as `application/cloudevents-batch+json`, and in binary mode (`ce-*` headers). Their `id` is the key within their `source`, and `time` is the `timestamp`. The extensions `externalsubject`, `externalid` and `namespace` are the fields of these names. `expand=entitlements` adds the balances that the events change.
   *
   * `POST /v0/events`
   */
  create(body: CreateEventsBody, query?: CreateEventsQuery, options?: CallOptions): Promise<CreateEventsReply>;

  /**
   * List events.
   *
   * Newest first. `status=unmatched` finds events that nothing counts, each with its `reason`. Without `from`, `to` or `updatedFrom`, a list by `status` has the events that were accepted in the last seven days. Without `from` and `to`, archived events are not listed.
   *
   * `GET /v0/events`
   */
  list(query?: ListEventsQuery, options?: CallOptions): List<ListedEventList>;

  /**
   * Retrieve an event and its outcome.
   *
   * `outcome.counts` lists the metrics and costs that count the event, with its value. `outcome.billing` lists the invoices that bill it. `outcome.reason` has the reason if none does.
   *
   * `GET /v0/events/{id}`
   */
  get(id: string, options?: CallOptions): Promise<EventWithData>;

  /**
   * Explain why an event is billed or not.
   *
   * Answers the event with `isCounted`, the `reason` if no invoice bills it, and a `message` that says what to do. `metrics` and `costs` list what takes events of its type, each with the prices that could bill the event.
   *
   * `GET /v0/events/{id}/explain`
   */
  explain(id: string, options?: CallOptions): Promise<EventExplanation>;
}

export interface UsageResource {
  /**
   * Report unbilled usage.
   *
   * Groups the events by the reason for which they are not billed. Usage in open periods counts as billed, so the report already shows the usage that the next invoices will omit. Platform operators must send `merchantId`.
   *
   * `GET /v0/usage/unbilled`
   */
  getUnbilled(query?: GetUnbilledUsageQuery, options?: CallOptions): Promise<UnbilledUsage>;
}

export interface SubscriptionsResource {
  /**
   * Create a subscription.
   *
   * Puts a customer on the default version of a plan, and pins that version. Invoices follow automatically. If the plan asks for money in advance, `payment` has the amount and the page; the subscription is active once it is paid. The same `idempotencyKey` again answers 200 with the first subscription. With `autoCharge` the answer waits up to 10 seconds for the payment provider that charges the stored card.
   *
   * `POST /v0/subscriptions`
   */
  create(body: SubscriptionCreate, options?: CallOptions): Promise<Subscription>;

  /**
   * List subscriptions, newest first.
   *
   * The newest subscription comes first. Several filters narrow each other.
   *
   * `GET /v0/subscriptions`
   */
  list(query?: ListSubscriptionsQuery, options?: CallOptions): List<SubscriptionList>;

  /**
   * Preview the first invoices of a new subscription.
   *
   * Takes what creates a subscription, and answers what is invoiced as billing starts, and the invoice after it without any usage. Their ids are of no stored invoice. Nothing is stored, and no card is charged.
   *
   * `POST /v0/subscriptions/preview`
   */
  preview(body: SubscriptionCreate, options?: CallOptions): Promise<SubscriptionPreview>;

  /**
   * Retrieve a subscription.
   *
   * `payment` is there as long as the first payment is asked, and null afterwards.
   *
   * `GET /v0/subscriptions/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Subscription>;

  /**
   * Update a subscription.
   *
   * Fields that are absent stay unchanged, and `metadata` is replaced whole. `terminatedAt` ends the subscription: a time in the future counts as now, and a time at or before `startedAt` is a 400. `autoApprove`, `bankTransferOnly` and `paymentTermDays` apply to invoices that are issued later.
   *
   * `PATCH /v0/subscriptions/{id}`
   */
  update(id: string, body?: SubscriptionUpdate, options?: CallOptions): Promise<Subscription>;

  /**
   * Terminate a subscription.
   *
   * The subscription ends now. Its open periods end with it and are invoiced, and its entitlements end. Charges in advance for the unused time are credited as `credit` says. A subscription that has ended is a 409.
   *
   * `POST /v0/subscriptions/{id}/termination`
   */
  terminate(id: string, body: SubscriptionTermination, options?: CallOptions): Promise<Subscription>;

  /**
   * Pause a subscription.
   *
   * From now on, or from the end of the open period, it has no fees and gives no access. Its status stays `active`. Fees that are paid for the time of the pause are credited as `credit` says, by the second. A subscription that is not active or is paused already is a 409.
   *
   * `POST /v0/subscriptions/{id}/pause`
   */
  pause(id: string, body?: PauseRequest, options?: CallOptions): Promise<Subscription>;

  /**
   * Resume a paused subscription.
   *
   * Its fees and its access go on from now. A pause that has not begun is withdrawn. A subscription that is not paused is a 409.
   *
   * `POST /v0/subscriptions/{id}/resume`
   */
  resume(id: string, body?: SubscriptionResumption, options?: CallOptions): Promise<Subscription>;

  /**
   * Reconcile entitlements with the plan.
   *
   * Gives the subscription the features that the default version of its plan has now. Prices stay pinned. With `dryRun` nothing is written, and the answer is 200 with the same outcome.
   *
   * `POST /v0/subscriptions/{id}/reconciliations`
   */
  reconcile(id: string, body?: SubscriptionReconciliationCreate, options?: CallOptions): Promise<SubscriptionReconciliation>;

  /**
   * Create a discount for a subscription.
   *
   * Each invoice that is calculated while the window is open gets one discount line for each charge, and tax is taken on the remainder. Existing invoices do not change, and neither do drafts. The same `idempotencyKey` again answers 200 with the first adjustment. Without a key, a retry makes a second discount, and discounts compound.
   *
   * `POST /v0/subscriptions/{id}/adjustments`
   */
  createAdjustment(id: string, body: SubscriptionAdjustmentCreate, options?: CallOptions): Promise<SubscriptionAdjustment>;

  /**
   * List the adjustments of a subscription.
   *
   * The newest adjustment comes first.
   *
   * `GET /v0/subscriptions/{id}/adjustments`
   */
  listAdjustments(id: string, query?: ListSubscriptionAdjustmentsQuery, options?: CallOptions): List<SubscriptionAdjustmentList>;

  /**
   * Delete an adjustment.
   *
   * Drafts that were calculated with it are calculated again. Once an invoice was issued under it, it is permanent: 409 `ADJUSTMENT_IN_USE`.
   *
   * `DELETE /v0/subscriptions/{id}/adjustments/{adjustmentId}`
   */
  deleteAdjustment(id: string, adjustmentId: string, options?: CallOptions): Promise<void>;

  /**
   * Change the plan, the version or the quantities of a subscription.
   *
   * The change takes effect now, or at the end of the open period. At least one of `planId`, `versionNumber`, `quantities` and `priceOverrides` is required; without a plan the version stays. `invoicePreview` is the first invoice on which the change shows. With `dryRun` nothing is written, and the answer is 200 with the same preview. One change can be scheduled at a time: another one is 409 `CHANGE_SCHEDULED`.
   *
   * `POST /v0/subscriptions/{id}/changes`
   */
  changePlan(id: string, body?: SubscriptionChangeCreate, options?: CallOptions): Promise<SubscriptionChangeReply>;

  /**
   * List the changes of a subscription.
   *
   * The newest change comes first. The list includes applied, scheduled and cancelled changes.
   *
   * `GET /v0/subscriptions/{id}/changes`
   */
  listChanges(id: string, query?: ListSubscriptionChangesQuery, options?: CallOptions): List<SubscriptionChangeList>;

  /**
   * Cancel a scheduled change.
   *
   * The subscription keeps its present version. What an invoice billed ahead for the change is given back. A change that is applied cannot be cancelled (409), nor one that has come: the period before it is billed.
   *
   * `DELETE /v0/subscriptions/{id}/changes/{changeId}`
   */
  cancelChange(id: string, changeId: string, options?: CallOptions): Promise<void>;

  /**
   * Redeem a coupon for a subscription.
   *
   * The charges whose service begins in the window of the redemption cost less. The window begins with the first period that is not billed yet, and no change of the plan moves it. Refusals are 409 with their reason.
   *
   * `POST /v0/subscriptions/{id}/coupons`
   */
  redeemCoupon(id: string, body?: RedemptionCreate, options?: CallOptions): Promise<Redemption>;

  /**
   * List the coupons of a subscription.
   *
   * The newest redemption comes first.
   *
   * `GET /v0/subscriptions/{id}/coupons`
   */
  listRedemptions(id: string, query?: ListRedemptionsQuery, options?: CallOptions): List<RedemptionList>;

  /**
   * End a coupon of a subscription.
   *
   * It ends now: service that began before keeps it, and what it gave stays. If nothing is billed since its start, the redemption is deleted, and the coupon can be redeemed once more.
   *
   * `DELETE /v0/subscriptions/{id}/coupons/{redemptionId}`
   */
  endRedemption(id: string, redemptionId: string, options?: CallOptions): Promise<void>;

  /**
   * Preview the next invoice.
   *
   * Answers the open period that closes next, rated as of now, with up to 1,000 lines. `billingCadence` chooses another series of invoices. Nothing is stored. If no period is open: 404.
   *
   * `GET /v0/subscriptions/{id}/upcomingInvoice`
   */
  getUpcomingInvoice(id: string, query?: GetUpcomingInvoiceQuery, options?: CallOptions): Promise<Invoice>;

  /**
   * Create a link to the customer portal at a subscription.
   *
   * The portal is the one of the customer of the subscription. The link works once, until `expiresAt`. Create it when the customer presses your button, and redirect to it.
   *
   * `POST /v0/subscriptions/{id}/portal`
   */
  createPortal(id: string, body?: PortalLinkCreate, options?: CallOptions): Promise<SubscriptionPortal>;
}

export interface CouponsResource {
  /**
   * Create a coupon.
   *
   * A fraction or an amount off, for one or more periods of a plan, or for ever. It does not change afterwards, but for its name, limits and metadata. A code that another coupon has is a 409 `KEY_TAKEN`.
   *
   * `POST /v0/coupons`
   */
  create(body: CouponCreate, options?: CallOptions): Promise<Coupon>;

  /**
   * List coupons.
   *
   * The newest coupon comes first.
   *
   * `GET /v0/coupons`
   */
  list(query?: ListCouponsQuery, options?: CallOptions): List<CouponList>;

  /**
   * Retrieve a coupon.
   *
   * `status` says whether it can be redeemed.
   *
   * `GET /v0/coupons/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Coupon>;

  /**
   * Update a coupon.
   *
   * A field that is not sent stays as it is. Subscriptions that have redeemed it keep it.
   *
   * `PATCH /v0/coupons/{id}`
   */
  update(id: string, body?: CouponUpdate, options?: CallOptions): Promise<Coupon>;
}

export interface EntitlementsResource {
  /**
   * List entitlements.
   *
   * Newest first, each with its balance. Send at most one of `customerId` and `externalCustomerId`. Entitlements that have ended or have not begun are listed too.
   *
   * `GET /v1/entitlements`
   */
  list(query?: ListEntitlementsQuery, options?: CallOptions): List<EntitlementList>;

  /**
   * Create an entitlement.
   *
   * Beside the entitlements of plans. A second one for the same customer and feature that has not ended is 409 `ENTITLEMENT_EXISTS`.
   *
   * `POST /v1/entitlements`
   */
  create(body: EntitlementCreate, options?: CallOptions): Promise<EntitlementDetail>;

  /**
   * List active entitlements of a customer.
   *
   * Newest first, without balances. `GET /v1/customers/{id}/access` answers whether a customer may go on.
   *
   * `GET /v0/entitlements/activeEntitlements`
   */
  listActive(query?: ListActiveEntitlementsQuery, options?: CallOptions): List<ActiveEntitlementList>;

  /**
   * Retrieve an entitlement with its balance.
   *
   * Every event that was answered with 202 counts at once. Usage over time (`TIME_WEIGHTED`) ends now, or at `at`.
   *
   * `GET /v1/entitlements/{id}`
   */
  get(id: string, query?: GetEntitlementQuery, options?: CallOptions): Promise<EntitlementDetail>;

  /**
   * Retrieve the history of a balance.
   *
   * Windows of a day unless `windowSize` is sent; at most 400 windows.
   *
   * `GET /v1/entitlements/{id}/history`
   */
  getHistory(id: string, query?: GetEntitlementHistoryQuery, options?: CallOptions): Promise<EntitlementHistory>;

  /**
   * Reset an entitlement.
   *
   * Grants roll over by their bounds, and usage starts at 0. At the time of another reset, automatic or manual, it does nothing.
   *
   * `POST /v1/entitlements/{id}/reset`
   */
  reset(id: string, body?: EntitlementReset, options?: CallOptions): Promise<EntitlementDetail>;

  /**
   * Create a grant.
   *
   * The units count at once, unless `effectiveAt` is later. The same `idempotencyKey` again answers 201 with the first grant as it is now; other content is a 409.
   *
   * `POST /v1/entitlements/{id}/grants`
   */
  createGrant(id: string, body: GrantCreate, options?: CallOptions): Promise<Grant>;

  /**
   * List grants of an entitlement.
   *
   * Newest first. Grants that the template issued are listed too. Voided grants are left out unless `includeVoided` is true.
   *
   * `GET /v1/entitlements/{id}/grants`
   */
  listGrants(id: string, query?: ListGrantsQuery, options?: CallOptions): List<GrantList>;

  /**
   * Retrieve a grant.
   *
   * Answers one grant, voided or not.
   *
   * `GET /v1/entitlements/{id}/grants/{grantId}`
   */
  getGrant(id: string, grantId: string, options?: CallOptions): Promise<Grant>;

  /**
   * Void a grant.
   *
   * The units that are left no longer count. The units that were used stay used. A second DELETE answers the same voided grant.
   *
   * `DELETE /v1/entitlements/{id}/grants/{grantId}`
   */
  voidGrant(id: string, grantId: string, options?: CallOptions): Promise<Grant>;

  /**
   * Buy a grant.
   *
   * Creates an invoice that is paid at the returned URL. The payment creates the grant in the same transaction. The same `idempotencyKey` answers the same invoice in every status; another `amount` or `price` under it fails with 409, and `details.invoiceId` names the invoice. When the payment session expires, an unpaid invoice is cancelled.
   *
   * `POST /v1/entitlements/{id}/grants/purchase`
   */
  purchaseGrant(id: string, body: GrantPurchaseCreate, options?: CallOptions): Promise<GrantPurchase>;

  /**
   * Create a reservation.
   *
   * For usage whose amount is known only afterwards. It lowers the balance until it is settled, released or expired. Only for entitlements with one SUM or COUNT metric. 409 `INSUFFICIENT_BALANCE` where less is available, unless the limit is soft.
   *
   * `POST /v1/entitlements/{id}/reservations`
   */
  createReservation(id: string, body: ReservationCreate, options?: CallOptions): Promise<Reservation>;

  /**
   * List reservations of an entitlement.
   *
   * Newest first, in every status.
   *
   * `GET /v1/entitlements/{id}/reservations`
   */
  listReservations(id: string, query?: ListReservationsQuery, options?: CallOptions): List<ReservationList>;

  /**
   * Retrieve a reservation.
   *
   * Answers one reservation. An unknown id is a 404.
   *
   * `GET /v1/entitlements/{id}/reservations/{reservationId}`
   */
  getReservation(id: string, reservationId: string, options?: CallOptions): Promise<Reservation>;

  /**
   * Settle a reservation.
   *
   * Writes a usage event with the amount, under the id of the reservation as its `idempotencyKey`; for 0 it writes none. A second call answers the first result. 409 once it was released or has expired.
   *
   * `POST /v1/entitlements/{id}/reservations/{reservationId}/settle`
   */
  settleReservation(id: string, reservationId: string, body?: ReservationSettlement, options?: CallOptions): Promise<Reservation>;

  /**
   * Release a reservation.
   *
   * The balance has the units again. A second call answers the same. 409 once it was settled or has expired.
   *
   * `POST /v1/entitlements/{id}/reservations/{reservationId}/release`
   */
  releaseReservation(id: string, reservationId: string, options?: CallOptions): Promise<Reservation>;
}

export interface LineItemsResource {
  /**
   * Add a line item to an open invoice.
   *
   * Adds the line to `invoiceId`, which is `ACTIVE` or `CLOSING`. With `subscriptionId` it is added to the first invoice of the plan's cadence that closes at or after `invoiceAt`. The same `idempotencyKey` again answers 200 with the first line.
   *
   * `POST /v2/invoices/lineItems`
   */
  create(body: LineItemCreate, options?: CallOptions): Promise<LineItem>;

  /**
   * List line items, pending and invoiced.
   *
   * Pending lines come first, as of now; then invoiced lines, those of the newest invoice first. `summary` adds up all lines in its currency, not only this page. If more than 200 invoices are open, pending lines need a filter.
   *
   * `GET /v2/invoices/lineItems`
   */
  list(query?: ListLineItemsQuery, options?: CallOptions): List<LineItemsResponse>;
}

export interface InvoicesResource {
  /**
   * Explain each amount of an invoice.
   *
   * Answers each line with its price, tiers, usage by hour, discounts and tax. The usage by hour is the one of now. A calculated invoice is calculated a second time from stored data, and `recalculation` says whether the result is the same. Nothing is stored.
   *
   * `GET /v2/invoices/{id}/explain`
   */
  explain(id: string, options?: CallOptions): Promise<InvoiceExplanation>;

  /**
   * Create a one-off invoice.
   *
   * Creates a draft with lines of your own. With `autoApprove` it is issued at once, unless the merchant requires an approval. Tax comes on top of the lines. The same `idempotencyKey` again answers 200 with the first invoice.
   *
   * `POST /v2/invoices`
   */
  create(body: InvoiceCreate, options?: CallOptions): Promise<Invoice>;

  /**
   * List invoices.
   *
   * The newest invoice comes first. Several filters narrow each other. `customerId` is authorized on the merchant of that customer, and wins over `merchantId`. Filters of times include the start and exclude the end. Filters of amounts include both, and find no open period. Lines are never in this list.
   *
   * `GET /v2/invoices`
   */
  list(query?: ListInvoicesQuery, options?: CallOptions): List<InvoiceList>;

  /**
   * Retrieve an invoice.
   *
   * Lines come with `expand=lineItems`. The totals of an open period are those of now.
   *
   * `GET /v2/invoices/{id}`
   */
  get(id: string, query?: GetInvoiceQuery, options?: CallOptions): Promise<Invoice>;

  /**
   * List line items of an invoice.
   *
   * The lines come in pages, in the order of the document. Send `nextPageToken` as `pageToken` for the next page.
   *
   * `GET /v2/invoices/{id}/lineItems`
   */
  listLineItems(id: string, query?: ListInvoiceLineItemsQuery, options?: CallOptions): Promise<InvoiceLineItemsResponse>;

  /**
   * Download the PDF of an invoice.
   *
   * The PDF is a PDF/A-3 with the e-invoice inside. It is rendered once, so its bytes never change. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`, with the reason in `details.reason`.
   *
   * `GET /v2/invoices/{id}/pdf`
   */
  getPdf(id: string, options?: CallOptions): Promise<Uint8Array>;

  /**
   * Download the e-invoice of an invoice.
   *
   * The e-invoice follows EN 16931. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`. `details.reason` is one of the PDF, or `legal_details_missing` (`details.missing` names them), or `not_representable`.
   *
   * `GET /v2/invoices/{id}/document.xml`
   */
  getDocumentXml(id: string, options?: CallOptions): Promise<Uint8Array>;

  /**
   * Download the PDF of a credit note.
   *
   * The PDF is rendered once, so its bytes never change. It serves every credit note, not only refunds. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`, with the reason in `details.reason`.
   *
   * `GET /v2/invoices/{id}/refunds/{refundId}/pdf`
   */
  getRefundPdf(id: string, refundId: string, options?: CallOptions): Promise<Uint8Array>;

  /**
   * Download the e-invoice of a credit note.
   *
   * The e-invoice follows EN 16931. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`. The reasons are those of the e-invoice of an invoice.
   *
   * `GET /v2/invoices/{id}/refunds/{refundId}/document.xml`
   */
  getRefundDocumentXml(id: string, refundId: string, options?: CallOptions): Promise<Uint8Array>;

  /**
   * Download the receipt of a payment.
   *
   * The receipt has the amount, the means and the time of the payment, its invoice, and the amount that remained. Without a document: 404 `DOCUMENT_NOT_AVAILABLE`, with the reason in `details.reason`.
   *
   * `GET /v2/invoices/{id}/payments/{paymentId}/receipt`
   */
  getPaymentReceipt(id: string, paymentId: string, options?: CallOptions): Promise<Uint8Array>;

  /**
   * List the credit notes of an invoice.
   *
   * The newest credit note comes first: refunds, the cancellation, and credits of a part.
   *
   * `GET /v2/invoices/{id}/creditNotes`
   */
  listCreditNotes(id: string, query?: ListInvoiceCreditNotesQuery, options?: CallOptions): List<CreditNoteList>;

  /**
   * Credit parts of an issued invoice.
   *
   * Makes a credit note over parts of charges, with their tax in proportion. Later credits, usage and minimums take the charges as they were billed, less the credit note. The amount goes off what is unpaid, back as it was paid, or into the wallet, as `settlement` says. The same `idempotencyKey` again answers 200 with the first credit note.
   *
   * `POST /v2/invoices/{id}/creditNotes`
   */
  creditLines(id: string, body: CreditNoteCreate, options?: CallOptions): Promise<CreditNote>;

  /**
   * Retrieve a credit note.
   *
   * `lines` are there for a `credit` and a `partial`. The lines of the other kinds are those of the invoice.
   *
   * `GET /v2/invoices/{id}/creditNotes/{creditNoteId}`
   */
  getCreditNote(id: string, creditNoteId: string, options?: CallOptions): Promise<CreditNote>;

  /**
   * Void a credit note over parts of an invoice.
   *
   * Voids a `partial` credit note permanently. What it took off is owed again. Money that was not sent yet is kept, and money that was sent is owed by the customer again. A second void is a 409.
   *
   * `POST /v2/invoices/{id}/creditNotes/{creditNoteId}/void`
   */
  voidCreditNote(id: string, creditNoteId: string, body?: Reason, options?: CallOptions): Promise<CreditNote>;

  /**
   * Close the open period of an invoice now.
   *
   * The period ends now, without grace, and its invoice is calculated and issued. The next invoice runs to the old end of the period. No charge in advance is billed twice.
   *
   * `POST /v2/invoices/{id}/closeNow`
   */
  closeNow(id: string, body?: Reason, options?: CallOptions): Promise<Invoice>;

  /**
   * Approve a draft invoice.
   *
   * The draft is issued: it gets its number, its dates and its document, and it can be paid. While a required approval is missing: 409 `APPROVAL_PENDING`, and `details.missing` names it.
   *
   * `POST /v2/invoices/{id}/approve`
   */
  approve(id: string, body?: Reason, options?: CallOptions): Promise<Invoice>;

  /**
   * Cancel an invoice.
   *
   * A draft is dropped without a number. An issued invoice is cancelled by a credit note, if only the wallet has paid a part of it or nobody has; the wallet gets its part back. Its charges count as billed, so no later invoice bears them; with `rebill: true` the next invoice of the subscription does.
   *
   * `POST /v2/invoices/{id}/cancel`
   */
  cancel(id: string, body?: InvoiceCancel, options?: CallOptions): Promise<Invoice>;

  /**
   * Write off an invoice.
   *
   * The unpaid amount is given up. No card is charged for it any more. A later payment still makes the invoice `PAID`.
   *
   * `POST /v2/invoices/{id}/writeOff`
   */
  writeOff(id: string, body?: Reason, options?: CallOptions): Promise<Invoice>;

  /**
   * Calculate an invoice again.
   *
   * Calculates a draft or failed invoice again, at the present tax rates, and with the present discounts whose window holds the end of its grace period. Pending approvals are cancelled.
   *
   * `POST /v2/invoices/{id}/recalculate`
   */
  recalculate(id: string, body?: Reason, options?: CallOptions): Promise<Invoice>;

  /**
   * Charge the unpaid amount to the customer’s default card.
   *
   * Charges the unpaid amount now. A declined card is a 200: the invoice is `PAYMENT_FAILED`, and `failureReason` has the reason. The answer waits up to 10 seconds for the payment provider. After that `paymentInFlight` is true, and the outcome follows. Automatic retries keep their days. Without a stored card: 409 `NO_PAYMENT_METHOD`.
   *
   * `POST /v2/invoices/{id}/pay`
   */
  payNow(id: string, body?: Reason, options?: CallOptions): Promise<Invoice>;

  /**
   * Record a payment by bank transfer, in cash or by other means.
   *
   * Records money that was received outside Reckoner. Part payments add up; the invoice is `PAID` when nothing is left to pay. An excess goes into the wallet of the customer. The same `idempotencyKey` again answers 200 with the first payment.
   *
   * `POST /v2/invoices/{id}/payments`
   */
  recordPayment(id: string, body: InvoicePaymentCreate, options?: CallOptions): Promise<InvoicePayment>;

  /**
   * List the payments of an invoice.
   *
   * The newest payment comes first: by card and recorded by hand. `returnStatus` shows whether the money went back after a refund. `manual`: send the money back yourself, then mark the payment as returned.
   *
   * `GET /v2/invoices/{id}/payments`
   */
  listPayments(id: string, query?: ListInvoicePaymentsQuery, options?: CallOptions): List<InvoicePaymentList>;

  /**
   * Reverse a recorded payment.
   *
   * A recorded payment came back, or was a mistake. What it paid is owed again: a `PAID` invoice is `ISSUED`, or `WRITTEN_OFF` if it had been. What it put into the wallet is taken out; the next issued invoice collects the part that was spent. A grant or a top-up that it made is undone, or the request fails with 409 `WALLET_SPENT` if some of it is used. A subscription stays active. Payments by a provider cannot be reversed.
   *
   * `POST /v2/invoices/{id}/payments/{paymentId}/reverse`
   */
  reversePayment(id: string, paymentId: string, body: PaymentReverse, options?: CallOptions): Promise<InvoicePayment>;

  /**
   * Mark a recorded payment as returned.
   *
   * Confirms that you have sent the money of a payment back. Only a payment with `returnStatus` `manual` can be marked, and only once. A later void of the refund does not undo it.
   *
   * `POST /v2/invoices/{id}/payments/{paymentId}/markReturned`
   */
  markPaymentReturned(id: string, paymentId: string, body?: PaymentReturnCreate, options?: CallOptions): Promise<InvoicePayment>;

  /**
   * Open a payment session for the unpaid amount.
   *
   * Opens a hosted page. An open session of the invoice expires in the same transaction.
   *
   * `POST /v2/invoices/{id}/paymentSessions`
   */
  openPaymentSession(id: string, body?: InvoicePaymentSessionCreate, options?: CallOptions): Promise<PaymentSession>;

  /**
   * Replace an issued invoice by a corrected one.
   *
   * A credit note is over what is left of the invoice, and a new invoice with the parties of now has its place, in one transaction. The old one is CANCELLED; a paid one stays PAID, and what was paid pays the new one, which gets `partial` credit notes again. Fails with 409 where something was bought with it, it was refunded, or, with `recalculate`, unused time or less usage of it was credited.
   *
   * `POST /v2/invoices/{id}/reissue`
   */
  reissue(id: string, body: InvoiceReissue, options?: CallOptions): Promise<Invoice>;

  /**
   * Refund a paid invoice in full.
   *
   * Makes a credit note over the whole invoice, and sends the money back as it came: to the card, or into the wallet. Credits that the invoice bore go into the wallet. The invoice stays `PAID`. An invoice that is not paid, or already refunded, is a 400. The answer waits up to 10 seconds for the payment provider and the tax provider; `returnStatus` of the payments says how far it is. `externalCreditNoteId` does not change afterwards.
   *
   * `POST /v2/invoices/{id}/refunds`
   */
  refund(id: string, body?: RefundCreate, options?: CallOptions): Promise<InvoiceRefund>;

  /**
   * List the refunds of an invoice.
   *
   * The newest refund comes first. An invoice has at most one refund that is not voided.
   *
   * `GET /v2/invoices/{id}/refunds`
   */
  listRefunds(id: string, query?: ListInvoiceRefundsQuery, options?: CallOptions): List<InvoiceRefundList>;

  /**
   * Void a refund.
   *
   * Voids a refund, or a `partial` credit note, permanently. Money that was not sent yet is kept. Money that was sent is owed by the customer again. A second void is a 409.
   *
   * `POST /v2/invoices/{id}/refunds/{refundId}/void`
   */
  voidRefund(id: string, refundId: string, body?: Reason, options?: CallOptions): Promise<InvoiceRefund>;
}

export interface BillingCreditsResource {
  /**
   * Void a billing credit.
   *
   * It pays no service from now on. Issued invoices stay as they are, and what open periods used before is still paid. If nothing is left: 409.
   *
   * `POST /v0/billingCredits/{id}/void`
   */
  void(id: string, body?: Reason, options?: CallOptions): Promise<BillingCredit>;
}

export interface CommitmentsResource {
  /**
   * Create a commitment.
   *
   * The customer promises to spend an amount in each segment of a term. Postpaid: what is missing at the end of a segment, or of the term, is a line of the invoice of the subscription that ends then or next; of all subscriptions of the customer it is an invoice of its own. Prepaid: the amounts are invoiced first, and each segment makes a billing credit that pays the charges of its time.
   *
   * `POST /v0/commitments`
   */
  create(body: CommitmentCreate, options?: CallOptions): Promise<Commitment>;

  /**
   * List commitments.
   *
   * The newest commitment comes first.
   *
   * `GET /v0/commitments`
   */
  list(query?: ListCommitmentsQuery, options?: CallOptions): List<CommitmentList>;

  /**
   * Retrieve a commitment.
   *
   * With what is spent in each segment until now.
   *
   * `GET /v0/commitments/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Commitment>;

  /**
   * Update a commitment.
   *
   * A field that is not sent stays as it is. `onEnd` of an ended commitment is decided: 409.
   *
   * `PATCH /v0/commitments/{id}`
   */
  update(id: string, body?: CommitmentUpdate, options?: CallOptions): Promise<Commitment>;

  /**
   * End a commitment before its term.
   *
   * It ends now. The invoice of the running period asks what `onEnd` says. A commitment that has ended is a 409.
   *
   * `POST /v0/commitments/{id}/end`
   */
  end(id: string, body?: Reason, options?: CallOptions): Promise<Commitment>;
}

export interface OrdersResource {
  /**
   * Create an order.
   *
   * Creates a draft with its lines. `totalAmount` is the sum of the lines unless you name another one. Nothing is invoiced before the order is approved and has a billing schedule. On a test clock (`testClockId`, sandbox only) the order follows the time of that clock.
   *
   * `POST /v0/orders`
   */
  create(body: OrderCreate, options?: CallOptions): Promise<Order>;

  /**
   * List orders.
   *
   * The newest order comes first. `status=cancelled` lists the orders with `cancelledAt`; the other statuses exclude them.
   *
   * `GET /v0/orders`
   */
  list(query?: ListOrdersQuery, options?: CallOptions): List<OrderList>;

  /**
   * Retrieve an order.
   *
   * Answers the order with its lines and billing schedules. `dataSnapshotHash` is the hash of the content that an approval is given for.
   *
   * `GET /v0/orders/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Order>;

  /**
   * Update an order.
   *
   * A change of money or dates cancels pending approvals. If nothing of the order was invoiced, it is a draft again. `cancelledAt` cancels the order, once. A cancelled order cannot change any more: 409.
   *
   * `PATCH /v0/orders/{id}`
   */
  update(id: string, body?: OrderUpdate, options?: CallOptions): Promise<Order>;

  /**
   * Delete a draft order.
   *
   * Deletes the order with its lines. An order that is no draft is a 409.
   *
   * `DELETE /v0/orders/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * Add a line item to an order.
   *
   * The figures must agree: `unitPrice` is `listUnitPrice` less `discountUnitAmount`, and `totalPrice` is `quantity` times `unitPrice`. A 400 names each field that disagrees. The change cancels pending approvals of the order.
   *
   * `POST /v0/orders/{id}/lineItems`
   */
  createLineItem(id: string, body: OrderLineItemCreate, options?: CallOptions): Promise<OrderLineItem>;

  /**
   * List the line items of an order.
   *
   * The lines come in pages. `GET /v0/orders/{id}` has them all.
   *
   * `GET /v0/orders/{id}/lineItems`
   */
  listLineItems(id: string, query?: ListOrderLineItemsQuery, options?: CallOptions): List<OrderLineItemList>;

  /**
   * Retrieve a line item of an order.
   *
   * Answers one line with its figures.
   *
   * `GET /v0/orders/{id}/lineItems/{lineItemId}`
   */
  getLineItem(id: string, lineItemId: string, options?: CallOptions): Promise<OrderLineItem>;

  /**
   * Update a line item of an order.
   *
   * `unitPrice` and `totalPrice` follow from the other figures unless you send them. The change cancels pending approvals of the order.
   *
   * `PATCH /v0/orders/{id}/lineItems/{lineItemId}`
   */
  updateLineItem(id: string, lineItemId: string, body?: OrderLineItemUpdate, options?: CallOptions): Promise<OrderLineItem>;

  /**
   * Delete a line item of an order.
   *
   * The total of the order follows. The change cancels pending approvals of the order.
   *
   * `DELETE /v0/orders/{id}/lineItems/{lineItemId}`
   */
  deleteLineItem(id: string, lineItemId: string, options?: CallOptions): Promise<void>;

  /**
   * Request an approval of an order.
   *
   * The order becomes `pending`. Another user than the requester decides. While a request of the kind is pending: 409 `APPROVAL_PENDING`. An order without lines: 409 `ORDER_WITHOUT_LINES`.
   *
   * `POST /v0/orders/{id}/approvals`
   */
  createApproval(id: string, body?: OrderApprovalCreate, options?: CallOptions): Promise<Approval>;
}

export interface BillingSchedulesResource {
  /**
   * Create a billing schedule.
   *
   * A schedule is of one order or of one subscription. Its windows follow from `periodPreset` and `alignmentPolicy`, and the charges from its intervals. A new schedule cancels a pending approval of its order.
   *
   * `POST /v0/billingSchedules`
   */
  create(body: BillingScheduleCreate, options?: CallOptions): Promise<BillingSchedule>;

  /**
   * List billing schedules.
   *
   * The newest schedule comes first. Several filters narrow each other.
   *
   * `GET /v0/billingSchedules`
   */
  list(query?: ListBillingSchedulesQuery, options?: CallOptions): List<BillingScheduleList>;

  /**
   * Retrieve a billing schedule.
   *
   * The charges are at `GET /v0/billingSchedules/{id}/intervals`, the invoices at `GET /v0/billingSchedules/{id}/invoices`.
   *
   * `GET /v0/billingSchedules/{id}`
   */
  get(id: string, options?: CallOptions): Promise<BillingSchedule>;

  /**
   * Update a billing schedule.
   *
   * The next invoice corrects earlier invoices: its amount is the amount owed less the amount that is billed. The change cancels a pending approval of the order.
   *
   * `PATCH /v0/billingSchedules/{id}`
   */
  update(id: string, body?: BillingScheduleUpdate, options?: CallOptions): Promise<BillingSchedule>;

  /**
   * Delete a draft billing schedule.
   *
   * Deletes the schedule with its intervals. A schedule that is no draft is a 409.
   *
   * `DELETE /v0/billingSchedules/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * List the intervals of a billing schedule.
   *
   * The intervals come in the order in which they were sent.
   *
   * `GET /v0/billingSchedules/{id}/intervals`
   */
  listIntervals(id: string, query?: ListScheduleIntervalsQuery, options?: CallOptions): List<ScheduleIntervalList>;

  /**
   * Replace the intervals of a billing schedule.
   *
   * Replaces all intervals, or with `orderLineItemId` those of one order line. An interval with the content of a former one keeps its id. The change cancels a pending approval of the order.
   *
   * `PUT /v0/billingSchedules/{id}/intervals`
   */
  replaceIntervals(id: string, body: ScheduleIntervalsReplace, options?: CallOptions): Promise<ScheduleIntervalList>;

  /**
   * List the invoices of a billing schedule.
   *
   * The rows come by their bill dates. `staged` rows are planned, `pushed` rows are invoiced; together they sum to the contract.
   *
   * `GET /v0/billingSchedules/{id}/invoices`
   */
  listInvoices(id: string, query?: ListScheduleInvoicesQuery, options?: CallOptions): List<ScheduleInvoiceList>;

  /**
   * Stage the invoices of a billing schedule again.
   *
   * Staged rows follow every change automatically, so this call is rarely needed. Rows that are invoiced stay.
   *
   * `POST /v0/billingSchedules/{id}/invoices`
   */
  regenerateInvoices(id: string, options?: CallOptions): Promise<ScheduleInvoiceList>;
}

export interface ApprovalsResource {
  /**
   * Request an approval.
   *
   * Requests an approval of an order or of an invoice. A draft invoice allows any kind, an issued one only `push`. Another user than the requester decides. One request of each kind can be pending: 409 `APPROVAL_PENDING`.
   *
   * `POST /v0/approvals`
   */
  create(body: ApprovalCreate, options?: CallOptions): Promise<Approval>;

  /**
   * List approvals.
   *
   * The newest approval comes first. `resourceId` lists the history of one order or invoice.
   *
   * `GET /v0/approvals`
   */
  list(query?: ListApprovalsQuery, options?: CallOptions): List<ApprovalList>;

  /**
   * Retrieve an approval.
   *
   * `decision` has the outcome.
   *
   * `GET /v0/approvals/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Approval>;

  /**
   * Approve, reject or cancel a request.
   *
   * The last required approval approves the order or issues the invoice, in the same transaction. The requester cannot approve or reject: 403 `SELF_APPROVAL`. The requester or an admin cancels. If the content has changed since the request: 409 `SNAPSHOT_STALE`. A decision is final.
   *
   * `PATCH /v0/approvals/{id}`
   */
  update(id: string, body: ApprovalUpdate, options?: CallOptions): Promise<Approval>;

  /**
   * Compare the approved content with the content now.
   *
   * `isStale` says whether anything has changed since the request. Each change has a sentence for people.
   *
   * `GET /v0/approvals/{id}/changes`
   */
  getChanges(id: string, options?: CallOptions): Promise<ApprovalChanges>;
}

export interface SourcesResource {
  /**
   * Create a source.
   *
   * The source receives the webhooks of an external system at `POST /v0/sources/{id}/events`. Each revenue becomes one usage event.
   *
   * `POST /v0/sources`
   */
  create(body: SourceCreate, options?: CallOptions): Promise<Source>;

  /**
   * List sources.
   *
   * The newest source comes first.
   *
   * `GET /v0/sources`
   */
  list(query?: ListSourcesQuery, options?: CallOptions): List<SourceList>;

  /**
   * Retrieve a source.
   *
   * The webhook secret is never in an answer; `hasWebhookSecret` shows whether it is set.
   *
   * `GET /v0/sources/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Source>;

  /**
   * Update a source.
   *
   * Fields that are absent stay unchanged. A `config` without `webhookSecret` keeps the secret, and null removes it. `type` never changes.
   *
   * `PATCH /v0/sources/{id}`
   */
  update(id: string, body?: SourceUpdate, options?: CallOptions): Promise<Source>;

  /**
   * Receive a webhook of the provider.
   *
   * For the external system. The request has its signature, or an API key of the merchant. A revenue is stored as a source event, and with `processingMode` `automatic` it becomes usage at once. The same event again answers 200 with the first one. A webhook that is no revenue answers 200 with `recorded: false`.
   *
   * `POST /v0/sources/{id}/events`
   */
  receiveEvent(id: string, body: JsonObject, options?: CallOptions): Promise<ReceiveSourceEventReply>;

  /**
   * List the events of a source.
   *
   * The newest event comes first. `from` and `to` filter by `createdAt`.
   *
   * `GET /v0/sources/{id}/events`
   */
  listEvents(id: string, query?: ListSourceEventsQuery, options?: CallOptions): List<SourceEventList>;

  /**
   * Retrieve an event of a source.
   *
   * `errorMessage` has the reason of a `failed` event.
   *
   * `GET /v0/sources/{id}/events/{eventId}`
   */
  getEvent(id: string, eventId: string, options?: CallOptions): Promise<SourceEvent>;

  /**
   * Approve a pending event.
   *
   * The event is `processed` and makes one usage event, or it is `failed` with an `errorMessage`. An event that is not `pending` is 409 `INVALID_TRANSITION`.
   *
   * `POST /v0/sources/{id}/events/{eventId}/approve`
   */
  approveEvent(id: string, eventId: string, options?: CallOptions): Promise<SourceEvent>;

  /**
   * Reject a pending event.
   *
   * The event bills nothing, for good. An event that is not `pending` is 409 `INVALID_TRANSITION`.
   *
   * `POST /v0/sources/{id}/events/{eventId}/reject`
   */
  rejectEvent(id: string, eventId: string, options?: CallOptions): Promise<SourceEvent>;

  /**
   * Retry a failed event.
   *
   * The event goes the way of a new one: it is processed, or waits for a decision. An event that is not `failed` is 409 `INVALID_TRANSITION`.
   *
   * `POST /v0/sources/{id}/events/{eventId}/retry`
   */
  retryEvent(id: string, eventId: string, options?: CallOptions): Promise<SourceEvent>;

  /**
   * Approve pending events.
   *
   * Approves up to 1,000 events. Each event has an outcome of its own, so some may fail while others are processed.
   *
   * `POST /v0/sources/{id}/events/bulk-approve`
   */
  approveEvents(id: string, body: SourceEventIds, options?: CallOptions): Promise<SourceEventsApproved>;

  /**
   * Reject pending events.
   *
   * Rejects up to 1,000 events. Each event has an outcome of its own, so some may fail while others are rejected.
   *
   * `POST /v0/sources/{id}/events/bulk-reject`
   */
  rejectEvents(id: string, body: SourceEventIds, options?: CallOptions): Promise<SourceEventsRejected>;
}

export interface SourceRulesResource {
  /**
   * Create a rule of a source.
   *
   * The rule approves events of the source automatically, in mode `manual`. It applies to events that arrive or are retried from now on.
   *
   * `POST /v0/sourceRules`
   */
  create(body: SourceRuleCreate, options?: CallOptions): Promise<SourceRule>;

  /**
   * List rules of sources.
   *
   * The answer counts how often each rule was asked, and how often it matched.
   *
   * `GET /v0/sourceRules`
   */
  list(query?: ListSourceRulesQuery, options?: CallOptions): List<SourceRuleList>;

  /**
   * Retrieve a rule of a source.
   *
   * `matchCount` has the number of events that the rule approved.
   *
   * `GET /v0/sourceRules/{id}`
   */
  get(id: string, options?: CallOptions): Promise<SourceRule>;

  /**
   * Update a rule of a source.
   *
   * Fields that are absent stay unchanged. Events that were approved stay approved.
   *
   * `PATCH /v0/sourceRules/{id}`
   */
  update(id: string, body?: SourceRuleUpdate, options?: CallOptions): Promise<SourceRule>;

  /**
   * Delete a rule of a source.
   *
   * Events that the rule approved stay approved.
   *
   * `DELETE /v0/sourceRules/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;
}

export interface MerchantIntegrationsResource {
  /**
   * Create or update the integration with a provider.
   *
   * A merchant has one integration for each provider. A field that is not sent stays; `status` becomes `active`. The keys of `stripe` are tried at once: if they do not work, `status` is `error`, and `statusReason` has the reason.
   *
   * `PUT /v0/merchantIntegrations`
   */
  put(body: MerchantIntegrationPut, options?: CallOptions): Promise<MerchantIntegration>;

  /**
   * List integrations.
   *
   * Newest first, without secrets.
   *
   * `GET /v0/merchantIntegrations`
   */
  list(query?: ListMerchantIntegrationsQuery, options?: CallOptions): List<MerchantIntegrationList>;

  /**
   * Retrieve an integration.
   *
   * Answers one integration, without secrets.
   *
   * `GET /v0/merchantIntegrations/{id}`
   */
  get(id: string, options?: CallOptions): Promise<MerchantIntegration>;

  /**
   * Disconnect an integration.
   *
   * Deletes the secrets; the rest of the configuration stays. The next PUT connects it again.
   *
   * `PATCH /v0/merchantIntegrations/{id}/disconnect`
   */
  disconnect(id: string, options?: CallOptions): Promise<MerchantIntegration>;
}

export interface AlertsResource {
  /**
   * Create an alert.
   *
   * It triggers once in each period, by webhook and email. It triggers at once if its figure has reached the threshold, otherwise within seconds of the event.
   *
   * `POST /v0/alerts`
   */
  create(body: AlertCreate, options?: CallOptions): Promise<Alert>;

  /**
   * List alerts.
   *
   * Newest first, each with its figure now.
   *
   * `GET /v0/alerts`
   */
  list(query?: ListAlertsQuery, options?: CallOptions): List<AlertList>;

  /**
   * Retrieve an alert.
   *
   * Answers the alert with its figure now.
   *
   * `GET /v0/alerts/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Alert>;

  /**
   * Update an alert.
   *
   * A field that is not sent stays as it is. In a period in which the alert triggered it does not trigger again.
   *
   * `PATCH /v0/alerts/{id}`
   */
  update(id: string, body?: AlertUpdate, options?: CallOptions): Promise<Alert>;

  /**
   * Delete an alert.
   *
   * A budget blocks no access seconds later. Its triggers are deleted too.
   *
   * `DELETE /v0/alerts/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * List triggers of an alert.
   *
   * Newest first: each time that the alert triggered, with the figure that was seen.
   *
   * `GET /v0/alerts/{id}/triggers`
   */
  listTriggers(id: string, query?: ListAlertTriggersQuery, options?: CallOptions): List<AlertTriggerList>;
}

export interface PaymentSessionsResource {
  /**
   * List payment sessions.
   *
   * The newest session comes first. Several filters narrow each other.
   *
   * `GET /v0/paymentSessions`
   */
  list(query?: ListPaymentSessionsQuery, options?: CallOptions): List<ListedPaymentSessionList>;

  /**
   * Retrieve a payment session.
   *
   * `status` has the outcome. Send the customer to `url` while it is `pending` or `failed`.
   *
   * `GET /v0/paymentSessions/{id}`
   */
  get(id: string, options?: CallOptions): Promise<PaymentSession>;

  /**
   * Expire a payment session.
   *
   * The session ends before its time. An invoice that is cancelled if it is not paid is cancelled with it. A second call changes nothing and answers the same. While a payment is under way: 409.
   *
   * `POST /v0/paymentSessions/{id}/expire`
   */
  expire(id: string, options?: CallOptions): Promise<PaymentSession>;

  /**
   * Pay a session with a test card (sandbox).
   *
   * Does in the sandbox what the hosted page does. A declined card is a 200 with status `failed` and a `failureReason`. Another card may be tried until the session expires. Completing a completed session changes nothing and answers the same.
   *
   * `POST /v0/paymentSessions/{id}/complete`
   */
  complete(id: string, body: PaymentSessionCompletion, options?: CallOptions): Promise<PaymentSession>;
}

export interface PaymentsResource {
  /**
   * Create a payment link.
   *
   * The link belongs to no invoice. It can be paid once, until `expiresAt`. The same `idempotencyKey` again answers 200 with the first payment link.
   *
   * `POST /v0/payments`
   */
  create(body: PaymentCreate, options?: CallOptions): Promise<Payment>;

  /**
   * List payment links.
   *
   * The newest payment link comes first.
   *
   * `GET /v0/payments`
   */
  list(query?: ListPaymentsQuery, options?: CallOptions): List<PaymentList>;

  /**
   * Retrieve a payment link.
   *
   * `status` shows whether it is paid.
   *
   * `GET /v0/payments/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Payment>;

  /**
   * Decide the dispute about a payment (sandbox).
   *
   * Decides in the sandbox what the bank of the cardholder decides otherwise. A payment by `pm_disputed` is disputed one day after it. If `outcome` is `won`, the money comes back. If it is `lost`, the money is gone. Without an open dispute: 409.
   *
   * `POST /v0/payments/{id}/dispute`
   */
  decideDispute(id: string, body: PaymentDisputeDecision, options?: CallOptions): Promise<PaymentDispute>;
}

export interface PaymentExceptionsResource {
  /**
   * List payments that a person must settle.
   *
   * The newest one comes first. `unresolved`: the outcome of a charge or refund is unknown after 24 hours. `manual`: the provider could not send the money back. `failed`: a webhook could not be read for a day. The list is empty when all is well.
   *
   * `GET /v0/paymentExceptions`
   */
  list(query?: ListPaymentExceptionsQuery, options?: CallOptions): List<PaymentExceptionList>;

  /**
   * Mark a payment as returned.
   *
   * Confirms that you have sent the money back yourself. Only an exception with status `manual` can be marked, and only once.
   *
   * `POST /v0/paymentExceptions/{id}/markReturned`
   */
  markReturned(id: string, body?: PaymentExceptionReturnCreate, options?: CallOptions): Promise<PaymentException>;
}

export interface CheckoutLinksResource {
  /**
   * Create a sign-up link.
   *
   * Makes a page on which people subscribe to the plan: with billing details, and with a card if the plan costs anything. The customer and the subscription are created in the transaction that takes the money. With `customer` or `customerId` the link is for one person and works once.
   *
   * `POST /v0/checkoutLinks`
   */
  create(body: CheckoutLinkCreate, options?: CallOptions): Promise<CheckoutLink>;

  /**
   * List sign-up links.
   *
   * The newest link comes first.
   *
   * `GET /v0/checkoutLinks`
   */
  list(query?: ListCheckoutLinksQuery, options?: CallOptions): List<CheckoutLinkList>;

  /**
   * Retrieve a sign-up link.
   *
   * `uses` has the number of subscriptions made with it.
   *
   * `GET /v0/checkoutLinks/{id}`
   */
  get(id: string, options?: CallOptions): Promise<CheckoutLink>;

  /**
   * Expire a sign-up link.
   *
   * The link ends before its time. Nobody can subscribe by it any more, except a person with a payment under way at the bank. A second call changes nothing and answers the same.
   *
   * `POST /v0/checkoutLinks/{id}/expire`
   */
  expire(id: string, options?: CallOptions): Promise<CheckoutLink>;
}

export interface MailsResource {
  /**
   * List emails.
   *
   * The newest email comes first. The sandbox stores emails and never sends them.
   *
   * `GET /v0/mails`
   */
  list(query?: ListMailsQuery, options?: CallOptions): List<MailList>;

  /**
   * Retrieve an email.
   *
   * Answers the whole email with its text. In production the link of a `portalLink` email is left out.
   *
   * `GET /v0/mails/{id}`
   */
  get(id: string, options?: CallOptions): Promise<Mail>;
}

export interface WebhookEndpointsResource {
  /**
   * Create a webhook endpoint.
   *
   * The answer has the `secret` of the signatures, this once. A merchant has at most 20 endpoints.
   *
   * `POST /v0/webhookEndpoints`
   */
  create(body: WebhookEndpointCreate, options?: CallOptions): Promise<WebhookEndpoint>;

  /**
   * List webhook endpoints.
   *
   * Newest first, without secrets.
   *
   * `GET /v0/webhookEndpoints`
   */
  list(query?: ListWebhookEndpointsQuery, options?: CallOptions): List<WebhookEndpointList>;

  /**
   * Retrieve a webhook endpoint.
   *
   * Answers one endpoint, without its secret.
   *
   * `GET /v0/webhookEndpoints/{id}`
   */
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint>;

  /**
   * Update a webhook endpoint.
   *
   * A field that is not sent stays as it is. Disabling an endpoint cancels its pending deliveries; they can be sent again later.
   *
   * `PATCH /v0/webhookEndpoints/{id}`
   */
  update(id: string, body?: WebhookEndpointUpdate, options?: CallOptions): Promise<WebhookEndpoint>;

  /**
   * Delete a webhook endpoint.
   *
   * No more webhooks are sent to it. The events stay.
   *
   * `DELETE /v0/webhookEndpoints/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<void>;

  /**
   * Rotate the secret of a webhook endpoint.
   *
   * The answer has the new secret, this once. The secret before signs too for 24 hours, so each webhook has two signatures until then.
   *
   * `POST /v0/webhookEndpoints/{id}/rotateSecret`
   */
  rotateSecret(id: string, options?: CallOptions): Promise<WebhookEndpoint>;

  /**
   * Send a test event to a webhook endpoint.
   *
   * Sends `webhook_endpoint.test.v0` now, once, also to a disabled endpoint. The reply has the answer of the endpoint.
   *
   * `POST /v0/webhookEndpoints/{id}/test`
   */
  test(id: string, options?: CallOptions): Promise<WebhookTest>;
}

export interface WebhookEventsResource {
  /**
   * List webhook events.
   *
   * Newest first; events are stored for 30 days. With the id of an event as `after`, the events after it, oldest first: ask with the last id that you have, and you miss none. This needs no endpoint. `nextAfter` continues in the order of its page.
   *
   * `GET /v0/webhookEvents`
   */
  list(query?: ListWebhookEventsQuery, options?: CallOptions): List<WebhookEventList>;

  /**
   * Retrieve a webhook event.
   *
   * Answers one event with its deliveries.
   *
   * `GET /v0/webhookEvents/{id}`
   */
  get(id: string, options?: CallOptions): Promise<WebhookEvent>;

  /**
   * List attempts to deliver a webhook event.
   *
   * Newest first, each with the answer of the endpoint.
   *
   * `GET /v0/webhookEvents/{id}/attempts`
   */
  listAttempts(id: string, query?: ListWebhookAttemptsQuery, options?: CallOptions): List<WebhookAttemptList>;

  /**
   * Send a webhook event again.
   *
   * Sends the event to `endpointId`, or to every enabled endpoint that is subscribed to its type. The attempts start again, under the same `webhook-id`.
   *
   * `POST /v0/webhookEvents/{id}/redeliver`
   */
  redeliver(id: string, body?: WebhookRedelivery, options?: CallOptions): Promise<WebhookEvent>;

  /**
   * Send many webhook events again.
   *
   * Sends the events that were created from `from` until before `to`. At most 10,000 deliveries.
   *
   * `POST /v0/webhookEvents/redeliver`
   */
  redeliverMany(body: WebhookRangeRedelivery, options?: CallOptions): Promise<WebhookRedeliveryCount>;
}

export interface WebhookInboxResource {
  /**
   * List webhooks in the inbox of the sandbox.
   *
   * Only in the sandbox. An endpoint with the address of this list as its `url` is the inbox. It verifies webhooks as a receiver does and stores the last 1,000 of a merchant, newest first.
   *
   * `GET /v0/webhookInbox`
   */
  list(query?: ListWebhookInboxQuery, options?: CallOptions): List<WebhookReceiptList>;
}

export interface TestClocksResource {
  /**
   * Create a test clock.
   *
   * Only in the sandbox. A subscription or an order is attached to the clock when it is created.
   *
   * `POST /v0/testClocks`
   */
  create(body?: TestClockCreate, options?: CallOptions): Promise<TestClock>;

  /**
   * List test clocks.
   *
   * Only in the sandbox. Newest first, without deleted clocks.
   *
   * `GET /v0/testClocks`
   */
  list(query?: ListTestClocksQuery, options?: CallOptions): List<TestClockList>;

  /**
   * Retrieve a test clock.
   *
   * Only in the sandbox. Shows how far an advance has come.
   *
   * `GET /v0/testClocks/{id}`
   */
  get(id: string, options?: CallOptions): Promise<TestClock>;

  /**
   * Advance a test clock.
   *
   * Runs everything that is due in between, in order, each step at its own time. Answers when all is done, or after 15 seconds with `advancingTo` still set while the work goes on. A clock never goes back.
   *
   * `PATCH /v0/testClocks/{id}`
   */
  advance(id: string, body?: TestClockUpdate, options?: CallOptions): Promise<TestClock>;

  /**
   * Delete a test clock.
   *
   * Ends an advance too. Refused with 409 and the blockers while a subscription or an order on the clock has not ended.
   *
   * `DELETE /v0/testClocks/{id}`
   */
  delete(id: string, options?: CallOptions): Promise<TestClock>;
}

/** Every resource of the API. */
export interface Resources extends Alone {
  readonly organizations: OrganizationsResource;
  readonly users: UsersResource;
  readonly auditLog: AuditLogResource;
  readonly customers: CustomersResource;
  readonly products: ProductsResource;
  readonly features: FeaturesResource;
  readonly billableMetrics: BillableMetricsResource;
  readonly costs: CostsResource;
  readonly items: ItemsResource;
  readonly fees: FeesResource;
  readonly prices: PricesResource;
  readonly plans: PlansResource;
  readonly externalReferences: ExternalReferencesResource;
  readonly events: EventsResource;
  readonly usage: UsageResource;
  readonly subscriptions: SubscriptionsResource;
  readonly coupons: CouponsResource;
  readonly entitlements: EntitlementsResource;
  readonly lineItems: LineItemsResource;
  readonly invoices: InvoicesResource;
  readonly billingCredits: BillingCreditsResource;
  readonly commitments: CommitmentsResource;
  readonly orders: OrdersResource;
  readonly billingSchedules: BillingSchedulesResource;
  readonly approvals: ApprovalsResource;
  readonly sources: SourcesResource;
  readonly sourceRules: SourceRulesResource;
  readonly merchantIntegrations: MerchantIntegrationsResource;
  readonly alerts: AlertsResource;
  readonly paymentSessions: PaymentSessionsResource;
  readonly payments: PaymentsResource;
  readonly paymentExceptions: PaymentExceptionsResource;
  readonly checkoutLinks: CheckoutLinksResource;
  readonly mails: MailsResource;
  readonly webhookEndpoints: WebhookEndpointsResource;
  readonly webhookEvents: WebhookEventsResource;
  readonly webhookInbox: WebhookInboxResource;
  readonly testClocks: TestClocksResource;
}

/** Every operation by its method and path. */
export interface Operations {
  'POST /v0/organizations': { query: Record<string, never>; body: OrganizationCreate; reply: Organization };
  'GET /v0/organizations': { query: ListOrganizationsQuery; body: undefined; reply: OrganizationList };
  'GET /v0/organizations/{id}': { query: Record<string, never>; body: undefined; reply: Organization };
  'PATCH /v0/organizations/{id}': { query: Record<string, never>; body: OrganizationChange; reply: Organization };
  'PUT /v0/organizations/{id}/logo': { query: Record<string, never>; body: Blob; reply: OrganizationLogo };
  'GET /v0/organizations/{id}/logo': { query: Record<string, never>; body: undefined; reply: Uint8Array };
  'DELETE /v0/organizations/{id}/logo': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/users': { query: Record<string, never>; body: UserCreate; reply: User };
  'GET /v0/users': { query: ListUsersQuery; body: undefined; reply: UserList };
  'GET /v0/users/{id}': { query: Record<string, never>; body: undefined; reply: User };
  'PATCH /v0/users/{id}': { query: Record<string, never>; body: UserChange; reply: User };
  'POST /v0/users/{userId}/apikeys': { query: Record<string, never>; body: ApiKeyCreate; reply: ApiKey };
  'GET /v0/users/{userId}/apikeys': { query: ListApiKeysQuery; body: undefined; reply: ApiKeyList };
  'DELETE /v0/users/{userId}/apikeys/{keyId}': { query: Record<string, never>; body: undefined; reply: null };
  'GET /v0/me': { query: Record<string, never>; body: undefined; reply: Me };
  'GET /v0/auditLog': { query: ListAuditLogQuery; body: undefined; reply: AuditEntryList };
  'POST /v0/customers': { query: Record<string, never>; body: CustomerCreate; reply: CustomerCreated };
  'GET /v0/customers': { query: ListCustomersQuery; body: undefined; reply: CustomerList };
  'GET /v0/customers/{id}': { query: Record<string, never>; body: undefined; reply: Customer };
  'PATCH /v0/customers/{id}': { query: Record<string, never>; body: CustomerChange; reply: Customer };
  'DELETE /v0/customers/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/products': { query: Record<string, never>; body: ProductCreate; reply: Product };
  'GET /v0/products': { query: ListProductsQuery; body: undefined; reply: ProductList };
  'GET /v0/products/{id}': { query: Record<string, never>; body: undefined; reply: Product };
  'PATCH /v0/products/{id}': { query: Record<string, never>; body: ProductUpdate; reply: Product };
  'POST /v0/features': { query: Record<string, never>; body: FeatureCreate; reply: Feature };
  'GET /v0/features': { query: ListFeaturesQuery; body: undefined; reply: FeatureList };
  'GET /v0/features/{id}': { query: Record<string, never>; body: undefined; reply: Feature };
  'PATCH /v0/features/{id}': { query: Record<string, never>; body: FeatureUpdate; reply: Feature };
  'DELETE /v0/features/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/billableMetrics': { query: Record<string, never>; body: BillableMetricCreate; reply: BillableMetric };
  'GET /v0/billableMetrics': { query: ListBillableMetricsQuery; body: undefined; reply: BillableMetricList };
  'POST /v0/billableMetrics/bulk': { query: Record<string, never>; body: BillableMetricsCreate; reply: BillableMetrics };
  'GET /v0/billableMetrics/{id}': { query: Record<string, never>; body: undefined; reply: BillableMetric };
  'PATCH /v0/billableMetrics/{id}': { query: Record<string, never>; body: BillableMetricUpdate; reply: BillableMetric };
  'POST /v0/costs': { query: Record<string, never>; body: CostCreate; reply: Cost };
  'GET /v0/costs': { query: ListCostsQuery; body: undefined; reply: CostList };
  'GET /v0/costs/{id}': { query: Record<string, never>; body: undefined; reply: Cost };
  'PATCH /v0/costs/{id}': { query: Record<string, never>; body: CostUpdate; reply: Cost };
  'DELETE /v0/costs/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/items': { query: Record<string, never>; body: ItemCreate; reply: Item };
  'GET /v0/items': { query: ListItemsQuery; body: undefined; reply: ItemList };
  'GET /v0/items/{id}': { query: Record<string, never>; body: undefined; reply: Item };
  'PATCH /v0/items/{id}': { query: Record<string, never>; body: ItemUpdate; reply: Item };
  'DELETE /v0/items/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/fees': { query: Record<string, never>; body: FeeCreate; reply: Fee };
  'GET /v0/fees': { query: ListFeesQuery; body: undefined; reply: FeeList };
  'GET /v0/fees/{id}': { query: Record<string, never>; body: undefined; reply: Fee };
  'PATCH /v0/fees/{id}': { query: Record<string, never>; body: FeeUpdate; reply: Fee };
  'DELETE /v0/fees/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/prices': { query: Record<string, never>; body: PriceCreate; reply: Price };
  'GET /v0/prices': { query: ListPricesQuery; body: undefined; reply: PriceList };
  'GET /v0/prices/{id}': { query: Record<string, never>; body: undefined; reply: Price };
  'PATCH /v0/prices/{id}': { query: Record<string, never>; body: PriceUpdate; reply: Price };
  'DELETE /v0/prices/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/plans': { query: Record<string, never>; body: PlanCreate; reply: Plan };
  'GET /v0/plans': { query: ListPlansQuery; body: undefined; reply: PlanList };
  'GET /v0/plans/available': { query: ListAvailablePlansQuery; body: undefined; reply: PlanList };
  'GET /v0/plans/{id}': { query: Record<string, never>; body: undefined; reply: Plan };
  'PATCH /v0/plans/{id}': { query: Record<string, never>; body: PlanUpdate; reply: Plan };
  'GET /v0/plans/{id}/versions': { query: ListPlanVersionsQuery; body: undefined; reply: PlanVersionSummaryList };
  'POST /v0/plans/{id}/versions': { query: Record<string, never>; body: PlanVersionCreate; reply: PlanVersion };
  'GET /v0/plans/{id}/versions/{versionNumber}': { query: Record<string, never>; body: undefined; reply: PlanVersion };
  'PATCH /v0/plans/{id}/versions/{versionNumber}': { query: Record<string, never>; body: PlanVersionUpdate; reply: PlanVersion };
  'POST /v0/externalReferences': { query: Record<string, never>; body: ExternalReferenceCreate; reply: ExternalReference };
  'GET /v0/externalReferences': { query: ListExternalReferencesQuery; body: undefined; reply: ExternalReferenceList };
  'GET /v0/externalReferences/{id}': { query: Record<string, never>; body: undefined; reply: ExternalReference };
  'PATCH /v0/externalReferences/{id}': { query: Record<string, never>; body: ExternalReferenceUpdate; reply: ExternalReference };
  'DELETE /v0/externalReferences/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/events': { query: CreateEventsQuery; body: CreateEventsBody; reply: CreateEventsReply };
  'GET /v0/events': { query: ListEventsQuery; body: undefined; reply: ListedEventList };
  'GET /v0/events/{id}': { query: Record<string, never>; body: undefined; reply: EventWithData };
  'GET /v0/billableMetrics/{id}/meter': { query: GetMetricUsageQuery; body: undefined; reply: UsageResponse };
  'GET /v0/billableMetrics/{id}/events': { query: ListMetricEventsQuery; body: undefined; reply: MetricEvents };
  'GET /v0/costs/{id}/summary': { query: GetCostSummaryQuery; body: undefined; reply: CostUsageResponse };
  'GET /v0/costs/report': { query: GetCostReportQuery; body: undefined; reply: CostReport };
  'GET /v0/revenue': { query: GetRevenueQuery; body: undefined; reply: RevenueSummaryResponse };
  'GET /v0/profitability': { query: GetProfitabilityQuery; body: undefined; reply: ProfitabilitySummaryResponse };
  'GET /v0/events/{id}/explain': { query: Record<string, never>; body: undefined; reply: EventExplanation };
  'GET /v0/usage/unbilled': { query: GetUnbilledUsageQuery; body: undefined; reply: UnbilledUsage };
  'POST /v0/subscriptions': { query: Record<string, never>; body: SubscriptionCreate; reply: Subscription };
  'GET /v0/subscriptions': { query: ListSubscriptionsQuery; body: undefined; reply: SubscriptionList };
  'POST /v0/subscriptions/preview': { query: Record<string, never>; body: SubscriptionCreate; reply: SubscriptionPreview };
  'GET /v0/subscriptions/{id}': { query: Record<string, never>; body: undefined; reply: Subscription };
  'PATCH /v0/subscriptions/{id}': { query: Record<string, never>; body: SubscriptionUpdate; reply: Subscription };
  'POST /v0/subscriptions/{id}/termination': { query: Record<string, never>; body: SubscriptionTermination; reply: Subscription };
  'POST /v0/subscriptions/{id}/pause': { query: Record<string, never>; body: PauseRequest; reply: Subscription };
  'POST /v0/subscriptions/{id}/resume': { query: Record<string, never>; body: SubscriptionResumption; reply: Subscription };
  'POST /v0/subscriptions/{id}/reconciliations': { query: Record<string, never>; body: SubscriptionReconciliationCreate; reply: SubscriptionReconciliation };
  'GET /v0/fees/{id}/price/{subscriptionId}': { query: Record<string, never>; body: undefined; reply: Price };
  'POST /v0/subscriptions/{id}/adjustments': { query: Record<string, never>; body: SubscriptionAdjustmentCreate; reply: SubscriptionAdjustment };
  'GET /v0/subscriptions/{id}/adjustments': { query: ListSubscriptionAdjustmentsQuery; body: undefined; reply: SubscriptionAdjustmentList };
  'DELETE /v0/subscriptions/{id}/adjustments/{adjustmentId}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/subscriptions/{id}/changes': { query: Record<string, never>; body: SubscriptionChangeCreate; reply: SubscriptionChangeReply };
  'GET /v0/subscriptions/{id}/changes': { query: ListSubscriptionChangesQuery; body: undefined; reply: SubscriptionChangeList };
  'DELETE /v0/subscriptions/{id}/changes/{changeId}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/plans/{id}/migrations': { query: Record<string, never>; body: PlanMigrationCreate; reply: PlanMigration };
  'GET /v0/plans/{id}/migrations': { query: ListPlanMigrationsQuery; body: undefined; reply: PlanMigrationProgressList };
  'GET /v0/plans/{id}/migrations/{migrationId}': { query: Record<string, never>; body: undefined; reply: PlanMigrationProgress };
  'DELETE /v0/plans/{id}/migrations/{migrationId}': { query: Record<string, never>; body: undefined; reply: PlanMigrationProgress };
  'GET /v0/plans/{id}/migrations/{migrationId}/subscriptions': { query: ListPlanMigrationSubscriptionsQuery; body: undefined; reply: PlanMigrationSubscriptionList };
  'POST /v0/plans/{id}/simulate': { query: Record<string, never>; body: PlanSimulationCreate; reply: PlanSimulation };
  'POST /v0/coupons': { query: Record<string, never>; body: CouponCreate; reply: Coupon };
  'GET /v0/coupons': { query: ListCouponsQuery; body: undefined; reply: CouponList };
  'GET /v0/coupons/{id}': { query: Record<string, never>; body: undefined; reply: Coupon };
  'PATCH /v0/coupons/{id}': { query: Record<string, never>; body: CouponUpdate; reply: Coupon };
  'POST /v0/subscriptions/{id}/coupons': { query: Record<string, never>; body: RedemptionCreate; reply: Redemption };
  'GET /v0/subscriptions/{id}/coupons': { query: ListRedemptionsQuery; body: undefined; reply: RedemptionList };
  'DELETE /v0/subscriptions/{id}/coupons/{redemptionId}': { query: Record<string, never>; body: undefined; reply: null };
  'GET /v1/entitlements': { query: ListEntitlementsQuery; body: undefined; reply: EntitlementList };
  'POST /v1/entitlements': { query: Record<string, never>; body: EntitlementCreate; reply: EntitlementDetail };
  'GET /v0/entitlements/activeEntitlements': { query: ListActiveEntitlementsQuery; body: undefined; reply: ActiveEntitlementList };
  'GET /v1/entitlements/{id}': { query: GetEntitlementQuery; body: undefined; reply: EntitlementDetail };
  'GET /v1/entitlements/{id}/history': { query: GetEntitlementHistoryQuery; body: undefined; reply: EntitlementHistory };
  'GET /v1/customers/{id}/access': { query: GetCustomerAccessQuery; body: undefined; reply: CustomerAccess };
  'GET /v1/customers/access': { query: GetExternalCustomerAccessQuery; body: undefined; reply: CustomerAccess };
  'POST /v1/entitlements/{id}/reset': { query: Record<string, never>; body: EntitlementReset; reply: EntitlementDetail };
  'POST /v1/entitlements/{id}/grants': { query: Record<string, never>; body: GrantCreate; reply: Grant };
  'GET /v1/entitlements/{id}/grants': { query: ListGrantsQuery; body: undefined; reply: GrantList };
  'GET /v1/entitlements/{id}/grants/{grantId}': { query: Record<string, never>; body: undefined; reply: Grant };
  'DELETE /v1/entitlements/{id}/grants/{grantId}': { query: Record<string, never>; body: undefined; reply: Grant };
  'POST /v1/entitlements/{id}/grants/purchase': { query: Record<string, never>; body: GrantPurchaseCreate; reply: GrantPurchase };
  'POST /v1/entitlements/{id}/reservations': { query: Record<string, never>; body: ReservationCreate; reply: Reservation };
  'GET /v1/entitlements/{id}/reservations': { query: ListReservationsQuery; body: undefined; reply: ReservationList };
  'GET /v1/entitlements/{id}/reservations/{reservationId}': { query: Record<string, never>; body: undefined; reply: Reservation };
  'POST /v1/entitlements/{id}/reservations/{reservationId}/settle': { query: Record<string, never>; body: ReservationSettlement; reply: Reservation };
  'POST /v1/entitlements/{id}/reservations/{reservationId}/release': { query: Record<string, never>; body: undefined; reply: Reservation };
  'GET /v0/subscriptions/{id}/upcomingInvoice': { query: GetUpcomingInvoiceQuery; body: undefined; reply: Invoice };
  'POST /v2/invoices/lineItems': { query: Record<string, never>; body: LineItemCreate; reply: LineItem };
  'GET /v2/invoices/lineItems': { query: ListLineItemsQuery; body: undefined; reply: LineItemsResponse };
  'GET /v2/invoices/{id}/explain': { query: Record<string, never>; body: undefined; reply: InvoiceExplanation };
  'POST /v0/customers/{id}/wallet/topUps': { query: Record<string, never>; body: WalletTopUpCreate; reply: WalletTopUp };
  'POST /v0/customers/{id}/billingCredits': { query: Record<string, never>; body: BillingCreditCreate; reply: BillingCredit };
  'GET /v0/customers/{id}/billingCredits': { query: ListBillingCreditsQuery; body: undefined; reply: BillingCreditList };
  'GET /v0/customers/{id}/billingCredits/balance': { query: GetBillingCreditBalanceQuery; body: undefined; reply: BillingCreditBalance };
  'POST /v0/customers/{id}/billingCredits/purchase': { query: Record<string, never>; body: BillingCreditPurchaseCreate; reply: BillingCreditPurchase };
  'PUT /v0/customers/{id}/creditTopUp': { query: Record<string, never>; body: CreditTopUpSet; reply: CreditTopUp };
  'GET /v0/customers/{id}/creditTopUp': { query: Record<string, never>; body: undefined; reply: CreditTopUp };
  'DELETE /v0/customers/{id}/creditTopUp': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/billingCredits/{id}/void': { query: Record<string, never>; body: Reason; reply: BillingCredit };
  'POST /v0/commitments': { query: Record<string, never>; body: CommitmentCreate; reply: Commitment };
  'GET /v0/commitments': { query: ListCommitmentsQuery; body: undefined; reply: CommitmentList };
  'GET /v0/commitments/{id}': { query: Record<string, never>; body: undefined; reply: Commitment };
  'PATCH /v0/commitments/{id}': { query: Record<string, never>; body: CommitmentUpdate; reply: Commitment };
  'POST /v0/commitments/{id}/end': { query: Record<string, never>; body: Reason; reply: Commitment };
  'POST /v0/customers/{id}/receipts': { query: Record<string, never>; body: ReceiptCreate; reply: Receipt };
  'GET /v0/customers/{id}/receipts': { query: ListReceiptsQuery; body: undefined; reply: ReceiptList };
  'POST /v0/customers/{id}/receipts/{receiptId}/apply': { query: Record<string, never>; body: ReceiptApply; reply: Receipt };
  'POST /v0/customers/{id}/receipts/{receiptId}/return': { query: Record<string, never>; body: ReceiptReturning; reply: Receipt };
  'GET /v0/customers/{id}/statement': { query: GetCustomerStatementQuery; body: undefined; reply: Statement };
  'POST /v2/invoices': { query: Record<string, never>; body: InvoiceCreate; reply: Invoice };
  'GET /v2/invoices': { query: ListInvoicesQuery; body: undefined; reply: InvoiceList };
  'GET /v2/invoices/{id}': { query: GetInvoiceQuery; body: undefined; reply: Invoice };
  'GET /v2/invoices/{id}/lineItems': { query: ListInvoiceLineItemsQuery; body: undefined; reply: InvoiceLineItemsResponse };
  'GET /v2/invoices/{id}/pdf': { query: Record<string, never>; body: undefined; reply: Uint8Array };
  'GET /v2/invoices/{id}/document.xml': { query: Record<string, never>; body: undefined; reply: Uint8Array };
  'GET /v2/invoices/{id}/refunds/{refundId}/pdf': { query: Record<string, never>; body: undefined; reply: Uint8Array };
  'GET /v2/invoices/{id}/refunds/{refundId}/document.xml': { query: Record<string, never>; body: undefined; reply: Uint8Array };
  'GET /v2/invoices/{id}/payments/{paymentId}/receipt': { query: Record<string, never>; body: undefined; reply: Uint8Array };
  'GET /v2/invoices/{id}/creditNotes': { query: ListInvoiceCreditNotesQuery; body: undefined; reply: CreditNoteList };
  'POST /v2/invoices/{id}/creditNotes': { query: Record<string, never>; body: CreditNoteCreate; reply: CreditNote };
  'GET /v2/invoices/{id}/creditNotes/{creditNoteId}': { query: Record<string, never>; body: undefined; reply: CreditNote };
  'POST /v2/invoices/{id}/creditNotes/{creditNoteId}/void': { query: Record<string, never>; body: Reason; reply: CreditNote };
  'POST /v2/invoices/{id}/closeNow': { query: Record<string, never>; body: Reason; reply: Invoice };
  'POST /v2/invoices/{id}/approve': { query: Record<string, never>; body: Reason; reply: Invoice };
  'POST /v2/invoices/{id}/cancel': { query: Record<string, never>; body: InvoiceCancel; reply: Invoice };
  'POST /v2/invoices/{id}/writeOff': { query: Record<string, never>; body: Reason; reply: Invoice };
  'POST /v2/invoices/{id}/recalculate': { query: Record<string, never>; body: Reason; reply: Invoice };
  'POST /v2/invoices/{id}/pay': { query: Record<string, never>; body: Reason; reply: Invoice };
  'POST /v2/invoices/{id}/payments': { query: Record<string, never>; body: InvoicePaymentCreate; reply: InvoicePayment };
  'GET /v2/invoices/{id}/payments': { query: ListInvoicePaymentsQuery; body: undefined; reply: InvoicePaymentList };
  'POST /v2/invoices/{id}/payments/{paymentId}/reverse': { query: Record<string, never>; body: PaymentReverse; reply: InvoicePayment };
  'POST /v2/invoices/{id}/payments/{paymentId}/markReturned': { query: Record<string, never>; body: PaymentReturnCreate; reply: InvoicePayment };
  'POST /v2/invoices/{id}/paymentSessions': { query: Record<string, never>; body: InvoicePaymentSessionCreate; reply: PaymentSession };
  'POST /v2/invoices/{id}/reissue': { query: Record<string, never>; body: InvoiceReissue; reply: Invoice };
  'POST /v2/invoices/{id}/refunds': { query: Record<string, never>; body: RefundCreate; reply: InvoiceRefund };
  'GET /v2/invoices/{id}/refunds': { query: ListInvoiceRefundsQuery; body: undefined; reply: InvoiceRefundList };
  'POST /v2/invoices/{id}/refunds/{refundId}/void': { query: Record<string, never>; body: Reason; reply: InvoiceRefund };
  'POST /v0/orders': { query: Record<string, never>; body: OrderCreate; reply: Order };
  'GET /v0/orders': { query: ListOrdersQuery; body: undefined; reply: OrderList };
  'GET /v0/orders/{id}': { query: Record<string, never>; body: undefined; reply: Order };
  'PATCH /v0/orders/{id}': { query: Record<string, never>; body: OrderUpdate; reply: Order };
  'DELETE /v0/orders/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/orders/{id}/lineItems': { query: Record<string, never>; body: OrderLineItemCreate; reply: OrderLineItem };
  'GET /v0/orders/{id}/lineItems': { query: ListOrderLineItemsQuery; body: undefined; reply: OrderLineItemList };
  'GET /v0/orders/{id}/lineItems/{lineItemId}': { query: Record<string, never>; body: undefined; reply: OrderLineItem };
  'PATCH /v0/orders/{id}/lineItems/{lineItemId}': { query: Record<string, never>; body: OrderLineItemUpdate; reply: OrderLineItem };
  'DELETE /v0/orders/{id}/lineItems/{lineItemId}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/billingSchedules': { query: Record<string, never>; body: BillingScheduleCreate; reply: BillingSchedule };
  'GET /v0/billingSchedules': { query: ListBillingSchedulesQuery; body: undefined; reply: BillingScheduleList };
  'GET /v0/billingSchedules/{id}': { query: Record<string, never>; body: undefined; reply: BillingSchedule };
  'PATCH /v0/billingSchedules/{id}': { query: Record<string, never>; body: BillingScheduleUpdate; reply: BillingSchedule };
  'DELETE /v0/billingSchedules/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'GET /v0/billingSchedules/{id}/intervals': { query: ListScheduleIntervalsQuery; body: undefined; reply: ScheduleIntervalList };
  'PUT /v0/billingSchedules/{id}/intervals': { query: Record<string, never>; body: ScheduleIntervalsReplace; reply: ScheduleIntervalList };
  'GET /v0/billingSchedules/{id}/invoices': { query: ListScheduleInvoicesQuery; body: undefined; reply: ScheduleInvoiceList };
  'POST /v0/billingSchedules/{id}/invoices': { query: Record<string, never>; body: undefined; reply: ScheduleInvoiceList };
  'POST /v0/approvals': { query: Record<string, never>; body: ApprovalCreate; reply: Approval };
  'GET /v0/approvals': { query: ListApprovalsQuery; body: undefined; reply: ApprovalList };
  'POST /v0/orders/{id}/approvals': { query: Record<string, never>; body: OrderApprovalCreate; reply: Approval };
  'GET /v0/approvals/{id}': { query: Record<string, never>; body: undefined; reply: Approval };
  'PATCH /v0/approvals/{id}': { query: Record<string, never>; body: ApprovalUpdate; reply: Approval };
  'GET /v0/approvals/{id}/changes': { query: Record<string, never>; body: undefined; reply: ApprovalChanges };
  'GET /v0/customers/{id}/wallet': { query: Record<string, never>; body: undefined; reply: Wallet };
  'GET /v0/customers/{id}/wallet/entries': { query: ListWalletEntriesQuery; body: undefined; reply: WalletEntryList };
  'GET /v0/customers/{id}/timeline': { query: GetCustomerTimelineQuery; body: undefined; reply: Timeline };
  'POST /v0/sources': { query: Record<string, never>; body: SourceCreate; reply: Source };
  'GET /v0/sources': { query: ListSourcesQuery; body: undefined; reply: SourceList };
  'GET /v0/sources/{id}': { query: Record<string, never>; body: undefined; reply: Source };
  'PATCH /v0/sources/{id}': { query: Record<string, never>; body: SourceUpdate; reply: Source };
  'POST /v0/sources/{id}/events': { query: Record<string, never>; body: JsonObject; reply: ReceiveSourceEventReply };
  'GET /v0/sources/{id}/events': { query: ListSourceEventsQuery; body: undefined; reply: SourceEventList };
  'GET /v0/sources/{id}/events/{eventId}': { query: Record<string, never>; body: undefined; reply: SourceEvent };
  'POST /v0/sources/{id}/events/{eventId}/approve': { query: Record<string, never>; body: undefined; reply: SourceEvent };
  'POST /v0/sources/{id}/events/{eventId}/reject': { query: Record<string, never>; body: undefined; reply: SourceEvent };
  'POST /v0/sources/{id}/events/{eventId}/retry': { query: Record<string, never>; body: undefined; reply: SourceEvent };
  'POST /v0/sources/{id}/events/bulk-approve': { query: Record<string, never>; body: SourceEventIds; reply: SourceEventsApproved };
  'POST /v0/sources/{id}/events/bulk-reject': { query: Record<string, never>; body: SourceEventIds; reply: SourceEventsRejected };
  'POST /v0/sourceRules': { query: Record<string, never>; body: SourceRuleCreate; reply: SourceRule };
  'GET /v0/sourceRules': { query: ListSourceRulesQuery; body: undefined; reply: SourceRuleList };
  'GET /v0/sourceRules/{id}': { query: Record<string, never>; body: undefined; reply: SourceRule };
  'PATCH /v0/sourceRules/{id}': { query: Record<string, never>; body: SourceRuleUpdate; reply: SourceRule };
  'DELETE /v0/sourceRules/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'PUT /v0/merchantIntegrations': { query: Record<string, never>; body: MerchantIntegrationPut; reply: MerchantIntegration };
  'GET /v0/merchantIntegrations': { query: ListMerchantIntegrationsQuery; body: undefined; reply: MerchantIntegrationList };
  'GET /v0/merchantIntegrations/{id}': { query: Record<string, never>; body: undefined; reply: MerchantIntegration };
  'PATCH /v0/merchantIntegrations/{id}/disconnect': { query: Record<string, never>; body: undefined; reply: MerchantIntegration };
  'POST /v0/alerts': { query: Record<string, never>; body: AlertCreate; reply: Alert };
  'GET /v0/alerts': { query: ListAlertsQuery; body: undefined; reply: AlertList };
  'GET /v0/alerts/{id}': { query: Record<string, never>; body: undefined; reply: Alert };
  'PATCH /v0/alerts/{id}': { query: Record<string, never>; body: AlertUpdate; reply: Alert };
  'DELETE /v0/alerts/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'GET /v0/alerts/{id}/triggers': { query: ListAlertTriggersQuery; body: undefined; reply: AlertTriggerList };
  'GET /v0/paymentSessions': { query: ListPaymentSessionsQuery; body: undefined; reply: ListedPaymentSessionList };
  'GET /v0/paymentSessions/{id}': { query: Record<string, never>; body: undefined; reply: PaymentSession };
  'POST /v0/paymentSessions/{id}/expire': { query: Record<string, never>; body: undefined; reply: PaymentSession };
  'POST /v0/paymentSessions/{id}/complete': { query: Record<string, never>; body: PaymentSessionCompletion; reply: PaymentSession };
  'GET /v0/customers/{id}/paymentMethods': { query: ListPaymentMethodsQuery; body: undefined; reply: PaymentMethodList };
  'POST /v0/customers/{id}/paymentMethods': { query: Record<string, never>; body: PaymentMethodSetup; reply: PaymentSession };
  'DELETE /v0/customers/{id}/paymentMethods/{paymentMethodId}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/customers/{id}/paymentMethods/{paymentMethodId}/default': { query: Record<string, never>; body: undefined; reply: PaymentMethod };
  'POST /v0/payments': { query: Record<string, never>; body: PaymentCreate; reply: Payment };
  'GET /v0/payments': { query: ListPaymentsQuery; body: undefined; reply: PaymentList };
  'GET /v0/payments/{id}': { query: Record<string, never>; body: undefined; reply: Payment };
  'POST /v0/payments/{id}/dispute': { query: Record<string, never>; body: PaymentDisputeDecision; reply: PaymentDispute };
  'GET /v0/paymentExceptions': { query: ListPaymentExceptionsQuery; body: undefined; reply: PaymentExceptionList };
  'POST /v0/paymentExceptions/{id}/markReturned': { query: Record<string, never>; body: PaymentExceptionReturnCreate; reply: PaymentException };
  'POST /v0/subscriptions/{id}/portal': { query: Record<string, never>; body: PortalLinkCreate; reply: SubscriptionPortal };
  'POST /v0/customers/{id}/portal': { query: Record<string, never>; body: PortalLinkCreate; reply: CustomerPortal };
  'POST /v0/checkoutLinks': { query: Record<string, never>; body: CheckoutLinkCreate; reply: CheckoutLink };
  'GET /v0/checkoutLinks': { query: ListCheckoutLinksQuery; body: undefined; reply: CheckoutLinkList };
  'GET /v0/checkoutLinks/{id}': { query: Record<string, never>; body: undefined; reply: CheckoutLink };
  'POST /v0/checkoutLinks/{id}/expire': { query: Record<string, never>; body: undefined; reply: CheckoutLink };
  'GET /v0/mails': { query: ListMailsQuery; body: undefined; reply: MailList };
  'GET /v0/mails/{id}': { query: Record<string, never>; body: undefined; reply: Mail };
  'POST /v0/webhookEndpoints': { query: Record<string, never>; body: WebhookEndpointCreate; reply: WebhookEndpoint };
  'GET /v0/webhookEndpoints': { query: ListWebhookEndpointsQuery; body: undefined; reply: WebhookEndpointList };
  'GET /v0/webhookEndpoints/{id}': { query: Record<string, never>; body: undefined; reply: WebhookEndpoint };
  'PATCH /v0/webhookEndpoints/{id}': { query: Record<string, never>; body: WebhookEndpointUpdate; reply: WebhookEndpoint };
  'DELETE /v0/webhookEndpoints/{id}': { query: Record<string, never>; body: undefined; reply: null };
  'POST /v0/webhookEndpoints/{id}/rotateSecret': { query: Record<string, never>; body: undefined; reply: WebhookEndpoint };
  'POST /v0/webhookEndpoints/{id}/test': { query: Record<string, never>; body: undefined; reply: WebhookTest };
  'GET /v0/webhookEvents': { query: ListWebhookEventsQuery; body: undefined; reply: WebhookEventList };
  'GET /v0/webhookEvents/{id}': { query: Record<string, never>; body: undefined; reply: WebhookEvent };
  'GET /v0/webhookEvents/{id}/attempts': { query: ListWebhookAttemptsQuery; body: undefined; reply: WebhookAttemptList };
  'POST /v0/webhookEvents/{id}/redeliver': { query: Record<string, never>; body: WebhookRedelivery; reply: WebhookEvent };
  'POST /v0/webhookEvents/redeliver': { query: Record<string, never>; body: WebhookRangeRedelivery; reply: WebhookRedeliveryCount };
  'GET /v0/webhookInbox': { query: ListWebhookInboxQuery; body: undefined; reply: WebhookReceiptList };
  'POST /v0/testClocks': { query: Record<string, never>; body: TestClockCreate; reply: TestClock };
  'GET /v0/testClocks': { query: ListTestClocksQuery; body: undefined; reply: TestClockList };
  'GET /v0/testClocks/{id}': { query: Record<string, never>; body: undefined; reply: TestClock };
  'PATCH /v0/testClocks/{id}': { query: Record<string, never>; body: TestClockUpdate; reply: TestClock };
  'DELETE /v0/testClocks/{id}': { query: Record<string, never>; body: undefined; reply: TestClock };
  'GET /v0/search': { query: SearchQuery; body: undefined; reply: SearchResults };
  'GET /v0/names': { query: GetNamesQuery; body: undefined; reply: Names };
  'GET /v0/overview': { query: GetOverviewQuery; body: undefined; reply: Overview };
}
