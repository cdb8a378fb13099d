import type { Sql, Tx } from '../db/index.ts';
import { decimal } from '../kernel/decimal.ts';
import { type FigureFunction, figureColumns } from './figures.sql.ts';
import { figureOf, knownHours, questionOf, type UsageFigure, withKnown } from './figures.ts';
import { KnownHours } from './known-hours.ts';
import type { UsageScope } from './usage-request.ts';

/** Figures of usage that are asked for as columns of another statement. */
export interface FigureCall {
  /** The functions that are called. The text of the columns depends on them alone. */
  readonly functions: readonly FigureFunction[];
  /**
   * A column for each function, each after a comma.
   * @param merchant the merchant in the other statement, once its rows may be read
   */
  readonly columns: (merchant: Sql) => Sql;
  /**
   * @param row with the columns
   * @returns a figure for each scope, in their order; null where roll-ups do not hold all events
   */
  readonly figuresOf: (row: FigureColumns) => UsageFigure[] | null;
}

export type FigureColumns = { readonly [name in FigureFunction]?: string | null };

/**
 * The figures of questions of a merchant, for a statement that asks other things too, with what is known now of hours that
 * they cut.
 * @param tx null: nothing is known of such hours
 * @returns null where roll-ups do not answer one of them, as `keptFigures` says
 */
export async function figureCall(tx: Tx | null, scopes: readonly UsageScope[]): Promise<FigureCall | null> {
  const hours = tx === null ? new KnownHours() : await knownHours(tx);
  const asked = scopes.map((scope, place) => ({ scope, place, question: questionOf(scope) }));
  if (asked.some(({ question }) => question === null)) return null;
  const known = asked.flatMap(({ scope, place, question }) =>
    question && question.parts.length > 0
      ? [{ ...withKnown({ ...question, scope }, hours), name: question.name, meter: scope.meter, place }]
      : [],
  );
  const calls = [...Map.groupBy(known, ({ name }) => name)]
    .map(([name, questions]) => ({ name, questions }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    functions: calls.map(({ name }) => name),
    columns: (merchant) => figureColumns(calls, merchant),
    figuresOf: (row) => {
      const found = scopes.map(({ meter }) => figureOf(meter, undefined) as UsageFigure);
      for (const { name, questions } of calls) {
        const text = row[name];
        if (typeof text !== 'string') return null;
        for (const figure of text.split(',')) {
          const [question, value, count] = figure.split(' ') as [string, string, string];
          const { place, meter } = questions[Number(question)] as (typeof questions)[number];
          const read = { value: value === '-' ? null : decimal(value), event_count: BigInt(count), is_complete: true };
          found[place] = figureOf(meter, { question: place, ...read }) as UsageFigure;
        }
      }
      return found;
    },
  };
}
