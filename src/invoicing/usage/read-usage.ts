import type { Tx } from '../../db/index.ts';
import { ZERO } from '../../kernel/decimal.ts';
import type { Fraction } from '../../kernel/fraction.ts';
import { earliest, isBefore, latest, type Period } from '../../kernel/time.ts';
import {
  amountOfEach,
  type CountedEvent,
  isLevel,
  isPercentile,
  type UsageRequest,
  type UsageRow,
  type UsageScope,
  usage,
  usageOfEach,
} from '../../metering/index.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { asBilled, cellOf, isCut, usageChargesOn } from '../owed/charges.ts';
import { dimensionsOf, eventRuleOf, isAdditive } from '../rating/index.ts';
import type { BilledPrice, BillingSource, BillingTerms, FindUsageSources } from '../terms/billing-terms.ts';
import { selectTakenByOthers } from './burnt-taken.sql.ts';
import {
  allotBurnt,
  type BurntIn,
  cutsBySeries,
  type GrantClaim,
  type RereadPeriod,
  stretchesOf,
  takenWithRereads,
  withoutTaken,
} from './burnt-units.ts';
import { ownShare } from './own-share.ts';

/** An invoice of a period, with the terms on which its subscription is billed. */
export interface PeriodToRead {
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow;
}

interface ReadOptions {
  /** The usage mark: as it was when only these events were there, from the events themselves. */
  readonly acceptedUpTo?: bigint | undefined;
  /** Other periods whose usage was read again and is not stored yet. */
  readonly reread?: readonly RereadPeriod[];
}

/**
 * The usage of each metered price of several invoices of a merchant, in their order: of the time in which the price
 * held, from the start of the invoice's whole period to the end of its own, so that a part that `closeNow` left is
 * measured with the parts before it. One call reads the figures of all their prices.
 */
export async function readUsageOfEach(
  tx: Tx,
  source: BillingSource,
  periods: readonly PeriodToRead[],
  { acceptedUpTo, reread = [] }: ReadOptions = {},
): Promise<BilledUsage[][]> {
  const [first] = periods;
  if (!first) return [];
  const metered = periods.filter(({ terms, invoice }) => usageChargesOn(terms, invoice).length > 0);
  if (metered.length === 0) return periods.map(() => []);
  const sourcesOf = await source.usageSources(
    tx,
    metered.map(({ terms }) => terms),
  );
  const asked = metered.flatMap((period) => pricesAsked(sourcesOf, period, acceptedUpTo));
  const answered = Map.groupBy(await answers(tx, asked), ({ period }) => period);
  const found: BilledUsage[][] = [];
  for (const period of periods)
    found.push(await withoutBurnt(tx, source, { ...period, reread }, answered.get(period) ?? []));
  return found;
}

/** A price of a period, and its question to metering. */
interface AskedPrice {
  readonly period: PeriodToRead;
  readonly price: BilledPrice;
  readonly spans: readonly Period[];
  /** The share of its whole period. */
  readonly fraction: Fraction;
  readonly request: UsageRequest;
  /** The whole period, where it goes on after this part (`closeNow`). */
  readonly cutPeriod: Period | null;
}

function pricesAsked(
  sourcesOf: FindUsageSources,
  period: PeriodToRead,
  acceptedUpTo: bigint | undefined,
): AskedPrice[] {
  const { terms, invoice } = period;
  const charges = usageChargesOn(terms, invoice);
  const wholePeriod = charges.length === 0 ? undefined : cellOf(terms, invoice).whole;
  const cutPeriod = wholePeriod && isCut(terms, invoice) ? wholePeriod : null;
  return charges.flatMap(({ price, spans, fraction }) => {
    const metric = price.metric as NonNullable<BilledPrice['metric']>;
    const sources = spans.flatMap((span) => sourcesOf(terms, metric.id, span));
    const [first, last] = [spans[0], spans.at(-1)];
    if (!(first && last) || sources.length === 0) return [];
    const request = {
      merchantId: terms.merchantId,
      meter: metric.meter,
      sources,
      from: first.start,
      to: last.end,
      ...(wholePeriod && { wholePeriod }),
      ...cutOf(price),
      ...(acceptedUpTo !== undefined && { acceptedUpTo }),
    };
    return [{ period, price, spans, fraction, request, cutPeriod }];
  });
}

interface AnsweredPrice extends AskedPrice {
  readonly usage: readonly BilledUsage[];
}

async function answers(tx: Tx, asked: readonly AskedPrice[]): Promise<AnsweredPrice[]> {
  const shares = await readShares(tx, asked);
  const rows = await usageOfEach(
    tx,
    asked.map((each) => ({ ...each.request, ...sampledOf(each, shares.has(each)) })),
  );
  const found: AnsweredPrice[] = [];
  for (const [place, each] of asked.entries()) {
    const share = shares.get(each);
    const ofEach = await readOfEach(tx, each.price, each.fraction, each.request);
    const usage = (rows[place] ?? []).map((row) => ({
      priceId: each.price.id,
      groupValues: row.group,
      quantity: row.exact ?? row.value,
      eventCount: row.eventCount,
      granted: ZERO,
      ...ofEach,
      ...(share && { share }),
    }));
    found.push({ ...each, usage });
  }
  return found;
}

/**
 * The time whose windows a percentile is of: that of the price, or of it what is the subscription's own. After a cut
 * all windows of the period count, those to come as 0: so no part of it is below 0.
 */
function sampledOf(
  { price, spans, period, request: { sources }, cutPeriod }: AskedPrice,
  isShared: boolean,
): Pick<UsageRequest, 'sampled'> {
  if (price.metric === null || !isPercentile(price.metric.meter)) return {};
  if (cutPeriod !== null) return { sampled: [cutPeriod] };
  const own = isShared ? (sources ?? []).filter(({ subject }) => subject === period.terms.customerId) : [];
  return { sampled: isShared ? own.map(({ from: start, to: end }) => ({ start, end })) : spans };
}

/** What the events of a price come to one by one, where it is on each event; such a price has no groups. */
export async function readOfEach(
  tx: Tx,
  { pricing, agreed }: BilledPrice,
  fraction: Fraction,
  scope: UsageScope,
): Promise<Pick<BilledUsage, 'ofEach' | 'ofEachAtList'>> {
  const rule = eventRuleOf(pricing, fraction);
  const listed = agreed ? eventRuleOf(agreed.list.pricing, fraction) : null;
  return {
    ...(rule && { ofEach: await amountOfEach(tx, scope, rule) }),
    ...(listed && { ofEachAtList: await amountOfEach(tx, scope, listed) }),
  };
}

/** The share of time of a figure that does not add up (`ownShare`). Events for the subscription itself make it 1. */
async function readShares(tx: Tx, asked: readonly AskedPrice[]): Promise<Map<AskedPrice, Fraction>> {
  const shared = asked.flatMap((each) => {
    const { meter, sources } = each.request;
    const share = isAdditive(meter.aggregation)
      ? null
      : ownShare(each.spans, sources ?? [], each.period.terms.customerId);
    return share === null ? [] : [{ each, share }];
  });
  const direct = await usageOfEach(
    tx,
    shared.map(({ each: { request, period } }) => ({
      ...request,
      sources: request.sources?.filter(({ subject }) => subject === period.terms.subscriptionId) ?? [],
    })),
  );
  const isNamed = (rows: readonly UsageRow[]) =>
    rows.some(({ eventCount, value }) => eventCount > 0 || !value.isZero());
  return new Map(shared.flatMap(({ each, share }, place) => (isNamed(direct[place] ?? []) ? [] : [[each, share]])));
}

/** The usage of the prices of a period, with the units that grants burnt of it. */
async function withoutBurnt(
  tx: Tx,
  source: BillingSource,
  { terms, invoice, reread }: PeriodToRead & { readonly reread: readonly RereadPeriod[] },
  answered: readonly AnsweredPrice[],
): Promise<BilledUsage[]> {
  const found = answered.flatMap(({ usage }) => usage);
  const covered = answered.flatMap(({ price, spans, usage: [only] }) =>
    // A price that grants may cover has no groups (the catalog sees to it).
    price.grantDiscountEnabled && only
      ? [{ priceId: price.id, metricId: price.metric?.id as string, spans, used: only.quantity }]
      : [],
  );
  if (covered.length === 0) return found;
  const allotted = allotBurnt(await readBurnt(tx, source, terms, { invoice, reread }, covered), covered);
  const byPrice = new Map(covered.map(({ priceId }, index) => [priceId, allotted[index]]));
  return found.map((row) => {
    const { units = ZERO, taken = [] } = byPrice.get(row.priceId) ?? {};
    return { ...row, granted: units, taken };
  });
}

/** The burnt units in the time of some claims, less those that invoices of other series already leave out. */
async function readBurnt(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  { invoice, reread }: { readonly invoice: InvoiceRow; readonly reread: readonly RereadPeriod[] },
  claims: readonly GrantClaim[],
): Promise<BurntIn[]> {
  const time = spanned(claims.flatMap(({ spans }) => spans));
  if (time === null) return [];
  const { billingCadence: cadence } = invoice;
  const taken = takenWithRereads(await selectTakenByOthers(tx, invoice, time), reread, { cadence, time });
  const cuts = [...cutsBySeries(terms, cadence, time), ...taken.flatMap(({ stretch }) => [stretch.start, stretch.end])];
  const metricIds = [...new Set(claims.map(({ metricId }) => metricId))];
  const burnt: BurntIn[] = [];
  for (const stretch of stretchesOf(claims, cuts))
    for (const units of await source.granted(tx, terms, metricIds, stretch)) burnt.push({ ...units, stretch });
  return withoutTaken(burnt, taken);
}

/** From the start of the first span to the end of the last. */
function spanned(spans: readonly Period[]): Period | null {
  const [first] = spans;
  return first
    ? spans.reduce((all, { start, end }) => ({ start: earliest(all.start, start), end: latest(all.end, end) }), first)
    : null;
}

/** The question about an event: is its level the last one at the end of a period, for a price, in its own group? */
interface LevelInPeriod {
  readonly price: BilledPrice;
  readonly period: Period;
  readonly event: Pick<CountedEvent, 'at'>;
  readonly group: Readonly<Record<string, string | null>>;
}

/**
 * Did a later event of the same group set a new level before the end of a period? For other figures all events count.
 */
export async function isSuperseded(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  { price, period, event, group }: LevelInPeriod,
): Promise<boolean> {
  const { metric } = price;
  if (metric === null || !isLevel(metric.meter)) return false;
  const from = event.at.add({ microseconds: 1 });
  const sources = (await source.usageSources(tx, [terms]))(terms, metric.id, period)
    .map((each) => ({ ...each, from }))
    .filter(({ to }) => isBefore(from, to));
  if (sources.length === 0) return false;
  const rows = await usage(tx, {
    merchantId: terms.merchantId,
    meter: metric.meter,
    sources,
    from,
    to: period.end,
    ...cutOf(price),
  });
  const own = rows.find((row) => Object.entries(row.group).every(([name, value]) => value === (group[name] ?? null)));
  return (own?.eventCount ?? 0) > 0;
}

/** The filter and the groups of a price's usage. */
const cutOf = ({ groupFilters, pricing }: BilledPrice) => {
  const groups = dimensionsOf(pricing);
  return { ...(groupFilters && { groupFilters }), ...(groups && { groups }) };
};

/**
 * The usage of one price of an invoice's own period as it is now, of each group hour by hour; of hours in which there
 * was any, or a level was set.
 */
export async function readUsageByHour(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  invoice: InvoiceRow,
  priceId: string,
): Promise<UsageRow[]> {
  const charge = usageChargesOn(asBilled(terms, invoice), invoice).find(({ price }) => price.id === priceId);
  const metric = charge?.price.metric;
  if (!(charge && metric)) return [];
  const sourcesOf = await source.usageSources(tx, [terms]);
  const sources = charge.spans.flatMap((span) => sourcesOf(terms, metric.id, span));
  if (sources.length === 0) return [];
  return usage(tx, {
    merchantId: terms.merchantId,
    meter: metric.meter,
    sources,
    from: invoice.periodStart,
    to: invoice.periodEnd,
    wholePeriod: cellOf(asBilled(terms, invoice), invoice).whole,
    window: 'HOUR',
    ...cutOf(charge.price),
  });
}
