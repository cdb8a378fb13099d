import { invalidField, type Result } from '../../kernel/result.ts';

/** The most rows of usage that are added up for one answer. Each takes some microseconds and half a kilobyte. */
export const MOST_ROWS = 100_000;

/** A question about usage needs more rows than it may have. */
export class TooManyRows extends Error {}

/** Refuses a question that needs too many rows. @param field the field of the query with which they become fewer */
export async function withinRows<T>(field: string, work: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TooManyRows)) throw error;
    const most = MOST_ROWS.toLocaleString('en');
    return invalidField(
      field,
      `gives more than ${most} figures of groups and windows to add up: ` +
        'choose fewer groups, larger windows or a shorter time',
    );
  }
}
