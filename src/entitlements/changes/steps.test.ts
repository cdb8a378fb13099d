import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { type Resource, type Shop, shopOf } from '../../../test/support/shop.ts';
import { sql } from '../../db/index.ts';
import { entitlementDueKind } from './steps.ts';

/** The background jobs of an entitlement, and their times. */
let env: TestEnvironment;
let shop: Shop;
let merchantId: string;
let metric: Resource;
beforeAll(async () => {
  env = await sharedEnvironment();
  env.setNow('2026-03-10T00:00:00Z');
  const merchant = await env.merchant();
  merchantId = merchant.id;
  shop = shopOf(merchant);
  metric = await shop.metric();
});
afterAll(() => env.close());

let features = 0;
const METERED = { type: 'metered', usagePeriod: { interval: 'P1M' }, issueAfterReset: 100 };

async function entitle(
  fields: Record<string, unknown>,
  template: Record<string, unknown> = METERED,
): Promise<Resource> {
  features += 1;
  const type = template.type;
  const feature = await shop.create('/v0/features', {
    key: `feature-${features}`,
    name: 'Feature',
    productId: metric.productId,
    type,
  });
  return shop.create('/v1/entitlements', {
    customerId: (await shop.customer()).id,
    featureId: feature.id,
    template: type === 'metered' ? { ...template, billableMetricIds: [metric.id] } : template,
    ...fields,
  });
}

const inMerchant = <T>(work: Parameters<typeof env.database.transaction<T>>[1]) =>
  env.database.transaction({ merchants: [merchantId] }, work);

/** Runs the step as at an instant. @returns when it is due next */
const stepAt = ({ id }: Resource, now: string): Promise<string | null> =>
  inMerchant(async (tx) => {
    await entitlementDueKind().step(tx, { merchantId, id }, Temporal.Instant.from(now));
    const { next } = await tx.one<{ next: Temporal.Instant | null }>(
      sql`select next_action_at as next from entitlement where id = ${id}`,
    );
    return next?.toString() ?? null;
  });

const issued = ({ id }: Resource) =>
  inMerchant(async (tx) => {
    const rows = await tx.rows<{ at: Temporal.Instant }>(sql`
      select effective_at as at from entitlement_grant where entitlement_id = ${id} and origin = 'template' order by 1`);
    return rows.map(({ at }) => at.toString().slice(0, 10));
  });

const told = ({ id }: Resource) =>
  inMerchant((tx) =>
    tx.rows(sql`select 1 from outbox where type = 'entitlement.reset.v0' and data ->> 'entitlementId' = ${id}`),
  );

describe('an entitlement is due', () => {
  it('at its start, soon after for a snapshot, at its next reset, and at its end', async () => {
    const entitlement = await entitle({ activeFrom: '2026-03-15T00:00:00Z', activeTo: '2026-05-01T00:00:00Z' });
    expect(await stepAt(entitlement, '2026-03-10T00:00:00Z')).toBe('2026-03-15T00:00:00Z');
    expect(await issued(entitlement)).toEqual([]);
    expect(await stepAt(entitlement, '2026-03-15T00:00:00Z')).toBe('2026-03-15T00:00:20Z');
    expect(await stepAt(entitlement, '2026-03-15T00:00:20Z')).toBe('2026-04-15T00:00:00Z');
    expect(await issued(entitlement)).toEqual(['2026-03-15']);
    expect(await stepAt(entitlement, '2026-04-15T00:00:00Z')).toBe('2026-04-15T00:00:20Z');
    expect(await stepAt(entitlement, '2026-04-15T00:00:20Z')).toBe('2026-05-01T00:00:00Z');
    expect(await stepAt(entitlement, '2026-05-01T00:00:00Z')).toBeNull();
    expect(await issued(entitlement)).toEqual(['2026-03-15', '2026-04-15']);
    expect(await told(entitlement)).toHaveLength(1);
  });

  it('once for all resets that it has missed, and does nothing twice', async () => {
    const entitlement = await entitle({ activeFrom: '2025-11-05T00:00:00Z' });
    const months = ['2025-11-05', '2025-12-05', '2026-01-05', '2026-02-05', '2026-03-05'];
    for (const now of ['2026-03-10T00:00:00Z', '2026-03-10T00:00:30Z', '2026-03-10T00:01:00Z'])
      await stepAt(entitlement, now);
    expect(await issued(entitlement)).toEqual(months);
    expect(await told(entitlement)).toHaveLength(4);
    expect(await stepAt(entitlement, '2026-03-11T00:00:00Z')).toBe('2026-04-05T00:00:00Z');
  });

  it('some hundred resets at a time, where it has missed more', async () => {
    const entitlement = await entitle(
      { activeFrom: '2023-01-01T00:00:00Z' },
      { ...METERED, usagePeriod: { interval: 'P1D' } },
    );
    const now = '2026-03-10T00:00:00Z';
    const due = [await stepAt(entitlement, now), await stepAt(entitlement, now), await stepAt(entitlement, now)];
    expect(due).toEqual([now, now, '2026-03-10T00:00:20Z']);
    expect(await issued(entitlement)).toHaveLength(1165);
    expect(await told(entitlement)).toHaveLength(1164);
  });

  it.each([
    { what: 'without an end never', activeTo: undefined, next: null },
    { what: 'with an end then', activeTo: '2026-06-01T00:00:00Z', next: '2026-06-01T00:00:00Z' },
  ])('where it is not metered, $what', async ({ activeTo, next }) => {
    const entitlement = await entitle({ ...(activeTo && { activeTo }) }, { type: 'boolean' });
    expect(await stepAt(entitlement, '2026-03-10T00:00:00Z')).toBe(next);
    expect(await stepAt(entitlement, '2026-06-01T00:00:00Z')).toBeNull();
  });

  it('call the hook at each step', async () => {
    const entitlement = await entitle({});
    const seen: string[] = [];
    const kind = entitlementDueKind([async (_tx, { id }) => void seen.push(id)]);
    const now = Temporal.Instant.from('2026-03-10T00:00:00Z');
    await inMerchant((tx) => kind.step(tx, { merchantId, id: entitlement.id }, now));
    expect(seen).toEqual([entitlement.id]);
  });
});
