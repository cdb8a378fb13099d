import type { Resource } from '../support/shop.ts';
import type { Lived, Look } from './drive.ts';
import type { Dice } from './generate.ts';
import { DAY, DIGITS, HOUR, instantOf, type Life, type Of, type Price, type Step, secondsOf } from './life.ts';

/** The same life whose billing credits are topped up by the stored card, which does not always work. */
export function withTopUps(life: Life, dice: Dice): Life {
  const topUp = (): Step => ({
    ...{ do: 'topUp', threshold: String(dice.of(1, 20, 100, 300)), amount: String(dice.of(30, 100, 500)) },
    ...(dice.once(3) && { days: dice.of(5, 20, 45) }),
    ...(dice.once(3) && { mostInMonth: dice.of(1, 2, 3) }),
  });
  const steps = life.steps.flatMap((step): Step[] => {
    if (!dice.once(9)) return [step];
    const act = dice.of(topUp, topUp, null);
    if (act !== null) return [step, act()];
    if (dice.once(4)) return [step, { do: 'endTopUp' }];
    return [step, { do: 'card', works: dice.once(2) }];
  });
  return { ...life, steps: [...(dice.once(2) ? [topUp()] : []), ...steps, topUp()] };
}

const WEEK = 7 * DAY;

/**
 * A life of one to three subscriptions whose credits are topped up, with nothing else: of it the judge knows each
 * top-up. Their weeks begin at hours of their own, and nothing is cut.
 */
export function toppedLife(dice: Dice, seed: number, start: string): Life {
  const prices: Price[] = [
    { metric: 0, cadence: 'P1M', term: 'in_arrears', model: 'standard', properties: { unitPrice: dice.of('1', '5') } },
    { metric: 1, cadence: 'P1W', term: 'in_arrears', model: 'standard', properties: { unitPrice: '5' } },
    {
      ...{ cadence: 'P1W', term: dice.of('in_advance', 'in_arrears'), model: 'standard', quantity: dice.of(1, 3) },
      properties: { unitPrice: String(dice.of(5, 10, 25)) },
    },
  ];
  const steps: Step[] = [];
  let now = 0;
  const advance = (days: number, hours: number) => {
    now += days * DAY + hours * HOUR;
    steps.push({ do: 'advance', to: now });
  };
  const topUp = () =>
    steps.push({
      ...{ do: 'topUp', threshold: String(dice.of(5, 10, 20, 50)), amount: String(dice.of(5, 10, 20, 50, 100)) },
      ...(dice.once(3) && { days: dice.of(1, 6, 15, 40) }),
      ...(dice.once(3) && { mostInMonth: dice.of(1, 2, 4) }),
    });
  let last = 0;
  const subs = dice.of(['s0'], ['s0', 's1'], ['s0', 's1', 's2']);
  const use = () =>
    steps.push({
      ...{ do: 'use', metric: dice.of(0, 1), sub: dice.of(...subs), at: now },
      units: String(dice.of(1, 5, 10, dice.between(1, 30))),
    });
  if (dice.once(2)) topUp();
  for (const [place, sub] of subs.entries()) {
    const ends = { endingAt: now + dice.between(2, 6) * WEEK };
    const plan = dice.of(0, 1);
    if (plan === 1) last = Math.max(last, ends.endingAt);
    steps.push({ do: 'subscribe', sub, plan, startedAt: now, asks: 'transfer', ...(plan === 1 && ends) });
    if (place < subs.length - 1) advance(dice.of(0, 1, 5), 5);
  }
  advance(0, 5);
  topUp();
  let credits = 0;
  const credit = () => {
    credits += 1;
    steps.push({
      ...{ do: 'credit', amount: String(dice.of(10, 20, 50, 100)) },
      ...(dice.once(2) && { days: dice.of(3, 6, 15, 40) }),
      ...(dice.once(3) && { isPaid: true }),
      ...(dice.once(4) && { priority: dice.of(-1, 1) }),
    });
  };
  const declines = () => {
    steps.push({ do: 'card', works: false });
    if (dice.once(2)) steps.push({ do: 'topUp', threshold: '1000', amount: '500' });
    else use();
    if (dice.once(3)) {
      steps.push({ do: 'card', works: true });
      if (dice.once(2)) use();
      return;
    }
    advance(dice.of(1, 4), dice.of(0, 3));
    if (dice.once(2)) use();
    steps.push({ do: 'card', works: true });
    if (dice.once(2)) advance(1, 0);
    topUp();
  };
  for (let turn = dice.between(5, 9); turn > 0; turn -= 1) {
    for (let act = dice.of(1, 1, 2, 3); act > 0; act -= 1) use();
    if (credits < 4 && dice.once(4)) credit();
    if (dice.once(5)) topUp();
    if (dice.once(8)) declines();
    if (dice.once(12)) steps.push({ do: 'endTopUp' });
    if (credits > 0 && dice.once(10)) steps.push({ do: 'voidCredit', at: dice.between(0, 3) });
    advance(dice.between(0, 8), dice.of(1, 1, 7, 13));
  }
  if (now < last) advance(Math.ceil((last - now) / DAY), 1);
  return {
    ...{ seed, start, currency: dice.of('USD', 'JPY', 'KWD'), isEven: true, taxBehavior: 'exclusive' },
    taxRate: dice.of(0, 20),
    metrics: [{ aggregation: 'SUM' }, { aggregation: 'COUNT' }],
    prices,
    plans: [
      { cadence: 'P1M', prices: [0], graceHours: dice.of(1, 5) },
      { cadence: 'P1W', prices: [1, 2], graceHours: dice.of(1, 30) },
    ],
    steps,
  };
}

/** What must hold of top-ups (commercial.md §3) in every life, and in a plain one: the top-ups themselves. */
export function topUpsAreDue(life: Life, lived: Lived): string[] {
  if (lived.looks.length === 0) return [];
  return [
    ...lived.looks.flatMap((look, place) => atLook(life, lived.looks[place - 1], look)),
    ...bought(life, lived),
    ...withinMonths(life, lived),
    ...inTime(life, lived),
  ];
}

const minorOf = ({ currency }: Life, text: string): number => Math.round(Number(text) * 10 ** DIGITS[currency]);

const monthOf = (life: Life, second: number): string => instantOf(life, second).slice(0, 7);

/** Is a month as full as a top-up lets it be? Credits of one invoice are one: the payment of it stood again. */
const isFull = ({ maximumPerMonth }: Resource, credits: readonly Resource[], month: string): boolean =>
  maximumPerMonth !== null && invoicesOf(credits.filter((each) => monthIn(each) === month)).size >= maximumPerMonth;

const monthIn = ({ effectiveAt }: Resource): string => effectiveAt.slice(0, 7);
const invoicesOf = (credits: readonly Resource[]): Set<string> => new Set(credits.map(({ invoiceId }) => invoiceId));

/**
 * Around one step: nothing is bought while enough is available, and enough is bought when it is not, as long as the
 * card works and the month has room. Three declines pause it, and nothing but a PUT makes it active again.
 */
function atLook(life: Life, earlier: Look | undefined, { step, at, before, after }: Look): string[] {
  const count = invoicesOf(after.credits).size - invoicesOf(before.credits).size;
  const name = `top-up: at ${instantOf(life, at)}, after ${JSON.stringify(step)},`;
  const { topUp } = after;
  if (topUp === null) return count === 0 ? [] : [`${name} ${count} bought without one`];
  const [threshold, amount, available] = [topUp.threshold, topUp.amount, after.available].map((text) =>
    minorOf(life, text),
  ) as [number, number, number];
  const faults: string[] = [];
  const { status, declines } = topUp;
  if ((status === 'paused') !== (declines === 3)) faults.push(`${name} ${status} with ${declines} declines`);
  if (minorOf(life, before.available) >= threshold && count > 0)
    faults.push(`${name} ${count} bought with ${before.available} available`);
  if (count > 0 && available >= threshold + amount) faults.push(`${name} bought up to ${after.available}`);
  const wasPaused = earlier?.after.topUp?.status === 'paused' && step.do !== 'topUp';
  if (wasPaused && status !== 'paused') faults.push(`${name} active again by itself`);
  const most = invoicesOf(after.credits).size;
  if (wasPaused && most > invoicesOf(earlier?.after.credits ?? []).size) faults.push(`${name} bought while paused`);
  const isLow = available < threshold && status === 'active';
  if (isLow && declines === 0 && !isFull(topUp, after.credits, monthOf(life, at)))
    faults.push(`${name} left at ${after.available}`);
  const wasTried = step.do === 'advance' && (earlier?.after.topUp?.declines ?? 0) > 0;
  if (isLow && wasTried && declines > 0 && earlier?.after.available === after.available)
    faults.push(`${name} not tried again`);
  return faults;
}

/** Each top-up is what was asked at its time, and paid once by card; a declined one leaves a cancelled invoice. */
function bought(life: Life, { deeds, invoices, payments, credits }: Lived): string[] {
  const orders = deeds.flatMap(({ step, at }) => (step.do === 'topUp' ? [{ step, at }] : []));
  const inForce = (second: number) => {
    const since = orders.filter(({ at }) => at < second).at(-1);
    return [...(since ? [since] : []), ...orders.filter(({ at }) => at === second)].map(({ step }) => step);
  };
  const isOf = (credit: Resource, { amount, days }: Of<'topUp'>): boolean => {
    const lasts = days === undefined ? null : secondsOf(life, credit.effectiveAt) + days * DAY;
    const until = credit.expiresAt && secondsOf(life, credit.expiresAt);
    return minorOf(life, credit.amount) === minorOf(life, amount) && until === lasts;
  };
  const topped = credits.filter(({ source }) => source === 'top_up');
  const faults = topped.flatMap((credit) => {
    const { id, category, priority, appliesTo, subscriptionId, commitmentId } = credit;
    const invoice = invoices.find((each) => each.id === credit.invoiceId);
    const isPlain =
      category === 'paid' &&
      priority === 0 &&
      subscriptionId === null &&
      commitmentId === null &&
      Object.values(appliesTo as Record<string, unknown[]>).every((list) => list.length === 0);
    if (!isPlain) return [`top-up: ${id} is ${category} of priority ${priority} for ${JSON.stringify(appliesTo)}`];
    // Of an invoice of a payer the life knows nothing in some lives.
    if (!invoice) return [];
    const [line, ...others] = invoice.lines;
    const isOver = others.length === 0 && line?.type === 'credit_purchase' && line.totalPrice === credit.amount;
    if (!isOver || invoice.kind !== 'ad_hoc') return [`top-up: ${id} is bought by ${JSON.stringify(invoice.lines)}`];
    if (!inForce(secondsOf(life, invoice.issuedAt)).some((step) => isOf(credit, step)))
      return [`top-up: nobody asked for ${id} over ${credit.amount} until ${credit.expiresAt}`];
    const paid = payments.filter(({ invoiceId, status }) => invoiceId === invoice.id && status !== 'reversed');
    const [payment, ...more] = paid;
    const isPaid = more.length === 0 && payment?.method === 'card' && payment.amount === invoice.grandTotal;
    return isPaid ? [] : [`top-up: ${id} of ${invoice.grandTotal} is paid by ${JSON.stringify(paid)}`];
  });
  const made = new Set(credits.map(({ invoiceId }) => invoiceId));
  const purchases = invoices.filter(({ lines }) => lines.some(({ type }: Resource) => type === 'credit_purchase'));
  const open = purchases.filter(({ id, status }) => (status === 'CANCELLED') === made.has(id));
  return [...faults, ...open.map(({ id, status }) => `top-up: invoice ${id} is ${status}`)];
}

/** No month has more top-ups than any order of that month allows. */
function withinMonths(life: Life, { deeds, credits }: Lived): string[] {
  const orders = deeds.flatMap(({ step, at }) => (step.do === 'topUp' ? [{ step, at }] : []));
  const topped = credits.filter(({ source }) => source === 'top_up');
  return [...Map.groupBy(topped, monthIn)].flatMap(([month, those]) => {
    const before = orders.findLast(({ at }) => monthOf(life, at) < month);
    const within = orders.filter(({ at }) => monthOf(life, at) === month);
    const limits = [...(before ? [before] : []), ...within].map(({ step }) => step.mostInMonth);
    const most = Math.max(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY));
    const count = invoicesOf(those).size;
    return count <= most ? [] : [`top-up: ${count} in ${month}, and ${most} are allowed`];
  });
}

const PLAIN = new Set<Step['do']>([
  ...(['advance', 'subscribe', 'use', 'pay', 'credit', 'voidCredit', 'end', 'topUp', 'endTopUp', 'card'] as const),
]);

/** Does a life have nothing but usage and weekly fees in time, and credits from their creation on? */
function isPlain({ plans, prices, ...life }: Life, { deeds, invoices, notes, neverActive }: Lived): boolean {
  const ended = deeds.find(({ step }) => step.do === 'end')?.at ?? Number.POSITIVE_INFINITY;
  return (
    [life.taxBehavior === 'exclusive', !life.isAbroad, !life.isGrouped, !life.hasCard].every(Boolean) &&
    neverActive.size === 0 &&
    deeds.every(({ step }) => PLAIN.has(step.do)) &&
    deeds.every(({ step }) => step.do !== 'credit' || !(step.isBought || step.prices || step.from !== undefined)) &&
    deeds.every(({ step, at }) => step.do !== 'use' || (step.sub !== undefined && step.at === at)) &&
    deeds.every(({ step, at }) => step.do !== 'subscribe' || (step.startedAt === at && !step.overrides)) &&
    life.metrics.every(({ aggregation }) => aggregation === 'SUM' || aggregation === 'COUNT') &&
    plans.every((plan) => !plan.minimum && !plan.trialDays && plan.anchor === undefined && plan.graceHours > 0) &&
    prices.every(({ model, properties }) => model === 'standard' && /^\d+$/.test(properties.unitPrice ?? '')) &&
    prices.every(({ minimum, maximum, allowance }) => !minimum && !maximum && allowance === undefined) &&
    deeds.every(({ step }) => step.do !== 'subscribe' || isUncut(plans[step.plan]?.prices, prices, step, ended)) &&
    notes.every(({ kind }) => kind === 'cancellation') &&
    invoices.every(({ lines }) =>
      lines.every(({ type }: Resource) => ['charge', 'billing_credit', 'credit_purchase'].includes(type)),
    )
  );
}

/** Fees are by the week, and no week of theirs is cut. */
function isUncut(
  own: readonly number[] | undefined,
  prices: readonly Price[],
  { startedAt, endingAt }: Of<'subscribe'>,
  ended: number,
): boolean {
  const fees = (own ?? []).flatMap((place) => (prices[place]?.metric === undefined ? (prices[place] as Price) : []));
  if (fees.length === 0) return true;
  const isWhole = endingAt !== undefined && endingAt <= ended && (endingAt - startedAt) % WEEK === 0;
  return isWhole && fees.every(({ cadence }) => cadence === 'P1W');
}

interface Held {
  readonly from: number;
  readonly priority: number;
  readonly isPaid: boolean;
  readonly amount: number;
  readonly isTopUp: boolean;
  until: number;
  left: number;
}

interface Spent {
  readonly amount: number;
  readonly isFee: boolean;
  readonly sub: string;
}

/** The top-ups of a plain life, and what each credit pays, against the program's. */
function inTime(life: Life, lived: Lived): string[] {
  if (!isPlain(life, lived)) return [];
  const should = new Topped(life, lived)
    .live()
    .map(
      ({ from, until, amount, left, isTopUp }) =>
        `${instantOf(life, from)} ${isTopUp ? 'top-up' : 'credit'} ${amount} until ` +
        `${Number.isFinite(until) ? instantOf(life, until) : 'ever'}, used ${amount - left}`,
    );
  const is = lived.credits.map(({ effectiveAt, expiresAt, voidedAt, amount, usedAmount, source }) => {
    const ends = [expiresAt, voidedAt].filter((each) => each !== null).toSorted();
    return (
      `${effectiveAt} ${source === 'top_up' ? 'top-up' : 'credit'} ${minorOf(life, amount)} until ` +
      `${ends[0] ?? 'ever'}, used ${minorOf(life, usedAmount)}`
    );
  });
  const [one, other] = [should, is].map((all) => all.toSorted().join('\n    '));
  const outstanding = lived.credits
    .filter(({ source }) => source === 'top_up')
    .reduce((sum, { remaining, pendingAmount }) => sum + minorOf(life, remaining) + minorOf(life, pendingAmount), 0);
  const deferred = -minorOf(life, lived.deferred);
  return [
    ...(one === other ? [] : [`topped: the credits are\n    ${other}\n  and should be\n    ${one}`]),
    ...(deferred === outstanding ? [] : [`deferred: ${deferred} is booked, and ${outstanding} is left of top-ups`]),
  ];
}

const MOST_DECLINES = 3;
const LOOKED_AFTER = new Set<Step['do']>(['subscribe', 'use', 'credit', 'voidCredit', 'topUp']);

/**
 * The credits of a plain life in the order of time. At one instant fees spend before usage, and the older subscription
 * first; a credit that begins in it pays what is open of it. A decline is tried again after ten seconds.
 */
class Topped {
  readonly #life: Life;
  readonly #lived: Lived;
  readonly #held: Held[] = [];
  /** The credits that somebody made, in this order. */
  readonly #made: Held[] = [];
  readonly #subs: { readonly sub: string; readonly plan: number; readonly from: number; readonly to: number }[] = [];
  #now = 0;
  /** What was spent in this instant and is open, and what each credit had before it. */
  #open: Spent[] = [];
  #lefts = new Map<Held, number>();
  #order: Of<'topUp'> | null = null;
  #works = true;
  #declines = 0;
  #triesAt = Number.POSITIVE_INFINITY;

  constructor(life: Life, lived: Lived) {
    this.#life = life;
    this.#lived = lived;
  }

  live(): readonly Held[] {
    const looks = new Map(this.#lived.looks.map(({ step, after }) => [step, after]));
    for (const { step } of this.#lived.deeds) {
      const after = looks.get(step);
      if (step.do === 'advance') this.#advance(step.to);
      else this.#do(step);
      if (after && LOOKED_AFTER.has(step.do)) this.#look();
      // How often somebody looks within one instant no page says: each look may be the third decline.
      if (this.#declines > 0 && after?.topUp?.status === 'paused') this.#declines = MOST_DECLINES;
    }
    return this.#held;
  }

  /** A card that works again is known at the next try alone. */
  #do(step: Step): void {
    if (step.do === 'card') this.#works = step.works;
    if (step.do === 'endTopUp') this.#order = null;
    if (step.do === 'subscribe') this.#subscribe(step);
    if (step.do === 'use') this.#use(step);
    if (step.do === 'credit') this.#credit(step);
    if (step.do === 'voidCredit') {
      const credit = this.#made[step.at % this.#made.length] as Held;
      credit.until = Math.min(credit.until, this.#now);
    }
    if (step.do === 'topUp') {
      this.#order = step;
      this.#declines = 0;
      this.#triesAt = Number.POSITIVE_INFINITY;
    }
  }

  #minor(text: string): number {
    return minorOf(this.#life, text);
  }

  /** Each instant at which something begins, ends or is tried again. */
  #advance(to: number): void {
    for (;;) {
      const ends = this.#held.map(({ until }) => until);
      const weeks = this.#subs.flatMap(({ from, to: end, plan }) => {
        const next = from + (Math.floor((this.#now - from) / WEEK) + 1) * WEEK;
        return this.#feeOf(plan) > 0 && next < end ? [next] : [];
      });
      const coming = [...ends, ...weeks, this.#triesAt, this.#nextMonth()].filter((each) => each > this.#now);
      const next = Math.min(to, ...coming);
      this.#begin(next);
      for (const { sub, plan, from, to: end } of this.#subs)
        if ((next - from) % WEEK === 0 && next < end && this.#feeOf(plan) > 0)
          this.#spend(this.#feeOf(plan), true, sub);
      if (coming.includes(next)) this.#look();
      if (next === to) return;
    }
  }

  #begin(now: number): void {
    this.#now = now;
    this.#open = [];
    this.#lefts = new Map(this.#held.map((each) => [each, each.left]));
  }

  #nextMonth(): number {
    const now = Temporal.Instant.from(instantOf(this.#life, this.#now)).toZonedDateTimeISO('UTC');
    return secondsOf(this.#life, now.with({ day: 1 }).startOfDay().add({ months: 1 }).toInstant().toString());
  }

  /** The fees of a plan for a week. */
  #feeOf(plan: number): number {
    const { prices, plans } = this.#life;
    return (plans[plan]?.prices ?? [])
      .map((place) => prices[place] as Price)
      .filter(({ metric }) => metric === undefined)
      .reduce(
        (sum, { properties, quantity }) => sum + this.#minor(properties.unitPrice as string) * (quantity ?? 1),
        0,
      );
  }

  /** What is asked in advance is issued at once: a credit of later in this instant pays none of it. */
  #subscribe({ sub, plan, startedAt, endingAt }: Of<'subscribe'>): void {
    this.#subs.push({ sub, plan, from: startedAt, to: endingAt ?? Number.POSITIVE_INFINITY });
    const fee = this.#feeOf(plan);
    if (fee > 0) this.#spend(fee, true, sub);
    const isIssued = (this.#life.plans[plan]?.prices ?? []).some(
      (place) => this.#life.prices[place]?.term === 'in_advance',
    );
    if (isIssued) this.#begin(this.#now);
  }

  #use({ sub, metric, units }: Of<'use'>): void {
    const { plan, to = 0 } = this.#subs.find((each) => each.sub === sub) ?? {};
    if (this.#now >= to) return; // the subscription is over
    const count = this.#life.metrics[metric]?.aggregation === 'COUNT' ? 1 : Number(units);
    for (const place of plan === undefined ? [] : (this.#life.plans[plan]?.prices ?? [])) {
      const price = this.#life.prices[place] as Price;
      if (price.metric === metric)
        this.#spend(this.#minor(price.properties.unitPrice as string) * count, false, sub as string);
    }
  }

  #credit({ amount, days, isPaid = false, priority = 0 }: Of<'credit'>): void {
    const until = days === undefined ? Number.POSITIVE_INFINITY : this.#now + days * DAY;
    this.#made.push(this.#hold({ amount: this.#minor(amount), until, isPaid, priority, isTopUp: false }));
  }

  #hold(made: Pick<Held, 'amount' | 'until' | 'isPaid' | 'priority' | 'isTopUp'>): Held {
    const credit = { ...made, from: this.#now, left: made.amount };
    this.#held.push(credit);
    this.#lefts.set(credit, made.amount);
    this.#burn();
    return credit;
  }

  #spend(amount: number, isFee: boolean, sub: string): void {
    this.#open.push({ amount, isFee, sub });
    this.#burn();
  }

  /** All that is open of this instant, anew. */
  #burn(): void {
    for (const [credit, left] of this.#lefts) credit.left = left;
    const place = (sub: string) => this.#subs.findIndex((each) => each.sub === sub);
    const spent = this.#open.toSorted(
      (one, other) => Number(other.isFee) - Number(one.isFee) || place(one.sub) - place(other.sub),
    );
    const valid = this.#valid().toSorted(
      (one, other) =>
        one.priority - other.priority ||
        (one.until === other.until ? 0 : one.until - other.until) ||
        Number(one.isPaid) - Number(other.isPaid),
    );
    for (const { amount } of spent) {
      let rest = amount;
      for (const credit of valid) {
        const paid = Math.min(rest, credit.left);
        credit.left -= paid;
        rest -= paid;
      }
    }
  }

  #valid(): Held[] {
    return this.#held.filter(({ from, until }) => from <= this.#now && this.#now < until);
  }

  #look(): void {
    this.#burn();
    for (;;) {
      const order = this.#order;
      if (order === null || this.#declines === MOST_DECLINES) return;
      const available = this.#valid().reduce((sum, { left }) => sum + left, 0);
      if (available >= this.#minor(order.threshold)) return;
      const month = monthOf(this.#life, this.#now);
      const inMonth = this.#held.filter(({ isTopUp, from }) => isTopUp && monthOf(this.#life, from) === month).length;
      if (inMonth >= (order.mostInMonth ?? Number.POSITIVE_INFINITY)) return;
      if (!this.#works) {
        this.#declines += 1;
        this.#triesAt = this.#declines === MOST_DECLINES ? Number.POSITIVE_INFINITY : this.#now + 10;
        return;
      }
      this.#declines = 0;
      this.#triesAt = Number.POSITIVE_INFINITY;
      const until = order.days === undefined ? Number.POSITIVE_INFINITY : this.#now + order.days * DAY;
      this.#hold({ amount: this.#minor(order.amount), until, isPaid: true, priority: 0, isTopUp: true });
    }
  }
}
