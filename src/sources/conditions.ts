import { readDecimal } from '../http/index.ts';
import { isRawNumber } from '../kernel/decimal.ts';
import type { FieldError } from '../kernel/result.ts';
import { type Instant, isAfter, isBefore, parseInstant } from '../kernel/time.ts';
import type { Revenue, RuleCondition, RuleValue } from './source.ts';

/** The subject of rules: a revenue, and its customer, if known. */
export interface Judged extends Pick<Revenue, 'amount' | 'occurredAt'> {
  readonly customer: { readonly name: string; readonly emails: readonly string[] } | null;
}

/** The operators of each type of condition. */
export const OPERATORS: Readonly<Record<RuleCondition['type'], readonly RuleCondition['operator'][]>> = {
  date: ['equals', 'between', 'greaterThan', 'lessThan'],
  amount: ['equals', 'between', 'greaterThan', 'lessThan'],
  customerName: ['equals', 'contains'],
  customerEmail: ['equals', 'contains', 'domain'],
};

const isRange = (value: RuleCondition['value']): value is Range => typeof value === 'object' && !isRawNumber(value);
interface Range {
  readonly from: RuleValue;
  readonly to: RuleValue;
}
/** Both ends; of one value twice the same. */
const endsOf = (value: RuleCondition['value']): Range => (isRange(value) ? value : { from: value, to: value });

/** Half-open: an instant is one of no length; a bare date is its day in UTC. */
interface Stretch {
  readonly from: Instant;
  readonly to: Instant;
}

const BARE_DATE = /^\d{4}-\d{2}-\d{2}$/;

function stretchOf(value: unknown): Stretch | null {
  if (typeof value !== 'string') return null;
  const from = parseInstant(BARE_DATE.test(value) ? `${value}T00:00:00Z` : value);
  if (from === null) return null;
  return { from, to: BARE_DATE.test(value) ? from.add({ hours: 24 }) : from.add({ microseconds: 1 }) };
}

/** Everything that is wrong with the conditions of a rule, by field. */
export const conditionErrors = (conditions: readonly RuleCondition[]): FieldError[] =>
  conditions.flatMap((condition, index) =>
    problemsOf(condition).map(({ field, message }) => ({ field: `conditions.${index}.${field}`, message })),
  );

function problemsOf({ type, operator, value }: RuleCondition): FieldError[] {
  if (!OPERATORS[type].includes(operator))
    return [{ field: 'operator', message: `must be one of ${OPERATORS[type].join(', ')} for the type ${type}` }];
  const isBetween = operator === 'between';
  if (isRange(value) !== isBetween)
    return [{ field: 'value', message: isBetween ? 'must be an object with from and to' : 'must be one value' }];
  const parts: [string, RuleValue][] = isRange(value)
    ? [
        ['value.from', value.from],
        ['value.to', value.to],
      ]
    : [['value', value]];
  const errors = parts.flatMap(([field, part]) => {
    const message = problemOf(type, part);
    return message === null ? [] : [{ field, message }];
  });
  if (errors.length > 0 || !isRange(value)) return errors;
  return isBackwards(type, value) ? [{ field: 'value.to', message: 'must not be before from' }] : [];
}

function problemOf(type: RuleCondition['type'], value: RuleValue): string | null {
  if (type === 'amount') return readDecimal(value) === null ? 'must be a decimal, such as "12.50"' : null;
  if (type === 'date')
    return stretchOf(value) === null ? 'must be a date or a date-time, such as 2026-01-31T12:00:00Z' : null;
  return typeof value === 'string' && value.trim() !== '' ? null : 'must be a text';
}

function isBackwards(type: RuleCondition['type'], { from, to }: Range): boolean {
  if (type === 'amount') return readDecimal(from)?.gt(readDecimal(to) ?? 0) ?? false;
  const [first, last] = [stretchOf(from), stretchOf(to)];
  return first !== null && last !== null && isAfter(first.from, last.from);
}

/** Do all conditions of a rule hold? Both ends of `between` belong to it. */
export const holds = (conditions: readonly RuleCondition[], judged: Judged): boolean =>
  conditions.every((condition) => holdsOne(condition, judged));

function holdsOne(condition: RuleCondition, judged: Judged): boolean {
  switch (condition.type) {
    case 'amount':
      return holdsForAmount(condition, judged);
    case 'date':
      return holdsForDate(condition, judged);
    case 'customerName':
      return judged.customer !== null && holdsForText(condition, judged.customer.name);
    case 'customerEmail':
      return judged.customer?.emails.some((email) => holdsForText(condition, email)) ?? false;
  }
}

function holdsForAmount({ operator, value }: RuleCondition, { amount }: Judged): boolean {
  const { from, to } = endsOf(value);
  const [least, most] = [readDecimal(from), readDecimal(to)];
  if (least === null || most === null) return false;
  if (operator === 'greaterThan') return amount.gt(least);
  if (operator === 'lessThan') return amount.lt(least);
  return amount.gte(least) && amount.lte(most);
}

function holdsForDate({ operator, value }: RuleCondition, { occurredAt }: Judged): boolean {
  const { from, to } = endsOf(value);
  const [first, last] = [stretchOf(from), stretchOf(to)];
  if (first === null || last === null) return false;
  if (operator === 'greaterThan') return !isBefore(occurredAt, first.to);
  if (operator === 'lessThan') return isBefore(occurredAt, first.from);
  return !isBefore(occurredAt, first.from) && isBefore(occurredAt, last.to);
}

/** In any case of letters. */
function holdsForText({ operator, value }: RuleCondition, text: string): boolean {
  if (typeof value !== 'string') return false;
  const [wanted, given] = [value.trim().toLowerCase(), text.toLowerCase()];
  if (operator === 'contains') return given.includes(wanted);
  if (operator === 'domain') return given.split('@').at(-1) === wanted.replace(/^@/, '');
  return given === wanted;
}
