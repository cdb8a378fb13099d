import type { Decimal } from '../../kernel/decimal.ts';
import { decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { invalidField, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, instantOrNull } from '../../kernel/time.ts';
import type { FrozenOutsideTax } from '../invoice/frozen-terms.ts';
import type { BoughtCredit, OneOffRecord, PrepaymentOfLine, TrueUpOfLine } from '../invoice/invoice.ts';
import type { ServiceTime } from '../invoice/service-time.ts';
import type { Workings } from '../rating/index.ts';
import { recordsOf, totalsOf } from './calculate.ts';
import type { Calculation, OtherLine } from './calculation.ts';
import { otherLine } from './line-content.ts';
import { type OutsideItem, type OutsideLine, outsideItems } from './outside-items.ts';

/**
 * The kind of a line on a one-off invoice: by hand, a bought grant or credit, a wallet top-up, a prepaid date, what is
 * missing to a commitment.
 */
export type OneOffLineType = 'manual' | 'grant' | 'credit_purchase' | 'wallet_top_up' | 'prepayment' | 'true_up';

/** A line of an invoice that bills no period. */
export interface OneOffLine {
  readonly displayName: string;
  readonly quantity: Decimal;
  /** In major units, with all its digits; below 0: a deduction. */
  readonly unitPrice: Decimal;
  readonly itemId?: string | null;
  /** Percent; counts as a price's would (domain.md §4, Tax). */
  readonly taxRate?: Decimal | null;
  readonly type: OneOffLineType;
  /** The time of the supply, where the line has one of its own. */
  readonly service?: ServiceTime | null;
  /** For an order's invoice: the subject of the line, and its amount. */
  readonly source?: { readonly key: string; readonly amount: Decimal };
  /** For a prepaid date: its commitment and its place. */
  readonly prepayment?: PrepaymentOfLine;
  /** For what is missing to a commitment: its segment, and what was spent of it. */
  readonly trueUp?: TrueUpOfLine;
}

/** The inputs of a one-off invoice beside its customer and its terms. */
export interface OneOffContent {
  /** The plan whose tax rates count, if there is one. */
  readonly planId: string | null;
  /** No line has tax; false: they have, also if the customer is exempt; absent: as customer and subscription are. */
  readonly taxExempt?: boolean;
  /** The time of the supply, where it is said. */
  readonly service?: ServiceTime | null;
  /** At least one, but for an upfront invoice: that one has its charges from its subscription. */
  readonly lines: readonly OneOffLine[];
  /** The billing credit that it buys. */
  readonly buys?: BoughtCredit;
}

/** The inputs as they are kept, so that every calculation begins with the same. */
export const recordOneOff = ({ planId, taxExempt, service: ofAll, lines, buys }: OneOffContent): OneOffRecord => ({
  planId,
  ...(buys && { buys }),
  ...(taxExempt !== undefined && { taxExempt }),
  ...(ofAll && { serviceFrom: formatInstant(ofAll.from), serviceTo: formatInstant(ofAll.to) }),
  lines: lines.map(
    ({ displayName, quantity, unitPrice, itemId, taxRate, type, service, source, prepayment, trueUp }) => ({
      displayName,
      quantity: plain(quantity),
      unitPrice: plain(unitPrice),
      itemId: itemId ?? null,
      taxRate: taxRate ? plain(taxRate) : null,
      type,
      ...(prepayment && { prepayment }),
      ...(trueUp && { trueUp }),
      ...(source && { sourceKey: source.key, amount: plain(source.amount) }),
      ...(service && { periodStart: formatInstant(service.from), periodEnd: formatInstant(service.to) }),
    }),
  ),
});

/** The type of a line that collects a debt of a reversed payment, or of a billing credit (commercial.md §3, §7). */
export const DEBT_LINE = 'reversed_payment';

/**
 * Is it a supply? A top-up of the wallet has no tax, not even one of 0 % (domain.md §4, Wallet), and neither has a debt
 * of a reversed payment.
 */
export const bearsTax = ({ type }: { readonly type: string }): boolean =>
  type !== 'wallet_top_up' && type !== DEBT_LINE;

export interface OneOffInput {
  readonly currency: string;
  readonly lines: OneOffRecord['lines'];
  /** Percent, as decimal text, by the position of the line; tax comes on top of the prices. */
  readonly taxRates: Readonly<Record<string, string>>;
  /** When the invoice was made: all four of its times. */
  readonly at: Instant;
  /** The credits of other invoices, down to a total of 0. */
  readonly credits?: readonly OtherLine[];
  /** A provider outside our database taxes the lines. */
  readonly outside?: FrozenOutsideTax | undefined;
}

/**
 * Amounts, taxes and totals of an invoice that bills no period. Pure. A line is its quantity times its unit price,
 * rounded once to the currency's minor unit; nothing is cut to make the sum fit.
 * @returns a refusal where the lines, with tax and without credits, come to less than 0.
 */
export function calculateOneOff(input: OneOffInput): Result<Calculation> {
  const { own, lines } = linesOfOneOff(input);
  const { totals, credits } = totalsOf(lines.map(toTotal), { ...input, taxBehavior: 'exclusive' });
  const isBelowZero = totals.lines.some(({ cut }, index) => !cut.isZero() && index < own.length);
  if (isBelowZero) return invalidField('lines', 'must not be less than 0');
  return ok({
    lines: lines.map((line, index) => {
      const total = totals.lines[index] as (typeof totals.lines)[number];
      return otherLine({ ...line, taxRate: total.taxRate }, total);
    }),
    subtotal: totals.subtotal,
    totalTax: totals.totalTax,
    grandTotal: totals.grandTotal,
    taxes: recordsOf(totals.taxes),
    ...(credits && { outsideCredits: credits }),
  });
}

/** The items of it that a provider is asked to tax. */
export const outsideItemsOfOneOff = (input: OneOffInput & { readonly outside: FrozenOutsideTax }): OutsideItem[] =>
  outsideItems(linesOfOneOff(input).lines.map(toTotal), input.outside, input.currency);

const toTotal = (line: OtherLine): OutsideLine => ({ ...line, priceId: line.content.priceId, type: line.content.type });

function linesOfOneOff(input: OneOffInput) {
  const own = input.lines.map((line, index) => {
    const rate = bearsTax(line) ? decimal(input.taxRates[String(index)] ?? '0') : ZERO;
    return otherLineOf(line, rate, input.currency, input.at);
  });
  return { own, lines: [...own, ...(input.credits ?? [])] };
}

/** A stored line in the form of calculations; `rate` is its rate with tax (percent). */
export const otherLineOf = (
  line: OneOffRecord['lines'][number],
  rate: Decimal,
  currency: string,
  at: Instant,
): OtherLine => ({
  amount:
    line.amount === undefined
      ? roundTo(decimal(line.quantity).times(line.unitPrice), currency, 'half-away-from-zero')
      : decimal(line.amount),
  taxRate: bearsTax(line) ? rate : null,
  content: {
    eventType: 'fee',
    lineItemType: 'charge',
    type: line.type,
    priceId: null,
    billableMetricId: null,
    feeId: null,
    itemId: line.itemId,
    displayName: line.displayName,
    metricName: '',
    metricUnit: '',
    metricDescription: '',
    quantity: decimal(line.quantity),
    unitPrice: decimal(line.unitPrice),
    discountPrice: ZERO,
    periodStart: instantOrNull(line.periodStart) ?? at,
    periodEnd: instantOrNull(line.periodEnd) ?? at,
    groupValues: null,
    tiers: null,
    workings: workingsOf(line),
    sourceKey: line.sourceKey ?? null,
  },
});

function workingsOf({ prepayment, trueUp }: OneOffRecord['lines'][number]): Workings | null {
  if (prepayment) return { prepayment };
  if (!trueUp) return null;
  const { commitmentId, segment, amount, spent, asked, before } = trueUp;
  return {
    trueUp: { commitmentId, segment },
    limit: { amount, reached: spent },
    ...(before !== '0' && { soFar: { total: plain(decimal(before).plus(asked)), before } }),
  };
}
