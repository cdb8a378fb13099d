import { findCustomer } from '../../customers/index.ts';
import { checkReference, type Tx } from '../../db/index.ts';
import { bodyKey, findCreated, keyColumns } from '../../http/index.ts';
import { type EnvironmentName, findOrganization, merchantSettings } from '../../identity/index.ts';
import { type Decimal, decimal, decimalOf, sum } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { Locale } from '../../kernel/locale.ts';
import { digitsProblem, formatMoney, roundTo } from '../../kernel/money.ts';
import { type FieldError, invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { endOfDuration, type Instant } from '../../kernel/time.ts';
import { post } from '../../ledger/index.ts';
import { PAYMENT_WORDS } from '../page/words.ts';
import type { EntityDescription, PaymentHandlers } from '../records/handlers.ts';
import type { LinkItem, PaymentLinkNow } from '../records/link.ts';
import { insertLink, selectLink, selectLinkByKey } from '../records/links.sql.ts';
import { redirectProblems } from '../records/redirect-urls.ts';
import { openSession } from '../sessions/sessions.ts';
import { checkTakesCardsNow } from '../sessions/setup.ts';
import type { PaymentCreateBody } from './schemas.ts';

const LENGTHS = { usual: Temporal.Duration.from('P30D'), longest: Temporal.Duration.from('P1Y') };

/**
 * POST /v0/payments: an amount that somebody pays on the hosted page, for no invoice (api.md). It has one session, and
 * is over with it. A customer is on no test clock, so `now` is wall time.
 * @returns IDEMPOTENCY_KEY_REUSED, NO_PAYMENT_PROVIDER; a 404 or 403 of `customerId`; what is wrong with the fields
 */
export async function createLink(
  tx: Tx,
  environment: EnvironmentName,
  body: PaymentCreateBody,
  now: Instant,
): Promise<Result<{ link: PaymentLinkNow; isNew: boolean }>> {
  const key = bodyKey('payment', body);
  const known = await findCreated(tx, key, { kind: 'payment link', find: selectLinkByKey });
  if (!known.ok) return known;
  if (known.value) return ok({ link: known.value, isNew: false });
  const settings = await merchantSettings(tx);
  const amount = decimalOf(body.amount);
  const expiresAt = endOf(body.expiresIn, now);
  const { successRedirectUrl, failureRedirectUrl } = body;
  const rules = { environment, redirectHosts: settings.redirectHosts };
  const errors = [
    ...problemsOf(body, amount),
    ...(expiresAt === null ? [{ field: 'expiresIn', message: 'must be a duration above 0, of a year at most' }] : []),
    ...redirectProblems({ successRedirectUrl, failureRedirectUrl }, rules),
  ];
  if (expiresAt === null || errors.length > 0) return invalid(errors);
  const payer = await checkCustomer(tx, body.customerId);
  if (!payer.ok) return payer;
  const takesCards = await checkTakesCardsNow(tx, settings);
  if (!takesCards.ok) return takesCards;

  const id = newId('payment');
  const session = await openSession(
    tx,
    {
      merchantId: tx.merchantId,
      mode: 'payment',
      entityType: 'payment',
      entityId: id,
      entityLabel: body.reference ?? null,
      customerId: body.customerId ?? null,
      amount,
      currency: body.currency,
      provider: takesCards.value,
      expiresAt,
      savePaymentMethod: body.savePaymentMethod ?? false,
      successRedirectUrl: successRedirectUrl ?? null,
      failureRedirectUrl: failureRedirectUrl ?? null,
      metadata: body.metadata ?? {},
    },
    now,
  );
  if (!session.ok) return session;
  await insertLink(tx, {
    merchantId: tx.merchantId,
    id,
    customerId: body.customerId ?? null,
    sessionId: session.value.id,
    amount,
    currency: body.currency,
    reference: body.reference ?? null,
    metadata: body.metadata ?? {},
    lineItems: itemsOf(body),
    ...keyColumns(key),
    createdAt: now,
  });
  return ok({ link: (await selectLink(tx, id)) as PaymentLinkNow, isNew: true });
}

/** Until when a link can be paid; null where the text is no duration, or none that a link may have. */
export const endOf = (text: string | undefined, now: Instant): Instant | null => endOfDuration(text, LENGTHS, now);

const itemsOf = ({ lineItems = [], currency }: PaymentCreateBody): LinkItem[] =>
  lineItems.map(({ description, amount, quantity }) => ({
    description,
    amount: formatMoney(decimalOf(amount), currency),
    quantity: String(quantity ?? 1),
  }));

/**
 * The faults that the schema cannot express: whole minor units of items, which add up to the amount, and a customer
 * for a stored card.
 */
function problemsOf(body: PaymentCreateBody, amount: Decimal): FieldError[] {
  const errors: FieldError[] = [];
  const { currency, lineItems = [] } = body;
  const isWhole = (value: Decimal) => roundTo(value, currency, 'half-away-from-zero').eq(value);
  const message = digitsProblem(currency);
  const amounts = lineItems.map((item) => decimalOf(item.amount));
  errors.push(
    ...amounts.flatMap((each, index) => (isWhole(each) ? [] : [{ field: `lineItems.${index}.amount`, message }])),
  );
  const total = sum(amounts.map((each, index) => each.times(lineItems[index]?.quantity ?? 1)));
  if (lineItems.length > 0 && !total.eq(amount))
    errors.push({ field: 'lineItems', message: 'must add up to amount, each amount times its quantity' });
  if (body.savePaymentMethod === true && body.customerId === undefined)
    errors.push({ field: 'savePaymentMethod', message: 'needs customerId' });
  return errors;
}

async function checkCustomer(tx: Tx, customerId: string | undefined): Promise<Result<unknown>> {
  if (customerId === undefined) return ok(null);
  const owned = await checkReference(tx, 'customer', customerId, 'customerId');
  if (!owned.ok) return owned;
  const customer = await findCustomer(tx, customerId, { keep: true }); // a deletion waits for us
  return customer ? ok(customer) : notFound('customer', 'customerId');
}

/** Handles the sessions of links here; the earlier handlers get all others. */
export const withLinks = (upstream: PaymentHandlers): PaymentHandlers => ({
  ...upstream,
  async completed(tx, event, now) {
    if (event.session.entityType !== 'payment') return upstream.completed(tx, event, now);
    const { merchantId, receiptId, amount, currency } = event;
    await post(
      tx,
      {
        merchantId,
        key: `payment:${receiptId}`,
        reason: 'payment',
        currency,
        entries: [
          { account: 'cash', customerId: null, amount },
          { account: 'revenue', customerId: null, amount: amount.negated() },
        ],
      },
      now,
    );
    return ok(undefined);
  },
  declined: async (tx, event, now) =>
    event.session.entityType === 'payment' ? undefined : upstream.declined(tx, event, now),
  processing: async (tx, event, now) =>
    event.session.entityType === 'payment' ? undefined : upstream.processing?.(tx, event, now),
  expired: (tx, sessions, now) =>
    upstream.expired(
      tx,
      sessions.filter(({ entityType }) => entityType !== 'payment'),
      now,
    ),
  describe: (tx, entity, now) =>
    entity.entityType === 'payment' ? describeLink(tx, entity) : upstream.describe(tx, entity, now),
  lock: async (tx, entity) => (entity.entityType === 'payment' ? undefined : upstream.lock?.(tx, entity)),
  lockNow: async (tx, entities) =>
    upstream.lockNow?.(
      tx,
      entities.filter(({ entityType }) => entityType !== 'payment'),
    ),
});

async function describeLink(
  tx: Tx,
  { merchantId, entityId: id, asked }: { merchantId: string; entityId: string; asked: Locale },
): Promise<EntityDescription | null> {
  const link = await selectLink(tx, id);
  if (!link) return null;
  const merchant = await findOrganization(tx, merchantId);
  const payer = link.customerId === null ? undefined : await findCustomer(tx, link.customerId);
  return {
    title: PAYMENT_WORDS[payer?.locale ?? asked].payment,
    seller: merchant?.name ?? '',
    number: link.reference,
    bill: {
      currency: link.currency,
      lines: link.lineItems.map(({ description, amount, quantity }) => ({
        kind: 'fee',
        description: quantity === '1' ? description : `${quantity} × ${description}`,
        amount: decimal(amount).times(quantity),
      })),
      totals: [],
    },
    amount: link.amount,
  };
}
