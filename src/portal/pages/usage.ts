import type { PricedMetric } from '../../catalog/index.ts';
import { priceList } from '../../checkout/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import { inTurns } from '../../http/index.ts';
import { type BilledPeriod, cadenceOfPrice, findSeriesPeriods, withOverrides } from '../../invoicing/index.ts';
import { type Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { ok } from '../../kernel/result.ts';
import { earliest, type Instant, normaliseCadence } from '../../kernel/time.ts';
import { breakable, figuresOf, taxNames } from '../../look/index.ts';
import {
  everyWindow,
  isLevel,
  postgresUsage,
  subjectsOf,
  type UsageRow,
  type UsageScope,
  windowCount,
  windowsOf,
  withinRows,
} from '../../metering/index.ts';
import { type Html, html, stackedTable } from '../../pages/index.ts';
import {
  findOverrides,
  findPinned,
  findSubscriptionsOfCustomer,
  type SubscriptionRow,
} from '../../subscriptions/index.ts';
import { barChart, highestOf, keyOf, type Point } from '../frame/chart.ts';
import { quantityOf } from '../frame/lines.ts';
import { isPaidFor, type PortalPage, type Visit } from '../frame/page.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { PAGE_WORDS } from '../words/page-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import { billedOf, type MetricBill } from './metric-bill.ts';
import { type Series, seriesOf } from './usage-series.ts';

const MOST_SUBSCRIPTIONS = 20;
const MOST_METRICS = 30;
/** Periods of a metric that can be looked at. */
const MOST_PERIODS = 6;
const MOST_DAYS = 100;
/** Figures of groups and days on a page; with more of them it has no groups. */
const MOST_FIGURES = 20_000;

/** A metric that a plan of the customer prices, and the periods in which it is billed, the newest first. */
interface Measured {
  readonly metric: PricedMetric;
  readonly subscription: SubscriptionRow;
  readonly periods: readonly BilledPeriod[];
  /** The prices, as sign-up pages say them. */
  readonly prices: Html;
}

/** The metrics of the customer's plans: of several plans with the same metric the oldest one says the periods. */
async function measuredOf({ tx, merchantId, customerId, look, now: wall }: Visit): Promise<Measured[]> {
  const rows = await findSubscriptionsOfCustomer(tx, customerId, MOST_SUBSCRIPTIONS);
  const pinnedOf = await findPinned(tx, rows);
  const overridesOf = await findOverrides(tx, rows);
  const found = new Map<string, Measured>();
  for (const subscription of rows.toReversed()) {
    const pinned = pinnedOf(subscription);
    const { plan, version, currency } = pinned;
    const planCadence = normaliseCadence(plan.billingCadence);
    for (const price of version.prices) {
      const { metric } = price;
      if (metric === null || found.has(metric.id) || found.size >= MOST_METRICS) continue;
      const cadence = cadenceOfPrice({ planCadence }, price);
      const of = { merchantId, subscriptionId: subscription.id, cadence };
      const periods = await findSeriesPeriods(tx, of, MOST_PERIODS);
      const now = await effectiveNowForReading(tx, subscription.clockId, wall);
      const agreed = withOverrides(version.prices, overridesOf(subscription, pinned), now);
      const own = agreed.filter((each) => each.metric?.id === metric.id);
      const prices = priceList(own, { locale: look.locale, currency, planCadence });
      if (periods.length > 0) found.set(metric.id, { metric, subscription, periods, prices });
    }
  }
  return [...found.values()];
}

/** The usage of each metric, day by day, in a period that the address names by its number from the present one. */
export async function usagePage(dependencies: PortalDependencies, visit: Visit): Promise<PortalPage> {
  const { look, query } = visit;
  const words = PAGE_WORDS[look.locale];
  const title = PORTAL_WORDS[look.locale].tabs.usage;
  const measured = await measuredOf(visit);
  const number = /^[0-5]$/.test(query.period ?? '') ? Number(query.period) : 0;
  const billed = billedOf(dependencies, visit);
  const sections: Html[] = [];
  for (const [index, each] of measured.entries()) {
    visit.signal.throwIfAborted();
    const period = each.periods[number];
    if (period === undefined) continue;
    const bill = isPaidFor(visit) ? null : await billed(each.metric.id, each.periods.slice(0, number + 1).toReversed());
    sections.push(await metricSection(visit, { ...each, period, bill }, `usage-${index}`));
  }
  return {
    title,
    tab: 'usage',
    body: html`<section><h1>${title}</h1>
${measured.length === 0 ? html`<p class="soft">${words.noUsage}</p>` : periodLinks(visit, measured, number)}
</section>
${sections}`,
  };
}

/** Links to the periods, named by those of the metric that has most of them. */
function periodLinks({ look, base }: Visit, measured: readonly Measured[], number: number): Html {
  const longest = measured.reduce((one, other) => (other.periods.length > one.periods.length ? other : one));
  const { period } = figuresOf(look.locale);
  return html`<nav class="tabs" aria-label="${PAGE_WORDS[look.locale].periods}"><ul>${longest.periods.map(
    ({ start, end }, index) =>
      html`<li><a href="${base}/usage?period=${String(index)}"${index === number ? html` aria-current="true"` : null}>${period(start, end)}</a></li>`,
  )}</ul></nav>`;
}

/** A metric in one period, with what its usage costs. */
interface MeasuredPeriod extends Measured {
  readonly period: BilledPeriod;
  readonly bill: MetricBill | null;
}

async function metricSection(visit: Visit, of: MeasuredPeriod, id: string): Promise<Html> {
  const { look, merchant } = visit;
  const { metric, period, bill, prices } = of;
  const words = PAGE_WORDS[look.locale];
  const { day, period: inDays } = figuresOf(look.locale);
  const { windows, values, whole, to, series } = await measure(visit, of);
  const points: Point[] = windows.map(({ windowStart }) => ({
    label: day(windowStart),
    value: values.get(windowStart.epochMilliseconds) ?? ZERO,
  }));
  const quantity = (value: Decimal) => quantityOf(look.locale, value, metric.unit);
  const highest = quantity(highestOf(points));
  const title = words.chartOf(metric.name, day(period.start), day(to.subtract({ nanoseconds: 1 })), highest);
  const fact = (label: string, value: string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const tax = taxNames(look.locale, merchant).inSentence;
  const label = bill?.isInclusive === true ? words.costWith(tax) : words.costWithout(tax);
  const stacked = series.flatMap(({ days }) => (days === null ? [] : [days]));
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><bdi>${metric.name}</bdi></h2>
<p class="soft">${inDays(period.start, period.end)}</p>
<dl class="facts">${fact(words.sumOf[isLevel(metric.meter) ? 'LATEST' : metric.meter.aggregation], quantity(whole))}${bill === null ? null : fact(label, bill.money(bill.amount))}</dl>
${isPaidFor(visit) ? null : prices}
${highestOf(points).isZero() ? null : barChart(title, `${id}-chart`, points, highest, stacked.length > 0 ? stacked : undefined)}
${series.length === 0 ? null : groupTable(visit, of, series)}
<details><summary>${words.asTable}<span class="unseen">: <bdi>${metric.name}</bdi></span></summary>
${stackedTable({
  ...{ caption: `${words.asTable}: ${metric.name}`, named: words.onDay, isWide: stacked.length > 0 },
  columns: [
    { head: words.used },
    ...(stacked.length > 0 ? series.map(({ name }) => ({ head: name ?? words.others })) : []),
  ],
  rows: points.map(({ label: shown, value }, index) => ({
    name: html`${shown}`,
    cells: [quantity(value), ...stacked.map((days) => quantity(days[index] ?? ZERO))],
  })),
})}</details>
</section>
`;
}

/** A row for each group: the quantity and the amount of the period. */
function groupTable({ look }: Visit, { metric, bill }: MeasuredPeriod, series: readonly Series[]): Html {
  const words = PAGE_WORDS[look.locale];
  return stackedTable({
    ...{ caption: words.byGroup(metric.name), named: words.group },
    columns: [{ head: words.used }, ...(bill === null ? [] : [{ head: PORTAL_WORDS[look.locale].amount }])],
    rows: series.map(({ name, value, days, groups }, place) => ({
      name: html`${days === null ? null : keyOf(place)}<bdi>${name ?? words.others}</bdi>`,
      cells: [
        quantityOf(look.locale, value, metric.unit),
        ...(bill === null ? [] : [breakable(bill.money(sum(groups.map(bill.ofGroup))))]),
      ],
    })),
  });
}

/** The figures of a metric in its period: by window, in all, and by the groups by which it is billed. */
async function measure(visit: Visit, { metric, subscription, period, bill }: MeasuredPeriod) {
  const { tx, merchantId, customerId, now: wall } = visit;
  const now = await effectiveNowForReading(tx, subscription.clockId, wall);
  const { start: from, end } = period;
  const to = Temporal.Instant.compare(now, from) > 0 ? earliest(end, now) : end;
  const sources = (await subjectsOf(tx, customerId)).map((subject) => ({ subject, from, to }));
  const { meter } = metric;
  const window = windowCount('DAY', from, to) > MOST_DAYS ? 'MONTH' : 'DAY';
  const scope: UsageScope = { merchantId, meter, sources, from, to };
  const [rows = [], [whole] = []] = await postgresUsage.measure(tx, scope, [{ window }, {}]);
  const windows = [...windowsOf(window, from, to)];
  const groups = bill?.dimensions ?? [];
  const measured =
    groups.length === 0
      ? null
      : await withinRows('groups', async () =>
          ok(await postgresUsage.measure(tx, { ...scope, mostRows: MOST_FIGURES }, [{ groups }, { groups, window }])),
        );
  const starts = windows.map(({ windowStart }) => windowStart.epochMilliseconds);
  return {
    windows,
    to,
    whole: whole?.value ?? ZERO,
    values: new Map(
      (await inTurns(everyWindow(meter, rows, window, { to }))).map((row) => [
        startOf(row).epochMilliseconds,
        row.value,
      ]),
    ),
    series: measured?.ok === true ? seriesOf(meter.aggregation, measured.value, starts) : [],
  };
}

const startOf = ({ windowStart }: UsageRow): Instant => windowStart as Instant;
