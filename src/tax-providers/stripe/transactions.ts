import type { Stripe } from 'stripe';
import { Decimal, sum } from '../../kernel/decimal.ts';
import { allocate } from '../../kernel/money.ts';
import { callingStripePlainly, ProviderAway, ProviderRefused } from '../../payments/index.ts';
import type { CommitRequest, CreditNoteRequest, TaxRecorded, VoidRequest } from '../port.ts';
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

/** Takes back a transaction, wholly or in part. Of a part, each line bears a share of the net and of the tax. */
export async function createCreditNote(stripe: Stripe, request: CreditNoteRequest): Promise<TaxRecorded> {
  const { key, original, currency, part } = request;
  const common = { original_transaction: original, reference: key, metadata: { [MARK]: key }, expand: ['line_items'] };
  const params =
    part === null
      ? { ...common, mode: 'full' as const }
      : { ...common, mode: 'partial' as const, line_items: await sharesOf(stripe, request, part) };
  return recorded(stripe, await reverse(stripe, key, params), currency);
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

/** What each line of a transaction bears of a part: largest remainder, in proportion to its own net and tax. */
async function sharesOf(
  stripe: Stripe,
  { key, original, currency, behavior }: CreditNoteRequest,
  { net, tax }: NonNullable<CreditNoteRequest['part']>,
): Promise<Stripe.Tax.TransactionCreateReversalParams.LineItem[]> {
  const transaction = await callingStripePlainly(() =>
    stripe.tax.transactions.retrieve(original, { expand: ['line_items'] }),
  );
  const items = (await itemsOf(stripe, transaction)).filter(({ amount }) => amount !== 0);
  const taxes = items.map((item) => fromTaxUnits(item.amount_tax, currency));
  const nets = items.map((item, place) => {
    const amount = fromTaxUnits(item.amount, currency);
    return behavior === 'inclusive' ? amount.minus(taxes[place] as Decimal) : amount;
  });
  if (sum(nets).lt(net) || sum(taxes).lt(tax))
    throw new ProviderRefused(
      `Stripe Tax holds ${sum(nets).toFixed()} and tax of ${sum(taxes).toFixed()} ${currency} of ${original}, which is ` +
        `less than ${net.toFixed()} and ${tax.toFixed()}.`,
    );
  const netShares = allocate(net, nets, currency);
  const taxShares = sum(taxes).isZero() ? taxes : allocate(tax, taxes, currency);
  return items.flatMap((item, place) => {
    const [netShare, taxShare] = [netShares[place] as Decimal, taxShares[place] as Decimal];
    if (netShare.isZero() && taxShare.isZero()) return [];
    const amount = behavior === 'inclusive' ? netShare.plus(taxShare) : netShare;
    return [
      {
        amount: toTaxUnits(amount.negated(), currency),
        amount_tax: toTaxUnits(taxShare.negated(), currency),
        original_line_item: item.id,
        reference: `${key}:${item.reference}`,
      },
    ];
  });
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
  const units = (await itemsOf(stripe, made)).reduce((all, item) => all.plus(item.amount_tax), new Decimal(0));
  return { reference: made.id, tax: fromTaxUnits(units.toNumber(), currency), document: null };
}
