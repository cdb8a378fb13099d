import { describe, expect, it } from 'vitest';
import type { CarriedFeature, EntitlementTemplate } from '../../catalog/index.ts';
import { decimal, jsonNumber } from '../../kernel/decimal.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { type HeldFeature, planReconciliation } from './plan-reconciliation.ts';

const NOW = Temporal.Instant.from('2026-01-10T00:00:00Z');
const metered = (units: number): EntitlementTemplate => ({
  type: 'metered',
  issueAfterReset: jsonNumber(decimal(units)),
});
const carried = (template: EntitlementTemplate, metricIds = ['met_1']) =>
  ({ feature: { id: 'feat_1', key: 'calls' }, template, metricIds, cadences: [null] }) as unknown as CarriedFeature;
const held = (template: EntitlementTemplate, granted: string | null, activeTo: string | null = null): HeldFeature => ({
  row: { featureId: 'feat_1', activeTo: activeTo && Temporal.Instant.from(activeTo) } as EntitlementRow,
  featureKey: 'calls',
  template,
  granted: granted === null ? null : decimal(granted),
});
const NAMED = { featureId: 'feat_1', featureKey: 'calls' };
const plan = (have: HeldFeature[], want: CarriedFeature[], grantsNow = true) =>
  planReconciliation(have, want, { billedIds: new Set(), grantsNow, anchorOf: () => NOW }, NOW);

describe('a plan of a reconciliation', () => {
  it.each([
    { what: 'raises by the difference', granted: '100', after: 150, grant: '50' },
    { what: 'makes again what was voided', granted: '0', after: 100, grant: '100' },
    { what: 'leaves what is enough', granted: '100', after: 100, grant: null },
    { what: 'leaves what is more', granted: '250', after: 100, grant: null },
    { what: 'grants nothing before the start', granted: null, after: 150, grant: null },
    { what: 'grants in fractions', granted: '0.25', after: 0.75, grant: '0.5' },
  ])('$what', ({ granted, after, grant }) => {
    const [kept] = plan([held(metered(100), granted)], [carried(metered(after))]).kept;
    expect(kept?.grant?.toFixed() ?? null).toBe(grant);
    const waiting = plan([held(metered(100), granted)], [carried(metered(after))], false).kept;
    expect(waiting[0]?.grant).toBeNull();
  });

  it('fails a grant that would never count', () => {
    const over = held(metered(100), '100', '2026-01-10T00:00:00Z');
    const { told, kept } = plan([over], [carried(metered(150))]);
    expect(told).toMatchObject({ updated: [], skipped: [], failed: [{ ...NAMED, reason: 'grant_mint_failed' }] });
    expect(kept[0]?.grant).toBeNull();
  });

  it('fails a feature that nothing measures', () => {
    const { told, missing } = plan([], [carried(metered(1), [])]);
    expect(told.failed).toEqual([{ ...NAMED, reason: 'entitlement_failed' }]);
    expect(missing).toEqual([]);
  });
});
