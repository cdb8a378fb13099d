import type { Tx } from '../db/index.ts';
import type { Check } from './check.ts';
import {
  type Subject,
  selectDifferingRollups,
  selectDifferingValues,
  selectMonths,
  selectSubjects,
} from './rollups.sql.ts';

const SUBJECTS_AT_ONCE = 200;

/** The place to continue: the remaining stretches of time of some subjects. */
interface Cursor {
  readonly subjects: readonly Subject[];
  readonly stretches: readonly Stretch[];
}

interface Stretch {
  readonly from: string;
  readonly to: string;
}

/** The stretches of time that a slice may have: each month of events, and all before and after. Pure. */
function stretchesOf(months: readonly string[]): Stretch[] {
  const bounds = ['-infinity', ...months, 'infinity'];
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] as string, to }));
}

/** Every roll-up against the events that it adds up: some subjects and one month at a time. */
export const rollUps: Check<Cursor> = {
  name: 'rollups-are-their-events',
  meaning: 'I-14, I-16: the usage of an hour in a meter equals the sum of its events',
  async next(tx, after) {
    const { subjects, stretches } = after && after.stretches.length > 0 ? after : await nextSubjects(tx, after);
    const [stretch, ...left] = stretches;
    if (!stretch || subjects.length === 0) return { broken: [], after: null };
    const slice = { subjects, ...stretch };
    const broken = [...(await selectDifferingRollups(tx, slice)), ...(await selectDifferingValues(tx, slice))];
    return { broken, after: { subjects, stretches: left } };
  },
};

const nextSubjects = async (tx: Tx, after: Cursor | null): Promise<Cursor> => ({
  subjects: await selectSubjects(tx, after?.subjects.at(-1), SUBJECTS_AT_ONCE),
  stretches: stretchesOf(await selectMonths(tx)),
});
