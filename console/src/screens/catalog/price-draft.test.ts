import { describe, expect, it } from 'vitest';
import type { Price } from '../../api/types.ts';
import { bodyOf, draftOf } from './price-draft.ts';

const saved = (fields: object): Price =>
  ({
    ...{ id: 'price_1', billableMetricId: 'bm_1', invoiceDisplayName: 'Calls', paymentTerm: 'in_arrears' },
    ...{ billingCadence: null, quantity: 1, grantDiscountEnabled: false, features: [] },
    ...fields,
  }) as unknown as Price;

describe('a price that is typed', () => {
  it.each([
    ['standard', { unitPrice: '0.02', includedUnits: '500' }],
    [
      'graduated',
      {
        tiers: [
          { upTo: '10', unitPrice: '1', flatPrice: '2' },
          { upTo: null, unitPrice: '0.5' },
        ],
      },
    ],
    ['volume', { tiers: [{ upTo: null, unitPrice: '0.5' }], includedUnits: '1' }],
    ['package', { size: '100', price: '2.50' }],
    ['percentage', { percentage: '0.029', fixed: '0.30' }],
    ['dynamic', { multiplier: '1.2' }],
    ['matrix', { dimensions: ['model'], cells: [{ match: { model: 'a' }, unitPrice: '1' }], default: '2' }],
  ])('of the model %s begins with the price that it changes', (model, properties) => {
    expect(bodyOf(draftOf(saved({ model, properties })), undefined, false)).toMatchObject({
      ...{ billableMetricId: 'bm_1', invoiceDisplayName: 'Calls', model, properties },
    });
  });
  it('sends null where a field of a saved price was emptied, and not its metric', () => {
    const draft = { ...draftOf(saved({ model: 'standard', properties: { unitPrice: '1' }, minimumAmount: '5' })) };
    const body = bodyOf({ ...draft, minimumAmount: '' }, undefined, true);
    expect(body).toMatchObject({ minimumAmount: null, feature: null });
    expect(body).not.toHaveProperty('billableMetricId');
  });
  it('keeps what the template of its feature has beyond the fields', () => {
    const entitlementTemplate = {
      ...{ type: 'metered', issueAfterReset: 500, issueAfterResetPriority: 3, billableMetricIds: ['bm_1'] },
      usagePeriod: { interval: 'P1M', anchor: 'start' },
    };
    const feature = { type: 'metered', key: 'calls', name: 'Calls' };
    const price = saved({
      ...{ model: 'standard', properties: { unitPrice: '1' } },
      features: [{ id: 'pf_1', featureId: 'feat_1', entitlementTemplate, feature }],
    });
    const body = bodyOf({ ...draftOf(price), issueAfterReset: '600' }, 'metered', true);
    expect(body.feature).toEqual({
      featureId: 'feat_1',
      entitlementTemplate: { ...entitlementTemplate, issueAfterReset: 600, isSoftLimit: false },
    });
  });
  it('leaves an empty row of a matrix to the server, which says what is missing', () => {
    const draft = {
      ...draftOf(undefined),
      model: 'matrix' as const,
      cells: [{ match: { model: ' ' }, unitPrice: '' }],
    };
    expect(bodyOf(draft, undefined, false).properties).toEqual({ dimensions: [], cells: [{ match: {} }] });
  });
});
