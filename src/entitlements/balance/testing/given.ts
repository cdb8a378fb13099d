import { type Decimal, decimal, plain, sum } from '../../../kernel/decimal.ts';
import { type Instant, isBefore } from '../../../kernel/time.ts';
import type { BalanceAt, BalanceGrant, BalanceInputs, BalanceState, BalanceTerm, PeriodRule } from '../model.ts';
import { replay } from '../replay.ts';
import { timelineOf } from '../timeline.ts';

/** Entitlements for tables: a day or an instant as text, and usual defaults. */

export const ENTITLEMENT = 'ent_1';

/** A day of UTC, or an instant. */
export const on = (text: string): Instant => Temporal.Instant.from(text.includes('T') ? text : `${text}T00:00:00Z`);
export const orNull = (text: string | undefined): Instant | null => (text === undefined ? null : on(text));

export const monthly = (anchor: string): PeriodRule => ({ cadence: { months: 1, days: 0 }, anchor: on(anchor) });
export const UNLIMITED = '999999999999';

interface GivenGrant {
  readonly amount?: string;
  readonly priority?: number;
  readonly from?: string;
  readonly expires?: string;
  readonly voided?: string;
  readonly recurs?: string;
  readonly max?: string;
  readonly min?: string;
  readonly created?: string;
  readonly order?: bigint;
  readonly issuedAt?: string;
}

/** A grant of 10 from 1 January 2026 on, without special terms. */
export const grant = (id: string, given: GivenGrant = {}): BalanceGrant => ({
  id,
  amount: decimal(given.amount ?? '10'),
  priority: given.priority ?? 0,
  effectiveAt: on(given.from ?? '2026-01-01'),
  expiresAt: orNull(given.expires),
  voidedAt: orNull(given.voided),
  recurrence: given.recurs === undefined ? null : Temporal.Duration.from(given.recurs),
  maxRollover: decimal(given.max ?? UNLIMITED),
  minRollover: decimal(given.min ?? '0'),
  createdAt: on(given.created ?? given.from ?? '2026-01-01'),
  order: given.order ?? 0n,
  issuedAt: orNull(given.issuedAt),
});

interface GivenTerm {
  readonly from?: string;
  readonly period?: PeriodRule | null;
  readonly issue?: string;
  readonly priority?: number;
  readonly preserve?: boolean;
  readonly max?: string;
}

/** A term from 1 January 2026 on, with months from there and no issued grant. */
export const term = (given: GivenTerm = {}): BalanceTerm => ({
  from: on(given.from ?? '2026-01-01'),
  usagePeriod: given.period === undefined ? monthly('2026-01-01') : given.period,
  issueAfterReset: given.issue === undefined ? null : decimal(given.issue),
  issuePriority: given.priority ?? 0,
  preserveOverage: given.preserve ?? false,
  maxRollover: decimal(given.max ?? '0'),
  minRollover: decimal('0'),
});

interface Given {
  readonly from?: string;
  readonly to?: string;
  readonly terms?: readonly BalanceTerm[];
  readonly grants?: readonly BalanceGrant[];
  /** `2026-01-10 retain preserve`: a manual reset. */
  readonly resets?: readonly string[];
}

/** An entitlement from 1 January 2026 on. */
export const entitlement = (given: Given = {}): BalanceInputs => ({
  entitlementId: ENTITLEMENT,
  activeFrom: on(given.from ?? '2026-01-01'),
  activeTo: orNull(given.to),
  terms: given.terms ?? [term(given.from === undefined ? {} : { from: given.from })],
  grants: given.grants ?? [],
  resets: (given.resets ?? []).map((text) => {
    const [at = '', ...words] = text.split(' ');
    return { at: on(at), retainAnchor: words.includes('retain'), preserveOverage: words.includes('preserve') };
  }),
});

/** Usage as text: `2026-01-05 3`. */
export type Used = readonly string[];

const usageBetween = (used: Used, from: Instant, to: Instant): Decimal =>
  sum(
    used
      .map((text) => text.split(' ') as [string, string])
      .filter(([at]) => !isBefore(on(at), from) && isBefore(on(at), to))
      .map(([, value]) => decimal(value)),
  );

/** Replays usage and answers as the engine does. */
export function ask(
  inputs: BalanceInputs,
  used: Used,
  observed: readonly string[],
  { levels, state = null }: { readonly levels?: readonly string[]; readonly state?: BalanceState | null } = {},
) {
  const timeline = timelineOf(inputs, state, observed.map(on));
  const flows = timeline.stretches.map(({ from, to }) => usageBetween(used, from, to));
  return replay(
    timeline,
    flows,
    levels?.map((level) => decimal(level)),
    { grants: true, states: (_at, isReset) => isReset },
  );
}

/** `balance 5, overage 0, used 5: a 5` */
export const shown = ({ balance, overage, usageInPeriod, grants }: BalanceAt): string =>
  `balance ${plain(balance)}, overage ${plain(overage)}, used ${plain(usageInPeriod)}: ${grants.map((each) => `${each.id} ${plain(each.balance)}`).join(', ') || 'none'}`;
