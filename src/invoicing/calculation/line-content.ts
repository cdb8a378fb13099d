import { Decimal, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTogether } from '../../kernel/money.ts';
import type { DueCharge } from '../difference/due.ts';
import { groupKey } from '../invoice/billed-usage.ts';
import type { TierRecord } from '../invoice/invoice-line.ts';
import type { OwedCharge } from '../owed/charges.ts';
import type { DiscountLine } from '../owed/discounts.ts';
import { displayUnitOf, limitsOf, type RatedLine, shortened, shortText } from '../rating/index.ts';
import type { BilledPrice } from '../terms/billing-terms.ts';
import type { CalculatedLine, CalculationInput, DraftLine, Line, OtherLine, RatedDue } from './calculation.ts';
import { type AtOnePrice, atOnePrice } from './one-price.ts';
import { listPrices, rateOf } from './rate-usage.ts';
import type { TotalLine } from './totals.ts';

/** A manual line, a credit or a stored correction as a draft of a line. */
export const otherDraft = (line: OtherLine): DraftLine => ({
  amount: line.amount,
  taxRate: line.taxRate,
  ...(line.cutTurn && { cutTurn: line.cutTurn }),
  ...(line.tax && { tax: line.tax }),
  ...(line.mostCut && { mostCut: line.mostCut }),
  appliesTo: null,
  priceId: line.content.priceId,
  type: line.content.type,
  id: line.id,
  stored: (total) => otherLine({ ...line, taxRate: total.taxRate ?? line.taxRate }, total),
});

/** A line that takes something off another one: it has the dates, the price and the metric of that. */
export const underLine = (made: DraftLine, line: DraftLine): DraftLine => ({
  ...made,
  appliesTo: line,
  priceId: line.priceId,
  stored: (total) => {
    const { priceId, billableMetricId, feeId, itemId, metricName, metricDescription, periodStart, periodEnd } =
      line.stored(total);
    const own = { priceId, billableMetricId, feeId, itemId, metricName, metricDescription, periodStart, periodEnd };
    return { ...made.stored(total), ...own };
  },
});

/** A line of no price, with a quantity of one. */
export const PLAIN_LINE = {
  eventType: 'fee',
  lineItemType: 'charge',
  priceId: null,
  billableMetricId: null,
  feeId: null,
  itemId: null,
  metricName: '',
  metricUnit: '',
  metricDescription: '',
  quantity: ONE,
  discountPrice: ZERO,
  groupValues: null,
  tiers: null,
  sourceKey: null,
} as const;

/** The rated lines of a charge and their discounts as drafts, which receive their tax with the totals. */
export function asDrafts(
  input: CalculationInput,
  { charge, before, late }: DueCharge,
  lines: readonly Line[],
  { hasRebate, total: all }: Pick<RatedDue, 'hasRebate' | 'total'>,
): DraftLine[] {
  const drafts: DraftLine[] = [];
  const listed = listPrices(input, charge, late?.usage ?? input.usage);
  const isKept = (late !== undefined || before !== undefined) && !hasRebate;
  const isLower = isKept && all.lt(0); // a change made the time shorter for which a maximum holds
  const isBack = ({ kind, totalPrice }: Line): boolean =>
    (kind === 'charge' || kind === 'minimum' || (kind === 'maximum' && isLower)) && totalPrice.lt(0);
  // Of a part of a period a coupon may take more than its charge: it took too little of the parts before it.
  const isMore = isLower && !lines.some(isBack);
  for (const [place, line] of lines.entries()) {
    const isOfLate = late !== undefined && line.kind === 'charge';
    const takesBack = isBack(line);
    const given = sum(lines.flatMap((each) => (isDiscount(each) && each.chargeAt === place ? each.totalPrice : [])));
    drafts.push({
      amount: line.totalPrice,
      taxRate: rateOf(input, charge.price),
      ...(takesBack && (isKept ? { cutTurn: 'credit', cut: 'credited' } : { cutTurn: 'rebate', cut: 'lost' })),
      ...(isMore && line.kind === 'coupon' && { cutTurn: 'credit', cut: 'credited', mostCut: all.negated() }),
      ...(takesBack && given.gt(0) && { mostCut: Decimal.max(ZERO, line.totalPrice.plus(given).negated()) }),
      appliesTo: isDiscount(line) ? (drafts[line.chargeAt] as DraftLine) : null, // the charges come first
      priceId: charge.price.id,
      type: line.kind,
      ...(isOfLate && !isDiscount(line) && { limits: limitsOf(line.workings) }),
      ...(isOfLate && takesBack && line.kind === 'charge' && { told: toldBy(input, charge.price, line, lines) }),
      stored: (total) => ({
        ...withListPrice(storedLine(input, charge, line, total), listed),
        ...(isOfLate && {
          type: 'late_usage',
          displayName: `${charge.price.invoiceDisplayName}: ${takesBack ? CORRECTION : 'late usage'}`,
        }),
      }),
    });
  }
  return drafts;
}

/** A charge of an agreed price says what the catalog asks. */
function withListPrice(line: CalculatedLine, listed: ReadonlyMap<string, Decimal>): CalculatedLine {
  const unitPrice = line.type === 'charge' ? listed.get(groupKey(line.groupValues ?? {})) : undefined;
  return unitPrice ? { ...line, workings: { ...line.workings, list: { unitPrice: plain(unitPrice) } } } : line;
}

/** What a line does that takes usage back, and the credit note beside it. */
export const CORRECTION = 'correction of usage';

/** The units of a charge at one price. A correction of a closed period says them already, or an amount. */
function toldBy(
  { currency }: CalculationInput,
  price: BilledPrice,
  line: Line,
  all: readonly Line[],
): AtOnePrice | null {
  return saidAsAmount(line)
    ? null
    : atOnePrice(price, [line, ...all.filter(({ kind }) => kind !== 'charge')], currency);
}

const saidAsAmount = (line: Line): boolean => !isDiscount(line) && line.workings?.takenBack?.isAmount === true;

/** An amount of some units that no price tells: the price of one. */
export const asAmount = (amount: Decimal, units: Decimal) =>
  ({
    quantity: ONE,
    unitPrice: amount,
    tiers: null,
    metricUnit: '',
    workings: { takenBack: { units: plain(units), noted: '0', isAmount: true } },
  }) as const;

/** Is a line the discount on another line? */
export const isDiscount = (line: Line): line is DiscountLine => line.kind === 'adjustment' || line.kind === 'coupon';

function storedLine(
  input: CalculationInput,
  { price, period }: OwedCharge,
  line: RatedLine,
  { net, tax, gross, taxRate }: TotalLine,
): CalculatedLine {
  const { metric, fee } = price;
  const hasUnits = line.kind === 'charge' || line.kind === 'grants';
  const display = hasUnits && !saidAsAmount(line) ? displayUnitOf(price) : null;
  return {
    eventType: line.eventType,
    lineItemType: line.lineItemType,
    type: line.kind,
    priceId: price.id,
    billableMetricId: metric?.id ?? null,
    feeId: fee?.id ?? null,
    itemId: metric?.itemId ?? fee?.itemId ?? null,
    displayName: displayName(price, line),
    metricName: metric?.name ?? fee?.name ?? '',
    metricUnit: hasUnits && !saidAsAmount(line) ? (metric?.unit ?? '') : '',
    metricDescription: metric?.description ?? fee?.description ?? '',
    quantity: hasUnits ? line.quantity : ONE,
    unitPrice: hasUnits ? line.unitPrice : line.totalPrice,
    totalPrice: net,
    discountPrice: line.eventType === 'discount' ? Decimal.max(ZERO, net.negated()) : ZERO,
    taxRate: input.outside ? (taxRate ?? ZERO) : rateOf(input, price),
    totalTax: tax,
    totalAmount: gross,
    periodStart: period.start,
    periodEnd: period.end,
    groupValues: line.group === null ? null : { ...line.group },
    tiers: line.tiers === null ? null : tierRecords(line.tiers, input.currency),
    workings: display ? { ...line.workings, display } : (line.workings ?? null),
    sourceKey: null,
  };
}

/** A line that no price makes, as it is stored. */
export const otherLine = (
  { content, taxRate }: OtherLine,
  { net, tax, gross }: Pick<TotalLine, 'net' | 'tax' | 'gross'>,
): CalculatedLine => ({
  ...content,
  totalPrice: net,
  taxRate: taxRate ?? ZERO,
  totalTax: tax,
  totalAmount: gross,
});

/** The name of a line: of its price, with the limit that the line adds. */
const displayName = (price: BilledPrice, line: RatedLine): string => {
  if (line.kind === 'coupon' && isDiscount(line)) return `${price.invoiceDisplayName}: ${line.by.description}`;
  if (isDiscount(line)) return line.by.description || `${price.invoiceDisplayName}: discount`;
  if (line.kind === 'grants') return `${price.invoiceDisplayName}: covered by grants`;
  if (line.kind === 'minimum') return `${price.invoiceDisplayName}: minimum`;
  if (line.kind === 'maximum') return `${price.invoiceDisplayName}: maximum`;
  return price.invoiceDisplayName;
};

/**
 * The amount of each tier, with no more digits than it needs: an exact amount stays exact. If one has no end (a part of
 * a period), all are rounded to the currency, so that they sum to their line.
 */
function tierRecords(tiers: NonNullable<RatedLine['tiers']>, currency: string): TierRecord[] {
  const exact = tiers.map(({ amount }) => amount);
  const isShort = exact.every((amount) => shortened(amount).eq(amount));
  const amounts = isShort ? exact : roundTogether(exact, currency, 'half-away-from-zero');
  return tiers.map((tier, index) => ({
    above: plain(tier.above),
    upTo: tier.upTo === null ? null : plain(tier.upTo),
    quantity: shortText(tier.quantity),
    unitPrice: plain(tier.unitPrice),
    flatPrice: shortText(tier.flatPrice),
    amount: plain(amounts[index] as Decimal),
  }));
}
