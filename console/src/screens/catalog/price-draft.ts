import { canBeShownIn } from '../../../../src/invoicing/rating/display-unit.ts';
import { decimal, plain } from '../../../../src/kernel/decimal.ts';
import type { EntitlementTemplate, Price } from '../../api/types.ts';
import { numberOf } from '../../shape/values.ts';

export type Model = Price['model'];

/** A tier as it is typed; the last one has no end. */
export interface TierText {
  readonly upTo: string;
  readonly unitPrice: string;
  readonly flatPrice: string;
}

/** A cell of a matrix as it is typed; a dimension without a value matches any. */
export interface CellText {
  readonly match: Readonly<Record<string, string>>;
  readonly unitPrice: string;
}

/** A price as it is typed. It keeps the figures of every model, so that another model can be tried. */
export interface Draft {
  readonly subject: 'metric' | 'fee';
  readonly billableMetricId: string;
  readonly feeId: string;
  readonly invoiceDisplayName: string;
  readonly model: Model;
  readonly unitPrice: string;
  readonly includedUnits: string;
  readonly tiers: readonly TierText[];
  readonly size: string;
  readonly price: string;
  readonly percent: string;
  readonly fixed: string;
  readonly minCharge: string;
  readonly maxCharge: string;
  readonly eachMin: string;
  readonly eachMax: string;
  readonly freeEvents: string;
  readonly multiplier: string;
  readonly dimensions: readonly string[];
  readonly cells: readonly CellText[];
  readonly others: string;
  readonly paymentTerm: Price['paymentTerm'];
  readonly billingCadence: string;
  readonly quantity: string;
  readonly minimumAmount: string;
  readonly maximumAmount: string;
  readonly taxRate: string;
  readonly groupFilters: Readonly<Record<string, readonly string[]>>;
  readonly grantDiscountEnabled: boolean;
  readonly featureId: string;
  readonly issueAfterReset: string;
  readonly interval: string;
  readonly isSoftLimit: boolean;
  readonly resetMaxRollover: string;
  readonly metricIds: readonly string[];
  readonly config: string;
  /** The template of the price that is changed: it keeps what has no field here. */
  readonly template: EntitlementTemplate | null;
  /** The unit in which the price that is changed is shown. */
  readonly displayUnit: Price['displayUnit'];
  /** The price that is changed in other currencies, which is of its model. */
  readonly inCurrencies: Pick<Price, 'model' | 'currencyPrices'> | null;
}

const NEW: Draft = {
  ...{ subject: 'metric', billableMetricId: '', feeId: '', invoiceDisplayName: '', model: 'standard' },
  ...{ unitPrice: '', includedUnits: '', size: '', price: '', percent: '', fixed: '', minCharge: '', maxCharge: '' },
  ...{ eachMin: '', eachMax: '', freeEvents: '' },
  tiers: [
    { upTo: '1000', unitPrice: '', flatPrice: '' },
    { upTo: '', unitPrice: '', flatPrice: '' },
  ],
  ...{ multiplier: '', dimensions: [], cells: [], others: '', paymentTerm: 'in_arrears', billingCadence: '' },
  ...{ quantity: '1', minimumAmount: '', maximumAmount: '', taxRate: '', groupFilters: {} },
  ...{ grantDiscountEnabled: false, featureId: '', issueAfterReset: '', interval: 'P1M', isSoftLimit: false },
  ...{ resetMaxRollover: '', metricIds: [], config: '{}', template: null, displayUnit: null, inCurrencies: null },
};

const text = (value: string | number | null | undefined): string => (value ?? '') as string;

/** The fields for a price that is changed or replaced; without one those of a new price. */
export function draftOf(price: Price | undefined): Draft {
  if (!price) return NEW;
  const [feature] = price.features;
  const template = feature?.entitlementTemplate ?? null;
  const metered = template?.type === 'metered' ? template : null;
  return {
    ...NEW,
    ...typedProperties(price),
    subject: price.feeId === undefined ? 'metric' : 'fee',
    billableMetricId: text(price.billableMetricId),
    feeId: text(price.feeId),
    invoiceDisplayName: price.invoiceDisplayName,
    model: price.model,
    paymentTerm: price.paymentTerm,
    billingCadence: text(price.billingCadence),
    quantity: String(price.quantity),
    minimumAmount: text(price.minimumAmount),
    maximumAmount: text(price.maximumAmount),
    taxRate: String(text(price.taxRate)),
    groupFilters: price.groupFilters ?? {},
    grantDiscountEnabled: price.grantDiscountEnabled,
    featureId: text(feature?.featureId),
    issueAfterReset: String(text(metered?.issueAfterReset)),
    interval: template === null ? NEW.interval : text(metered?.usagePeriod?.interval),
    isSoftLimit: metered?.isSoftLimit ?? false,
    resetMaxRollover: String(text(metered?.resetMaxRollover)),
    metricIds: metered?.billableMetricIds ?? [],
    config: template?.type === 'static' ? JSON.stringify(template.config, null, 2) : NEW.config,
    template,
    displayUnit: price.displayUnit ?? null,
    inCurrencies: Object.keys(price.currencyPrices ?? {}).length > 0 ? price : null,
  };
}

function typedProperties(price: Price): Partial<Draft> {
  switch (price.model) {
    case 'standard':
    case 'package':
    case 'dynamic':
      return price.properties;
    case 'graduated':
    case 'volume': {
      const { tiers, includedUnits = '' } = price.properties;
      return {
        includedUnits,
        tiers: tiers.map(({ upTo, unitPrice, flatPrice }) => ({
          upTo: text(upTo),
          unitPrice,
          flatPrice: text(flatPrice),
        })),
      };
    }
    case 'percentage': {
      const { percentage, perEvent, freeEvents, ...others } = price.properties;
      return {
        ...others,
        percent: plain(decimal(percentage).times(100)),
        eachMin: text(perEvent?.min),
        eachMax: text(perEvent?.max),
        freeEvents: String(text(freeEvents)),
      };
    }
    case 'matrix': {
      const { dimensions, cells, default: others } = price.properties;
      return { dimensions, cells, others };
    }
  }
}

/** The fields that were filled in. */
const filled = (fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value.trim() ? [[name, value.trim()]] : [])));

const fractionOf = (percent: string): string => {
  try {
    return plain(decimal(percent.trim()).div(100));
  } catch {
    return percent; // no number: the server says so
  }
};

/** The rules for each event; a count that is no number is sent as it is, and the server says so. */
function eachEvent({ eachMin, eachMax, freeEvents }: Draft): Readonly<Record<string, unknown>> {
  const perEvent = filled({ min: eachMin, max: eachMax });
  const count = freeEvents.trim();
  return {
    ...(Object.keys(perEvent).length > 0 && { perEvent }),
    ...(count !== '' && { freeEvents: /^\d+$/.test(count) ? Number(count) : count }),
  };
}

/** The numbers of the chosen model. */
export function propertiesOf(draft: Draft): Readonly<Record<string, unknown>> {
  const { includedUnits, size, price, fixed, minCharge, maxCharge, multiplier } = draft;
  switch (draft.model) {
    case 'standard':
      return filled({ unitPrice: draft.unitPrice, includedUnits });
    case 'graduated':
    case 'volume':
      return {
        tiers: draft.tiers.map(({ upTo, unitPrice, flatPrice }, index) => ({
          ...filled({ unitPrice, flatPrice }),
          upTo: index === draft.tiers.length - 1 ? null : upTo.trim(),
        })),
        ...filled({ includedUnits }),
      };
    case 'package':
      return filled({ size, price, includedUnits });
    case 'percentage':
      return {
        ...filled({ percentage: fractionOf(draft.percent), fixed, minCharge, maxCharge, includedUnits }),
        ...eachEvent(draft),
      };
    case 'dynamic':
      return filled({ multiplier });
    case 'matrix':
      return {
        dimensions: draft.dimensions,
        cells: draft.cells.map(({ match, unitPrice }) => ({
          match: filled(match),
          ...filled({ unitPrice }),
        })),
        ...filled({ default: draft.others }),
      };
  }
}

export type FeatureType = 'metered' | 'static' | 'boolean';

function templateOf(draft: Draft, type: FeatureType): unknown {
  if (type === 'boolean') return { type };
  if (type === 'static') return { type, config: JSON.parse(draft.config) as unknown };
  const kept = draft.template?.type === 'metered' ? draft.template : {};
  const {
    issueAfterReset: _units,
    resetMaxRollover: _rollover,
    usagePeriod,
    ...others
  } = kept as {
    readonly issueAfterReset?: unknown;
    readonly resetMaxRollover?: unknown;
    readonly usagePeriod?: object;
  };
  return {
    ...others,
    type,
    isSoftLimit: draft.isSoftLimit,
    ...(draft.issueAfterReset && { issueAfterReset: numberOf(draft.issueAfterReset) }),
    ...(draft.resetMaxRollover && { resetMaxRollover: numberOf(draft.resetMaxRollover) }),
    ...(draft.metricIds.length > 0 && { billableMetricIds: draft.metricIds }),
    ...(draft.interval && { usagePeriod: { ...usagePeriod, interval: draft.interval } }),
  };
}

/**
 * The body of a request that makes the price, or changes one that no version has.
 * @throws SyntaxError for a configuration that is no JSON
 */
export function bodyOf(draft: Draft, featureType: FeatureType | undefined, isChange: boolean): Record<string, unknown> {
  const isFee = draft.subject === 'fee';
  const hasFilters = Object.keys(draft.groupFilters).length > 0;
  const body = {
    ...(!isChange && (isFee ? { feeId: draft.feeId } : { billableMetricId: draft.billableMetricId })),
    invoiceDisplayName: draft.invoiceDisplayName.trim(),
    model: draft.model,
    properties: propertiesOf(draft),
    paymentTerm: isFee ? draft.paymentTerm : 'in_arrears',
    billingCadence: draft.billingCadence.trim() || null,
    minimumAmount: draft.minimumAmount.trim() || null,
    maximumAmount: draft.maximumAmount.trim() || null,
    ...(draft.inCurrencies?.model === draft.model && { currencyPrices: draft.inCurrencies.currencyPrices }),
    displayUnit: canBeShownIn(draft) ? draft.displayUnit : null,
    taxRate: draft.taxRate.trim() ? numberOf(draft.taxRate.trim()) : null,
    groupFilters: !isFee && hasFilters ? draft.groupFilters : null,
    feature: featureType ? { featureId: draft.featureId, entitlementTemplate: templateOf(draft, featureType) } : null,
    ...(isFee ? { quantity: numberOf(draft.quantity.trim()) } : { grantDiscountEnabled: draft.grantDiscountEnabled }),
  };
  return isChange ? body : Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
