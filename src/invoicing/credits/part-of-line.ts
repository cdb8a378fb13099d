import { Decimal, decimalOf, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { averagePrice, digitsProblem, roundTo } from '../../kernel/money.ts';
import { type FieldError, invalidField, ok, type Result } from '../../kernel/result.ts';
import { DEBT_LINE } from '../calculation/one-off-lines.ts';
import type { PartCreditBody } from '../credit-notes/schemas.ts';
import { type AmountWithTax, type Behavior, less, negated, quoted, sumWithTax } from '../difference/billed.ts';
import type { CreditNoteLine, CreditNoteLineRow } from '../invoice/credit-note.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { notedBy, partOfLeft, upTo } from './note-credits.ts';

/** The part of a line that a person credits: units of it, or an amount as its price quotes it. */
type AskedPart = PartCreditBody['lines'][number];

/** An invoice with the facts that limit credit notes over its lines. */
export interface CreditedInvoice {
  readonly lines: readonly LineRow[];
  /** The lines of the credit notes of people in force. */
  readonly noted: readonly CreditNoteLineRow[];
  /** What is left of that which a line bills together with others; null: only the line itself says it. */
  leftOf(line: LineRow): AmountWithTax | null;
  /** What a billing credit still pays by a line of its own, before tax; null: only the line itself says it. */
  usedBy(line: LineRow): Decimal | null;
  readonly behavior: Behavior;
  readonly currency: string;
  /** May prepayments be credited? Only where their commitment ends. */
  readonly creditsPrepayments?: boolean;
}

/** Lines that are no charge: they take something off one, or give back what others billed. */
const NO_CHARGES: ReadonlySet<string> = new Set([
  ...['credit', 'adjustment', 'maximum', 'grants', 'billing_credit', DEBT_LINE],
]);

/** The lines of a credit note over parts of some lines. Pure. */
export function partsOfLines(invoice: CreditedInvoice, asked: readonly AskedPart[]): Result<CreditNoteLine[]> {
  const parts: CreditNoteLine[] = [];
  for (const [index, each] of asked.entries()) {
    const at = `lines.${index}`;
    const isSecond = asked.findIndex(({ lineItemId }) => lineItemId === each.lineItemId) < index;
    if (isSecond) return invalidField(`${at}.lineItemId`, 'must be named once');
    const line = invoice.lines.find(({ id }) => id === each.lineItemId);
    if ((each.quantity === undefined) === (each.amount === undefined))
      return invalidField(`${at}.amount`, 'must be set, or quantity, and not both');
    if (!line) return invalidField(`${at}.lineItemId`, 'must be a line of this invoice');
    if (NO_CHARGES.has(line.type) || line.totalAmount.lte(0))
      return invalidField(`${at}.lineItemId`, 'must be a charge; credit the charge that this line belongs to');
    if (line.type === 'prepayment' && !invoice.creditsPrepayments)
      return invalidField(`${at}.lineItemId`, 'must not be a prepayment: refund its invoice');
    const part = partOfLine(invoice, line, each, at);
    if ('message' in part) return invalidField(part.field, part.message);
    parts.push(...part);
  }
  return ok(parts);
}

/** A line by which a billing credit pays a charge, with what is left of it. */
interface Use extends AmountWithTax {
  readonly line: LineRow;
}

/**
 * What a line and its discounts bill, the notes on it, and what those leave: what billing credits pay of it, the last
 * one first, and the money.
 */
function leftOfLine({ lines, noted, leftOf, usedBy, behavior, currency }: CreditedInvoice, line: LineRow) {
  const together = lines.filter(({ id, appliesToLineId }) => id === line.id || appliesToLineId === line.id);
  const notesOn = (some: readonly LineRow[]) =>
    noted.filter(({ appliesToLineId }) => some.some(({ id }) => id === appliesToLineId));
  const paying = together.filter(({ type }) => type === 'billing_credit');
  const charges = together.filter((each) => !paying.includes(each));
  const own = less(billedBy(together), notedBy(notesOn(together)));
  const shared = leftOf(line);
  const left = shared?.net.lt(own.net) ? shared : own;
  const uses = paying.toReversed().map((use): Use => {
    const whole = less(notedBy(notesOn([use])), billedBy([use]));
    const net = Decimal.min(whole.net, usedBy(use) ?? whole.net);
    return { line: use, ...partOfLeft(whole, net, 'exclusive', currency) };
  });
  return { billed: billedBy(charges), earlier: notesOn(charges), left, uses, most: quoted(left, behavior) };
}

const billedBy = (lines: readonly LineRow[]): AmountWithTax =>
  sumWithTax(lines.map(({ totalPrice, totalTax }) => ({ net: totalPrice, tax: totalTax })));

function partOfLine(
  invoice: CreditedInvoice,
  line: LineRow,
  asked: AskedPart,
  at: string,
): CreditNoteLine[] | FieldError {
  const { behavior, currency } = invoice;
  const { billed, earlier, left, uses, most } = leftOfLine(invoice, line);
  if (asked.amount !== undefined) {
    const amount = decimalOf(asked.amount);
    const field = `${at}.amount`;
    if (!roundTo(amount, currency, 'half-away-from-zero').eq(amount))
      return { field, message: digitsProblem(currency) };
    if (amount.gt(most)) return { field, message: tooMuch(most) };
    const isWhole = amount.eq(quoted(billed, behavior));
    if (UNDIVIDED.has(line.type) && !isWhole) return { field, message: 'must be all of the line' };
    return [noteLine(line, partOfLeft(left, amount, behavior, currency), { units: ONE, amount, isAmount: true })];
  }
  const units = decimalOf(asked.quantity as NonNullable<AskedPart['quantity']>);
  const before = sum(earlier.filter(({ isAmount }) => !isAmount).map(({ quantity }) => quantity));
  const field = `${at}.quantity`;
  const unitsLeft = line.quantity.minus(before);
  if (units.gt(unitsLeft)) return { field, message: tooMuch(unitsLeft) };
  if (UNDIVIDED.has(line.type) && !units.eq(line.quantity)) return { field, message: 'must be all of the line' };
  // The parts of a line sum to it, whatever they are rounded to.
  const upTo = (of: Decimal) =>
    roundTo(quoted(billed, behavior).times(of).div(line.quantity), currency, 'half-away-from-zero');
  const amount = upTo(before.plus(units)).minus(upTo(before));
  const used = sum(uses.map((use) => quoted(use, behavior)));
  const all = most.plus(used);
  if (amount.gt(all)) return { field, message: `comes to ${plain(amount)}; ${plain(all)} is left of the line` };
  if (amount.lte(0)) return { field, message: 'must come to more than 0' };
  // The credits' share of what is left, so that the last part gives back the rest.
  const back = roundTo(used.times(amount).div(all), currency, 'half-away-from-zero');
  const money = partOfLeft(left, amount.minus(back), behavior, currency);
  return withUses(line, money, { uses: usesBack(uses, back, invoice), units, isAmount: false }, behavior);
}

/** The parts of what credits pay that come to an amount as the price quotes it: the last use goes back first. */
function usesBack(uses: readonly Use[], amount: Decimal, { behavior, currency }: CreditedInvoice): Use[] {
  let open = amount;
  return uses.flatMap((use): Use[] => {
    const part = Decimal.min(open, quoted(use, behavior));
    open = open.minus(part);
    return part.lte(0) ? [] : [{ line: use.line, ...partOfLeft(use, part, behavior, currency) }];
  });
}

/** The part of a charge, of which some is money and some goes back to billing credits, by lines below 0. */
function withUses(
  line: LineRow,
  money: AmountWithTax,
  part: { readonly uses: readonly Use[]; readonly units: Decimal; readonly isAmount: boolean },
  behavior: Behavior,
): CreditNoteLine[] {
  const back = part.uses.map(({ line: use, ...given }) => ({ use, given: negated(given) }));
  const charge = back.reduce((whole, { given }) => less(whole, given), money);
  return [
    noteLine(line, charge, { ...part, amount: quoted(charge, behavior) }),
    ...back.map(({ use, given }) =>
      noteLine(use, given, { units: ONE, amount: quoted(given, behavior), isAmount: true }),
    ),
  ];
}

/**
 * The lines of a credit note on a replaced invoice over one charge, for the line of the invoice in its place: the same
 * part, but no more than is left of that line and of the invoice. None: nothing is. Pure.
 * @param noted of the charge first, then of the billing credits that had a part back
 * @param room what is left of the invoice, with tax
 */
export function partAgain(
  invoice: CreditedInvoice,
  line: LineRow,
  noted: readonly [CreditNoteLineRow, ...CreditNoteLineRow[]],
  room: Decimal,
): CreditNoteLine[] {
  const { behavior, currency } = invoice;
  const { left, uses, most } = leftOfLine(invoice, line);
  const [first, ...backs] = noted;
  const was = notedBy(noted);
  const amount = Decimal.min(quoted(was, behavior), most);
  const isSame = amount.lt(most) && first.taxRate.eq(line.taxRate) && was.tax.lte(left.tax);
  const money = upTo(isSame ? was : partOfLeft(left, amount, behavior, currency), room, currency);
  const given = usesBack(uses, quoted(notedBy(backs), behavior).negated(), invoice);
  const whole = sum([money, ...given].map((part) => quoted(part, behavior)));
  if (whole.lte(0)) return [];
  const isWhole = whole.eq(quoted(notedBy([first]), behavior));
  const shown = { units: isWhole ? first.quantity : ONE, isAmount: first.isAmount || !isWhole };
  return withUses(line, money, { uses: given, ...shown }, behavior);
}

/** Lines of what is there whole or not at all. */
const UNDIVIDED: ReadonlySet<string> = new Set(['wallet_top_up', 'credit_purchase']);

const tooMuch = (most: Decimal): string =>
  `must be at most ${plain(most.lt(0) ? ZERO : most)}, which is left of the line`;

function noteLine(
  line: LineRow,
  { net, tax }: AmountWithTax,
  { units, amount, isAmount }: { readonly units: Decimal; readonly amount: Decimal; readonly isAmount: boolean },
): CreditNoteLine {
  const isAtPrice = !isAmount && units.times(line.unitPrice).eq(amount);
  return {
    appliesTo: line.id,
    ...{ priceId: line.priceId, displayName: line.displayName, taxRate: line.taxRate },
    ...{ quantity: units, unitPrice: isAtPrice ? line.unitPrice : averagePrice(amount, units), isAmount },
    ...{ amount: net, taxAmount: tax, periodStart: line.periodStart, periodEnd: line.periodEnd },
  };
}
