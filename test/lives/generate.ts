import { DAY, HOUR, type Life, type Metric, type Plan, type Price, type Step } from './life.ts';

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
  /** From `least` to `most`, both included. */
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
}

/** What a life may hold; each layer stands on those before it. */
export interface Switches {
  /** Layer 1 is fees alone; 2 adds usage; 3 adds tax, discounts, refunds and other ways of money. */
  readonly layer: 1 | 2 | 3;
  /** Without the roads that cross: changes at one instant, at boundaries, without proration, and cuts of all kinds. */
  readonly isTame?: boolean;
}

const STARTS = ['2026-01-01T00:00:00Z', '2026-01-31T00:00:00Z', '2027-11-30T06:00:00Z', '2028-02-29T00:00:00Z', '2026-04-01T12:00:00Z'];
const CADENCES = ['P1M', 'P1M', 'P1M', 'P1W', 'P2W', 'P3M', 'P1Y', 'P30D'] as const;
/** What an even fee is a multiple of, so that each whole day of a period is a whole amount. */
const DIVISIBLE: Readonly<Record<string, number>> = {
  P1D: 1, P1W: 7, P2W: 14, P30D: 30, P1M: 377_580, P3M: 33_529_860, P1Y: 133_590, P0D: 1,
};
/** Even after tax and discounts. */
const FACTOR = 10;

export function generate(seed: number, { layer, isTame = false }: Switches): Life {
  const dice = new Dice(seed * 8 + layer * 2 + (isTame ? 1 : 0));
  return new Generator(dice, seed, layer, isTame).life();
}

class Generator {
  readonly #dice: Dice;
  readonly #seed: number;
  readonly #layer: number;
  readonly #isTame: boolean;
  readonly #isEven: boolean;
  readonly #isUniform: boolean;
  readonly #currency: Life['currency'];
  #prices: Price[] = [];
  #metrics: Metric[] = [];
  #plans: Plan[] = [];

  constructor(dice: Dice, seed: number, layer: number, isTame: boolean) {
    this.#dice = dice;
    this.#seed = seed;
    this.#layer = layer;
    this.#isTame = isTame;
    this.#isEven = dice.once(2);
    // Of one cadence: all prorations. Of several: by the second, because a series ends there.
    this.#isUniform = dice.once(2);
    this.#currency = layer === 1 ? 'USD' : dice.of('USD', 'USD', 'JPY', 'KWD');
  }

  life(): Life {
    const dice = this.#dice;
    this.#catalog();
    const taxRate = this.#layer < 3 ? 0 : dice.of(0, 10, 20, ...(this.#isEven ? [] : [19, 8.875]));
    const isInclusive = this.#layer === 3 && dice.once(3);
    return {
      seed: this.#seed,
      start: dice.of(...STARTS),
      currency: this.#currency,
      isEven: this.#isEven,
      taxBehavior: isInclusive ? 'inclusive' : 'exclusive',
      taxRate: isInclusive && this.#isEven ? 25 : taxRate,
      metrics: this.#metrics,
      prices: this.#prices,
      plans: this.#plans,
      steps: this.#steps(),
    };
  }

  #catalog(): void {
    const dice = this.#dice;
    const own = dice.of(...CADENCES);
    const fees = dice.between(2, 5);
    for (let count = 0; count < fees; count += 1) this.#prices.push(this.#fee(own));
    if (this.#layer > 1) this.#usagePrices();
    const anchor = dice.once(6) ? dice.between(-20, 20) * DAY : undefined;
    const plans = dice.between(2, 3);
    for (let count = 0; count < plans; count += 1) {
      const prices = this.#prices.map((_, price) => price).filter(() => dice.once(2));
      this.#plans.push({
        cadence: this.#isUniform ? own : dice.of(own, ...CADENCES),
        prices: prices.length > 0 ? prices : [dice.between(0, this.#prices.length - 1)],
        graceHours: dice.of(0, 0, 0, 1, 48),
        ...(dice.once(8) && { trialDays: dice.of(1, 7, 14) }),
        ...(anchor !== undefined && { anchor }),
      });
    }
    // A discount's window, a trial and the grace are the plan's: where plans differ in them, a change says nothing of it.
    const [{ graceHours, trialDays }] = this.#plans as [Plan];
    this.#plans = this.#plans.map(({ trialDays: _, ...plan }) => ({
      ...plan,
      graceHours,
      ...(trialDays !== undefined && { trialDays }),
    }));
  }

  #fee(own: string): Price {
    const dice = this.#dice;
    const cadence = dice.once(8) ? 'P0D' : this.#isUniform || dice.once(2) ? own : dice.of(...CADENCES);
    const term = dice.of('in_advance', 'in_advance', 'in_arrears');
    const quantity = dice.of(1, 1, 1, 3);
    if (this.#isEven) {
      const unitPrice = String((DIVISIBLE[cadence] as number) * FACTOR * dice.between(1, 9));
      return { cadence, term, model: 'standard', properties: { unitPrice }, quantity };
    }
    const cents = this.#currency === 'JPY' ? String(dice.between(1, 20_000)) : (dice.between(1, 20_000) / 100).toFixed(2);
    if (dice.once(5)) {
      const tiers = [{ upTo: '2', unitPrice: cents, flatPrice: '1' }, { upTo: null, unitPrice: '3' }];
      return { cadence, term, model: dice.of('graduated', 'volume'), properties: { tiers }, quantity: dice.of(1, 2, 3, 7) };
    }
    return { cadence, term, model: 'standard', properties: { unitPrice: cents }, quantity };
  }

  #usagePrices(): void {
    const dice = this.#dice;
    const metrics = dice.between(1, 2);
    for (let metric = 0; metric < metrics; metric += 1) {
      const aggregation = dice.of<Metric['aggregation']>('SUM', 'SUM', 'SUM', 'COUNT', 'MAX', 'UNIQUE_COUNT', 'LATEST');
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
      const cells = [{ match: { region: 'eu' }, unitPrice: '2' }, { match: { region: 'us' }, unitPrice: '0.333' }];
      return { ...base, ...limits, model: 'matrix', properties: { dimensions: ['region'], cells, default: '1.5' } };
    }
    if (aggregation === 'SUM' && dice.once(8)) return { ...base, ...limits, model: 'dynamic', properties: { multiplier: '1.1' } };
    if (dice.once(6))
      return { ...base, ...limits, model: 'percentage', properties: { percentage: '0.029', fixed: '0.3', ...included } };
    if (dice.once(5)) return { ...base, ...limits, model: 'package', properties: { size: '7', price: '0.99', ...included } };
    if (isTiered) return { ...base, ...limits, model: dice.of('graduated', 'volume'), properties: { tiers, ...included } };
    return { ...base, ...limits, model: 'standard', properties: { unitPrice: dice.of('1', '0.77', '2.5'), ...included } };
  }

  #steps(): Step[] {
    const dice = this.#dice;
    const steps: Step[] = [];
    const subs = this.#layer > 1 && dice.once(2) ? 2 : 1;
    let now = 0;
    const made: string[] = [];
    const subscribe = () => {
      const sub = `s${made.length}`;
      made.push(sub);
      const shift = this.#isTame ? 0 : dice.of(0, 0, 0, 0, -3, 5);
      const startedAt = now + shift * DAY;
      const asks = dice.of('transfer', 'transfer', 'session');
      steps.push({ do: 'subscribe', sub, plan: dice.between(0, this.#plans.length - 1), startedAt, asks });
      if (this.#layer === 3 && dice.once(4))
        steps.push({ do: 'discount', sub, part: this.#isEven ? dice.of('0.5', '0.1') : dice.of('0.35', '0.1', '1'), from: startedAt - DAY });
      if (asks === 'session' && !dice.once(4)) steps.push({ do: 'pay', how: 'full' });
    };
    subscribe();
    const count = dice.between(4, 12);
    for (let at = 0; at < count; at += 1) {
      if (made.length < subs && dice.once(3)) subscribe();
      now = this.#move(steps, now);
      this.#act(steps, dice.of(...made), now);
    }
    return steps;
  }

  #move(steps: Step[], now: number): number {
    const dice = this.#dice;
    if (!this.#isTame && dice.once(4)) return now;
    const days = dice.of(1, 2, 5, 10, 15, 28, 31, 45, 70);
    const to = now + days * DAY + (this.#isEven ? 0 : dice.of(0, dice.between(1, DAY - 1)));
    steps.push({ do: 'advance', to });
    return to;
  }

  #act(steps: Step[], sub: string, now: number): void {
    const dice = this.#dice;
    const kinds: (() => void)[] = [
      () => this.#change(steps, sub),
      () => this.#change(steps, sub),
      () => steps.push({ do: 'pay', how: 'full' }),
    ];
    if (!this.#isTame || this.#layer > 1) kinds.push(() => steps.push({ do: 'closeNow', sub, at: dice.between(0, 2) }));
    if (!this.#isTame)
      kinds.push(() => {
        if (dice.once(2)) steps.push({ do: 'planEnd', sub, at: dice.once(5) ? null : now + dice.between(0, 60) * DAY });
        else if (dice.once(2)) steps.push({ do: 'endPast', sub, at: now - dice.between(0, 40) * DAY });
        else steps.push({ do: 'end', sub, credit: dice.of('invoice', 'invoice', 'wallet') });
      });
    if (this.#layer > 1) for (let count = 0; count < 5; count += 1) kinds.push(() => this.#use(steps, sub, now));
    if (this.#layer === 3)
      kinds.push(() => steps.push({ do: dice.of('refund', 'refund', 'voidRefund', 'cancel', 'writeOff'), at: dice.between(0, 5) }));
    dice.of(...kinds)();
  }

  #change(steps: Step[], sub: string): void {
    const dice = this.#dice;
    const proration = this.#isUniform && !this.#isTame ? dice.of('second', 'second', 'day', 'none') : 'second';
    const change = (plan: number) =>
      steps.push({
        do: 'change',
        sub,
        plan,
        effective: dice.of('now', 'now', 'now', 'periodEnd'),
        proration,
        credit: dice.of('invoice', 'invoice', 'wallet'),
      });
    change(dice.between(0, this.#plans.length - 1));
    if (!this.#isTame && dice.once(5)) change(dice.between(0, this.#plans.length - 1));
  }

  #use(steps: Step[], sub: string, now: number): void {
    const dice = this.#dice;
    const metric = dice.between(0, this.#metrics.length - 1);
    const { aggregation } = this.#metrics[metric] as Metric;
    const isMatrix = this.#prices.some((price) => price.metric === metric && price.model === 'matrix');
    const back = dice.of(0, 0, 0, dice.between(0, 20), dice.between(20, 60)) * DAY + dice.between(0, 23) * HOUR;
    const isNegative = aggregation === 'SUM' && !isMatrix && dice.once(6);
    const units = dice.of(1, 7, 10, 50, 100, dice.between(1, 300));
    steps.push({
      do: 'use',
      metric,
      ...(dice.once(3) && { sub }),
      at: now - back,
      units: String(isNegative ? -units : units),
      ...(isMatrix && { region: dice.of('eu', 'us', 'asia') }),
    });
  }
}
