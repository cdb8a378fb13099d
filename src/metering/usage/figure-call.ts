import { arrayElements, type Sql, type Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import type { UsageScope, UsageSource } from '../meter/usage-request.ts';
import {
  FIGURE_ARGUMENTS,
  FIGURE_FIELDS,
  type FigureArgument,
  type FigureFunction,
  type FigureQuestion,
  figureArguments,
  figureColumns,
  type ReadHour,
} from './figures.sql.ts';
import { figureOf, knownHours, meterOf, questionOf, type UsageFigure, withKnown } from './figures.ts';
import { type KnownHours, readHours } from './known-hours.ts';

/** Figures of usage that are asked for as columns of another statement, beside those of other calls of the merchant. */
export interface FigureCall {
  /** Where hours are kept that were read for it. */
  readonly hours: KnownHours;
  /** One for each figure that is answered. */
  readonly scopes: readonly UsageScope[];
  /** The questions to each function. */
  readonly functions: readonly AskedOfFunction[];
}

interface AskedOfFunction {
  readonly name: FigureFunction;
  /** The place of each question's scope. */
  readonly places: readonly number[];
  readonly definitions: readonly { readonly type: string; readonly content: string }[];
  /** The question and the definition of each part, both from 0. */
  readonly parts: readonly { readonly question: number; readonly definition: number }[];
  /** The part of each hour that is known, from 0. */
  readonly knownParts: readonly number[];
  /** The elements of the other arguments. */
  readonly texts: Readonly<Record<KeptArgument, string>>;
}

/** The arguments that are the same in every statement: the others have numbers of their own in each. */
const KEPT_ARGUMENTS = [
  'subjects',
  'froms',
  'tos',
  'knownSubjects',
  'knownHours',
  'knownFroms',
  'knownTos',
  'knownCounts',
  'knownValues',
  'knownEvents',
] as const satisfies readonly FigureArgument[];
type KeptArgument = (typeof KEPT_ARGUMENTS)[number];

export type FigureColumns = { readonly [name in FigureFunction as (typeof FIGURE_FIELDS)[name]]?: string | null };

/** A parameter of `figureParameters`. */
export type FigureParameter = `${FigureFunction} ${FigureArgument}`;

/**
 * A column for each function, each after a comma, whose parameters are the names of values of `JoinedFigures`.
 * @param merchant the merchant in the other statement, once its rows may be read
 */
export const figureParameters = (functions: readonly FigureFunction[], merchant: Sql): Sql =>
  figureColumns(functions, merchant, (name, argument): FigureParameter => `${name} ${argument}`);

/**
 * The figures of questions of a merchant, for a statement that asks other things too, with what is known now of hours
 * that they cut.
 * @returns null where roll-ups do not answer one of them, as `keptFigures` says
 */
export async function figureCall(
  constants: Pick<Tx, 'constant'>,
  scopes: readonly UsageScope[],
): Promise<FigureCall | null> {
  const hours = await knownHours(constants);
  const asked = scopes.map((scope, place) => ({ scope, place, question: questionOf(scope) }));
  if (asked.some(({ question }) => question === null)) return null;
  const known = asked.flatMap(({ scope, place, question }) =>
    question && question.parts.length > 0
      ? [{ ...withKnown({ ...question, scope }, hours), name: question.name, place }]
      : [],
  );
  const functions = [...Map.groupBy(known, ({ name }) => name)].map(([name, those]) => askedOf(name, those));
  return { hours, scopes, functions };
}

type PlacedQuestion = FigureQuestion & { readonly place: number };

function askedOf(name: FigureFunction, questions: readonly PlacedQuestion[]): AskedOfFunction {
  const values = figureArguments(questions);
  const texts = KEPT_ARGUMENTS.map((argument) => [argument, arrayElements(values[argument])]);
  return {
    name,
    places: questions.map(({ place }) => place),
    definitions: values.meterTypes.map((type, place) => ({
      type: arrayElements([type]),
      content: arrayElements([values.meterContents[place]]),
    })),
    parts: values.questions.map((question, part) => ({
      question: question as number,
      definition: (values.meters[part] as number) - 1,
    })),
    knownParts: values.knownParts.map((part) => (part as number) - 1),
    texts: Object.fromEntries(texts) as Record<KeptArgument, string>,
  };
}

/** The answer to one call. */
export interface FigureAnswer {
  /** In the order of its scopes; null where roll-ups do not hold all events of one. */
  readonly figures: readonly UsageFigure[] | null;
  /** Hours were read that a call for the same scopes would know from now on. */
  readonly hasReadHours: boolean;
}

/** The figures of several calls of a merchant in one statement. */
export interface JoinedFigures {
  /** In the order of their names. The text of the statement depends on them alone. */
  readonly functions: readonly FigureFunction[];
  /** The parameters of `figureParameters` for these functions. */
  readonly values: Readonly<Partial<Record<FigureParameter, string>>>;
  /** @param row with the columns @returns for each call; the hours that were read are kept */
  readonly answersOf: (row: FigureColumns) => readonly FigureAnswer[];
}

/** Joins calls of one merchant. */
export function joinFigures(calls: readonly FigureCall[]): JoinedFigures {
  const functions = [...new Set(calls.flatMap((call) => call.functions.map(({ name }) => name)))].toSorted();
  const values: Partial<Record<FigureParameter, string>> = {};
  const joined = new Map<FigureFunction, JoinedCalls>();
  for (const name of functions) {
    const of = joinedOf(calls, name);
    for (const argument of Object.keys(FIGURE_ARGUMENTS) as FigureArgument[])
      values[`${name} ${argument}`] = `{${of.lists[argument].join()}}`;
    joined.set(name, of);
  }
  return { functions, values, answersOf: (row) => answersOf(calls, joined, row) };
}

/** The owner of a question's figure in a statement. */
interface Owner {
  readonly call: number;
  readonly place: number;
}

/** Calls of one function in a statement. */
interface JoinedCalls {
  readonly lists: Readonly<Record<FigureArgument, (string | number)[]>>;
  /** Of each question. */
  readonly owners: readonly Owner[];
}

function joinedOf(calls: readonly FigureCall[], name: FigureFunction): JoinedCalls {
  const lists = Object.fromEntries(
    Object.keys(FIGURE_ARGUMENTS).map((argument) => [argument, []]),
  ) as unknown as Record<FigureArgument, (string | number)[]>;
  const owners: Owner[] = [];
  const definitions = new Map<string, number>();
  for (const [call, { functions }] of calls.entries()) {
    const asked = functions.find((each) => each.name === name);
    if (!asked) continue;
    const [question, part] = [owners.length, lists.questions.length];
    const numbers = asked.definitions.map(({ type, content }) => {
      const text = `${type} ${content}`;
      const number = definitions.get(text) ?? definitions.size + 1;
      if (number > definitions.size) {
        definitions.set(text, number);
        lists.meterTypes.push(type);
        lists.meterContents.push(content);
      }
      return number;
    });
    for (const each of asked.parts) {
      lists.questions.push(question + each.question);
      lists.meters.push(numbers[each.definition] as number);
    }
    for (const known of asked.knownParts) lists.knownParts.push(part + known + 1);
    for (const argument of KEPT_ARGUMENTS)
      if (asked.texts[argument] !== '') lists[argument].push(asked.texts[argument]);
    for (const place of asked.places) owners.push({ call, place });
  }
  return { lists, owners };
}

function answersOf(
  calls: readonly FigureCall[],
  joined: ReadonlyMap<FigureFunction, JoinedCalls>,
  row: FigureColumns,
): FigureAnswer[] {
  const found: (UsageFigure | null)[][] = calls.map(({ scopes }) =>
    scopes.map(({ meter }) => figureOf(meter, undefined) as UsageFigure),
  );
  const reading = new Set<number>();
  for (const [name, { lists, owners }] of joined) {
    for (const { call, place } of owners) (found[call] as (UsageFigure | null)[])[place] = null;
    for (const line of row[FIGURE_FIELDS[name]]?.split('\n') ?? []) {
      const [question, value, count, ...hours] = line.split(' ') as [string, string, string, ...string[]];
      const { call, place } = owners[Number(question)] as Owner;
      const { scopes, hours: known } = calls[call] as FigureCall;
      const scope = scopes[place] as UsageScope;
      const read = {
        question: place,
        value: value === '-' || value === '!' ? null : decimal(value),
        eventCount: BigInt(count),
        isComplete: value !== '!',
        readHours: hours.length === 0 ? null : (JSON.parse(hours.join(' ')) as ReadHour[][]),
      };
      (found[call] as (UsageFigure | null)[])[place] = figureOf(scope.meter, read);
      for (const hour of readHours([read])) {
        const asked = questionOf(scope) as NonNullable<ReturnType<typeof questionOf>>;
        const part = Number(hour.part) - 1 - lists.questions.indexOf(Number(question));
        known.keep(meterOf({ ...asked, scope }), asked.parts[part] as UsageSource, hour);
        reading.add(call);
      }
    }
  }
  return found.map((figures, call) => ({
    figures: figures.includes(null) ? null : (figures as UsageFigure[]),
    hasReadHours: reading.has(call),
  }));
}
