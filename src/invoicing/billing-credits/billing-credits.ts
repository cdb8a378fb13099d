import { effectiveNow, effectiveNowForReading } from '../../clocks/index.ts';
import { findChildren, findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { bodyKey, findCreated, keyColumns } from '../../http/index.ts';
import { type Decimal, decimalOf, ZERO } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { digitsProblem, roundTo } from '../../kernel/money.ts';
import { fail, invalidField, notFound, ok, type Result } from '../../kernel/result.ts';
import { type Instant, instantOrNull, isAfter } from '../../kernel/time.ts';
import { publish } from '../../webhooks/index.ts';
import { previewTogether } from '../drafts/preview.ts';
import { clockForCustomer } from '../invoice/customer-clock.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { selectWaiting } from '../invoice/invoices.sql.ts';
import { checkChosen } from '../terms/applies-to.ts';
import type { BillingCredit, UsedCredit } from '../terms/billing-credit.ts';
import {
  creditKeysOf,
  insertBillingCredit,
  selectBillingCredit,
  selectCreditsIn,
  selectOpenSubscriptions,
  updateVoidedAt,
} from './billing-credits.sql.ts';
import { balanceOf, type CreditBalance, figuresOf, type ReadCredit } from './figures.ts';
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
  const known = await findCreated(tx, key, creditKeysOf(customerId));
  if (!known.ok) return known;
  if (known.value) return ok({ ...(await readCredit(dependencies, tx, known.value, wall)), isNew: false });
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  if (!customer) return notFound('customer');
  const clock = await clockForCustomer(dependencies, tx, customerId, body.testClockId);
  if (!clock.ok) return clock;
  const now = await effectiveNow(tx, clock.value, wall);
  const credit: BillingCredit = {
    merchantId: tx.merchantId,
    id: newId('billingCredit'),
    customerId,
    subscriptionId: body.subscriptionId ?? null,
    invoiceId: null,
    name: body.name,
    amount: decimalOf(body.amount),
    currency: body.currency,
    category: body.category ?? 'promotional',
    priority: body.priority ?? 0,
    effectiveAt: instantOrNull(body.effectiveAt) ?? now,
    expiresAt: instantOrNull(body.expiresAt),
    voidedAt: null,
    appliesTo: { planIds: [], priceIds: [], billableMetricIds: [], feeIds: [], ...body.appliesTo },
    source: 'manual',
    ...{ price: null, commitmentId: null, segment: null, rolledFrom: null, released: null, isUndone: false },
    idempotencyKey: body.idempotencyKey,
    testClockId: clock.value,
    metadata: body.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  };
  const { amount, currency, effectiveAt, expiresAt } = credit;
  if (!roundTo(amount, currency, 'half-away-from-zero').eq(amount))
    return invalidField('amount', digitsProblem(currency));
  if (expiresAt !== null && !isAfter(expiresAt, effectiveAt))
    return invalidField('expiresAt', 'must be after effectiveAt');
  const named = await checkChosen(tx, credit.appliesTo);
  if (!named.ok) return named;
  const owned = await checkSubscription(dependencies, tx, credit);
  if (!owned.ok) return owned;
  await insertBillingCredit(tx, { ...credit, ...keyColumns(key) });
  await publishCredit(tx, credit, 'billing_credit.created.v0', now);
  const made = { ...credit, used: ZERO, held: ZERO };
  return ok({ ...(await readCredit(dependencies, tx, made, wall)), isNew: true });
}

async function checkSubscription(
  { source }: InvoicingDependencies,
  tx: Tx,
  { subscriptionId, customerId, testClockId, currency }: BillingCredit,
): Promise<Result<unknown>> {
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
  const openOf = await openUses(dependencies, tx, customerId, wall);
  const read: ReadCredit[] = [];
  for (const credit of credits)
    read.push({ credit, open: openOf(credit.id), now: await effectiveNowForReading(tx, credit.testClockId, wall) });
  return read;
}

/**
 * GET /v0/customers/{id}/billingCredits/balance.
 * @param at null: now
 */
export async function creditBalance(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  { currency, at }: { readonly currency: string; readonly at: Instant | null },
  wall: Instant,
): Promise<CreditBalance> {
  const credits = await selectCreditsIn(tx, customerId, currency);
  const openOf = credits.length === 0 ? () => ZERO : await openUses(dependencies, tx, customerId, wall);
  const clockId = credits[0]?.testClockId ?? null;
  return balanceOf(credits, openOf, at ?? (await effectiveNowForReading(tx, clockId, wall)));
}

/** Of so many customers for which one pays the open periods are looked at. */
const MOST_CHILDREN = 1000;

/** What open periods of a customer would take of credits if they ended now: of service that has begun. */
export async function openUses(
  dependencies: InvoicingDependencies,
  tx: Tx,
  customerId: string,
  wall: Instant,
): Promise<(creditId: string) => Decimal> {
  const children = await findChildren(tx, customerId, MOST_CHILDREN);
  const waiting = await selectWaiting(tx, await selectOpenSubscriptions(tx, [customerId, ...children.keys()]));
  const uses = new Map<string, Decimal>();
  for (const { invoice, calculation } of await previewTogether(dependencies, tx, [...waiting.values()].flat())) {
    const now = await effectiveNowForReading(tx, invoice.clockId, wall);
    for (const { workings, totalPrice, periodStart } of calculation.lines) {
      const { billingCreditId: id } = workings?.use ?? {};
      if (id !== undefined && !isAfter(periodStart, now)) uses.set(id, (uses.get(id) ?? ZERO).minus(totalPrice));
    }
  }
  return (creditId) => uses.get(creditId) ?? ZERO;
}

/** Writes a webhook about a credit into the outbox. */
export const publishCredit = (
  tx: Tx,
  { merchantId, customerId, id }: BillingCredit,
  type: 'billing_credit.created.v0',
  now: Instant,
): Promise<string> => publish(tx, { merchantId, type, data: { merchantId, customerId, billingCreditId: id } }, now);
