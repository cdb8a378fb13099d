import { type Exact, exact, minus, nearest, plus, read, times } from '../support/exact.ts';
import type { Resource } from '../support/shop.ts';
import type { Lived } from './drive.ts';
import type { Dice } from './generate.ts';
import { type History, historiesOf, NEVER } from './history.ts';
import { DAY, DIGITS, isCounted, type Life, type Of, type Plan, type Step, secondsOf } from './life.ts';
import type { Owed } from './owed.ts';

/** The same life with commitments over a term beside some of its subscriptions. */
export function withCommitments(life: Life, dice: Dice): Life {
  let now = 0;
  let made = 0;
  // What is left for others by commitments of some prices, of segments, or that ended, only they say.
  const isPlain = dice.of(true, true, false);
  const amount = (units: number) =>
    life.currency === 'JPY' ? String(units) : (units + dice.between(0, 99) / 100).toFixed(2);
  const commitTo = (sub: string): Step => {
    made += 1;
    const parts = dice.of(1, 1, 2, 3);
    let at = now;
    const ends = Array.from({ length: parts - 1 }, () => {
      at += dice.between(1, 50) * DAY + dice.of(0, 0, 3_600);
      return at;
    });
    return {
      do: 'commit',
      sub,
      ends,
      amounts: Array.from({ length: parts }, () => amount(dice.of(0, 30, 300, 3_000, 30_000))),
      ...(!isPlain && dice.once(4) && dice.some(life.prices)),
      ...(!isPlain && parts > 1 && dice.once(2) && { isBySegment: true as const }),
      ...(!isPlain && dice.once(2) && { onEnd: dice.of('prorated' as const, 'waived' as const) }),
      ...(dice.once(3) && { priority: dice.of(-1, 2) }),
    };
  };
  const steps = life.steps.flatMap((step): Step[] => {
    if (step.do === 'advance') now = step.to;
    if (step.do === 'subscribe' && dice.once(2))
      return [step, ...Array.from({ length: dice.of(1, 2, 3) }, () => commitTo(step.sub))];
    const isEnd = step.do === 'advance' && made > 0 && !isPlain && dice.once(20);
    return isEnd ? [step, { do: 'endCommitment', at: dice.between(0, 1) }] : [step];
  });
  return { ...life, steps };
}

/** The same life with a commitment of all its subscriptions, which ends with the life or soon after. */
export function withWide(life: Life, dice: Dice): Life {
  const amount = (units: number) =>
    life.currency === 'JPY' ? String(units) : (units + dice.between(0, 99) / 100).toFixed(2);
  const over = Math.max(0, ...life.steps.map((step) => (step.do === 'advance' ? step.to : 0)));
  const parts = dice.of(1, 1, 2, 3);
  const between = Array.from({ length: parts - 1 }, (_, part) => Math.floor((over * (part + 1)) / parts));
  const commitTo: Step = {
    do: 'commitAll',
    ends: [...between, over + dice.of(0, 0, 1, 5 * DAY)],
    amounts: Array.from({ length: parts }, () => amount(dice.of(0, 30, 300, 3_000, 30_000))),
    ...(dice.once(3) && { isBySegment: true as const }),
    ...(dice.once(4) && dice.some(life.prices)),
    ...(dice.once(3) && { onEnd: dice.of('prorated' as const, 'waived' as const) }),
  };
  const place = life.steps.findIndex(({ do: what }) => what === 'subscribe');
  if (place === -1 || between.some((end, part) => end <= (between[part - 1] ?? 0))) return life;
  const at = dice.of(place, place + 1);
  if (!dice.once(3)) {
    const steps = life.steps.toSpliced(at, 0, commitTo);
    return ofOrder({ ...life, steps: dice.once(2) ? endingOnce(steps, dice) : steps }, dice);
  }
  const { plan, startedAt: from } = life.steps[place] as Of<'subscribe'>;
  const overrides = (life.plans[plan] as Plan).prices.flatMap((price) =>
    dice.once(2) ? [{ price, from, multiplier: dice.of('0', '0.5', '2') }] : [],
  );
  return ofOrder({ ...life, steps: life.steps.toSpliced(place + 1, 0, { ...commitTo, overrides }) }, dice);
}

/** The same steps with an early end of the commitment, which agrees no prices, at some time. */
function endingOnce(steps: readonly Step[], dice: Dice): readonly Step[] {
  const times = steps.flatMap((step, place) => (step.do === 'advance' ? [place + 1] : []));
  return times.length === 0
    ? steps
    : steps.toSpliced(dice.of(...(times as [number, ...number[]])), 0, { do: 'endWide' });
}

/** Sometimes the same life with an order, which has its first subscription and some of the others. */
function ofOrder(life: Life, dice: Dice): Life {
  if (!dice.once(3)) return life;
  let isFirst = true;
  const steps = life.steps.map((step): Step => {
    if (step.do === 'commitAll') return { ...step, isOfOrder: true };
    if (step.do !== 'subscribe') return step;
    const isIn = isFirst || dice.once(2);
    isFirst = false;
    return isIn ? { ...step, isOfOrder: true } : step;
  });
  return { ...life, steps };
}

/** Before anything is owed. */
export const startOfLife = ({ steps }: Life): number =>
  Math.min(0, ...steps.map((step) => (step.do === 'subscribe' ? step.startedAt : 0))) - DAY;

/** From when on a commitment of a life holds: before anything is owed. */
export const committedFrom = ({ startedAt }: Pick<Of<'subscribe'>, 'startedAt'>, now: number): number =>
  Math.min(startedAt, now) - DAY;

/** The place in the order of a commitment of several subscriptions. One of a subscription has none like it. */
export const WIDE_PRIORITY = 1;

/** Until when: long after the life. */
export const COMMITTED_FOR = 3_000 * DAY;

/**
 * The amounts that a commitment asks of its segments, in minor units: the end of its subscription leaves of them all, a
 * part by the second, or what was asked before it (commercial.md §4); so does its own early end.
 */
function askedOf(
  life: Life,
  { isBySegment, onEnd }: Pick<Of<'commit'>, 'isBySegment' | 'onEnd'>,
  segments: readonly Resource[],
  end: number,
): Exact[] {
  const minor = minorIn(life);
  const all = segments.map(({ startDate, endDate, amount }) => {
    const [from, to] = [secondsOf(life, startDate), secondsOf(life, endDate)];
    if (to <= end || onEnd === undefined) return minor(amount);
    if (onEnd === 'waived') return exact(0n);
    return exact(nearest(times(minor(amount), exact(BigInt(Math.max(0, end - from)), BigInt(to - from)))));
  });
  const isWaived = onEnd === 'waived' && !isBySegment && segments.some(({ endDate }) => secondsOf(life, endDate) > end);
  return isWaived ? all.map(() => exact(0n)) : all;
}

/**
 * What is missing to a commitment (commercial.md §4). It holds for all of the life, and the end of its subscription
 * ends it: so its subscription is asked what it owes less than the amount, whatever happened. An invoice that was given
 * back is not spent, which what is owed does not say. What was spent in a segment alone, only the commitment says; and
 * what is left by one before it that does not take of all that the subscription owes.
 */
export function trueUpsAreOwed(life: Life, lived: Lived, owed: readonly Owed[]): string[] {
  if (life.taxBehavior === 'inclusive') return []; // it is net of tax, and what is owed is not
  const minor = minorIn(life);
  const histories = historiesOf(life, lived.deeds, lived.neverActive);
  return lived.commitments.flatMap(({ step, commitment, endedAt: saidAt }, place) => {
    const id = lived.subscriptionIds.get(step.sub);
    const invoices = lived.invoices.filter(({ subscriptionId }) => subscriptionId === id);
    const own = owed.filter(
      ({ sub, price }) =>
        sub === step.sub && (step.prices === undefined || (typeof price === 'number' && step.prices.includes(price))),
    );
    const off = owed.some(({ sub, price, amount }) => sub === step.sub && price === 'coupon' && amount.over !== 0n);
    const isSkipped =
      isGivenBack(lived, invoices) || own.some(({ isOpen }) => isOpen) || (step.prices !== undefined && off);
    if (isSkipped || lived.neverActive.has(step.sub)) return [];
    const { end, endedAt } = histories.find(({ sub }) => sub === step.sub) as History;
    const amounts = askedOf(life, step, commitment.segments, Math.min(end ?? NEVER, saidAt ?? NEVER));
    const amount = total(amounts);
    const before = lived.commitments.filter(
      (each) => each.step.sub === step.sub && isBefore(lived.commitments.indexOf(each), place, lived),
    );
    const isPlain = before.every((each) => takesOfAll(each.step) && each.endedAt === null);
    const isClear = before.length === 0 || (isPlain && step.prices === undefined);
    const isAfterWide = lived.wide.length > 0 && (step.priority ?? 0) > WIDE_PRIORITY;
    const taken = total(before.flatMap((each) => each.step.amounts.map(minor)));
    const left = minus(total(own.map((each) => each.amount)), taken);
    const missing = minus(amount, before.length === 0 ? left : atLeast0(left));
    // What is billed after the end of a commitment is not spent on it, but for an end as of the past where all is owed.
    const isOver = saidAt !== null || (step.onEnd !== undefined && endedAt !== null);
    const lines = invoices.flatMap((invoice) =>
      invoice.lines
        .filter(({ commitmentId }: Resource) => commitmentId === commitment.id)
        .map((line: Resource) => ({ line, invoice })),
    );
    const back = givenBack(lived, new Set(lines.map(({ line }) => line.id)));
    const is = minus(
      total(lines.map(({ line }) => minor(line.totalPrice))),
      total(back.map(({ amount }) => minor(amount))),
    );
    const spentIn: Exact[] = commitment.segments.map((segment: Resource) => minor(segment.spent));
    const spent = total(spentIn);
    const said = minus(amount, spent);
    const bySegment = total(amounts.map((each, place) => atLeast0(minus(each, spentIn[place] as Exact))));
    const isAlone =
      lived.wide.length === 0 && lived.commitments.every((each) => each.step === step || each.step.sub !== step.sub);
    const isSaid = isOver || isAfterWide || !isClear;
    const should = step.isBySegment ? bySegment : atLeast0(isSaid ? said : missing);
    const isOff = offBy(own);
    const name = `true-up: ${step.sub} committed to ${step.amounts.join(' + ')}`;
    const asked = lines.map(({ line, invoice }) => `${line.totalPrice} on ${invoice.kind} ${invoice.periodEnd}`);
    return [
      ...(isOff(is, should)
        ? [`${name} was asked ${text(is)} (${asked.join(', ')}), and is missing ${text(should)} (minor units)`]
        : []),
      // What it does not need may be more of it, or of one of all subscriptions.
      ...(isAlone && !isOver && isOff(said, missing)
        ? [`${name} says that ${text(spent)} is spent, so ${text(said)} is missing`]
        : []),
    ];
  });
}

/** Does spending count for one commitment of a subscription before another? */
function isBefore(one: number, other: number, { commitments }: Lived): boolean {
  const priorityOf = (place: number) => commitments[place]?.step.priority ?? 0;
  return (priorityOf(one) - priorityOf(other) || one - other) < 0;
}

/** Does a commitment take of all that its subscription owes, over all of the life? */
const takesOfAll = ({ prices, isBySegment, onEnd }: Of<'commit'>): boolean => !(prices || isBySegment || onEnd);

const minorIn = (life: Life) => {
  const unit = exact(10n ** BigInt(DIGITS[life.currency]));
  return (text: string): Exact => {
    const amount = times(read(text.replace('-', '')), unit);
    return text.startsWith('-') ? minus(exact(0n), amount) : amount;
  };
};
const total = (all: readonly Exact[]): Exact => all.reduce(plus, exact(0n));
const text = ({ over, under }: Exact): string => (Number((over * 1_000n) / under) / 1_000).toFixed(3);
const atLeast0 = (amount: Exact): Exact => (amount.over > 0n ? amount : exact(0n));
/** Do two amounts differ by more than what is owed may be off? */
const offBy = (owed: readonly Owed[]) => {
  const tolerance = BigInt(owed.reduce((sum, { roundings }) => sum + roundings, 0));
  return (one: Exact, other: Exact): boolean => {
    const { over, under } = minus(one, other);
    return over > tolerance * under || -over > tolerance * under;
  };
};

/**
 * What is missing to a commitment of all subscriptions (commercial.md §4), in lives of which nothing is given back. It
 * holds for all of the life. What a subscription's own commitment needs counts for that one alone, because that comes
 * first. Where a term has one amount, what was asked less what was credited of it is what is missing.
 */
export function wideTrueUpsAreOwed(life: Life, lived: Lived, owed: readonly Owed[]): string[] {
  if (life.taxBehavior === 'inclusive' || lived.neverActive.size > 0 || isGivenBack(lived, lived.invoices)) return [];
  const minor = minorIn(life);
  const isOff = offBy(owed);
  const isOpen = owed.some((each) => each.isOpen);
  const hasOff = owed.some(({ price, amount }) => price === 'coupon' && amount.over !== 0n);
  return lived.wide.flatMap(({ step, commitment, endedAt }) => {
    const lines: Resource[] = lived.invoices.flatMap((invoice) =>
      invoice.lines.filter(({ commitmentId }: Resource) => commitmentId === commitment.id),
    );
    const back = givenBack(lived, new Set(lines.map(({ id }) => id)));
    const asked = minus(
      total(lines.map(({ totalPrice }) => minor(totalPrice))),
      total(back.map(({ amount }) => minor(amount))),
    );
    const amount = total(askedOf(life, step, commitment.segments, endedAt ?? NEVER));
    const spent = total(commitment.segments.map((segment: Resource) => minor(segment.spent)));
    const name = `true-up of all: ${commitment.name} of ${step.amounts.join(' + ')}`;
    const last = commitment.segments.at(-1) as Resource;
    const ofLast = lines.filter(({ periodEnd }) => periodEnd === last.endDate);
    const isOne = step.isBySegment === undefined || step.amounts.length === 1;
    const before = lived.commitments.filter((each) => (each.step.priority ?? 0) < WIDE_PRIORITY);
    const own = before.map((each) => each.step);
    // What others need of it is known only where it is all of what they owe.
    const isOther = before.some((each) => each.endedAt !== null || !takesOfAll(each.step));
    // Others that need less than they did leave more for one that ended, which was asked what was missing then.
    if (endedAt !== null && (!isOne || isOther)) return [];
    const said = isOne ? atLeast0(minus(amount, spent)) : minor(last.shortfall);
    const isAsked = isOne
      ? asked
      : minus(
          total(ofLast.map(({ totalPrice }) => minor(totalPrice))),
          total(
            back
              .filter(({ appliesToLineId }) => ofLast.some(({ id }) => id === appliesToLineId))
              .map((line) => minor(line.amount)),
          ),
        );
    const itself = isOff(isAsked, said)
      ? [`${name} asked ${text(isAsked)}, and says that ${text(said)} is missing`]
      : [];
    if (endedAt !== null || isOpen || (step.prices !== undefined && (hasOff || own.length > 0)) || isOther)
      return itself;
    const subs = [...new Set(owed.map(({ sub }) => sub))].filter((sub) => isCounted(life, step, sub));
    const left = subs.map((sub) => {
      const counted = owed.filter(
        (each) =>
          each.sub === sub &&
          (step.prices === undefined || (typeof each.price === 'number' && step.prices.includes(each.price))),
      );
      const amounts = own.filter((each) => each.sub === sub).flatMap((each) => each.amounts.map(minor));
      const rest = minus(total(counted.map((each) => each.amount)), total(amounts));
      return own.some((each) => each.sub === sub) ? atLeast0(rest) : rest;
    });
    const missing = atLeast0(minus(amount, total(left)));
    const working = lines.map(({ totalPrice, periodEnd }) => `${totalPrice} at ${periodEnd}`).join(', ');
    if (isOne)
      return isOff(asked, missing)
        ? [...itself, `${name} was asked ${text(asked)} (${working}), and is missing ${text(missing)} (minor units)`]
        : itself;
    return own.length === 0 && isOff(spent, total(left))
      ? [...itself, `${name} says that ${text(spent)} is spent, and owed is ${text(total(left))}`]
      : itself;
  });
}

/** The reason of the credit notes by which it gives back what is not missing any more. */
const LESS_MISSING = 'Less is missing to the commitment.';

/** Their lines, of lines that asked something. */
const givenBack = ({ notes }: Lived, asked: ReadonlySet<string>): Resource[] =>
  notes.flatMap((note) =>
    note.reason === LESS_MISSING && note.status !== 'VOIDED'
      ? note.lines.filter(({ appliesToLineId }: Resource) => asked.has(appliesToLineId))
      : [],
  );

/**
 * Is an invoice refunded or cancelled, or did it fail? Of one that is written off nothing is credited, so a fee in
 * advance on it counts whole.
 */
const isGivenBack = ({ notes }: Lived, invoices: readonly Resource[]): boolean =>
  invoices.some(
    ({ id, status, lines, periodEnd }) =>
      status === 'FAILED' ||
      (status === 'WRITTEN_OFF' && lines.some((line: Resource) => line.periodEnd > periodEnd)) ||
      (status === 'CANCELLED' && lines.length > 0) ||
      notes.some((note) => note.invoiceId === id && note.kind !== 'credit' && note.kind !== 'partial'),
  );
