import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { formatInstant, type Instant, parseInstant } from '../../kernel/time.ts';
import type { BalanceState, BalanceStateJson, GrantGroup, GrantState } from './model.ts';

type GrantJson = BalanceStateJson['grants'][number];

/** A state as a jsonb column keeps it: all digits, as text. */
export const stateToJson = ({ at, grants, overage, pending, used, totals }: BalanceState): BalanceStateJson => ({
  at: formatInstant(at),
  grants: grants.map(grantToJson),
  overage: plain(overage),
  pending: plain(pending),
  used: plain(used),
  totals: totalsWith(totals, plain),
});

/** Reads what `stateToJson` wrote. @throws RangeError where it is no such thing. */
export const stateFromJson = ({ at, grants, overage, pending, used, totals }: BalanceStateJson): BalanceState => ({
  at: instantOf(at),
  grants: grants.map(grantFromJson),
  overage: decimal(overage),
  pending: decimal(pending),
  used: decimal(used),
  totals: totalsWith(totals, (text): Decimal => decimal(text)),
});

const grantToJson = ({ id, balance, burned, returnable, issuedAt, group }: GrantState): GrantJson => ({
  id,
  balance: plain(balance),
  burned: plain(burned),
  returnable: plain(returnable),
  issuedAt: issuedAt && formatInstant(issuedAt),
  ...(group && { group: groupToJson(group) }),
});

const groupToJson = ({ priority, expiresAt, createdAt, order, rollsOver }: GrantGroup) => ({
  priority,
  expiresAt: expiresAt && formatInstant(expiresAt),
  createdAt: formatInstant(createdAt),
  order: order.toString(),
  rollsOver,
});

const grantFromJson = ({ id, balance, burned, returnable, issuedAt, group }: GrantJson): GrantState => ({
  id,
  balance: decimal(balance),
  burned: decimal(burned),
  returnable: decimal(returnable),
  issuedAt: issuedAt === null ? null : instantOf(issuedAt),
  group: group ? groupFromJson(group) : null,
});

const groupFromJson = ({ priority, expiresAt, createdAt, order, rollsOver }: NonNullable<GrantJson['group']>) => ({
  priority,
  expiresAt: expiresAt === null ? null : instantOf(expiresAt),
  createdAt: instantOf(createdAt),
  order: BigInt(order),
  rollsOver,
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
