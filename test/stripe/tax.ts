import type { Stripe } from 'stripe';
import { type Form, type FormValue, formOf, listOf, mapOf, textOf } from './form.ts';
import { stripeId } from './objects.ts';
import { invalidRequest } from './problem.ts';

/** Percent by country, for the places in tests; other places have no tax. The seller is in DE. */
const RATES: Readonly<Record<string, string>> = {
  DE: '19.0',
  FR: '20.0',
  GB: '20.0',
  JP: '10.0',
  KW: '5.0',
  IS: '24.0',
};
/** In New York three jurisdictions have a tax: together 8.875 percent. */
const NEW_YORK = [
  { percent: '4.0', level: 'state', name: 'New York' },
  { percent: '4.5', level: 'city', name: 'New York City' },
  { percent: '0.375', level: 'district', name: 'Metropolitan Commuter Transportation District' },
] as const;
const SELLER = 'DE';
const MOST_ITEMS = 100;
const IN_ANSWER = 10;
const NINETY_DAYS = 90 * 86_400;

interface Options {
  readonly livemode: boolean;
  /** Seconds since 1970. */
  readonly now: () => number;
}

type Item = Stripe.Tax.CalculationLineItem;
type Recorded = Stripe.Tax.TransactionLineItem;

/** The tax of one account: settings, calculations, and the transactions that its reports are made of. */
export class TaxBooks {
  status: 'active' | 'pending' = 'active';
  readonly calculations = new Map<string, { calculation: Stripe.Tax.Calculation; items: Item[] }>();
  readonly transactions = new Map<string, { transaction: Stripe.Tax.Transaction; items: Recorded[] }>();
  readonly #used = new Set<string>();
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  settings(): Stripe.Tax.Settings {
    const isActive = this.status === 'active';
    return {
      object: 'tax.settings',
      defaults: { provider: 'stripe', tax_behavior: null, tax_code: 'txcd_10000000' },
      head_office: isActive ? { address: { ...NO_ADDRESS, country: SELLER } } : null,
      livemode: this.#options.livemode,
      status: this.status,
      status_details: isActive ? { active: {} } : { pending: { missing_fields: ['head_office'] } },
    };
  }

  calculate(params: Form): object {
    if (this.status !== 'active')
      throw invalidRequest('Stripe Tax is not active on this account.', 'stripe_tax_inactive');
    const details = formOf(params, 'customer_details');
    const address = formOf(details, 'address');
    const country = textOf(address, 'country') ?? '';
    checkAddress(address, country);
    const lines = listOf(params, 'line_items') as Form[];
    if (lines.length === 0 || lines.length > MOST_ITEMS)
      throw invalidRequest(`You can pass up to ${MOST_ITEMS} line items.`, undefined, 'line_items');
    const references = new Set(lines.map((line) => textOf(line, 'reference')));
    if (references.size < lines.length)
      throw invalidRequest('Line item references must be unique.', undefined, 'line_items[1][reference]');
    const override = (textOf(details, 'taxability_override') ?? 'none') as 'customer_exempt' | 'none';
    const ids = taxIdsOf(details);
    const items = lines.map((line, place) => this.#item(line, place, { address, country, override, ids }));
    const behavior = items[0]?.tax_behavior ?? 'exclusive';
    const tax = items.reduce((all, { amount_tax: each }) => all + each, 0);
    const net = items.reduce((all, { amount }) => all + amount, 0);
    const id = stripeId('taxcalc');
    const calculation: Stripe.Tax.Calculation = {
      id,
      object: 'tax.calculation',
      amount_total: behavior === 'inclusive' ? net : net + tax,
      currency: textOf(params, 'currency') ?? '',
      customer: null,
      customer_details: {
        address: { ...NO_ADDRESS, ...textsOf(address) },
        address_source: textOf(details, 'address_source'),
        ip_address: null,
        tax_ids: ids,
        taxability_override: override,
      },
      expires_at: Math.floor(this.#options.now()) + NINETY_DAYS,
      livemode: this.#options.livemode,
      ship_from_details: null,
      shipping_cost: null,
      tax_amount_exclusive: behavior === 'inclusive' ? 0 : tax,
      tax_amount_inclusive: behavior === 'inclusive' ? tax : 0,
      tax_breakdown: [],
      tax_date: Math.floor(this.#options.now()),
    };
    this.calculations.set(id, { calculation, items });
    return { ...calculation, ...withItems(params, items, `/v1/tax/calculations/${id}/line_items`) };
  }

  calculationItems(id: string, params: Form): object {
    const found = this.calculations.get(id);
    if (!found) throw invalidRequest(`No such tax calculation: '${id}'`, 'resource_missing', 'calculation');
    return pageOf(found.items, params, `/v1/tax/calculations/${id}/line_items`);
  }

  /** A reference is unique in the account, and a calculation is committed once. */
  commit(params: Form): object {
    const [id, reference] = [textOf(params, 'calculation') ?? '', textOf(params, 'reference') ?? ''];
    this.#checkReference(reference);
    const found = this.calculations.get(id);
    if (!found || (found.calculation.expires_at ?? 0) < this.#options.now())
      throw invalidRequest(`No such tax calculation: '${id}'`, 'resource_missing', 'calculation');
    if (this.#used.has(id)) throw invalidRequest('This tax calculation was used before.', undefined, 'calculation');
    this.#used.add(id);
    const items = found.items.map(
      ({ object: _, tax_breakdown: __, performance_location: ___, ...item }): Recorded => ({
        ...item,
        id: stripeId('tax_li'),
        object: 'tax.transaction_line_item',
        metadata: null,
        reversal: null,
        type: 'transaction',
      }),
    );
    return this.#record(params, items, { type: 'transaction', reversal: null, of: found.calculation });
  }

  reverse(params: Form): object {
    const reference = textOf(params, 'reference') ?? '';
    this.#checkReference(reference);
    const id = textOf(params, 'original_transaction') ?? '';
    const original = this.transactions.get(id);
    if (!original) throw invalidRequest(`No such tax transaction: '${id}'`, 'resource_missing', 'original_transaction');
    const isFull = textOf(params, 'mode') === 'full';
    const shares = isFull ? original.items.map((item) => this.#left(item)) : partsOf(params);
    const items = shares.map((share): Recorded => {
      const item = original.items.find((each) => each.id === share.of);
      if (!item) throw invalidRequest(`No such line item: '${share.of}'`, 'resource_missing', 'line_items');
      const left = this.#left(item);
      if (beyond(share.amount, left.amount) || beyond(share.tax, left.tax))
        throw invalidRequest('You cannot reverse more than is left of the line item.', undefined, 'line_items');
      return {
        ...item,
        id: stripeId('tax_li'),
        amount: share.amount,
        amount_tax: share.tax,
        reference: share.reference ?? item.reference,
        reversal: { original_line_item: item.id },
        type: 'reversal',
      };
    });
    if (items.every(({ amount, amount_tax: tax }) => amount === 0 && tax === 0))
      throw invalidRequest('The transaction is fully reversed already.', undefined, 'original_transaction');
    return this.#record(params, items, {
      type: 'reversal',
      reversal: { original_transaction: id },
      of: original.transaction,
    });
  }

  transaction(id: string, params: Form): object {
    const found = this.transactions.get(id);
    if (!found) throw invalidRequest(`No such tax transaction: '${id}'`, 'resource_missing', 'transaction');
    return { ...found.transaction, ...withItems(params, found.items, `/v1/tax/transactions/${id}/line_items`) };
  }

  transactionItems(id: string, params: Form): object {
    const found = this.transactions.get(id);
    if (!found) throw invalidRequest(`No such tax transaction: '${id}'`, 'resource_missing', 'transaction');
    return pageOf(found.items, params, `/v1/tax/transactions/${id}/line_items`);
  }

  /** The sum of all transactions of some references, in Stripe's units. */
  total(is: (reference: string) => boolean = () => true): { net: number; tax: number } {
    const items = [...this.transactions.values()]
      .filter(({ transaction }) => is(transaction.reference))
      .flatMap(({ items: those }) => those);
    const tax = items.reduce((all, { amount_tax: each }) => all + each, 0);
    const net = items.reduce(
      (all, item) => all + item.amount - (item.tax_behavior === 'inclusive' ? item.amount_tax : 0),
      0,
    );
    return { net, tax };
  }

  #checkReference(reference: string): void {
    if (reference === '') throw invalidRequest('Missing required param: reference.', 'parameter_missing', 'reference');
    if ([...this.transactions.values()].some(({ transaction }) => transaction.reference === reference))
      throw invalidRequest(`A transaction with reference ${reference} exists already.`, undefined, 'reference');
  }

  /** The part of an item that no reversal in force has taken back, in the form of a reversal. */
  #left(item: Recorded): { of: string; amount: number; tax: number; reference?: string } {
    const { amount, tax } = this.#standing(item);
    return { of: item.id, amount: 0 - amount, tax: 0 - tax };
  }

  /** An item with its reversals, and theirs. */
  #standing(item: Recorded): { amount: number; tax: number } {
    const back = [...this.transactions.values()]
      .flatMap(({ items }) => items)
      .filter(({ reversal }) => reversal?.original_line_item === item.id)
      .map((each) => this.#standing(each));
    return {
      amount: back.reduce((all, each) => all + each.amount, item.amount),
      tax: back.reduce((all, each) => all + each.tax, item.amount_tax),
    };
  }

  #record(
    params: Form,
    items: Recorded[],
    {
      type,
      reversal,
      of,
    }: Pick<Stripe.Tax.Transaction, 'type' | 'reversal'> & {
      of: Pick<Stripe.Tax.Calculation, 'currency' | 'customer_details' | 'tax_date'>;
    },
  ): object {
    const id = stripeId('tax');
    const now = Math.floor(this.#options.now());
    const transaction: Stripe.Tax.Transaction = {
      id,
      object: 'tax.transaction',
      created: now,
      currency: of.currency,
      customer: null,
      customer_details: of.customer_details,
      livemode: this.#options.livemode,
      metadata: mapOf(params, 'metadata'),
      posted_at: now,
      reference: textOf(params, 'reference') ?? '',
      reversal,
      ship_from_details: null,
      shipping_cost: null,
      tax_date: of.tax_date,
      type,
    };
    this.transactions.set(id, { transaction, items });
    return { ...transaction, ...withItems(params, items, `/v1/tax/transactions/${id}/line_items`) };
  }

  #item(
    line: Form,
    place: number,
    at: { address: Form; country: string; override: string; ids: Stripe.Tax.Calculation.CustomerDetails.TaxId[] },
  ): Item {
    const amount = Number(textOf(line, 'amount'));
    if (!Number.isInteger(amount) || amount < 0)
      throw invalidRequest('Invalid non-negative integer', 'parameter_invalid_integer', `line_items[${place}][amount]`);
    const code = textOf(line, 'tax_code') ?? 'txcd_10000000';
    if (!/^txcd_\d{8}$/.test(code))
      throw invalidRequest(`No such tax code: '${code}'`, 'resource_missing', `line_items[${place}][tax_code]`);
    const behavior = (textOf(line, 'tax_behavior') ?? 'exclusive') as 'exclusive' | 'inclusive';
    const isReversed = at.country !== SELLER && at.ids.some(({ type }) => type === 'eu_vat');
    const isTaxed = at.override === 'none' && !isReversed;
    const parts = isTaxed ? jurisdictionsOf(at.country, at.address) : [];
    const percent = parts.reduce((all, part) => all + Number(part.percent), 0);
    const whole =
      behavior === 'inclusive'
        ? Math.round((amount * percent) / (100 + percent))
        : Math.round((amount * percent) / 100);
    const net = behavior === 'inclusive' ? amount - whole : amount;
    let left = whole;
    return {
      id: stripeId('tax_li'),
      object: 'tax.calculation_line_item',
      amount,
      amount_tax: whole,
      livemode: this.#options.livemode,
      metadata: null,
      performance_location: null,
      product: null,
      quantity: 1,
      reference: textOf(line, 'reference') ?? `L${place}`,
      tax_behavior: behavior,
      tax_breakdown: parts.map((part, index) => {
        const share =
          index === parts.length - 1 ? left : Math.min(left, Math.round((whole * Number(part.percent)) / percent));
        left -= share;
        return {
          amount: share,
          jurisdiction: { country: at.country, display_name: part.name, level: part.level, state: null },
          sourcing: 'destination',
          tax_rate_details: { display_name: 'Tax', percentage_decimal: part.percent, tax_type: 'vat' },
          taxability_reason: 'standard_rated',
          taxable_amount: net,
        };
      }),
      tax_code: code,
    };
  }
}

const NO_ADDRESS = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };

function checkAddress(address: Form, country: string): void {
  if (!/^[A-Z]{2}$/.test(country))
    throw invalidRequest('Country is invalid.', undefined, 'customer_details[address][country]');
  if (country === 'US' && !/^\d{5}(-\d{4})?$/.test(textOf(address, 'postal_code') ?? ''))
    throw invalidRequest(
      "We could not determine the customer's tax location based on the provided customer address.",
      'customer_tax_location_invalid',
      'customer_details[address]',
    );
}

function taxIdsOf(details: Form): Stripe.Tax.Calculation.CustomerDetails.TaxId[] {
  return (listOf(details, 'tax_ids') as Form[]).map((id, place) => {
    const [type, value] = [textOf(id, 'type') ?? '', textOf(id, 'value') ?? ''];
    if (type === 'eu_vat' && value.startsWith('DE') && !/^DE\d{9}$/.test(value))
      throw invalidRequest('Invalid value for eu_vat.', 'tax_id_invalid', `customer_details[tax_ids][${place}][value]`);
    return { type, value };
  });
}

const jurisdictionsOf = (country: string, address: Form) => {
  if (country === 'US') return (textOf(address, 'postal_code') ?? '').startsWith('100') ? [...NEW_YORK] : [];
  const percent = RATES[country];
  return percent === undefined ? [] : [{ percent, level: 'country' as const, name: country }];
};

const textsOf = (form: Form): Record<string, string> =>
  Object.fromEntries(Object.entries(form).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const partsOf = (params: Form): { of: string; amount: number; tax: number; reference?: string }[] =>
  (listOf(params, 'line_items') as Form[]).map((line) => {
    const [amount, tax] = [Number(textOf(line, 'amount')), Number(textOf(line, 'amount_tax'))];
    if (!Number.isInteger(amount) || !Number.isInteger(tax))
      throw invalidRequest('Invalid integer', 'parameter_invalid_integer', 'line_items');
    return {
      of: textOf(line, 'original_line_item') ?? '',
      amount,
      tax,
      reference: textOf(line, 'reference') ?? '',
    };
  });

/** Is a share larger than the remainder? Both have one sign. */
const beyond = (share: number, left: number): boolean =>
  share !== 0 && (Math.sign(share) !== Math.sign(left) || Math.abs(share) > Math.abs(left));

/** Items come only on request, and at most ten of them. */
const withItems = (params: Form, items: readonly object[], url: string): object => {
  const isAsked = (path: FormValue) => typeof path === 'string' && path.startsWith('line_items');
  return listOf(params, 'expand').some(isAsked)
    ? { line_items: { object: 'list', data: items.slice(0, IN_ANSWER), has_more: items.length > IN_ANSWER, url } }
    : {};
};

const pageOf = (items: readonly { id: string }[], params: Form, url: string): object => {
  const after = textOf(params, 'starting_after');
  const from = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  const limit = Number(textOf(params, 'limit') ?? IN_ANSWER);
  return { object: 'list', data: items.slice(from, from + limit), has_more: items.length > from + limit, url };
};
