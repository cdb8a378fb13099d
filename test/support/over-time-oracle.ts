/**
 * A second, slow definition of a balance that levels over time use up: from one instant at which anything happens to
 * the next, in whole numbers. It shares neither code nor decimals with the program (commercial.md §5).
 */

/** Microseconds since 1970. */
export type Time = bigint;
/** Thousandths of a unit for a microsecond: whatever is used or granted is a whole number of them. */
export type Amount = bigint;

/** A level from an instant on, until the next one of its group. */
export interface HeldLevel {
  readonly at: Time;
  readonly group: string;
  /** In thousandths. */
  readonly thousandths: bigint;
  /** Of two at one instant the later one counts. */
  readonly order: number;
}

export interface HeldGrant {
  readonly amount: Amount;
  readonly priority: number;
  readonly from: Time;
  readonly to: Time | null;
  /** At most so much is left after a reset; null: all. */
  readonly rollover: Amount | null;
  readonly created: Time;
  /** Of those that were created at one instant; -1: issued there. */
  readonly order: number;
}

export interface HeldBalance {
  readonly start: Time;
  readonly end: Time | null;
  /** The resets, in order of time. */
  readonly resets: readonly Time[];
  /** The amount that is granted at the start and at each reset, with priority -1; 0: none. */
  readonly issued: Amount;
  readonly keepsOverage: boolean;
  readonly grants: readonly HeldGrant[];
  readonly levels: readonly HeldLevel[];
}

export interface HeldAnswer {
  readonly left: Amount;
  readonly used: Amount;
  readonly over: Amount;
  readonly periodStart: Time;
}

interface Pot {
  readonly grant: HeldGrant;
  left: Amount;
}

/** What is left at an instant, after all that happens at it; events at it count from it on. */
export function heldAt(of: HeldBalance, asked: Time): HeldAnswer {
  const until = of.end !== null && of.end < asked ? of.end : asked;
  const instants = new Set<Time>([of.start, ...of.resets, ...of.levels.map(({ at }) => at), until]);
  for (const { from, to } of of.grants) for (const at of [from, to]) if (at !== null) instants.add(at);
  const order = [...instants].filter((at) => at >= of.start && at <= until).toSorted((a, b) => (a < b ? -1 : 1));
  let pots: Pot[] = [];
  let [used, over, periodStart] = [0n, 0n, of.start];
  for (const [place, at] of order.entries()) {
    const before = order[place - 1];
    if (before !== undefined) {
      const flow = levelFrom(of.levels, before) * (at - before);
      used += flow;
      over = cover(pots, over + flow);
    }
    if (of.end === at) break;
    const isReset = at > of.start && of.resets.includes(at);
    pots = pots.filter(({ grant }) => grant.to === null || grant.to > at);
    if (isReset) {
      for (const pot of pots) rollOver(pot);
      [used, over, periodStart] = [0n, of.keepsOverage ? over : 0n, at];
    }
    const starting = startingAt(of, at, isReset).map((grant) => ({ grant, left: grant.amount }));
    pots = [...pots, ...starting].toSorted((a, b) => burnt(a.grant, b.grant));
    over = cover(pots, over);
  }
  return { left: pots.reduce((total, { left }) => total + left, 0n), used, over, periodStart };
}

/** Takes usage from the pots in their order. @returns what none covers */
function cover(pots: readonly Pot[], usage: Amount): Amount {
  let over = usage;
  for (const pot of pots) {
    const taken = pot.left < over ? pot.left : over;
    pot.left -= taken;
    over -= taken;
  }
  return over;
}

function rollOver(pot: Pot): void {
  const { rollover } = pot.grant;
  if (rollover !== null && pot.left > rollover) pot.left = rollover;
}

/** The grants that begin at an instant, with the one that is issued there. */
function startingAt({ start, issued, grants }: HeldBalance, at: Time, isReset: boolean): HeldGrant[] {
  const begun = grants.filter(({ from, to }) => (from < start ? start : from) === at && (to === null || to > at));
  if (issued === 0n || !(isReset || at === start)) return begun;
  return [...begun, { amount: issued, priority: -1, from: at, to: null, rollover: 0n, created: at, order: -1 }];
}

/** The level of all groups right after an instant. */
function levelFrom(levels: readonly HeldLevel[], at: Time): bigint {
  const last = new Map<string, HeldLevel>();
  for (const each of levels.toSorted((a, b) => (a.at === b.at ? a.order - b.order : a.at < b.at ? -1 : 1)))
    if (each.at <= at) last.set(each.group, each);
  return [...last.values()].reduce((total, { thousandths }) => total + thousandths, 0n);
}

/** The lowest priority first, then the earliest end, then the oldest. */
function burnt(a: HeldGrant, b: HeldGrant): number {
  if (a.priority !== b.priority) return a.priority - b.priority;
  if (a.to !== b.to) return a.to !== null && (b.to === null || a.to < b.to) ? -1 : 1;
  if (a.created !== b.created) return a.created < b.created ? -1 : 1;
  return a.order - b.order;
}

/** An amount as text, for a unit of so many microseconds: 12 digits after the point, half away from zero. */
export function heldText(amount: Amount, unit: bigint): string {
  const scaled = amount * 10n ** 12n * 2n;
  const whole = unit * 1000n;
  const rounded = (scaled + whole) / (whole * 2n); // no amount is below 0
  const digits = rounded.toString().padStart(13, '0');
  const fraction = digits.slice(-12).replace(/0+$/, '');
  return digits.slice(0, -12) + (fraction === '' ? '' : `.${fraction}`);
}
