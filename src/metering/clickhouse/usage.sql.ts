import type { Aggregation, Meter } from '../meter.ts';
import { type Form, keptPaths, leafName, SMALL_PLACES } from './leaves.ts';
import {
  columnNames,
  filterPaths,
  groupPaths,
  microseconds,
  type Question,
  valuePath,
  WINDOW_MICROSECONDS,
} from './question.ts';
import type { Parameter, Statement } from './store.ts';
import { answerSettings, type EngineMode, tableNames } from './tables.sql.ts';

/** Where to ask: whose tables, and on what. */
export interface AskedProjection {
  readonly name: string;
  readonly mode: EngineMode;
}

/** What PostgreSQL found after the mark, for a count of different values: a value with its keys, and how many events have it. */
export interface TailValue {
  /** The values of the columns, in their order: dimensions, then owner and window as digits. */
  readonly keys: readonly (string | null)[];
  readonly value: string;
  readonly count: bigint;
}

/** Decimal strings that count as values (§2), beside numbers. */
const VALUE_TEXT = '^-?[0-9]{1,38}(\\\\.[0-9]{1,38})?$';
const LIMB = 38;

const anyOf = (parts: readonly string[]): string =>
  parts.length === 1 ? `${parts[0]}` : `coalesce(${parts.join(', ')})`;

/** A leaf in one form. The names are letters, digits, underscores, dashes and slashes (leaves.ts). */
const leaf = (segments: readonly string[], form: Form): string => {
  const type = form === '0' || form === '9' ? 'Int64' : 'String';
  return anyOf(keptPaths(segments).map((path) => `e.data.\`${leafName(path, form)}\`.:\`${type}\``));
};

/** What `event_text` answers in PostgreSQL. */
const textAt = (segments: readonly string[]): string =>
  `coalesce(toString(${leaf(segments, '0')}),
     toString(cast(${leaf(segments, '9')} as Nullable(Decimal(38, 0))) * toDecimal128('0.000000001', ${SMALL_PLACES})),
     ${leaf(segments, 'n')}, ${leaf(segments, 's')})`;

/** The value as an integer of 10^-9, where it is small enough. At least 10^14 of them add up without an overflow. */
const smallAt = (segments: readonly string[]): string =>
  `coalesce(toInt128(${leaf(segments, '0')}) * 1000000000, toInt128(${leaf(segments, '9')}))`;

/** The value as text, where it is not. */
const largeAt = (segments: readonly string[]): string =>
  `coalesce(${leaf(segments, 'n')}, if(match(${leaf(segments, 's')}, '${VALUE_TEXT}'), ${leaf(segments, 's')}, null))`;

function keyExpressions(question: Question): string[] {
  const { columns } = question;
  const window =
    columns.window === 'MONTH'
      ? `toInt64(toYear(fromUnixTimestamp64Micro(e.at, 'UTC'))) * 12 + toMonth(fromUnixTimestamp64Micro(e.at, 'UTC')) - 1`
      : columns.window !== null && `e.at - e.at % ${WINDOW_MICROSECONDS[columns.window]}`;
  return [
    ...groupPaths(question).map((path, index) => `${textAt(path)} as d${index}`),
    ...(columns.bySubject ? ['e.subject_id as owner'] : []),
    ...(window === false ? [] : [`toInt64(${window}) as w`]),
  ];
}

/** The events of a question that have a value, one row each: its keys, `v`, and where it stands in time. */
function counted(question: Question, projection: AskedProjection, value: string): Statement {
  const { scope, mark, addresses } = question;
  const parameters: Record<string, Parameter> = {
    merchant: scope.merchantId,
    type: scope.meter.eventType ?? '',
    mark: String(mark),
    from: String(microseconds(scope.from)),
    to: String(microseconds(scope.to)),
  };
  const conditions = [
    'e.merchant_id = {merchant:String}',
    scope.meter.eventType === null ? 'false' : 'e.type = {type:String}',
    'e.seq <= {mark:UInt64}',
    'e.at >= {from:Int64}',
    'e.at < {to:Int64}',
  ];
  if (scope.meter.eventFrom !== null) {
    parameters.eventFrom = String(microseconds(scope.meter.eventFrom));
    conditions.push('e.at > {eventFrom:Int64}');
  }
  for (const [index, { path, values }] of filterPaths(question).entries()) {
    parameters[`filter${index}`] = values.filter((each) => each !== null);
    const isOneOf = `ifNull(has({filter${index}:Array(String)}, ${textAt(path)}), false)`;
    conditions.push(values.includes(null) ? `(${isOneOf} or ${textAt(path)} is null)` : isOneOf);
  }
  let join = '';
  if (addresses !== null) {
    parameters.subjects = addresses.map(({ subjectId }) => subjectId);
    parameters.froms = addresses.map((address) => microseconds(address.from));
    parameters.tos = addresses.map((address) => microseconds(address.to));
    const list = 'arrayZip({subjects:Array(UInt64)}, {froms:Array(Int64)}, {tos:Array(Int64)})';
    join = `inner join (select a.1 as id, a.2 as from_at, a.3 as to_at from (select arrayJoin(${list}) as a)) as addressed
            on addressed.id = e.subject_id`;
    conditions.push('e.subject_id in {subjects:Array(UInt64)}', 'e.at >= addressed.from_at', 'e.at < addressed.to_at');
  }
  const selected = [...keyExpressions(question), 'e.at as event_at', 'e.seq as event_seq', `${value} as v`];
  const text = `
    select ${selected.join(',\n           ')}
      from ${tableNames(projection.name).events} as e ${join}
     where ${conditions.join('\n       and ')}
       and v is not null`;
  return { text, parameters };
}

/** One row for each cell of each set: `grouping`, the keys, and what `figures` are. */
function grouped(question: Question, projection: AskedProjection, inner: Statement, figures: string): Statement {
  const names = columnNames(question.columns);
  const sets = question.sets.map((set) => `(${set.join(', ')})`);
  const grouping = names.length === 0 ? '0' : `grouping(${names.join(', ')})`;
  const [only] = question.sets;
  const isPlain = question.sets.length === 1 && only !== undefined && only.length === names.length;
  const by = isPlain ? only.join(', ') : `grouping sets (${sets.join(', ')})`;
  return {
    text: `
    select ${[isPlain ? '0' : grouping, ...names, figures].join(', ')}
      from (${inner.text})
     ${by === '' ? '' : `group by ${by}`}
     ${answerSettings(projection.mode)}`,
    ...(inner.parameters !== undefined && { parameters: inner.parameters }),
  };
}

/** How many events, and their figure in units of 10^-9, with the place in time of the one that LATEST takes. */
const SMALL_FIGURES: Readonly<Record<Exclude<Aggregation, 'UNIQUE_COUNT'>, string>> = {
  SUM: 'toString(sum(v))',
  AVG: 'toString(sum(v))',
  COUNT: 'toString(count())',
  MIN: 'toString(min(v))',
  MAX: 'toString(max(v))',
  LATEST: 'toString(argMax(v, (event_at, event_seq))), max((event_at, event_seq)) as latest, latest.1, latest.2',
};

const sign = "if(startsWith(v, '-'), -1, 1)";
const whole = `toInt256(splitByChar('.', trimLeft(v, '-'))[1])`;
const fraction = `rightPad(splitByChar('.', v)[2], ${2 * LIMB}, '0')`;
/** A number of up to 39 digits before and 76 after the point as three integers, each with the sign, that add up and compare in that order. */
const limbs = [
  `${sign} * ${whole}`,
  `${sign} * toInt256(substring(${fraction}, 1, ${LIMB}))`,
  `${sign} * toInt256(substring(${fraction}, ${LIMB + 1}, ${LIMB}))`,
];
const limbsOf = (aggregate: string): string =>
  limbs
    .map((limb) => `toString(sum(${limb}))`)
    .join(', ')
    .replaceAll('sum', aggregate);

const LARGE_FIGURES: Readonly<Record<Exclude<Aggregation, 'UNIQUE_COUNT' | 'COUNT'>, string>> = {
  SUM: limbsOf('sum'),
  AVG: limbsOf('sum'),
  MIN: `min((${limbs.join(', ')})) as least, toString(least.1), toString(least.2), toString(least.3)`,
  MAX: `max((${limbs.join(', ')})) as most, toString(most.1), toString(most.2), toString(most.3)`,
  LATEST: 'argMax(v, (event_at, event_seq)), max((event_at, event_seq)) as latest, latest.1, latest.2',
};

/** The events that are counted by their number alone, or whose values are small: nearly all, in one pass over integers. */
export function selectSmall(question: Question, projection: AskedProjection): Statement {
  const { meter } = question.scope;
  const path = valuePath(meter);
  const value = path === null ? '1' : meter.aggregation === 'COUNT' ? textAt(path) : smallAt(path);
  const figures = SMALL_FIGURES[meter.aggregation as Exclude<Aggregation, 'UNIQUE_COUNT'>];
  return grouped(question, projection, counted(question, projection, value), `toString(count()), ${figures}`);
}

/** The events whose values are large, of many digits, or sent as unusual text. Where there are none this reads nothing but that. */
export function selectLarge(question: Question, projection: AskedProjection): Statement | null {
  const { meter } = question.scope;
  const path = valuePath(meter);
  if (path === null || meter.aggregation === 'COUNT' || meter.aggregation === 'UNIQUE_COUNT') return null;
  const inner = counted(question, projection, largeAt(path));
  return grouped(question, projection, inner, `toString(count()), ${LARGE_FIGURES[meter.aggregation]}`);
}

/**
 * How many different values, in both stores together: what PostgreSQL found after the mark comes along as rows, so a value
 * that is on both sides counts once. `uniqExact` compares texts by 128 bits of SipHash.
 * @param owners the number of a subject to the number that stands for all subjects of its customer, where that is another
 */
export function selectUnique(
  question: Question,
  projection: AskedProjection,
  tail: readonly TailValue[],
  owners: ReadonlyMap<bigint, bigint>,
): Statement {
  const path = valuePath(question.scope.meter);
  const inner = counted(question, projection, path === null ? '1' : textAt(path));
  const { dimensions, bySubject, window } = question.columns;
  const names = columnNames(question.columns);
  const types = [
    ...dimensions.map(() => 'Nullable(String)'),
    ...(bySubject ? ['UInt64'] : []),
    ...(window === null ? [] : ['Int64']),
  ];
  const parameters: Record<string, Parameter> = { ...inner.parameters };
  let owner = 'owner';
  if (bySubject && owners.size > 0) {
    parameters.owned = [...owners.keys()];
    parameters.owners = [...owners.values()];
    owner = 'transform(owner, {owned:Array(UInt64)}, {owners:Array(UInt64)}, owner)';
  }
  for (const [index, type] of types.entries()) {
    const column = tail.map(({ keys }) => keys[index] ?? null);
    parameters[`key${index}`] = type === 'Nullable(String)' ? column : column.map((each) => BigInt(each ?? 0));
  }
  parameters.values = tail.map(({ value }) => value);
  parameters.counts = tail.map(({ count }) => count);
  const shipped = names.map((name, index) => `${name === 'owner' ? owner : name} as k${index}`);
  const columns = types.map((type, index) => `{key${index}:Array(${type})}`);
  const zipped = `arrayZip(${[...columns, '{values:Array(String)}', '{counts:Array(UInt64)}'].join(', ')})`;
  const parts = [...names, 'v', 'n'].map((_, index) => `t.${index + 1}`);
  const renamed = [...names.map((name, index) => `k${index} as ${name}`), 'v', 'n'];
  const text = `
    select ${renamed.join(', ')} from (
      select ${[...shipped, 'assumeNotNull(toString(v)) as v', 'toUInt64(1) as n'].join(', ')} from (${inner.text})
       union all
      select ${parts.join(', ')} from (select arrayJoin(${zipped}) as t))`;
  return grouped(question, projection, { text, parameters }, 'toString(sum(n)), toString(uniqExact(v))');
}

/**
 * What tells a projection that is whole from one that was lost, emptied or set back: how many batches there are up to one, that
 * one's token, how many events they had, and how many rows there are at all, which ClickHouse knows without looking.
 */
export const selectStanding = ({ name, mode }: AskedProjection, batchNo: number): Statement => ({
  text: `
    select toString(uniqExact(batch_no)), argMax(token, batch_no), toString(sum(event_count)),
           (select toString(count()) from ${tableNames(name).events})
      from ${tableNames(name).batches} where batch_no <= {batch:UInt32} ${answerSettings(mode)}`,
  parameters: { batch: String(batchNo) },
});

/** What ClickHouse holds of some batches: how many events, and sums that change with any one of them (audit.ts). */
export const selectBatchFigures = (
  { name, mode }: AskedProjection,
  from: number,
  to: number,
  isFinal: boolean,
): Statement => ({
  text: `
    select batch_no, toString(count()), toString(sum(toUInt128(seq))), toString(sum(toInt128(at))), toString(sum(toUInt128(subject_id)))
      from ${tableNames(name).events} ${isFinal ? 'final' : ''}
     where batch_no >= {from:UInt32} and batch_no <= {to:UInt32}
     group by batch_no ${answerSettings(mode)}`,
  parameters: { from: String(from), to: String(to) },
});

/** The meter's aggregation, for rows that come without one. */
export const isUnique = ({ aggregation }: Meter): boolean => aggregation === 'UNIQUE_COUNT';
