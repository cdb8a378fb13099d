import { describe, expect, it } from 'vitest';
import { validate } from '../http/index.ts';
import { decimal } from '../kernel/decimal.ts';
import { changedSettings, checkSettings, publicSettings, SettingsInput, settingsWithDefaults } from './settings.ts';

const NOT_CONNECTED = { isConnected: false, taxProblem: null };

const defaults = {
  defaultTaxRate: null,
  taxProvider: 'internal',
  invoicePrefix: 'INV',
  requiredApprovals: { invoice: [], order: [] },
  dunning: { retryAfterDays: [2, 5, 7, 7], finally: 'keep' },
  paymentProvider: 'sandbox',
  lateUsageDays: 35,
  rateLimits: null,
  redirectHosts: [],
  mail: { attachDocuments: true, zeroInvoices: false, portalLinks: true },
  branding: { color: null, footer: null },
  bankTransfer: null,
  portal: { planChange: null, quantities: false, cancellation: 'none' },
  taxRegistrations: [],
  invoiceNotes: { exempt: null, reverseCharge: null, outside: null },
};

describe('defaults (api.md, Identity)', () => {
  it('fill in whatever a merchant has not set', () => {
    expect(settingsWithDefaults({}, 'sandbox')).toEqual(defaults);
  });

  it('take no payments in production until a provider is chosen', () => {
    expect(settingsWithDefaults({}, 'production').paymentProvider).toBe('none');
    expect(settingsWithDefaults({ paymentProvider: 'stripe' }, 'production').paymentProvider).toBe('stripe');
  });

  it('also fill in the rest of a part that was set', () => {
    const settings = settingsWithDefaults(
      { dunning: { finally: 'write_off' }, requiredApprovals: { order: ['push'] }, branding: { color: '#aabbcc' } },
      'sandbox',
    );
    expect(settings.dunning).toEqual({ retryAfterDays: [2, 5, 7, 7], finally: 'write_off' });
    expect(settings.requiredApprovals).toEqual({ invoice: [], order: ['push'] });
    expect(settings.branding).toEqual({ color: '#aabbcc', footer: null });
  });

  it('fill in the other of two that were set for mail', () =>
    expect(settingsWithDefaults({ mail: { zeroInvoices: true } }, 'sandbox').mail).toEqual({
      attachDocuments: true,
      zeroInvoices: true,
      portalLinks: true,
    }));

  it('write an account number in one piece', () =>
    expect(
      settingsWithDefaults({ bankTransfer: { iban: 'de89 3704 0044 0532 0130 00', bic: 'cobadeff' } }, 'sandbox'),
    ).toMatchObject({
      bankTransfer: {
        ...{ holder: null, account: null, bank: null, note: null },
        ...{ iban: 'DE89370400440532013000', bic: 'COBADEFF' },
      },
    }));

  it('keep every digit of the tax rate', () => {
    const settings = settingsWithDefaults({ defaultTaxRate: JSON.rawJSON('8.875000001') as never }, 'sandbox');
    expect(settings.defaultTaxRate).toEqual(decimal('8.875000001'));
    expect(JSON.stringify(publicSettings(settings))).toContain('"defaultTaxRate":8.875000001');
  });
});

describe('a change of settings', () => {
  it.each([
    { stored: { lateUsageDays: 10 }, change: {}, after: { lateUsageDays: 10 } },
    { stored: { lateUsageDays: 10 }, change: { invoicePrefix: 'A' }, after: { lateUsageDays: 10, invoicePrefix: 'A' } },
    { stored: { lateUsageDays: 10 }, change: { lateUsageDays: null }, after: {} },
    { stored: { redirectHosts: ['a.example'] }, change: { redirectHosts: [] }, after: { redirectHosts: [] } },
    {
      stored: { dunning: { finally: 'write_off' as const } },
      change: { dunning: { retryAfterDays: [1] } },
      after: { dunning: { retryAfterDays: [1] } }, // a part is replaced whole
    },
  ])('$change on $stored leaves $after', ({ stored, change, after }) => {
    expect(changedSettings(stored, change)).toEqual(after);
  });
});

describe('what may be set', () => {
  it.each([
    {},
    { defaultTaxRate: 0, taxProvider: 'stripe_tax', invoicePrefix: 'ACME-2026/a_b', lateUsageDays: 0 },
    { defaultTaxRate: 100, requiredApprovals: { invoice: ['data_review', 'financial_review', 'push'] } },
    {
      dunning: { retryAfterDays: [], finally: 'terminate' },
      paymentProvider: 'stripe',
      redirectHosts: ['shop.example'],
    },
    {
      redirectHosts: ['localhost:3000', 'a.b-c.example'],
      branding: { color: '#00FFaa', footer: 'Κείμενο' },
    },
    { rateLimits: { general: { perSecond: 100, burst: 200 } } },
    { defaultTaxRate: null, dunning: null, branding: null },
  ])('%j', (input) => expect(validate('body', SettingsInput, input)).toEqual([]));

  it.each([
    [{ defaultTaxRate: 100.1 }, 'defaultTaxRate'],
    [{ defaultTaxRate: -1 }, 'defaultTaxRate'],
    [{ defaultTaxRate: '20' }, 'defaultTaxRate'],
    [{ taxProvider: 'magic' }, 'taxProvider'],
    [{ invoicePrefix: '' }, 'invoicePrefix'],
    [{ invoicePrefix: 'with space' }, 'invoicePrefix'],
    [{ invoicePrefix: 'x'.repeat(21) }, 'invoicePrefix'],
    [{ requiredApprovals: { invoice: ['gut_feeling'] } }, 'requiredApprovals.invoice.0'],
    [{ requiredApprovals: { invoice: ['push', 'push'] } }, 'requiredApprovals.invoice'],
    [{ dunning: { retryAfterDays: [0] } }, 'dunning.retryAfterDays.0'],
    [{ dunning: { retryAfterDays: [1.5] } }, 'dunning.retryAfterDays.0'],
    [{ dunning: { finally: 'sue' } }, 'dunning.finally'],
    [{ paymentProvider: 'cash' }, 'paymentProvider'],
    [{ lateUsageDays: -1 }, 'lateUsageDays'],
    [{ rateLimits: { general: { perSecond: 0, burst: 1 } } }, 'rateLimits.general.perSecond'],
    [{ rateLimits: { general: { perSecond: 1 } } }, 'rateLimits.general.burst'],
    [{ redirectHosts: ['https://shop.example'] }, 'redirectHosts.0'],
    [{ redirectHosts: ['shop.example/path'] }, 'redirectHosts.0'],
    [{ redirectHosts: ['user@shop.example'] }, 'redirectHosts.0'],
    [{ branding: { color: 'red' } }, 'branding.color'],
    [{ branding: { font: 'Comic' } }, 'branding.font'],
    [{ branding: { logoUrl: 'https://a.example/logo.png' } }, 'branding.logoUrl'],
    [{ bankTransfer: { sortCode: '1' } }, 'bankTransfer.sortCode'],
    [{ bankTransfer: { note: 'x'.repeat(1001) } }, 'bankTransfer.note'],
    [{ invoiceNotes: { exempt: '' } }, 'invoiceNotes.exempt'],
    [{ secretSauce: true }, 'secretSauce'],
  ])('not %j: %s is to blame', (input, field) => {
    expect(validate('body', SettingsInput, input).map((error) => error.field)).toContain(field);
  });

  it.each([
    { input: { paymentProvider: 'sandbox' }, environment: 'production', field: 'settings.paymentProvider' },
    {
      input: { bankTransfer: { iban: 'DE89 3704 0044 0532 0130 01' } },
      environment: 'sandbox',
      field: 'settings.bankTransfer.iban',
    },
    {
      input: { bankTransfer: { account: '1', bic: 'X' } },
      environment: 'production',
      field: 'settings.bankTransfer.bic',
    },
    { input: { bankTransfer: { holder: 'A' } }, environment: 'production', field: 'settings.bankTransfer' },
  ] as const)('not $input in $environment', ({ input, environment, field }) => {
    const checked = checkSettings(input, environment, NOT_CONNECTED);
    expect(checked).toMatchObject({ ok: false, refusal: { kind: 'validation', errors: [{ field }] } });
  });

  it.each([
    { input: { paymentProvider: 'sandbox' }, environment: 'sandbox' },
    { input: { paymentProvider: 'none' }, environment: 'production' },
    { input: { taxProvider: 'internal' }, environment: 'production' },
    { input: { taxProvider: 'stripe_tax' }, environment: 'production' },
    { input: { paymentProvider: 'stripe' }, environment: 'production' },
  ] as const)('$input in $environment', ({ input, environment }) => {
    expect(checkSettings(input, environment, { isConnected: true, taxProblem: null })).toEqual({
      ok: true,
      value: input,
    });
  });

  it.each([
    { input: { taxProvider: 'stripe_tax' }, field: 'settings.taxProvider' },
    { input: { paymentProvider: 'stripe' }, field: 'settings.paymentProvider' },
  ] as const)('not $input, which is not connected, and the answer says which', ({ input, field }) => {
    for (const environment of ['production', 'sandbox'] as const)
      expect(checkSettings(input, environment, NOT_CONNECTED)).toMatchObject({
        ok: false,
        refusal: {
          code: 'PROVIDER_NOT_CONNECTED',
          details: { field },
          message: expect.stringContaining('is not connected'),
        },
      });
  });
});
