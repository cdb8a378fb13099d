import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StripeAccount } from '../../../test/stripe/account.ts';
import { openStripeServer, type SeenRequest, type StripeServer } from '../../../test/stripe/server.ts';
import { decimal, plain } from '../../kernel/decimal.ts';
import { type ProviderAccount, ProviderAway, ProviderRefused } from '../../payments/index.ts';
import type { CreditNoteRequest, TaxAddress, TaxAnswer, TaxProvider, TaxRequest } from '../port.ts';
import { createStripeTax } from './provider.ts';
import { stripeTaxCode } from './tax-codes.ts';
import { stripeTaxId } from './tax-ids.ts';

const NOW = Temporal.Instant.from('2026-03-01T00:00:00Z');

let server: StripeServer;
let tax: TaxProvider;
let books: StripeAccount;
let account: ProviderAccount;
beforeAll(async () => {
  server = await openStripeServer(() => NOW.epochMilliseconds / 1_000);
  tax = createStripeTax({ apiUrl: server.url, timeoutMilliseconds: 500 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.faults.clear();
  books = server.account();
  account = { merchantId: 'org_1', externalId: books.id, secretKey: books.secretKey, webhookSecret: null };
});

const address = (country: string, fields: Partial<TaxAddress> = {}): TaxAddress => ({
  ...{ line1: null, line2: null, city: null, state: null, zipCode: null },
  country,
  ...fields,
});
const request = (fields: Partial<TaxRequest> & { country?: string; taxId?: string; amounts?: string[] } = {}) => {
  const { country = 'DE', taxId = null, amounts = ['10.00'], ...others } = fields;
  return {
    currency: 'EUR',
    behavior: 'exclusive',
    customer: { address: address(country), taxId },
    isExempt: false,
    items: amounts.map((amount, place) => ({ reference: `L${place}`, amount: decimal(amount), taxCode: null })),
    ...others,
  } satisfies TaxRequest;
};
const calculated = async (fields: Parameters<typeof request>[0] = {}) => {
  const answer = await tax.calculate(account, request(fields));
  if (answer.kind !== 'calculated') throw new Error(answer.message);
  return answer;
};
const figures = ({ items }: Extract<TaxAnswer, { kind: 'calculated' }>) =>
  items.map((item) => [item.reference, plain(item.tax), plain(item.rate)]);
const sold = async (key: string, fields: Parameters<typeof request>[0] = {}) =>
  tax.commit(account, { key, calculation: (await calculated(fields)).reference, currency: fields.currency ?? 'EUR' });

describe('the tax of a sale', () => {
  it('is what Stripe says of each item', async () => {
    expect(figures(await calculated({ amounts: ['10.00', '0.03', '0'] }))).toEqual([
      ['L0', '1.9', '19'],
      ['L1', '0.01', '19'],
      ['L2', '0', '0'],
    ]);
  });

  it('adds the rates of several jurisdictions', async () => {
    const answer = await calculated({
      customer: { address: address('US', { state: 'NY', zipCode: '10001' }), taxId: null },
      currency: 'USD',
    });
    expect(figures(answer)).toEqual([['L0', '0.89', '8.875']]);
  });

  it('is taken out of amounts that include it', async () => {
    expect(figures(await calculated({ behavior: 'inclusive', amounts: ['11.90'] }))).toEqual([['L0', '1.9', '19']]);
  });

  it.each([
    ['JP', 'JPY', '1005', '101'],
    ['KW', 'KWD', '1.234', '0.062'],
    ['IS', 'ISK', '1250', '300'],
  ])('of %s is in units of %s', async (country, currency, amount, expected) => {
    const [item] = (await calculated({ country, currency, amounts: [amount] })).items;
    expect(item && plain(item.tax)).toBe(expected);
  });

  it('is 0 where the merchant says so, and where the buyer owes it', async () => {
    expect(figures(await calculated({ isExempt: true }))).toEqual([['L0', '0', '0']]);
    expect(figures(await calculated({ country: 'FR', taxId: 'FR 12 345678901' }))).toEqual([['L0', '0', '0']]);
    expect(figures(await calculated({ country: 'FR' }))).toEqual([['L0', '2', '20']]);
  });

  it('leaves out a tax id that Stripe refuses by its form', async () => {
    expect(figures(await calculated({ taxId: 'DE12' }))).toEqual([['L0', '1.9', '19']]);
    expect(server.requests.slice(-2).map(({ params }) => 'tax_ids' in (params.customer_details as object))).toEqual([
      true,
      false,
    ]);
  });

  it('reads all items where they fill several pages', async () => {
    const { items } = await calculated({ amounts: Array.from({ length: 100 }, () => '1.00') });
    expect(new Set(items.map((item) => plain(item.tax)))).toEqual(new Set(['0.19']));
    expect(items).toHaveLength(100);
  });

  it('is no figure, but an answer, for an address without a rate', async () => {
    const answer = await tax.calculate(account, request({ country: 'US' }));
    expect(answer).toMatchObject({ kind: 'address_invalid', message: expect.stringContaining('tax location') });
    expect(await tax.validateAddress(account, address('US'))).toMatchObject({ valid: false });
    expect(await tax.validateAddress(account, address('US', { zipCode: '10001' }))).toEqual({
      valid: true,
      message: null,
    });
  });

  it('is asked for under the tax code of the plan', async () => {
    const items = ['eservice', 'txcd_20030000', 'books', null].map((taxCode, place) => ({
      ...{ reference: `L${place}`, amount: decimal('1'), taxCode },
    }));
    await tax.calculate(account, request({ items }));
    const last = server.requests.at(-1) as SeenRequest;
    const { line_items: sent } = last.params as unknown as { line_items: { tax_code?: string }[] };
    expect(sent.map((each) => each.tax_code)).toEqual(['txcd_10000000', 'txcd_20030000', undefined, undefined]);
    expect(stripeTaxCode('saas')).toBe('txcd_10103001');
  });
});

it.each([
  ['DE 123456789', 'DE', { type: 'eu_vat', value: 'DE123456789' }],
  ['EL123456789', 'GR', { type: 'eu_vat', value: 'EL123456789' }],
  ['123456789', 'DE', null],
  ['GB123456789', 'GB', { type: 'gb_vat', value: 'GB123456789' }],
  ['XI123456789', 'GB', { type: 'gb_vat', value: 'XI123456789' }],
  ['CHE-123.456.789 MWST', 'CH', { type: 'ch_vat', value: 'CHE123456789MWST' }],
  ['12-3456789', 'US', { type: 'us_ein', value: '123456789' }],
  ['anything', 'BR', null],
])('the tax id %s of %s is %o at Stripe', (text, country, expected) => {
  expect(stripeTaxId(text, country)).toEqual(expected);
});

describe('what is recorded', () => {
  it('is one transaction for one key, also where an answer is lost', async () => {
    const { reference: calculation } = await calculated();
    server.faults.plan('lost', 'POST', /create_from_calculation/);
    const commit = () => tax.commit(account, { key: 'inv_1', calculation, currency: 'EUR' });
    await expect(commit()).rejects.toThrow(ProviderAway);
    const first = await commit();
    expect(await commit()).toEqual(first);
    expect(plain(first.tax)).toBe('1.9');
    expect(books.tax.total()).toEqual({ net: 1000, tax: 190 });
  });

  it('is one transaction also where Stripe has forgotten the idempotency key', async () => {
    await sold('inv_1');
    server.forgetKeys();
    await expect(sold('inv_1')).rejects.toThrow('A transaction with reference inv_1 exists already.');
    expect(books.tax.total()).toEqual({ net: 1000, tax: 190 });
  });

  const amount = (net: string, tax: string) => ({ net: decimal(net), tax: decimal(tax) });
  const back = (fields: Pick<CreditNoteRequest, 'key' | 'original' | 'part'> & Partial<CreditNoteRequest>) =>
    tax.createCreditNote(account, { currency: 'EUR', behavior: 'exclusive', earlier: [], ...fields });

  it('is taken back wholly, stands again when that is voided, and is taken back again', async () => {
    const { reference: original } = await sold('inv_1', { amounts: ['10.00', '5.00'] });
    const part = amount('15.00', '2.85');
    const note = await back({ key: 'crn_1', original, part });
    expect(plain(note.tax)).toBe('-2.85');
    expect(books.tax.total()).toEqual({ net: 0, tax: 0 });
    const request = { key: 'crn_1:void', creditNote: note.reference, currency: 'EUR' };
    expect(plain((await tax.voidCreditNote(account, request)).tax)).toBe('2.85');
    expect(books.tax.total()).toEqual({ net: 1500, tax: 285 });
    await back({ key: 'crn_2', original, part });
    expect(books.tax.total()).toEqual({ net: 0, tax: 0 });
  });

  it('is taken back in parts, to the cent, and no more than is left', async () => {
    const { reference: original } = await sold('inv_1', { amounts: ['10.00', '5.00', '0.01'] });
    const first = amount('7.33', '1.39');
    await back({ key: 'crn_1', original, part: first });
    expect(books.tax.total((reference) => reference === 'crn_1')).toEqual({ net: -733, tax: -139 });
    const second = amount('0.02', '0.01');
    await back({ key: 'crn_2', original, part: second, earlier: [first] });
    const last = { key: 'crn_3', original, part: amount('7.66', '1.45'), earlier: [first, second] };
    await expect(back({ ...last, part: amount('7.67', '1.45') })).rejects.toThrow(ProviderRefused);
    await back(last);
    expect(books.tax.total()).toEqual({ net: 0, tax: 0 });
  });

  it('is taken back in parts of amounts that include the tax', async () => {
    const { reference: original } = await sold('inv_1', { behavior: 'inclusive', amounts: ['11.90', '5.95'] });
    await back({ behavior: 'inclusive', key: 'crn_1', original, part: amount('3.00', '0.57') });
    expect(books.tax.total((reference) => reference === 'crn_1')).toEqual({ net: -300, tax: -57 });
  });
});

describe('errors', () => {
  it('say that nobody knows, or that it will never work', async () => {
    for (const fault of ['error_before', 'reset', 'rate_limit', 'hang'] as const) {
      server.faults.plan(fault, 'POST', /calculations/);
      await expect(tax.calculate(account, request())).rejects.toThrow(ProviderAway);
    }
    account = { ...account, secretKey: 'sk_test_revoked' };
    await expect(tax.calculate(account, request())).rejects.toMatchObject({
      name: 'ProviderRefused',
      about: 'account',
    });
  });

  it('say that Stripe Tax is not active', async () => {
    expect(await tax.probe(account)).toEqual({ ready: true });
    books.tax.status = 'pending';
    expect(await tax.probe(account)).toEqual({
      ready: false,
      reason: 'Stripe Tax is not active on this account (status pending, missing: head_office).',
    });
    await expect(tax.calculate(account, request())).rejects.toThrow(ProviderRefused);
  });
});
