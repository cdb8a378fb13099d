import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedEnvironment, type TestEnvironment } from '../support/environment.ts';
import { expectTotals } from '../support/identities.ts';
import { type Resource, type Shop, shopOf } from '../support/shop.ts';

/**
 * The periods of invoices tile the time of a subscription, from its anchor and without drift, as callers see them
 * (I-19, I-20).
 */
let env: TestEnvironment;
let shop: Shop;
beforeAll(async () => {
  env = await sharedEnvironment();
  shop = shopOf(await env.merchant());
});
afterAll(() => env.close());

const CADENCES = ['P1D', 'P1W', 'P10D', 'P1M', 'P3M', 'P1Y'] as const;

/**
 * The start of period `n`, by a calendar of our own: days are added, months keep the day of the anchor or use the last
 * day of the month.
 */
function boundary(anchor: string, cadence: string, n: number): string {
  const [date = '', time] = anchor.split('T');
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const [, count = 0, unit = ''] =
    /^P(\d+)([DWMY])$/.exec(cadence)?.map((part) => (/^\d+$/.test(part) ? Number(part) : part)) ?? [];
  const add = n * Number(count);
  const pad = (value: number) => String(value).padStart(2, '0');
  const text = (at: Date) => `${at.getUTCFullYear()}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}T${time}`;
  if (unit === 'D' || unit === 'W')
    return text(new Date(Date.UTC(year, month - 1, day + add * (unit === 'W' ? 7 : 1))));
  const months = month - 1 + add * (unit === 'Y' ? 12 : 1);
  const lastDay = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return text(new Date(Date.UTC(year, months, Math.min(day, lastDay))));
}

/** Each cadence gets some periods and then an end in the middle of one. */
const PERIODS = 4;

describe.each(['2026-01-31T00:00:00Z', '2028-02-29T23:59:59.999999Z', '2027-08-30T12:34:56Z', '2027-12-31T00:00:01Z'])(
  'from %s',
  (anchor) => {
    it('each cadence tiles, and each period begins where the calendar says', { timeout: 60_000 }, async () => {
      const clock = await shop.clock(anchor);
      const customer = await shop.customer();
      const subscriptions = new Map<string, Resource>();
      for (const cadence of CADENCES) {
        const plan = await shop.plan([], { billingCadence: cadence, autoApprove: false });
        const endingAt = Temporal.Instant.from(boundary(anchor, cadence, PERIODS))
          .add({ hours: 7 })
          .toString();
        subscriptions.set(cadence, await shop.subscribe(plan, { clock, customer, endingAt }));
      }
      await shop.advance(clock, 'P5Y');
      for (const [cadence, subscription] of subscriptions) {
        const invoices = await shop.invoices(subscription);
        const ends = Array.from({ length: PERIODS }, (_, index) => boundary(anchor, cadence, index + 1));
        expect(
          invoices.map(({ periodStart }) => periodStart),
          cadence,
        ).toEqual([anchor, ...ends]);
        expect(
          invoices.map(({ periodEnd }) => periodEnd),
          cadence,
        ).toEqual([...ends, subscription.endingAt]);
        expect(invoices.map(({ sequenceNumber }) => sequenceNumber)).toEqual(
          Array.from({ length: PERIODS + 1 }, (_, index) => index + 1),
        );
        for (const [index, invoice] of invoices.entries()) {
          const status = index === PERIODS ? 'CANCELLED' : 'DRAFT'; // the last one has no line
          expect(invoice).toMatchObject({ status, billingCadence: cadence, billingAnchor: anchor });
          expectTotals(invoice);
        }
      }
    });
  },
);
