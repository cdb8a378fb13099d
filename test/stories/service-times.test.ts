import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptClockAt } from '../../src/db/index.ts';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/** The time of the supply of a one-off invoice, from the request to its documents. */
const NOW = '2026-03-10T09:30:00Z';
let env: TestEnvironment;
let merchant: Merchant;
let shop: Shop;
let customer: Resource;
beforeAll(async () => {
  env = await openTestEnvironment({ documents: 'typeset', recomputed: true });
  env.setNow(NOW);
  merchant = await env.merchant();
  shop = shopOf(merchant);
  customer = await shop.customer();
});
afterAll(() => env.close());

const FEBRUARY = { serviceFrom: '2026-02-01T00:00:00Z', serviceTo: '2026-03-01T00:00:00Z' };
const line = (fields: object = {}) => ({ displayName: 'Workshop', quantity: 1, unitPrice: '100', ...fields });
const body = (fields: object = {}) => ({ customerId: customer.id, currency: 'EUR', lines: [line()], ...fields });
const make = (fields: object = {}): Promise<Resource> => shop.create('/v2/invoices', body(fields));
const timesOf = ({ serviceFrom, serviceTo }: Resource) => [serviceFrom, serviceTo];
const textOf = async ({ id }: Resource): Promise<string> => {
  await env.runDueWork();
  const { bytes } = await merchant.get(`/v2/invoices/${id}/pdf`);
  return readPdf(bytes).pages.join('\n').replaceAll('\u00a0', ' ');
};

describe('the time of the supply of an invoice', () => {
  it('is answered as it was sent, as a draft and after the issue', async () => {
    const draft = await make(FEBRUARY);
    expect(timesOf(draft)).toEqual(['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z']);
    const issued = await shop.act(`/v2/invoices/${draft.id}/approve`);
    expect(timesOf(issued)).toEqual(timesOf(draft));
    const { data } = await shop.read(`/v2/invoices?customerId=${customer.id}`);
    expect(timesOf(data.find(({ id }: Resource) => id === draft.id))).toEqual(timesOf(draft));
  });

  it('is the time of the issue where nothing was sent, and unknown before', async () => {
    const draft = await make();
    expect(timesOf(draft)).toEqual([null, null]);
    env.setNow('2026-03-11T08:00:00Z');
    expect(timesOf(await shop.act(`/v2/invoices/${draft.id}/approve`))).toEqual([
      '2026-03-11T08:00:00Z',
      '2026-03-11T08:00:00Z',
    ]);
    env.setNow(NOW);
    await acceptClockAt(env.url, Temporal.Instant.from(NOW)); // numbers have that day already
  });

  it.each([
    { sent: { serviceFrom: '2026-02-03T00:00:00Z' }, is: '2026-02-03T00:00:00Z' },
    { sent: { serviceTo: '2026-02-03T10:00:00+02:00' }, is: '2026-02-03T08:00:00Z' },
    { sent: { serviceFrom: '2026-02-03T00:00:00Z', serviceTo: null }, is: '2026-02-03T00:00:00Z' },
  ])('is a point of time with $sent', async ({ sent, is }) => expect(timesOf(await make(sent))).toEqual([is, is]));

  it('is the span of the lines where only these have times', async () => {
    const lines = [
      line({ serviceFrom: '2026-02-10T00:00:00Z', serviceTo: '2026-02-12T00:00:00Z' }),
      line({ serviceFrom: '2026-01-05T00:00:00Z' }),
      line(),
    ];
    const invoice = await make({ lines });
    expect(timesOf(invoice)).toEqual(['2026-01-05T00:00:00Z', '2026-02-12T00:00:00Z']);
    const { lines: own } = await shop.invoice(invoice.id);
    expect(own.map(({ periodStart, periodEnd }: Resource) => [periodStart, periodEnd])).toEqual([
      ['2026-02-10T00:00:00Z', '2026-02-12T00:00:00Z'],
      ['2026-01-05T00:00:00Z', '2026-01-05T00:00:00Z'],
      [invoice.createdAt, invoice.createdAt],
    ]);
  });

  it('of the invoice counts before those of its lines', async () => {
    const { serviceFrom, serviceTo } = await make({ ...FEBRUARY, lines: [line({ serviceFrom: NOW })] });
    expect({ serviceFrom, serviceTo }).toEqual(FEBRUARY);
  });

  it.each([
    { sent: { serviceFrom: FEBRUARY.serviceTo, serviceTo: FEBRUARY.serviceFrom }, field: 'serviceTo' },
    {
      sent: { lines: [line(), line({ serviceFrom: FEBRUARY.serviceTo, serviceTo: FEBRUARY.serviceFrom })] },
      field: 'lines.1.serviceTo',
    },
    { sent: { serviceFrom: '2026-02-01' }, field: 'serviceFrom' },
    { sent: { lines: [line({ serviceTo: 'yesterday' })] }, field: 'lines.0.serviceTo' },
  ])('is refused: $field of $sent', async ({ sent, field }) => {
    const answer = await merchant.post('/v2/invoices', body(sent));
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });

  it('is part of the content under an idempotency key', async () => {
    const sent = { ...body(FEBRUARY), idempotencyKey: 'february' };
    const { id } = await shop.create('/v2/invoices', sent);
    expect(await merchant.post('/v2/invoices', sent)).toMatchObject({ status: 200, body: { id } });
    const other = { ...sent, serviceTo: NOW };
    expect((await merchant.post('/v2/invoices', other)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const ofLine = { ...sent, lines: [line({ serviceTo: NOW })] };
    expect((await merchant.post('/v2/invoices', ofLine)).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  it('is none of an invoice of a subscription, whose lines have periods', async () => {
    const { invoice } = await shop.issued();
    expect(timesOf(invoice)).toEqual([null, null]);
  });
});

describe('the documents', () => {
  it('show the times of lines, and lines in the order in which they were sent', async () => {
    const invoice = await make({
      autoApprove: true,
      lines: [
        line({ displayName: 'Second day', serviceFrom: '2026-02-12T00:00:00Z' }),
        line({ displayName: 'First days', ...FEBRUARY }),
        line({ displayName: 'Undated' }),
      ],
    });
    const text = await textOf(invoice);
    expect(text).toContain('12 Feb 2026');
    expect(text).toContain('1 – 28 Feb 2026');
    const places = ['Second day', 'First days', 'Undated'].map((name) => text.indexOf(name));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('the tax of a supply', () => {
  it('is that of its last day, by the registrations and rates of then', async () => {
    const german = await env.merchant();
    const of = shopOf(german);
    await of.change(`/v0/organizations/${german.id}`, {
      address: { line1: 'Am Tor 1', city: 'Bremen', zipCode: '28195', country: 'DE' },
      settings: { taxRegistrations: [{ country: 'DE', taxId: 'DE136695976', from: '2020-01-01' }] },
    });
    const consumer = { name: 'Buyer', email: 'then@example.com', address: { country: 'DE' } };
    const { id: customerId } = await of.customer({ consumer });
    const tax = async (fields: object) =>
      (await of.create('/v2/invoices', { ...body(fields), customerId, autoApprove: true })).totalTax;
    // Germany had 16 % from July to December 2020.
    expect(await tax({ serviceFrom: '2020-11-01T00:00:00Z', serviceTo: '2021-01-01T00:00:00Z' })).toBe('16.00');
    expect(await tax({ serviceFrom: '2020-11-01T00:00:00Z', serviceTo: '2021-01-02T00:00:00Z' })).toBe('19.00');
    expect(await tax({ lines: [line({ serviceFrom: '2020-08-01T00:00:00Z' })] })).toBe('16.00');
    expect(await tax({})).toBe('19.00');
  });
});
