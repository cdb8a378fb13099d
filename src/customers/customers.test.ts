import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  type Merchant,
  openTestEnvironment,
  type TestEnvironment,
} from '../../test/support/environment.ts';
import { sql } from '../db/index.ts';

let env: TestEnvironment;
let merchant: Merchant;
let other: Merchant;
beforeAll(async () => {
  env = await openTestEnvironment();
  [merchant, other] = [await env.merchant(), await env.merchant()];
  const owner = new pg.Client({ connectionString: env.url });
  await owner.connect();
  await owner.query(
    `insert into resource (id, merchant_id) values ('plan_mine', $1), ('bm_mine', $1), ('plan_theirs', $2)`,
    [merchant.id, other.id],
  );
  await owner.end();
});
afterAll(() => env.close());

let made = 0;
const consumer = (more: object = {}) => {
  made += 1;
  return { name: `Consumer ${made}`, email: `c${made}@example.com`, address: { country: 'GR' }, ...more };
};
const create = (body: object = {}, client: Client = merchant) =>
  client.post('/v0/customers', { consumer: consumer(), ...body });
const fieldsOf = (answer: { body: { errors: { field: string }[] } }) =>
  answer.body.errors.map(({ field }) => field).toSorted();

describe('POST /v0/customers', () => {
  it('creates a customer and its consumer, and answers the customer plus customerId', async () => {
    env.setNow('2026-02-03T04:05:06Z');
    const answer = await merchant.post('/v0/customers', {
      consumer: {
        name: 'Πρόδρομος ΑΕ',
        email: 'Books@Prodromos.example',
        phone: '+30 210',
        address: { line1: 'Ερμού 1', line2: '2', city: 'Αθήνα', state: 'Αττική', zipCode: '10563', country: 'GR' },
      },
      externalId: 'crm/42 Ω',
      taxId: 'EL123456789',
      taxRates: { default: 24, plan_mine: 13, bm_mine: 6.5 },
      taxExempt: true,
      taxExemptReason: 'Exempt: international organization',
      currency: 'EUR',
      locale: 'de',
      buyerReference: '04011000-12345-34',
      notificationSettings: { renewalReminder: false },
      metadata: { tier: 'gold', seats: 12, trial: false },
    });
    expect(answer.status).toBe(201);
    const { id, consumerId } = answer.body;
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^cus_[0-9A-Za-z]{22}$/),
      object: 'customer',
      customerId: id,
      merchantId: merchant.id,
      consumerId: expect.stringMatching(/^org_[0-9A-Za-z]{22}$/),
      externalId: 'crm/42 Ω',
      taxId: 'EL123456789',
      taxIdStatus: 'invalid',
      taxIdCheckedAt: '2026-02-03T04:05:06Z',
      taxRates: { default: 24, plan_mine: 13, bm_mine: 6.5 },
      taxExempt: true,
      taxExemptReason: 'Exempt: international organization',
      validTaxAddress: { valid: true, message: '' },
      currency: 'EUR',
      locale: 'de',
      buyerReference: '04011000-12345-34',
      payerId: null,
      invoiceGrouping: null,
      organization: {
        id: consumerId,
        name: 'Πρόδρομος ΑΕ',
        address: { line1: 'Ερμού 1', line2: '2', city: 'Αθήνα', state: 'Αττική', zipCode: '10563', country: 'GR' },
        billingEmails: ['Books@Prodromos.example'],
        phone: '+30 210',
      },
      notificationSettings: { invoiceIssued: true, invoicePaid: true, renewalReminder: false },
      metadata: { tier: 'gold', seats: 12, trial: false },
      warnings: [
        { field: 'externalId', message: expect.stringContaining('Events cannot use this externalId') },
        { field: 'taxId', message: 'The number has the wrong form or wrong check digits for a VAT number in GR.' },
      ],
      createdAt: '2026-02-03T04:05:06Z',
      updatedAt: '2026-02-03T04:05:06Z',
    });
    const { customerId: _, ...customer } = answer.body;
    expect((await merchant.get(`/v0/customers/${id}`)).body).toEqual(customer);
    expect((await merchant.get(`/v0/organizations/${consumerId}`)).body.email).toBe('books@prodromos.example');
  });

  it('omits fields without a value, except the nullable taxId', async () => {
    const { body } = await create();
    expect(body).toMatchObject({ taxId: null, taxRates: {}, metadata: {} });
    for (const field of ['externalId', 'currency', 'locale', 'buyerReference']) expect(body).not.toHaveProperty(field);
    expect(body.organization).not.toHaveProperty('phone');
  });

  it('reads one number as the default rate, with every digit', async () => {
    const text = `{"consumer": ${JSON.stringify(consumer())}, "taxRates": 8.875000001}`;
    const answer = await merchant.post('/v0/customers', text);
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('"taxRates":{"default":8.875000001}');
  });

  it('keeps a country as its alpha-2 code, however it was given', async () => {
    const { status, body } = await create({ consumer: consumer({ address: { country: 'Czech Republic' } }) });
    expect([status, body.organization.address]).toEqual([201, { country: 'CZ' }]);
    expect(body.validTaxAddress).toEqual({ valid: true, message: '' });
  });

  it('makes a consumer that exists a customer by its id', async () => {
    const organization = await env.platform.post('/v0/organizations', {
      name: 'Known',
      type: 'consumer',
      merchantId: merchant.id,
      billingEmails: ['known@example.com'],
    });
    const { status, body } = await merchant.post('/v0/customers', { consumerId: organization.body.id });
    expect(status).toBe(201);
    expect(body.organization).toMatchObject({ id: organization.body.id, name: 'Known' });
    expect((await merchant.post('/v0/customers', { consumerId: organization.body.id })).status).toBe(200);
  });

  it('gives the same consumer address at two merchants two consumers', async () => {
    const shared = consumer({ email: 'shared@example.com' });
    const [mine, theirs] = [await create({ consumer: shared }), await create({ consumer: shared }, other)];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body.consumerId).not.toBe(theirs.body.consumerId);
  });

  it('lets operators create customers of the merchant that they name', async () => {
    const { status, body } = await create({ merchantId: other.id }, env.platform);
    expect(status).toBe(201);
    expect(body.merchantId).toBe(other.id);
    const without = await create({}, env.platform);
    expect(without).toMatchObject({ status: 400, body: { errors: [{ field: 'merchantId' }] } });
    expect((await create({ merchantId: 'org_nobody' }, env.platform)).status).toBe(404);
  });

  it.each([
    { body: { consumer: undefined }, fields: ['consumer'] },
    { body: { consumer: {} }, fields: ['consumer.address', 'consumer.email', 'consumer.name'] },
    { body: { consumer: { name: 'A', email: 'nobody', address: {} } }, fields: ['consumer.email'] },
    { body: { consumer: { name: 'A', email: 'a@b', address: { zip: '1' } } }, fields: ['consumer.address.zip'] },
    { body: { consumer: { name: 'A', email: 'a@b', address: {}, taxId: '1' } }, fields: ['consumer.taxId'] },
    { body: { consumer: { name: 'A', email: 'a@b', address: { country: '' } } }, fields: ['consumer.address.country'] },
    {
      body: { consumer: { name: 'A', email: 'a@b', address: { country: 'XX' } } },
      fields: ['consumer.address.country'],
    },
    { body: { consumerId: 'cus_x' }, fields: ['consumerId'] },
    { body: { externalId: '' }, fields: ['externalId'] },
    { body: { externalId: 'x'.repeat(256) }, fields: ['externalId'] },
    { body: { externalId: 'a\0' }, fields: ['externalId'] },
    { body: { externalId: 7 }, fields: ['externalId'] },
    { body: { taxRates: 101 }, fields: ['taxRates'] },
    { body: { taxRates: { standard: 20 } }, fields: ['taxRates.standard'] },
    { body: { taxRates: { default: -1 } }, fields: ['taxRates.default'] },
    { body: { currency: 'EURO' }, fields: ['currency'] },
    { body: { locale: 'de-AT' }, fields: ['locale'] },
    { body: { locale: 'EN' }, fields: ['locale'] },
    { body: { locale: 7 }, fields: ['locale'] },
    { body: { buyerReference: '' }, fields: ['buyerReference'] },
    { body: { buyerReference: 'x'.repeat(201) }, fields: ['buyerReference'] },
    { body: { notificationSettings: { spam: true } }, fields: ['notificationSettings.spam'] },
    { body: { metadata: { nested: {} } }, fields: ['metadata.nested'] },
    { body: { metadata: { ['k'.repeat(41)]: 1 } }, fields: [`metadata.${'k'.repeat(41)}`] },
    { body: { id: 'cus_mine', createdAt: '2026-01-01T00:00:00Z' }, fields: ['createdAt', 'id'] },
    { body: { merchantId: 'me' }, fields: ['merchantId'] },
  ])('400 for $body: $fields', async ({ body, fields }) => {
    const answer = await create(body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(fieldsOf(answer)).toEqual(fields);
  });

  it('400 for a consumer that is both named and described', async () => {
    const { consumerId } = (await create({ externalId: 'named-and-described' })).body;
    const answer = await create({ consumerId });
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(fieldsOf(answer)).toEqual(['consumerId']);
  });

  it('400 for text that is no JSON', async () => {
    expect(await merchant.post('/v0/customers', '{"consumer":')).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED_BODY' },
    });
  });

  it('403 for a consumerId that is no consumer of the merchant, 404 for an unknown one', async () => {
    const theirs = (await create({}, other)).body.consumerId;
    expect((await merchant.post('/v0/customers', { consumerId: theirs })).status).toBe(403);
    expect((await merchant.post('/v0/customers', { consumerId: merchant.id })).status).toBe(403);
    expect(await merchant.post('/v0/customers', { consumerId: 'org_nobody' })).toMatchObject({
      status: 404,
      body: { error: 'not_found', details: { field: 'consumerId' } },
    });
  });

  it('404 for tax rates of an unknown plan, 403 for another merchant’s', async () => {
    expect(await create({ taxRates: { default: 1, plan_nobody: 2 } })).toMatchObject({
      status: 404,
      body: { details: { field: 'taxRates.plan_nobody' } },
    });
    expect((await create({ taxRates: { plan_theirs: 2 } })).status).toBe(403);
  });

  it('403 for another merchant’s merchantId', async () => {
    expect((await create({ merchantId: other.id })).status).toBe(403);
  });
});

describe('POST /v0/customers with an externalId', () => {
  const full = () => ({
    consumer: consumer({ phone: '+49 30 1', address: { line1: 'Weg 1', country: 'Germany' } }),
    externalId: `workspace-${made}`,
    taxId: 'DE1',
    taxRates: { default: 19, plan_mine: 7 },
    currency: 'EUR',
    notificationSettings: { renewalReminder: false },
    metadata: { tier: 'gold', seats: 3 },
  });

  it('answers a known one with the same content with its customer: 200', async () => {
    const body = full();
    const first = await merchant.post('/v0/customers', body);
    const again = await merchant.post('/v0/customers', {
      ...body,
      consumer: { ...body.consumer, email: body.consumer.email.toUpperCase(), address: { country: 'DEU' } },
      taxRates: { plan_mine: 7, default: 19.0 },
    });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual(first.body);
  });

  it('takes fields that were not sent, and null, for no contradiction', async () => {
    const body = full();
    const { id } = (await merchant.post('/v0/customers', body)).body;
    const { name, email } = body.consumer as { name: string; email: string };
    const short = { consumer: { name, email, address: {}, phone: null }, externalId: body.externalId, taxId: null };
    expect(await merchant.post('/v0/customers', short)).toMatchObject({ status: 200, body: { id } });
  });

  it.each([
    { change: { consumer: { name: 'Other' } }, differing: ['consumer.name'] },
    { change: { consumer: { email: 'other@example.com' } }, differing: ['consumer.email'] },
    { change: { consumer: { phone: '2' } }, differing: ['consumer.phone'] },
    {
      change: { consumer: { address: { city: 'Bonn', country: 'FR' } } },
      differing: ['consumer.address.city', 'consumer.address.country'],
    },
    { change: { taxId: 'DE2' }, differing: ['taxId'] },
    { change: { taxRates: 19 }, differing: ['taxRates'] },
    { change: { currency: 'USD' }, differing: ['currency'] },
    { change: { locale: 'fr' }, differing: ['locale'] },
    { change: { buyerReference: 'B' }, differing: ['buyerReference'] },
    { change: { notificationSettings: { invoicePaid: false } }, differing: ['notificationSettings'] },
    { change: { metadata: { tier: 'gold' } }, differing: ['metadata'] },
  ])('409 EXTERNAL_ID_TAKEN for $change, and nothing is changed', async ({ change, differing }) => {
    const body = full();
    const first = (await merchant.post('/v0/customers', body)).body;
    const other = { ...body, ...change, consumer: { ...body.consumer, ...change.consumer } };
    const refused = await merchant.post('/v0/customers', other);
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict', code: 'EXTERNAL_ID_TAKEN' } });
    expect(refused.body.details).toEqual({ externalId: body.externalId, customerId: first.id, differing });
    const { customerId: _, ...customer } = first;
    expect((await merchant.get(`/v0/customers/${first.id}`)).body).toEqual(customer);
  });

  it('makes a new customer of an unknown one, whatever its e-mail address', async () => {
    const agency = { email: 'ap@agency.example' };
    const one = await create({ consumer: consumer(agency), externalId: 'agency-1' });
    const two = await create({ consumer: consumer(agency), externalId: 'agency-2' });
    const without = await create({ consumer: { ...consumer(agency), name: one.body.organization.name } });
    expect([one.status, two.status, without.status]).toEqual([201, 201, 200]);
    expect(new Set([one.body.id, two.body.id]).size).toBe(2);
    expect(one.body.consumerId).not.toBe(two.body.consumerId);
    expect(without.body.id).toBe(one.body.id);
    expect((await merchant.get('/v0/customers?externalId=agency-2')).body.data).toMatchObject([{ id: two.body.id }]);
  });

  it('makes a new customer also where the address finds one without an externalId', async () => {
    const person = consumer({ email: 'plain@example.com' });
    const plain = await create({ consumer: person });
    const named = await create({ consumer: person, externalId: 'plain-1' });
    expect([plain.status, named.status]).toEqual([201, 201]);
    expect(named.body.id).not.toBe(plain.body.id);
    expect((await create({ consumer: person })).body.id).toBe(plain.body.id);
  });

  it('counts within the merchant, and to the letter; what was refused leaves nothing behind', async () => {
    const first = await create({ externalId: 'taken' });
    const refused = await create({ consumer: consumer({ email: 'half@example.com' }), externalId: 'taken' });
    expect(refused).toMatchObject({ status: 409, body: { details: { customerId: first.body.id } } });
    expect((await merchant.get('/v0/organizations?email=half@example.com')).body.data).toEqual([]);
    expect((await create({ externalId: 'taken' }, other)).status).toBe(201);
    expect((await create({ externalId: 'Taken' })).status).toBe(201);
  });

  it('with a consumerId means the customer of both; another externalId of the consumer is 409 CUSTOMER_EXISTS', async () => {
    const { id, consumerId } = (await create({ externalId: 'both' })).body;
    expect(await merchant.post('/v0/customers', { consumerId, externalId: 'both' })).toMatchObject({
      status: 200,
      body: { id },
    });
    const second = await merchant.post('/v0/customers', { consumerId, externalId: 'second' });
    expect(second).toMatchObject({ status: 409, body: { code: 'CUSTOMER_EXISTS' } });
    expect(second.body.details).toEqual({ customerId: id, externalId: 'both', differing: ['externalId'] });
    const elsewhere = (await create()).body.consumerId;
    expect(await merchant.post('/v0/customers', { consumerId: elsewhere, externalId: 'both' })).toMatchObject({
      status: 409,
      body: { code: 'EXTERNAL_ID_TAKEN', details: { differing: ['consumerId'] } },
    });
  });

  it('is free again after PATCH and DELETE', async () => {
    const body = full();
    const first = (await merchant.post('/v0/customers', body)).body;
    await merchant.patch(`/v0/customers/${first.id}`, { externalId: null });
    const second = await merchant.post('/v0/customers', body);
    await merchant.delete(`/v0/customers/${second.body.id}`);
    const third = await merchant.post('/v0/customers', body);
    expect([second.status, third.status]).toEqual([201, 201]);
    expect(new Set([first.id, second.body.id, third.body.id]).size).toBe(3);
  });
});

describe('POST /v0/customers without an externalId', () => {
  it('finds the customer again by its e-mail address in any case: 200, and nothing is changed', async () => {
    const person = consumer({ email: 'again@example.com', address: { city: 'Aachen', country: 'DE' } });
    const first = await create({ consumer: person, taxId: 'T1' });
    const second = await create({
      consumer: { ...person, email: 'AGAIN@example.com', address: { country: 'Germany' } },
      metadata: { new: true },
    });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.body).toEqual(first.body);
  });

  it.each([
    { change: { name: 'Other name' }, differing: ['consumer.name'] },
    { change: { address: { country: 'FR' } }, differing: ['consumer.address.country'] },
    { change: { address: { line1: 'New street 1' } }, differing: ['consumer.address.line1'] },
  ])('409 CUSTOMER_EXISTS with its id for $change', async ({ change, differing }) => {
    const person = consumer();
    const first = await create({ consumer: person });
    const refused = await create({ consumer: { ...person, ...change } });
    expect(refused).toMatchObject({ status: 409, body: { error: 'conflict', code: 'CUSTOMER_EXISTS' } });
    expect(refused.body.details).toEqual({ customerId: first.body.id, differing });
    expect((await merchant.get(`/v0/customers/${first.body.id}`)).body.organization).toEqual(first.body.organization);
  });

  it('of several customers finds one without an externalId before the others, and one that agrees before all', async () => {
    const email = 'several@example.com';
    const make = (name: string, externalId?: string) =>
      create({ consumer: { name, email, address: {} }, ...(externalId && { externalId }) });
    const [red, blue] = [await make('Red', 'red'), await make('Blue', 'blue')];
    expect(await make('Blue')).toMatchObject({ status: 200, body: { id: blue.body.id } });
    expect(await make('Green')).toMatchObject({ status: 409, body: { details: { customerId: red.body.id } } });
    await merchant.patch(`/v0/customers/${blue.body.id}`, { externalId: null });
    expect(await make('Green')).toMatchObject({ status: 409, body: { details: { customerId: blue.body.id } } });
    expect(await make('Red')).toMatchObject({ status: 200, body: { id: red.body.id } });
  });

  it('creates a deleted customer again, with the new data', async () => {
    const person = consumer({ address: { city: 'Rome', country: 'IT' } });
    const first = await create({ consumer: person });
    await merchant.delete(`/v0/customers/${first.body.id}`);
    const moved = { ...person, name: 'New name', address: { city: 'Milan', country: 'IT' } };
    const second = await create({ consumer: moved });
    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect(second.body.organization).toMatchObject({ name: 'New name', address: moved.address });
  });

  it('makes an unused consumer a customer, with the sent data', async () => {
    const { body: organization } = await env.platform.post('/v0/organizations', {
      name: 'Waiting',
      type: 'consumer',
      merchantId: merchant.id,
      billingEmails: ['Waiting@example.com'],
    });
    const made = await create({ consumer: consumer({ name: 'Come', email: 'waiting@example.com' }) });
    expect(made).toMatchObject({ status: 201, body: { consumerId: organization.id, organization: { name: 'Come' } } });
  });
});

describe('many creations at once', () => {
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted();

  it('of one consumer make one customer: one 201, the others 200', async () => {
    const twin = consumer({ email: 'twins@example.com' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ consumer: twin })));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('of one address with other names make one customer: one 201, the others 409 with its id', async () => {
    const twin = consumer({ email: 'names@example.com' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create({ consumer: { ...twin, name: `Twin ${n}` } })),
    );
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect(new Set(answers.map(({ body }) => body.id ?? body.details.customerId)).size).toBe(1);
  });

  it('of one externalId with the same content make one customer: one 201, the others 200', async () => {
    const twin = consumer({ email: 'same@example.com' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ consumer: twin, externalId: 'same' })));
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect((await merchant.get('/v0/organizations?email=same@example.com')).body.pagination.total).toBe(1);
  });

  it('of one address with an externalId each make a customer each', async () => {
    const twin = consumer({ email: 'many@example.com' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create({ consumer: twin, externalId: `many-${n}` })),
    );
    expect(statuses(answers)).toEqual(Array.from({ length: 8 }, () => 201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(8);
  });

  it('of one externalId for several consumers give it to one: one 201, the others 409', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ externalId: 'wanted' })));
    expect(statuses(answers)).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect((await merchant.get('/v0/customers?externalId=wanted')).body.pagination.total).toBe(1);
  });

  it('with one Idempotency-Key make one customer and one answer', async () => {
    const body = { consumer: consumer() };
    const send = () => merchant.post('/v0/customers', body, { 'idempotency-key': 'customer-once' });
    const answers = await Promise.all([send(), send(), send()]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

describe('GET /v0/customers', () => {
  let mine: Merchant;
  let ids: string[];
  beforeAll(async () => {
    mine = await env.merchant();
    const people = [
      { name: 'Alpha_Beta GmbH', email: 'office@alpha.example' },
      { name: 'AlphaXBeta Ltd', email: 'hello@beta.example' },
      { name: '100% Gamma\\Delta', email: 'Gamma@example.com' },
    ];
    ids = [];
    for (const [n, person] of people.entries()) {
      const answer = await mine.post('/v0/customers', { consumer: consumer(person), externalId: `list-${n}` });
      ids.push(answer.body.id);
    }
  });
  const found = async (query: string, client: Client = mine) =>
    (await client.get(`/v0/customers?${query}`)).body.data.map(({ id }: { id: string }) => ids.indexOf(id));

  it('lists newest first, in pages', async () => {
    const { status, body } = await mine.get('/v0/customers?limit=2&offset=1');
    expect(status).toBe(200);
    expect(body).toMatchObject({ object: 'list', pagination: { limit: 2, offset: 1, total: 3 } });
    expect(body.data.map(({ id }: { id: string }) => ids.indexOf(id))).toEqual([1, 0]);
    expect((await mine.get('/v0/customers')).body.pagination).toEqual({
      limit: 10,
      offset: 0,
      total: 3,
      nextAfter: null,
    });
  });

  it.each([
    { query: 'name=alpha', indexes: [1, 0] },
    { query: 'name=a_b', indexes: [0] }, // `_` has no special meaning
    { query: 'name=100%25', indexes: [2] },
    { query: 'name=%25%25%25', indexes: [] }, // and so does `%`
    { query: 'name=a%5CD', indexes: [2] }, // and `\`
    { query: "name=' or 1=1", indexes: [] },
    { query: 'email=GAMMA@', indexes: [2] },
    { query: 'email=example', indexes: [2, 1, 0] },
    { query: 'name=beta&email=office', indexes: [0] },
    { query: 'externalId=list-1', indexes: [1] },
    { query: 'externalId=list', indexes: [] },
  ])('?$query finds $indexes', async ({ query, indexes }) => {
    expect(await found(query)).toEqual(indexes);
  });

  it('finds by the organization behind the customer; the merchant’s own stands for all', async () => {
    const { body } = await mine.get(`/v0/customers/${ids[1]}`);
    expect(await found(`organizationId=${body.consumerId}`)).toEqual([1]);
    expect(await found(`organizationId=${mine.id}`)).toEqual([2, 1, 0]);
  });

  it('also finds by a billing address that was added later', async () => {
    const { body } = await mine.get(`/v0/customers/${ids[0]}`);
    await mine.patch(`/v0/organizations/${body.consumerId}`, { billingEmails: ['books@later.example'] });
    expect(await found('email=later.ex')).toEqual([0]);
    expect(await found('email=office@alpha')).toEqual([0]);
  });

  it('shows operators the customers of all merchants, or of one', async () => {
    expect(await found(`merchantId=${mine.id}`, env.platform)).toEqual([2, 1, 0]);
    expect(await found('name=alphaXb', env.platform)).toEqual([1]);
    expect((await env.platform.get('/v0/customers')).body.pagination.total).toBeGreaterThan(10);
  });

  it.each(['name=ab', 'email=ab', 'limit=0', 'limit=101', 'offset=-1', 'externalId=', 'organizationId=x', 'phone=1'])(
    '400 for ?%s',
    async (query) => {
      const answer = await mine.get(`/v0/customers?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: query.split('=')[0] }] } });
    },
  );

  it('403 for another merchant’s, 404 for an unknown organization', async () => {
    const { body } = await mine.get(`/v0/customers/${ids[1]}`);
    expect((await other.get(`/v0/customers?merchantId=${mine.id}`)).status).toBe(403);
    expect((await other.get(`/v0/customers?organizationId=${body.consumerId}`)).status).toBe(403);
    expect((await other.get('/v0/customers?organizationId=org_nobody')).status).toBe(404);
    expect(await found('externalId=list-1', other)).toEqual([]);
  });
});

describe('GET /v0/customers/{id}', () => {
  it('shows the organization as it is now', async () => {
    const { body } = await create();
    await merchant.patch(`/v0/organizations/${body.consumerId}`, { name: 'Renamed', address: null });
    const shown = (await merchant.get(`/v0/customers/${body.id}`)).body;
    expect(shown.organization.name).toBe('Renamed');
    expect(shown.organization).not.toHaveProperty('address');
  });

  it('says what the address lacks for tax', async () => {
    const { body } = await create({ consumer: consumer({ address: {} }) });
    expect(body.validTaxAddress).toEqual({ valid: false, message: 'The address has no country.' });
    await merchant.patch(`/v0/organizations/${body.consumerId}`, { address: { country: 'USA' } });
    const { validTaxAddress } = (await merchant.get(`/v0/customers/${body.id}`)).body;
    expect(validTaxAddress).toEqual({ valid: false, message: expect.stringContaining('zipCode') });
  });

  it('403 for another merchant’s, 404 for an unknown or malformed id', async () => {
    const { body } = await create();
    expect((await other.get(`/v0/customers/${body.id}`)).status).toBe(403);
    expect((await env.platform.get(`/v0/customers/${body.id}`)).status).toBe(200);
    expect((await merchant.get('/v0/customers/cus_nobody')).status).toBe(404);
    expect((await merchant.get(`/v0/customers/${merchant.id}`)).status).toBe(404);
    expect((await merchant.get(`/v0/customers/${body.id}?expand=all`)).status).toBe(400);
  });
});

describe('PATCH /v0/customers/{id}', () => {
  it('changes what is sent, clears what is null, replaces maps whole, and leaves the rest', async () => {
    const { body } = await create({
      externalId: 'patch-me',
      taxId: 'T1',
      taxRates: { default: 1, plan_mine: 2 },
      currency: 'EUR',
      locale: 'es',
      metadata: { a: 1, b: 2 },
    });
    env.setNow('2026-03-01T00:00:00Z');
    const path = `/v0/customers/${body.id}`;
    const first = await merchant.patch(path, { taxId: null, taxRates: { bm_mine: 3 }, metadata: { c: 'x' } });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({
      externalId: 'patch-me',
      currency: 'EUR',
      locale: 'es',
      updatedAt: '2026-03-01T00:00:00Z',
    });
    expect(first.body).toMatchObject({ taxId: null, createdAt: body.createdAt });
    expect([first.body.taxRates, first.body.metadata]).toEqual([{ bm_mine: 3 }, { c: 'x' }]);

    const second = await merchant.patch(path, { externalId: null, currency: null, locale: null, taxRates: 5 });
    expect(second.body).not.toHaveProperty('externalId');
    expect(second.body).not.toHaveProperty('currency');
    expect(second.body).not.toHaveProperty('locale');
    expect(second.body.taxRates).toEqual({ default: 5 });
    expect((await merchant.get(path)).body).toEqual(second.body);
  });

  it('joins the invoices of a customer and leaves them apart again; another word is a 400 with its field', async () => {
    const { body } = await create({ invoiceGrouping: 'customer' });
    expect(body.invoiceGrouping).toBe('customer');
    const path = `/v0/customers/${body.id}`;
    expect((await merchant.patch(path, { invoiceGrouping: null })).body.invoiceGrouping).toBeNull();
    expect((await merchant.patch(path, { invoiceGrouping: 'customer' })).body.invoiceGrouping).toBe('customer');
    const refused = await merchant.patch(path, { invoiceGrouping: 'subscription' });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('invoiceGrouping');
    expect((await merchant.get(path)).body.invoiceGrouping).toBe('customer');
  });

  it('turns notifications on and off one by one', async () => {
    const { body } = await create();
    const path = `/v0/customers/${body.id}`;
    await merchant.patch(path, { notificationSettings: { invoicePaid: false } });
    const { body: changed } = await merchant.patch(path, { notificationSettings: { invoiceIssued: false } });
    expect(changed.notificationSettings).toEqual({ invoiceIssued: false, invoicePaid: false, renewalReminder: true });
  });

  it('409 for another’s externalId, which changes nothing; one’s own is no conflict', async () => {
    await create({ externalId: 'theirs' });
    const { body } = await create({ externalId: 'own', taxId: 'before' });
    const path = `/v0/customers/${body.id}`;
    const refused = await merchant.patch(path, { externalId: 'theirs', taxId: 'after' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'EXTERNAL_ID_TAKEN' } });
    expect((await merchant.get(path)).body).toMatchObject({ externalId: 'own', taxId: 'before' });
    expect((await merchant.patch(path, { externalId: 'own' })).status).toBe(200);
  });

  it('lets one of many win an externalId that is free', async () => {
    const customers = await Promise.all(Array.from({ length: 6 }, () => create()));
    const answers = await Promise.all(
      customers.map(({ body }) => merchant.patch(`/v0/customers/${body.id}`, { externalId: 'free' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it.each([
    { body: { taxRates: 'none' }, field: 'taxRates' },
    { body: { taxRates: { default: 100.5 } }, field: 'taxRates.default' },
    { body: { metadata: 'none' }, field: 'metadata' },
    { body: { externalId: '' }, field: 'externalId' },
    { body: { notificationSettings: { invoicePaid: 'no' } }, field: 'notificationSettings.invoicePaid' },
    { body: { consumerId: 'org_x' }, field: 'consumerId' },
    { body: { merchantId: 'org_x' }, field: 'merchantId' },
    { body: { organization: { name: 'X' } }, field: 'organization' },
  ])('400 for $body', async ({ body, field }) => {
    const customer = await create();
    const answer = await merchant.patch(`/v0/customers/${customer.body.id}`, body);
    expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error' } });
    expect(fieldsOf(answer)).toEqual([field]);
  });

  it('404 for tax rates of an unknown metric, 403 for another merchant’s plan; nothing is changed', async () => {
    const { body } = await create({ taxRates: 1 });
    const path = `/v0/customers/${body.id}`;
    expect(await merchant.patch(path, { taxRates: { bm_nobody: 1 } })).toMatchObject({
      status: 404,
      body: { details: { field: 'taxRates.bm_nobody' } },
    });
    expect((await merchant.patch(path, { taxRates: { plan_theirs: 1 } })).status).toBe(403);
    expect((await merchant.get(path)).body.taxRates).toEqual({ default: 1 });
  });

  it('403 for another merchant’s customer, 404 for an unknown one', async () => {
    const { body } = await create({ taxId: 'untouched' });
    expect((await other.patch(`/v0/customers/${body.id}`, { taxId: 'X' })).status).toBe(403);
    expect((await merchant.get(`/v0/customers/${body.id}`)).body.taxId).toBe('untouched');
    expect((await merchant.patch('/v0/customers/cus_nobody', { taxId: 'X' })).status).toBe(404);
  });
});

describe('DELETE /v0/customers/{id}', () => {
  it('204, and the customer is out of sight: 404 to every operation, and no longer listed', async () => {
    const { body } = await create({ externalId: 'deleted' });
    const path = `/v0/customers/${body.id}`;
    expect(await merchant.delete(path)).toMatchObject({ status: 204, text: '' });
    expect((await merchant.get(path)).status).toBe(404);
    expect((await merchant.patch(path, { taxId: 'X' })).status).toBe(404);
    expect((await merchant.delete(path)).status).toBe(404);
    expect((await merchant.get('/v0/customers?externalId=deleted')).body.data).toEqual([]);
  });

  it('frees the consumer for a new customer', async () => {
    const person = consumer();
    const { body } = await create({ consumer: person });
    await merchant.delete(`/v0/customers/${body.id}`);
    const again = await create({ consumer: person });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(body.id);
    expect(again.body.consumerId).toBe(body.consumerId);
  });

  it('403 for another merchant’s, 404 for an unknown one, 400 for a body', async () => {
    const { body } = await create();
    expect((await other.delete(`/v0/customers/${body.id}`)).status).toBe(403);
    expect((await merchant.delete('/v0/customers/cus_nobody')).status).toBe(404);
    expect((await merchant.delete(`/v0/customers/${body.id}`, { force: true })).status).toBe(400);
    expect((await merchant.get(`/v0/customers/${body.id}`)).status).toBe(200);
  });
});

describe('roles', () => {
  it.each([
    { role: 'none', post: 401, list: 401, get: 401, patch: 401, remove: 401 },
    { role: 'viewer', post: 403, list: 200, get: 200, patch: 403, remove: 403 },
    { role: 'member', post: 201, list: 200, get: 200, patch: 200, remove: 204 },
    { role: 'admin', post: 201, list: 200, get: 200, patch: 200, remove: 204 },
    { role: 'operator', post: 201, list: 200, get: 200, patch: 200, remove: 204 },
    { role: 'foreign', post: 403, list: 403, get: 403, patch: 403, remove: 403 },
  ] as const)('$role', async ({ role, ...expected }) => {
    const clients: Record<string, () => Client | Promise<Client>> = {
      none: () => env.client(),
      operator: () => env.platform,
      foreign: () => other,
    };
    const client = await (clients[role] ?? (() => env.userOf(merchant, role as 'admin')))();
    const path = `/v0/customers/${(await create()).body.id}`;
    expect({
      post: (await create({ merchantId: merchant.id }, client)).status,
      list: (await client.get(`/v0/customers?merchantId=${merchant.id}`)).status,
      get: (await client.get(path)).status,
      patch: (await client.patch(path, { taxId: '1' })).status,
      remove: (await client.delete(path)).status,
    }).toEqual(expected);
  });
});

describe('customer.created.v0', () => {
  it('is in the outbox once for a customer that was made, and never for one that was found or refused', async () => {
    const mine = await env.merchant();
    const person = consumer();
    const { body } = await create({ consumer: person, externalId: 'x' }, mine);
    await create({ consumer: person }, mine);
    await create({ externalId: 'x' }, mine);
    const events = await env.database.transaction({ merchants: [mine.id] }, (tx) =>
      tx.rows<{ id: string; type: string; data: unknown }>(sql`select id, type, data from outbox`),
    );
    expect(events).toEqual([
      {
        id: expect.stringMatching(/^wev_/),
        type: 'customer.created.v0',
        data: { merchantId: mine.id, customerId: body.id, consumerId: body.consumerId, sequence: 1 },
      },
    ]);
  });
});
