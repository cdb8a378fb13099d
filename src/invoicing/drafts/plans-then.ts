import { type Instant, isBefore } from '../../kernel/time.ts';
import type { FrozenHistory } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { BilledRedemption, BilledVersion, BillingTerms } from '../terms/billing-terms.ts';

/**
 * The terms as they were when an invoice was calculated (docs/decisions/0066). A change that 0.2.0 cancelled has no
 * version any more: then the history is one of those that it may have cut. Without a stored history: the terms as they
 * are, and as they were while nobody knew of the end or of a version that holds after the period.
 * @param planned ends that may have been planned then, or at which a cancelled change was to begin
 */
export function plansOf(
  terms: BillingTerms,
  { periodStart: start, periodEnd: end, terms: frozen }: Pick<InvoiceRow, 'periodStart' | 'periodEnd' | 'terms'>,
  planned: readonly Instant[] = [],
): BillingTerms[] {
  const { history = null } = frozen ?? {};
  const asksAhead = frozen !== null && history?.asksAsItComes === undefined;
  const known = { ...(history === null ? terms : termsThen(terms, history)), asksAhead };
  if (history !== null && hasAllChanges(known, history)) return [known];
  const { endsAt } = known.bounds;
  const others = history === null ? [endsAt, ...planned] : planned;
  const ends = [
    history === null ? null : endsAt,
    ...others.filter((at) => at !== null && isBefore(start, at)), // no invoice begins after the end
  ];
  const { versions = [] } = known;
  const first = versions.findIndex(({ from }) => !isBefore(from, end));
  const least = first === -1 ? versions.length : Math.max(1, first);
  const histories = Array.from({ length: versions.length - least + 1 }, (_, less) =>
    versions.slice(0, versions.length - less),
  );
  return histories.flatMap((each) =>
    ends.map((at): BillingTerms => {
      const last = each.at(-1);
      return { ...known, ...last, versions: each, bounds: { ...known.bounds, endsAt: at } };
    }),
  );
}

/**
 * The terms with the planned end, the pauses, the coupons and the prices of commitments of then, with the versions of
 * changes that were cancelled since, and without those of later changes.
 */
function termsThen(
  terms: BillingTerms,
  { endsAt, changeIds = [], pauses = [], committed = [], redemptions = {} }: FrozenHistory,
): BillingTerms {
  const isCut = pauses.length + committed.length > 0;
  const own = terms.versions ?? (isCut ? [onlyVersionOf(terms)] : []);
  const known = [...own, ...(terms.cancelled ?? [])]
    .toSorted((one, other) => Temporal.Instant.compare(one.from, other.from))
    .filter(({ changeId = null }) => changeId === null || changeIds.includes(changeId))
    .map((version) => ({ ...version, pauses, committed }));
  const bounds = { ...terms.bounds, endsAt: endsAt === null ? null : Temporal.Instant.from(endsAt) };
  const coupons = (terms.redemptions ?? []).flatMap((redemption): BilledRedemption[] => {
    const until = redemptions[redemption.id];
    return until === undefined ? [] : [{ ...redemption, until: until === null ? null : Temporal.Instant.from(until) }];
  });
  const then = { ...terms, ...known.at(-1), ...(known.length > 0 && { versions: known }), bounds };
  return terms.redemptions ? { ...then, redemptions: coupons } : then;
}

/** Of terms without changes, of which a pause or a commitment was withdrawn since. */
const onlyVersionOf = (terms: BillingTerms): BilledVersion => ({
  ...terms,
  from: terms.bounds.startedAt,
  anchors: {},
  proration: 'second',
});

/** Has every change of then still its version? One that 0.2.0 cancelled has none. */
const hasAllChanges = ({ versions = [] }: BillingTerms, { changeIds = [] }: FrozenHistory): boolean =>
  versions.filter(({ changeId = null }) => changeId !== null).length === changeIds.length;
