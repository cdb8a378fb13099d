import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { AskOutside } from '../../http/index.ts';
import type { FollowUp } from '../../jobs/index.ts';
import { fail, orThrow } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { byProviderClient, ProviderAway, ProviderRefused, writeOutcome } from '../../payments/index.ts';
import {
  type TaxConnection,
  type TaxProviderDependencies,
  type TaxRequest,
  taxConnectionOf,
} from '../../tax-providers/index.ts';
import type { FrozenOutsideTax } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoice, updateInvoice, updateInvoiceStatus } from '../invoice/invoices.sql.ts';
import { afterFailure, NO_MORE } from './attempts.ts';
import { claimQuote, insertQuote, type QuoteRow, selectNewestQuote, selectQuote, updateAnswer } from './quotes.sql.ts';
import { fingerprintOf, openRequest, type StoredAnswer, storedAnswer, storedRequest } from './stored.ts';

/** How long a call may take, with its place in the queue, until it is made again. */
const LEASE = { seconds: 60 } as const;
const NOT_CONNECTED = 'The tax provider is not connected.';

/** The answer for an invoice that due work calculates; null: it is not there yet, and the question is committed. */
export async function quoteOf(
  tx: Tx,
  invoice: InvoiceRow,
  { provider, at }: Pick<FrozenOutsideTax, 'provider' | 'at'>,
  request: TaxRequest,
  now: Instant,
): Promise<StoredAnswer | null> {
  const asked = storedRequest(request);
  const key = { merchantId: invoice.merchantId, invoiceId: invoice.id, print: fingerprintOf(asked, at) };
  const known = await selectQuote(tx, key);
  if (!known) await insertQuote(tx, { ...key, provider, request: asked, answer: null }, now);
  return known?.answer ?? null;
}

/**
 * The answer for an invoice that must be payable when the request is answered. Where there is none, the request is
 * undone, the provider is asked, and the request is done again (docs/decisions/0117).
 */
export async function quoteForRequest(
  dependencies: TaxProviderDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  { provider }: Pick<FrozenOutsideTax, 'provider'>,
  request: TaxRequest,
): Promise<StoredAnswer> {
  const { merchantId, id: invoiceId } = invoice;
  const asked = storedRequest(request);
  const print = fingerprintOf(asked);
  const claimed = await claimQuote(tx, { merchantId, invoiceId, print });
  if (claimed?.answer) return claimed.answer;
  const connection = await taxConnectionOf(tx, dependencies, provider);
  throw new AskOutside(async () => {
    const answer = storedAnswer(await askNow(connection, request));
    const quote = { merchantId, invoiceId: null, print, provider, request: asked, answer };
    await writeOutcome(dependencies, merchantId, (own, wall) => insertQuote(own, quote, wall));
  });
}

async function askNow(connection: TaxConnection | null, request: TaxRequest) {
  try {
    if (!connection) throw new ProviderRefused(NOT_CONNECTED);
    return await connection.provider.calculate(connection.account, request);
  } catch (error) {
    if (error instanceof ProviderAway || error instanceof ProviderRefused)
      return orThrow<never>(fail('TAX_FAILED', { reason: error.message }));
    throw error;
  }
}

/** The row waits so long that the call which follows is over, or lost. */
export const leaseUntil = (now: Instant): Instant => now.add(LEASE);

/**
 * Asks the provider the waiting question of an invoice, after the step has committed; the answer has its own
 * transaction.
 */
export const askFor = (dependencies: TaxProviderDependencies, { merchantId, id, clockId }: InvoiceRow): FollowUp =>
  byProviderClient(dependencies, { merchantId, clockId }, async () => {
    const scope = { merchants: [merchantId] };
    const asking = await dependencies.database.transaction(scope, async (tx) => {
      const quote = await selectNewestQuote(tx, id);
      return quote && { quote, connection: await taxConnectionOf(tx, dependencies, quote.provider) };
    });
    if (!asking || asking.quote.answer) return;
    const outcome = await ask(asking.connection, asking.quote);
    await recordQuoteOutcome(dependencies, asking.quote, outcome);
  });

type Outcome =
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  /** `isFinal`: the provider will never answer this. */
  | { readonly kind: 'failed'; readonly reason: string; readonly isFinal: boolean };

async function ask(connection: TaxConnection | null, { request }: QuoteRow): Promise<Outcome> {
  if (!connection) return { kind: 'failed', reason: NOT_CONNECTED, isFinal: false };
  try {
    const answer = await connection.provider.calculate(connection.account, openRequest(request));
    return { kind: 'answered', answer: storedAnswer(answer) };
  } catch (error) {
    if (error instanceof ProviderAway) return { kind: 'failed', reason: error.message, isFinal: false };
    // The merchant may put another key; a request that is wrong stays wrong.
    if (error instanceof ProviderRefused)
      return { kind: 'failed', reason: error.message, isFinal: error.about === 'request' };
    throw error;
  }
}

/** Rows 6 and 7 of domain.md §4: an invoice continues with the answer, waits for another attempt, or has failed. */
async function recordQuoteOutcome(
  dependencies: TaxProviderDependencies,
  quote: QuoteRow,
  outcome: Outcome,
): Promise<void> {
  const { merchantId } = quote;
  const invoiceId = quote.invoiceId as string;
  await writeOutcome(dependencies, merchantId, async (tx, wall) => {
    const found = await selectInvoice(tx, invoiceId);
    if (!found) return;
    const now = await effectiveNow(tx, found.clockId, wall);
    const invoice = await lockInvoice(tx, invoiceId);
    const newest = await selectNewestQuote(tx, invoiceId);
    // it asks otherwise by now
    if (invoice?.status !== 'CALCULATING' || newest?.seq !== quote.seq || newest.answer) return;
    if (outcome.kind === 'answered') {
      await updateAnswer(tx, quote, outcome.answer);
      await updateInvoice(tx, invoice, { nextActionAt: now }, now);
      return;
    }
    const attempts = invoice.calculationAttempts + 1;
    const next = outcome.isFinal ? NO_MORE : afterFailure(attempts);
    const failed = { calculationAttempts: attempts, failureDetail: outcome.reason };
    const waits = next.trigger === 'deferCalculation' ? now.add({ minutes: next.waitMinutes }) : null;
    await updateInvoiceStatus(
      tx,
      invoice,
      next.trigger,
      { ...failed, nextActionAt: waits, ...(waits === null && { failureReason: 'TAX_FAILED' }) },
      now,
    );
  });
}
