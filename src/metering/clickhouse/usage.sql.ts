import type { Aggregation, Meter } from '../meter/meter.ts';
import { type Key, LIMB_PLACES } from './cells.ts';
import { type Form, keptPaths, leafName, SMALL_PLACES } from './leaves.ts';
import { Parameters } from './parameters.ts';
import {
  columnNames,
  filterPaths,
  goesOn,
  groupPaths,
  microseconds,
  type Question,
  valuePath,
  WINDOW_MICROSECONDS,
} from './question.ts';
import type { Statement } from './store.ts';
import { answerSettings, type EngineMode, tableNames } from './tables.sql.ts';

/** The tables and the server of a question. */
export interface AskedProjection {
  readonly name: string;
  readonly mode: EngineMode;
}

/**
 * The values of PostgreSQL after the mark, for a count of different values: a value with its keys, and its number of
 * events.
 */
export interface TailValue {
  /** In the order of the columns. */
  readonly keys: Key;
  readonly value: string;
  readonly count: bigint;
}

/** Decimal strings that count as values (§2), beside numbers. */
const VALUE_TEXT = '^-?[0-9]{1,38}(\\\\.[0-9]{1,38})?$';

const anyOf = (parts: readonly string[]): string =>
  parts.length === 1 ? `${parts[0]}` : `coalesce(${parts.join(', ')})`;

/** A leaf in one form. The names are letters, digits, underscores, dashes and slashes (leaves.ts). */
const leaf = (segments: readonly string[], form: Form): string => {
  const type = form === '0' || form === '9' ? 'Int64' : 'String';
  return anyOf(keptPaths(segments).map((path) => `e.data.\`${leafName(path, form)}\`.:\`${type}\``));
};

const isThere = (segments: readonly string[], form: Form): string => `isNotNull(${leaf(segments, form)})`;

/** Is there a leaf in one of these forms? Cheaper than asking whether the value that is made of them is null. */
const hasLeaf = (segments: readonly string[], forms: readonly Form[]): string =>
  `(${forms.map((form) => isThere(segments, form)).join(' or ')})`;

/** The equivalent of `event_text` in PostgreSQL. Of the branches only those are worked out that some event needs. */
const textAt = (segments: readonly string[]): string =>
  `multiIf(${isThere(segments, 's')}, ${leaf(segments, 's')},
     ${isThere(segments, '0')}, toString(${leaf(segments, '0')}),
     ${isThere(segments, '9')}, toString(cast(${leaf(segments, '9')} as Nullable(Decimal(38, 0))) * toDecimal128('0.000000001', ${SMALL_PLACES})),
     ${leaf(segments, 'n')})`;

/** The value as an integer of 10^-9, where it is small enough. At least 10^14 of them add up without an overflow. */
const smallAt = (segments: readonly string[]): string =>
  `coalesce(toInt128(${leaf(segments, '0')}) * 1000000000, toInt128(${leaf(segments, '9')}))`;

/** The value as text, where it is not. */
const largeAt = (segments: readonly string[]): string =>
  `coalesce(${leaf(segments, 'n')}, if(match(${leaf(segments, 's')}, '${VALUE_TEXT}'), ${leaf(segments, 's')}, null))`;

/** @param begin where the time begins that is asked about */
function keyExpressions(question: Question, begin: string): string[] {
  const { columns } = question;
  const at = goesOn(question) ? `greatest(e.at, ${begin})` : 'e.at'; // what goes on counts from the beginning
  const window =
    columns.window === 'MONTH'
      ? `toYear(fromUnixTimestamp64Micro(${at}, 'UTC')) * 12 + toMonth(fromUnixTimestamp64Micro(${at}, 'UTC')) - 1`
      : columns.window !== null && `intDiv(${at}, ${WINDOW_MICROSECONDS[columns.window]})`;
  return [
    ...groupPaths(question).map((path, index) => `${textAt(path)} as d${index}`),
    ...(columns.bySubject ? ['e.subject_id as owner'] : []),
    ...(window === false ? [] : [`toInt32(${window}) as w`]),
  ];
}

/** The measured value of an event, and whether it exists. */
interface Measured {
  readonly value: string;
  readonly exists: string;
}

/** The text of a property, or the event itself. */
const measuredText = (path: readonly string[] | null): Measured =>
  path === null
    ? { value: "'1'", exists: 'true' }
    : { value: `assumeNotNull(${textAt(path)})`, exists: hasLeaf(path, ['s', '0', '9', 'n']) };

/**
 * The events of a question with a value, one row each: its keys, `v`, place in time, and whether it is `inside` the
 * question.
 */
function counted(
  question: Question,
  projection: AskedProjection,
  { value, exists }: Measured,
  parameters = new Parameters(),
): Statement {
  const { scope, lastBatch, addresses } = question;
  const { eventType, eventFrom } = scope.meter;
  const conditions = [
    `e.merchant_id = ${parameters.one('merchant', 'String', scope.merchantId)}`,
    eventType === null ? 'false' : `e.type = ${parameters.one('type', 'String', eventType)}`,
    `e.batch_no <= ${parameters.one('batch', 'UInt32', lastBatch)}`,
    `e.at < ${parameters.one('to', 'Int64', microseconds(scope.to))}`,
  ];
  const from = parameters.one('from', 'Int64', microseconds(scope.from));
  const begin = addresses === null ? from : 'addressed.from_at';
  const inside = addresses === null ? `e.at >= ${from}` : `e.at >= ${from} and e.at >= addressed.from_at`;
  if (!goesOn(question)) conditions.push(inside);
  if (eventFrom !== null) conditions.push(`e.at > ${parameters.one('eventFrom', 'Int64', microseconds(eventFrom))}`);
  for (const [index, { path, values }] of filterPaths(question).entries()) {
    const texts = values.filter((each) => each !== null);
    const isOneOf = `ifNull(has(${parameters.list(`filter${index}`, 'String', texts)}, ${textAt(path)}), false)`;
    conditions.push(values.includes(null) ? `(${isOneOf} or ${textAt(path)} is null)` : isOneOf);
  }
  let join = '';
  if (addresses !== null) {
    const ids = addresses.map(({ subjectId }) => subjectId);
    const subjects = parameters.list('subjects', 'UInt64', ids);
    const froms = parameters.list(
      'froms',
      'Int64',
      addresses.map((address) => microseconds(address.from)),
    );
    const tos = parameters.list(
      'tos',
      'Int64',
      addresses.map((address) => microseconds(address.to)),
    );
    join = `inner join (select a.1 as id, a.2 as from_at, a.3 as to_at
                          from (select arrayJoin(arrayZip(${subjects}, ${froms}, ${tos})) as a)) as addressed
            on addressed.id = e.subject_id`;
    conditions.push(`e.subject_id in ${subjects}`, 'e.at < addressed.to_at');
  }
  const selected = [
    ...keyExpressions(question, begin),
    ...['e.at as event_at', 'e.seq as event_seq', `${value} as v`],
    ...(goesOn(question) ? [`(${inside}) as inside`] : []),
  ];
  const text = `
    select ${selected.join(',\n           ')}
      from ${tableNames(projection.name).events} as e ${join}
     where ${conditions.join('\n       and ')}
       and ${exists}`;
  return { text, parameters: parameters.values };
}

/** One row for each cell of each set: `grouping`, the keys, how many events, and what `figures` are. */
function grouped(
  question: Question,
  projection: AskedProjection,
  inner: Statement,
  figures: readonly string[],
  count = goesOn(question) ? 'countIf(inside)' : 'count()',
): Statement {
  const names = columnNames(question.columns);
  const sets = question.sets.map((set) => `(${set.join(', ')})`);
  const grouping = names.length === 0 ? '0' : `grouping(${names.join(', ')})`;
  const [only] = question.sets;
  const isPlain = question.sets.length === 1 && only !== undefined && only.length === names.length;
  const by = isPlain ? only.join(', ') : `grouping sets (${sets.join(', ')})`;
  return {
    text: `
    select ${[isPlain ? '0' : grouping, ...names, count, ...figures].join(', ')}
      from (${inner.text})
     ${by === '' ? '' : `group by ${by}`}
     ${answerSettings(projection.mode)}`,
    ...(inner.parameters !== undefined && { parameters: inner.parameters }),
  };
}

const LATEST_PLACE = ['tupleElement(max((event_at, event_seq)), 1)', 'tupleElement(max((event_at, event_seq)), 2)'];

/**
 * The aggregates of a small value; what COUNT counts is the number of events. LATEST has the place of its event in time
 * beside it.
 */
const SMALL_FIGURES: Readonly<
  Record<Exclude<Aggregation, 'UNIQUE_COUNT' | 'TIME_WEIGHTED' | 'PERCENTILE'>, string | null>
> = {
  SUM: 'sum(v)',
  AVG: 'sum(v)',
  COUNT: null,
  MIN: 'min(v)',
  MAX: 'max(v)',
  LATEST: 'argMax(v, (event_at, event_seq))',
};

/** A whole number of 10^-9 as a decimal text without zeros at its end. */
const smallText = (units: string): string =>
  `toString(toDecimal256(${units}, 0) * toDecimal256('0.${'1'.padStart(SMALL_PLACES, '0')}', ${SMALL_PLACES}))`;

const sign = "if(startsWith(v, '-'), -1, 1)";
const whole = `toInt256(splitByChar('.', trimLeft(v, '-'))[1])`;
const fraction = `rightPad(splitByChar('.', v)[2], ${2 * LIMB_PLACES}, '0')`;
/**
 * A number of up to 39 digits before and 76 after the point as three integers, each with the sign, that add up and
 * compare in that order.
 */
const limbs = [
  `${sign} * ${whole}`,
  `${sign} * toInt256(substring(${fraction}, 1, ${LIMB_PLACES}))`,
  `${sign} * toInt256(substring(${fraction}, ${LIMB_PLACES + 1}, ${LIMB_PLACES}))`,
];
const limbsOf = (limb: (expression: string, place: number) => string): string[] =>
  limbs.map((expression, place) => `toString(${limb(expression, place + 1)})`);

const LARGE_FIGURES: Readonly<
  Record<Exclude<Aggregation, 'UNIQUE_COUNT' | 'COUNT' | 'TIME_WEIGHTED' | 'PERCENTILE'>, readonly string[]>
> = {
  SUM: limbsOf((limb) => `sum(${limb})`),
  AVG: limbsOf((limb) => `sum(${limb})`),
  MIN: limbsOf((_, place) => `tupleElement(min((${limbs.join(', ')})), ${place})`),
  MAX: limbsOf((_, place) => `tupleElement(max((${limbs.join(', ')})), ${place})`),
  LATEST: ['argMax(v, (event_at, event_seq))', ...LATEST_PLACE],
};

/**
 * The events that are counted by their number alone, or whose values are small: nearly all, in one pass over integers.
 */
export function selectSmall(question: Question, projection: AskedProjection): Statement {
  const { aggregation } = question.scope.meter;
  const path = valuePath(question.scope.meter);
  const figure = SMALL_FIGURES[aggregation as Exclude<Aggregation, 'UNIQUE_COUNT' | 'TIME_WEIGHTED' | 'PERCENTILE'>];
  const measured =
    path === null || figure === null
      ? { ...measuredText(path), value: '1' }
      : { value: `assumeNotNull(${smallAt(path)})`, exists: hasLeaf(path, ['0', '9']) };
  return grouped(question, projection, counted(question, projection, measured), [
    ...(figure === null ? [] : [path === null ? `toString(${figure})` : smallText(figure)]),
    ...(aggregation === 'LATEST' ? LATEST_PLACE : []),
  ]);
}

/**
 * The events whose values are large, of many digits, or sent as unusual text. Where there are none this reads nothing
 * but that.
 */
export function selectLarge(question: Question, projection: AskedProjection): Statement | null {
  const { meter } = question.scope;
  const path = valuePath(meter);
  const { aggregation } = meter;
  if (path === null || aggregation === 'COUNT' || aggregation === 'UNIQUE_COUNT') return null;
  if (aggregation === 'TIME_WEIGHTED' || aggregation === 'PERCENTILE') return null; // never asked
  return grouped(
    question,
    projection,
    counted(question, projection, { value: largeAt(path), exists: 'v is not null' }),
    LARGE_FIGURES[aggregation],
  );
}

/**
 * How many different values, in both stores together: what PostgreSQL found after the mark comes along as rows, so a
 * value that is on both sides counts once. `uniqExact` compares texts by 128 bits of SipHash.
 * @param owners the number of a subject to the number that stands for all subjects of its customer, where that is
 *   another
 */
export function selectUnique(
  question: Question,
  projection: AskedProjection,
  tail: readonly TailValue[],
  owners: ReadonlyMap<bigint, bigint>,
): Statement {
  const parameters = new Parameters();
  const inner = counted(question, projection, measuredText(valuePath(question.scope.meter)), parameters);
  const { dimensions, bySubject, window } = question.columns;
  const names = columnNames(question.columns);
  let owner = 'owner';
  if (bySubject && owners.size > 0) {
    const owned = parameters.list('owned', 'UInt64', [...owners.keys()]);
    owner = `transform(owner, ${owned}, ${parameters.list('owners', 'UInt64', [...owners.values()])}, owner)`;
  }
  const shipped = names.map((name, index) => `${name === 'owner' ? owner : name} as k${index}`);
  const renamed = names.map((name, index) => `k${index} as ${name}`);
  const figures = ['toString(uniqExact(v))'];
  if (tail.length === 0) {
    const text = `select ${[...renamed, 'v'].join(', ')} from (select ${[...shipped, 'v'].join(', ')} from (${inner.text}))`;
    return grouped(question, projection, { text, parameters: parameters.values }, figures);
  }
  const types = [
    ...dimensions.map(() => 'Nullable(String)'),
    ...(bySubject ? ['UInt64'] : []),
    ...(window === null ? [] : ['Int32']),
  ];
  const keys = types.map((type, index) => {
    const column = tail.map((row) => row.keys[index] ?? null);
    const values = type === 'Nullable(String)' ? (column as string[]) : column.map((each) => BigInt(each ?? 0));
    return parameters.list(`key${index}`, type, values);
  });
  const values = parameters.list(
    'values',
    'String',
    tail.map(({ value }) => value),
  );
  const counts = parameters.list(
    'counts',
    'UInt64',
    tail.map(({ count }) => count),
  );
  const zipped = `arrayZip(${[...keys, values, counts].join(', ')})`;
  const parts = [...names, 'v', 'n'].map((_, index) => `t.${index + 1}`);
  const text = `
    select ${[...renamed, 'v', 'n'].join(', ')} from (
      select ${[...shipped, 'v', 'toUInt64(1) as n'].join(', ')} from (${inner.text})
       union all
      select ${parts.join(', ')} from (select arrayJoin(${zipped}) as t))`;
  return grouped(question, projection, { text, parameters: parameters.values }, figures, 'sum(n)');
}

/**
 * The figures that distinguish a whole projection from one that was lost, emptied or set back: the number of batches up
 * to one, its token, their number of events, and the number of all rows, which ClickHouse knows without reading.
 */
export const selectStanding = ({ name, mode }: AskedProjection, batchNo: number): Statement => ({
  text: `
    select toString(uniqExact(batch_no)), argMax(token, batch_no), toString(sum(event_count)),
           (select toString(count()) from ${tableNames(name).events})
      from ${tableNames(name).batches} where batch_no <= {batch:UInt32} ${answerSettings(mode)}`,
  parameters: { batch: String(batchNo) },
});

/** How many events came in batches after this one. The index on `batch_no` passes over all that is older. */
export const selectRowsAfter = ({ name, mode }: AskedProjection, batchNo: number): Statement => ({
  text: `
    select toString(count()) from ${tableNames(name).events} where batch_no > {batch:UInt32} ${answerSettings(mode)}`,
  parameters: { batch: String(batchNo) },
});

/**
 * The figures of some batches in ClickHouse: the number of events, and sums that change with any one of them
 * (audit.ts).
 */
export const selectBatchFigures = ({ name, mode }: AskedProjection, from: number, to: number): Statement => ({
  text: `
    select batch_no, toString(count()), toString(sum(toUInt128(seq))), toString(sum(toInt128(at))),
           toString(sum(toUInt128(subject_id)))
      from ${tableNames(name).events}
     where batch_no >= {from:UInt32} and batch_no <= {to:UInt32}
     group by batch_no ${answerSettings(mode)}`,
  parameters: { from: String(from), to: String(to) },
});

/** The meter's aggregation, for rows that come without one. */
export const isUnique = ({ aggregation }: Meter): boolean => aggregation === 'UNIQUE_COUNT';
