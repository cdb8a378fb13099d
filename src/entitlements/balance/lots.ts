import type { Decimal } from '../../kernel/decimal.ts';
import { timesIn, ZERO } from '../../kernel/decimal.ts';
import { type BurnKey, burnKeyOf, burnOrder } from './grant-time.ts';
import type { BalanceGrant } from './model.ts';

/** Grants that count, stand next to each other in burn order, and are alike in every figure. Mostly it is one grant. */
export interface Lot {
  readonly count: number;
  /** The grants in burn order, counted from 0. */
  readonly grantAt: (number: number) => BalanceGrant;
  /** The first of them, */
  readonly grant: BalanceGrant;
  /** and when that is burned. */
  readonly key: BurnKey;
  /** The figures of each: what is left; */
  balance: Decimal;
  /** what was burned since it became active; */
  burned: Decimal;
  /** the burned units since the balance was last set: negative usage can return them. */
  returnable: Decimal;
}

/** A lot of one grant. */
const lotOf = (grant: BalanceGrant, figures: Pick<Lot, 'balance' | 'burned' | 'returnable'>): Lot => ({
  ...figures,
  count: 1,
  grant,
  key: burnKeyOf(grant),
  grantAt: () => grant,
});

/** The members `from` to `to` of a lot as one of their own. */
function membersOf({ grantAt, ...figures }: Lot, from: number, to: number): Lot {
  const grant = from === 0 ? figures.grant : grantAt(from);
  const key = from === 0 ? figures.key : burnKeyOf(grant);
  return { ...figures, count: to - from, grant, key, grantAt: (number) => grantAt(from + number) };
}

/** Some grants that are alike, in burn order. */
export function lotOfMany(
  count: number,
  grantAt: (number: number) => BalanceGrant,
  figures: Pick<Lot, 'balance' | 'burned' | 'returnable'>,
): Lot {
  const grant = grantAt(0);
  return { ...figures, count, grant, key: burnKeyOf(grant), grantAt };
}

const totalOf = (each: Decimal, { count }: Lot): Decimal => (count === 1 ? each : each.times(count));

/** So many lots are taken out one by one; more are taken out in one pass. */
const FEW = 8;

/** So many lots are changed before others have a turn. */
export const LOTS_A_TURN = 400;

/**
 * The lots of an entitlement in burn order. They are changed in place: what happens to one of ten thousand grants must
 * not cost as much as all of them. Two marks save the search: before `#first` nothing is left, and from `#end` on
 * nothing can be given back.
 */
export class Lots {
  #lots: Lot[] = [];
  #first = 0;
  #end = 0;
  readonly #byGrant = new Map<string, Lot>();
  readonly #touched = new Set<Lot>();
  #remaining = ZERO;
  #returnable = ZERO;

  /** The remaining units of all lots. */
  get remaining(): Decimal {
    return this.#remaining;
  }

  /** The units that negative usage can return. */
  get returnable(): Decimal {
    return this.#returnable;
  }

  /** In burn order. */
  get all(): readonly Lot[] {
    return this.#lots;
  }

  /**
   * The lots that were started, burned or set since the last reset. A reset changes no other lot: a balance within its
   * bounds stays.
   */
  get touched(): ReadonlySet<Lot> {
    return this.#touched;
  }

  /** The lot of a grant that was added separately. */
  of(grantId: string): Lot | undefined {
    return this.#byGrant.get(grantId);
  }

  /** Adds one grant. */
  addGrant(grant: BalanceGrant, figures: Pick<Lot, 'balance' | 'burned' | 'returnable'>): void {
    const lot = lotOf(grant, figures);
    this.#byGrant.set(grant.id, lot);
    this.#touched.add(lot);
    this.add(lot);
  }

  /**
   * Adds a lot; where others belong between its members it is divided, and so is another where it belongs between
   * those.
   */
  add(lot: Lot): void {
    const index = this.#indexAfter(lot.key);
    const next = this.#lots[index];
    if (next && lot.count > 1 && burnOrder(next.key, burnKeyOf(lot.grantAt(lot.count - 1))) < 0) {
      const before = membersBefore(lot, next.key);
      this.add(membersOf(lot, 0, before));
      this.add(membersOf(lot, before, lot.count));
      return;
    }
    const previous = this.#lots[index - 1];
    if (previous && previous.count > 1 && burnOrder(lot.key, burnKeyOf(previous.grantAt(previous.count - 1))) < 0)
      this.#divide(index - 1, membersBefore(previous, lot.key));
    this.#lots.splice(index, 0, lot);
    if (index <= this.#first) this.#first = index;
    if (index < this.#end) this.#end += 1;
    if (!lot.returnable.isZero()) this.#end = Math.max(this.#end, index + 1);
    this.#remaining = this.#remaining.plus(totalOf(lot.balance, lot));
    if (!lot.returnable.isZero()) this.#returnable = this.#returnable.plus(totalOf(lot.returnable, lot));
  }

  /** Removes lots, with their remaining units. */
  remove(lots: readonly Lot[]): void {
    for (const lot of lots) {
      this.#touched.delete(lot);
      this.#byGrant.delete(lot.grant.id);
      if (!lot.balance.isZero()) this.#remaining = this.#remaining.minus(totalOf(lot.balance, lot));
      if (!lot.returnable.isZero()) this.#returnable = this.#returnable.minus(totalOf(lot.returnable, lot));
    }
    if (lots.length > FEW) {
      const gone = new Set(lots);
      this.#lots = this.#lots.filter((lot) => !gone.has(lot));
      this.#first = 0;
      this.#end = this.#lots.length;
      return;
    }
    for (const lot of lots) {
      const index = this.#indexOf(lot);
      this.#lots.splice(index, 1);
      if (index < this.#first) this.#first -= 1;
      if (index < this.#end) this.#end -= 1;
    }
  }

  /** Burns usage in burn order, with a pause after some hundred lots. @returns the uncovered usage */
  *burn(usage: Decimal): Generator<void, Decimal> {
    let remaining = usage;
    for (let done = 1; !remaining.isZero() && this.#first < this.#lots.length; done += 1) {
      if (done % LOTS_A_TURN === 0) yield;
      const lot = this.#lots[this.#first] as Lot;
      const here = totalOf(lot.balance, lot);
      if (here.lte(remaining)) {
        this.#move(lot, lot.balance, this.#first);
        remaining = remaining.minus(here);
        this.#first += 1;
      } else if (lot.count === 1) {
        this.#move(lot, remaining, this.#first);
        remaining = ZERO;
      } else {
        const whole = timesIn(lot.balance, remaining);
        this.#divide(this.#first, whole > 0 ? whole : 1);
      }
    }
    return remaining;
  }

  /** Returns units burned since the balances were last set, the last in burn order first. @returns the remainder */
  *giveBack(amount: Decimal): Generator<void, Decimal> {
    let remaining = amount;
    for (let done = 1; !remaining.isZero() && this.#end > 0; done += 1) {
      if (done % LOTS_A_TURN === 0) yield;
      const index = this.#end - 1;
      const lot = this.#lots[index] as Lot;
      const here = totalOf(lot.returnable, lot);
      if (here.isZero()) this.#end -= 1;
      else if (here.lte(remaining) || lot.count === 1) {
        const each = lot.count === 1 && here.gt(remaining) ? remaining : lot.returnable;
        this.#move(lot, each.negated(), index);
        remaining = remaining.minus(totalOf(each, lot));
        this.#first = Math.min(this.#first, index);
      } else {
        const whole = timesIn(lot.returnable, remaining);
        this.#divide(index, lot.count - (whole > 0 ? whole : 1));
      }
    }
    return remaining;
  }

  /** Sets the balance of each member of a lot. @returns the change of the remaining units */
  set(lot: Lot, balance: Decimal): Decimal {
    const change = totalOf(balance.minus(lot.balance), lot);
    this.#remaining = this.#remaining.plus(change);
    this.#returnable = this.#returnable.minus(totalOf(lot.returnable, lot));
    lot.balance = balance;
    lot.returnable = ZERO;
    this.#touched.add(lot);
    if (change.gt(ZERO) && this.#first > 0) this.#first = Math.min(this.#first, this.#indexOf(lot));
    return change;
  }

  /** The end of a reset: every balance is within its bounds, and no unit can be returned. */
  untouch(): void {
    this.#touched.clear();
    this.#end = 0;
  }

  /** Burns an amount of each member of a lot; gives it back where it is below 0. */
  #move(lot: Lot, each: Decimal, index: number): void {
    if (each.isZero()) return;
    const total = totalOf(each, lot);
    lot.balance = lot.balance.minus(each);
    lot.burned = lot.burned.plus(each);
    lot.returnable = lot.returnable.plus(each);
    this.#remaining = this.#remaining.minus(total);
    this.#returnable = this.#returnable.plus(total);
    this.#touched.add(lot);
    this.#end = Math.max(this.#end, index + 1);
  }

  /** Makes two of a lot, the first of them with so many members. */
  #divide(index: number, members: number): void {
    const lot = this.#lots[index] as Lot;
    const pieces = [membersOf(lot, 0, members), membersOf(lot, members, lot.count)];
    this.#lots.splice(index, 1, ...pieces);
    if (this.#touched.delete(lot)) for (const piece of pieces) this.#touched.add(piece);
    if (index < this.#first) this.#first += 1;
    if (index < this.#end) this.#end += 1;
  }

  /** The index of the first lot whose first grant is burned after a key. */
  #indexAfter(key: BurnKey): number {
    let [low, high] = [0, this.#lots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (burnOrder((this.#lots[middle] as Lot).key, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #indexOf(lot: Lot): number {
    const index = this.#indexAfter(lot.key) - 1;
    return this.#lots[index] === lot ? index : this.#lots.indexOf(lot);
  }
}

/** How many members of a lot are burned before a key. */
function membersBefore({ grantAt, count }: Lot, key: BurnKey): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (burnOrder(burnKeyOf(grantAt(middle)), key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
