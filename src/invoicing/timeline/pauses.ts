import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { BilledVersion, Pause } from '../terms/billing-terms.ts';
import { seriesOf } from './series.ts';

/** A version of a subscription that has pauses. */
interface Pausable {
  readonly from: Instant;
  readonly anchors?: BilledVersion['anchors'];
  readonly waits?: boolean;
  readonly pauses?: readonly Pause[];
}

/** A part of a version in which the subscription is paused, or is not. */
type PartOf<Version> = Version & {
  readonly pause: Pause | null;
  /** It begins with its version, and not with a pause or a resumption. */
  readonly isBegin: boolean;
};

const at = (text: string): Instant => Temporal.Instant.from(text);

/** The pause that holds an instant. */
export const pauseAt = (pauses: readonly Pause[], instant: Instant): Pause | null =>
  pauses.find(({ from, to }) => !isBefore(instant, at(from)) && (to === null || isBefore(instant, at(to)))) ?? null;

/** When a pause is over; null: nobody knows yet. */
export const endOfPause = ({ to }: Pause): Instant | null => (to === null ? null : at(to));

/**
 * Versions without those that a pause holds up: they come with the resumption, if there is one, and the periods of
 * series that begin with them are counted from it.
 */
export const afterPauses = <Version extends Pausable>(versions: readonly Version[]): readonly Version[] =>
  versions.every(({ waits }) => !waits)
    ? versions
    : versions.flatMap((version, place) => {
        const pause = version.waits ? pauseAt(version.pauses ?? [], version.from) : null;
        if (!pause) return [version];
        return pause.to === null ? [] : [movedTo(version, at(pause.to), versions[place - 1])];
      });

function movedTo<Version extends Pausable>(version: Version, to: Instant, before: Pausable | undefined): Version {
  const { from, anchors } = version;
  if (anchors === undefined) return { ...version, from: to };
  const isBegun = (cadence: string, anchor: Instant) =>
    anchor.equals(from) && !isSame(before?.anchors?.[cadence], anchor);
  const moved = Object.entries(anchors).map(
    ([cadence, anchor]) => [cadence, isBegun(cadence, anchor) ? to : anchor] as const,
  );
  return { ...version, from: to, anchors: Object.fromEntries(moved) };
}

/** Versions in the parts that pauses make of them. */
export const partsByPauses = <Version extends Pausable>(versions: readonly Version[]): PartOf<Version>[] =>
  versions.flatMap((version, place) => {
    const { from, pauses = [] } = version;
    const until = versions[place + 1]?.from ?? null;
    const bounds = pauses
      .flatMap((pause) => [pause.from, ...(pause.to === null ? [] : [pause.to])].map(at))
      .filter((bound) => isAfter(bound, from) && (until === null || isBefore(bound, until)));
    const starts = [from, ...bounds].filter((start, index, all) => !all[index - 1]?.equals(start));
    return starts.map((start) => ({
      ...version,
      from: start,
      pause: pauseAt(pauses, start),
      isBegin: start.equals(from),
    }));
  });

/**
 * Versions in the parts that pauses make of them. The cut is no change of their terms: whatever the proration of a
 * change is, a pause takes its own seconds.
 */
export function cutByPauses(versions: readonly BilledVersion[]): readonly BilledVersion[] {
  if (versions.every(({ pauses = [] }) => pauses.length === 0)) return versions;
  const restarted = new Map<string, { readonly was: Instant | undefined; readonly is: Instant }>();
  return partsByPauses(versions).map(({ pause, isBegin, agreedAnew, ...version }) => {
    const { from, anchors, pauses = [] } = version;
    if (pauses.some(({ anchor, to }) => anchor === 'restart' && to !== null && at(to).equals(from)))
      for (const { cadence } of seriesOf(version.planCadence, version.prices).series)
        restarted.set(cadence, { was: anchors[cadence], is: from });
    const anew = [...restarted].filter(([cadence, { was }]) => isSame(anchors[cadence], was));
    return {
      ...version,
      anchors: { ...anchors, ...Object.fromEntries(anew.map(([cadence, { is }]) => [cadence, is])) },
      ...(isBegin ? agreedAnew && { agreedAnew } : { proration: 'second' as const, takesUpAnew: false }),
      ...(pause && { paused: pause.usage, credit: pause.credit }),
    };
  });
}

/** Is it the same instant, or none in both? */
export const isSame = (one: Instant | undefined, other: Instant | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.equals(other);
