import {
  type AlertDependencies,
  alertDueKind,
  alertRoutes,
  alertWatchChore,
  findOldestUnseen,
  findSpentBudgets,
} from './alerts/index.ts';
import { analyticsRoutes, rebuildRevenue, revenueSumsChore } from './analytics/index.ts';
import {
  type ApprovalDependencies,
  approvalErrors,
  approvalRoutes,
  cancelApprovals,
  findApprovedContents,
  findGivenKinds,
  requestApprovals,
} from './approvals/index.ts';
import { type CatalogOptions, catalogErrors, catalogRoutes, findMeters, usageRoutes } from './catalog/index.ts';
import {
  type CheckoutDependencies,
  checkoutErrors,
  checkoutRoutes,
  forgetCheckouts,
  withCheckouts,
} from './checkout/index.ts';
import { clockErrors, clockRoutes } from './clocks/index.ts';
import { consoleErrors } from './console/index.ts';
import {
  type CustomerBlocker,
  type CustomerHooks,
  customerErrors,
  customerRoutes,
  findTaxId,
  forgetConfirmedTaxIds,
  sandboxRegister,
  type TaxIdRegister,
  taxIdDueKind,
  viesRegister,
  watchTaxIdOfConsumer,
} from './customers/index.ts';
import type { Database, Scope, Tx } from './db/index.ts';
import { createDocumentRenderer, type DocumentRenderer } from './documents/index.ts';
import {
  entitlementDueKind,
  entitlementErrors,
  entitlementRoutes,
  eventBalances,
  GRANT_PURCHASE,
  grantPurchases,
  isMetricMeasured,
  publishBalanceEvents,
  reservationDueKind,
  snapshotRecheck,
  unendedEntitlements,
  wakeBalancesOf,
} from './entitlements/index.ts';
import type { Route } from './http/index.ts';
import { type EnvironmentName, identityErrors, identityRoutes } from './identity/index.ts';
import { findProviderAccount, integrationRoutes, markRefused, type Probe } from './integrations/index.ts';
import {
  BUYS_CREDIT,
  chargeAtOnce,
  creditPurchases,
  creditTopUps,
  findBilling,
  findCommitmentsOfOrder,
  findOpenInvoicesOfCustomer,
  findWaitingDebts,
  findWaitingReceipts,
  type InvoicingDependencies,
  invoiceApprovals,
  invoicePaymentHandlers,
  invoiceRoutes,
  invoicingDueKinds,
  invoicingErrors,
  PREPAID_DATE,
  prepaidDates,
  type Recomputed,
  recomputeInvoices,
  TOPS_UP_CREDITS,
} from './invoicing/index.ts';
import type { Chore, DueKind, DueRunner } from './jobs/index.ts';
import type { ErrorTable } from './kernel/result.ts';
import { sealerOf } from './kernel/sealing.ts';
import { filledWallets, ledgerRoutes } from './ledger/index.ts';
import { attachmentsFrom, createMails, type MailSender, mailDueKind, mailRoutes, noMailSender } from './mail/index.ts';
import {
  createIntakes,
  eventRoutes,
  type FindBilling,
  linkExternalSubject,
  meteringErrors,
  postgresUsage,
  registerMeter,
  unreadDefinitionsChore,
} from './metering/index.ts';
import {
  isPushAllowed,
  linesOfItem,
  lockNamedOrder,
  type OrderDependencies,
  orderApprovals,
  orderErrors,
  orderRoutes,
  unendedOrders,
} from './orders/index.ts';
import { overviewRoutes } from './overview/index.ts';
import {
  countExceptions,
  createPayments,
  createStripeProvider,
  ProviderCallQueue,
  paymentErrors,
  type RemoteOptions,
  type RemoteProvider,
} from './payments/index.ts';
import { forgetPortalLinks, type PortalDependencies, portalRoutes } from './portal/index.ts';
import { findDefaultReferences, referenceErrors, referenceRoutes } from './references/index.ts';
import {
  BILLS_SCHEDULE,
  partsForOrders,
  type ScheduleDependencies,
  scheduleDueKind,
  scheduledInvoices,
  scheduleListener,
  scheduleRoutes,
} from './schedules/index.ts';
import { type ReceivingDependencies, sourceErrors, sourceRoutes } from './sources/index.ts';
import {
  billingSource,
  countByVersion,
  endUnpaid,
  findActivePlans,
  findSubscriptionsOfOrder,
  findUnendedSubscriptions,
  lockActiveSubscription,
  lockFreeSubscriptions,
  lockStatus,
  lockSubscriptionRow,
  planMigrationDueKind,
  type SubscriptionDependencies,
  subscriptionChangeDueKind,
  subscriptionDueKind,
  subscriptionErrors,
  subscriptionRoutes,
  UPFRONT,
  upfrontPayments,
  wakeEnded,
  withTrialCards,
} from './subscriptions/index.ts';
import { describeTaxId, describeTaxIdToTry } from './tax/index.ts';
import { createStripeTax, createTaxProviders, createTaxReadiness, type TaxProvider } from './tax-providers/index.ts';
import { timelineRoutes } from './timeline/index.ts';
import { countUnbilled, unbilledRoutes, unbilledUsageChore } from './unbilled/index.ts';
import {
  adoptWebhookEvents,
  countWaiting,
  DELIVERIES,
  forgetWebhookEvents,
  programRunChore,
  resolveName,
  type WebhookDependencies,
  webhookErrors,
  webhookRoutes,
} from './webhooks/index.ts';

/** The bill of an event. */
const findBillingOf: FindBilling = (tx, event) => findBilling(billingSource, tx, event);

/** The domains of one environment, bound to each other: the one place where they meet. */
export interface Domains {
  /** @param advanceMilliseconds how long an answer waits for the advance of a test clock; absent: 15 s */
  routes(runner: DueRunner, advanceMilliseconds?: number): readonly Route[];
  /** In the order in which records that are due at one instant of a test clock are taken. */
  readonly dueKinds: readonly DueKind[];
  /** Housekeeping of one domain that must know of another. */
  readonly chores: readonly Chore[];
  /** Unbilled events, by reason: a figure for the metrics. */
  readonly countUnbilled: typeof countUnbilled;
  /** When no payment or tax provider and no register is being called any more. */
  idle(): Promise<void>;
  /** Deliveries that wait, and endpoints that fail: figures for the metrics. */
  readonly countWaiting: typeof countWaiting;
  /** Payments that need a person: figures for the metrics. */
  readonly countExceptions: typeof countExceptions;
  /** When the oldest event was accepted that alerts have not looked at: a figure for the metrics. */
  readonly findOldestUnseen: typeof findOldestUnseen;
  close(): Promise<void>;
}

/** The codes of all domains. */
export const errorTables: readonly ErrorTable[] = [
  identityErrors,
  customerErrors,
  catalogErrors,
  clockErrors,
  meteringErrors,
  subscriptionErrors,
  entitlementErrors,
  invoicingErrors,
  paymentErrors,
  referenceErrors,
  orderErrors,
  approvalErrors,
  sourceErrors,
  webhookErrors,
  checkoutErrors,
  consoleErrors,
];

/** The parts of the API reference beside the routes. */
export const referenceParts = { errorTables, deliveries: DELIVERIES } as const;

/** The dependencies of sources on the environment; see `ReceivingDependencies`. */
export type SourceDependencies = Omit<ReceivingDependencies, 'environment'>;

/** No customer is known, and no secret can be decrypted: for callers that only list the routes. */
const noSourceParts: SourceDependencies = {
  sealer: sealerOf(''),
  authenticate: async () => ({ code: 'API_KEY_INVALID' }),
};

/** The dependencies of calls to payment and tax providers on the environment. */
export type RemotePayments = Omit<RemoteOptions, 'accountOf' | 'refused'> & {
  readonly taxProviders: readonly TaxProvider[];
};

/** No external provider: for callers that only list the routes. */
const noRemotePayments: RemotePayments = {
  providers: [],
  taxProviders: [],
  database: { transaction: () => Promise.reject(new Error('No payment provider is configured.')) },
  now: () => {
    throw new Error('No payment provider is configured.');
  },
  onTrouble: () => undefined,
};

/** How tax ids are checked: by which register, and who hears of calls that broke. */
export interface TaxIdChecks {
  /** null: no register is asked. */
  readonly register: TaxIdRegister | null;
  readonly onTrouble: (error: Error) => void;
}

const noTaxIdChecks: TaxIdChecks = { register: null, onTrouble: () => undefined };

/** The register of VAT numbers as a start takes it. */
export const registerAt = (viesUrl: string | null | undefined): TaxIdRegister | null =>
  viesUrl == null ? null : viesRegister(viesUrl);

/** Nothing is sent: for callers that only list the routes. */
const noWebhookParts: WebhookDependencies = {
  transport: {
    post: async () => ({ kind: 'failed', error: 'Nothing leaves this environment.' }),
    sealer: sealerOf(''),
    guard: { allowsLoopback: false },
    inbox: null,
  },
  resolve: resolveName,
};

/** The replacement of the typesetter in an environment. */
export type { DocumentRenderer } from './documents/index.ts';

/**
 * Binds the domains of an environment. Data goes one way along the road (ARCHITECTURE.md): what upstream must hear at
 * once and together, it hears from a handler that is handed in here.
 * @param usage who counts usage for reports and meters
 * @param mailSender hands mail to its server; by default there is no server, and mail is held
 * @param sources by what the secrets of sources are sealed, and who their callers are
 * @param remote how payment providers outside our database are reached
 * @param renderer makes the PDF of each document, and is closed with the domains
 * @param webhooks the transport of webhooks
 * @param taxIds who is asked about VAT numbers
 */
export function wireDomains(
  environment: EnvironmentName,
  publicUrl: string,
  usage = postgresUsage,
  mailSender: MailSender = noMailSender,
  sources: SourceDependencies = noSourceParts,
  renderer: DocumentRenderer = createDocumentRenderer(),
  remote: RemotePayments = noRemotePayments,
  webhooks: WebhookDependencies = noWebhookParts,
  taxIds: TaxIdChecks = noTaxIdChecks,
): Domains {
  const mails = createMails({ environment, publicUrl });
  const intakeOf = createIntakes();
  const purposes = {
    [PREPAID_DATE]: prepaidDates(() => invoicing),
    [GRANT_PURCHASE]: grantPurchases({ wakeEnded }),
    [UPFRONT]: upfrontPayments,
    [BILLS_SCHEDULE]: scheduledInvoices(lockSubscriptionRow, (tx, order) => isPushAllowed(orders, tx, order)),
    [BUYS_CREDIT]: creditPurchases(() => invoicing),
    [TOPS_UP_CREDITS]: creditTopUps(() => invoicing),
  };
  const accountOf = (tx: Tx, provider: string) => findProviderAccount(tx, sources.sealer, provider);
  const taxProviders = createTaxProviders({ ...remote, providers: remote.taxProviders, accountOf });
  const invoicing: InvoicingDependencies = {
    environment,
    publicUrl,
    source: billingSource,
    renderer,
    mails: mails.invoices,
    purposes,
    endUnpaid: (tx, of, now) => endUnpaid(subscriptions, tx, of, now),
    lockNamedOrder,
    taxProviders,
  };
  const isSandbox = environment === 'sandbox';
  const customerHooks: CustomerHooks = {
    describeTaxId: isSandbox ? describeTaxIdToTry : describeTaxId,
    onExternalIdChanged: relinkUsage,
  };
  const register = isSandbox ? sandboxRegister(taxIds.register) : taxIds.register;
  const payments = createPayments({
    environment,
    publicUrl,
    handlers: withCheckouts(
      () => checkout,
      withTrialCards(() => subscriptions, invoicePaymentHandlers(invoicing)),
    ),
    remote: {
      ...remote,
      accountOf,
      refused: (tx, { merchantId, secretKey }, provider, reason) =>
        markRefused(tx, sources.sealer, { merchantId, provider, secretKey }, reason, remote.now()),
    },
  });
  const taxIdClient = new ProviderCallQueue(remote.now, taxIds.onTrouble);
  const subscriptions: SubscriptionDependencies = {
    environment,
    source: billingSource,
    customerHooks,
    invoicing,
    chargeNow: (tx, invoice, now) => chargeAtOnce(invoicing, tx, invoice, now),
    remindCustomer: mails.renewal,
    tellOfTrial: mails.trial,
  };
  const checkout: CheckoutDependencies = {
    environment,
    publicUrl,
    customerHooks,
    register,
    invoicing,
    subscriptions,
  };
  const orders: OrderDependencies = {
    environment,
    ...partsForOrders,
    holdersOf: holdersOfOrder,
    requestApprovals: (tx, { merchantId, id }, content, by, now) =>
      requestApprovals(tx, { merchantId, resourceType: 'order', resourceId: id, ...content }, by, now),
    cancelApprovals: (tx, { id }, _, now) => cancelApprovals(tx, [id], now),
    approvedKinds: findGivenKinds,
    approvedContents: findApprovedContents,
    listeners: [scheduleListener],
  };
  const schedules: ScheduleDependencies = {
    orders,
    invoicing,
    source: billingSource,
    lockSubscription: lockStatus,
    lockFreeSubscriptions,
  };
  const approvals: ApprovalDependencies = {
    resources: { order: orderApprovals(orders), invoice: invoiceApprovals(invoicing) },
    findDefaultReferences,
  };
  const portal: PortalDependencies = {
    environment,
    publicUrl,
    invoicing,
    subscriptions,
    customerHooks,
    mailLink: mails.portalLink,
  };
  const alerts: AlertDependencies = { environment, invoicing, write: mails.alert };
  return {
    routes: (runner, advanceMilliseconds) => {
      const routes = [
        ...identityRoutes({
          environment,
          isConnected: async (tx, provider) => (await accountOf(tx, provider)) !== null,
          taxProblem: createTaxReadiness(taxProviders),
          onConsumerChanged: (tx, consumer, now) => watchTaxIdOfConsumer(tx, consumer, now, customerHooks),
        }),
        ...customerRoutes({
          ...customerHooks,
          blockers: [
            subscriptionsOfCustomer,
            ordersOfCustomer,
            invoicesOfCustomer,
            entitlementsOfCustomer,
            receiptsOfCustomer,
            debtsOfCustomer,
            walletsOfCustomer,
          ],
        }),
        ...catalogRoutes({
          countSubscriptions: countByVersion,
          findActivePlans,
          holdersOf: holdersInCatalog,
          isMeasured: isMetricMeasured,
          onMeterChanged: registerMeter,
        }),
        ...referenceRoutes,
        ...eventRoutes(
          {
            metersOf: findMeters,
            findBilling: findBillingOf,
            balances: eventBalances({ findSpentBudgets }),
          },
          intakeOf,
        ),
        ...usageRoutes(usage),
        ...analyticsRoutes(usage),
        ...unbilledRoutes(usage, findBillingOf),
        ...subscriptionRoutes(subscriptions, payments),
        ...entitlementRoutes({ lockActiveSubscription, wakeEnded, findSpentBudgets }, invoicing),
        ...invoiceRoutes(invoicing, payments),
        ...orderRoutes(orders),
        ...scheduleRoutes(schedules),
        ...approvalRoutes(approvals),
        ...ledgerRoutes,
        ...timelineRoutes,
        ...sourceRoutes({ environment, ...sources }),
        ...integrationRoutes({ sealer: sources.sealer, probes: probesOf(remote.providers) }),
        ...alertRoutes(alerts),
        ...payments.routes,
        ...portalRoutes(portal),
        ...checkoutRoutes(checkout),
        ...mailRoutes({ environment }),
        ...webhookRoutes(environment, webhooks),
        ...clockRoutes({
          ...{ environment, runner, blockers: holdersOfClock },
          ...(advanceMilliseconds !== undefined && { answerWithinMilliseconds: advanceMilliseconds }),
        }),
      ];
      return [...routes, ...overviewRoutes(environment, routes)];
    },
    chores: [
      unreadDefinitionsChore(findMeters),
      alertWatchChore(alerts),
      revenueSumsChore,
      unbilledUsageChore(usage),
      forgetWebhookEvents,
      programRunChore,
      forgetPortalLinks,
      adoptWebhookEvents,
      forgetCheckouts,
      forgetConfirmedTaxIds,
      ...payments.chores,
    ],
    dueKinds: [
      payments.chargeDueKind,
      subscriptionDueKind(subscriptions),
      subscriptionChangeDueKind(subscriptions),
      planMigrationDueKind(subscriptions),
      entitlementDueKind([publishBalanceEvents]),
      reservationDueKind,
      scheduleDueKind(schedules),
      ...invoicingDueKinds(invoicing),
      ...payments.dueKinds,
      alertDueKind(alerts),
      mailDueKind(mailSender, attachmentsFrom(invoicing)),
      taxIdDueKind(
        {
          register,
          describeTaxId: customerHooks.describeTaxId,
          database: remote.database,
          call: (merchantId, work) => taxIdClient.call(merchantId, work),
          now: remote.now,
        },
        findTaxId,
      ),
    ],
    countUnbilled,
    countWaiting,
    countExceptions,
    findOldestUnseen,
    idle: async () => {
      await Promise.all([payments.idle(), taxIdClient.idle()]);
      await taxProviders.providerClient.idle();
    },
    close: async () => {
      await Promise.all([payments.close(), taxProviders.providerClient.close(), taxIdClient.close()]);
      await renderer.close();
    },
  };
}

/** The tax providers outside our database, as a start takes them. */
export const taxProvidersOutside = ({ stripeApiUrl }: { readonly stripeApiUrl?: string }): readonly TaxProvider[] => [
  createStripeTax(stripeApiUrl === undefined ? {} : { apiUrl: stripeApiUrl }),
];

/** The payment providers outside our database, as a start takes them. */
export const providersOutside = ({
  environment,
  stripeApiUrl,
}: {
  readonly environment: EnvironmentName;
  readonly stripeApiUrl?: string;
}): readonly RemoteProvider[] => [
  createStripeProvider({ environment, ...(stripeApiUrl !== undefined && { apiUrl: stripeApiUrl }) }),
];

const probesOf = (providers: readonly RemoteProvider[]): Readonly<Record<string, Probe>> =>
  Object.fromEntries(providers.map((provider) => [provider.name, probeOf(provider)]));

/** Tries the keys that a merchant has put, at their provider. */
const probeOf =
  (provider: RemoteProvider): Probe =>
  async ({ secretKey, webhookSecret }) => {
    if (typeof secretKey !== 'string') return { works: false, reason: 'config.secretKey is missing.' };
    const keys = { secretKey, webhookSecret: typeof webhookSecret === 'string' ? webhookSecret : null };
    try {
      return { works: true, ...(await provider.probe(keys)) };
    } catch (error) {
      return { works: false, reason: (error as Error).message };
    }
  };

/** The auditor's questions to domains, beside those to the database itself. */
export const auditChecks = [snapshotRecheck];

/** Rebuilds the sums of reports; see `rebuildRevenue`. */
export const rebuildReports = rebuildRevenue;

/** The open periods of all merchants, whose events are not archived. */
/** The numbers of invoices, for a restored database. */
export { findLastNumbers, findOldestOpenPeriods, moveNumberOn } from './invoicing/index.ts';

/** Calculates issued invoices again from the events; see `recomputeInvoices`. */
export const recomputeFrom = (
  database: Database,
  scope: Scope = 'every merchant, reading',
): Promise<{ checked: number; differing: Recomputed[] }> =>
  recomputeInvoices(billingSource, (work) => database.transaction(scope, work));

/**
 * The old externalId is nobody's from now on, the new one the customer's; in the order of the texts, against deadlocks.
 */
const relinkUsage: CustomerHooks['onExternalIdChanged'] = async (
  tx,
  { merchantId, customerId, before, after },
  now,
) => {
  const links = [
    { externalId: before, customerId: null },
    { externalId: after, customerId },
  ].flatMap(({ externalId, ...link }) => (externalId === null ? [] : [{ merchantId, externalId, ...link }]));
  await wakeBalancesOf(tx, { merchantId, customerId }, now);
  for (const link of links.toSorted((a, b) => (a.externalId < b.externalId ? -1 : 1)))
    await linkExternalSubject(tx, link, now);
};

const MOST_NAMED = 10;

const named = <Item extends Readonly<Record<string, unknown>>>(type: string, items: readonly Item[]) =>
  items.length === 0 ? null : { type, count: items.length, items: items.slice(0, MOST_NAMED) };

const subscriptionsOfCustomer: CustomerBlocker = async (tx, customerId) =>
  named('subscriptions', await findUnendedSubscriptions(tx, { customerId }));

const invoicesOfCustomer: CustomerBlocker = async (tx, customerId) =>
  named('invoices', await findOpenInvoicesOfCustomer(tx, customerId));

const entitlementsOfCustomer: CustomerBlocker = async (tx, customerId, now) =>
  named('entitlements', await unendedEntitlements(tx, { customerId }, now));

/** Last of the checks, as wallets are locked last. */
const walletsOfCustomer: CustomerBlocker = async (tx, customerId) =>
  named('wallets', await filledWallets(tx, customerId));

const receiptsOfCustomer: CustomerBlocker = async (tx, customerId) =>
  named('receipts', await findWaitingReceipts(tx, customerId));

const debtsOfCustomer: CustomerBlocker = async (tx, customerId) =>
  named('debts', await findWaitingDebts(tx, customerId));

const ordersOfCustomer: CustomerBlocker = async (tx, customerId, now) =>
  named('orders', await unendedOrders(tx, { customerId }, now));

/** The holders of an order or one of its lines in other domains. */
const holdersOfOrder: OrderDependencies['holdersOf'] = async (tx, kind, id) => {
  const found = await partsForOrders.holdersOf(tx, kind, id);
  if (kind !== 'order') return found;
  const subscriptions = named('subscription', await findSubscriptionsOfOrder(tx, id));
  const commitments = named('commitment', await findCommitmentsOfOrder(tx, id));
  return [...found, ...[subscriptions, commitments].filter((each) => each !== null)];
};

/** The holders of a feature or an item in other domains. */
const holdersInCatalog: NonNullable<CatalogOptions['holdersOf']> = async (tx, kind, id, now) => {
  if (kind === 'item') return linesHoldingItem(tx, id);
  const found = named('entitlement', await unendedEntitlements(tx, { featureId: id }, now));
  return found ? [found] : [];
};

async function linesHoldingItem(tx: Tx, itemId: string) {
  const lines = await linesOfItem(tx, itemId, MOST_NAMED);
  const items = lines.map(({ count: _, ...line }) => line);
  return lines.slice(0, 1).map(({ count }) => ({ type: 'orderLineItem', count, items }));
}

const holdersOfClock: Parameters<typeof clockRoutes>[0]['blockers'] = async (tx, clockId, now) => {
  const found = [
    named('subscription', await findUnendedSubscriptions(tx, { clockId })),
    named('order', await unendedOrders(tx, { clockId }, now)),
  ];
  return found.filter((blocker) => blocker !== null);
};
