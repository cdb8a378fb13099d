import type { Tx } from '../../db/index.ts';
import { findCancelledPeriods, findClosedPeriods, findReadSeries } from '../../invoicing/index.ts';
import { earliest, type Instant, isAfter, isBefore, latest, normaliseCadence, type Period } from '../../kernel/time.ts';
import type { LateSource, UsageSource } from '../../metering/index.ts';
import { endOf } from '../subscription/decide.ts';
import { type ClaimingCustomerRow, selectClaimingBetween } from '../subscription/subscriptions.sql.ts';
import { heldVersions, loadHistories, type PlanAtVersion } from './agreement.ts';
import { metricsOf } from './usage-claims.ts';
import { claimOf, ownedSpans, type PricedVersion, type ReadSeries, type UsageClaim } from './usage-owner.ts';

/** The values of dimensions that a price takes, by the dimension; null: it takes all usage. */
export type PriceFilter = Readonly<Record<string, readonly string[]>> | null;

/** Usage of a metric that prices with these filters bill. */
export interface PricedUsage {
  readonly filters: readonly PriceFilter[];
  readonly sources: readonly UsageSource[];
  /** The part of it that came too late: after the last reading of an ended subscription's usage. */
  readonly late: readonly LateSource[];
  /** The part of it whose invoice is cancelled and not billed again. */
  readonly cancelled: readonly UsageSource[];
}

/** The usage that subscriptions bill, with its times. */
export interface BillableUsage {
  /** Of any metric: the time in which a subscription is active. */
  readonly active: readonly UsageSource[];
  /** By metric; usage with the same filters together. */
  readonly priced: ReadonlyMap<string, readonly PricedUsage[]>;
}

/** A version with its prices of each metric. */
interface FilteredVersion extends PricedVersion {
  readonly filters: ReadonlyMap<string, readonly PriceFilter[]>;
}

interface Claimant {
  readonly row: ClaimingCustomerRow;
  readonly claim: UsageClaim;
  readonly versions: readonly FilteredVersion[];
}

/** The usage of a time that all subscriptions of a merchant bill: the same answer as for the close of a period. */
export async function findBillableUsage(tx: Tx, period: Period): Promise<BillableUsage> {
  const rows = await selectClaimingBetween(tx, period);
  const ended = rows.filter((row) => endOf(row) !== null).map(({ id }) => id);
  const read = ended.length === 0 ? [] : await findReadSeries(tx, ended);
  const over = rows.filter(({ status, nextActionAt: next }) => status === 'terminated' && next === null);
  const closed =
    over.length === 0
      ? []
      : await findClosedPeriods(
          tx,
          over.map(({ id }) => id),
        );
  const closedOf = Map.groupBy(closed, ({ subscriptionId }) => subscriptionId);
  const cancelled = await findCancelledPeriods(tx, period);
  const cancelledOf = Map.groupBy(cancelled, ({ subscriptionId }) => subscriptionId);
  const claimants = await claimantsOf(tx, rows);
  const readOf = Map.groupBy(read, ({ subscriptionId }) => subscriptionId);
  const customers = Map.groupBy(claimants, ({ row }) => `${row.customerId} ${row.clockId}`);
  return together(
    [...customers.values()].flatMap((ofOne) => usageOfCustomer(ofOne, { readOf, closedOf, cancelledOf }, period)),
  );
}

async function claimantsOf(tx: Tx, rows: readonly ClaimingCustomerRow[]): Promise<Claimant[]> {
  const agreements = await loadHistories(tx, rows);
  const known = new Map<PlanAtVersion, ReturnType<typeof pricesOf>>(); // most subscriptions share theirs
  const pricesOnce = (pinned: PlanAtVersion) => {
    const prices = known.get(pinned) ?? pricesOf(pinned);
    known.set(pinned, prices);
    return prices;
  };
  return rows.map((row) => {
    const { at } = agreements(row.id);
    const versions = heldVersions(row, agreements(row.id)).map(({ from, to, paused }): FilteredVersion => {
      const prices = pricesOnce(at(to));
      return { ...prices, from, paused, ...(paused === 'free' && { filters: new Map() }) };
    });
    const claim = claimOf({ subscriptionId: row.id, start: row.startedAt, end: endOf(row) }, versions);
    return { row, claim, versions };
  });
}

function pricesOf({ plan, version }: PlanAtVersion): Pick<FilteredVersion, 'metrics' | 'filters'> {
  const metered = version.prices.flatMap(({ metric, groupFilters }) =>
    metric ? [{ id: metric.id, filter: groupFilters }] : [],
  );
  const byMetric = Map.groupBy(metered, ({ id }) => id);
  return {
    metrics: metricsOf({ planCadence: normaliseCadence(plan.billingCadence), prices: version.prices }),
    filters: new Map([...byMetric].map(([id, those]) => [id, those.map(({ filter }) => filter)])),
  };
}

/** A stretch of usage of one metric, or (null) of a subscription that is active. */
interface Stretch {
  readonly metricId: string | null;
  readonly filters: readonly PriceFilter[];
  readonly source: UsageSource;
  /** Of a subscription whose usage is not read again; empty for any other. */
  readonly closed: readonly ClosedPeriod[];
  /** Periods whose invoice is cancelled. */
  readonly cancelled: readonly Period[];
}

/** A period whose usage was read for the last time, up to an event. */
type ClosedPeriod = Period & { readonly mark: bigint };

/** @param claimants the subscriptions of one customer on one clock, in the order of their creation */
function usageOfCustomer(
  claimants: readonly Claimant[],
  {
    readOf,
    closedOf,
    cancelledOf,
  }: {
    readonly readOf: ReadonlyMap<string, readonly ReadSeries[]>;
    readonly closedOf: ReadonlyMap<string, readonly (ClosedPeriod & { readonly cadence: string })[]>;
    readonly cancelledOf: ReadonlyMap<string, readonly (Period & { readonly cadence: string })[]>;
  },
  period: Period,
): Stretch[] {
  const claims = claimants.map(({ claim }) => claim);
  const read = claims.flatMap(({ subscriptionId }) => readOf.get(subscriptionId) ?? []);
  return claimants.flatMap(({ row, claim, versions }) => {
    const own = readOf.get(row.id) ?? [];
    const start = latest(period.start, row.billingStartsAt);
    const subjects = [row.id, row.customerId];
    const activeUntil = earliest(
      period.end,
      own.reduce((at, { until }) => latest(at, until), claim.end ?? period.end),
    );
    const active = stretchesOf(subjects, null, [], [{ start, end: activeUntil }]);
    const metricIds = [...new Set(claim.spans.flatMap(({ metrics }) => [...metrics.keys()]))];
    const priced = metricIds.flatMap((metricId) => {
      const cadences = claim.spans.at(-1)?.metrics.get(metricId) ?? [];
      const reads = own.filter(({ cadence }) => cadences.includes(cadence));
      const until = earliest(
        period.end,
        reads.reduce((at, each) => latest(at, each.until), claim.end ?? period.end),
      );
      if (!isBefore(start, until)) return [];
      const ofCadences = <Of extends { readonly cadence: string }>(those: readonly Of[] = []): Of[] =>
        those.filter(({ cadence }) => cadences.includes(cadence));
      const past = { closed: ofCadences(closedOf.get(row.id)), cancelled: ofCadences(cancelledOf.get(row.id)) };
      const asked = { start, end: until };
      const owned = ownedSpans(claims, { subscriptionId: row.id, metricId }, asked, read);
      return timesOf(versions).flatMap(({ version, from, to }) => {
        const filters = version.filters.get(metricId);
        if (!filters) return [];
        const within = (spans: readonly Period[]) => spans.map((span) => clip(span, from, to));
        return [
          ...stretchesOf([row.id], metricId, filters, within([asked]), past),
          ...stretchesOf([row.customerId], metricId, filters, within(owned), past),
        ];
      });
    });
    return [...active, ...priced];
  });
}

/** When each version of a subscription holds; the first one from ever, the last one for ever. */
const timesOf = (versions: readonly FilteredVersion[]) =>
  versions.map((version, index) => ({
    version,
    from: index === 0 ? null : version.from,
    to: versions[index + 1]?.from ?? null,
  }));

const clip = ({ start, end }: Period, from: Instant | null, to: Instant | null): Period => ({
  start: from ? latest(start, from) : start,
  end: to ? earliest(end, to) : end,
});

const stretchesOf = (
  subjects: readonly string[],
  metricId: string | null,
  filters: readonly PriceFilter[],
  spans: readonly Period[],
  past: Pick<Stretch, 'closed' | 'cancelled'> = { closed: [], cancelled: [] },
): Stretch[] =>
  spans
    .filter(({ start, end }) => isAfter(end, start))
    .flatMap(({ start, end }) =>
      subjects.map((subject) => ({ metricId, filters, ...past, source: { subject, from: start, to: end } })),
    );

function together(stretches: readonly Stretch[]): BillableUsage {
  const ofMetrics = Map.groupBy(stretches, ({ metricId }) => metricId);
  const sourcesOf = (those: readonly Stretch[]) => those.map(({ source }) => source);
  const priced = [...ofMetrics].flatMap(([metricId, those]) => {
    if (metricId === null) return [];
    const bySignature = Map.groupBy(those, ({ filters }) => signatureOf(filters));
    const usage = [...bySignature.values()].map((alike) => ({
      filters: (alike[0] as Stretch).filters,
      sources: sourcesOf(alike),
      late: alike.flatMap(lateOf),
      cancelled: alike.flatMap(cancelledOf),
    }));
    return [[metricId, usage] as const];
  });
  return { active: sourcesOf(ofMetrics.get(null) ?? []), priced: new Map(priced) };
}

/** The same text for filters that take the same usage. */
const signatureOf = (filters: readonly PriceFilter[]): string =>
  filters.includes(null) ? 'all' : JSON.stringify(filters.map((filter) => JSON.stringify(filter)).toSorted());

/** The part of a stretch in a period. */
const inPeriod = ({ subject, from, to }: UsageSource, { start, end }: Period): UsageSource[] => {
  const part = { subject, from: latest(from, start), to: earliest(to, end) };
  return isBefore(part.from, part.to) ? [part] : [];
};

/** The part of a stretch that was accepted after the last reading of its periods. */
const lateOf = ({ source, closed, cancelled }: Stretch): LateSource[] =>
  closed
    .filter(({ start, end }) => !cancelled.some((each) => each.start.equals(start) && each.end.equals(end)))
    .flatMap((period) => inPeriod(source, period).map((part) => ({ ...part, after: period.mark })));

/** The part of a stretch whose invoice is cancelled. */
const cancelledOf = ({ source, cancelled }: Stretch): UsageSource[] =>
  cancelled.flatMap((period) => inPeriod(source, period));
