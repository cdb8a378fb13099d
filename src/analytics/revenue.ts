import { findPlanNames } from '../catalog/index.ts';
import { customerParties } from '../customers/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { findOrganization } from '../identity/index.ts';
import { isId } from '../kernel/ids.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import { type BucketWidth, bucketsOf, type Range } from './buckets.ts';
import { coverOf } from './cover.ts';
import { selectFigures, selectKeptFigures } from './facts.sql.ts';
import {
  type Figure,
  type FigureGroup,
  groupFigures,
  isRevenue,
  NO_GROUP,
  OTHER_GROUPS,
  reportCurrency,
} from './figures.ts';
import { defaultWidth, readRange } from './read-range.ts';
import type { RevenueQuery, RevenueSummaryReply } from './schemas.ts';
import { type ShownGroup, toFiguresReply, toGroupReply } from './to-revenue-reply.ts';

/** Groups that are shown one by one; all others are one group. */
const MOST_GROUPS = 100;
const MOST_SUBSCRIPTIONS = 100;

interface Asked {
  readonly merchantId: string;
  readonly range: Range;
  readonly width: BucketWidth;
  readonly customerId: string | undefined;
  readonly subscriptionIds: readonly string[] | undefined;
}

/** GET /v0/revenue: the totals of invoices, credit notes and payments of a time (docs/decisions/0077). */
export async function revenueSummary(
  tx: Tx,
  merchantId: string,
  query: RevenueQuery,
): Promise<Result<RevenueSummaryReply>> {
  const bounds = { from: query.startTime, to: query.endTime };
  const width = query.bucketWidth ?? defaultWidth(bounds);
  const read = readRange(bounds, width, { to: 'endTime' });
  if (!read.ok) return read;
  const subscriptions = await readSubscriptions(tx, merchantId, query.subscriptionIds);
  if (!subscriptions.ok) return subscriptions;
  const asked = {
    merchantId,
    range: read.value,
    width,
    customerId: query.customerId,
    subscriptionIds: subscriptions.value,
  };
  const figures = await figuresOf(tx, asked, query.groupBy === 'plan' ? 'plan' : undefined);
  const merchant = await findOrganization(tx, merchantId, merchantId);
  const currency = reportCurrency(query.currency, merchant?.defaultCurrency ?? null, figures);
  const byCurrency = Map.groupBy(figures, (figure) => figure.currency);
  const groups = await groupsOf(tx, asked, query.groupBy, currency, figures);
  const buckets = bucketsOf(width, asked.range);
  return ok({
    object: 'revenue_summary',
    merchantId,
    currency,
    startTime: formatInstant(asked.range.from),
    endTime: formatInstant(asked.range.to),
    bucketWidth: width,
    ...toFiguresReply(byCurrency.get(currency) ?? [], currency, buckets, groups),
    groupBreakdown: (groups ?? []).map(toGroupReply),
    currencyBreakdown: [...byCurrency]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([each, own]) => ({ currency: each, ...toFiguresReply(own, each, buckets) })),
  });
}

/** The ids of a query; an unknown one is a 404, another merchant's a 403. */
async function readSubscriptions(
  tx: Tx,
  merchantId: string,
  given: RevenueQuery['subscriptionIds'],
): Promise<Result<string[] | undefined>> {
  if (given === undefined) return ok(undefined);
  const ids = [...new Set([given].flat().flatMap((part) => part.split(',')))];
  if (ids.length > MOST_SUBSCRIPTIONS)
    return invalidField(
      'subscriptionIds',
      `names ${ids.length} subscriptions; at most ${MOST_SUBSCRIPTIONS} are taken`,
    );
  if (!ids.every((id) => isId('subscription', id)))
    return invalidField('subscriptionIds', 'must be ids of subscriptions, separated by commas');
  for (const id of ids) {
    const known = await checkReference(tx, merchantId, 'subscription', id, 'subscriptionIds');
    if (!known.ok) return known;
  }
  return ok(ids);
}

/** Of some customers or subscriptions from their facts, of a whole merchant from sums. */
function figuresOf(tx: Tx, asked: Asked, by: 'plan' | 'customer' | undefined): Promise<Figure[]> {
  const { merchantId, range, width, customerId, subscriptionIds } = asked;
  if (customerId !== undefined || subscriptionIds !== undefined)
    return selectFigures(
      tx,
      merchantId,
      range,
      { customerIds: customerId === undefined ? undefined : [customerId], subscriptionIds },
      { width, by },
    );
  const cover = coverOf(range, width === 'hour' ? ['hour'] : ['day', 'hour']);
  return selectKeptFigures(tx, merchantId, range, cover, { width, by });
}

/** The groups of a report: by plan and customer in its currency, by currency all of them. */
async function groupsOf(
  tx: Tx,
  asked: Asked,
  groupBy: RevenueQuery['groupBy'],
  currency: string,
  figures: readonly Figure[],
): Promise<ShownGroup[] | undefined> {
  const { merchantId } = asked;
  const ofCurrency = (list: readonly Figure[]) => list.filter((figure) => figure.currency === currency);
  if (groupBy === undefined) return undefined;
  if (groupBy === 'currency')
    return [...Map.groupBy(figures, (figure) => figure.currency)]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([each, own]) => ({ key: each, label: each, currency: each, figures: own }));
  const groups = groupFigures(
    groupBy === 'plan' ? ofInvoices(ofCurrency(figures)) : await customerFigures(tx, asked, currency),
    MOST_GROUPS,
  );
  const named = groups.map(({ key }) => key).filter((key) => key !== NO_GROUP && key !== OTHER_GROUPS);
  const names =
    groupBy === 'plan' ? await findPlanNames(tx, merchantId, named) : await customerNames(tx, merchantId, named);
  return groups.map((group): ShownGroup => ({ ...group, currency, label: labelOf(group, names) }));
}

const labelOf = ({ key }: FigureGroup, names: ReadonlyMap<string, string>): string =>
  key === OTHER_GROUPS ? 'Other' : (names.get(key) ?? 'None');

/** Payments make no group. */
const ofInvoices = (figures: readonly Figure[]): Figure[] => figures.filter(isRevenue);

/**
 * Figures by customer. Which customers come first is found from sums of months; the trend of those that are shown is
 * then read from their facts.
 */
async function customerFigures(tx: Tx, asked: Asked, currency: string): Promise<Figure[]> {
  const { merchantId, range, width, customerId, subscriptionIds } = asked;
  if (customerId !== undefined || subscriptionIds !== undefined)
    return ofInvoices(await figuresOf(tx, asked, 'customer')).filter((figure) => figure.currency === currency);
  const cut = { by: 'customer', currency } as const;
  const all = ofInvoices(await selectKeptFigures(tx, merchantId, range, coverOf(range, ['month']), cut));
  const shown = groupFigures(all, MOST_GROUPS).map(({ key }) => key);
  const facts = await selectFigures(tx, merchantId, range, { customerIds: shown, currency }, { width, by: 'customer' });
  return [...ofInvoices(facts), ...all.filter(({ member }) => !shown.includes(member))];
}

async function customerNames(tx: Tx, merchantId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const parties = await customerParties(tx, merchantId, ids);
  return new Map([...parties].map(([id, { name }]) => [id, name]));
}
