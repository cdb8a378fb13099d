import type { Tx } from '../../db/index.ts';
import { type MerchantSettings, merchantSettings } from '../../identity/index.ts';
import { invalid, type Result } from '../../kernel/result.ts';
import { type Instant, isAfter } from '../../kernel/time.ts';
import {
  cancelSessions,
  checkTakesCards,
  checkTakesCardsNow,
  DEFAULT_SESSION_MINUTES,
  expireSessions,
  openSessions,
  openSessionsOf,
  type PaymentOpening,
  type PaymentSession,
  publicSession,
  redirectProblems,
  sessionUrl,
} from '../../payments/index.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import { type InvoiceRow, payerOf, subscriptionsOf } from '../invoice/invoice.ts';
import type { SessionOptions } from '../terms/session-options.ts';

/** Opens a payment session for the unpaid amount of an invoice; the one before it expires in the same transaction. */
export async function openSessionFor(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  options: SessionOptions,
  now: Instant,
): Promise<Result<PaymentSession>> {
  const [opened] = await openSessionsFor(
    dependencies,
    tx,
    [{ invoice, options, keepsCard: await keepsCards(dependencies, tx, invoice) }],
    now,
  );
  return opened as Result<PaymentSession>;
}

/** The options of a session for an invoice. */
export interface WantedSession {
  readonly invoice: InvoiceRow;
  readonly options: SessionOptions;
  /** Is the card kept for later charges, where the options do not say? */
  readonly keepsCard: boolean;
}

/** The same for some invoices of one merchant. @returns a result for each */
export async function openSessionsFor(
  dependencies: InvoicingDependencies,
  tx: Tx,
  wanted: readonly WantedSession[],
  now: Instant,
): Promise<Result<PaymentSession>[]> {
  const [first] = wanted;
  if (!first) return [];
  const settings = await merchantSettings(tx);
  const checked = wanted.map(({ options }) => checkOptions(dependencies, settings, options, now));
  const opened = await openSessions(
    tx,
    wanted.flatMap((each, place) => {
      const result = checked[place];
      return result?.ok ? [openingOf(each, result.value, now)] : [];
    }),
    now,
  );
  const results = opened.values();
  return checked.map((result) => (result.ok ? (results.next().value as Result<PaymentSession>) : result));
}

const openingOf = (
  { invoice, options, keepsCard }: WantedSession,
  provider: PaymentOpening['provider'],
  now: Instant,
): PaymentOpening => ({
  merchantId: invoice.merchantId,
  mode: 'payment',
  entityType: isTopUp(invoice) ? 'topup' : 'invoice',
  entityId: invoice.id,
  invoiceId: invoice.id,
  entityLabel: invoice.invoiceNumber,
  subscriptionId: invoice.subscriptionId,
  customerId: payerOf(invoice),
  amount: invoice.unpaidAmount,
  currency: invoice.currency,
  provider,
  expiresAt: options.expiresAt ?? now.add({ minutes: options.sessionExpiryMinutes ?? DEFAULT_SESSION_MINUTES }),
  savePaymentMethod: options.savePaymentMethod ?? keepsCard,
  clockId: invoice.clockId,
  successRedirectUrl: options.redirectUrls?.onSuccess ?? null,
  failureRedirectUrl: options.redirectUrls?.onFailure ?? null,
});

/** Is it there to fill the wallet, and for nothing else (api.md, paymentSession)? */
export const isTopUp = ({ kind, oneOff }: InvoiceRow): boolean =>
  kind === 'ad_hoc' && oneOff?.lines[0] !== undefined && oneOff.lines.every(({ type }) => type === 'wallet_top_up');

/** With `autoCharge` a subscription's invoices are charged to the card that paid before (api.md, complete). */
const keepsCards = async (dependencies: InvoicingDependencies, tx: Tx, invoice: InvoiceRow): Promise<boolean> => {
  const [subscriptionId] = isOfTerms(invoice) ? subscriptionsOf(invoice) : [];
  return subscriptionId !== undefined && (await dependencies.source.terms(tx, subscriptionId)).autoCharge;
};

/** Is it paid as its subscription says? Every other invoice has terms of its own. */
export const isOfTerms = ({ kind }: Pick<InvoiceRow, 'kind'>): boolean =>
  kind === 'subscription' || kind === 'upfront' || kind === 'grouped';

/** Can the merchant take cards, and may the customer be sent where the options say, and pay until then? */
export async function checkSession(
  dependencies: InvoicingDependencies,
  tx: Tx,
  options: SessionOptions,
  now: Instant,
): Promise<Result<unknown>> {
  const settings = await merchantSettings(tx);
  const takesCards = await checkTakesCardsNow(tx, settings);
  return takesCards.ok ? checkOptions(dependencies, settings, options, now) : takesCards;
}

function checkOptions(
  dependencies: InvoicingDependencies,
  settings: MerchantSettings,
  { redirectUrls, expiresAt }: SessionOptions,
  now: Instant,
) {
  const takesCards = checkTakesCards(settings);
  if (!takesCards.ok) return takesCards;
  const errors = redirectProblems(
    { 'redirectUrls.onSuccess': redirectUrls?.onSuccess, 'redirectUrls.onFailure': redirectUrls?.onFailure },
    { environment: dependencies.environment, redirectHosts: settings.redirectHosts },
  );
  if (expiresAt && !isAfter(expiresAt, now)) errors.push({ field: 'expiresAt', message: 'must be in the future' });
  return errors.length > 0 ? invalid(errors) : takesCards;
}

/** Expires the open session of an invoice that can no longer be paid by one. */
export const expireSessionsOf = (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<number> =>
  expireSessions(tx, invoice.id, now);

/** The same of a cancelled invoice. */
export const cancelSessionsOf = (tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void> =>
  cancelSessions(tx, invoice.id, now);

/** The addresses of the open sessions of some invoices, by invoice id. */
export async function sessionUrls(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoices: readonly InvoiceRow[],
): Promise<ReadonlyMap<string, string>> {
  const sessions = await openSessionsOf(
    tx,
    invoices.map(({ merchantId, id }) => ({ merchantId: merchantId, entityId: id })),
  );
  return new Map(sessions.map((session) => [session.entityId, sessionUrl(dependencies.publicUrl, session.id)]));
}

/** A session as the API answers it. */
export const shownSession = (dependencies: InvoicingDependencies, session: PaymentSession) =>
  publicSession(session, dependencies.publicUrl);
