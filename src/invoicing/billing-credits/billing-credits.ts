import { effectiveNow, effectiveNowsForReading } from '../../clocks/index.ts';
import { findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { bodyKey, findCreated, keyColumns } from '../../http/index.ts';
import { decimalOf, ZERO } from '../../kernel/decimal.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOrNull, isAfter } from '../../kernel/time.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { checkChosen } from '../terms/applies-to.ts';
import type { BillingCredit, UsedCredit } from '../terms/billing-credit.ts';
import {
  selectBillingCredit,
  selectBillingCreditByKey,
  selectCreditsOf,
  updateVoidedAt,
} from './billing-credits.sql.ts';
import { balanceOf, type CreditBalance, figuresOf, type ReadCredit } from './figures.ts';
import { makeBillingCredit } from './make.ts';
import { openUses } from './open-uses.ts';
import type { BillingCreditCreateBody } from './schemas.ts';

/** A credit that was made, or the one that the same key made before. */
export interface MadeCredit extends ReadCredit {
  readonly isNew: boolean;
}

/**
 * POST /v0/customers/{id}/billingCredits (commercial.md §3).
 * @returns 400 of a field; 403 or 404 of a named resource; IDEMPOTENCY_KEY_REUSED for another credit under the key
 */
export async function createBillingCredit(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  body: BillingCreditCreateBody,
  wall: Instant,
): Promise<Result<MadeCredit>> {
  const key = bodyKey(`billing credit of ${customerId}`, body);
  const known = await findCreated(tx, key, {
    kind: `billing credit ${customerId}`,
    find: (_, text) => selectBillingCreditByKey(tx, customerId, text),
  });
  if (!known.ok) return known;
  if (known.value) return ok({ ...(await readCredit(dependencies, tx, known.value, wall)), isNew: false });
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer');
  const clock = await clockForCustomer(dependencies, tx, customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  const credit = {
    customerId,
    subscriptionId: body.subscriptionId ?? null,
    name: body.name,
    amount: decimalOf(body.amount),
    currency: body.currency,
    category: body.category ?? 'promotional',
    priority: body.priority ?? 0,
    effectiveAt: instantOrNull(body.effectiveAt) ?? now,
    expiresAt: instantOrNull(body.expiresAt),
    appliesTo: { planIds: [], priceIds: [], billableMetricIds: [], feeIds: [], ...body.appliesTo },
    source: 'manual' as const,
    testClockId: clock.value,
    metadata: body.metadata ?? {},
  };
  const { effectiveAt, expiresAt } = credit;
  if (expiresAt !== null && !isAfter(expiresAt, effectiveAt))
    return invalidField('expiresAt', 'must be after effectiveAt');
  const named = await checkChosen(tx, credit.appliesTo);
  if (!named.ok) return named;
  const owned = await checkSubscription(dependencies, tx, credit);
  if (!owned.ok) return owned;
  const made = { ...(await makeBillingCredit(tx, { ...credit, ...keyColumns(key) }, now)), used: ZERO, held: ZERO };
  return ok({ ...(await readCredit(dependencies, tx, made, wall)), isNew: true });
}

async function checkSubscription(
  { source }: InvoicingDependencies,
  tx: Tx,
  of: Pick<BillingCredit, 'subscriptionId' | 'customerId' | 'testClockId' | 'currency'>,
): Promise<Result<unknown>> {
  const { subscriptionId, customerId, testClockId, currency } = of;
  if (subscriptionId === null) return ok(undefined);
  const known = await checkReference(tx, 'subscription', subscriptionId, 'subscriptionId');
  if (!known.ok) return known;
  const terms = await source.terms(tx, subscriptionId);
  if (terms.customerId !== customerId) return invalidField('subscriptionId', 'must be of this customer');
  if (terms.clockId !== testClockId) return invalidField('subscriptionId', 'must be on the same clock as the credit');
  return terms.currency === currency ? ok(undefined) : invalidField('currency', 'must be that of the subscription');
}

/**
 * POST /v0/billingCredits/{id}/void: it pays no later service. Issued invoices stay as they are.
 * @returns INVALID_TRANSITION where nothing is left to void
 */
export async function voidBillingCredit(
  dependencies: InvoicingDependencies,
  tx: Tx,
  id: string,
  wall: Instant,
): Promise<Result<ReadCredit>> {
  const seen = await selectBillingCredit(tx, id);
  if (!seen) return notFound('billing credit');
  const now = await effectiveNow(tx, seen.testClockId, wall);
  const credit = (await selectBillingCredit(tx, id, true)) as UsedCredit;
  const { status } = figuresOf(credit, ZERO, now);
  if (status !== 'active' && status !== 'scheduled')
    return fail('INVALID_TRANSITION', {}, `The billing credit is ${status.replace('_', ' ')}.`);
  await updateVoidedAt(tx, id, now, now);
  const voided = (await selectBillingCredit(tx, id)) as UsedCredit;
  return ok(await readCredit(dependencies, tx, voided, wall));
}

/** A credit with its figures of now. */
export async function readCredit(
  dependencies: InvoicingDependencies,
  tx: Tx,
  credit: UsedCredit,
  wall: Instant,
): Promise<ReadCredit> {
  const [read] = await readCredits(dependencies, tx, credit.customerId, [credit], wall);
  return read as ReadCredit;
}

/** Credits of a customer with their figures of now. */
export async function readCredits(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  credits: readonly UsedCredit[],
  wall: Instant,
): Promise<ReadCredit[]> {
  if (credits.length === 0) return [];
  const openOf = await openUses(dependencies, tx, [customerId], wall);
  const nowOf = await effectiveNowsForReading(
    tx,
    credits.map(({ testClockId }) => testClockId),
    wall,
  );
  return credits.map((credit) => ({ credit, open: openOf(credit.id), now: nowOf(credit.testClockId) }));
}

/** A question about the credits of a customer in a currency. */
export interface BalanceQuestion {
  readonly customerId: string;
  readonly currency: string;
  /** Null: now. */
  readonly at: Instant | null;
}

/** The balance of a customer in each currency in which it has credits. */
export async function findCreditBalances(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  wall: Instant,
): Promise<(CreditBalance & { readonly currency: string })[]> {
  const known = await selectCreditsOf(tx, [customerId]);
  const currencies = [...new Set(known.map(({ currency }) => currency))].toSorted();
  const asked = currencies.map((currency) => ({ customerId, currency, at: null }));
  const balances = await creditBalances(dependencies, tx, asked, wall);
  return balances.map((balance, place) => ({ ...balance, currency: currencies[place] as string }));
}

/** The balances of credits of some customers of one merchant, in the order of the questions. */
export async function creditBalances(
  dependencies: InvoicingDependencies,
  tx: Tx,
  asked: readonly BalanceQuestion[],
  wall: Instant,
): Promise<CreditBalance[]> {
  const known = await selectCreditsOf(tx, [...new Set(asked.map(({ customerId }) => customerId))]);
  const ofCustomers = Map.groupBy(known, ({ customerId }) => customerId);
  const openOf = await openUses(dependencies, tx, [...ofCustomers.keys()], wall);
  const nowOf = await effectiveNowsForReading(
    tx,
    known.map(({ testClockId }) => testClockId),
    wall,
  );
  return asked.map(({ customerId, currency, at }) => {
    const credits = (ofCustomers.get(customerId) ?? []).filter((credit) => credit.currency === currency);
    return balanceOf(credits, openOf, at ?? nowOf(credits[0]?.testClockId ?? null));
  });
}
