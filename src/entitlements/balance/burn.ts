import { Decimal, sum, ZERO } from '../../kernel/decimal.ts';
import { burnOrder } from './grant-time.ts';
import type { BalanceGrant, Totals } from './model.ts';

/** A grant that counts, and what has become of it. */
export interface Holding {
  readonly grant: BalanceGrant;
  readonly balance: Decimal;
  /** Since it became active. */
  readonly burned: Decimal;
  /** Burned since the balance was last set: what negative usage can give back. */
  readonly returnable: Decimal;
}

/** What stands at an instant. */
export interface Ledger {
  /** In burn order. */
  readonly holdings: readonly Holding[];
  /** Usage that waits for a grant; below 0: negative usage that waits for usage (credit). */
  readonly overage: Decimal;
  /** In the usage period. */
  readonly used: Decimal;
  readonly flows: Omit<Totals, 'remaining'>;
}

/** Before anything happened. */
export const EMPTY: Ledger = {
  holdings: [],
  overage: ZERO,
  used: ZERO,
  flows: { granted: ZERO, consumed: ZERO, expired: ZERO, voided: ZERO, dropped: ZERO },
};

/** What is left of all grants. */
export const remainingOf = (holdings: readonly { readonly balance: Decimal }[]): Decimal =>
  sum(holdings.map(({ balance }) => balance));

/** Puts holdings into burn order. */
export const inBurnOrder = (holdings: readonly Holding[]): Holding[] =>
  holdings.toSorted((a, b) => burnOrder(a.grant, b.grant));

/** Takes an amount from some balances in their order. `rest` is what nobody covers. */
export function cover<T extends { readonly balance: Decimal; readonly burned: Decimal }>(
  holdings: readonly T[],
  amount: Decimal,
): { holdings: T[]; rest: Decimal } {
  let rest = amount;
  const covered = holdings.map((holding) => {
    const taken = Decimal.min(holding.balance, rest);
    if (taken.isZero()) return holding;
    rest = rest.minus(taken);
    return { ...holding, balance: holding.balance.minus(taken), burned: holding.burned.plus(taken) };
  });
  return { holdings: covered, rest };
}

/** Gives back what was burned since the balances were last set, the last in burn order first. */
function giveBack(holdings: readonly Holding[], amount: Decimal): { holdings: Holding[]; rest: Decimal } {
  let rest = amount;
  const given = holdings.toReversed().map((holding) => {
    const back = Decimal.min(holding.returnable, rest);
    if (back.isZero()) return holding;
    rest = rest.minus(back);
    return burnedMore(holding, back.negated());
  });
  return { holdings: given.toReversed(), rest };
}

const burnedMore = (holding: Holding, amount: Decimal): Holding => ({
  ...holding,
  balance: holding.balance.minus(amount),
  burned: holding.burned.plus(amount),
  returnable: holding.returnable.plus(amount),
});

/**
 * The usage of a stretch, with what waited before it. Positive: burned in burn order, the rest waits as overage. Negative: it
 * has lowered the overage, the rest is given back, and what nobody burned waits as credit.
 */
export function use(ledger: Ledger, usage: Decimal): Ledger {
  const waiting = ledger.overage.plus(usage);
  const used = ledger.used.plus(usage);
  if (waiting.isNegative()) {
    const { holdings, rest } = giveBack(ledger.holdings, waiting.negated());
    return after(ledger, holdings, { overage: ZERO.minus(rest), used, burned: waiting.plus(rest) });
  }
  const { holdings, rest } = cover(ledger.holdings, waiting);
  const burning = holdings.map((holding, index) => {
    const before = ledger.holdings[index] as Holding;
    return { ...holding, returnable: holding.returnable.plus(holding.burned).minus(before.burned) };
  });
  return after(ledger, burning, { overage: rest, used, burned: waiting.minus(rest) });
}

function after(
  { flows }: Ledger,
  holdings: readonly Holding[],
  { overage, used, burned }: { overage: Decimal; used: Decimal; burned: Decimal },
): Ledger {
  return { holdings, overage, used, flows: { ...flows, consumed: flows.consumed.plus(burned) } };
}
