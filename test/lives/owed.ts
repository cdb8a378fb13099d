import { type Exact, exact, minus, nearest, plus, read, times } from '../support/exact.ts';
import { chargeOf } from '../support/invoice-oracle.ts';
import { agreedIn } from './agreed.ts';
import { type Couponed, lessPercents, offPeriods, withWindows } from './coupons.ts';
import {
  cadenceIn,
  clipped,
  type Deed,
  type Discount,
  graceOf,
  type History,
  heldSpans,
  historiesOf,
  lengthOf,
  NEVER,
  type Period,
  periodsOf,
  position,
  prorationFor,
  type Span,
  segmentsOf,
  type Version,
} from './history.ts';
import { DAY, DIGITS, HOUR, type Life, type Metric, type Of, type Plan, type Price } from './life.ts';
import { minorOf, type Noted, notesIn, type Taken, takenOff } from './noted.ts';
import { billedAnew, unpaused } from './paused.ts';
import { rankedIn } from './ranked.ts';

/**
 * The amount that a settled life must have billed. It is computed from the steps alone, in fractions of big integers,
 * by domain.md §2 to §5. It knows nothing of invoices and shares no code with the program.
 */
export interface Owed {
  readonly sub: string;
  /** `minimum`: the commitment of the plans. `coupon`: coupons that are worked out for whole periods; below 0. */
  readonly price: number | 'minimum' | 'coupon';
  /** Net of discounts, before tax, in minor units; with tax where taxes are inclusive. */
  readonly amount: Exact;
  /** The number of rounded or credited periods: an odd life may be off by so many minor units. */
  readonly roundings: number;
  /** Amounts that the rules may bill or not. */
  readonly isOpen: boolean;
  /** The working, for people. */
  readonly because: readonly string[];
}

type Use = Of<'use'>;

export function owedOf(lived: Life, deeds: readonly Deed[], neverActive: ReadonlySet<string>): Owed[] {
  const agreed = agreedIn(lived, historiesOf(lived, deeds, neverActive).map(withWindows));
  const { life, histories, listed } = agreed;
  const grants = deeds.flatMap(({ step }) => (step.do === 'grant' ? [step] : []));
  return histories.flatMap((history) => {
    const world = { history, histories, uses: usesIn(history, deeds), grants };
    const bills = life.prices.map((_, price) =>
      withCoupons(life, history, billsOf(life, world, price), listed[price] as number),
    );
    const owed = bills.map((found, price) => owedFor(life, history, price, found));
    const notes = notesIn(deeds).filter(({ sub }) => sub === history.sub);
    const { taken, excess } = takenOff({ lived, agreed, history, notes, bills });
    const minimum = minimumsOf(life, history, [...bills.flat(), ...excess]);
    const off = offPeriods(life, history, [...bills.flat(), ...minimum]);
    return [
      ...lived.prices.map((_, price) =>
        less(
          together(owed.filter((each) => listed[each.price as number] === price)),
          taken.filter((each) => each.price === price),
        ),
      ),
      totalOf(history.sub, 'minimum', lessNotes(life, minimum, notes)),
      totalOf(history.sub, 'coupon', [
        { amount: exact(off.amount), because: off.because.join('; '), roundings: off.because.length },
      ]),
    ];
  });
}

/** Usage that comes more than 35 days after the end of its subscription is reported, and not billed (domain.md §4). */
const LATE = 35 * DAY;

const usesIn = ({ end, endedAt }: History, deeds: readonly Deed[]): Use[] =>
  deeds.flatMap(({ step, at }) =>
    step.do === 'use' && (end === null || at <= Math.max(end, endedAt ?? end) + LATE) ? [step] : [],
  );

const less = (owed: Owed, taken: readonly Taken[]): Owed => ({
  ...owed,
  amount: taken.map(({ amount }) => amount).reduce(minus, owed.amount),
  roundings: owed.roundings + taken.length,
  because: [...owed.because, ...taken.map(({ because }) => because)],
});

/** What a price owes in all its variants: the agreed ones stand on lines of the listed one. The listed one is first. */
function together(all: readonly Owed[]): Owed {
  const [first] = all as [Owed, ...Owed[]];
  return {
    ...first,
    amount: all.map(({ amount }) => amount).reduce(plus),
    roundings: all.reduce((total, { roundings }) => total + roundings, 0),
    isOpen: all.some(({ isOpen }) => isOpen),
    because: all.flatMap(({ because }) => because),
  };
}

interface World {
  readonly history: History;
  readonly histories: readonly History[];
  readonly uses: readonly Use[];
  readonly grants: readonly Of<'grant'>[];
}

/** What a price owes for a time, as one invoice bills it; what credits take back of it is left out. */
export interface Bill extends Couponed {
  readonly amount: Exact;
  /** The minimum and the maximum of its price, which come after percentages of coupons. */
  readonly limits?: Limits;
  /** What coupons that name no prices take of it: it counts for a minimum. */
  readonly general?: Exact;
  readonly because: string;
  readonly roundings: number;
  /** The period of its series; absent: it is billed once. */
  readonly whole?: Span;
  readonly cadence?: string;
  /** The time that it is for. */
  readonly spans: readonly Span[];
  /** The end of its invoice's period, in arrears; null: in advance. */
  readonly closed: number | null;
  /** Is that a cut, and not the end of the period? */
  readonly isCut: boolean;
}

function billsOf(life: Life, world: World, index: number): Bill[] {
  const { history } = world;
  const price = life.prices[index] as Price;
  if (price.cadence === 'P0D') return onceOwed(life, history, index);
  const closed = price.metric === undefined ? asOpen(life, history) : asClosed(life, history);
  return closed.flatMap((each) =>
    price.metric === undefined ? feesOwed(life, history, index, each.period) : usageOwed(life, world, index, each),
  );
}

interface Limits {
  readonly low: bigint | null;
  readonly high: bigint | null;
}

/** An amount within the limits of its price. */
const limited = (amount: Exact, { low, high }: Limits = { low: null, high: null }): Exact => {
  const isAbove = (limit: bigint) => minus(amount, exact(limit)).over > 0n;
  const below = high !== null && isAbove(high) ? exact(high) : amount;
  return low !== null && minus(below, exact(low)).over < 0n ? exact(low) : below;
};

/** The bills of a price less the percentages of coupons, charge by charge, within the limits of the price. */
const withCoupons = (life: Life, history: History, bills: readonly Bill[], listed: number): Bill[] =>
  [...Map.groupBy(bills, ({ whole, service }) => `${whole?.from} ${service.from}`).values()].flatMap((charge) => {
    const own = charge.map((bill) => ({ ...bill, listed }));
    const named = { ...history, coupons: history.coupons.filter(({ prices }) => prices !== undefined) };
    const after = lessPercents(life, history, own);
    return lessPercents(life, named, own).map((bill, place) => {
      const within = ({ amount, limits }: Bill) => limited(amount, limits);
      const less = after[place] as Bill;
      const general = minus(bill.amount, less.amount); // a limit counts as its line, which is after all coupons
      const roundings = bill.roundings + history.coupons.length;
      return { ...bill, amount: within(less), before: within(own[place] as Bill), general, roundings };
    });
  });

const totalOf = (
  sub: string,
  price: Owed['price'],
  bills: readonly Pick<Bill, 'amount' | 'because' | 'roundings'>[],
): Owed => ({
  ...{ sub, price, isOpen: false },
  amount: bills.map(({ amount }) => amount).reduce(plus, exact(0n)),
  roundings: bills.reduce((total, { roundings }) => total + roundings, 0),
  because: bills.map(({ because }) => because),
});

function owedFor(life: Life, history: History, index: number, bills: readonly Bill[]): Owed {
  return {
    sub: history.sub,
    price: index,
    amount: bills.reduce((total, { amount }) => plus(total, amount), exact(0n)),
    roundings: bills.reduce((total, { roundings }) => total + roundings, 0),
    isOpen: life.prices[index]?.cadence === 'P0D' && isOnceOpen(life, history, index),
    because: bills.map(({ because }) => because),
  };
}

/**
 * The commitments (domain.md §2): for each period of the plan's own series, what its charges lack at its end. A charge
 * of the series counts whole. One of another cadence counts by its seconds in the period, if it is billed by then; in
 * arrears it is if its own period or part ends by then, and a cut of a longer series never counts.
 */
function minimumsOf(life: Life, history: History, bills: readonly Bill[]): Bill[] {
  return periodsOf(life, history).flatMap(({ chain, whole, span }) => {
    const parts = segmentsOf(history).flatMap(({ plan, ...segment }) => {
      const { minimum, cadence } = life.plans[plan] as Plan;
      const share = exact(BigInt(overlapOf(unpaused([segment], history), span)), BigInt(whole.to - whole.from));
      // A period that is paused throughout has none, also where its usage comes to less than nothing.
      return minimum === undefined || cadence !== chain.cadence || share.over === 0n
        ? []
        : [times(read(minimum), share)];
    });
    if (parts.length === 0) return [];
    const isOwn = (bill: Bill) => bill.cadence === chain.cadence && bill.whole?.from === whole.from;
    const isBilled = ({ closed, isCut, whole: other }: Bill): boolean => {
      const isLonger = other !== undefined && other.to - other.from > whole.to - whole.from;
      return closed === null || (closed <= span.to && !(isLonger && isCut));
    };
    const counted = bills.flatMap((bill) => {
      const amount = plus(bill.amount, bill.general ?? exact(0n));
      if (isOwn(bill)) return [amount];
      const length = lengthOf(bill.spans);
      if (bill.cadence === chain.cadence || length === 0 || !isBilled(bill)) return [];
      const overlap = overlapOf(bill.spans, span);
      return overlap === 0 ? [] : [times(amount, exact(BigInt(overlap), BigInt(length)))];
    });
    const asked = times(parts.reduce(plus), exact(10n ** BigInt(DIGITS[life.currency])));
    const missing = nearest(counted.reduce(minus, asked));
    const because = `${shown(span)} minimum ${asked.over}/${asked.under}, missing ${missing}`;
    const bill: Bill = {
      ...{ amount: exact(missing > 0n ? missing : 0n), because, roundings: 1 + counted.length },
      ...{ listed: 'minimum', service: span, spans: [], closed: null, isCut: false },
    };
    return lessPercents(life, history, [bill]).map((each) => ({ ...each, before: bill.amount }));
  });
}

/** Minimums less the notes on them: coupons look at a line before its notes. */
const lessNotes = (life: Life, minimums: readonly Bill[], notes: readonly Noted[]): Bill[] =>
  minimums.map(({ service, amount, ...bill }) => {
    const noted = notes
      .filter(({ price, from }) => price === 'minimum' && service.from <= from && from < service.to)
      .map((note) => minorOf(life, note))
      .reduce(plus, exact(0n));
    const left = nearest(minus(amount, noted));
    return { ...bill, service, amount: exact(left > 0n ? left : 0n) };
  });

const overlapOf = (spans: readonly Span[], within: Span): number => lengthOf(clipped(spans, within));

/** `P0D`: once per subscription and price, at the first version with billed time and the price. */
function onceOwed(life: Life, history: History, index: number): Bill[] {
  const versions = isOnceOpen(life, history, index) ? history.versions : segmentsOf(history);
  const first = versions.find(({ plan }) => (life.plans[plan] as Plan).prices.includes(index));
  if (!first) return [];
  const price = life.prices[index] as Price;
  const { properties, model } = price;
  const quantity = first.quantities.get(index) as number;
  const isFirst = ({ plan }: Pick<Version, 'plan'>) => plan === history.versions[0]?.plan;
  const { amount } = chargeOf(
    { ...asked({ properties, model }), isForTime: true, used: [asUsed(String(quantity))], share: exact(1n) },
    DIGITS[life.currency],
  );
  const isAsked = price.term === 'in_advance' && history.billedFrom <= history.madeAt && isFirst(first);
  const net = isAsked ? amount : discounted(history, amount, NEVER);
  const service = { from: Math.max(first.from, history.billedFrom), to: NEVER };
  const once = { because: `once ${net}`, roundings: 0, spans: [], closed: null, isCut: false };
  return [{ ...once, amount: exact(net), service, listed: index }];
}

/**
 * A one-time charge has no time, so none of it is ever unused. If its version ended up without any length, or an end in
 * the past lies before it, it may have been billed, and stays.
 */
function isOnceOpen(life: Life, history: History, index: number): boolean {
  const isIn = ({ plan }: { readonly plan: number }) => (life.plans[plan] as Plan).prices.includes(index);
  return history.versions.some(isIn) && !segmentsOf(history).some(isIn);
}

const asked = ({ properties, model }: Pick<Price, 'properties' | 'model'>) => ({
  pricing: { model, properties } as never,
  covered: '0',
  minimum: null,
  maximum: null,
});

const asUsed = (
  quantity: string,
  events = 0,
  group: Record<string, string | null> = {},
  values: readonly string[] = [],
) => ({ quantity, events, group, values });

/** Each quantity of a fee is a charge of its own, for its time. */
const feesOwed = (life: Life, history: History, index: number, period: Period) =>
  [...new Set(history.versions.flatMap(({ quantities }) => quantities.get(index) ?? []))].flatMap((quantity) =>
    feeOwed(life, history, index, period, quantity),
  );

function feeOwed(life: Life, history: History, index: number, period: Period, quantity: number): Bill[] {
  const held = heldSpans(life, history, period, index, quantity);
  // A pause takes its seconds from whoever has them, after changes have divided the period.
  const spans = history.pauses.length === 0 ? held : unpaused(moneySpans(history, period, index, held), history);
  if (spans.length === 0) return [];
  const shareOf = (them: readonly Span[]) =>
    history.pauses.length === 0 ? moneyShare(history, period, index, them) : ofWhole(period, lengthOf(them));
  const price = life.prices[index] as Price;
  // A price that comes, goes and comes back is credited and charged in parts. Each part is rounded.
  const cuts = segmentsOf(history).filter(({ from }) => from > period.whole.from && from < period.whole.to).length;
  const isEnded = history.end !== null && history.end < period.whole.to;
  const pauses = history.pauses.filter(({ from, to }) => from < period.whole.to && period.whole.from < to).length;
  const roundings = life.isEven ? 0 : cuts + 2 * pauses + (isEnded ? 1 : 0) + (history.discounts.length > 0 ? 2 : 0);
  const bill = (them: readonly Span[], at: number, isDiscounted = true, earlier: readonly Span[] = []) => {
    const used = [asUsed(String(quantity))];
    const [share, limitShare] = [shareOf([...earlier, ...them]), shareOf(them)];
    const before = { isForTime: true, used, share: shareOf(earlier) };
    const { because, ...within } = rated(
      life,
      isDiscounted ? history : { ...history, discounts: [] },
      price,
      at,
      { isForTime: true, used, share, limitShare },
      earlier.length === 0 ? 0n : chargeOf({ ...asked(price), ...before }, DIGITS[life.currency]).amount,
    );
    const of = { roundings, spans: them, ...ofPeriod(period) };
    return { ...within, because: `${shown(period.whole)} ${because}`, ...of, listed: index };
  };
  // The parts of a period sum to the whole. Times with a gap between them are lines, each of which is rounded.
  if (price.term === 'in_arrears')
    return partsOf(life, history, period, { isFee: true }).flatMap(({ from, to, at, isCut }) =>
      spans.flatMap((span) => {
        const [them, earlier] = [clipped([span], { from, to }), clipped([span], { from: period.span.from, to: from })];
        const closed = Math.min(to, period.span.to);
        // A bill of all of a period that an end in the past shortens keeps its share of coupons: the credit mirrors it.
        const billed = span.to === period.span.to ? { ...span, to: Math.max(span.to, to) } : span;
        const soFar = clipped([billed], { from: span.from, to });
        return them.length === 0 ? [] : [{ ...bill(them, at, true, earlier), closed, isCut, service: span, soFar }];
      }),
    );
  // The upfront invoice is issued as the subscription is made, before it has a discount.
  const isFirst = period.span.from === history.billedFrom && history.billedFrom <= history.madeAt;
  return spans.flatMap((service) =>
    (history.known?.(index, service) ?? [{ ...service, since: history.madeAt, said: history.madeAt }])
      .flatMap((known) => billedAnew(history, period, known))
      .map(({ since, ...span }) => ({
        ...bill([span], borneAt(life, history, period, since), !(isFirst && since === history.madeAt)),
        ...{ closed: null, isCut: false, service, asked: askedOf(history, period, service, since) },
      })),
  );
}

/**
 * When a fee in advance is asked for a service, and until when: to the end of its period or of the time for which its
 * price is agreed, or to a pause known by then.
 */
function askedOf(history: History, { whole, span }: Period, { from }: Span, since: number): NonNullable<Bill['asked']> {
  const resumed = history.pauses.map(({ to }) => to).filter((to) => to <= from);
  const at = Math.max(span.from, since, ...resumed);
  const place = history.versions.findLastIndex((version) => version.from <= from);
  const [held, next] = history.versions.slice(place);
  const change = history.versions.slice(1).findLast((version) => version.from === at && version.madeAt === at);
  const known = history.pausesKnown.findLast(({ madeAt }) => madeAt < at)?.pauses ?? [];
  const pause = known.find((each) => each.from > from && each.from < whole.to);
  const isPiece = next?.saidFrom !== undefined && next.saidFrom === held?.saidFrom;
  const to = isPiece ? Math.min(next.from, whole.to) : whole.to;
  return { at, order: change?.order ?? null, service: { from, to: pause?.from ?? to } };
}

/**
 * The instant of the invoice that bears a fee in advance: with the begin of its period, if its terms were known then;
 * else, and where a change began its series, it is the invoice of the plan's own series that was open as they held.
 */
function borneAt(life: Life, history: History, { chain, span }: Period, madeAt: number): number {
  const isKnown = madeAt <= span.from;
  const at = Math.max(madeAt, span.from);
  const plan = planAt(history, at);
  const { cadence } = life.plans[plan] as Plan;
  const open = periodsOf(life, history).find(
    (each) =>
      each.chain.cadence === cadence && at < each.span.to && (isKnown ? each.span.from < at : each.span.from <= at),
  );
  if (isKnown && (chain.from !== span.from || open === undefined)) return span.from + graceOf(life, plan);
  const cut = history.cuts.find((each) => each.cadence === cadence && each.at > at);
  if (open === undefined) return madeAt;
  return cut && cut.at < open.span.to ? cut.at : open.span.to + graceOf(life, plan);
}

const ofPeriod = ({ whole, chain: { cadence } }: Period) => ({ whole, cadence });

/** A part of a period that is billed in arrears on an invoice of its own, with the instant of its discounts. */
interface Part extends Span {
  readonly at: number;
  readonly isCut: boolean;
}

/**
 * The parts of a period by its cuts, where discounts or a commitment tell them apart: of a fee each discount, because
 * it is a rounded line of each invoice. A cut has no grace. After an end as of the past the parts are those that were
 * billed before it.
 */
function partsOf(
  life: Life,
  history: History,
  period: Period,
  { closedTo = closedToOf(life, history, period), isFee = false },
): Part[] {
  const { chain, span } = period;
  const cuts = history.cuts.filter(({ cadence, at }) => cadence === chain.cadence && span.from < at && at <= closedTo);
  const isApart = history.discounts.some(({ to }) => isFee || to !== null) || life.plans.some(({ minimum }) => minimum);
  const ends = new Set([...(isApart ? cuts.map(({ at }) => at) : []), closedTo]);
  const grace = graceOf(life, planAt(history, span.from));
  let from = span.from;
  return [...ends]
    .toSorted((a, b) => a - b)
    .map((to) => {
      const isCut = cuts.some(({ at }) => at === to);
      const part = {
        from,
        to,
        at: isCut ? to : to + grace,
        isCut: isCut && (history.end === null || to < history.end),
      };
      from = to;
      return part;
    });
}

const closedToOf = (life: Life, history: History, { chain, span }: Period): number =>
  asClosed(life, history).find(({ period }) => period.chain.cadence === chain.cadence && period.span.from === span.from)
    ?.closedTo ?? span.to;

/** A period, and up to where its usage was billed before the subscription was ended as of the past. */
interface Closed {
  readonly period: Period;
  readonly closedTo: number;
}

const asOpen = (life: Life, history: History): Closed[] =>
  periodsOf(life, history).map((period) => ({ period, closedTo: period.span.to }));

/** The periods of a subscription, also periods after an end in the past that had billed usage before it was set. */
function asClosed(life: Life, history: History): Closed[] {
  const { end, endedAt, cuts } = history;
  if (end === null || endedAt === null || end >= endedAt) return asOpen(life, history);
  const asItWas = { ...history, end: null };
  return periodsOf(life, asItWas, endedAt + 1).flatMap(({ chain, whole, span }): Closed[] => {
    const to = Math.min(whole.to, chain.to);
    // A period that was still in its grace is cut by the end.
    const isClosed = to + graceOf(life, planAt(asItWas, span.from)) <= endedAt;
    // Nothing is read between a `closeNow` and an end that is told at the same time of the clock.
    const own = cuts.filter(
      ({ cadence, at }) => cadence === chain.cadence && span.from < at && at <= to && at < endedAt,
    );
    const now = Math.max(span.from, Math.min(to, end));
    const closedTo = Math.max(now, ...own.map(({ at }) => at), ...(isClosed ? [to] : []));
    return closedTo === span.from ? [] : [{ period: { chain, whole, span: { from: span.from, to: now } }, closedTo }];
  });
}

/**
 * Usage that a closed period has billed stays billed on its terms, though the subscription was ended as of a time
 * before it; only its minimum is for the time until the end.
 */
function usageOwed(life: Life, world: World, index: number, { period, closedTo }: Closed): Bill[] {
  const { history } = world;
  const price = life.prices[index] as Price;
  const { aggregation } = life.metrics[price.metric as number] as Metric;
  const isForTime = !['SUM', 'COUNT', 'TIME_WEIGHTED'].includes(aggregation);
  const then = closedTo > period.span.to ? { ...history, end: null } : history;
  const billed = { ...period, span: { ...period.span, to: closedTo } };
  const held = heldSpans(life, then, billed, index);
  const spans = unpaused(held, history, 'free');
  if (spans.length === 0) return [];
  const service = { from: (spans[0] as Span).from, to: (spans.at(-1) as Span).to };
  // Pauses with free usage scale what goes with the usage, and all of them its limits.
  const of = (during: Period, as: History, them: readonly Span[], usage?: 'free') =>
    isForTime
      ? ofWhole(during, lengthOf(unpaused(moneySpans(as, during, index, them), as, usage)))
      : limitShare(as, during, index, them, usage);
  const ends = Math.min(period.whole.to, period.chain.to, then.end ?? NEVER);
  const usedUntil = (soFar: readonly Span[], to: number) =>
    usedIn(life, world, index, { spans: soFar, period, isCut: to < ends });
  const shareOf = (as: Period, them: readonly Span[]) =>
    times(of(as, then, them, 'free'), isForTime ? ownShare(life, world, price, spans) : exact(1n));
  const measured = {
    isForTime,
    used: usedUntil(spans, closedTo),
    ...(price.allowance !== undefined && { covered: grantedIn(world, price.allowance, period) }),
    share: shareOf(billed, held),
    limitShare: of(period, history, heldSpans(life, history, period, index)),
    maximumShare: of(billed, then, held),
  };
  const parts = partsOf(life, history, period, { closedTo });
  const roundings = history.discounts.length > 0 ? 4 : 0;
  if (parts.length === 1) {
    const [{ at, to, isCut }] = parts as [Part];
    const { because, ...within } = rated(life, history, price, at, measured);
    return [
      {
        ...within,
        because: `${shown(period.whole)} ${because}`,
        roundings,
        spans: asDated(spans),
        closed: Math.min(to, period.span.to),
        isCut,
        ...{ service, served: spans, listed: index },
        ...ofPeriod(period),
      },
    ];
  }
  // Each part bills what the period has come to by its end, less what its earlier parts have billed.
  let [before, paid] = [0n, 0n];
  return parts.map(({ from, to, at, isCut }) => {
    const soFar = clipped(spans, { from: period.span.from, to });
    const used = soFar.length === 0 ? [] : usedUntil(soFar, to);
    // A figure that does not add up is owed for the time so far.
    const time = { from: period.span.from, to };
    const share = isForTime ? shareOf({ ...billed, span: time }, clipped(held, time)) : measured.share;
    const whole = () => chargeOf({ ...asked(price), ...measured, used, share }, DIGITS[life.currency]).amount;
    const amount = soFar.length === 0 ? 0n : whole(); // not even a flat price, where it was paused until then
    const own = discounted(history, amount - before, at, amount < 0n);
    // Not more than the earlier parts came to, after their own discounts.
    const net = amount >= 0n && paid + own < 0n ? -paid : own;
    paid += net;
    before = amount;
    const because = `${shown({ from, to })} ${amount} so far: ${net}`;
    return {
      amount: exact(net),
      because,
      roundings,
      spans: asDated(clipped(spans, { from, to })),
      closed: Math.min(to, period.span.to),
      isCut,
      ...{ service, served: spans, soFar, listed: index },
      ...ofPeriod(period),
    };
  });
}

/** The time of usage on its line: from its beginning to its end, also where a pause lies between. */
const asDated = (spans: readonly Span[]): Span[] => {
  const [first, last] = [spans[0], spans.at(-1)];
  return first && last ? [{ from: first.from, to: last.to }] : [];
};

/**
 * The granted units of a usage period: its allowance, and the grants in it, at any time of their creation. Usage
 * periods are the billing periods, and nothing rolls over. So usage burns the grants of its period, before and after
 * it.
 */
function grantedIn({ grants, history }: World, allowance: number, { whole }: Period): string {
  const to = Math.min(whole.to, history.end ?? whole.to);
  const own = grants.filter(({ sub, effectiveAt: at }) => sub === history.sub && whole.from <= at && at < to);
  return String(own.reduce((total, { amount }) => total + amount, allowance));
}

const ofWhole = ({ whole }: Period, length: number): Exact => exact(BigInt(length), BigInt(whole.to - whole.from));

/** The share of a whole period that some spans have, as money counts them. */
const moneyShare = (history: History, period: Period, price: number, spans: readonly Span[]): Exact =>
  ofWhole(period, lengthOf(moneySpans(history, period, price, spans)));

/** Some spans of a period of a price, as money counts them. */
function moneySpans(history: History, period: Period, price: number, spans: readonly Span[]): Span[] {
  const at = (instant: number) => position(history, period, price, instant);
  return spans.map(({ from, to }) => ({ from: at(from), to: at(to) }));
}

/**
 * The share of included units, flat prices and limits for usage that adds up: by seconds. A change without proration
 * takes no share away.
 */
function limitShare(history: History, period: Period, price: number, spans: readonly Span[], usage?: 'free'): Exact {
  const { from, to } = period.span;
  const segments = segmentsOf(history);
  const isCut = segments.some(
    (cut, place) =>
      cut.from > from &&
      cut.from < to &&
      prorationFor(segments[place - 1] ?? cut, cut, price) === 'none' &&
      spans.some((span) => span.from === cut.from || span.to === cut.from),
  );
  return ofWhole(period, lengthOf(unpaused(isCut ? [{ from, to }] : spans, history, usage)));
}

interface Measured {
  readonly isForTime: boolean;
  readonly used: ReturnType<typeof asUsed>[];
  readonly share: Exact;
  readonly limitShare: Exact;
  readonly maximumShare?: Exact;
  readonly covered?: string;
}

/** Model, less what earlier parts have billed, and discounts at an instant; its maximum and minimum: domain.md §2. */
function rated(life: Life, history: History, price: Price, at: number, measured: Measured, before = 0n) {
  const digits = DIGITS[life.currency];
  const { isForTime, used, share, limitShare, maximumShare = limitShare, covered = '0' } = measured;
  const { amount } = chargeOf({ ...asked(price), isForTime, used, share, covered }, digits);
  const net = discounted(history, amount - before, at, amount < 0n);
  const limit = (text: string | undefined, of: Exact): bigint | null =>
    text === undefined ? null : nearest(times(times(read(text), of), exact(10n ** BigInt(digits))));
  const limits = { low: limit(price.minimum, limitShare), high: limit(price.maximum, maximumShare) };
  const figures = used.map(({ quantity }) => quantity).join('+');
  const because = `${figures} × share ${share.over}/${share.under}: ${net} (${limits.low} to ${limits.high})`;
  return { amount: exact(net), limits, because };
}

const shown = ({ from, to }: Span): string => `[${from / 86_400}d,${to / 86_400}d)`;

/**
 * Several discounts apply one after another, oldest first, each on the remainder; each takes a rounded amount. A rebate
 * has none. A part of a charge that is less than its earlier parts gives back what was paid, not what was listed.
 */
function discounted(history: History, amount: bigint, at: number, isRebate = amount <= 0n): bigint {
  if (isRebate) return amount;
  let left = amount;
  for (const { part } of discountsAt(history, at)) left -= nearest(times(exact(left), read(part)));
  return left;
}

/**
 * One that is made at the very instant of a bill comes after it: its clock came there first, and bills at once. A bill
 * that a cut, an end or a resumption by hand asks for is read later.
 */
const discountsAt = ({ discounts, cuts, end, pausesKnown }: History, at: number): readonly Discount[] => {
  const isResumed = pausesKnown.some(({ madeAt, pauses }) => madeAt === at && pauses.some(({ to }) => to === at));
  const isAsked = end === at || isResumed || cuts.some((cut) => cut.at === at);
  const isThere = ({ madeAt }: Discount): boolean => madeAt < at || (madeAt === at && isAsked);
  return discounts.filter((each) => each.from <= at && (each.to === null || at < each.to) && isThere(each));
};

const planAt = (history: History, at: number): number =>
  (segmentsOf(history).findLast(({ from }) => from <= at) ?? (history.versions[0] as Version)).plan;

/** Some time of a period; `isCut`: the period goes on after it. */
interface UsedTime {
  readonly spans: readonly Span[];
  readonly period: Period;
  readonly isCut: boolean;
}

/** The usage of a price in some spans, by group. */
function usedIn(life: Life, world: World, index: number, { spans, period, isCut }: UsedTime) {
  const { metric, model } = life.prices[index] as Price;
  const definition = life.metrics[metric as number] as Metric;
  const { aggregation, timeUnit } = definition;
  const isOwn = (use: Use): boolean =>
    use.metric === metric &&
    (use.sub === undefined
      ? ownerAt(life, world.histories, metric as number, use.at) === world.history.sub
      : use.sub === world.history.sub);
  const own = world.uses.filter(isOwn);
  const inside = own.filter(({ at }) => spans.some(({ from, to }) => from <= at && at < to));
  if (aggregation === 'TIME_WEIGHTED') {
    const set = world.uses.filter(
      (use) => use.metric === metric && (use.sub ?? world.history.sub) === world.history.sub,
    );
    const unit = timeUnit === 'period' ? period.whole.to - period.whole.from : timeUnit === 'day' ? DAY : HOUR;
    const held = spans.reduce((total, span) => total + heldIn(set, span), 0);
    return [asUsed(`${held}/${unit}`, inside.length)];
  }
  if (aggregation === 'LATEST') {
    // A level: the last event before the end, at any distance; of two at one instant, the one accepted later.
    const to = Math.max(...spans.map((span) => span.to));
    const before = world.uses.filter(
      (use) => use.metric === metric && (use.sub ?? world.history.sub) === world.history.sub && use.at < to,
    );
    const last = before.reduce<Use | undefined>((found, use) => (found && found.at > use.at ? found : use), undefined);
    return [asUsed(last?.units ?? '0', inside.length)];
  }
  if (aggregation === 'PERCENTILE') {
    // Of a period that goes on after a cut all windows count: those to come are 0.
    const { over, under } = rankedIn(life, definition, inside, isCut ? [period.whole] : spans);
    return [asUsed(`${over}/${under}`, inside.length)];
  }
  if (model === 'matrix')
    return [...Map.groupBy(inside, ({ region }) => region ?? null)].map(([region, uses]) =>
      asUsed(sumOf(uses), uses.length, { region }),
    );
  const inOrder = inside.toSorted((one, other) => one.at - other.at).map(({ units }) => units);
  const values = aggregation === 'COUNT' ? inOrder.map(() => '1') : inOrder;
  return [asUsed(figureOf(aggregation, inside), inside.length, {}, values)];
}

/** A level second by second in a span: each event holds until the next; of two at one instant, the later accepted. */
function heldIn(set: readonly Use[], { from, to }: Span): number {
  const inOrder = set.filter(({ at }) => at < to).toSorted((one, other) => one.at - other.at);
  return inOrder.reduce((total, { at, units }, place) => {
    const until = Math.min(to, inOrder[place + 1]?.at ?? to);
    return total + Number(units) * Math.max(0, until - Math.max(from, at));
  }, 0);
}

/**
 * The share of time in which the customer's usage was the subscription's own, for a figure that does not add up
 * (decision 0060). It is the whole time with usage that names the subscription itself, or without usage of the
 * customer.
 */
function ownShare(life: Life, { history, histories, uses }: World, { metric }: Price, spans: readonly Span[]): Exact {
  const { aggregation } = life.metrics[metric as number] as Metric;
  const isNamed = ({ metric: of, sub, at }: Use): boolean =>
    of === metric &&
    sub === history.sub &&
    spans.some(({ from, to }) => (aggregation === 'LATEST' || from <= at) && at < to);
  const points = histories.flatMap((each) => [
    ...[each.startedAt, each.billedFrom, each.end ?? NEVER, each.endedAt ?? NEVER],
    ...[
      ...segmentsOf({ ...each, end: null }),
      ...each.versions,
      ...asClosed(life, each).map(({ period }) => period.span),
    ].map(({ from }) => from),
    ...asClosed(life, each).map(({ closedTo }) => closedTo),
  ]);
  const own = spans.flatMap(({ from, to }) => {
    const inside = [...new Set([from, ...points.filter((at) => from < at && at < to)])].toSorted((a, b) => a - b);
    return inside
      .map((at, place) => ({ from: at, to: inside[place + 1] ?? to }))
      .filter((piece) => ownerAt(life, histories, metric as number, piece.from) === history.sub);
  });
  const isWhole = uses.some(isNamed) || lengthOf(own) === 0;
  return isWhole ? exact(1n) : exact(BigInt(lengthOf(own)), BigInt(lengthOf(spans)));
}

const sumOf = (uses: readonly Use[]): string => String(uses.reduce((total, { units }) => total + Number(units), 0));

function figureOf(aggregation: Metric['aggregation'], uses: readonly Use[]): string {
  const numbers = uses.map(({ units }) => Number(units));
  if (aggregation === 'COUNT') return String(uses.length);
  if (aggregation === 'UNIQUE_COUNT') return String(new Set(uses.map(({ units }) => units)).size);
  if (aggregation === 'MAX') return String(numbers.length === 0 ? 0 : Math.max(...numbers));
  return sumOf(uses);
}

/**
 * The subscription that bills an event of the customer: among those that are active at its time and price the metric,
 * the one created first, at any start (decision 0060). Without one, a subscription that billed that time before its end
 * was set back keeps it.
 */
function ownerAt(life: Life, oldestFirst: readonly History[], metric: number, at: number): string | null {
  const prices = ({ versions }: History): boolean => {
    const version = versions.findLast(({ from }) => from <= at);
    return (
      version !== undefined &&
      (life.plans[version.plan] as Plan).prices.some((price) => (life.prices[price] as Price).metric === metric)
    );
  };
  const active = oldestFirst.filter(
    (each) => each.startedAt <= at && at < (each.end ?? Number.MAX_SAFE_INTEGER) && prices(each),
  );
  // One that is paused bills it only where no other does.
  const owner = active.find((each) => unpaused([{ from: at, to: at + 1 }], each).length > 0) ?? active[0];
  if (owner) return owner.sub;
  const billed = oldestFirst.find((each) => prices(each) && hasBilled(life, each, metric, at));
  return billed?.sub ?? null;
}

function hasBilled(life: Life, history: History, metric: number, at: number): boolean {
  if (history.end === null || history.endedAt === null || at < history.end || at >= history.endedAt) return false;
  const asItWas = { ...history, end: null };
  return asClosed(life, history).some(
    ({ period: { chain, span }, closedTo }) =>
      span.from <= at &&
      at < closedTo &&
      life.prices.some(
        ({ metric: of }, index) =>
          of === metric && segmentsOf(asItWas).some(({ plan }) => cadenceIn(life, plan, index) === chain.cadence),
      ),
  );
}
