import { calculate } from '../../src/invoicing/calculation/calculate.ts';
import type { Calculation, CalculationInput } from '../../src/invoicing/calculation/calculation.ts';
import {
  type ClosedPeriod,
  type DueCharge,
  dueOn,
  lateDue,
  type UncalculatedInvoice,
} from '../../src/invoicing/difference/due.ts';
import type { Quoting } from '../../src/invoicing/difference/time.ts';
import type { BilledUsage } from '../../src/invoicing/invoice/billed-usage.ts';
import {
  asBilled,
  cellAt,
  cellsIn,
  chargesInAdvance,
  chargesInArrears,
  chargesOnce,
  type InvoicePeriod,
  type OwedCharge,
  usageChargesOn,
} from '../../src/invoicing/owed/charges.ts';
import type { BilledPrice, BilledVersion, Proration } from '../../src/invoicing/terms/billing-terms.ts';
import { cadencesOf, type HistoricTerms } from '../../src/invoicing/timeline/segments.ts';
import { type Decimal, decimal, ZERO } from '../../src/kernel/decimal.ts';
import { type Instant, isAfter, isBefore } from '../../src/kernel/time.ts';
import { type Books, giveBack, issue, itemsIn, openBooks, upfrontAt } from './owed.ts';

/**
 * A life of a subscription without a database. Its periods open, close and are calculated in the order of time, with
 * the events between them. All versions have the same cadences, so its series continue.
 */

/** Something that happens to a subscription, so many hours after its start. */
export type Happening =
  | { readonly kind: 'change'; readonly hour: number; readonly to: number; readonly proration: Proration }
  | { readonly kind: 'cut'; readonly hour: number }
  | {
      readonly kind: 'use';
      readonly hour: number;
      readonly metric: string;
      readonly units: number;
      readonly late: number;
    };

export interface LifeOf {
  readonly quoting: Quoting;
  readonly startedAt: Instant;
  readonly lastHour: number;
  readonly graceHours: number;
  /** The prices of each version; the first one applies from the start. */
  readonly versions: readonly (readonly BilledPrice[])[];
  readonly happenings: readonly Happening[];
  readonly adjustments?: CalculationInput['adjustments'];
  readonly taxRates?: CalculationInput['taxRates'];
}

interface Waiting {
  readonly invoice: UncalculatedInvoice;
  readonly until: Instant;
}

const version = (prices: readonly BilledPrice[], from: Instant, proration: Proration): BilledVersion => ({
  ...{
    from,
    prices,
    proration,
    planId: 'plan',
    planTaxRate: null,
    planCadence: 'P1M',
    minimumAmount: null,
    anchors: {},
    takesUpAnew: true,
  },
});

/** A running life. */
export class Life {
  readonly books: Books = openBooks();
  readonly calculations: Calculation[] = [];
  readonly #of: LifeOf;
  #versions: BilledVersion[];
  #endsAt: Instant | null = null;
  #open: UncalculatedInvoice[] = [];
  #waiting: Waiting[] = [];
  /** The invoices of each period: several where it was cut. */
  readonly #billed = new Map<string, UncalculatedInvoice[]>();
  readonly #parts = new Map<string, number>();

  constructor(of: LifeOf) {
    this.#of = of;
    this.#versions = [version(of.versions[0] as readonly BilledPrice[], of.startedAt, 'second')];
  }

  get terms(): HistoricTerms {
    const { startedAt } = this.#of;
    const { planCadence, prices } = this.#versions.at(-1) as BilledVersion;
    const bounds = { anchor: startedAt, startedAt, endsAt: this.#endsAt };
    return { planCadence, prices, bounds, minimumAmount: null, versions: this.#versions };
  }

  /** Lives all of it, to the end and until all is billed. */
  live(): this {
    const { startedAt, happenings, lastHour } = this.#of;
    this.#bill(upfrontAt(this.terms), startedAt);
    for (const cadence of cadencesOf(this.#versions[0] as BilledVersion)) this.#openAt(cadence, startedAt);
    for (const happening of happenings.toSorted((a, b) => a.hour - b.hour))
      if (happening.hour < lastHour) this.#happen(happening);
    this.#end(this.#at(lastHour));
    this.#advance(this.#at(lastHour + this.#of.graceHours));
    this.#correct(this.#at(NEVER_LATE));
    return this;
  }

  readonly #at = (hours: number): Instant => this.#of.startedAt.add({ hours });

  #happen(happening: Happening): void {
    if (happening.kind === 'use') return;
    const at = this.#at(happening.hour);
    this.#advance(at);
    if (happening.kind === 'cut') this.#cut(at);
    else this.#change(happening, at);
  }

  #change({ to, proration }: Extract<Happening, { kind: 'change' }>, at: Instant): void {
    const prices = this.#of.versions[to % this.#of.versions.length] as readonly BilledPrice[];
    this.#versions = [...this.#versions, version(prices, at, proration)];
    if (at.equals(this.#of.startedAt)) this.#bill({ ...upfrontAt(this.terms), id: this.#idOf('upfront') }, at);
    giveBack(this.books, this.terms, this.#of.quoting);
  }

  #cut(at: Instant): void {
    const invoice = this.#open.find(({ billingCadence: cadence }) => cadence === 'P1M');
    if (!invoice || !isAfter(at, invoice.periodStart)) return;
    this.#close({ ...invoice, periodEnd: at }, at);
    this.#advance(at);
  }

  #end(at: Instant): void {
    this.#advance(at);
    this.#endsAt = at;
    for (const invoice of this.#open)
      if (isBefore(invoice.periodStart, at))
        this.#waiting.push({ invoice: { ...invoice, periodEnd: at }, until: this.#afterGrace(at) });
    this.#open = [];
    giveBack(this.books, this.terms, this.#of.quoting);
  }

  readonly #afterGrace = (at: Instant): Instant => at.add({ hours: this.#of.graceHours });

  /** Closes and calculates the periods that are due by an instant. */
  #advance(to: Instant): void {
    for (;;) {
      const closes = this.#open.map((invoice) => ({ at: invoice.periodEnd, run: () => this.#close(invoice) }));
      const calculates = this.#waiting.map((each) => ({ at: each.until, run: () => this.#calculate(each) }));
      const [next] = [...closes, ...calculates]
        .filter(({ at }) => !isAfter(at, to))
        .toSorted((a, b) => Temporal.Instant.compare(a.at, b.at));
      if (!next) return;
      next.run();
    }
  }

  #close(invoice: UncalculatedInvoice, until = this.#afterGrace(invoice.periodEnd)): void {
    this.#open = this.#open.filter(({ billingCadence: cadence }) => cadence !== invoice.billingCadence);
    this.#waiting.push({ invoice, until });
    this.#openAt(invoice.billingCadence, invoice.periodEnd);
  }

  #openAt(cadence: string, at: Instant): void {
    const cell = cellAt(this.terms, cadence, at);
    if (!cell) return;
    this.#open.push({
      ...{
        id: this.#idOf(cadence),
        kind: 'subscription',
        billingAnchor: this.#of.startedAt,
        billingCadence: cadence,
      },
      ...{ periodNumber: cell.number, periodStart: at, periodEnd: cell.end },
    });
  }

  #idOf(kind: string): string {
    const count = (this.#parts.get(kind) ?? 0) + 1;
    this.#parts.set(kind, count);
    return `${kind} ${count}`;
  }

  #calculate(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    this.#bill(waiting.invoice, waiting.until);
  }

  #bill(invoice: UncalculatedInvoice, now: Instant): void {
    const others = [...this.#open, ...this.#waiting.map((each) => each.invoice)];
    const state = { terms: { ...this.terms, ...this.#of.quoting }, invoice, others, items: itemsIn(this.books) };
    const closed = invoice.kind === 'upfront' ? [] : this.#closed([...others, invoice], now);
    const usage = invoice.kind === 'upfront' ? [] : usageOn(this.#of, this.terms, invoice, now);
    this.#issue(invoice.id, [...dueOn(state), ...lateDue(state, closed)], usage);
    if (invoice.kind !== 'subscription') return;
    const key = periodKey(invoice);
    this.#billed.set(key, [...(this.#billed.get(key) ?? []), invoice]);
  }

  #issue(id: string, charges: readonly DueCharge[], usage: readonly BilledUsage[]): void {
    const { adjustments = [], taxRates = new Map(), quoting } = this.#of;
    this.calculations.push(issue(this.books, id, charges, { usage, adjustments, taxRates }, quoting));
  }

  /** Late charges for periods without a further invoice, on an invoice of their own. */
  #correct(now: Instant): void {
    const state = { terms: { ...this.terms, ...this.#of.quoting }, items: itemsIn(this.books) };
    this.#issue('supplementary', lateDue(state, this.#closed([], now)), []);
  }

  #closed(uncalculated: readonly InvoicePeriod[], now: Instant): ClosedPeriod[] {
    const open = new Set(uncalculated.map(periodKey));
    return [...this.#billed]
      .filter(([period]) => !open.has(period))
      .map(([, invoices]) => {
        const invoice = invoices.at(-1) as UncalculatedInvoice;
        const terms = asBilled(this.terms, invoice);
        const parts = invoices.map((part) => ({
          invoice: part,
          usage: usageOn(this.#of, terms, part, now),
          adjustments: this.#of.adjustments ?? [],
        }));
        return { invoice, parts };
      });
  }

  /** The due charges of a billed invoice: none, if all is well. */
  dueAgain(): DueCharge[] {
    return [...this.#billed.values()].flatMap((invoices) =>
      invoices.slice(-1).flatMap((invoice) =>
        dueOn({
          terms: { ...this.terms, ...this.#of.quoting },
          invoice: { ...invoice, id: 'again' },
          others: [],
          items: itemsIn(this.books),
        }),
      ),
    );
  }
}

const NEVER_LATE = 1_000_000;

const periodKey = ({ billingCadence: cadence, periodNumber: number }: InvoicePeriod): string => `${cadence} ${number}`;

/** The usage of each metered price of an invoice, of the events by an instant. */
function usageOn(of: LifeOf, terms: HistoricTerms, invoice: InvoicePeriod, now: Instant): BilledUsage[] {
  return usageChargesOn(terms, invoice).flatMap(({ price, spans }) => usageOf(of, price, spans, now));
}

function usageOf(
  { happenings, startedAt }: LifeOf,
  price: BilledPrice,
  spans: OwedCharge['spans'],
  now: Instant,
): BilledUsage[] {
  const units = happenings.flatMap((happening) => {
    if (happening.kind !== 'use' || happening.metric !== price.metric?.id) return [];
    const at = startedAt.add({ hours: happening.hour });
    const isInside = spans.some(({ start, end }) => !isBefore(at, start) && isBefore(at, end));
    return isInside && !isAfter(at.add({ hours: happening.late }), now) ? [happening.units] : [];
  });
  if (units.length === 0) return [];
  return [
    {
      ...{ priceId: price.id, groupValues: {}, eventCount: units.length, granted: ZERO },
      quantity: measured(price, units),
    },
  ];
}

function measured(price: BilledPrice, units: readonly number[]): Decimal {
  const { aggregation } = (price.metric as NonNullable<BilledPrice['metric']>).meter;
  if (aggregation === 'SUM') return decimal(units.reduce((a, b) => a + b, 0));
  if (aggregation === 'MAX') return decimal(Math.max(...units));
  return decimal(new Set(units).size);
}

/** All owed charges of a history, each alone, as if one invoice billed them: without earlier bills. */
export function owedBy(of: LifeOf, terms: HistoricTerms): Calculation {
  const { bounds } = terms;
  const end = bounds.endsAt as Instant;
  const cells = cellsIn(terms, { start: bounds.startedAt, end });
  const once = (['in_advance', 'in_arrears'] as const).flatMap((term) => chargesOnce(terms, term, () => true, null));
  const charges = cells.flatMap((cell) => [
    ...chargesInAdvance(terms, cell),
    ...chargesInArrears(terms, cell, cell.end),
  ]);
  // Each charge has a price id of its own, so that the usage of a period is that of the period.
  const alone = [...once, ...charges].map((charge, place) => ({
    ...charge,
    price: { ...charge.price, id: `${charge.price.id}#${place}` },
  }));
  const usage = alone.flatMap(({ price, spans }) =>
    price.metric === null ? [] : usageOf(of, price, spans, of.startedAt.add({ hours: NEVER_LATE })),
  );
  const rates = [...(of.taxRates ?? [])];
  return calculate({
    ...of.quoting,
    charges: alone.map((charge) => ({ charge })),
    usage,
    adjustments: of.adjustments ?? [],
    taxRates: new Map(
      alone.flatMap(({ price }) =>
        rates.filter(([id]) => price.id.startsWith(`${id}#`)).map(([, rate]) => [price.id, rate]),
      ),
    ),
  });
}
