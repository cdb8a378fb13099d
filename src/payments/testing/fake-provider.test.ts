import { describe, expect, it } from 'vitest';
import { decimal } from '../../kernel/decimal.ts';
import { ProviderAway, ProviderRefused } from '../provider/remote.ts';
import { FAKE_TOKENS, FakeProvider } from './fake-provider.ts';

const account = { merchantId: 'org_1', externalId: 'acct_1', secretKey: 'fake', webhookSecret: 'whsec' };
const request = { key: 'inv_1:1', token: FAKE_TOKENS.ok, amount: decimal('5'), currency: 'USD', invoiceId: 'inv_1' };

describe('the provider in memory', () => {
  it('charges once under one key, and finds the charge again', async () => {
    const provider = new FakeProvider();
    const first = await provider.charge(account, request);
    expect(await provider.charge(account, request)).toEqual(first);
    expect(await provider.findCharge(account, request)).toEqual(first);
    expect(provider.acceptedKeys).toEqual(['inv_1:1']);
    expect(provider.notices).toHaveLength(1);
  });

  it.each([
    { fault: 'lost before' as const, error: ProviderAway, found: 'none' },
    { fault: 'lost after' as const, error: ProviderAway, found: 'accepted' },
    { fault: 'refused' as const, error: ProviderRefused, found: 'none' },
  ])('$fault: the next call fails, and afterwards the charge is $found', async ({ fault, error, found }) => {
    const provider = new FakeProvider();
    provider.fault('charge', fault);
    await expect(provider.charge(account, request)).rejects.toBeInstanceOf(error);
    expect(await provider.findCharge(account, request)).toMatchObject({ status: found });
  });

  it('takes a notice only with the signature', () => {
    const provider = new FakeProvider();
    const now = Temporal.Instant.from('2026-03-01T00:00:00Z');
    const body = Buffer.from(JSON.stringify({ id: 'evt_1', kind: 'charge', objectReference: 'ch_1' }));
    expect(provider.readNotice(account, body, { 'fake-signature': 'whsec' }, now)).toMatchObject({ id: 'evt_1' });
    expect(provider.readNotice(account, body, { 'fake-signature': 'other' }, now)).toBeNull();
  });
});
