import { findPlans, findPlanVersions, type PricedMetric } from '../../catalog/index.ts';
import { effectiveNowForReading } from '../../clocks/index.ts';
import { inTurns } from '../../http/index.ts';
import { cadenceOfPrice, findSeriesPeriods } from '../../invoicing/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { earliest, type Instant, normaliseCadence, type Period } from '../../kernel/time.ts';
import { figuresOf } from '../../look/index.ts';
import {
  everyWindow,
  isLevel,
  postgresUsage,
  subjectsOf,
  type UsageRow,
  windowCount,
  windowsOf,
} from '../../metering/index.ts';
import { type Html, html } from '../../pages/index.ts';
import { findSubscriptionsOfCustomer, type SubscriptionRow } from '../../subscriptions/index.ts';
import { barChart, highestOf, type Point } from '../frame/chart.ts';
import { stretch } from '../frame/lines.ts';
import type { PortalPage, Visit } from '../frame/page.ts';
import { PAGE_WORDS } from '../words/page-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';

const MOST_SUBSCRIPTIONS = 20;
const MOST_METRICS = 30;
/** Periods of a metric that can be looked at. */
const MOST_PERIODS = 6;
const MOST_DAYS = 100;

/** A metric that a plan of the customer prices, and the periods in which it is billed, the newest first. */
interface Measured {
  readonly metric: PricedMetric;
  readonly subscription: SubscriptionRow;
  readonly periods: readonly Period[];
}

/** The metrics of the customer's plans: of several plans with the same metric the oldest one says the periods. */
async function measuredOf({ tx, merchantId, customerId }: Visit): Promise<Measured[]> {
  const rows = await findSubscriptionsOfCustomer(tx, customerId, MOST_SUBSCRIPTIONS);
  const plans = await findPlans(
    tx,
    rows.map(({ planId }) => planId),
  );
  const versions = await findPlanVersions(
    tx,
    rows.map(({ planVersionId }) => planVersionId),
  );
  const found = new Map<string, Measured>();
  for (const subscription of rows.toReversed()) {
    const version = versions.get(subscription.planVersionId);
    const plan = plans.get(subscription.planId);
    if (!version || !plan) continue;
    const planCadence = normaliseCadence(plan.billingCadence);
    for (const price of version.prices) {
      const { metric } = price;
      if (metric === null || found.has(metric.id) || found.size >= MOST_METRICS) continue;
      const cadence = cadenceOfPrice({ planCadence }, price);
      const of = { merchantId, subscriptionId: subscription.id, cadence };
      const periods = await findSeriesPeriods(tx, of, MOST_PERIODS);
      if (periods.length > 0) found.set(metric.id, { metric, subscription, periods });
    }
  }
  return [...found.values()];
}

/** The usage of each metric, day by day, in a period that the address names by its number from the present one. */
export async function usagePage(visit: Visit): Promise<PortalPage> {
  const { look, query } = visit;
  const words = PAGE_WORDS[look.locale];
  const title = PORTAL_WORDS[look.locale].tabs.usage;
  const measured = await measuredOf(visit);
  const number = /^[0-5]$/.test(query.period ?? '') ? Number(query.period) : 0;
  const sections: Html[] = [];
  for (const [index, each] of measured.entries()) {
    visit.signal.throwIfAborted();
    sections.push(await metricSection(visit, each, number, `usage-${index}`));
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
  return html`<nav class="tabs" aria-label="${PAGE_WORDS[look.locale].periods}"><ul>${longest.periods.map(
    ({ start, end }, index) =>
      html`<li><a href="${base}/usage?period=${String(index)}"${index === number ? html` aria-current="true"` : null}>${stretch(look.locale, start, end)}</a></li>`,
  )}</ul></nav>`;
}

async function metricSection(visit: Visit, { metric, subscription, periods }: Measured, number: number, id: string) {
  const { tx, merchantId, customerId, look, now: wall } = visit;
  const words = PAGE_WORDS[look.locale];
  const { quantity: figure, day } = figuresOf(look.locale);
  const period = periods[number];
  if (period === undefined) return html``;
  const now = await effectiveNowForReading(tx, subscription.clockId, wall);
  const { start: from, end } = period;
  const to = Temporal.Instant.compare(now, from) > 0 ? earliest(end, now) : end;
  const sources = (await subjectsOf(tx, customerId)).map((subject) => ({ subject, from, to }));
  const { meter } = metric;
  const isLong = windowCount('DAY', from, to) > MOST_DAYS;
  const window = isLong ? 'MONTH' : 'DAY';
  const [rows = [], [whole] = []] = await postgresUsage.measure(tx, { merchantId, meter, sources, from, to }, [
    { window },
    {},
  ]);
  const values = new Map(
    (await inTurns(everyWindow(meter, rows, window, { to }))).map((row) => [startOf(row).epochMilliseconds, row.value]),
  );
  const windows = [...windowsOf(window, from, to)];
  const points: Point[] = windows.map(({ windowStart }) => ({
    label: day(windowStart),
    value: values.get(windowStart.epochMilliseconds) ?? decimal('0'),
  }));
  const unit = metric.unit === '' ? '' : ` ${metric.unit}`;
  const highest = `${figure(highestOf(points))}${unit}`;
  const title = words.chartOf(metric.name, day(from), day(to.subtract({ nanoseconds: 1 })), highest);
  const total = `${figure(whole?.value ?? decimal('0'))}${unit}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}" dir="auto">${metric.name}</h2>
<p class="soft">${stretch(look.locale, from, end)}</p>
<p><strong>${total}</strong> <span class="note">${words.sumOf[isLevel(meter) ? 'LATEST' : meter.aggregation]}</span></p>
${highestOf(points).isZero() ? null : barChart(title, `${id}-chart`, points, highest)}
<details><summary>${words.asTable}<span class="unseen">: ${metric.name}</span></summary>
<table><caption class="unseen">${metric.name}</caption><thead><tr><th scope="col">${words.onDay}</th><th scope="col" class="end">${words.used}</th></tr></thead>
<tbody>${points.map(({ label, value }) => html`<tr><th scope="row">${label}</th><td>${figure(value)}${unit}</td></tr>`)}</tbody></table></details>
</section>
`;
}

const startOf = ({ windowStart }: UsageRow): Instant => windowStart as Instant;
