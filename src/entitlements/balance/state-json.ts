import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/time.ts';
import type { BalanceState, BalanceStateJson } from './model.ts';

/** A state as a jsonb column keeps it: all digits, as text. */
export const stateToJson = ({ at, grants, overage, totals }: BalanceState): BalanceStateJson => ({
  at: formatInstant(at),
  grants: grants.map(({ id, balance, burned, returnable, issuedAt }) => ({
    id,
    balance: plain(balance),
    burned: plain(burned),
    returnable: plain(returnable),
    issuedAt: issuedAt && formatInstant(issuedAt),
  })),
  overage: plain(overage),
  totals: totalsWith(totals, plain),
});

/** Reads what `stateToJson` wrote. @throws RangeError where it is no such thing. */
export const stateFromJson = ({ at, grants, overage, totals }: BalanceStateJson): BalanceState => ({
  at: instantOf(at),
  grants: grants.map(({ id, balance, burned, returnable, issuedAt }) => ({
    id,
    balance: decimal(balance),
    burned: decimal(burned),
    returnable: decimal(returnable),
    issuedAt: issuedAt === null ? null : instantOf(issuedAt),
  })),
  overage: decimal(overage),
  totals: totalsWith(totals, (text): Decimal => decimal(text)),
});

function totalsWith<A, B>(totals: { readonly [name in keyof BalanceState['totals']]: A }, turn: (value: A) => B) {
  const { granted, consumed, remaining, expired, voided, dropped } = totals;
  return {
    granted: turn(granted),
    consumed: turn(consumed),
    remaining: turn(remaining),
    expired: turn(expired),
    voided: turn(voided),
    dropped: turn(dropped),
  };
}

function instantOf(text: string): Instant {
  const at = parseInstant(text);
  if (!at) throw new RangeError(`${text.slice(0, 80)} is no instant.`);
  return at;
}
