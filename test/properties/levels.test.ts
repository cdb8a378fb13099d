import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectExplained } from '../support/bills.ts';
import { cases } from '../support/cases.ts';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Resource, type Shop, START, shopOf } from '../support/shop.ts';

/**
 * A level is the value of the last event before a time (domain.md §5). The bill with its late events, the meter and the
 * balance have the same figure. The test compares them with a fold over all events that knows nothing of periods.
 */
let env: TestEnvironment;
beforeAll(async () => {
  env = await sharedEnvironment({ recomputed: true });
});
afterAll(() => env.close());

const MONTHS = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((day) =>
  Temporal.Instant.from(`${day}T00:00:00Z`),
) as [Temporal.Instant, ...Temporal.Instant[]];
const LAST = MONTHS[3] as Temporal.Instant;

interface Reported {
  /** From two months before the start to the end of the third month, mostly at boundaries. */
  readonly at: Temporal.Instant;
  readonly seats: number;
  readonly to: 'customer' | 'subscription';
  /** Sent when January and February are billed. */
  readonly isLate: boolean;
}

const instants = fc.oneof(
  fc
    .tuple(fc.constantFrom(...MONTHS), fc.integer({ min: -1, max: 1 }))
    .map(([month, microseconds]) => month.add({ microseconds })),
  fc.integer({ min: -60 * 24, max: 90 * 24 }).map((hours) => MONTHS[0].add({ hours })),
);
const reported: fc.Arbitrary<Reported> = fc.record({
  at: instants,
  seats: fc.integer({ min: 0, max: 20 }),
  to: fc.constantFrom('customer', 'subscription'),
  isLate: fc.boolean(),
});

/** The fold: by time, and of one time the event that was accepted last. */
const levelBefore = (end: Temporal.Instant, accepted: readonly Reported[]): number =>
  accepted
    .filter(({ at }) => Temporal.Instant.compare(at, end) < 0)
    .reduce<Reported | null>((a, b) => (a !== null && Temporal.Instant.compare(b.at, a.at) < 0 ? a : b), null)?.seats ??
  0;

/** What no invoice could bear of a correction. */
async function linesOfNotes(shop: Shop, invoices: readonly Resource[]): Promise<Resource[]> {
  const lines: Resource[] = [];
  for (const { id, status } of invoices) {
    if (status === 'ACTIVE') continue;
    for (const note of (await shop.read(`/v2/invoices/${id}/creditNotes`)).data)
      lines.push(...(await shop.read(`/v2/invoices/${id}/creditNotes/${note.id}`)).lines);
  }
  return lines;
}

it('is the same on the bill, in the meter and in the balance, whenever its event came', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reported, { minLength: 1, maxLength: 10 }),
      fc.array(instants, { minLength: 3, maxLength: 3 }),
      async (events, asked) => {
        const shop = shopOf(await env.merchant());
        const metric = await shop.metric({ aggregation: 'LATEST', name: 'Seats' });
        const feature = await shop.create('/v0/features', {
          ...{ key: 'seats', name: 'Seats', type: 'metered', productId: metric.productId },
        });
        const template = { type: 'metered', issueAfterReset: 1000, usagePeriod: { interval: 'P1M' } };
        const price = await shop.usagePrice({
          billableMetricId: metric.id,
          feature: { featureId: feature.id, entitlementTemplate: template },
        });
        const clock = await shop.clock(START);
        const customer = await shop.customer();
        const subscription = await shop.subscribe(await shop.plan([price]), { clock, customer });
        const send = async (some: readonly Reported[]) => {
          for (const { at, seats, to } of some)
            await shop.use(to === 'customer' ? customer.id : subscription.id, at.toString(), seats);
        };
        const [first, late] = [events.filter(({ isLate }) => !isLate), events.filter(({ isLate }) => isLate)];
        await send(first);
        await shop.advance(clock, '2026-03-15T00:00:00Z');
        await send(late);
        await shop.advance(clock, LAST.toString());
        const accepted = [...first, ...late];

        const invoices = await shop.invoices(subscription);
        const lines: Resource[] = invoices
          .filter(({ status }) => status !== 'ACTIVE')
          .flatMap((invoice) => invoice.lines);
        const noted = await linesOfNotes(shop, invoices);
        const unitsIn = (some: readonly Resource[], start: string): number =>
          some
            .filter(({ periodStart }) => periodStart === start)
            .reduce((sum, { quantity }) => sum + Number(quantity), 0);
        const billed = MONTHS.slice(0, 3).map(
          (start) => unitsIn(lines, start.toString()) - unitsIn(noted, start.toString()),
        );
        expect(billed).toEqual(MONTHS.slice(1).map((end) => levelBefore(end, accepted)));
        await expectExplained(shop, subscription);

        const days = `from=${MONTHS[0]}&to=${LAST}&windowSize=DAY&subject=${customer.id}`;
        const { windowedValues, totalValue } = await shop.read(`/v0/billableMetrics/${metric.id}/meter?${days}`);
        expect(totalValue).toBe(levelBefore(LAST, accepted));
        for (const { windowEnd, value } of windowedValues)
          expect(`${windowEnd} ${value}`).toBe(
            `${windowEnd} ${levelBefore(Temporal.Instant.from(windowEnd), accepted)}`,
          );

        const { data } = await shop.read(`/v1/entitlements?subscriptionId=${subscription.id}`);
        for (const at of asked.filter((each) => Temporal.Instant.compare(each, MONTHS[0]) > 0)) {
          const { usageInPeriod } = await shop.read(`/v1/entitlements/${data[0].id}?at=${at}`);
          expect(`${at} ${usageInPeriod}`).toBe(`${at} ${levelBefore(at, accepted)}`);
        }
      },
    ),
    cases(2, 8),
  );
}, 180_000);
