import { calculate } from '../src/invoicing/calculation/calculate.ts';
import { type BilledItem, itemsOf, type StoredLine } from '../src/invoicing/difference/billed.ts';
import { dueOn } from '../src/invoicing/difference/due.ts';
import { compareTime } from '../src/invoicing/difference/time.ts';
import { cellAt, cellsIn, chargesInAdvance, chargesInArrears } from '../src/invoicing/owed/charges.ts';
import type { BilledPrice, BilledVersion } from '../src/invoicing/terms/billing-terms.ts';
import type { HistoricTerms } from '../src/invoicing/timeline/segments.ts';
import { decimal } from '../src/kernel/decimal.ts';
import { HOURS_PER_DAY } from '../src/kernel/time.ts';
import { median, numbersOf } from './support/arguments.ts';

/**
 * The pure part of a bill: the timeline of a year with a change in each month, all that is owed of it, and the
 * difference to what is billed. See README.md.
 */

const { rounds, limit } = numbersOf({ rounds: 20, limit: 2 });

const WARM_UP = 200;
/** Calls in a round: processor time is not counted finely enough for one. */
const TIMES = 20;
const START = Temporal.Instant.from('2026-01-01T00:00:00Z');
/** A month and a day: the changes lie on other days of their months. */
const DAYS_BETWEEN_CHANGES = 29;
const CHANGES = 12;

const fee = (id: string, ahead: boolean, quantity: number, billingCadence: string | null = null): BilledPrice => ({
  ...{ id, invoiceDisplayName: id, billingCadence, metric: null, taxRate: null, groupFilters: null },
  ...{ minimumAmount: null, maximumAmount: null, quantity: decimal(quantity) },
  paymentTerm: ahead ? 'in_advance' : 'in_arrears',
  pricing: { model: 'standard', properties: { unitPrice: '29.90' } },
  fee: { id, name: id, description: '', itemId: null },
});
const usage = (id: string): BilledPrice => ({
  ...fee(id, false, 1),
  pricing: {
    model: 'graduated',
    properties: {
      tiers: [
        { upTo: '1000', unitPrice: '0.10', flatPrice: '5' },
        { upTo: null, unitPrice: '0.05' },
      ],
    },
  },
  metric: { id, name: id, meter: { aggregation: 'SUM' } } as BilledPrice['metric'],
  fee: null,
});

/** Each change brings other seats, and another add-on. */
const versions = Array.from(
  { length: CHANGES + 1 },
  (_, place): BilledVersion => ({
    from: START.add({ hours: place * DAYS_BETWEEN_CHANGES * HOURS_PER_DAY }),
    ...{ planId: 'plan', planTaxRate: null, planCadence: 'P1M', minimumAmount: null, anchors: {}, proration: 'second' },
    prices: [
      fee('base', true, 1),
      fee('seats', true, 5 + (place % 4)),
      fee(`add-on ${place % 3}`, true, 1),
      fee('support', false, 1 + (place % 2)),
      fee('licence', true, 1, 'P1Y'),
      usage('calls'),
      usage(`units ${place % 2}`),
    ],
  }),
);
const bounds = { anchor: START, startedAt: START, endsAt: null };
const quoting = { taxBehavior: 'exclusive', currency: 'USD' } as const;
const termsOf = (list: readonly BilledVersion[]): HistoricTerms & typeof quoting => {
  const { planCadence, prices } = list.at(-1) as BilledVersion;
  return { planCadence, prices, bounds, versions: list, minimumAmount: null, ...quoting };
};
const year = { start: START, end: START.add({ hours: 365 * HOURS_PER_DAY }) };

/** What a year of a history owes. */
const owedOf = (terms: HistoricTerms) =>
  cellsIn(terms, year).flatMap((cell) => [
    ...chargesInAdvance(terms, cell),
    ...chargesInArrears(terms, cell, cell.end),
  ]);

/** What was billed of the year before its last change. */
function billed(): BilledItem[] {
  const charges = owedOf(termsOf(versions.slice(0, -1)));
  const { lines } = calculate({
    ...quoting,
    charges: charges.map((charge) => ({ charge })),
    usage: [],
    taxRates: new Map(),
  });
  const stored = lines.map(
    (line, place): StoredLine => ({
      ...{ invoiceId: `invoice ${place % CHANGES}`, invoiceEnd: line.periodEnd, status: 'PAID', isRefunded: false },
      ...{
        priceId: line.priceId,
        feeId: line.feeId,
        type: line.type,
        displayName: line.displayName,
        quantity: line.quantity,
        unitPrice: line.unitPrice,
      },
      ...{
        net: line.totalPrice,
        tax: line.totalTax,
        taxRate: line.taxRate,
        currency: 'USD',
        group: null,
        tiers: null,
        workings: null,
      },
      ...{ periodStart: line.periodStart, periodEnd: line.periodEnd },
    }),
  );
  return itemsOf(stored, []);
}

const items = billed();
const terms = termsOf(versions);
const cell = cellAt(terms, 'P1M', year.end.subtract({ hours: HOURS_PER_DAY }));
if (!cell) throw new Error('The year has no last month.');
const invoice = {
  ...{ id: 'this', kind: 'subscription', billingAnchor: START, billingCadence: 'P1M' },
  ...{ periodNumber: cell.number, periodStart: cell.start, periodEnd: cell.end },
};

/** A fresh history each time, so that nothing that was worked out for it before is known. */
function once() {
  const fresh = termsOf([...versions]);
  const owed = owedOf(fresh);
  const { due, unused } = compareTime(
    owed.filter(({ price }) => price.metric === null),
    items,
    fresh,
  );
  return { owed, due, unused, ofInvoice: dueOn({ terms: fresh, invoice, others: [], items }) };
}

for (let round = 0; round < WARM_UP; round += 1) once();
/** Processor time of this thread, so that others on the machine do not count. */
const times = Array.from({ length: rounds }, () => {
  const started = process.threadCpuUsage();
  for (let time = 0; time < TIMES; time += 1) once();
  const { user, system } = process.threadCpuUsage(started);
  return (user + system) / 1000 / TIMES;
});
const { owed, due, unused, ofInvoice } = once();
const milliseconds = median(times);
console.log(`a year with ${CHANGES} changes: ${owed.length} charges owed, ${items.length} items billed`);
console.log(
  `  the last change: ${due.length} due, ${unused.length} unused; ${ofInvoice.length} charges on its invoice`,
);
console.log(
  `timeline, owed, difference   ${milliseconds.toFixed(2)} ms   limit ${limit} ms   ratio ${(milliseconds / limit).toFixed(2)}`,
);
