import type { Resource } from '../support/shop.ts';
import { withWide } from './committed.ts';
import { isFor } from './credits.ts';
import type { Lived } from './drive.ts';
import type { Dice } from './generate.ts';
import type { Deed } from './history.ts';
import { DAY, DIGITS, HOUR, type Life, type Price, type Step, secondsOf } from './life.ts';

/**
 * A life of two or three subscriptions of unequal cadences that share billing credits, with nothing else: of it the
 * judge knows which credit pays how much of each invoice.
 */
export function sharedLife(dice: Dice, seed: number, start: string): Life {
  const currency = dice.of('USD', 'JPY');
  const usage = (metric: number, cadence: string): Price => ({
    ...{ metric, cadence, term: 'in_arrears', model: 'standard' },
    properties: { unitPrice: dice.of('1', '3') },
  });
  const fee = (term: Price['term'], cadence: string): Price => ({
    ...{ cadence, term, model: 'standard', quantity: dice.of(1, 3) },
    properties: { unitPrice: String(dice.between(5, 60)) },
  });
  // The fee in advance is of weeks that nobody cuts.
  const prices = [
    ...[usage(0, 'P1M'), fee('in_arrears', 'P1M'), usage(1, 'P1W'), fee('in_advance', 'P1W')],
    ...[usage(1, 'P2W'), usage(0, 'P2W'), fee('in_arrears', 'P2W')],
  ];
  const steps: Step[] = [];
  let now = 0;
  const advance = () => {
    now += dice.between(1, 9) * DAY + dice.of(0, 0, dice.between(1, 23)) * HOUR;
    steps.push({ do: 'advance', to: now });
  };
  const subs = dice.of(['s0', 's1'], ['s0', 's1', 's2']);
  const subscribe = (sub: string, plan: number) => {
    const weeks = { endingAt: now + dice.between(2, 6) * 7 * DAY };
    steps.push({ do: 'subscribe', sub, plan, startedAt: now, asks: 'transfer', ...(plan === 1 && weeks) });
  };
  let credits = 0;
  const credit = () => {
    credits += 1;
    steps.push({
      ...{ do: 'credit', amount: String(dice.of(10, 40, 90, 200)) },
      ...(dice.once(3) && { from: now + dice.of(-9, -2, 3, 12) * DAY }),
      ...(dice.once(2) && { days: dice.of(5, 12, 25, 40) }),
      ...(dice.once(3) && dice.some(prices)),
      ...(dice.once(3) && { isPaid: true }),
      ...(dice.once(4) && { priority: dice.of(-1, 1) }),
    });
  };
  credit();
  for (const sub of subs) {
    subscribe(sub, dice.of(0, 1, 2));
    if (dice.once(2)) advance();
  }
  for (let turn = dice.between(6, 10); turn > 0; turn -= 1) {
    for (let act = dice.of(1, 2, 3); act > 0; act -= 1)
      steps.push({
        do: 'use',
        metric: dice.of(0, 1),
        sub: dice.of(...subs),
        at: now,
        units: String(dice.between(1, 30)),
      });
    if (credits < 5 && dice.once(2)) credit();
    advance();
    if (!dice.once(7)) continue;
    steps.push({ do: 'voidCredit', at: dice.between(0, 2) });
    advance();
  }
  const life: Life = {
    ...{ seed, start, currency, isEven: false, taxBehavior: 'exclusive', taxRate: dice.of(0, 20) },
    metrics: [{ aggregation: 'SUM' }, { aggregation: 'COUNT' }],
    prices,
    plans: [
      { cadence: 'P1M', prices: [0, 1], graceHours: dice.of(1, 5) },
      { cadence: 'P1W', prices: [2, 3], graceHours: 1 },
      { cadence: 'P2W', prices: [4, 5, 6], graceHours: dice.of(1, 30) },
    ],
    steps,
  };
  return dice.once(2) ? withWide(life, dice) : life;
}

const PLAIN = new Set<Step['do']>(['advance', 'subscribe', 'use', 'pay', 'credit', 'voidCredit', 'end', 'commitAll']);

/** Does a life have nothing but usage and fees at a price for each unit, in time, and credits that pay them? */
function isPlain({ prices, plans, ...life }: Life, { deeds, invoices: all, notes, neverActive }: Lived): boolean {
  const invoices = all.filter(({ subscriptionId }) => subscriptionId !== null); // a commitment asks by another one
  const isStandard = (price: Price) =>
    price.model === 'standard' &&
    price.properties.includedUnits === undefined &&
    [price.minimum, price.maximum, price.allowance].every((each) => each === undefined);
  return (
    [life.taxBehavior === 'exclusive', !life.isAbroad, !life.isGrouped, neverActive.size === 0].every(Boolean) &&
    deeds.every(({ step }) => PLAIN.has(step.do)) &&
    deeds.every(
      ({ step }) => !(step.do === 'credit' && step.isBought) && !(step.do === 'commitAll' && step.overrides),
    ) &&
    deeds.every(({ step, at }) => step.do !== 'use' || (step.sub !== undefined && step.at >= at)) &&
    life.metrics.every(({ aggregation }) => aggregation === 'SUM' || aggregation === 'COUNT') &&
    plans.every(({ minimum, trialDays, anchor }) => [minimum, trialDays, anchor].every((each) => each === undefined)) &&
    prices.every(isStandard) &&
    notes.length === 0 &&
    invoices.every(({ status, lines }) => ['ISSUED', 'PAID'].includes(status) || lines.length === 0) &&
    invoices.every(({ lines }) => lines.every(({ type }: Resource) => ['charge', 'billing_credit'].includes(type)))
  );
}

interface Charge {
  readonly invoice: Resource;
  readonly line: Resource;
  readonly position: number;
  readonly sub: string;
  readonly price: Price;
  readonly from: number;
  readonly to: number;
}

interface Part {
  readonly charge: Charge;
  readonly from: number;
  /** A fee is spent at its start. */
  readonly to: number;
  readonly amount: number;
}

/**
 * What credits pay of each invoice (commercial-cases.md §3): as it is issued, all that is open burns by its time, at
 * one instant fees before usage, then the older subscription. Spending between two instants at which credits begin or
 * end counts at the first of them. What earlier invoices used stays used. In lives that are plain.
 */
export function creditsBurnInTime(life: Life, lived: Lived): string[] {
  if (!isPlain(life, lived) || lived.credits.length === 0) return [];
  const second = (time: string) => secondsOf(life, time);
  const minor = (text: string) => Math.round(Number(text) * 10 ** DIGITS[life.currency]);
  const subOf = new Map([...lived.subscriptionIds].map(([sub, id]) => [id, sub]));
  const made = [...lived.subscriptionIds.keys()];
  const place = (is: (deed: Deed) => boolean) => lived.deeds.findIndex(is);
  /** The step with which an invoice is issued. */
  const issuedWith = ({ kind, subscriptionId, issuedAt }: Resource): number =>
    kind === 'upfront'
      ? place(({ step }) => step.do === 'subscribe' && step.sub === subOf.get(subscriptionId))
      : place(({ step }) => step.do === 'advance' && step.to >= second(issuedAt));
  const issued = lived.invoices
    .filter(({ subscriptionId, lines }) => subscriptionId !== null && lines.length > 0)
    .map((invoice) => ({ invoice, with: issuedWith(invoice), at: second(invoice.issuedAt) }))
    .toSorted((one, other) => one.with - other.with || one.at - other.at);
  // No rule says which of two invoices of one instant comes first: of those that end together it is the same.
  const isUnclear = issued.some((each, turn) => {
    const before = issued[turn - 1];
    return before?.at === each.at && before.invoice.periodEnd !== each.invoice.periodEnd;
  });
  const ends = lived.deeds.flatMap(({ step, at }) => (step.do === 'end' ? [at] : []));
  if (isUnclear || issued.some(({ at }) => ends.includes(at))) return [];
  const charges = issued.flatMap(({ invoice }): Charge[] =>
    invoice.lines.flatMap((line: Resource, position: number) =>
      line.type === 'charge'
        ? {
            ...{ invoice, line, position, sub: subOf.get(invoice.subscriptionId) as string },
            price: life.prices[Number(/^p(\d+)/.exec(line.invoiceDisplayName)?.[1])] as Price,
            ...{ from: second(line.periodStart), to: second(line.periodEnd) },
          }
        : [],
    ),
  );
  const creditDeeds = lived.deeds.flatMap(({ step }, turn) => (step.do === 'credit' ? [{ step, turn }] : []));
  const credits = lived.credits
    .map((credit) => ({ credit, number: Number(credit.name.slice(1)) }))
    .map(({ credit, number }) => ({
      ...{ credit, number, turn: creditDeeds[number]?.turn as number, from: second(credit.effectiveAt) },
      expires: credit.expiresAt === null ? Number.POSITIVE_INFINITY : second(credit.expiresAt),
      voided: credit.voidedAt === null ? Number.POSITIVE_INFINITY : second(credit.voidedAt),
    }))
    .toSorted(
      (one, other) =>
        one.credit.priority - other.credit.priority ||
        (one.expires === other.expires ? 0 : one.expires - other.expires) ||
        Number(one.credit.category === 'paid') - Number(other.credit.category === 'paid') ||
        one.number - other.number,
    );
  const left = new Map(credits.map(({ credit }) => [credit.id, minor(credit.amount)]));
  const done = new Set<string>();
  return issued.flatMap(({ invoice, with: turn, at }) => {
    const known = credits
      .filter((each) => each.turn < turn)
      .map((each) => ({ ...each, until: Math.min(each.expires, each.voided < at ? each.voided : each.expires) }));
    const end = second(invoice.periodEnd);
    const bounds = known.flatMap(({ from, until }) => [from, until]).filter(Number.isFinite);
    const partsOf = (charge: Charge): Part[] => {
      const { price, from, to, line, sub } = charge;
      const each = minor(price.properties.unitPrice as string);
      if (price.metric === undefined) {
        const isKnown = charge.invoice === invoice || place(endOf(sub)) < turn;
        return [{ charge, from, to: from, amount: isKnown ? minor(line.totalPrice) : each * (price.quantity ?? 1) }];
      }
      const isOwn = charge.invoice === invoice;
      const inside = [...bounds, ...(isOwn ? [] : [end])].filter((bound) => from < bound && bound < to);
      const cuts = [from, ...new Set(inside.toSorted((a, b) => a - b)), to];
      return cuts.slice(0, -1).map((start, cut) => {
        const until = cuts[cut + 1] as number;
        const units = lived.deeds.slice(0, turn).flatMap(({ step }) => {
          const isIn = step.do === 'use' && step.sub === sub && step.metric === price.metric;
          if (!isIn || step.at < start || step.at >= until) return [];
          return life.metrics[step.metric]?.aggregation === 'COUNT' ? 1 : Number(step.units);
        });
        return { charge, from: start, to: until, amount: each * units.reduce((sum, unit) => sum + unit, 0) };
      });
    };
    const isThere = ({ sub }: Charge) => place(({ step }) => step.do === 'subscribe' && step.sub === sub) <= turn;
    const parts = charges
      .filter((charge) => !done.has(charge.invoice.id) && isThere(charge))
      .flatMap(partsOf)
      .filter(({ from, charge }) => charge.invoice === invoice || from <= end)
      .toSorted(
        (one, other) =>
          one.from - other.from ||
          Number(one.charge.price.metric !== undefined) - Number(other.charge.price.metric !== undefined) ||
          made.indexOf(one.charge.sub) - made.indexOf(other.charge.sub) ||
          one.charge.position - other.charge.position,
      );
    const open = new Map(left);
    const uses = new Map<string, number>();
    for (const { charge, from, to, amount } of parts) {
      let rest = amount;
      for (const { credit, from: begins, until } of known) {
        const has = open.get(credit.id) as number;
        const isIn = begins <= from && (from === to ? from < until : to <= until);
        if (!isIn || !isFor(credit, charge.line)) continue;
        const paid = Math.min(rest, has);
        rest -= paid;
        open.set(credit.id, has - paid);
        if (charge.invoice === invoice) uses.set(credit.id, (uses.get(credit.id) ?? 0) + paid);
      }
    }
    done.add(invoice.id);
    return known.flatMap(({ credit }) => {
      const should = uses.get(credit.id) ?? 0;
      left.set(credit.id, (left.get(credit.id) as number) - should);
      const own = invoice.lines.filter(({ billingCreditId }: Resource) => billingCreditId === credit.id);
      const is = own.reduce((total: number, { totalPrice }: Resource) => total - minor(totalPrice), 0);
      return is === should
        ? []
        : [
            `burnt: ${credit.name} pays ${is} of ${subOf.get(invoice.subscriptionId)} until ${invoice.periodEnd}, ` +
              `and in time it is ${should} (minor units)\n` +
              parts.map((part) => `    ${working(part)}`).join('\n'),
          ];
    });
  });
}

const endOf =
  (sub: string) =>
  ({ step }: { readonly step: Step }): boolean =>
    step.do === 'end' && step.sub === sub;

const working = ({ charge: { sub, line }, from, to, amount }: Part): string =>
  `${sub} ${line.invoiceDisplayName} [${from / DAY}d,${to / DAY}d) ${amount}`;
