import { findPayer, storeTaxVerdict } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { TaxItem, TaxProviderDependencies, TaxRequest } from '../../tax-providers/index.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { quoteForRequest, quoteOf } from './quotes.ts';

/**
 * Frozen terms with what the provider says of the items. Where it has no rate for the customer's address, our own rates
 * count (§2 Customer, `validTaxAddress`).
 * @param when `now`: the request that makes the invoice waits for the answer; `later`: due work does
 * @returns null where the answer is not there yet
 */
export async function withOutsideAnswer(
  dependencies: TaxProviderDependencies,
  tx: Tx,
  invoice: InvoiceRow,
  frozen: FrozenTerms,
  { items, when }: { readonly items: readonly TaxItem[]; readonly when: 'now' | 'later' },
  now: Instant,
): Promise<FrozenTerms | null> {
  const { outside, ...ours } = frozen;
  if (!outside || outside.answer) return frozen;
  const asked = items.filter(({ amount }) => amount.gt(0));
  if (asked.length === 0) return { ...ours, outside: { ...outside, answer: { reference: null, items: {} } } };
  const request: TaxRequest = {
    currency: invoice.currency,
    behavior: frozen.taxBehavior,
    customer: outside.customer,
    isExempt: frozen.taxExempt === true,
    items: asked.map(({ reference, amount, taxCode }) => ({ reference, amount, taxCode })),
  };
  const answer =
    when === 'now'
      ? await quoteForRequest(dependencies, tx, invoice, outside, request)
      : await quoteOf(tx, invoice, outside, request, now);
  if (answer === null) return null;
  if (answer.kind === 'address_invalid') {
    const key = { merchantId: invoice.merchantId, customerId: await findPayer(tx, invoice.customerId) };
    await storeTaxVerdict(tx, key, { address: outside.customer.address, message: answer.message }, now);
    return { ...ours, ...(outside.place && { place: outside.place }) };
  }
  const { reference, items: taxed } = answer;
  return { ...ours, outside: { ...outside, answer: { reference, items: taxed } } };
}

/** Does an invoice wait for a provider? */
export const asksProvider = ({ status, terms, nextActionAt: due }: InvoiceRow): boolean =>
  status === 'CALCULATING' && due !== null && terms?.outside !== undefined && terms.outside.answer === undefined;
