/**
 * A second, slow definition of a balance: instant by instant, event by event, in whole hundred-millionths. It shares
 * neither code nor calendar with the balance engine. So only the same misunderstanding can make both wrong.
 */

/** Whole hours since the epoch. */
export type Hour = number;
/** Hundred-millionths. */
export type Units = bigint;

export interface OracleRule {
  readonly months: number;
  readonly days: number;
  readonly anchor: Hour;
}
export interface OracleTerm {
  readonly from: Hour;
  readonly rule: OracleRule | null;
  readonly issue: Units | null;
  readonly priority: number;
  readonly preserve: boolean;
  readonly max: Units;
  readonly min: Units;
}
export interface OracleGrant {
  readonly key: string;
  readonly amount: Units;
  readonly priority: number;
  readonly effective: Hour;
  readonly expires: Hour | null;
  readonly voided: Hour | null;
  readonly recurrence: { readonly months: number; readonly hours: number } | null;
  readonly max: Units;
  readonly min: Units;
  readonly created: Hour;
  readonly order: number;
}
export interface OracleReset {
  readonly at: Hour;
  readonly retainAnchor: boolean;
  readonly preserve: boolean;
}
/** Usage: an amount, a person that counts once in a period, or a level that holds until the next one. */
export type OracleEvent = { readonly at: Hour } & (
  | { readonly value: Units }
  | { readonly who: string }
  | { readonly level: Units }
);
export interface OracleHistory {
  readonly activeFrom: Hour;
  readonly activeTo: Hour | null;
  /** In order of time, each at another hour. */
  readonly terms: readonly OracleTerm[];
  readonly grants: readonly OracleGrant[];
  readonly resets: readonly OracleReset[];
  readonly events: readonly OracleEvent[];
}
export interface OracleAnswer {
  readonly balance: Units;
  readonly overage: Units;
  readonly usageInPeriod: Units;
  readonly periodStart: Hour;
  readonly lastResetAt: Hour | null;
  readonly grants: Readonly<Record<string, { readonly balance: Units; readonly burned: Units }>>;
  readonly totals: Readonly<Record<'granted' | 'consumed' | 'remaining' | 'expired' | 'voided' | 'dropped', Units>>;
}

interface Pot {
  readonly grant: OracleGrant;
  readonly isIssued: boolean;
  balance: Units;
  burned: Units;
  sinceSet: Units;
  isSpent: boolean;
}

const HOUR_MS = 3_600_000;
const NO_BOUND = 999_999_999_999n * 100_000_000n;

/** An hour moved by whole months of the UTC calendar, on the last day of the month where the day is missing there. */
export function addMonths(hour: Hour, months: number): Hour {
  const date = new Date(hour * HOUR_MS);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const day = Math.min(date.getUTCDate(), new Date(Date.UTC(year, month + 1, 0)).getUTCDate());
  return Date.UTC(year, month, day, date.getUTCHours()) / HOUR_MS;
}

const move = (hour: Hour, months: number, hours: number): Hour => addMonths(hour, months) + hours;

const boundaries = new WeakMap<OracleRule, ReadonlySet<Hour>>();

function isOnBoundary(rule: OracleRule, at: Hour): boolean {
  const numbers = Array.from({ length: 200 }, (_, index) => index - 100);
  const known =
    boundaries.get(rule) ?? new Set(numbers.map((n) => move(rule.anchor, rule.months * n, rule.days * 24 * n)));
  boundaries.set(rule, known);
  return known.has(at);
}

const recurrences = new WeakMap<OracleGrant, ReadonlySet<Hour>>();

function recursAt(grant: OracleGrant, at: Hour): boolean {
  const { effective, recurrence } = grant;
  if (!recurrence) return false;
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
  const known =
    recurrences.get(grant) ?? new Set(numbers.map((n) => move(effective, recurrence.months * n, recurrence.hours * n)));
  recurrences.set(grant, known);
  return known.has(at);
}

const endOf = ({ expires, voided }: OracleGrant): Hour =>
  Math.min(expires ?? Number.POSITIVE_INFINITY, voided ?? Number.POSITIVE_INFINITY);

function burnsBefore(a: Pot, b: Pot): number {
  const expiry = (pot: Pot) => pot.grant.expires ?? Number.MAX_SAFE_INTEGER;
  const keys = (pot: Pot) => [
    pot.grant.priority,
    expiry(pot),
    pot.grant.created,
    pot.isIssued ? 0 : 1,
    pot.grant.order,
  ];
  const [left, right] = [keys(a), keys(b)];
  const first = left.findIndex((key, index) => key !== right[index]);
  return first < 0 ? 0 : (left[first] as number) - (right[first] as number);
}

const sum = (values: readonly Units[]): Units => values.reduce((total, value) => total + value, 0n);

/**
 * The answers at some hours, each before the events of its hour.
 * @param step all that happens lies this many hours, or a multiple of them, from the start.
 */
export function askOracle(history: OracleHistory, hours: readonly Hour[], step: number): Map<Hour, OracleAnswer> {
  const asked = new Set(hours);
  const world = new World(history);
  const answers = new Map<Hour, OracleAnswer>();
  for (let hour = history.activeFrom; hour <= Math.max(...hours); hour += step) {
    const isOver = history.activeTo !== null && hour >= history.activeTo;
    if (!isOver) world.begin(hour);
    if (asked.has(hour)) answers.set(hour, world.answer());
    if (!isOver) for (const event of history.events) if (event.at === hour) world.use(event);
  }
  return answers;
}

class World {
  private readonly history: OracleHistory;
  private rule: OracleRule | null;
  private waiting: OracleRule | null | undefined;
  private pots: Pot[] = [];
  private overage: Units = 0n;
  private used: Units = 0n;
  private periodStart: Hour;
  private lastResetAt: Hour | null = null;
  private readonly seen = new Set<string>();
  private level: Units = 0n;
  private readonly totals = { granted: 0n, consumed: 0n, expired: 0n, voided: 0n, dropped: 0n };
  /** The state at the last event, and the usage since then. */
  private before: { pots: Pot[]; overage: Units; consumed: Units };
  private since: Units = 0n;

  constructor(history: OracleHistory) {
    this.history = history;
    this.rule = (history.terms[0] as OracleTerm).rule;
    this.periodStart = history.activeFrom;
    this.before = this.copy();
  }

  private copy() {
    return { pots: this.pots.map((pot) => ({ ...pot })), overage: this.overage, consumed: this.totals.consumed };
  }

  /** All events of an hour, before any question or usage. */
  begin(hour: Hour): void {
    const { history } = this;
    const isFirst = hour === history.activeFrom;
    const manual = history.resets.find(({ at }) => at === hour);
    const isReset = !isFirst && (manual !== undefined || (this.rule !== null && isOnBoundary(this.rule, hour)));
    this.changeRule(hour, isReset, manual);
    const term = history.terms.findLast(({ from }) => from <= hour) as OracleTerm;

    const ending = this.pots.filter(({ grant }) => endOf(grant) === hour);
    for (const pot of ending) {
      if (pot.grant.expires === hour) this.totals.expired += pot.balance;
      else this.totals.voided += pot.balance;
    }
    this.pots = this.pots.filter((pot) => !ending.includes(pot));
    if (isReset) this.reset(hour, manual?.preserve ?? term.preserve);
    const recurring = this.pots.filter(({ grant }) => recursAt(grant, hour));
    for (const pot of recurring) {
      this.totals.dropped += pot.balance;
      this.totals.granted += pot.grant.amount;
      pot.balance = pot.grant.amount;
      pot.sinceSet = 0n;
    }
    const starting = this.startingAt(hour, isReset || isFirst ? term : null);
    for (const pot of starting) this.totals.granted += pot.balance;
    this.pots = [...this.pots, ...starting].toSorted(burnsBefore);
    this.burnWaiting();
    if (isReset || starting.length > 0 || recurring.length > 0 || ending.some(({ isSpent }) => !isSpent)) {
      this.before = this.copy();
      this.since = 0n;
    } else if (ending.length > 0) this.before.pots = this.before.pots.filter(({ grant }) => endOf(grant) !== hour);
  }

  private changeRule(hour: Hour, isReset: boolean, manual: OracleReset | undefined): void {
    const { terms } = this.history;
    const index = terms.findIndex(({ from }) => from === hour);
    const [term, last] = [terms[index], terms[index - 1]];
    if (term && last && JSON.stringify(term.rule) !== JSON.stringify(last.rule)) {
      if (this.rule === null) this.rule = term.rule;
      else this.waiting = term.rule;
    }
    if (isReset && this.waiting !== undefined) {
      this.rule = this.waiting;
      this.waiting = undefined;
    }
    if (manual && !manual.retainAnchor && this.rule) this.rule = { ...this.rule, anchor: hour };
  }

  private reset(hour: Hour, preserve: boolean): void {
    for (const pot of this.pots) {
      const floored = pot.balance < pot.grant.min ? pot.grant.min : pot.balance;
      const kept = pot.grant.max < NO_BOUND && floored > pot.grant.max ? pot.grant.max : floored;
      if (kept > pot.balance) this.totals.granted += kept - pot.balance;
      else this.totals.dropped += pot.balance - kept;
      pot.balance = kept;
      pot.sinceSet = 0n;
      if (kept === 0n && !pot.grant.recurrence) pot.isSpent = true;
    }
    this.overage = preserve && this.overage > 0n ? this.overage : 0n;
    this.used = 0n;
    this.seen.clear();
    this.periodStart = hour;
    this.lastResetAt = hour;
  }

  private startingAt(hour: Hour, issuing: OracleTerm | null): Pot[] {
    const { activeFrom, grants } = this.history;
    const begin = (grant: OracleGrant, isIssued: boolean): Pot => ({
      ...{ grant, isIssued, balance: grant.amount },
      ...{ burned: 0n, sinceSet: 0n, isSpent: false },
    });
    const begun = grants.filter((grant) => Math.max(grant.effective, activeFrom) === hour && endOf(grant) > hour);
    const issued: OracleGrant[] = issuing?.issue
      ? [
          {
            ...{ key: `issued ${hour}`, amount: issuing.issue, priority: issuing.priority },
            ...{ effective: hour, expires: null, voided: null, recurrence: null },
            ...{ max: issuing.max, min: issuing.min, created: hour, order: 0 },
          },
        ]
      : [];
    return [...begun.map((grant) => begin(grant, false)), ...issued.map((grant) => begin(grant, true))];
  }

  private burnWaiting(): void {
    for (const pot of this.pots) {
      if (this.overage <= 0n) return;
      const taken = pot.balance < this.overage ? pot.balance : this.overage;
      this.overage -= taken;
      this.change(pot, taken);
    }
  }

  private giveBack(): void {
    for (const pot of this.pots.toReversed()) {
      if (this.overage >= 0n) return;
      const back = pot.sinceSet < -this.overage ? pot.sinceSet : -this.overage;
      this.overage += back;
      this.change(pot, -back);
    }
  }

  private change(pot: Pot, burned: Units): void {
    pot.balance -= burned;
    pot.burned += burned;
    pot.sinceSet += burned;
    this.totals.consumed += burned;
  }

  use(event: OracleEvent): void {
    if ('level' in event) {
      this.level = event.level;
      return;
    }
    if ('who' in event && this.seen.has(event.who)) return;
    if ('who' in event) this.seen.add(event.who);
    const value = 'who' in event ? 100_000_000n : event.value;
    this.used += value;
    this.since += value;
    if (value < 0n || this.history.events.some((each) => 'value' in each && each.value < 0n)) {
      // A returned amount is computed from all usage since the last event.
      this.pots = this.before.pots.map((pot) => ({ ...pot }));
      this.totals.consumed = this.before.consumed;
      this.overage = this.before.overage + this.since;
    } else this.overage += value;
    this.burnWaiting();
    this.giveBack();
  }

  answer(): OracleAnswer {
    let uncovered = this.level > 0n ? this.level : 0n;
    const usageInPeriod = this.used + uncovered;
    let covered = 0n;
    const grants = this.pots.map(({ grant: { key }, balance, burned }) => {
      const taken = balance < uncovered ? balance : uncovered;
      uncovered -= taken;
      covered += taken;
      return [key, { balance: balance - taken, burned: burned + taken }] as const;
    });
    const balance = sum(grants.map(([, left]) => left.balance));
    return {
      ...{ balance, usageInPeriod, periodStart: this.periodStart, lastResetAt: this.lastResetAt },
      overage: (this.overage > 0n ? this.overage : 0n) + uncovered,
      grants: Object.fromEntries(grants),
      totals: { ...this.totals, consumed: this.totals.consumed + covered, remaining: balance },
    };
  }
}
