import { type Static, Type } from 'typebox';
import { MapOf, Text } from '../../http/schema.ts';
import { Decimal, decimal, ZERO } from '../../kernel/decimal.ts';
import { sortedEntries } from '../../kernel/json.ts';
import type { FieldError } from '../../kernel/result.ts';
import type { Charge, PriceModel } from './model.ts';
import { PROPERTY_FIELDS, Price } from './properties.ts';
import type { GroupValues, UsageGroup } from './usage.ts';

const MOST_DIMENSIONS = 10;
const MOST_CELLS = 1000;

const Dimension = Text({ minLength: 1, maxLength: 64 });

const MatrixProperties = Type.Object(
  {
    dimensions: Type.Array(Dimension, { minItems: 1, maxItems: MOST_DIMENSIONS, uniqueItems: true }),
    cells: Type.Array(
      Type.Object(
        {
          match: MapOf(Dimension, Text({ maxLength: 500 }), {
            description: 'Dimension → value; a dimension that is not named matches any value.',
          }),
          unitPrice: Price,
        },
        { additionalProperties: false },
      ),
      { maxItems: MOST_CELLS },
    ),
    default: Price,
  },
  {
    additionalProperties: false,
    $id: 'MatrixProperties',
    'x-fields': PROPERTY_FIELDS,
    description:
      'Each combination of group values at the price of the cell that matches most of it, else at the default.',
  },
);
type MatrixProperties = Static<typeof MatrixProperties>;
type Cell = MatrixProperties['cells'][number];

/**
 * For each combination of the dimensions' group values: its quantity × the matching cell with the most keys (then the
 * first listed), else the default. One charge for each cell that is used, the default's last; it is the only one where
 * nothing was used. A combination whose quantity is below 0 counts as 0.
 */
export const matrix: PriceModel<MatrixProperties> = {
  schema: MatrixProperties,
  check: checkCells,
  describe: ({ dimensions, cells, default: others }) => ({
    kind: 'cells',
    dimensions,
    cells: cells
      .toSorted((one, other) => keys(other) - keys(one))
      .map(({ match, unitPrice }) => ({ match, unitPrice: decimal(unitPrice) })),
    others: decimal(others),
  }),
  aggregations: ['SUM', 'COUNT', 'LATEST'],
  byGroup: {
    dimensions: ({ dimensions }) => dimensions,
    isCharged: (properties, usage, charge) => matrixCellOf(properties, usage) === matrixCellOf(properties, charge),
  },
  rate: (properties, { groups }) => {
    const used = Map.groupBy(
      groups.filter(({ quantity }) => quantity.gt(0)),
      ({ group }) => matrixCellOf(properties, group),
    );
    const charges = [...properties.cells, null].flatMap((cell): Charge[] => {
      const rows = used.get(cell);
      if (!rows) return [];
      const charge = chargeOf(properties, cell, Decimal.sum(...rows.map(({ quantity }) => quantity)));
      return [cell === null ? { ...charge, workings: { others: othersOf(properties, rows) } } : charge];
    });
    const [first = chargeOf(properties, null, ZERO), ...others] = charges;
    return [first, ...others];
  },
};

/** The cell that a combination is priced by; null for the default. */
function matrixCellOf({ cells }: MatrixProperties, group: GroupValues): Cell | null {
  const matching = cells.filter(({ match }) =>
    Object.entries(match).every(([dimension, value]) => group[dimension] === value),
  );
  return matching.reduce<Cell | null>((best, cell) => (best === null || keys(cell) > keys(best) ? cell : best), null);
}

const keys = ({ match }: Cell): number => Object.keys(match).length;

const MOST_NAMED = 12;

/** The groups in the default, by the values of the dimensions. */
function othersOf({ dimensions }: MatrixProperties, rows: readonly UsageGroup[]) {
  const names = rows.map(({ group }) => dimensions.map((dimension) => group[dimension] ?? '–').join(', ')).toSorted();
  return { groups: names.slice(0, MOST_NAMED), more: Math.max(0, names.length - MOST_NAMED) };
}

function chargeOf(properties: MatrixProperties, cell: Cell | null, quantity: Decimal): Charge {
  const unitPrice = decimal(cell?.unitPrice ?? properties.default);
  const amount = quantity.times(unitPrice);
  return { quantity, amount, unitPrice, firstUnitPrice: unitPrice, tiers: null, group: cell?.match ?? {} };
}

/** Cells match dimensions that there are, each by at least one, and no two of them the same. */
function checkCells({ dimensions, cells }: MatrixProperties): FieldError[] {
  const seen = new Set<string>();
  return cells.flatMap(({ match }, index) => {
    const field = `cells.${index}.match`;
    const names = Object.keys(match);
    if (names.length === 0)
      return [{ field, message: 'must name at least one dimension; default is the price of all others' }];
    const unknown = names
      .filter((name) => !dimensions.includes(name))
      .map((name) => ({ field: `${field}.${name}`, message: 'is not among the dimensions' }));
    const key = JSON.stringify(sortedEntries(match));
    const isTwin = seen.has(key);
    seen.add(key);
    return isTwin ? [...unknown, { field, message: 'is the same as of an earlier cell' }] : unknown;
  });
}
