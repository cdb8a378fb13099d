import { displayUnitOf } from '../../../../src/invoicing/rating/display-unit.ts';
import { modelOf } from '../../../../src/invoicing/rating/models.ts';
import type { ShownPrice } from '../../../../src/invoicing/rating/shown-price.ts';
import { type Decimal, decimal, plain } from '../../../../src/kernel/decimal.ts';
import { figuresOf } from '../../../../src/look/figures.ts';
import { type DisplayUnit, priceFor, type Scale, scaleOf } from '../../../../src/look/price.ts';
import { unitOf } from '../../../../src/look/units.ts';
import type { Price, PriceBase } from '../../api/types.ts';
import { moneyText, quantityText } from '../../look/figures.tsx';
import { cadenceWords } from '../../look/words.ts';

/** The part of a price that its words need; a saved price, one in a version, or one that is being typed. */
export type SpokenPrice = Pick<Price, 'model' | 'properties'> &
  Pick<
    PriceBase,
    'paymentTerm' | 'billingCadence' | 'quantity' | 'minimumAmount' | 'maximumAmount' | 'groupFilters' | 'taxRate'
  > & {
    readonly feeId?: string | undefined;
    readonly grantDiscountEnabled?: boolean;
    readonly displayUnit?: DisplayUnit | null;
  };

/** How prices are written: in a currency, per unit of a metric, and how often where a price does not say. */
export interface Writing {
  readonly currency: string;
  readonly unit: string;
  /** Of the metric. */
  readonly displayUnit?: DisplayUnit | null;
  readonly cadence: string;
}

/** A price as a person reads it: a sentence, further sentences, and a table where it differs by quantity or kind. */
export interface Phrases {
  readonly sentence: string;
  readonly notes: readonly string[];
  readonly table: { readonly heads: readonly string[]; readonly rows: readonly (readonly string[])[] } | null;
}

const { percent } = figuresOf('en');
const units = (count: Decimal, unit: string): string => `${quantityText(plain(count))} ${unitOf(unit, count, 'en')}`;
const perWords = (scale: Scale, { unit, display }: Pick<Means, 'unit' | 'display'>): string =>
  `per ${display?.name ?? (scale === 1 ? unit : units(decimal(scale), unit))}`;

/** For how many units the prices of a list are said. */
const scaleIn = (prices: readonly Decimal[], { display, currency }: Means): Scale =>
  display?.per ?? scaleOf(prices, currency);

/** All words of a price. */
export function phrasesOf(price: SpokenPrice, writing: Writing): Phrases {
  const { currency } = writing;
  const unit = writing.unit || 'unit';
  const often = cadenceWords(price.billingCadence ?? writing.cadence);
  const shown = modelOf(price).describe(price.properties);
  const money = (value: Decimal | string) => moneyText(typeof value === 'string' ? value : plain(value), currency);
  const { displayUnit = null } = price;
  const display = displayUnitOf({
    pricing: { model: price.model },
    displayUnit,
    metric: { displayUnit: writing.displayUnit ?? null },
  });
  const { sentence, table } = wordsOfModel(shown, price, { unit, display, often, currency, money });
  const { includedUnits } = price.properties as { includedUnits?: string };
  const included = includedUnits ? decimal(includedUnits) : null;
  const filters = Object.entries(price.groupFilters ?? {});
  return {
    sentence: included?.gt(0) ? `${sentence}, first ${units(included, unit)} free` : sentence,
    notes: [
      ...(price.minimumAmount ? [`at least ${money(price.minimumAmount)} ${often}`] : []),
      ...(price.maximumAmount ? [`at most ${money(price.maximumAmount)} ${often}`] : []),
      ...(price.billingCadence && price.feeId === undefined ? [`billed ${often}`] : []),
      ...(price.paymentTerm === 'in_advance' ? ['billed in advance'] : []),
      ...filters.map(([name, values]) => `only where ${name} is ${values.join(' or ')}`),
      ...(price.grantDiscountEnabled ? ['units that credits cover are free'] : []),
      ...(price.taxRate === undefined ? [] : [`tax ${percent(String(price.taxRate))}`]),
    ],
    table,
  };
}

interface Means {
  readonly unit: string;
  readonly display: DisplayUnit | null;
  readonly often: string;
  readonly currency: string;
  readonly money: (value: Decimal | string) => string;
}

type Worded = Pick<Phrases, 'sentence' | 'table'>;
const said = (sentence: string): Worded => ({ sentence, table: null });

function wordsOfModel(shown: ShownPrice, price: SpokenPrice, means: Means): Worded {
  const { unit, often, money } = means;
  const isFee = price.feeId !== undefined;
  const quantity = decimal(price.quantity);
  const perFee = isFee ? ` ${often}` : '';
  switch (shown.kind) {
    case 'unit': {
      if (shown.unitPrice.isZero()) return said('free');
      if (isFee)
        return said(`${quantity.eq(1) ? '' : `${quantityText(plain(quantity))} × `}${money(shown.unitPrice)} ${often}`);
      const scale = scaleIn([shown.unitPrice], means);
      return said(`${money(priceFor(shown.unitPrice, scale))} ${perWords(scale, means)}`);
    }
    case 'tiers': {
      const rule = shown.byVolume
        ? 'all units at the price of the tier that the quantity reaches'
        : 'each unit at the price of its own tier';
      return {
        sentence: `${isFee ? `for ${units(quantity, 'unit')}${perFee}: ` : ''}${rule}`,
        table: tiers(shown, means),
      };
    }
    case 'packages':
      return said(`${money(shown.price)} per package of ${units(shown.size, unit)}, a begun package in full${perFee}`);
    case 'share': {
      const { each } = shown;
      const within = ({ least, most }: Pick<typeof shown, 'least' | 'most'>) => [
        ...(least === null ? [] : [`at least ${money(least)}`]),
        ...(most === null ? [] : [`at most ${money(most)}`]),
      ];
      return said(
        [
          `${percent(shown.percent)} of the value`,
          ...(shown.fixed.isZero() ? [] : [`plus ${money(shown.fixed)} for each event`]),
          ...(each ? within(each).map((bound) => `${bound} for each event`) : []),
          ...(!each || each.free.isZero() ? [] : [`the first ${quantityText(plain(each.free))} free`]),
          ...within(shown),
        ].join(', '),
      );
    }
    case 'cells':
      return { sentence: `by ${shown.dimensions.join(' and ')}`, table: cells(shown, means) };
    case 'cost':
      return said(`the price that each event carries${shown.factor.eq(1) ? '' : `, times ${plain(shown.factor)}`}`);
  }
}

type Of<Kind extends ShownPrice['kind']> = Extract<ShownPrice, { kind: Kind }>;

function tiers({ tiers: all }: Of<'tiers'>, means: Means): Phrases['table'] {
  const { money } = means;
  const scale = scaleIn(
    all.map(({ unitPrice }) => unitPrice),
    means,
  );
  const hasFlat = all.some(({ flatPrice }) => !flatPrice.isZero());
  const upTo = (each: Decimal | null, above: Decimal) => {
    if (each !== null) return `up to ${quantityText(plain(each))}`;
    return above.isZero() ? 'any quantity' : `above ${quantityText(plain(above))}`;
  };
  return {
    heads: [`Quantity`, perWords(scale, means), ...(hasFlat ? ['For the tier'] : [])],
    rows: all.map((tier) => [
      upTo(tier.upTo, tier.above),
      money(priceFor(tier.unitPrice, scale)),
      ...(hasFlat ? [tier.flatPrice.isZero() ? '—' : money(tier.flatPrice)] : []),
    ]),
  };
}

function cells({ dimensions, cells: all, others }: Of<'cells'>, means: Means): Phrases['table'] {
  const { money } = means;
  const scale = scaleIn([...all.map(({ unitPrice }) => unitPrice), others], means);
  return {
    heads: [dimensions.join(', '), perWords(scale, means)],
    rows: [
      ...all.map(({ match, unitPrice }) => [
        dimensions.map((name) => match[name] ?? `any ${name}`).join(', '),
        money(priceFor(unitPrice, scale)),
      ]),
      ['all others', money(priceFor(others, scale))],
    ],
  };
}
