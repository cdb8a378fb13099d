import { Decimal, ZERO } from '../../kernel/decimal.ts';
import { endsVoided, rollsOverWhole } from './grant-time.ts';
import { LOTS_A_TURN, type Lot, Lots, lotOfMany } from './lots.ts';
import type { BalanceGrant, Moment, Reset, Run, Totals } from './model.ts';
import { finish } from './turns.ts';

const NONE: Lot[] = [];
const NOTHING = { balance: ZERO, burned: ZERO, returnable: ZERO };

/** The lots at an instant; events change them in place, with pauses after many. */
export class Ledger {
  readonly lots = new Lots();
  /** Usage that waits for a grant; below 0: negative usage that waits for usage (credit). */
  overage = ZERO;
  /** In the usage period. */
  used = ZERO;
  readonly flows = { granted: ZERO, consumed: ZERO, expired: ZERO, voided: ZERO, dropped: ZERO };

  /** The sums of all grants ever, by their fate. */
  get totals(): Totals {
    return { ...this.flows, remaining: this.lots.remaining };
  }

  /**
   * The usage of a stretch, with what waited before it. Positive: burned in burn order, the remainder waits as overage.
   * Negative: it has lowered the overage, the remainder is given back, and what nobody burned waits as credit.
   */
  *use(usage: Decimal): Generator<void, void> {
    const waiting = this.overage.plus(usage);
    if (waiting.isZero() && usage.isZero()) return;
    this.used = this.used.plus(usage);
    this.overage = waiting.isNegative()
      ? ZERO.minus(yield* this.lots.giveBack(waiting.negated()))
      : yield* this.lots.burn(waiting);
    this.flows.consumed = this.flows.consumed.plus(waiting.minus(this.overage));
  }

  /** Does anything happen to what stands? Not where only grants end that were used up for ever. */
  isConcernedBy({ reset, starting, ending, recurring }: Moment): boolean {
    const stands = (ids: ReadonlySet<string>) => ids.size > 0 && ids.values().some((id) => this.lots.of(id));
    return reset !== null || starting.length > 0 || stands(ending) || stands(recurring);
  }

  /**
   * Applies the changes of one instant, in this order (domain.md §5): expire and void, roll over, recur, activate, burn
   * waiting usage. A question at this instant sees all of it.
   * @returns the lots that have ended, or are spent
   */
  *apply({ ending, reset, recurring, starting }: Moment): Generator<void, Lot[]> {
    const gone = this.#end(ending);
    const spent = reset ? yield* this.#rollOver(reset) : [];
    for (const id of recurring) this.#recur(this.lots.of(id));
    for (const [index, grant] of starting.entries()) {
      this.#start(grant);
      if (index % LOTS_A_TURN === LOTS_A_TURN - 1) yield;
    }
    if (!this.overage.isZero()) yield* this.use(ZERO);
    return spent.length === 0 ? gone : [...gone, ...spent];
  }

  /**
   * Passes over the rest of a run at once, if nothing changes in it from one moment to the next but what is arithmetic.
   * @param done how many moments of the run have been applied, at least one
   * @returns false where the next one has to be applied by itself
   */
  passOver(run: Run, done: number): boolean {
    return run.recurring ? this.#passRecurrences(run.recurring, run.length - done) : this.#passResets(run, done);
  }

  #end(ending: ReadonlySet<string>): Lot[] {
    if (ending.size === 0) return NONE;
    const ended = [...ending].flatMap((id) => this.lots.of(id) ?? []);
    for (const { grant, balance } of ended) {
      const flow = endsVoided(grant) ? 'voided' : 'expired';
      this.flows[flow] = this.flows[flow].plus(balance);
    }
    this.lots.remove(ended);
    return ended;
  }

  *#rollOver({ preserveOverage }: Reset): Generator<void, Lot[]> {
    const spent: Lot[] = [];
    for (const [index, lot] of [...this.lots.touched].entries()) {
      this.#set(lot, rolledOver(lot.grant, lot.balance));
      if (isSpent(lot)) spent.push(lot);
      if (index % LOTS_A_TURN === LOTS_A_TURN - 1) yield;
    }
    this.lots.remove(spent);
    this.lots.untouch();
    this.overage = preserveOverage ? Decimal.max(ZERO, this.overage) : ZERO;
    this.used = ZERO;
    return spent;
  }

  /** The unused part of a recurring grant is dropped, and the full amount is granted again. */
  #recur(lot: Lot | undefined): void {
    if (!lot) return;
    this.#set(lot, ZERO);
    this.#set(lot, lot.grant.amount);
  }

  /** A smaller balance drops the difference, a larger one grants it; burned units stay burned. */
  #set(lot: Lot, balance: Decimal): void {
    const change = this.lots.set(lot, balance);
    if (change.isNegative()) this.flows.dropped = this.flows.dropped.minus(change);
    else this.flows.granted = this.flows.granted.plus(change);
  }

  #start(grant: BalanceGrant): void {
    this.flows.granted = this.flows.granted.plus(grant.amount);
    this.lots.addGrant(grant, { ...NOTHING, balance: grant.amount });
  }

  /** Each time the full amount goes and comes again. */
  #passRecurrences(grantId: string, times: number): boolean {
    const lot = this.lots.of(grantId);
    if (!lot) return true;
    if (this.overage.gt(ZERO) || !lot.balance.eq(lot.grant.amount)) return false;
    const amount = lot.grant.amount.times(times);
    this.flows.granted = this.flows.granted.plus(amount);
    this.flows.dropped = this.flows.dropped.plus(amount);
    return true;
  }

  /**
   * All balances are within their bounds, but for what the last reset issued. Of the resets that come each one sets
   * that to its bounds and issues the next, so that at the end there is one lot of those that rolled over, and the last
   * one.
   */
  #passResets(run: Run, done: number): boolean {
    if (!this.overage.isZero() || this.lots.touched.size > 1) return false;
    const [fresh] = this.lots.touched;
    const last = run.issuedAt(done - 1);
    if (fresh && (fresh.grant.id !== last?.id || !fresh.balance.eq(last.amount))) return false;
    const issued = run.issuedAt(run.length - 1);
    if (!issued || !fresh) return !issued && !fresh;
    finish(this.#rollOver({ at: issued.effectiveAt, preserveOverage: false }));
    const times = run.length - done;
    const kept = rolledOver(issued, issued.amount);
    const change = kept.minus(issued.amount).times(times - 1);
    this.flows.granted = this.flows.granted.plus(issued.amount.times(times - 1)).plus(Decimal.max(ZERO, change));
    this.flows.dropped = this.flows.dropped.plus(Decimal.max(ZERO, change.negated()));
    if (times > 1 && !kept.isZero()) {
      const grantAt = (number: number) => run.issuedAt(done + number) as BalanceGrant;
      this.lots.add(lotOfMany(times - 1, grantAt, { ...NOTHING, balance: kept }));
    }
    this.#start(issued);
    return true;
  }
}

function rolledOver(grant: BalanceGrant, balance: Decimal): Decimal {
  const floored = Decimal.max(grant.minRollover, balance);
  return rollsOverWhole(grant) ? floored : Decimal.min(grant.maxRollover, floored);
}

/**
 * Nothing is left at a reset, so no floor raises it at a later one either: without a recurrence it never covers
 * anything again.
 */
const isSpent = ({ grant, balance }: Lot): boolean => balance.isZero() && grant.recurrence === null;
