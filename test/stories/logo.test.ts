import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdf } from '../../src/documents/testing/read-pdf.ts';
import { png, svg } from '../../src/identity/logo/testing.ts';
import { type Merchant, sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, shopOf } from '../support/shop.ts';

/** The logo of a merchant: uploaded, made safe, shown, drawn on documents. */
let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  env = await sharedEnvironment({ documents: 'typeset' });
  merchant = await env.merchant();
});
afterAll(() => env.close());

const put = async (type: string | null, payload: Buffer | string, by: Merchant = merchant, id = by.id) => {
  const answer = await env.server.inject({
    method: 'PUT',
    url: `/v0/organizations/${id}/logo`,
    headers: { authorization: `Bearer ${by.key}`, ...(type !== null && { 'content-type': type }) },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
};
const get = (by: Merchant = merchant) => by.get(`/v0/organizations/${by.id}/logo`);
const issued = async (by: Merchant, customer?: Resource): Promise<Resource> => {
  const shop = shopOf(by);
  return shop.create('/v2/invoices', {
    customerId: (customer ?? (await shop.customer())).id,
    currency: 'EUR',
    lines: [{ displayName: 'Workshop', quantity: 1, unitPrice: 800 }],
    autoApprove: true,
  });
};
const pdfOf = async (invoice: Resource, by: Merchant): Promise<Buffer> =>
  (await by.get(`/v2/invoices/${invoice.id}/pdf`)).bytes;

describe('a logo', () => {
  it.each([
    { type: 'image/png', file: png(), width: 60, height: 20 },
    { type: 'image/svg+xml', file: Buffer.from(svg()), width: 120, height: 40 },
    { type: 'image/svg+xml; charset=utf-8', file: Buffer.from(svg()), width: 120, height: 40 },
  ])('as $type is kept, shown and deleted', async ({ type, file, width, height }) => {
    const contentType = type.split(';')[0] as string;
    expect(await put(type, file)).toMatchObject({
      status: 200,
      body: { object: 'organizationLogo', organizationId: merchant.id, contentType, width, height },
    });
    const shown = await get();
    expect({ status: shown.status, type: shown.headers['content-type'] }).toEqual({ status: 200, type: contentType });
    expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await merchant.delete(`/v0/organizations/${merchant.id}/logo`)).status).toBe(204);
    expect((await get()).status).toBe(404);
    expect((await merchant.delete(`/v0/organizations/${merchant.id}/logo`)).status).toBe(404);
  });

  it.each<{ what: string; type: string | null; file: Buffer | string; status: number }>([
    { what: 'another type', type: 'image/gif', file: 'GIF89a', status: 415 },
    { what: 'JSON', type: 'application/json', file: '{}', status: 415 },
    { what: 'no type', type: null, file: png(), status: 415 },
    { what: 'more than 256 KiB', type: 'image/png', file: Buffer.alloc(256 * 1024 + 1), status: 413 },
    { what: 'nothing', type: 'image/png', file: '', status: 400 },
    { what: 'an SVG as a PNG', type: 'image/png', file: svg(), status: 400 },
    { what: 'a script', type: 'image/svg+xml', file: svg('<script>alert(1)</script>'), status: 400 },
    { what: 'bytes that are no text', type: 'image/svg+xml', file: Buffer.from([0xff, 0xfe, 0x3c]), status: 400 },
  ])('is refused with $status: $what', async ({ type, file, status }) => {
    const answer = await put(type, file);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body.errors[0]).toMatchObject({ field: 'body' });
    expect((await get()).status).toBe(404);
  });

  it('is changed by an admin of the merchant, and seen by a viewer of it', async () => {
    const owner = await env.merchant();
    const [member, viewer, stranger] = [
      await env.userOf(owner, 'member'),
      await env.userOf(owner, 'viewer'),
      await env.merchant(),
    ];
    expect((await put('image/png', png(), { ...member, id: owner.id })).status).toBe(403);
    expect((await put('image/png', png(), stranger, owner.id)).status).toBe(403);
    expect((await put('image/png', png(), owner)).status).toBe(200);
    expect((await viewer.get(`/v0/organizations/${owner.id}/logo`)).status).toBe(200);
    expect((await stranger.get(`/v0/organizations/${owner.id}/logo`)).status).toBe(403);
    const consumer = (await shopOf(owner).customer()).consumerId;
    expect((await put('image/png', png(), owner, consumer)).status).toBe(404);
  });

  it.each([
    { type: 'image/png', file: png() },
    { type: 'image/svg+xml', file: Buffer.from(svg('<path d="M 10 10 L 30 30 Z" clip-path="url(#none)"/>')) },
  ])('as $type is drawn on documents that are made from then on', async ({ type, file }) => {
    const by = await env.merchant();
    const customer = await shopOf(by).customer();
    const before = await issued(by, customer);
    const plain = await pdfOf(before, by);
    await put(type, file, by);
    const after = await pdfOf(await issued(by, customer), by);
    const heads = [plain, after].map((pdf) => readPdf(pdf).pages[0]?.split('\n').slice(0, 3).join(' '));
    expect(heads[0]).toContain('Test merchant');
    expect(heads[1]).not.toContain('Test merchant Invoice');
    expect(after.toString('latin1')).toContain('pdfaid:part');
    expect((await pdfOf(before, by)).equals(plain)).toBe(true);
  });

  it('that cannot be drawn prevents no document', async () => {
    const by = await env.merchant();
    await put('image/svg+xml', svg('<path d="this is no path" transform="rotate("/>'), by);
    expect((await pdfOf(await issued(by), by)).subarray(0, 5).toString()).toBe('%PDF-');
  });
});
