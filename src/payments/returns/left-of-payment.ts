import { Decimal, ZERO } from '../../kernel/decimal.ts';
import type { TakenOfPayment } from '../records/return-states.ts';

/** What goes back of a payment, and what others took of it before: that is credited without money. */
export interface LeftOfPayment extends TakenOfPayment {
  readonly returned: Decimal;
}

/** Divides a payment that can go back. What the wallet has of it is not part of it. */
export function leftOfPayment(
  { amount, overpaid }: { readonly amount: Decimal; readonly overpaid: Decimal },
  taken: TakenOfPayment,
): LeftOfPayment {
  const paid = amount.minus(overpaid);
  const covered = upTo(taken, paid);
  return { ...covered, returned: paid.minus(covered.disputed).minus(covered.outside) };
}

/** The same of one that has left, or may have: nothing more goes back, and others took only what it had left there. */
export const leftOfGone = (
  { lessDisputed, lessOutside }: { readonly lessDisputed: Decimal; readonly lessOutside: Decimal },
  taken: TakenOfPayment,
): LeftOfPayment => ({ ...upTo(taken, lessDisputed.plus(lessOutside)), returned: ZERO });

function upTo({ disputed, outside }: TakenOfPayment, most: Decimal): TakenOfPayment {
  const byBank = Decimal.min(disputed, most);
  return { disputed: byBank, outside: Decimal.min(outside, most.minus(byBank)) };
}
