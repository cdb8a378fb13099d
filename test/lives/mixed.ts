import type { Dice } from './generate.ts';
import { KINDS, type Kind } from './kinds.ts';
import {
  DAY,
  HOUR,
  type Life,
  type Metric,
  type Override,
  type Plan,
  type Price,
  type Properties,
  type Step,
} from './life.ts';

const DAYS_OF: Readonly<Record<string, number>> = { P1W: 7, P1M: 30, P3M: 91, P1Y: 365 };
/** The plans: s0 keeps the first one, s1 leaves the second one for the third one and takes it again. */
const KEPT = 0;
const LEFT = 1;
const OTHER = 2;

/** They are put beside a life when it is there. */
const BESIDE: ReadonlySet<Kind> = new Set(['credit', 'bought', 'topUp', 'trueUp', 'wide', 'prepaid', 'grouped']);

/**
 * A life of several kinds of crossings. Subscription s0 has a plan with usage and prices of several cadences: its
 * kinds are the commitment, cuts and late usage. Subscription s1 has seats, and a fee of another cadence: its kinds are
 * the plan that is taken again, and credits on invoices that are undone. Both may end as of the past.
 */
export function mixedLife(
  dice: Dice,
  seed: number,
  start: string,
  {
    kinds,
    chance,
    others,
    reissued,
    limits,
  }: {
    readonly kinds: ReadonlySet<Kind>;
    readonly chance: number;
    readonly others: Dice;
    readonly reissued: Dice;
    readonly limits: Dice;
  },
): Life {
  // Newer kinds have a dice of their own: a life without them is as it was before there were any.
  const newer: Partial<Record<Kind, Dice>> = {
    trial: others,
    percentile: others,
    reversed: others,
    reissued,
    limits,
    level: limits,
  };
  const diceOf = (kind: Kind) => newer[kind] ?? dice;
  // Only a life of no other figure has a level: it is drawn more often.
  const chanceOf = (kind: Kind) => (kind === 'level' ? chance * 1.75 : chance);
  const isDrawn = (kind: Kind) => diceOf(kind).next() < chanceOf(kind) && kinds.has(kind);
  const drawn = KINDS.filter((kind) => !BESIDE.has(kind) && isDrawn(kind));
  const isOfMetric = (kind: Kind) => kind === 'eachEvent' || kind === 'overTime' || kind === 'percentile';
  const has = drawn.some(isOfMetric) ? drawn.filter((kind) => kind !== 'level') : drawn;
  return new Mixed(dice, new Set(has)).life(seed, start);
}

class Mixed {
  readonly #dice: Dice;
  readonly #has: ReadonlySet<Kind>;
  readonly #steps: Step[] = [];
  #lastCut = -1;
  #now = 0;
  readonly #ended = new Set<string>();
  /** The prices of the plan of s0. */
  readonly #kept = new Set<number>();
  #prices: readonly Price[] = [];
  readonly #currency: Life['currency'];

  constructor(dice: Dice, has: ReadonlySet<Kind>) {
    this.#dice = dice;
    this.#has = has;
    this.#currency = dice.of('USD', 'USD', 'JPY', 'KWD');
  }

  life(seed: number, start: string): Life {
    const dice = this.#dice;
    const prices = this.#drawPrices();
    this.#prices = prices;
    const own = dice.of('P1M', 'P1M', 'P1W', 'P3M');
    const others = ['P1W', 'P1M', 'P3M', 'P1Y'].filter((cadence) => cadence !== own);
    const cadences = [own, dice.of(...others), dice.of(...others), own];
    const first = prices.slice(0, 4).map((price, place): Price => ({ ...price, cadence: cadences[place] as string }));
    const minimum = this.#amount(dice.of(50, 200, 500, 2_000));
    const trial = () => (this.#has.has('trial') ? { trialDays: dice.of(1, 7, 14, 30) } : {});
    const plans: Plan[] = [
      {
        cadence: own,
        prices: [0, 1, 2, 3].filter(
          (price) => price === 0 || (price === 1 && this.#has.has('commitment')) || dice.once(2),
        ),
        graceHours: dice.of(0, 0, 1),
        ...(this.#has.has('commitment') && { minimum }),
        ...trial(),
      },
      { cadence: 'P1M', prices: [4, 5], graceHours: 0, ...trial() },
      { cadence: 'P1M', prices: [5], graceHours: 0 },
    ];
    for (const price of (plans[KEPT] as Plan).prices) this.#kept.add(price);
    this.#happen();
    return {
      ...{ seed, start, currency: this.#currency, isEven: false },
      taxBehavior: dice.once(3) ? 'inclusive' : 'exclusive',
      taxRate: dice.of(0, 19, 20),
      ...(this.#has.has('dispute') && { hasCard: true }),
      ...(this.#has.has('abroad') && { isAbroad: true }),
      metrics: [this.#metric()],
      prices: [...first, ...prices.slice(4)],
      plans,
      steps: this.#steps,
    };
  }

  #metric(): Metric {
    const dice = this.#dice;
    if (this.#has.has('overTime')) return { aggregation: 'TIME_WEIGHTED', timeUnit: dice.of('hour', 'day', 'period') };
    if (!this.#has.has('percentile'))
      return {
        aggregation: this.#has.has('level') ? dice.of('MAX', 'LATEST', 'UNIQUE_COUNT') : dice.of('SUM', 'SUM', 'COUNT'),
      };
    return {
      aggregation: 'PERCENTILE',
      ...dice.of<Pick<Metric, 'percentile' | 'sampleWindow'>>(
        { percentile: '95', sampleWindow: 'P1D' },
        { percentile: '87.5', sampleWindow: 'P1D' },
        { percentile: '100', sampleWindow: 'P1D' },
        { percentile: '96', sampleWindow: 'PT12H' },
        { percentile: '99.8', sampleWindow: 'PT1H' },
      ),
      sampleAggregation: dice.of('SUM', 'SUM', 'MAX', 'COUNT', 'AVG'),
    };
  }

  #amount(units: number): string {
    return this.#currency === 'JPY' ? String(units) : (units + this.#dice.between(0, 99) / 100).toFixed(2);
  }

  /** Usage, usage or a fee of another cadence, a fee of another cadence; a fee; and of s1 a long fee and seats. */
  #drawPrices(): Price[] {
    const dice = this.#dice;
    const tiers = [
      { upTo: '50', unitPrice: '1', flatPrice: '2' },
      { upTo: null, unitPrice: '0.35' },
    ];
    const included = () => (dice.once(2) ? { includedUnits: String(dice.of(3, 10, 30, 100)) } : {});
    const limits = (): Pick<Price, 'minimum' | 'maximum'> => {
      const [minimum, maximum] = [String(dice.of(12, 30, 90)), String(dice.of(90, 150))];
      return this.#isLimited ? dice.of({ minimum }, { maximum }, { minimum, maximum }) : {};
    };
    const usage = (): Price => ({
      metric: 0,
      term: 'in_arrears',
      ...(this.#has.has('eachEvent') && !this.#has.has('overTime') && !this.#has.has('percentile')
        ? { model: 'percentage', properties: this.#eachEvent() }
        : this.#has.has('limits')
          ? dice.of<Pick<Price, 'model' | 'properties'>>(
              { model: 'standard', properties: { unitPrice: '0.77', ...included() } },
              { model: 'graduated', properties: { tiers, ...included() } },
              { model: 'volume', properties: { tiers, ...included() } },
              { model: 'package', properties: { size: '7', price: '0.99', ...included() } },
            )
          : dice.once(2)
            ? { model: 'standard', properties: { unitPrice: '1' } }
            : { model: 'graduated', properties: { tiers } }),
      ...limits(),
    });
    const fee = (most: number, more: Partial<Price> = {}): Price => ({
      term: dice.of('in_advance', 'in_arrears'),
      model: 'standard',
      properties: { unitPrice: this.#amount(dice.between(5, most)) },
      quantity: 1,
      ...more,
    });
    const advance = { term: 'in_advance' } as const;
    const all = [
      usage(),
      dice.once(2) ? usage() : fee(400),
      fee(400),
      fee(60, advance),
      fee(900, { ...advance, cadence: dice.of('P1Y', 'P3M', 'P1W') }),
      fee(40, { ...advance, cadence: 'P1M', quantity: 10 }),
    ];
    return this.#has.has('taxes') ? all.map((price) => ({ ...price, taxRate: dice.of(0, 7, 8.875, 19) })) : all;
  }

  #eachEvent(): Properties {
    const dice = this.#dice;
    const perEvent = dice.of({ min: '0.5' }, { max: '5' }, { min: '0.5', max: '5' }, { min: '1.333', max: '1.333' });
    const freeEvents = dice.of(1, 2, 3);
    return {
      percentage: dice.of('0.029', '0.1', '0'),
      ...(dice.once(2) && { fixed: '0.3' }),
      ...dice.of<Properties>({ perEvent }, { freeEvents }, { perEvent, freeEvents }),
      ...(dice.once(4) && { maxCharge: '12.5' }),
    };
  }

  #happen(): void {
    const dice = this.#dice;
    const of = (...kinds: Kind[]) => kinds.some((kind) => this.#has.has(kind));
    if (of('exempt')) this.#push({ do: 'exempt', is: dice.of(true, true, false) });
    const isFirst =
      of('commitment', 'cut', 'late', 'eachEvent', 'overTime', 'percentile', 'level', 'limits') ||
      (of('endPast', 'agreed', 'coupon', 'pause', 'trial', 'note', 'reversed', 'reissued') && dice.once(2));
    if (isFirst) this.#subscribe('s0', KEPT);
    if (of('again', 'undone') || !this.#isThere('s0')) this.#subscribe('s1', LEFT);
    const acts: (() => void)[] = [() => this.#push({ do: 'pay', how: 'full' })];
    const often = (times: number, act: () => void) => {
      for (let time = 0; time < times; time += 1) acts.push(act);
    };
    if (this.#isThere('s0')) often(3, () => this.#use(this.#now));
    if (of('cut')) often(2, () => this.#cut());
    if (of('late')) often(2, () => this.#late());
    if (of('again')) often(2, () => this.#again());
    if (of('undone')) often(2, () => this.#undo());
    if (of('dispute')) often(2, () => this.#dispute());
    if (of('oneOff')) often(1, () => this.#oneOff());
    if (of('agreed')) often(2, () => this.#agree());
    if (of('coupon')) often(2, () => this.#coupon());
    if (of('paidFor')) often(1, () => this.#push({ do: 'payer', is: dice.once(2) }));
    if (of('pause')) often(2, () => this.#pause());
    if (of('trial')) often(1, () => this.#moveTrial());
    if (of('note')) often(2, () => this.#note());
    if (of('reversed')) often(2, () => this.#reverse());
    if (of('reissued')) often(2, () => this.#reissue());
    if (of('exempt')) often(1, () => this.#push({ do: 'exempt', is: dice.once(2) }));
    for (let count = dice.between(6, 12); count > 0; count -= 1) {
      for (let act = dice.of(1, 2, 3); act > 0; act -= 1) dice.of(...acts)();
      this.#advance(dice.of(3, 10, 20, 31, 31, 45));
    }
    // What chance left out happens now.
    for (const [kind, act] of [
      ['cut', () => this.#cut()],
      ['late', () => this.#late()],
      ['again', () => this.#again()],
      ['undone', () => this.#undo()],
      ['dispute', () => this.#dispute()],
      ['oneOff', () => this.#oneOff()],
      ['agreed', () => this.#agree()],
      ['coupon', () => this.#coupon()],
      ['pause', () => this.#pause()],
      ['trial', () => this.#moveTrial()],
      ['note', () => this.#note()],
      ['reversed', () => this.#reverse()],
      ['reissued', () => this.#reissue()],
      ['exempt', () => this.#push({ do: 'exempt', is: true })],
      ['paidFor', () => this.#push({ do: 'payer', is: true })],
      ['endPast', () => this.#endPast()],
    ] as const)
      if (this.#has.has(kind) && (kind === 'endPast' || dice.once(2) || !this.#hasBeen(kind))) act();
    this.#push({ do: 'pay', how: 'full' });
  }

  #hasBeen(kind: Kind): boolean {
    const sign: Partial<Record<Kind, Step['do']>> = {
      cut: 'closeNow',
      again: 'change',
      dispute: 'dispute',
      oneOff: 'oneOff',
      pause: 'pause',
      trial: 'moveTrial',
      note: 'note',
      reversed: 'reverse',
      reissued: 'reissue',
      exempt: 'exempt',
      coupon: 'coupon',
      paidFor: 'payer',
    };
    return this.#steps.some((step) => step.do === sign[kind]);
  }

  #push(...steps: Step[]): void {
    this.#steps.push(...steps);
  }

  #isThere(sub: string): boolean {
    return this.#steps.some((step) => step.do === 'subscribe' && step.sub === sub) && !this.#ended.has(sub);
  }

  #subscribe(sub: string, plan: number): void {
    const overrides = this.#has.has('agreed') && this.#dice.once(2) ? { overrides: this.#overrides(sub) } : {};
    const terms = { sub, plan, startedAt: this.#now, asks: 'transfer' } as const;
    this.#push({ do: 'subscribe', ...terms, ...overrides }, { do: 'pay', how: 'full' });
    if (this.#has.has('trial') && this.#dice.once(2)) this.#moveTrial(sub);
  }

  #advance(days: number): void {
    this.#now += days * DAY + this.#dice.of(0, 0, this.#dice.between(0, 23)) * HOUR;
    this.#push({ do: 'advance', to: this.#now });
  }

  /**
   * A correction takes back a part of earlier usage at its very time, so no part of a period has less than nothing. Of
   * prices on each event it may have, so a period with cuts has none.
   */
  #use(at: number): void {
    const dice = this.#dice;
    if (!this.#isThere('s0')) return;
    const left = new Map<number, number>();
    for (const step of this.#steps)
      if (step.do === 'use') left.set(step.at, (left.get(step.at) ?? 0) + Number(step.units));
    const some = [...left].filter(([time, units]) => units > 1 && time <= at);
    const isOfParts = this.#has.has('eachEvent') || this.#has.has('percentile');
    const canCorrect = !this.#has.has('overTime') && !this.#has.has('level') && !(isOfParts && this.#has.has('cut'));
    if (some.length > 0 && at < this.#now && dice.once(2) && canCorrect) {
      const [time, units] = dice.of(...some);
      this.#push({ do: 'use', metric: 0, sub: 's0', at: time, units: String(-dice.of(1, units - 1, units)) });
    } else this.#push({ do: 'use', metric: 0, sub: 's0', at, units: String(dice.of(1, 10, 50, dice.between(1, 300))) });
    // A percentile leaves out the highest windows, so it needs some of them.
    if (this.#has.has('percentile') && at >= DAY && dice.once(2)) this.#use(at - dice.of(HOUR, 6 * HOUR, DAY));
  }

  /** A discount for some days, of which a cut lies within or at an end, and the cut. */
  #cut(): void {
    const dice = this.#dice;
    // A discount that comes at the instant of a cut and after it is no part of that bill, which no history tells.
    if (!this.#isThere('s0') || this.#lastCut === this.#now) return;
    const [from, days] = [this.#now + dice.of(0, 0, 1, 5) * DAY, dice.of(1, 4, 15, 30)];
    this.#push({ do: 'discount', sub: 's0', part: dice.of('0.25', '0.1', '1'), from, to: from + days * DAY });
    if (dice.once(2)) this.#advance(dice.of(1, 3));
    this.#use(this.#now);
    this.#push({ do: 'closeNow', sub: 's0', at: dice.between(0, 2) });
    this.#lastCut = this.#now;
  }

  /** Usage of a period that is paid and over, before or after its invoice is undone, or after it stands again. */
  #late(): void {
    const dice = this.#dice;
    if (!this.#isThere('s0')) return;
    const used = this.#now;
    this.#use(used);
    this.#advance(Math.max(...['P1M', 'P3M'].map((cadence) => (dice.once(3) ? (DAYS_OF[cadence] as number) : 31))));
    if (dice.once(2)) this.#push({ do: 'pay', how: dice.of('full', 'full', 'part') });
    const undo = (): Step => ({ do: dice.of('refund', 'refund', 'writeOff'), at: dice.between(0, 5) });
    const stand = (): Step => dice.of<Step>({ do: 'voidRefund', at: 0 }, { do: 'pay', how: 'full' });
    const late = () => this.#use(used + (dice.once(2) ? 0 : DAY));
    const [first, second] = dice.of<[() => void, () => void]>(
      [late, () => this.#push(undo())],
      [() => this.#push(undo()), late],
    );
    first();
    if (dice.once(3)) this.#advance(32);
    second();
    if (dice.once(2)) this.#advance(dice.of(1, 32));
    if (dice.once(2)) this.#push(stand());
  }

  /** Away and back, at ends of periods or at once; a discount may hold at one of the instants. */
  #again(): void {
    const dice = this.#dice;
    if (!this.#isThere('s1')) return;
    const effective = dice.of('now', 'periodEnd');
    const change = (plan: number): Step => ({
      ...{ do: 'change', sub: 's1', plan, effective, proration: 'second' },
      credit: dice.of('invoice', 'invoice', 'wallet'),
    });
    this.#push(change(OTHER));
    this.#advance(dice.of(2, 31, 31, 35));
    if (effective === 'periodEnd' && dice.once(2))
      this.#push({ do: 'discount', sub: 's1', part: '0.1', from: this.#now, to: this.#now + dice.of(10, 40) * DAY });
    this.#push(change(LEFT));
    this.#advance(dice.of(2, 31, 31, 35));
  }

  /** Fewer seats, so that the next invoice bears a credit. It is paid or not, and undone. */
  #undo(): void {
    const dice = this.#dice;
    if (!this.#isThere('s1')) return;
    const how = dice.of('refund', 'refund', 'cancel', 'writeOff');
    const terms = { effective: 'now', proration: dice.of('second', 'day'), credit: 'invoice' } as const;
    this.#push(
      { do: 'pay', how: 'full' },
      { do: 'change', sub: 's1', quantities: { 5: dice.between(1, 9) }, ...terms },
    );
    this.#advance(dice.of(31, 31, 40));
    if (how === 'refund') this.#push({ do: 'pay', how: 'full' });
    this.#push({ do: how, at: dice.between(0, 1), bearing: true });
    if (how === 'refund' && dice.once(3)) this.#push({ do: 'voidRefund', at: 0 });
  }

  /** Windows of one price that do not overlap, of some prices of the subscription's first plan. */
  #overrides(sub: string): Override[] {
    const dice = this.#dice;
    const prices = sub === 's0' ? [0, 1, 2, 3] : [4, 5];
    return prices.flatMap((price): Override[] => {
      if ((sub === 's0' && !this.#kept.has(price)) || dice.once(2)) return [];
      const { metric, properties } = this.#prices[price] as Price;
      const terms = () => (dice.once(3) ? { properties } : { multiplier: dice.of('0', '0.5', '0.8', '1.25') });
      const said = () => ({ price, ...(metric === undefined || !this.#isLimited ? terms() : this.#bounded(terms)) });
      const [from, days] = [this.#now + dice.of(0, 1, 10, 31) * DAY, dice.of(1, 15, 30, 31, 90)];
      return dice.of<Override[]>(
        [said()],
        [{ ...said(), to: from + days * DAY }],
        [{ ...said(), from, to: from + days * DAY }],
        [
          { ...said(), from, to: from + days * DAY },
          { ...said(), from: from + (days + dice.of(0, 5)) * DAY },
        ],
      );
    });
  }

  /** Bounds of a price, alone or with other terms. */
  #bounded(terms: () => Pick<Override, 'multiplier' | 'properties'>): Omit<Override, 'price'> {
    const dice = this.#dice;
    const minimum = dice.of('none', '20', '60');
    const maximum = dice.of('none', '100', '140');
    const bounds = dice.of<Omit<Override, 'price'>>({}, { minimum }, { maximum }, { minimum, maximum });
    return Object.keys(bounds).length === 0 || dice.once(2) ? { ...bounds, ...terms() } : bounds;
  }

  /** The parts of a cut period have no bounds. */
  get #isLimited(): boolean {
    return this.#has.has('limits') && !this.#has.has('cut');
  }

  /** Other negotiated prices, or none, from now on or later. */
  #agree(): void {
    const dice = this.#dice;
    const there = ['s0', 's1'].filter((each) => this.#isThere(each));
    if (there.length === 0) return;
    const sub = dice.of(...(there as [string, ...string[]]));
    const credit = dice.of('invoice', 'invoice', 'wallet');
    const overrides = dice.once(5) ? [] : this.#overrides(sub);
    this.#push({
      do: 'change',
      sub,
      overrides,
      ...(sub === 's1' && dice.once(3) && { quantities: { 5: dice.between(1, 9) } }),
      effective: dice.of('now', 'now', 'periodEnd'),
      proration: dice.of('second', 'second', 'day', 'none'),
      credit,
    });
    this.#advance(dice.of(2, 15, 31, 40));
  }

  /** A coupon of s0 or s1, or the end of one. */
  #coupon(): void {
    const dice = this.#dice;
    const there = ['s0', 's1'].filter((each) => this.#isThere(each));
    if (there.length === 0) return;
    const sub = dice.of(...(there as [string, ...string[]]));
    if (dice.once(5)) {
      this.#push({ do: 'endCoupon', sub, at: dice.between(0, 3) });
      return;
    }
    const periods = dice.of(1, 2, 3, 0);
    const own = sub === 's0' ? [...this.#kept] : [4, 5];
    const prices = own.filter(() => dice.once(2));
    const isNamed = prices.length > 0 && dice.once(2);
    // No rule decides which of a minimum and of an amount off some prices comes first.
    const isAmount = dice.once(2) && !(isNamed && this.#has.has('commitment'));
    this.#push({
      ...{ do: 'coupon', sub, ...(periods > 0 && { periods }) },
      ...(isAmount ? { amount: this.#amount(dice.of(5, 30, 200)) } : { percent: dice.of('0.5', '0.1', '0.333', '1') }),
      ...(isNamed && { prices }),
      ...(sub === 's1' && dice.once(2) && { plans: [LEFT] }),
      ...(dice.once(4) && { notBefore: this.#now + dice.of(1, 20, 40, 100) * DAY }),
    });
    if (dice.once(2)) this.#advance(dice.of(2, 15, 31));
  }

  /** A pause with or without a known end, usage in it, and its end: as planned, moved, at once, or not yet. */
  #pause(): void {
    const dice = this.#dice;
    const there = ['s0', 's1'].filter((each) => this.#isThere(each));
    if (there.length === 0) return;
    const sub = dice.of(...(there as [string, ...string[]]));
    const days = dice.of(1, 7, 20, 31, 62);
    const anchor = () => dice.of('keep', 'keep', 'restart');
    this.#push({
      ...{ do: 'pause', sub, effective: dice.of('now', 'now', 'periodEnd') },
      ...(dice.once(2) && { resumesAt: this.#now + days * DAY }),
      ...{ usage: dice.of('bill', 'free'), credit: dice.of('invoice', 'invoice', 'wallet'), anchor: anchor() },
    });
    if (dice.once(3)) this.#use(this.#now);
    this.#advance(dice.of(2, 10, 31, 45));
    if (dice.once(2)) this.#use(this.#now - dice.of(0, 0, 1, 5) * DAY);
    if (dice.once(3)) {
      this.#push({ do: 'moveResume', sub, at: dice.once(4) ? null : this.#now + dice.of(1, 10, 40) * DAY });
      this.#advance(dice.of(2, 20, 31));
    }
    if (dice.of(true, true, false)) this.#push({ do: 'resume', sub, anchor: anchor() });
    if (dice.once(2)) this.#advance(dice.of(2, 31));
  }

  /** A trial, if one runs, ends now, sooner or later. */
  #moveTrial(of?: string): void {
    const dice = this.#dice;
    const there = ['s0', 's1'].filter((each) => this.#isThere(each));
    if (there.length === 0) return;
    const sub = of ?? dice.of(...(there as [string, ...string[]]));
    if (dice.once(2)) this.#advance(dice.of(1, 2, 5));
    this.#push({ do: 'moveTrial', sub, to: this.#now + dice.of(0, 0, 1, 5, 14, 31) * DAY + dice.of(0, 0, 12) * HOUR });
    if (dice.once(2)) this.#advance(dice.of(1, 5, 20));
  }

  /** Something else on the line before and after, on days of their own. */
  #note(): void {
    const dice = this.#dice;
    this.#advance(1);
    const [at, line, share] = [dice.between(0, 5), dice.between(0, 5), dice.of('0.1', '0.25', '0.5', '1')];
    const settlement = dice.of<('refund' | 'wallet' | 'reduce')[]>([], [], ['refund'], ['wallet'], ['reduce'])[0];
    const byQuantity = dice.once(2);
    this.#push({ do: 'note', at, line, share, ...(byQuantity && { byQuantity }), ...(settlement && { settlement }) });
    this.#advance(dice.of(1, 1, 20));
    if (dice.once(4)) this.#push({ do: 'voidNote' });
  }

  /** Of too much money the excess may be spent before it comes back; then a later invoice collects it. */
  #reverse(): void {
    const dice = this.#dice;
    this.#oneOff();
    this.#push({ do: 'pay', at: dice.between(0, 3), how: dice.of('more', 'more', 'full', 'part') });
    if (dice.once(2)) this.#oneOff();
    this.#advance(dice.of(1, 10, 31));
    for (let count = dice.of(1, 1, 2); count > 0; count -= 1) this.#push({ do: 'reverse', at: dice.between(0, 5) });
    if (dice.once(3)) this.#push({ do: dice.of('cancel', 'writeOff', 'refund'), at: dice.between(0, 3) });
    if (dice.once(2)) this.#oneOff();
  }

  /** On a day of its own; what comes late for its period may come before and after. */
  #reissue(): void {
    const dice = this.#dice;
    this.#advance(dice.of(1, 2, 31));
    if (dice.once(2) && this.#isThere('s0')) this.#use(this.#now - dice.of(1, 35) * DAY);
    this.#push({ do: 'reissue', at: dice.between(0, 5), recalculate: dice.once(3) });
    if (dice.once(3)) this.#push({ do: 'pay', at: dice.between(0, 3), how: dice.of('full', 'part') });
    this.#advance(dice.of(1, 1, 20));
  }

  #dispute(): void {
    const dice = this.#dice;
    const at = dice.between(0, 2);
    if (dice.once(3)) this.#oneOff();
    this.#push({ do: 'payByCard', at: dice.between(0, 2) });
    const steps: Step[] = [
      { do: 'dispute', at, status: dice.of('open', 'won', 'lost', 'lost'), isPart: dice.once(3) },
      ...(dice.once(2) ? [{ do: 'refund', at: dice.between(0, 3) } as const] : []),
    ];
    this.#push(...(dice.once(2) ? steps : steps.toReversed()));
  }

  #oneOff(): void {
    const dice = this.#dice;
    const quantity = dice.of('1', '1.5', '0.333');
    this.#push({ do: 'oneOff', unitPrice: this.#amount(dice.between(1, 300)), quantity, taxRate: dice.of(0, 7, 19) });
  }

  /** No rule decides usage after an end as of the past beside a minimum, so none lies there. */
  #endPast(): void {
    const dice = this.#dice;
    const sub = dice.of(...['s0', 's1'].filter((each) => this.#isThere(each)));
    const times = this.#steps.map((step) => {
      if (step.do === 'use' && sub === 's0') return step.at + 1;
      return (step.do === 'change' && sub === step.sub) || (step.do === 'subscribe' && sub === step.sub) ? 1 : 0;
    });
    const changed = this.#changedAt(sub);
    const at = Math.max(...times, changed + DAY, this.#now - dice.between(1, 40) * DAY - dice.of(0, HOUR * 12));
    if (at < this.#now) this.#push({ do: 'endPast', sub, at });
    this.#ended.add(sub);
    this.#advance(3);
  }

  /** When the last change of a subscription was asked, or its start. */
  #changedAt(sub: string): number {
    let [now, changed] = [0, 0];
    for (const step of this.#steps) {
      if (step.do === 'advance') now = step.to;
      if ((step.do === 'change' || step.do === 'subscribe') && step.sub === sub) changed = now;
    }
    return changed;
  }
}
