import type { Tx } from '../../db/index.ts';
import { type Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { isLevel, isPercentile, type Meter } from '../meter/meter.ts';
import { definitionText, type RollupDefinition, rollupDefinitionOf } from '../meter/rollup-definition.ts';
import type { UsageRow, UsageScope, UsageSource } from '../meter/usage-request.ts';
import { FIGURES, type FigureFunction, type FigureQuestion, type FigureRow, selectFigures } from './figures.sql.ts';
import { KnownHours, readHours } from './known-hours.ts';
import { intervalsOf } from './usage.sql.ts';

/** One figure, and how many events it is of. */
export type UsageFigure = Pick<UsageRow, 'value' | 'exact' | 'eventCount'>;

const AVERAGE_DIGITS = 50;

/**
 * The figures of questions of a merchant about some subjects, from roll-ups and in one call. Equal questions are asked
 * once.
 * @returns null for each question that roll-ups do not answer: of all subjects, of groups, up to a mark, of an
 * aggregation that is not kept as one value, or of a meter whose events are not rolled up yet
 */
export async function keptFigures(tx: Tx, scopes: readonly UsageScope[]): Promise<(UsageFigure | null)[]> {
  const figures: (UsageFigure | null)[] = scopes.map(() => null);
  const asked = scopes.flatMap((scope, place): Asked[] => {
    const question = questionOf(scope);
    return question === null ? [] : [{ ...question, scope, place }];
  });
  const known = await knownHours(tx);
  for (const [name, ofOne] of Map.groupBy(asked, (each) => each.name)) {
    const equal = ofOne.length === 1 ? [ofOne] : [...Map.groupBy(ofOne, textOf).values()];
    const different = equal.map(([one]) => one as Asked);
    const { merchantId } = (different[0] as Asked).scope;
    const parts = different.flatMap((one) => one.parts.map((part) => ({ part, meter: meterOf(one) })));
    const questions = different.map((one) => withKnown(one, known));
    const rows = await tx.rows<FigureRow>(selectFigures(name, merchantId, questions), name);
    for (const read of readHours(rows)) {
      const { part, meter } = parts[Number(read.part) - 1] as (typeof parts)[number];
      known.keep(meter, part, read);
    }
    const found = new Map(rows.map((row) => [row.question, row]));
    for (const [question, those] of equal.entries())
      for (const { scope, place } of those) figures[place] = figureOf(scope.meter, found.get(question));
  }
  return figures;
}

/** The hours of a database that this process knows. */
export const knownHours = (constants: Pick<Tx, 'constant'>): Promise<KnownHours> =>
  constants.constant('parts of hours', async () => new KnownHours());

/** A question with the known figures of its parts. */
export const withKnown = (question: Omit<Asked, 'place'>, known: KnownHours): FigureQuestion => ({
  definition: question.definition,
  parts: question.parts.map((part) => ({ ...part, known: known.of(meterOf(question), part) })),
});

interface Asked {
  readonly definition: RollupDefinition;
  readonly parts: readonly UsageSource[];
  readonly name: FigureFunction;
  readonly scope: UsageScope;
  /** In the list of questions. */
  readonly place: number;
}

/** A question as roll-ups answer it; null: they do not. */
export function questionOf(scope: UsageScope): Omit<Asked, 'scope' | 'place'> | null {
  const { meter, sources, groupFilters = {}, acceptedUpTo } = scope;
  const [name, definition] = [FIGURES[meter.aggregation], rollupDefinitionOf(meter)];
  if (name === undefined || definition === null || sources === null || acceptedUpTo !== undefined) return null;
  if (Object.keys(groupFilters).length > 0) return null;
  return { name, definition, parts: intervalsOf(scope) as UsageSource[] };
}

/** The meter of the reading. */
export const meterOf = ({ name, definition, scope }: Omit<Asked, 'place'>): string =>
  `${name} ${scope.merchantId} ${definitionText(definition)}`;

/** Do roll-ups keep the whole figure that is asked for, once they hold all events of its meter? */
export const isKept = (scope: UsageScope): boolean => questionOf(scope) !== null;

/** The same text for questions with the same figure. */
const textOf = ({ definition, parts }: Asked): string =>
  [
    definitionText(definition),
    ...parts.flatMap(({ subject, from, to }) => [subject, from.epochNanoseconds, to.epochNanoseconds]),
  ]
    .map(String)
    .join('\n');

/** A question without any part has no row: nothing counts. */
export function figureOf(meter: Meter, row: Omit<FigureRow, 'readHours'> | undefined): UsageFigure | null {
  if (row === undefined) return { value: ZERO, eventCount: 0 };
  const eventCount = Number(row.eventCount);
  const value = meter.aggregation === 'COUNT' ? decimal(row.eventCount) : row.value;
  return row.isComplete ? { value: figure(meter, value, eventCount), eventCount } : null;
}

/**
 * Nothing is 0, whether there never was anything or all was taken away again; a level needs no event. A sum becomes an
 * average here, because PostgreSQL would choose the digits of the quotient by itself.
 */
export function figure(meter: Meter, value: Decimal | null, eventCount: number): Decimal {
  if (value === null || (eventCount === 0 && !isLevel(meter))) return ZERO;
  if (isPercentile(meter) && meter.sampleAggregation === 'AVG') return value.toSignificantDigits(AVERAGE_DIGITS);
  return meter.aggregation === 'AVG' ? average(value, eventCount) : value;
}

/** Exact where it fits 50 significant digits, else rounded to them, half away from zero. */
const average = (total: Decimal, count: number): Decimal =>
  total.div(decimal(count)).toSignificantDigits(AVERAGE_DIGITS);
