import { checkFigures, MapOf, Nullable, type Static, Text, Type, UNSTORABLE_TEXT, validate } from '../../http/index.ts';
import type { FieldError, Result } from '../../kernel/result.ts';
import { invalid, ok } from '../../kernel/result.ts';
import { type Instant, type InstantText, instantOf, isBefore } from '../../kernel/time.ts';
import { type WindowSize, windowCount } from '../../metering/index.ts';

const MOST_VALUES = 1_000;

export type GroupFilters = Readonly<Record<string, readonly (string | null)[]>>;

/** The common part of the usage questions of the catalog, read from their queries. */
export interface Question {
  readonly from: Instant;
  readonly to: Instant;
  readonly groups: readonly string[];
  readonly groupFilters: GroupFilters;
}

export interface QuestionQuery {
  readonly from: InstantText;
  readonly to: InstantText;
  readonly groupBy?: string | string[];
  readonly filterGroupBy?: string;
}

/** Limits the windows of an answer, also those without events. @param field the name of their size in the query */
export const checkWindows = (
  field: string,
  size: WindowSize | undefined,
  { from, to }: Pick<Question, 'from' | 'to'>,
  groups = 1,
): Result<null> =>
  size === undefined ? ok(null) : checkFigures(field, size, { windows: windowCount(size, from, to), groups });

/**
 * Reads times, dimensions and filters; every field that is wrong is named.
 * @param known the dimensions that may be asked for
 */
export function readQuestion(query: QuestionQuery, known: readonly string[]): Result<Question> {
  const errors: FieldError[] = [];
  const from = instantOf(query.from);
  const to = instantOf(query.to);
  if (!isBefore(from, to)) errors.push({ field: 'to', message: 'must be after from' });
  const groups = [...new Set([query.groupBy ?? []].flat().flatMap((part) => part.split(',')))];
  for (const group of groups)
    if (!known.includes(group)) errors.push({ field: 'groupBy', message: unknownDimension(group, known) });
  const filters = readFilters(query.filterGroupBy);
  if (!filters.ok) errors.push({ field: 'filterGroupBy', message: filters.message });
  const groupFilters = filters.ok ? filters.value : {};
  for (const dimension of Object.keys(groupFilters))
    if (!known.includes(dimension))
      errors.push({ field: 'filterGroupBy', message: unknownDimension(dimension, known) });
  return errors.length > 0 ? invalid(errors) : ok({ from, to, groups, groupFilters });
}

function unknownDimension(name: string, known: readonly string[]): string {
  const there = known.length === 0 ? 'are none' : `is ${known.join(', ')}`;
  return `${JSON.stringify(name.slice(0, 64))} is no dimension; there ${there}`;
}

const Values = Type.Array(Nullable(Text()), { minItems: 1, maxItems: MOST_VALUES });
const Filters = MapOf(Text(), Type.Union([Text(), Values]));

type Filtered = { ok: true; value: GroupFilters } | { ok: false; message: string };

/** Values are compared as texts, in the form of the answers; null means events without one. A text is a list of one. */
function readFilters(text: string | undefined): Filtered {
  if (text === undefined) return { ok: true, value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: FORM };
  }
  const [error] = validate('body', Filters, value);
  if (error !== undefined)
    return { ok: false, message: error.message.includes(UNSTORABLE_TEXT) ? UNSTORABLE_TEXT : FORM };
  const filters = Object.entries(value as Static<typeof Filters>);
  return { ok: true, value: Object.fromEntries(filters.map(([dimension, values]) => [dimension, [values].flat()])) };
}

const FORM = 'must be a JSON object of dimensions with a value or a list of values, such as {"region": ["eu", "us"]}';
