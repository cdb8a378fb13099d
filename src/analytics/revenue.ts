import { findPlanNames } from '../catalog/index.ts';
import { customerParties } from '../customers/index.ts';
import { checkReference, type Tx } from '../db/index.ts';
import { eachInTurns } from '../http/index.ts';
import { findOrganization } from '../identity/index.ts';
import { isId } from '../kernel/ids.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import { formatInstant } from '../kernel/time.ts';
import { type BucketWidth, bucketsOf, type Range } from './buckets.ts';
import { coverOf } from './cover.ts';
import { type FigureCut, selectFigures, selectKeptFigures } from './facts.sql.ts';
import {
  type Figure,
  type FigureGroup,
  groupFigures,
  isRevenue,
  NO_GROUP,
  OTHER_GROUPS,
  reportCurrency,
} from './figures.ts';
import { checkBuckets, defaultWidth, readRange } from './read-range.ts';
import type { RevenueQuery, RevenueSummaryReply } from './schemas.ts';
import { issuedByBucket, type ShownGroup, toFiguresReply, toGroupReply } from './to-revenue-reply.ts';

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
export async function revenueSummary(tx: Tx, query: RevenueQuery): Promise<Result<RevenueSummaryReply>> {
  const bounds = { from: query.startTime, to: query.endTime };
  const width = query.bucketWidth ?? defaultWidth(bounds);
  const read = readRange(bounds, width, { to: 'endTime' });
  if (!read.ok) return read;
  const range = read.value;
  const subscriptions = await readSubscriptions(tx, query.subscriptionIds);
  if (!subscriptions.ok) return subscriptions;
  const asked = {
    merchantId: tx.merchantId,
    range,
    width,
    customerId: query.customerId,
    subscriptionIds: subscriptions.value,
  };
  const by = query.groupBy === 'currency' ? undefined : query.groupBy;
  const totals = await totalsOf(tx, asked, by);
  const merchant = await findOrganization(tx, tx.merchantId);
  const currency = reportCurrency(query.currency, merchant?.defaultCurrency ?? null, totals);
  const ofCurrency = ofInvoices(totals.filter((figure) => figure.currency === currency));
  const members = by === undefined ? [] : await groupFigures(ofCurrency, MOST_GROUPS);
  const currencies = new Set(totals.map((figure) => figure.currency));
  const counted = checkBuckets(range, width, Math.max(1, members.length, currencies.size));
  if (!counted.ok) return counted;
  const figures = await figuresOf(tx, asked, by === 'plan' ? by : undefined);
  const byCurrency = Map.groupBy(figures, (figure) => figure.currency);
  const groups = await groupsOf(tx, asked, query.groupBy, { currency, byCurrency, members });
  const repliesOf = (own: readonly Figure[], of: string) => toFiguresReply(own, of, bucketsOf(width, range));
  const currencyBreakdown: RevenueSummaryReply['currencyBreakdown'] = [];
  for (const each of [...byCurrency.keys()].toSorted())
    currencyBreakdown.push({ currency: each, ...(await repliesOf(byCurrency.get(each) ?? [], each)) });
  const top = currencyBreakdown.find((entry) => entry.currency === currency) ?? (await repliesOf([], currency));
  return ok({
    object: 'revenue_summary',
    merchantId: tx.merchantId,
    ...top,
    currency,
    startTime: formatInstant(range.from),
    endTime: formatInstant(range.to),
    bucketWidth: width,
    ...(groups && { trend: await withGroups(top.trend, range, width, groups) }),
    groupBreakdown: await eachInTurns(groups ?? [], toGroupReply),
    currencyBreakdown,
  });
}

/** The trend with what each group issued in a bucket. */
async function withGroups(
  trend: RevenueSummaryReply['trend'],
  range: Range,
  width: BucketWidth,
  groups: readonly ShownGroup[],
): Promise<RevenueSummaryReply['trend']> {
  const issued = await issuedByBucket(groups);
  const starts = bucketsOf(width, range);
  return eachInTurns(trend, (bucket) => {
    const start = starts.next().value as Range;
    return { ...bucket, groupBreakdown: issued.get(start.from.epochMilliseconds) ?? [] };
  });
}

/** The ids of a query; an unknown one is a 404, another merchant's a 403. */
async function readSubscriptions(
  tx: Tx,
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
    const known = await checkReference(tx, 'subscription', id, 'subscriptionIds');
    if (!known.ok) return known;
  }
  return ok(ids);
}

/** Figures by bucket: of some customers or subscriptions from their facts, of a whole merchant from sums. */
function figuresOf(tx: Tx, asked: Asked, by: 'plan' | 'customer' | undefined): Promise<Figure[]> {
  const { range, width } = asked;
  return isOfSome(asked)
    ? factsOf(tx, asked, { width, by })
    : selectKeptFigures(tx, range, coverOf(range, width === 'hour' ? ['hour'] : ['day', 'hour']), {
        width,
        by,
      });
}

/** The same of the whole time as one bucket: the currencies and the groups of the report. */
function totalsOf(tx: Tx, asked: Asked, by: 'plan' | 'customer' | undefined): Promise<Figure[]> {
  const cover = coverOf(asked.range, by === 'plan' ? ['day', 'hour'] : ['month']);
  return isOfSome(asked) ? factsOf(tx, asked, { by }) : selectKeptFigures(tx, asked.range, cover, { by });
}

const isOfSome = ({ customerId, subscriptionIds }: Asked): boolean =>
  customerId !== undefined || subscriptionIds !== undefined;

const factsOf = (tx: Tx, { range, customerId, subscriptionIds }: Asked, cut: FigureCut) =>
  selectFigures(tx, range, { customerIds: customerId === undefined ? undefined : [customerId], subscriptionIds }, cut);

/** What is known of a report before its groups are read by bucket. */
interface Known {
  readonly currency: string;
  readonly byCurrency: ReadonlyMap<string, readonly Figure[]>;
  /** The plans or customers of the report in its currency, with their totals. */
  readonly members: readonly FigureGroup[];
}

/** The groups of a report: by plan and customer in its currency, by currency all of them. */
async function groupsOf(
  tx: Tx,
  asked: Asked,
  groupBy: RevenueQuery['groupBy'],
  { currency, byCurrency, members }: Known,
): Promise<ShownGroup[] | undefined> {
  if (groupBy === undefined) return undefined;
  if (groupBy === 'currency')
    return [...byCurrency]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([each, own]) => ({ key: each, label: each, currency: each, figures: own }));
  const figures =
    groupBy === 'plan' ? (byCurrency.get(currency) ?? []) : await customerFigures(tx, asked, currency, members);
  const groups = await groupFigures(ofInvoices(figures), MOST_GROUPS);
  const named = groups.filter(isNamed).map(({ key }) => key);
  const names = groupBy === 'plan' ? await findPlanNames(tx, named) : await customerNames(tx, named);
  return groups.map((group): ShownGroup => ({ ...group, currency, label: labelOf(group, names) }));
}

const labelOf = ({ key }: FigureGroup, names: ReadonlyMap<string, string>): string =>
  key === OTHER_GROUPS ? 'Other' : (names.get(key) ?? 'None');

/** Payments make no group. */
const ofInvoices = (figures: readonly Figure[]): Figure[] => figures.filter(isRevenue);

/** Figures of the customers that are shown by bucket, from their facts; those of all others from their totals. */
async function customerFigures(
  tx: Tx,
  asked: Asked,
  currency: string,
  members: readonly FigureGroup[],
): Promise<Figure[]> {
  const { range, width } = asked;
  if (isOfSome(asked)) return (await figuresOf(tx, asked, 'customer')).filter((figure) => figure.currency === currency);
  const [shown, others] = [members.filter(isNamed), members.filter((group) => !isNamed(group))];
  const filter = { customerIds: shown.map(({ key }) => key), currency };
  const facts = await selectFigures(tx, range, filter, { width, by: 'customer' });
  return [...facts, ...others.flatMap(({ figures }) => figures)];
}

const isNamed = ({ key }: FigureGroup): boolean => key !== NO_GROUP && key !== OTHER_GROUPS;

async function customerNames(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const parties = await customerParties(tx, ids);
  return new Map([...parties].map(([id, { name }]) => [id, name]));
}
