import {
  DAY,
  HOUR,
  instantOf,
  type Life,
  type Of,
  type Override,
  type Plan,
  type Price,
  type Step,
  secondsOf,
} from './life.ts';

/** A step that the program took, and the second of the life at which it did. */
export interface Deed {
  readonly step: Step;
  readonly at: number;
}

/** A subscription's history after some steps. Times are seconds since the life's start. */
export interface History {
  readonly sub: string;
  /** In the order of creation. */
  readonly order: number;
  /** When it was made. */
  readonly madeAt: number;
  readonly startedAt: number;
  /** The end of the trial, or the start without a trial. */
  readonly billedFrom: number;
  /** Of a trial: when its end was last said. */
  readonly trialSaidAt?: number;
  readonly versions: readonly Version[];
  readonly end: number | null;
  /** When the end was set, where it was set as of the past. */
  readonly endedAt: number | null;
  /** The times of `closeNow` in each series, by cadence. */
  readonly cuts: readonly { readonly cadence: string; readonly at: number }[];
  readonly discounts: readonly Discount[];
  /** The oldest first. */
  readonly coupons: readonly Coupon[];
  /** The pauses as they are known in the end, in the order of time. */
  readonly pauses: readonly Pause[];
  /** The pauses as they were known from a moment on. */
  readonly pausesKnown: readonly { readonly madeAt: number; readonly pauses: readonly Pause[] }[];
  /** The parts of a time, with the moment since when the terms of a price for them were known as they are. */
  readonly known?: (price: number, span: Span) => readonly Known[];
}

export interface Version {
  readonly from: number;
  /** When it became known. */
  readonly madeAt: number;
  /** The place of its deed among all. */
  readonly order: number;
  /** Of a piece of time by agreed prices: from when its version holds. */
  readonly saidFrom?: number;
  readonly plan: number;
  /** Of the fees of the plan, by the price's number. */
  readonly quantities: ReadonlyMap<number, number>;
  readonly proration: 'second' | 'day' | 'none';
  /** What it says of a price; null: it has not this price. */
  readonly termsOf?: (price: number) => { agreed: string | undefined; quantity: number | undefined } | null;
  readonly credit: 'invoice' | 'wallet' | 'none';
  /** It was to come later: while the subscription is paused it waits. */
  readonly isScheduled?: boolean;
  /** The negotiated prices that were said with it; absent: it says nothing of them. */
  readonly overrides?: readonly Override[] | undefined;
}

/** A redeemed coupon: the window is the answer of the program, of which stories say that it is right. */
export interface Coupon
  extends Pick<Of<'coupon'>, 'percent' | 'amount' | 'carriesOver' | 'minimum' | 'prices' | 'plans'> {
  readonly from: number;
  readonly until: number;
  readonly madeAt: number;
  readonly order: number;
  /** Until when it was to last, and its earlier ends, by somebody or a change of the plan, and when they were said. */
  readonly planned: number;
  readonly ended?: readonly { readonly until: number; readonly at: number; readonly order: number }[];
  /** It was taken back before it gave anything. */
  readonly isGone?: boolean;
}

/** A time without fees and access. */
export interface Pause extends Span {
  readonly usage: 'bill' | 'free';
  /** Are periods counted from its end on? */
  readonly isRestart: boolean;
}

export interface Known extends Span {
  /** A scheduled change credits and bills nothing before its time. */
  readonly since: number;
  /** When it was said: a fee that is billed later is billed by it. */
  readonly said: number;
}

export interface Discount {
  readonly part: string;
  readonly from: number;
  readonly to: number | null;
  readonly madeAt: number;
}

/**
 * How a version divides the time of a price; null: the price goes on as it is. Negotiated terms change by the second
 * (commercial.md §1).
 */
export function prorationFor(before: Version, { proration, termsOf }: Version, price: number): Proration | null {
  const [had, has] = [before.termsOf?.(price), termsOf?.(price)];
  if (!(had && has)) return proration;
  if (had.agreed !== has.agreed) return 'second';
  return had.quantity === has.quantity ? null : proration;
}

type Proration = Version['proration'];

/** The billed time of one version; adjoining times of one plan are one. */
export interface Segment extends Version {
  readonly to: number;
}

/** Periods of one series that follow one another: they are counted from one anchor. */
export interface Chain {
  readonly cadence: string;
  readonly anchor: number;
  readonly from: number;
  /** Without the end of the subscription. */
  readonly to: number;
}

/** A period of a chain. */
export interface Period {
  readonly chain: Chain;
  /** From boundary to boundary. */
  readonly whole: Span;
  /** Clipped to the chain and the subscription. */
  readonly span: Span;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export const lengthOf = (spans: readonly Span[]): number => spans.reduce((total, { from, to }) => total + to - from, 0);

/** The parts of spans that are in another one. */
export const clipped = (spans: readonly Span[], { from, to }: Span): Span[] =>
  spans
    .map((each) => ({ from: Math.max(each.from, from), to: Math.min(each.to, to) }))
    .filter((each) => each.from < each.to);

/** Later than any life. */
export const NEVER = 200 * 366 * DAY;

/** The histories of all subscriptions that were ever active. */
export function historiesOf(life: Life, deeds: readonly Deed[], neverActive: ReadonlySet<string>): History[] {
  const made = new Map<string, History>();
  const change = (sub: string, with_: (history: History) => Partial<History>) => {
    const history = made.get(sub);
    if (history) made.set(sub, { ...history, ...with_(history) });
  };
  const pause = (sub: string, madeAt: number, with_: (history: History) => readonly Pause[]) =>
    change(sub, (history) => {
      const pauses = with_(history).filter(({ from, to }) => from < to);
      return { pauses, pausesKnown: [...history.pausesKnown, { madeAt, pauses }] };
    });
  for (const [order, { step, at }] of deeds.entries()) {
    switch (step.do) {
      case 'subscribe': {
        const plan = life.plans[step.plan] as Plan;
        made.set(step.sub, {
          sub: step.sub,
          order: made.size,
          madeAt: at,
          startedAt: step.startedAt,
          billedFrom: step.startedAt + (plan.trialDays ?? 0) * DAY,
          ...(plan.trialDays !== undefined && { trialSaidAt: at }),
          versions: [
            {
              from: step.startedAt,
              ...{ madeAt: at, order },
              plan: step.plan,
              quantities: quantitiesOf(life, step.plan, new Map()),
              proration: 'second',
              credit: 'invoice',
              overrides: step.overrides,
            },
          ],
          end: step.endingAt ?? null,
          endedAt: null,
          cuts: [],
          discounts: [],
          coupons: [],
          pauses: [],
          pausesKnown: [],
        });
        break;
      }
      case 'change':
        change(step.sub, (history) => {
          const from =
            step.effective === 'now' ? Math.max(at, history.startedAt) : periodEndAt(life, waited(history), at);
          const had = history.versions.at(-1) as Version;
          const { plan = had.plan, proration, credit } = step;
          const given = Object.entries(step.quantities ?? {}).map(([price, many]) => [Number(price), many] as const);
          const quantities = quantitiesOf(life, plan, new Map([...had.quantities, ...given]));
          const overrides = step.overrides?.map((each) => ({ ...each, from: each.from ?? from }));
          const isScheduled = step.effective === 'periodEnd' && from > at;
          const version = { from, madeAt: at, order, plan, quantities, proration, credit, overrides, isScheduled };
          return { versions: [...history.versions, version] };
        });
        break;
      case 'unschedule':
        change(step.sub, ({ versions }) => ({ versions: versions.slice(0, -1) }));
        break;
      case 'pause':
        pause(step.sub, at, (history) => {
          const from = step.effective === 'now' ? at : periodEndAt(life, waited(history), at);
          const { usage, anchor, resumesAt: to = NEVER } = step;
          return [...history.pauses, { from, to, usage, isRestart: anchor === 'restart' }];
        });
        break;
      case 'resume':
        pause(step.sub, at, ({ pauses }) => {
          const { from, usage } = pauses.at(-1) as Pause;
          const over = at < from ? [] : [{ from, to: at, usage, isRestart: step.anchor === 'restart' }];
          return [...pauses.slice(0, -1), ...over];
        });
        break;
      case 'moveResume':
        pause(step.sub, at, ({ pauses }) => [
          ...pauses.slice(0, -1),
          { ...(pauses.at(-1) as Pause), to: step.at ?? NEVER },
        ]);
        break;
      case 'moveTrial':
        change(step.sub, (history) => {
          const { billedFrom: before } = held(history);
          const versions = history.versions.map((version) =>
            version.isScheduled && version.from === before ? { ...version, from: step.to } : version,
          );
          return { billedFrom: step.to, trialSaidAt: at, versions };
        });
        break;
      case 'closeNow':
        change(step.sub, ({ cuts }) => ({ cuts: [...cuts, { cadence: cutCadence(step), at }] }));
        break;
      case 'planEnd':
        change(step.sub, () => ({ end: step.at }));
        break;
      case 'end':
        change(step.sub, () => ({ end: at, endedAt: at }));
        break;
      case 'endPast':
        change(step.sub, () => ({ end: Math.min(step.at, at), endedAt: at }));
        break;
      case 'discount':
        change(step.sub, ({ discounts }) => ({
          discounts: [...discounts, { part: step.part, from: step.from, to: step.to ?? null, madeAt: at }],
        }));
        break;
      case 'coupon': {
        const { sub, do: _, periods: __, ...said } = step;
        const { from, until } = step as typeof step & { from: number; until: number | null };
        change(sub, ({ coupons }) => ({
          coupons: [...coupons, { ...said, from, until: until ?? NEVER, planned: until ?? NEVER, madeAt: at, order }],
        }));
        break;
      }
      case 'endCoupon': {
        const { isGone = false, until } = step as typeof step & { isGone?: boolean; until?: number | null };
        change(step.sub, ({ coupons }) => ({
          coupons: coupons.map((each, place) =>
            place === step.at % coupons.length
              ? {
                  ...each,
                  ...{ isGone, until: until ?? each.until },
                  ended: [...(each.ended ?? []), { until: until ?? each.until, at, order }],
                }
              : each,
          ),
        }));
        break;
      }
      default:
    }
  }
  return [...made.values()].filter(({ sub }) => !neverActive.has(sub)).map((history) => held(waited(history)));
}

/** A change that was to come in a pause comes with the resumption. */
function waited(history: History): History {
  const versions = history.versions.flatMap((version): Version[] => {
    const { from, isScheduled } = version;
    const pause = isScheduled && history.pauses.find((each) => each.from <= from && from < each.to);
    if (!pause) return [version];
    return pause.to === NEVER ? [] : [{ ...version, from: pause.to }];
  });
  return { ...history, versions };
}

/** A pause that begins in a trial holds it: the trial goes on after it for the time that was left. */
function held(history: History): History {
  const { trialSaidAt, pauses } = history;
  let { billedFrom } = history;
  if (trialSaidAt === undefined) return history;
  for (const { from, to } of pauses)
    if (trialSaidAt <= from && from < billedFrom) billedFrom = to === NEVER ? NEVER : billedFrom + to - from;
  return { ...history, billedFrom };
}

/** A fee of an earlier version keeps its quantity; another one has the price's own. */
const quantitiesOf = (life: Life, plan: number, had: ReadonlyMap<number, number>): Map<number, number> =>
  new Map(
    (life.plans[plan] as Plan).prices
      .filter((price) => life.prices[price]?.metric === undefined)
      .map((price) => [price, had.get(price) ?? life.prices[price]?.quantity ?? 1]),
  );

const isSame = (one: Version, other: Version): boolean =>
  one.plan === other.plan && one.quantities.entries().every(([price, many]) => other.quantities.get(price) === many);

/** The driver writes the cadence of the invoice that was closed into the step that it reports. */
const cutCadence = (step: object): string => (step as { cadence: string }).cadence;

/** The end of the period of the plan's own series at an instant; before billing starts, that start. */
function periodEndAt(life: Life, asked: History, at: number): number {
  const history = held(asked);
  if (at < history.billedFrom) return history.billedFrom;
  const segment = segmentsOf(history).findLast(({ from }) => from <= at) as Segment;
  const { cadence } = life.plans[segment.plan] as Plan;
  const period = periodsOf(life, history, at + LONGEST).find(
    ({ chain, span }) => chain.cadence === cadence && span.from <= at && at < span.to,
  );
  return (period as Period).span.to;
}

/** The cadences with a series in a plan: its own, and those of its prices. */
export function cadencesOf(life: Life, plan: number): Set<string> {
  const { cadence, prices } = life.plans[plan] as Plan;
  const own = prices.map((price) => (life.prices[price] as Price).cadence ?? cadence);
  return new Set([cadence, ...own.filter((each) => each !== 'P0D')]);
}

/** Of several changes at one instant only the last has any length. A change and its reversal leave nothing. */
export function segmentsOf({ billedFrom, versions, end }: Pick<History, 'billedFrom' | 'versions' | 'end'>): Segment[] {
  const segments: Segment[] = [];
  for (const [place, version] of versions.entries()) {
    const from = place === 0 ? billedFrom : Math.max(version.from, billedFrom);
    const next = versions[place + 1];
    const to = Math.min(next === undefined ? NEVER : Math.max(next.from, billedFrom), end ?? NEVER);
    if (from >= to) continue;
    const before = segments.at(-1);
    if (before && isSame(before, version)) segments[segments.length - 1] = { ...before, to };
    else segments.push({ ...version, from, to });
  }
  return segments;
}

/** The chains of all series: a series continues while versions have its cadence, and ends at a version without it. */
export function chainsOf(life: Life, history: History): Chain[] {
  const chains: Chain[] = [];
  const segments = segmentsOf({ ...history, end: null });
  const open = new Map<string, Chain>();
  for (const [place, segment] of segments.entries()) {
    const has = cadencesOf(life, segment.plan);
    for (const [cadence, chain] of open)
      if (!has.has(cadence)) {
        chains.push({ ...chain, to: segment.from });
        open.delete(cadence);
      }
    const { anchor } = life.plans[segment.plan] as Plan;
    for (const cadence of has)
      if (!open.has(cadence)) {
        const first = place === 0 ? history.billedFrom : segment.from;
        open.set(cadence, { cadence, anchor: anchor ?? first, from: first, to: NEVER });
      }
  }
  let all = [...chains, ...open.values()];
  for (const { to: at, isRestart } of history.pauses)
    if (isRestart && at < NEVER) all = all.flatMap((chain) => restarted(chain, at));
  return all;
}

/** A resumption may count the periods of all series from its instant on. */
function restarted(chain: Chain, at: number): Chain[] {
  if (at < chain.from || chain.to <= at) return [chain];
  const anew = { ...chain, anchor: at, from: at };
  return at === chain.from ? [anew] : [{ ...chain, to: at }, anew];
}

const boundaries = new WeakMap<object, Map<string, number>>();

/** Boundary `n` of a series, counted from its anchor in the UTC calendar. */
export function boundary(life: Pick<Life, 'start'>, anchor: number, cadence: string, n: number): number {
  const known = boundaries.get(life) ?? new Map<string, number>();
  boundaries.set(life, known);
  const key = `${anchor} ${cadence} ${n}`;
  const found = known.get(key) ?? countedBoundary(life, anchor, cadence, n);
  known.set(key, found);
  return found;
}

function countedBoundary(life: Pick<Life, 'start'>, anchor: number, cadence: string, n: number): number {
  const { years, months, weeks, days } = Temporal.Duration.from(cadence);
  const at = Temporal.Instant.from(instantOf(life, anchor)).toZonedDateTimeISO('UTC');
  return secondsOf(
    life,
    at
      .add({ months: (years * 12 + months) * n, days: (weeks * 7 + days) * n })
      .toInstant()
      .toString(),
  );
}

/** The number of the period that holds an instant. */
export function numberAt(life: Pick<Life, 'start'>, anchor: number, cadence: string, at: number): number {
  let number = 0;
  while (boundary(life, anchor, cadence, number) > at) number -= 1;
  while (boundary(life, anchor, cadence, number + 1) <= at) number += 1;
  return number;
}

/** The periods of all series up to the end of the subscription, or up to a horizon where it has none. */
export function periodsOf(life: Life, history: History, horizon = NEVER): Period[] {
  const until = Math.min(history.end ?? NEVER, horizon);
  return chainsOf(life, history).flatMap((chain) => {
    const periods: Period[] = [];
    const to = Math.min(chain.to, until);
    for (let number = numberAt(life, chain.anchor, chain.cadence, chain.from); ; number += 1) {
      const whole = {
        from: boundary(life, chain.anchor, chain.cadence, number),
        to: boundary(life, chain.anchor, chain.cadence, number + 1),
      };
      const span = { from: Math.max(whole.from, chain.from), to: Math.min(whole.to, to) };
      if (span.from >= span.to) return periods;
      periods.push({ chain, whole, span });
    }
  });
}

/** Longer than any period. */
const LONGEST = 2 * 366 * DAY;

/** Does a plan hold a price on a series? */
export const holds = (life: Life, plan: number, price: number, cadence: string): boolean =>
  (life.plans[plan] as Plan).prices.includes(price) && cadenceIn(life, plan, price) === cadence;

export const cadenceIn = (life: Life, plan: number, price: number): string =>
  (life.prices[price] as Price).cadence ?? (life.plans[plan] as Plan).cadence;

/** The spans of a period with a price, a fee in a quantity; adjoining ones are one. */
export function heldSpans(
  life: Life,
  history: History,
  { chain, span }: Period,
  price: number,
  quantity?: number,
): Span[] {
  const spans: Span[] = [];
  for (const segment of segmentsOf(history)) {
    if (!holds(life, segment.plan, price, chain.cadence)) continue;
    if (quantity !== undefined && segment.quantities.get(price) !== quantity) continue;
    const [from, to] = [Math.max(segment.from, span.from), Math.min(segment.to, span.to)];
    if (from >= to) continue;
    const before = spans.at(-1);
    if (before?.to === from) spans[spans.length - 1] = { from: before.from, to };
    else spans.push({ from, to });
  }
  return spans;
}

/**
 * The place of an instant in a period of a price, as money counts it. A change of it cuts at its instant, or at the
 * start of that day of the period. Without proration, the first version has the whole period. No cut lies before an
 * earlier cut.
 */
export function position(history: History, { chain, whole, span }: Period, price: number, at: number): number {
  if (at <= span.from) return span.from;
  if (at >= span.to) return span.to;
  const segments = segmentsOf(history);
  const cuts = segments.flatMap((cut, place) => {
    if (place === 0 || cut.from <= span.from || cut.from > at) return [];
    const proration = prorationFor(segments[place - 1] as Segment, cut, price);
    return proration === null ? [] : [{ from: cut.from, proration }];
  });
  let found = cuts.some(({ from }) => from === at) ? span.from : at;
  for (const { from, proration } of cuts) {
    const day = whole.from + Math.floor((from - whole.from) / DAY) * DAY;
    const own = proration === 'second' ? from : proration === 'day' ? Math.max(day, span.from) : span.to;
    found = Math.max(found, own);
  }
  // A series that the change ends or begins is cut by the second: the next one begins there.
  return chain.to === at ? Math.min(at, span.to) : found;
}

/** When the usage of a period is read: after its grace. */
export const graceOf = (life: Life, plan: number): number => (life.plans[plan] as Plan).graceHours * HOUR;
