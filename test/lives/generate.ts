import { withCommitments, withWide } from './committed.ts';
import { withBought, withCredits } from './credits.ts';
import { boundary, numberAt } from './history.ts';
import { KINDS, type Kind } from './kinds.ts';
import { DAY, HOUR, type Life, type Metric, type Plan, type Price, type Step } from './life.ts';
import { mixedLife } from './mixed.ts';
import { withPrepaid } from './prepaid.ts';
import { sharedLife } from './shared.ts';
import { toppedLife, withTopUps } from './topped.ts';

/** A random number generator with a seed (mulberry32): the same seed is the same life for ever. */
export class Dice {
  #state: number;
  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  /** From `least` to `most`, inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }
  of<Each>(...them: readonly Each[]): Each {
    return them[this.between(0, them.length - 1)] as Each;
  }
  /** Once in so many times. */
  once(inTimes: number): boolean {
    return this.next() * inTimes < 1;
  }
  /** Half of the prices of a life, which something is for; an empty list would be for all, and so is none. */
  some(them: readonly Price[]): { readonly prices?: readonly number[] } {
    const prices = them.flatMap((_, price) => (this.once(2) ? [price] : []));
    return prices.length === 0 ? {} : { prices };
  }
}

/** The possible content of a life; each layer adds to the layers before it. */
export interface Switches {
  /**
   * Layer 1 has fees alone; 2 adds usage; 3 adds tax, discounts, refunds and other ways of money; 4 has crossings of
   * some kinds (`kinds.ts`); 5 has subscriptions that share billing credits; 6 has credits that are topped up.
   */
  readonly layer: 1 | 2 | 3 | 4 | 5 | 6;
  /** One monthly price with units that grants cover, and grants with an effect in the past. */
  readonly isGranted?: boolean;
  /** Without crossings: changes at one instant, at boundaries, without proration, and cuts of all kinds. */
  readonly isTame?: boolean;
}

const STARTS = [
  '2026-01-01T00:00:00Z',
  '2026-01-31T00:00:00Z',
  '2027-11-30T06:00:00Z',
  '2028-02-29T00:00:00Z',
  '2026-04-01T12:00:00Z',
];
/** Cadences that one life mixes. None is so short that another has hundreds of its invoices. */
const MIXES: readonly (readonly string[])[] = [
  ['P1M'],
  ['P1M'],
  ['P2W'],
  ['P1Y'],
  ['P30D'],
  ['P1W', 'P2W', 'P1M'],
  ['P1M', 'P3M', 'P30D'],
  ['P1M', 'P1Y'],
  ['P3M', 'P1Y'],
  ['P1D', 'P1W'],
];
const DAYS_OF: Readonly<Record<string, number>> = { P1D: 1, P1W: 7, P2W: 14, P30D: 30, P1M: 30, P3M: 91, P1Y: 365 };
/** The factor of an even fee: with it each whole day of a period is a whole amount. */
const DIVISIBLE: Readonly<Record<string, number>> = {
  P1D: 1,
  P1W: 7,
  P2W: 14,
  P30D: 30,
  P1M: 377_580,
  P3M: 33_529_860,
  P1Y: 133_590,
  P0D: 1,
};
/** Even after tax and discounts. */
const FACTOR = 10;

/** @param kinds that a mixed life may have, each with this chance */
export function generate(
  seed: number,
  { layer, isTame = false, isGranted = false }: Switches,
  kinds: ReadonlySet<Kind> = new Set(KINDS),
  chance = 0.45,
): Life {
  if (layer === 4) {
    const dice = new Dice(seed * 8);
    const others = new Dice(seed * 8 + 7);
    const [reissued, limits] = [new Dice(seed * 8 + 1), new Dice(-seed - 1)];
    const life = mixedLife(dice, seed, dice.of(...STARTS), { kinds, chance, others, reissued, limits });
    const paid = kinds.has('credit') && others.next() < chance ? withCredits(life, others) : life;
    const last = new Dice(seed * 8 + 5);
    const committed = kinds.has('trueUp') && last.next() < chance ? withCommitments(paid, last) : paid;
    const fourth = new Dice(seed * 8 + 4);
    const bought = kinds.has('bought') && fourth.next() < chance ? withBought(committed, fourth) : committed;
    const third = new Dice(seed * 8 + 3);
    const prepaid = kinds.has('prepaid') && third.next() < chance ? withPrepaid(bought, third) : bought;
    const second = new Dice(seed * 8 + 2);
    const wide = kinds.has('wide') && second.next() < chance ? withWide(prepaid, second) : prepaid;
    const first = new Dice(~seed);
    // After each step of such a life somebody looks at credits, which takes long: it is drawn where it is named.
    const isNamed = kinds.size < KINDS.length;
    const topped = isNamed && kinds.has('topUp') && first.next() < chance ? withTopUps(wide, first) : wide;
    const isGrouped = kinds.has('grouped') && new Dice(seed * 8 + 6).next() < chance;
    return isGrouped ? { ...topped, isGrouped } : topped;
  }
  if (layer === 6) {
    const dice = new Dice(~seed);
    return toppedLife(dice, seed, dice.of(...STARTS));
  }
  if (layer === 5) {
    const dice = new Dice(seed * 8 + 6);
    return sharedLife(dice, seed, dice.of(...STARTS));
  }
  const dice = new Dice(seed * 8 + layer * 2 + (isTame || isGranted ? 1 : 0));
  return isGranted ? grantedLife(dice, seed) : new Generator(dice, seed, layer, isTame).life();
}

/**
 * A subscription of a month at a time, of which grants cover usage, also of months that are closed. Of some lives the
 * usage is a level over time.
 */
function grantedLife(dice: Dice, seed: number): Life {
  const other = new Dice(seed * 8);
  const overTime: Metric | null = other.once(3)
    ? { aggregation: 'TIME_WEIGHTED', timeUnit: other.of('day', 'hour') }
    : null;
  const scale = overTime === null ? 1 : overTime.timeUnit === 'day' ? 20 : 480;
  const tiers = [
    { upTo: '50', unitPrice: '1' },
    { upTo: null, unitPrice: '0.35' },
  ];
  const limits = dice.once(3) ? { minimum: '12.5' } : {};
  const price = { metric: 0, term: 'in_arrears' as const, allowance: dice.of(0, 20) * scale, ...limits };
  const steps: Step[] = [{ do: 'subscribe', sub: 's0', plan: 0, startedAt: 0, asks: 'transfer' }];
  let now = 0;
  for (let count = dice.between(4, 14); count > 0; count -= 1) {
    if (!dice.once(4)) {
      now += dice.between(1, 20) * DAY;
      steps.push({ do: 'advance', to: now });
    }
    const back = Math.max(0, now - dice.of(0, 0, dice.between(0, 60)) * DAY);
    const units = String(dice.between(0, 90));
    steps.push(
      dice.of<Step>(
        { do: 'use', metric: 0, at: back, units, ...(dice.once(2) && { sub: 's0' }) },
        { do: 'use', metric: 0, at: back, units },
        { do: 'grant', sub: 's0', amount: dice.between(1, 60) * scale, effectiveAt: back },
        { do: 'closeNow', sub: 's0', at: 0 },
        { do: 'pay', how: 'full' },
      ),
    );
  }
  return {
    ...{ seed, start: dice.of(...STARTS), currency: dice.of('USD', 'JPY', 'KWD'), isEven: false },
    ...{ taxBehavior: dice.of('exclusive', 'inclusive'), taxRate: dice.of(0, 19) },
    metrics: [{ aggregation: dice.of('SUM', 'SUM', 'COUNT'), ...overTime }],
    prices: [
      {
        ...price,
        ...dice.of<Pick<Price, 'model' | 'properties'>>(
          { model: 'standard', properties: { unitPrice: '1' } },
          { model: 'graduated', properties: { tiers } },
        ),
      },
    ],
    plans: [{ cadence: 'P1M', prices: [0], graceHours: dice.of(0, 48) }],
    steps,
  };
}

class Generator {
  readonly #dice: Dice;
  readonly #seed: number;
  readonly #layer: number;
  readonly #isTame: boolean;
  readonly #isEven: boolean;
  readonly #cadences: readonly string[];
  readonly #currency: Life['currency'];
  readonly #start: string;
  readonly #prices: Price[] = [];
  readonly #metrics: Metric[] = [];
  #plans: Plan[] = [];
  readonly #steps: Step[] = [];
  #now = 0;
  /** The plan that each subscription has, as far as the generator knows, and from when its periods are counted. */
  readonly #subs = new Map<string, { plan: number; from: number }>();
  readonly #most: number;
  #changedAt = 0;

  constructor(dice: Dice, seed: number, layer: number, isTame: boolean) {
    this.#dice = dice;
    this.#seed = seed;
    this.#layer = layer;
    this.#isTame = isTame;
    this.#isEven = dice.once(2);
    this.#cadences = dice.of(...MIXES);
    this.#start = dice.of(...STARTS);
    this.#most = layer > 1 && dice.once(2) ? 2 : 1;
    this.#currency = layer === 1 ? 'USD' : dice.of('USD', 'USD', 'JPY', 'KWD');
  }

  life(): Life {
    const dice = this.#dice;
    this.#catalog();
    const taxRate = this.#layer < 3 ? 0 : dice.of(0, 10, 20, ...(this.#isEven ? [] : [19, 8.875]));
    const isInclusive = this.#layer === 3 && dice.once(3);
    this.#happen();
    return {
      seed: this.#seed,
      start: this.#start,
      currency: this.#currency,
      isEven: this.#isEven,
      taxBehavior: isInclusive ? 'inclusive' : 'exclusive',
      taxRate: isInclusive && this.#isEven ? 25 : taxRate,
      metrics: this.#metrics,
      prices: this.#prices,
      plans: this.#plans,
      steps: this.#steps,
    };
  }

  /** Series end and begin by the second, so only changes within one cadence are by days, or not prorated. */
  get #isUniform(): boolean {
    return this.#cadences.length === 1;
  }

  /** The first plan has some prices; the others have one more, one less, one replaced, or again some. */
  #catalog(): void {
    const dice = this.#dice;
    const fees = dice.between(2, 5);
    for (let count = 0; count < fees; count += 1) this.#prices.push(this.#fee());
    if (this.#layer > 1) this.#usagePrices();
    const all = this.#prices.map((_, price) => price);
    const some = (): number[] => {
      const found = all.filter(() => dice.once(2));
      return found.length > 0 ? found : [dice.of(...all)];
    };
    const held = [some()];
    const plans = dice.between(2, 3);
    while (held.length < plans) {
      const [first] = held as [number[]];
      const other = dice.of(...all);
      const changed = first.includes(other) ? first.filter((price) => price !== other) : [...first, other];
      held.push(dice.once(3) || changed.length === 0 ? some() : changed.toSorted((a, b) => a - b));
    }
    const anchor = dice.once(6) ? dice.between(-20, 20) * DAY : undefined;
    const trialDays = dice.once(8) ? dice.of(1, 7, 14) : undefined;
    const graceHours = dice.of(0, 0, 0, 1, 48);
    const own = dice.of(...this.#cadences);
    this.#plans = held.map((prices) => ({
      cadence: dice.once(2) ? own : dice.of(...this.#cadences),
      prices,
      graceHours,
      ...(trialDays !== undefined && { trialDays }),
      ...(anchor !== undefined && { anchor }),
    }));
  }

  #fee(): Price {
    const dice = this.#dice;
    const cadence = dice.once(8) ? 'P0D' : dice.of(...this.#cadences);
    const term = dice.of('in_advance', 'in_advance', 'in_arrears');
    const quantity = dice.of(1, 1, 1, 3);
    if (this.#isEven) {
      const unitPrice = String((DIVISIBLE[cadence] as number) * FACTOR * dice.between(1, 9));
      return { cadence, term, model: 'standard', properties: { unitPrice }, quantity };
    }
    const units = dice.between(1, 20_000);
    const unitPrice = this.#currency === 'JPY' ? String(units) : (units / 100).toFixed(2);
    if (dice.once(5)) {
      const tiers = [
        { upTo: '2', unitPrice, flatPrice: '1' },
        { upTo: null, unitPrice: '3' },
      ];
      return {
        cadence,
        term,
        model: dice.of('graduated', 'volume'),
        properties: { tiers },
        quantity: dice.of(1, 2, 3, 7),
      };
    }
    return { cadence, term, model: 'standard', properties: { unitPrice }, quantity };
  }

  #usagePrices(): void {
    const dice = this.#dice;
    const metrics = dice.between(1, 2);
    for (let metric = 0; metric < metrics; metric += 1) {
      // A level of two subscriptions is a story of its own (test/stories/levels.test.ts).
      const kinds: Metric['aggregation'][] = ['SUM', 'SUM', 'SUM', 'COUNT', 'MAX', 'UNIQUE_COUNT'];
      const aggregation = dice.of(...kinds, ...(this.#most === 1 ? (['LATEST'] as const) : []));
      this.#metrics.push({ aggregation });
      const prices = dice.between(1, 2);
      for (let count = 0; count < prices; count += 1) this.#prices.push(this.#usagePrice(metric, aggregation));
    }
  }

  #usagePrice(metric: number, aggregation: Metric['aggregation']): Price {
    const dice = this.#dice;
    const isTiered = dice.once(2);
    const included = dice.once(2) ? { includedUnits: String(dice.of(3, 10, 30, 100)) } : {};
    const tiers = [
      { upTo: '10', unitPrice: '1', flatPrice: '2' },
      { upTo: '50', unitPrice: '0.35' },
      { upTo: null, unitPrice: '0.125', flatPrice: '5' },
    ];
    const base = { metric, term: 'in_arrears' as const };
    const limits = {
      ...(dice.once(4) && { minimum: String(dice.of(12, 30, 90)) }),
      ...(dice.once(4) && { maximum: String(dice.of(90, 150)) }),
    };
    if (aggregation === 'SUM' && dice.once(6)) {
      const cells = [
        { match: { region: 'eu' }, unitPrice: '2' },
        { match: { region: 'us' }, unitPrice: '0.333' },
      ];
      return { ...base, ...limits, model: 'matrix', properties: { dimensions: ['region'], cells, default: '1.5' } };
    }
    if (aggregation === 'SUM' && dice.once(8))
      return { ...base, ...limits, model: 'dynamic', properties: { multiplier: '1.1' } };
    if (dice.once(6))
      return {
        ...base,
        ...limits,
        model: 'percentage',
        properties: { percentage: '0.029', fixed: '0.3', ...included },
      };
    if (dice.once(5))
      return { ...base, ...limits, model: 'package', properties: { size: '7', price: '0.99', ...included } };
    if (isTiered)
      return { ...base, ...limits, model: dice.of('graduated', 'volume'), properties: { tiers, ...included } };
    return {
      ...base,
      ...limits,
      model: 'standard',
      properties: { unitPrice: dice.of('1', '0.77', '2.5'), ...included },
    };
  }

  #happen(): void {
    const dice = this.#dice;
    this.#subscribe();
    const count = dice.between(4, 12);
    for (let at = 0; at < count; at += 1) {
      if (this.#subs.size < this.#most && dice.once(3)) this.#subscribe();
      this.#move();
      const acts = this.#isTame ? 1 : dice.of(1, 1, 2, 3);
      for (let act = 0; act < acts; act += 1) this.#act(dice.of(...this.#subs.keys()), at / count);
    }
  }

  #subscribe(): void {
    const dice = this.#dice;
    const sub = `s${this.#subs.size}`;
    const shift = this.#isTame ? 0 : dice.of(0, 0, 0, 0, -1, -3, 5);
    const startedAt = this.#now + shift * DAY;
    const asks = dice.of('transfer', 'transfer', 'session');
    const plan = dice.between(0, this.#plans.length - 1);
    const from = startedAt + ((this.#plans[plan] as Plan).trialDays ?? 0) * DAY;
    this.#subs.set(sub, { plan, from });
    this.#steps.push({ do: 'subscribe', sub, plan, startedAt, asks });
    if (this.#layer === 3 && shift >= 0 && dice.once(4)) {
      const part = this.#isEven ? dice.of('0.5', '0.1') : dice.of('0.35', '0.1', '1');
      this.#steps.push({ do: 'discount', sub, part, from: startedAt - DAY });
    }
    if (asks === 'session' && !dice.once(4)) this.#steps.push({ do: 'pay', how: 'full' });
  }

  /** By a part of a period, by some periods, or to the very instant of a boundary, or close to it. */
  #move(): void {
    const dice = this.#dice;
    const period = Math.min(...this.#cadences.map((cadence) => DAYS_OF[cadence] as number));
    let to = this.#now + Math.max(1, Math.round(period * dice.of(0.1, 0.3, 0.5, 0.9, 1, 1.5, 2.3))) * DAY;
    if (!this.#isEven && dice.once(2)) to += dice.between(1, DAY - 1);
    if (!this.#isTame && dice.once(2)) to = this.#nextBoundary() + (this.#isEven ? 0 : dice.of(0, 0, 0, 1, -1));
    if (to <= this.#now) return;
    this.#now = to;
    this.#steps.push({ do: 'advance', to });
  }

  #nextBoundary(): number {
    const { from } = this.#subs.get(this.#dice.of(...this.#subs.keys())) as { from: number };
    const [life, cadence] = [{ start: this.#start }, this.#dice.of(...this.#cadences)];
    const anchor = this.#plans[0]?.anchor ?? from;
    return boundary(life, anchor, cadence, numberAt(life, anchor, cadence, this.#now) + 1);
  }

  #act(sub: string, age: number): void {
    const dice = this.#dice;
    const kinds: (() => void)[] = [
      () => this.#change(sub),
      () => this.#change(sub),
      () => this.#change(sub),
      () => this.#steps.push({ do: 'pay', how: 'full' }),
      () => this.#steps.push({ do: 'pay', how: 'full' }),
    ];
    if (!this.#isTame)
      kinds.push(
        () => this.#steps.push({ do: 'closeNow', sub, at: dice.between(0, 2) }),
        () => this.#plan(sub),
        ...(age > 0.6 ? [() => this.#end(sub)] : []),
      );
    if (this.#layer > 1) for (let count = 0; count < 5; count += 1) kinds.push(() => this.#use(sub));
    if (this.#layer === 3)
      kinds.push(() => {
        const kind = dice.of('refund', 'refund', 'voidRefund', 'cancel', 'writeOff');
        this.#steps.push({ do: kind, at: dice.between(0, 5) });
      });
    dice.of(...kinds)();
  }

  #plan(sub: string): void {
    const dice = this.#dice;
    const at = dice.once(2) ? null : this.#now + dice.between(30, 60) * DAY;
    this.#steps.push(dice.once(3) ? { do: 'unschedule', sub } : { do: 'planEnd', sub, at });
  }

  #end(sub: string): void {
    const dice = this.#dice;
    const back = this.#now - dice.between(0, 40) * DAY;
    // No rule decides usage of a version that an end in the past removes as a whole.
    const at = this.#layer === 1 ? back : Math.max(back, this.#changedAt);
    this.#steps.push(
      dice.once(2) ? { do: 'endPast', sub, at } : { do: 'end', sub, credit: dice.of('invoice', 'wallet') },
    );
  }

  #change(sub: string): void {
    const dice = this.#dice;
    const had = this.#subs.get(sub) as { plan: number; from: number };
    const others = this.#plans.map((_, plan) => plan).filter((plan) => plan !== had.plan);
    const isOfQuantity = !this.#isTame && dice.once(4);
    const plan = isOfQuantity && dice.once(2) ? had.plan : dice.of(...others);
    const fees = (this.#plans[plan] as Plan).prices.filter(
      (price) => this.#prices[price]?.metric === undefined && this.#prices[price]?.cadence !== 'P0D',
    );
    const quantities = isOfQuantity && fees.length > 0 ? { [dice.of(...fees)]: dice.of(0, 1, 2, 5) } : null;
    this.#subs.set(sub, { ...had, plan });
    this.#changedAt = this.#now;
    this.#steps.push({
      do: 'change',
      sub,
      ...((plan !== had.plan || quantities === null) && { plan }),
      ...(quantities && { quantities }),
      effective: dice.of('now', 'now', 'now', 'now', 'periodEnd'),
      proration: this.#isUniform && !this.#isTame ? dice.of('second', 'second', 'second', 'day', 'none') : 'second',
      credit: dice.of('invoice', 'invoice', 'wallet'),
    });
  }

  #use(sub: string): void {
    const dice = this.#dice;
    const metric = dice.between(0, this.#metrics.length - 1);
    const { aggregation } = this.#metrics[metric] as Metric;
    const isMatrix = this.#prices.some((price) => price.metric === metric && price.model === 'matrix');
    const back = dice.of(0, 0, 0, dice.between(0, 20), dice.between(20, 60)) * DAY + dice.between(0, 23) * HOUR;
    const isNegative = aggregation === 'SUM' && !isMatrix && dice.once(6);
    const units = dice.of(1, 7, 10, 50, 100, dice.between(1, 300));
    this.#steps.push({
      do: 'use',
      metric,
      ...(dice.once(3) && { sub }),
      at: this.#now - back,
      units: String(isNegative ? -units : units),
      ...(isMatrix && { region: dice.of('eu', 'us', 'asia') }),
    });
  }
}
