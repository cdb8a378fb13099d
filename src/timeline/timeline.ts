import { findCustomer } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { kindOf } from '../kernel/ids.ts';
import { formatMoney } from '../kernel/money.ts';
import { invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant, instantOrNull, isBefore } from '../kernel/time.ts';
import { findUsageDays } from '../metering/index.ts';
import { byPlace, cursorOf, type Entry, isBehind, KINDS, type Place, readCursor } from './entry.ts';
import { type FactsQuery, selectFacts } from './facts.sql.ts';
import { PAGE_LENGTH, type TimelineEntryReply, type TimelineQuery, type TimelineReply } from './schemas.ts';
import { actorOf, titleOf } from './words.ts';

/** GET /v0/customers/{id}/timeline: what happened to a customer, the latest first (docs/decisions/0242). */
export async function customerTimeline(
  tx: Tx,
  customerId: string,
  query: TimelineQuery,
): Promise<Result<TimelineReply>> {
  const read = readQuery(customerId, query);
  if (!read.ok) return read;
  if (!(await findCustomer(tx, customerId))) return notFound('customer');
  const { most } = read.value;
  const entries = [...(await factsOf(tx, read.value)), ...(await usageOf(tx, read.value))].toSorted(byPlace);
  const data = entries.slice(0, most - 1);
  const hasMore = entries.length > data.length;
  return ok({
    object: 'list',
    data: data.map(toEntryReply),
    hasMore,
    nextCursor: hasMore ? cursorOf(data.at(-1) as Place) : null,
  });
}

/** The query, with one entry more than the page has. */
function readQuery(customerId: string, query: TimelineQuery): Result<FactsQuery> {
  const [from, to] = [instantOrNull(query.from), instantOrNull(query.to)];
  if (from && to && !isBefore(from, to)) return invalidField('to', 'must be after from');
  const words = query.kinds === undefined ? KINDS : [query.kinds].flat().flatMap((part) => part.split(','));
  const kinds = KINDS.filter((kind) => words.includes(kind));
  if (kinds.length !== new Set(words).size)
    return invalidField('kinds', `must be words of ${KINDS.join(', ')}, separated by commas`);
  const place = query.before === undefined ? ok(null) : readCursor(query.before);
  if (!place.ok) return place;
  return ok({ customerId, kinds, from, to, behind: place.value, most: (query.limit ?? PAGE_LENGTH) + 1 });
}

async function factsOf(tx: Tx, query: FactsQuery): Promise<Entry[]> {
  const kinds = query.kinds.filter((kind) => kind !== 'usage');
  const facts = kinds.length === 0 ? [] : await selectFacts(tx, { ...query, kinds });
  return facts.map((fact) => ({ ...fact, count: null }));
}

/** An entry for each day and event type, at the beginning of the day: so its place stays while events arrive. */
async function usageOf(tx: Tx, { customerId, kinds, from, to, behind, most }: FactsQuery): Promise<Entry[]> {
  if (!kinds.includes('usage')) return [];
  const end = behind?.at.add({ microseconds: 1 }); // the page before may have ended inside of a day
  const days = await findUsageDays(tx, { customerId, from, to: earlier(end ?? null, to), most });
  return days
    .map(({ startsAt, eventType, eventCount }) => ({
      ...{
        at: startsAt,
        seq: 0n,
        id: `usage_${eventType}`,
        kind: 'usage' as const,
        what: 'usage.recorded',
        label: eventType,
      },
      ...{ resourceId: null, invoiceId: null, amount: null, currency: null, userId: null, count: eventCount },
    }))
    .filter((entry) => isBehind(entry, behind));
}

const earlier = (a: Instant | null, b: Instant | null): Instant | null => (a && (b === null || isBefore(a, b)) ? a : b);

const toEntryReply = (entry: Entry): TimelineEntryReply => {
  const { at, kind, what, resourceId, amount, currency } = entry;
  return {
    object: 'timelineEntry',
    id: kind === 'usage' ? `${entry.id}_${formatInstant(at).slice(0, 10)}` : entry.id,
    at: formatInstant(at),
    kind,
    what,
    title: titleOf(entry),
    resourceType: typeOf(resourceId),
    resourceId,
    invoiceId: entry.invoiceId,
    amount: amount && (currency === null ? amount.toFixed() : formatMoney(amount, currency)),
    currency,
    count: entry.count,
    label: entry.label,
    actor: actorOf(entry),
    userId: entry.userId,
  };
};

/** The kind of a resource by its id; credit notes are `refund` there. */
const typeOf = (resourceId: string | null): string | null => {
  const kind = resourceId === null ? null : kindOf(resourceId);
  return kind === 'refund' ? 'creditNote' : kind;
};
