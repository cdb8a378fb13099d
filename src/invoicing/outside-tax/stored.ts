import { createHash } from 'node:crypto';
import { decimal, plain } from '../../kernel/decimal.ts';
import type { TaxAnswer, TaxRequest } from '../../tax-providers/index.ts';
import type { OutsideTaxAnswer } from '../invoice/frozen-terms.ts';

/** A request to a tax provider with decimals as text. */
export interface StoredRequest extends Omit<TaxRequest, 'items'> {
  readonly items: readonly { readonly reference: string; readonly amount: string; readonly taxCode: string | null }[];
}

/** An answer of a tax provider with decimals as text. */
export type StoredAnswer =
  | ({ readonly kind: 'calculated' } & Pick<OutsideTaxAnswer, 'items'> & { readonly reference: string })
  | { readonly kind: 'address_invalid'; readonly message: string };

/** A request as it is stored. */
export const storedRequest = (request: TaxRequest): StoredRequest => ({
  ...request,
  items: request.items.map((item) => ({ ...item, amount: plain(item.amount) })),
});

/** A stored request as a provider takes it. */
export const openRequest = (stored: StoredRequest): TaxRequest => ({
  ...stored,
  items: stored.items.map((item) => ({ ...item, amount: decimal(item.amount) })),
});

/** An answer as it is stored. */
export function storedAnswer(answer: TaxAnswer): StoredAnswer {
  if (answer.kind === 'address_invalid') return answer;
  const items = answer.items.map(
    ({ reference, tax, rate }) => [reference, { tax: plain(tax), rate: plain(rate) }] as const,
  );
  return { kind: 'calculated', reference: answer.reference, items: Object.fromEntries(items) };
}

/**
 * The fingerprint of a request (column `print`).
 * @param at the time of the freeze, if an earlier answer must not be used again
 */
export const fingerprintOf = (request: StoredRequest, at = ''): string =>
  createHash('sha256')
    .update(JSON.stringify([request, at]))
    .digest('hex');
