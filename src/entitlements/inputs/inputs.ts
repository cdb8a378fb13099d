import type { Tx } from '../../db/index.ts';
import { eachInTurns } from '../../http/index.ts';
import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { type Instant, type InstantText, instantOf, isAfter, parseCadence } from '../../kernel/time.ts';
import type { BalanceGrant, BalanceInputs, BalanceTerm, PeriodRule } from '../balance/index.ts';
import type { CountedEntitlement, TermTemplate } from '../entitlement/entitlement.ts';
import { type GrantFields, grantLines, type InputRow, selectInputs } from './inputs.sql.ts';
import { readKept, type Snapshot } from './snapshot.ts';
import type { MeasuredMeter, PrecedingEntitlement } from './sources.ts';

/** The template from an instant on. */
export interface Term {
  readonly from: Instant;
  readonly template: TermTemplate;
}

/** All that is known of an entitlement to answer for one instant. */
export interface Loaded {
  readonly entitlement: CountedEntitlement;
  readonly featureKey: string;
  /** Oldest first. */
  readonly terms: readonly Term[];
  readonly inputs: BalanceInputs;
  readonly meters: readonly MeasuredMeter[];
  /** Older entitlements, of other subscriptions of the customer, whose usage of a metric is theirs. */
  readonly preceding: readonly PrecedingEntitlement[];
  /** The units of reservations that have not expired. */
  readonly reserved: Decimal;
  /** Up to where grants were read. */
  readonly at: Instant;
  /** As it was wanted. */
  readonly byGrant: boolean;
  /** The start of a replay, if it is still valid (`kept.ts`); earlier grants that it does not name are left out. */
  readonly snapshot: Snapshot | null;
}

/** The entitlement to load, and the instant. */
export interface Wanted {
  readonly entitlement: CountedEntitlement;
  readonly at: Instant;
  /** No later snapshot is used; by default the instant itself. */
  readonly snapshotUntil?: Instant;
  /** Figures of each grant are wanted: no snapshot is used that counts several as one. */
  readonly byGrant?: boolean | undefined;
}

/** The inputs of some entitlements, in one statement and in the order asked. */
export async function loadInputs(tx: Tx, wanted: readonly Wanted[]): Promise<Loaded[]> {
  if (wanted.length === 0) return [];
  const rows = await selectInputs(
    tx,
    wanted.map(({ entitlement: { merchantId, id }, at, snapshotUntil }) => ({
      merchantId,
      id,
      at,
      snapshotUntil: snapshotUntil ?? at,
    })),
    wanted.some(({ byGrant }) => byGrant === true),
  );
  const loaded: Loaded[] = [];
  for (const [index, { entitlement, at, byGrant }] of wanted.entries())
    loaded.push(await loadedOf({ entitlement, at, byGrant }, rows[index] as InputRow));
  return loaded;
}

/** The inputs of one entitlement. */
export async function loadInput(tx: Tx, wanted: Wanted): Promise<Loaded> {
  const [loaded] = await loadInputs(tx, [wanted]);
  return loaded as Loaded;
}

/** The template at an instant; before the first one, the first one. */
export function templateAt(terms: readonly Term[], at: Instant): TermTemplate {
  const term = terms.findLast(({ from }) => !isAfter(from, at)) ?? terms[0];
  if (!term) throw new Error('An entitlement has no term.');
  return term.template;
}

/** The inputs of one entitlement from their row, which was read for an instant. */
export async function loadedOf(
  { entitlement, at, byGrant = false }: Omit<Wanted, 'snapshotUntil'>,
  row: InputRow,
): Promise<Loaded> {
  const terms = row.terms.map(({ from, template }) => ({
    from: Temporal.Instant.from(from),
    template: template as TermTemplate,
  }));
  return {
    entitlement,
    featureKey: row.featureKey,
    terms,
    inputs: {
      entitlementId: entitlement.id,
      activeFrom: entitlement.activeFrom,
      activeTo: entitlement.activeTo,
      terms: terms.flatMap((term) => balanceTerm(term, entitlement.activeFrom) ?? []),
      grants: await eachInTurns(grantLines(row.grants), grantReader()),
      resets: (row.resets ?? []).map((reset) => ({ ...reset, at: Temporal.Instant.from(reset.at) })),
    },
    meters: (row.meters ?? []).map((meter) => ({ ...meter, eventFrom: instantOrNull(meter.eventFrom) })),
    preceding: (row.preceding ?? []).map(({ metricIds, from, to }) => ({
      metricIds,
      span: { from: Temporal.Instant.from(from), to: instantOrNull(to) },
    })),
    reserved: row.reserved,
    at,
    byGrant,
    snapshot:
      row.snapshotAt === null || row.snapshotTaken === null
        ? null
        : { at: row.snapshotAt, taken: row.snapshotTaken, kept: readKept(row.snapshotState) },
  };
}

const instantOrNull = (text: string | null): Instant | null => (text === null ? null : Temporal.Instant.from(text));

/**
 * A term of a metered template. Periods are counted from the entitlement's start unless the template says from when.
 */
function balanceTerm({ from, template }: Term, activeFrom: Instant): BalanceTerm | null {
  if (template.type !== 'metered') return null;
  const { usagePeriod, issueAfterReset, resetMaxRollover, resetMinRollover } = template;
  const cadence = usagePeriod && parseCadence(usagePeriod.interval);
  return {
    from,
    usagePeriod: cadence ? { cadence, ...anchorOf(usagePeriod, activeFrom) } : null,
    issueAfterReset: issueAfterReset === undefined ? null : decimal(issueAfterReset),
    issuePriority: template.issueAfterResetPriority ?? 0,
    preserveOverage: template.preserveOverageAtReset ?? false,
    maxRollover: resetMaxRollover === undefined ? ZERO : decimal(resetMaxRollover),
    minRollover: resetMinRollover === undefined ? ZERO : decimal(resetMinRollover),
  };
}

function anchorOf(
  { anchor = 'start', countedFrom }: { readonly anchor?: string; readonly countedFrom?: string },
  activeFrom: Instant,
): Pick<PeriodRule, 'anchor' | 'atOnce'> {
  if (countedFrom !== undefined) return { anchor: Temporal.Instant.from(countedFrom), atOnce: true };
  return { anchor: anchor === 'start' ? activeFrom : instantOf(anchor as InstantText), atOnce: false };
}

/** Reads lines of grants. Most of a list share their figures: each is read once. */
function grantReader(): (line: string) => BalanceGrant {
  const decimalOf = remembered(decimal);
  const instantOf = remembered((microseconds) => Temporal.Instant.fromEpochNanoseconds(BigInt(microseconds) * 1000n));
  const instantOrNone = (text: string) => (text === '' ? null : instantOf(text));
  return (line) => {
    const [id, amount, priority, effectiveAt, expiresAt, voidedAt, recurrence, max, min, createdAt, order, origin] =
      line.split('|') as GrantFields;
    const begins = instantOf(effectiveAt);
    return {
      id,
      amount: decimalOf(amount),
      priority: Number(priority),
      effectiveAt: begins,
      expiresAt: instantOrNone(expiresAt),
      voidedAt: instantOrNone(voidedAt),
      recurrence: recurrence === '' ? null : Temporal.Duration.from(recurrence),
      maxRollover: decimalOf(max),
      minRollover: decimalOf(min),
      createdAt: instantOf(createdAt),
      order: BigInt(order),
      issuedAt: origin === 'template' ? begins : null,
    };
  };
}

/** The same value for the same text, made once. */
function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = make(text);
    known.set(text, made);
    return made;
  };
}
