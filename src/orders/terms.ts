import type { FieldError } from '../kernel/result.ts';
import { formatInstant, isAfter, isBefore } from '../kernel/time.ts';
import type { OrderLine, OrderRow } from './order.ts';

type Term = Pick<OrderRow, 'termStartDate' | 'termEndDate'>;
type LineTerm = Pick<OrderLine, 'termStartDate' | 'termEndDate'>;

/** An order has a term: its end is after its start. */
export const termProblems = ({ termStartDate, termEndDate }: Term): FieldError[] =>
  isBefore(termStartDate, termEndDate) ? [] : [{ field: 'termEndDate', message: 'must be after termStartDate' }];

/**
 * A line's term lies within the order's, and what it leaves open is the order's.
 * @param at what stands before the names of the fields: `lineItems.0.`, or nothing
 */
export function lineTermProblems(line: LineTerm, term: Term, at: string): FieldError[] {
  const start = line.termStartDate ?? term.termStartDate;
  const end = line.termEndDate ?? term.termEndDate;
  const dates = `${formatInstant(term.termStartDate)} to ${formatInstant(term.termEndDate)}`;
  const within = `must lie within the order's term, ${dates}`;
  const isOutside = (instant: typeof start) =>
    isBefore(instant, term.termStartDate) || isAfter(instant, term.termEndDate);
  const errors = [
    ...(isOutside(start) ? [{ field: `${at}termStartDate`, message: within }] : []),
    ...(isOutside(end) ? [{ field: `${at}termEndDate`, message: within }] : []),
  ];
  if (errors.length > 0 || isBefore(start, end)) return errors;
  const isStartAlone = line.termEndDate === null;
  return [
    isStartAlone
      ? { field: `${at}termStartDate`, message: "must be before the order's termEndDate" }
      : { field: `${at}termEndDate`, message: 'must be after termStartDate' },
  ];
}

/** The lines that a new term of the order would leave outside, as problems of the term. */
export function leftOutside(lines: readonly (LineTerm & { readonly id: string })[], term: Term): FieldError[] {
  const outside = lines.flatMap((line) =>
    lineTermProblems(line, term, '').map(({ field }) => ({
      field,
      message: `does not include the term of ${line.id}`,
    })),
  );
  return [...new Map(outside.map((error) => [error.field, error])).values()];
}
