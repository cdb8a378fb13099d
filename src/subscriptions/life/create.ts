import { currencyErrors, findPlan, findPlanVersion } from '../../catalog/index.ts';
import { checkTestClockAllowed, findClock } from '../../clocks/index.ts';
import { createCustomer, findCustomer, findPayer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { checkEntitles } from '../../entitlements/index.ts';
import { bodyKey, findCreated, keyColumns } from '../../http/index.ts';
import { type EnvironmentName, merchantSettings } from '../../identity/index.ts';
import { findCommittedPrices, type InvoiceRow, makeUpfrontInvoice } from '../../invoicing/index.ts';
import { newId } from '../../kernel/ids.ts';
import { invalid, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOf, instantOrNull, isAfter, normaliseCadence, parseDuration } from '../../kernel/time.ts';
import { linkSubscriptionSubject } from '../../metering/index.ts';
import { redirectProblems } from '../../payments/index.ts';
import { type Agreement, agreementOf, type PlanAtVersion, pinnedIn, termsUnder } from '../billing/agreement.ts';
import { lockToBill } from '../billing/usage-claims.ts';
import { billingStart, decideCreation, decidePrefund } from '../subscription/decide.ts';
import type { SubscriptionDependencies } from '../subscription/dependencies.ts';
import { decideOverrides } from '../subscription/price-overrides.ts';
import { decideQuantities, quantityErrors } from '../subscription/quantities.ts';
import { redeemAll } from '../subscription/redeem.ts';
import type { SubscriptionCreateBody } from '../subscription/schemas.ts';
import type { NewSubscription, SubscriptionRow } from '../subscription/subscription.ts';
import {
  insertSubscription,
  selectSubscription,
  selectSubscriptionByKey,
  updateSubscription,
} from '../subscription/subscriptions.sql.ts';
import { publishSubscriptionEvent } from '../subscription/webhooks.ts';
import { activate, asksOf, openBilling } from './activate.ts';
import { watchRequired } from './credits-required.ts';
import { activateBefore, activateWaiting } from './trial.ts';
import { askForCard, lacksMethod } from './trial-card.ts';
import { UPFRONT } from './upfront.ts';

/** A subscription that was made, or the one that the same idempotency key made before. */
export interface Created {
  readonly subscription: SubscriptionRow;
  readonly isNew: boolean;
  /** The upfront invoice; null without one, and if the subscription existed before. */
  readonly upfront: InvoiceRow | null;
  /** What it was made from; null if it existed before. */
  readonly from: { readonly pinned: PlanAtVersion; readonly now: Instant } | null;
}

/** The promises of a page for a subscription that does not exist yet: the page showed its price. */
export interface PromisedSubscription {
  readonly id: string;
  /** The version of the shown prices, even if the plan has another default by now. */
  readonly planVersionId: string;
  /** The plan at that version, for who has it already; loaded if absent. */
  readonly pinned?: PlanAtVersion | undefined;
  /** The invoice that the money pays, which has come already. */
  readonly invoiceId: string;
}

/**
 * Subscribes a customer to the default version of a plan (§4; domain.md §3). The version is pinned. What it asks in
 * advance is paid before it is active; the first invoice of each series opens when billing starts, which is then, or
 * later where the start lies ahead or a trial comes first.
 */
export async function createSubscription(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  input: SubscriptionCreateBody,
  wall: Instant,
  promised?: PromisedSubscription,
): Promise<Result<Created>> {
  const key = bodyKey('subscription', input);
  const known = await findCreated(tx, key, { kind: 'subscription', find: selectSubscriptionByKey });
  if (!known.ok) return known;
  if (known.value) return ok({ subscription: known.value, isNew: false, upfront: null, from: null });
  const found = await load(dependencies, tx, input, wall, promised);
  if (!found.ok) return found;
  const { now, pinned, startedAt, endingAt, quantities, priceOverrides } = found.value;

  const { plan, version, currency } = pinned;
  const decided = decideCreation(
    {
      startedAt,
      endingAt,
      paymentTermDays: input.paymentTermDays ?? 0,
      bankTransferOnly: input.bankTransferOnly ?? false,
    },
    normaliseCadence(plan.billingCadence),
    now,
  );
  if (!decided.ok) return decided;
  const prefund = decidePrefund(input.prefundAmount, currency);
  if (!prefund.ok) return prefund;
  const entitled = await checkEntitles(tx, version.prices);
  if (!entitled.ok) return entitled;

  const customerId = await customerOf(dependencies, tx, input, wall); // a customer is on no clock
  if (!customerId.ok) return customerId;
  const order = await checkOrder(dependencies, tx, input, customerId.value, wall);
  if (!order.ok) return order;
  const trialPeriod = plan.trialPeriod === null ? null : parseDuration(plan.trialPeriod);
  const start = billingStart(startedAt, { trialPeriod, billingAnchor: plan.billingAnchor });
  const times = { billingOpened: false, ...start, endingAt };
  const row: NewSubscription = {
    merchantId: tx.merchantId,
    id: promised?.id ?? newId('subscription'),
    customerId: customerId.value,
    orderId: order.value,
    planId: plan.id,
    planVersionId: version.id,
    planVersionNumber: version.versionNumber,
    currency,
    quantities,
    priceOverrides,
    name: input.name,
    status: 'pending_payment',
    activatedAt: null,
    autoCharge: input.autoCharge ?? false,
    creditsRequired: input.creditsRequired ?? false,
    autoApprove: input.autoApprove ?? null,
    taxExempt: input.taxExempt ?? false,
    bankTransferOnly: input.bankTransferOnly ?? false,
    paymentTermDays: input.paymentTermDays ?? 0,
    renewalReminderEnabled: input.renewalReminderEnabled ?? null,
    renewalReminderDays: input.renewalReminderDays ?? null,
    prefundAmount: prefund.value,
    sessionExpiryMinutes: input.sessionExpiryMinutes ?? null,
    startedAt,
    ...times,
    clockId: input.testClockId ?? null,
    redirectUrls: (input.redirectUrls as Record<string, string> | undefined) ?? null,
    metadata: input.metadata ?? {},
    ...keyColumns(key),
    nextActionAt: null,
  };
  const committedFor = await findCommittedPrices(tx, [row]);
  const agreement = agreementOf(pinned, committedFor(row));
  const inserted = await insertSubscription(tx, row, now);
  const redeemed = await withCoupons(tx, inserted, agreement, input.coupons ?? [], now);
  if (!redeemed.ok) return redeemed;
  const subscription = redeemed.value;
  await linkSubscriptionSubject(
    tx,
    { merchantId: tx.merchantId, subscriptionId: subscription.id, customerId: subscription.customerId },
    now,
  );
  await publishSubscriptionEvent(tx, subscription, 'subscription.created.v0', now);
  if (subscription.creditsRequired) await watchRequired(tx, agreement, subscription, now);
  const begun = await begin(dependencies, tx, { subscription, agreement, paidAs: promised?.invoiceId }, now);
  return begun.ok ? ok({ ...begun.value, isNew: true, from: { pinned, now } }) : begun;
}

/** Redeems the coupons of a new subscription, before anything is billed. */
async function withCoupons(
  tx: Tx,
  subscription: SubscriptionRow,
  agreement: Agreement,
  coupons: readonly string[],
  now: Instant,
): Promise<Result<SubscriptionRow>> {
  if (coupons.length === 0) return ok(subscription);
  const terms = termsUnder(agreement, subscription);
  const redeemed = await redeemAll(tx, { subscription, terms, now }, coupons);
  return redeemed.ok ? ok(await updateSubscription(tx, subscription, { redemptions: redeemed.value }, now)) : redeemed;
}

/** The start after the creation, and its upfront invoice, if there is one. */
interface Begun {
  readonly subscription: SubscriptionRow;
  readonly upfront: InvoiceRow | null;
}

/**
 * Active at once where nothing is asked before (domain.md §3): billing starts now, or when the start or the trial's end
 * has come. What is asked is an invoice to transfer money for, or one that the subscription waits for.
 */
async function begin(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  beginning: {
    readonly subscription: SubscriptionRow;
    readonly agreement: Agreement;
    /** The invoice that the money has paid which came already. */
    readonly paidAs: string | undefined;
  },
  now: Instant,
): Promise<Result<Begun>> {
  const { subscription, agreement, paidAs } = beginning;
  await lockToBill(tx, subscription, subscription.startedAt, now);
  if (isAfter(subscription.billingStartsAt, now)) {
    // a page stores the card in this transaction, and what is told of the trial waits for it
    if (paidAs !== undefined)
      return ok({ subscription: await activateWaiting(tx, subscription, agreement, now), upfront: null });
    if (!(await lacksMethod(tx, subscription, agreement)))
      return ok({ subscription: await activateBefore(dependencies, tx, subscription, agreement, now), upfront: null });
    const asked = await askForCard(tx, subscription, now);
    return asked.ok ? ok({ subscription, upfront: null }) : asked;
  }
  const asked = asksOf(termsUnder(agreement, subscription), subscription);
  const beginBilling = async () => openBilling(tx, await activate(tx, subscription, agreement, now), agreement, now);
  if (!asked) return ok({ subscription: await beginBilling(), upfront: null });
  const isAwaited = !subscription.bankTransferOnly;
  const awaitedBy = isAwaited ? UPFRONT : null;
  const standing = isAwaited ? subscription : await beginBilling();
  const made = await makeUpfrontInvoice(
    dependencies.invoicing,
    tx,
    { ...asked, awaitedBy, ...(paidAs !== undefined && { paidAs }) },
    now,
  );
  if (!made.ok) return made;
  if (paidAs !== undefined) return ok({ subscription: await reread(tx, standing), upfront: made.value.invoice });
  const upfront = await tryToCharge(dependencies, tx, standing, made.value.invoice, now);
  return ok({ subscription: await reread(tx, standing), upfront });
}

/** With `autoCharge` the stored card pays it at once, where there is one and it works; else the customer is asked. */
async function tryToCharge(
  { chargeNow }: SubscriptionDependencies,
  tx: Tx,
  { autoCharge, status }: SubscriptionRow,
  upfront: InvoiceRow,
  now: Instant,
): Promise<InvoiceRow> {
  const isDue = autoCharge && status === 'pending_payment' && upfront.status === 'ISSUED';
  return isDue ? chargeNow(tx, upfront, now) : upfront;
}

/** As it is after what its invoice did: one that is paid has made it active. */
async function reread(tx: Tx, { id }: SubscriptionRow): Promise<SubscriptionRow> {
  const subscription = await selectSubscription(tx, id);
  if (!subscription) throw new Error(`Subscription ${id} was deleted, which nothing does.`);
  return subscription;
}

/** Everything that the decision needs; ids that the body named are checked here. */
async function load(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  input: SubscriptionCreateBody,
  wall: Instant,
  promised: PromisedSubscription | undefined,
) {
  const checked = promised?.pinned ? ok(input.planId) : await checkReference(tx, 'plan', input.planId, 'planId');
  if (!checked.ok) return checked;
  const now = await nowOf(dependencies.environment, tx, input.testClockId, wall);
  if (!now.ok) return now;
  const found = promised?.pinned ?? (await planToPin(tx, input.planId, promised?.planVersionId));
  if (!found) return notFound('plan', 'planId');
  const pinned = pinnedIn(found, input.currency ?? found.plan.currency);
  const { plan, version, currency } = pinned;
  const wrongCurrency = currencyErrors(plan, version, currency, 'currency');
  if (wrongCurrency.length > 0) return invalid(wrongCurrency);
  const wrongQuantities = quantityErrors(version.prices, input.quantities ?? {});
  if (wrongQuantities.length > 0) return invalid(wrongQuantities);
  const overrides = await decideOverrides(tx, input.priceOverrides ?? [], { prices: version.prices, from: null });
  if (!overrides.ok) return overrides;
  const redirects = await checkRedirects(dependencies.environment, tx, input.redirectUrls);
  if (!redirects.ok) return redirects;
  return ok({
    pinned,
    quantities: decideQuantities(version.prices, input.quantities ?? {}),
    priceOverrides: overrides.value,
    now: now.value,
    startedAt: instantOf(input.startedAt),
    endingAt: instantOrNull(input.endingAt),
  });
}

/** A plan at a version, by default at its own; null where there is none. */
async function planToPin(tx: Tx, planId: string, versionId?: string): Promise<Omit<PlanAtVersion, 'currency'> | null> {
  const plan = await findPlan(tx, planId);
  const version = plan && (await findPlanVersion(tx, versionId ?? plan.defaultVersionId));
  return plan && version ? { plan, version } : null;
}

/** The time of the clock that the body names, held still; else wall time. */
async function nowOf(
  environment: EnvironmentName,
  tx: Tx,
  clockId: string | undefined,
  wall: Instant,
): Promise<Result<Instant>> {
  if (clockId === undefined) return ok(wall);
  const permitted = checkTestClockAllowed(environment);
  if (!permitted.ok) return permitted;
  const clock = await findClock(tx, clockId);
  return clock.ok ? ok(clock.value.currentTime) : clock;
}

async function checkRedirects(
  environment: EnvironmentName,
  tx: Tx,
  urls: SubscriptionCreateBody['redirectUrls'],
): Promise<Result<void>> {
  if (urls === undefined) return ok(undefined);
  const { redirectHosts } = await merchantSettings(tx);
  const fields = { 'redirectUrls.onSuccess': urls.onSuccess, 'redirectUrls.onFailure': urls.onFailure };
  const errors = redirectProblems(fields, { environment, redirectHosts });
  return errors.length === 0 ? ok(undefined) : invalid(errors);
}

/** The order that the body names: of the customer, or of who pays for it, and on the clock of the subscription. */
async function checkOrder(
  { invoicing }: SubscriptionDependencies,
  tx: Tx,
  { orderId = null, testClockId }: SubscriptionCreateBody,
  customerId: string,
  wall: Instant,
): Promise<Result<string | null>> {
  if (orderId === null) return ok(null);
  const named = await invoicing.lockNamedOrder(tx, orderId, wall);
  if (!named.ok) return named;
  const order = named.value;
  if (order.customerId !== customerId && order.customerId !== (await findPayer(tx, customerId)))
    return invalidField('orderId', 'must be of this customer, or of who pays for it');
  if (order.cancelledAt !== null) return invalidField('orderId', 'must be of an order that is not cancelled');
  return order.testClockId === (testClockId ?? null)
    ? ok(orderId)
    : invalidField('orderId', 'must be of an order on the same clock as the subscription');
}

/** The customer that the body names, or the one that it describes. */
async function customerOf(
  dependencies: SubscriptionDependencies,
  tx: Tx,
  input: SubscriptionCreateBody,
  now: Instant,
): Promise<Result<string>> {
  if ((input.customerId === undefined) === (input.customer === undefined)) {
    return invalidField('customerId', 'give customerId or customer, one of the two');
  }
  if (input.customerId !== undefined) {
    const owned = await checkReference(tx, 'customer', input.customerId, 'customerId');
    if (!owned.ok) return owned;
    const customer = await findCustomer(tx, input.customerId, { keep: true }); // a deletion waits for us
    return customer ? owned : notFound('customer', 'customerId');
  }
  const { taxRates, externalId, ...consumer } = input.customer as NonNullable<SubscriptionCreateBody['customer']>;
  const made = await createCustomer(
    tx,
    { consumer, ...(taxRates !== undefined && { taxRates }), ...(externalId !== undefined && { externalId }) },
    now,
    dependencies.customerHooks,
  );
  return made.ok ? ok(made.value.customer.id) : made;
}
