import type { Decimal } from '../../kernel/decimal.ts';
import type { Cadence, Instant } from '../../kernel/time.ts';

/** The inputs and results of a balance (domain.md §5). Everything here is a value; nothing is read or written. */

/** The length of a usage period, counted from the anchor. */
export interface PeriodRule {
  readonly cadence: Cadence;
  readonly anchor: Instant;
  /** It does not wait for the next reset where it takes over: the running period ends at its own next boundary. */
  readonly atOnce?: boolean;
}

/** The template from an instant on; a plan change or a reconciliation adds one. */
export interface BalanceTerm {
  /** The first begins with the entitlement: `activeFrom`. */
  readonly from: Instant;
  /** null: one-time, never reset automatically. */
  readonly usagePeriod: PeriodRule | null;
  /** The amount granted at the start and after each reset. */
  readonly issueAfterReset: Decimal | null;
  readonly issuePriority: number;
  readonly preserveOverage: boolean;
  /** The bounds of the grants that are issued after resets. */
  readonly maxRollover: Decimal;
  readonly minRollover: Decimal;
}

/**
 * A grant as a balance sees it. It counts in `[effectiveAt, min(expiresAt, voidedAt))`, and never before `activeFrom`.
 */
export interface BalanceGrant {
  readonly id: string;
  readonly amount: Decimal;
  readonly priority: number;
  readonly effectiveAt: Instant;
  readonly expiresAt: Instant | null;
  readonly voidedAt: Instant | null;
  /** At `effectiveAt + n × recurrence` the balance is set to `amount` again. */
  readonly recurrence: Temporal.Duration | null;
  readonly maxRollover: Decimal;
  readonly minRollover: Decimal;
  readonly createdAt: Instant;
  /** The order of creation among those that were created at the same instant. */
  readonly order: bigint;
  /** The reset (or the start) after which the template issued it; null for direct and purchased ones. */
  readonly issuedAt: Instant | null;
}

/** A reset by hand. */
export interface ManualReset {
  readonly at: Instant;
  /**
   * false: periods are counted from here on; true: the anchor stays, and the period until its next boundary is shorter.
   */
  readonly retainAnchor: boolean;
  readonly preserveOverage: boolean;
}

/**
 * All that a balance depends on beside usage and time. The order within a list means nothing, except that of two terms
 * or two manual resets of one instant the later in the list counts.
 */
export interface BalanceInputs {
  readonly entitlementId: string;
  readonly activeFrom: Instant;
  /** Nothing happens at it or later, and no usage counts: later questions see its remainder. */
  readonly activeTo: Instant | null;
  readonly terms: readonly BalanceTerm[];
  readonly grants: readonly BalanceGrant[];
  readonly resets: readonly ManualReset[];
}

/** From one reset to the next. */
export interface UsagePeriod {
  /** Of the first period: `activeFrom`. */
  readonly start: Instant;
  /** null: one-time. */
  readonly end: Instant | null;
  /** null: not reset yet. */
  readonly lastResetAt: Instant | null;
}

/** Usage starts at 0, and so does overage where it is not preserved. */
export interface Reset {
  readonly at: Instant;
  readonly preserveOverage: boolean;
}

/** The sums of all grants ever: `granted = consumed + remaining + expired + voided + dropped`, at every instant. */
export interface Totals {
  readonly granted: Decimal;
  readonly consumed: Decimal;
  readonly remaining: Decimal;
  readonly expired: Decimal;
  readonly voided: Decimal;
  /** Taken away by a bound at a reset, or unused when the grant recurred. */
  readonly dropped: Decimal;
}

/** The remaining units of a grant, and the units burned since it became active. */
export interface GrantBalance {
  readonly id: string;
  readonly balance: Decimal;
  readonly burned: Decimal;
}

/** A grant in a state. */
export interface GrantState extends GrantBalance {
  /**
   * The units burned since the balance was last set (at activation, recurrence or reset): negative usage can return
   * them.
   */
  readonly returnable: Decimal;
  /** As in the grant: from it one without a row is made again. */
  readonly issuedAt: Instant | null;
  /** These are sums of several grants, which the state does not name (`groups.ts`); null: this is one grant. */
  readonly group: GrantGroup | null;
}

/** The words of grants that are counted as one: they are neighbours in burn order and end at the same time. */
export interface GrantGroup {
  readonly priority: number;
  readonly expiresAt: Instant | null;
  /** Of the first of them in burn order. */
  readonly createdAt: Instant;
  readonly order: bigint;
  /** At a reset all that is left rolls over; false: nothing does. */
  readonly rollsOver: boolean;
}

/**
 * The state from which a replay can continue: it includes all changes at `at` and all usage before it. It is valid as
 * long as no usage before `at`, and no term, grant or reset at or before `at`, was added or changed; with groups, also
 * as long as none of their grants is voided.
 */
export interface BalanceState {
  readonly at: Instant;
  /** Those that can still cover something, or be given something back. */
  readonly grants: readonly GrantState[];
  readonly overage: Decimal;
  /** Usage since something last happened, which is not burned yet; at a reset 0. */
  readonly pending: Decimal;
  /** Usage of the usage period without pending usage; at a reset 0. */
  readonly used: Decimal;
  readonly totals: Totals;
}

/** The answer to a question. */
export interface BalanceAt {
  readonly at: Instant;
  /** The remaining units of all grants; never below 0. */
  readonly balance: Decimal;
  /** Uncovered usage; never below 0. */
  readonly overage: Decimal;
  readonly usageInPeriod: Decimal;
  readonly period: UsagePeriod;
  /**
   * In burn order, where they were asked for. One that was used up before the last reset, and can never cover anything
   * again, is left out.
   */
  readonly grants: readonly GrantBalance[];
  readonly totals: Totals;
}

/**
 * A stretch of time in which nothing happens but usage: half-open `[from, to)`, within the usage period from
 * `periodStart`.
 */
export interface Stretch {
  readonly from: Instant;
  readonly to: Instant;
  readonly periodStart: Instant;
  /** True if it is known that nothing was used in the stretch. */
  readonly isUnused: boolean;
}

/** The changes at an instant, except usage. */
export interface Moment {
  readonly at: Instant;
  readonly reset: Reset | null;
  /** Ids of grants that expire or are voided. */
  readonly ending: ReadonlySet<string>;
  /** Ids of grants that recur. */
  readonly recurring: ReadonlySet<string>;
  readonly starting: readonly BalanceGrant[];
}

/**
 * Moments of one kind between which nothing else happens and nothing is used: resets by the calendar, or recurrences of
 * one grant.
 */
export interface Run {
  /** How many moments; at least 2. */
  readonly length: number;
  /** The grant that recurs; null: resets. */
  readonly recurring: string | null;
  /** The changes at one of them, counted from 0. */
  readonly momentAt: (number: number) => Moment;
  /** The grant of the template at one of them. */
  readonly issuedAt: (number: number) => BalanceGrant | null;
}

/** An instant of a timeline, or the first and the last one of a run: stretches lie between one point and the next. */
export interface TimelinePoint {
  readonly from: Instant;
  readonly at: Instant;
  /** The changes at `from`. */
  readonly moment: Moment | null;
  /** The moment is the first of these. */
  readonly run: Run | null;
  /** A question at this point. */
  readonly isAsked: boolean;
}

/** A question of a timeline. */
export interface Question {
  readonly at: Instant;
  readonly period: UsagePeriod;
  /** The index of the point where it is answered; null: before `activeFrom`. */
  readonly point: number | null;
}

/** The way of a replay: points, the stretches between them, and the questions. */
export interface Timeline {
  readonly stretches: readonly Stretch[];
  readonly points: readonly TimelinePoint[];
  readonly questions: readonly Question[];
  readonly state: BalanceState | null;
  /** The grants of `state`, by id. */
  readonly held: ReadonlyMap<string, BalanceGrant>;
}

/** The result of a replay. */
export interface Replayed {
  /** One for each observed instant, in the order in which they were asked for. */
  readonly observations: BalanceAt[];
  /** One for each reset and observed instant that was asked for, in order of time. */
  readonly states: BalanceState[];
  /** If grants were asked for: those that ended or were used up for ever, in order of time. */
  readonly gone: GrantGone[];
}

/** A grant that counts no longer. */
export interface GrantGone {
  readonly at: Instant;
  readonly id: string;
  /** Since it became active. */
  readonly burned: Decimal;
}

/** A state as a jsonb column holds it: decimals and instants as text. */
export interface BalanceStateJson {
  readonly at: string;
  readonly grants: readonly {
    readonly id: string;
    readonly balance: string;
    readonly burned: string;
    readonly returnable: string;
    readonly issuedAt: string | null;
    readonly group?: {
      readonly priority: number;
      readonly expiresAt: string | null;
      readonly createdAt: string;
      readonly order: string;
      readonly rollsOver: boolean;
    };
  }[];
  readonly overage: string;
  readonly pending: string;
  readonly used: string;
  readonly totals: { readonly [name in keyof Totals]: string };
}
