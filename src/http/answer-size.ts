import { invalidField, ok, type Result } from '../kernel/result.ts';

/** The most figures of an answer: its windows times its groups (api.md, Metering). */
export const MOST_FIGURES = 10_000;

/**
 * Refuses an answer with too many figures.
 * @param field the field of the query with which they become fewer
 * @param value what the query has there
 */
export function checkFigures(
  field: string,
  value: string,
  { windows, groups = 1 }: { readonly windows: number; readonly groups?: number },
): Result<null> {
  if (windows * groups <= MOST_FIGURES) return ok(null);
  const [asked, grouped, most] = [windows, groups, MOST_FIGURES].map((number) => number.toLocaleString('en'));
  const counted = groups === 1 ? `${asked} windows` : `${asked} windows × ${grouped} groups`;
  return invalidField(
    field,
    `${value} gives ${counted}; at most ${most} are allowed in an answer: choose larger windows or a shorter time`,
  );
}
