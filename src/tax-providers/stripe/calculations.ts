import type { Stripe } from 'stripe';
import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { callingStripe, isInvalidRequest, ProviderAway, refusedOr } from '../../payments/index.ts';
import type { AddressVerdict, TaxAddress, TaxAnswer, TaxedItem, TaxRequest } from '../port.ts';
import { fromTaxUnits, toTaxUnits } from './amounts.ts';
import { stripeTaxCode } from './tax-codes.ts';
import { stripeTaxId } from './tax-ids.ts';

type Params = Stripe.Tax.CalculationCreateParams;

/** How many items a calculation of Stripe takes. */
export const MOST_ITEMS = 100;

/** Asks for the tax of a request. Stripe keeps it for 90 days and records nothing. */
export async function calculate(stripe: Stripe, request: TaxRequest): Promise<TaxAnswer> {
  const answer = await create(stripe, paramsOf(request));
  if ('message' in answer) return { kind: 'address_invalid', message: answer.message };
  const { id, expires_at: expires, line_items: lines } = answer;
  if (id === null || !lines) throw new ProviderAway('Stripe Tax answered without a calculation.');
  const items = await allOf(stripe, id, lines);
  return {
    kind: 'calculated',
    reference: id,
    expiresAt: expires === null ? null : Temporal.Instant.fromEpochMilliseconds(expires * 1_000),
    items: request.items.map(({ reference }) => taxedItem(items, reference, request.currency)),
  };
}

/** An address has a rate if Stripe can tax one item of it. The calculation is thrown away. */
export async function validateAddress(stripe: Stripe, address: TaxAddress): Promise<AddressVerdict> {
  const items = [{ reference: 'address', amount: new Decimal(1), taxCode: null }];
  const customer = { address, taxId: null };
  const request: TaxRequest = { currency: 'USD', behavior: 'exclusive', customer, isExempt: false, items };
  const answer = await create(stripe, paramsOf(request));
  return 'message' in answer ? { valid: false, message: answer.message } : { valid: true, message: null };
}

function paramsOf({ currency, behavior, customer, isExempt, items }: TaxRequest): Params {
  const { address } = customer;
  const taxId = stripeTaxId(customer.taxId, address.country);
  return {
    currency: currency.toLowerCase(),
    line_items: items.map(({ reference, amount, taxCode }) => {
      const code = stripeTaxCode(taxCode);
      return {
        reference,
        amount: toTaxUnits(amount, currency),
        tax_behavior: behavior,
        ...(code !== undefined && { tax_code: code }),
      };
    }),
    customer_details: {
      address: {
        country: address.country,
        ...(address.line1 !== null && { line1: address.line1 }),
        ...(address.line2 !== null && { line2: address.line2 }),
        ...(address.city !== null && { city: address.city }),
        ...(address.state !== null && { state: address.state }),
        ...(address.zipCode !== null && { postal_code: address.zipCode }),
      },
      address_source: 'billing',
      ...(taxId !== null && {
        tax_ids: [taxId as NonNullable<NonNullable<Params['customer_details']>['tax_ids']>[number]],
      }),
      ...(isExempt && { taxability_override: 'customer_exempt' as const }),
    },
    expand: ['line_items.data.tax_breakdown'],
  };
}

/** A tax id that Stripe refuses by its form is left out: the customer then counts as one without. */
async function create(stripe: Stripe, params: Params): Promise<Stripe.Tax.Calculation | { readonly message: string }> {
  try {
    return await callingStripe(() => stripe.tax.calculations.create(params));
  } catch (error) {
    if (!isInvalidRequest(error)) throw error;
    const { code, param, message } = error;
    if (code === 'customer_tax_location_invalid' || param?.startsWith('customer_details[address]')) return { message };
    const { tax_ids: ids, ...customer } = params.customer_details ?? {};
    if (ids !== undefined && param?.startsWith('customer_details[tax_ids]'))
      return create(stripe, { ...params, customer_details: customer });
    throw refusedOr(error);
  }
}

/** Stripe answers ten items with the calculation, and the others in pages. */
async function allOf(
  stripe: Stripe,
  id: string,
  first: Stripe.ApiList<Stripe.Tax.CalculationLineItem>,
): Promise<readonly Stripe.Tax.CalculationLineItem[]> {
  if (!first.has_more) return first.data;
  return callingStripe(() =>
    stripe.tax.calculations
      .listLineItems(id, { limit: MOST_ITEMS, expand: ['data.tax_breakdown'] })
      .autoPagingToArray({ limit: MOST_ITEMS }),
  );
}

function taxedItem(items: readonly Stripe.Tax.CalculationLineItem[], reference: string, currency: string): TaxedItem {
  const found = items.find((item) => item.reference === reference);
  if (!found) throw new ProviderAway(`Stripe Tax left out the item ${reference}.`);
  return { reference, tax: fromTaxUnits(found.amount_tax, currency), rate: rateOf(found) };
}

const RATE_DIGITS = 9;

/**
 * The rates of all jurisdictions together. If one of them taxes only a part of the amount, the rate is the tax over the
 * amount.
 */
function rateOf({
  amount,
  amount_tax: tax,
  tax_behavior: behavior,
  tax_breakdown: parts,
}: Stripe.Tax.CalculationLineItem) {
  if (tax === 0) return ZERO;
  const net = behavior === 'inclusive' ? amount - tax : amount;
  const taxing = (parts ?? []).filter((part) => part.amount !== 0);
  if (taxing.length > 0 && taxing.every((part) => part.taxable_amount === net && part.tax_rate_details))
    return sum(taxing.map((part) => new Decimal(part.tax_rate_details?.percentage_decimal ?? 0)));
  return new Decimal(tax).times(100).div(net).toDecimalPlaces(RATE_DIGITS);
}
