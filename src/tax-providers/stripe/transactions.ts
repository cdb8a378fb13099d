import type { Stripe } from 'stripe';
import { type Decimal, sum } from '../../kernel/decimal.ts';
import { allocate } from '../../kernel/money.ts';
import { callingStripePlainly, ProviderAway, ProviderRefused } from '../../payments/index.ts';
import type { CommitRequest, CreditNoteRequest, TaxedAmount, TaxRecorded, VoidRequest } from '../port.ts';
import { fromTaxUnits, toTaxUnits } from './amounts.ts';
import { MOST_ITEMS } from './calculations.ts';

const MARK = 'reckoner_key';

/**
 * Records a sale. The key is the idempotency key and the transaction's `reference`, which Stripe holds unique in the
 * account, also when it has forgotten the idempotency key.
 */
export async function commit(stripe: Stripe, { key, calculation, currency }: CommitRequest): Promise<TaxRecorded> {
  const made = await callingStripePlainly(() =>
    stripe.tax.transactions.createFromCalculation(
      { calculation, reference: key, metadata: { [MARK]: key }, expand: ['line_items'] },
      { idempotencyKey: `tax:${key}` },
    ),
  );
  return recorded(stripe, made, currency);
}

/**
 * Takes back of a transaction: each item bears a share of the net and of the tax. Also all of it is taken back as a
 * part, because Stripe's guide lets only partial reversals be undone (stripe.com/docs/tax/custom, Undo a partial
 * refund).
 */
export async function createCreditNote(stripe: Stripe, request: CreditNoteRequest): Promise<TaxRecorded> {
  const { key, original, currency } = request;
  const params = { original_transaction: original, reference: key, metadata: { [MARK]: key }, expand: ['line_items'] };
  const line_items = await sharesOf(stripe, request);
  return recorded(stripe, await reverse(stripe, key, { ...params, mode: 'partial', line_items }), currency);
}

/**
 * Stripe cannot delete a reversal. It is reversed in full, so that the sale stands as before: its own figures are
 * negative, and those of its reversal positive.
 */
export async function voidCreditNote(stripe: Stripe, { key, creditNote, currency }: VoidRequest): Promise<TaxRecorded> {
  const params = { original_transaction: creditNote, reference: key, metadata: { [MARK]: key } };
  return recorded(stripe, await reverse(stripe, key, { ...params, mode: 'full', expand: ['line_items'] }), currency);
}

const reverse = (stripe: Stripe, key: string, params: Stripe.Tax.TransactionCreateReversalParams) =>
  callingStripePlainly(() => stripe.tax.transactions.createReversal(params, { idempotencyKey: `tax:${key}` }));

/** The share of each item in a part: largest remainder, in proportion to its remainder after earlier parts. */
async function sharesOf(
  stripe: Stripe,
  { key, original, currency, behavior, part, earlier }: CreditNoteRequest,
): Promise<Stripe.Tax.TransactionCreateReversalParams.LineItem[]> {
  const transaction = await callingStripePlainly(() =>
    stripe.tax.transactions.retrieve(original, { expand: ['line_items'] }),
  );
  const items = await itemsOf(stripe, transaction);
  let left = items.map((item): TaxedAmount => {
    const [amount, tax] = [fromTaxUnits(item.amount, currency), fromTaxUnits(item.amount_tax, currency)];
    return { net: behavior === 'inclusive' ? amount.minus(tax) : amount, tax };
  });
  let shares: TaxedAmount[] = [];
  for (const each of [...earlier, part]) {
    shares = shared(each, left, original, currency);
    left = left.map(({ net, tax }, place) => ({
      net: net.minus(shares[place]?.net ?? 0),
      tax: tax.minus(shares[place]?.tax ?? 0),
    }));
  }
  return items.flatMap((item, place) => {
    const { net, tax } = shares[place] as TaxedAmount;
    if (net.isZero() && tax.isZero()) return [];
    return [
      {
        amount: toTaxUnits((behavior === 'inclusive' ? net.plus(tax) : net).negated(), currency),
        amount_tax: toTaxUnits(tax.negated(), currency),
        original_line_item: item.id,
        reference: `${key}:${item.reference}`,
      },
    ];
  });
}

/** @throws ProviderRefused if the remainder is smaller than the reversal */
function shared(
  { net, tax }: TaxedAmount,
  left: readonly TaxedAmount[],
  original: string,
  currency: string,
): TaxedAmount[] {
  const [nets, taxes] = [left.map((item) => item.net), left.map((item) => item.tax)];
  if (sum(nets).lt(net) || sum(taxes).lt(tax))
    throw new ProviderRefused(
      `Stripe Tax has ${sum(nets).toFixed()} and tax of ${sum(taxes).toFixed()} ${currency} left of ${original}, ` +
        `which is less than ${net.toFixed()} and ${tax.toFixed()}.`,
    );
  const netShares = allocate(net, nets, currency);
  const taxShares = allocate(tax, taxes, currency);
  return left.map((_, place) => ({ net: netShares[place] as Decimal, tax: taxShares[place] as Decimal }));
}

async function itemsOf(
  stripe: Stripe,
  { id, line_items: lines }: Stripe.Tax.Transaction,
): Promise<readonly Stripe.Tax.TransactionLineItem[]> {
  if (!lines) throw new ProviderAway(`Stripe Tax answered ${id} without its items.`);
  if (!lines.has_more) return lines.data;
  return callingStripePlainly(() =>
    stripe.tax.transactions.listLineItems(id, { limit: MOST_ITEMS }).autoPagingToArray({ limit: MOST_ITEMS }),
  );
}

/** Stripe Tax gives no document to a transaction. */
async function recorded(stripe: Stripe, made: Stripe.Tax.Transaction, currency: string): Promise<TaxRecorded> {
  const taxes = (await itemsOf(stripe, made)).map((item) => fromTaxUnits(item.amount_tax, currency));
  return { reference: made.id, tax: sum(taxes), document: null };
}
