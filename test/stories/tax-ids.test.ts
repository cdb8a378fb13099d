import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/index.ts';
import { type Merchant, openTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { openVies, type Vies } from '../support/vies.ts';

/** Tax ids through HTTP, against a register with the answers of each test. */
let vies: Vies;
let env: TestEnvironment;
let merchant: Merchant;
beforeAll(async () => {
  vies = await openVies();
  env = await openTestEnvironment({ viesUrl: vies.url });
  merchant = await env.merchant();
});
afterAll(async () => {
  await env.close();
  vies.close();
});

let made = 0;
async function customer(taxId: string | null, country = 'DE') {
  made += 1;
  const consumer = { name: `Buyer ${made}`, email: `buyer${made}@example.com`, address: { country } };
  const answer = await merchant.post('/v0/customers', { consumer, taxId });
  expect(answer.status).toBe(201);
  return answer.body;
}
const read = async (id: string) => (await merchant.get(`/v0/customers/${id}`)).body;

describe('a tax id of a customer', () => {
  it('is unchecked until the register has answered, and valid then, with the time', async () => {
    env.setNow('2026-01-01T00:00:00Z');
    vies.tell('DE136695976', 'valid');
    const { id, taxIdStatus, taxIdCheckedAt } = await customer('DE 136 695 976');
    expect({ taxIdStatus, taxIdCheckedAt }).toEqual({ taxIdStatus: 'unchecked' });
    expect(vies.asked).toEqual([]); // no query inside the request
    await env.runDueWork();
    expect(vies.asked).toEqual(['DE136695976']);
    const after = await read(id);
    expect(after).toMatchObject({ taxIdStatus: 'valid', taxIdCheckedAt: '2026-01-01T00:00:00Z' });
    expect(after).not.toHaveProperty('warnings');
  });

  it('that the register does not know is invalid, and says so', async () => {
    vies.tell('ATU13585627', 'invalid');
    const { id } = await customer('ATU13585627', 'AT');
    await env.runDueWork();
    expect(await read(id)).toMatchObject({
      taxIdStatus: 'invalid',
      warnings: [{ field: 'taxId', message: expect.stringContaining('does not know the number') }],
    });
  });

  it('with wrong check digits is taken, and answered as invalid at once', async () => {
    env.setNow('2026-01-02T00:00:00Z');
    expect(await customer('DE136695975')).toMatchObject({
      taxId: 'DE136695975',
      taxIdStatus: 'invalid',
      taxIdCheckedAt: '2026-01-02T00:00:00Z',
      warnings: [{ field: 'taxId', message: expect.stringContaining('check digits') }],
    });
  });

  it('with wrong check digits is valid where the register knows it all the same', async () => {
    vies.tell('FR40303265046', 'valid');
    const { id, taxIdStatus } = await customer('FR40303265046', 'FR');
    expect(taxIdStatus).toBe('invalid');
    await env.runDueWork();
    expect((await read(id)).taxIdStatus).toBe('valid');
  });

  it.each(['down', 'garbage', 'silent'] as const)(
    'stays unchecked while the register is %s, and is asked about again',
    async (behavior) => {
      env.setNow('2026-01-03T00:00:00Z');
      const number = { down: 'IE6433435F', garbage: 'SI50223054', silent: 'LU15027442' }[behavior];
      vies.tell(number, behavior);
      const { id } = await customer(number, number.slice(0, 2));
      const calls = () => vies.asked.filter((each) => each === number).length;
      await env.runDueWork();
      expect([calls(), (await read(id)).taxIdStatus]).toEqual([1, 'unchecked']);
      env.setNow('2026-01-03T00:00:59Z');
      await env.runDueWork();
      expect(calls()).toBe(1);
      env.setNow('2026-01-03T00:01:00Z');
      await env.runDueWork();
      expect(calls()).toBe(2);
      vies.tell(number, 'valid');
      env.setNow('2026-01-03T00:06:00Z');
      await env.runDueWork();
      expect(calls()).toBe(3);
      expect(await read(id)).toMatchObject({ taxIdStatus: 'valid', taxIdCheckedAt: '2026-01-03T00:06:00Z' });
    },
  );

  it('that was valid is asked about after 90 days, and stays valid while the register is down', async () => {
    env.setNow('2026-02-01T00:00:00Z');
    vies.tell('NL004495445B01', 'valid');
    const { id } = await customer('NL004495445B01', 'NL');
    await env.runDueWork();
    const calls = () => vies.asked.filter((each) => each === 'NL004495445B01').length;
    env.setNow('2026-05-01T00:00:00Z'); // 89 days
    await env.runDueWork();
    expect(calls()).toBe(1);
    vies.tell('NL004495445B01', 'down');
    env.setNow('2026-05-02T00:00:00Z');
    await env.runDueWork();
    expect(calls()).toBe(2);
    expect(await read(id)).toMatchObject({ taxIdStatus: 'valid', taxIdCheckedAt: '2026-02-01T00:00:00Z' });
    vies.tell('NL004495445B01', 'invalid');
    env.setNow('2026-05-02T00:01:00Z');
    await env.runDueWork();
    expect(await read(id)).toMatchObject({ taxIdStatus: 'invalid', taxIdCheckedAt: '2026-05-02T00:01:00Z' });
  });

  it('is checked again when it or the country of the address changes, and is forgotten with the id', async () => {
    env.setNow('2026-06-01T00:00:00Z');
    vies.tell('DK13585628', 'valid');
    const { id, consumerId } = await customer('DK13585628', 'DK');
    await env.runDueWork();
    expect((await read(id)).taxIdStatus).toBe('valid');
    await merchant.patch(`/v0/organizations/${consumerId}`, { address: { country: 'SE' } });
    expect((await read(id)).taxIdStatus).toBe('unchecked'); // a Danish number proves nothing about a business in Sweden
    await merchant.patch(`/v0/organizations/${consumerId}`, { address: { country: 'DK' } });
    await env.runDueWork();
    expect((await read(id)).taxIdStatus).toBe('valid');
    await merchant.patch(`/v0/customers/${id}`, { taxId: 'DK13585629' });
    expect((await read(id)).taxIdStatus).toBe('invalid');
    const without = (await merchant.patch(`/v0/customers/${id}`, { taxId: null })).body;
    expect(without).not.toHaveProperty('taxIdStatus');
    expect(without).not.toHaveProperty('taxIdCheckedAt');
  });

  it('of the organization counts where the merchant knows no other', async () => {
    vies.tell('FI20774740', 'valid');
    const { id, consumerId } = await customer(null, 'FI');
    expect(await read(id)).not.toHaveProperty('taxIdStatus');
    await merchant.patch(`/v0/organizations/${consumerId}`, { taxId: 'FI20774740' });
    await env.runDueWork();
    expect(await read(id)).toMatchObject({ taxId: null, taxIdStatus: 'valid' });
  });

  it.each([
    { taxId: '12-3456789', country: 'US' },
    { taxId: 'any text', country: 'DE' },
    { taxId: '136695976', country: 'DE' },
  ])('that no register knows stays unchecked: $taxId', async ({ taxId, country }) => {
    const before = vies.asked.length;
    const { id } = await customer(taxId, country);
    await env.runDueWork();
    expect(vies.asked).toHaveLength(before);
    expect((await read(id)).taxIdStatus).toBe('unchecked');
  });

  it('that was there before ids were checked is checked once', async () => {
    env.setNow('2026-07-01T00:00:00Z');
    vies.tell('BE0428759497', 'valid');
    const [known, other] = [await customer('BE0428759497', 'BE'), await customer('12-3456789', 'US')];
    await env.database.transaction({ merchants: [merchant.id] }, (tx) =>
      tx.run(sql`
        update tax_id_check
           set tax_id = null, country = null, status = 'unchecked', next_action_at = '2026-07-01T00:00:00Z'
         where merchant_id = ${merchant.id} and id = any (${[known.id, other.id]}::text[])`),
    );
    await env.runDueWork();
    expect((await read(known.id)).taxIdStatus).toBe('valid');
    expect((await read(other.id)).taxIdStatus).toBe('unchecked');
  });

  it('is asked about once by two that set it at the same time', async () => {
    env.setNow('2026-07-02T00:00:00Z');
    vies.tell('HU12892312', 'valid');
    const { id } = await customer(null, 'HU');
    const answers = await Promise.all([1, 2].map(() => merchant.patch(`/v0/customers/${id}`, { taxId: 'HU12892312' })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await env.runDueWork();
    expect(vies.asked.filter((number) => number === 'HU12892312')).toHaveLength(1);
  });

  it('is asked about no more when its customer is deleted', async () => {
    const { id } = await customer('PL8567346215', 'PL');
    expect((await merchant.delete(`/v0/customers/${id}`)).status).toBe(204);
    await env.runDueWork();
    expect(vies.asked).not.toContain('PL8567346215');
  });
});

describe('settings.taxRegistrations', () => {
  const set = (taxRegistrations: unknown) =>
    merchant.patch(`/v0/organizations/${merchant.id}`, { settings: { taxRegistrations } });
  const germany = { country: 'Germany', taxId: 'DE136695976', from: '2025-01-01' };

  it('are answered as they were set, with their defaults, until they are replaced', async () => {
    const answer = await set([germany, { ...germany, scheme: 'oss', to: '2026-07-01' }]);
    expect(answer.status).toBe(200);
    expect(answer.body.settings.taxRegistrations).toEqual([
      { country: 'DE', taxId: 'DE136695976', scheme: 'standard', from: '2025-01-01', to: null },
      { country: 'DE', taxId: 'DE136695976', scheme: 'oss', from: '2025-01-01', to: '2026-07-01' },
    ]);
    expect((await set(null)).body.settings.taxRegistrations).toEqual([]);
  });

  it.each([
    { given: [{ ...germany, country: 'Atlantis' }], fields: ['settings.taxRegistrations.0.country'] },
    { given: [{ ...germany, country: 'US' }], fields: ['settings.taxRegistrations.0.country'] },
    { given: [{ ...germany, taxId: 'DE136695975' }], fields: ['settings.taxRegistrations.0.taxId'] },
    { given: [germany, germany], fields: ['settings.taxRegistrations.1.country'] },
    { given: [{ ...germany, from: '2025-02-30' }], fields: ['settings.taxRegistrations.0.from'] },
    { given: [{ ...germany, from: 'today' }], fields: ['settings.taxRegistrations.0.from'] },
    { given: [{ ...germany, scheme: 'moss' }], fields: ['settings.taxRegistrations.0.scheme'] },
    { given: [{ country: 'DE', from: '2025-01-01' }], fields: ['settings.taxRegistrations.0.taxId'] },
  ])('refuse $fields', async ({ given, fields }) => {
    const answer = await set(given);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});
