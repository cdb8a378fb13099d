import { Decimal, decimalOf, ONE, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { averagePrice, digitsProblem, roundTo } from '../../kernel/money.ts';
import { type FieldError, invalidField, ok, type Result } from '../../kernel/result.ts';
import { DEBT_LINE } from '../calculation/one-off-lines.ts';
import type { PartCreditBody } from '../credit-notes/schemas.ts';
import { type AmountWithTax, type Behavior, quoted } from '../difference/billed.ts';
import type { CreditNoteLine, CreditNoteLineRow } from '../invoice/credit-note.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { partOfLeft, upTo } from './note-credits.ts';

/** The part of a line that a person credits: units of it, or an amount as its price quotes it. */
type AskedPart = PartCreditBody['lines'][number];

/** An invoice with the facts that limit credit notes over its lines. */
export interface CreditedInvoice {
  readonly lines: readonly LineRow[];
  /** The lines of the credit notes of people in force. */
  readonly noted: readonly CreditNoteLineRow[];
  /** What is left of that which a line bills together with others; null: only the line itself says it. */
  leftOf(line: LineRow): AmountWithTax | null;
  readonly behavior: Behavior;
  readonly currency: string;
  /** May prepayments be credited? Only where their commitment ends. */
  readonly creditsPrepayments?: boolean;
}

/** Lines that are no charge: they take something off one, or give back what others billed. */
const NO_CHARGES: ReadonlySet<string> = new Set(['credit', 'adjustment', 'maximum', 'grants', DEBT_LINE]);

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
    parts.push(part);
  }
  return ok(parts);
}

/** What a line and the lines that apply to it bill, the notes on it, and what those leave. */
function leftOfLine({ lines, noted, leftOf, behavior }: CreditedInvoice, line: LineRow) {
  const together = lines.filter(({ id, appliesToLineId }) => id === line.id || appliesToLineId === line.id);
  const earlier = noted.filter(({ appliesToLineId }) => appliesToLineId === line.id);
  const billed = { net: sum(together.map((each) => each.totalPrice)), tax: sum(together.map((each) => each.totalTax)) };
  const own = {
    net: billed.net.minus(sum(earlier.map(({ amount }) => amount))),
    tax: billed.tax.minus(sum(earlier.map(({ taxAmount }) => taxAmount))),
  };
  const shared = leftOf(line);
  const left = shared && quoted(shared, behavior).lt(quoted(own, behavior)) ? shared : own;
  return { billed, earlier, left, most: quoted(left, behavior) };
}

function partOfLine(
  invoice: CreditedInvoice,
  line: LineRow,
  asked: AskedPart,
  at: string,
): CreditNoteLine | FieldError {
  const { behavior, currency } = invoice;
  const { billed, earlier, left, most } = leftOfLine(invoice, line);
  if (asked.amount !== undefined) {
    const amount = decimalOf(asked.amount);
    const field = `${at}.amount`;
    if (!roundTo(amount, currency, 'half-away-from-zero').eq(amount))
      return { field, message: digitsProblem(currency) };
    if (amount.gt(most)) return { field, message: tooMuch(most) };
    const isWhole = amount.eq(quoted(billed, behavior));
    if (UNDIVIDED.has(line.type) && !isWhole) return { field, message: 'must be all of the line' };
    return noteLine(line, partOfLeft(left, amount, behavior, currency), { units: ONE, amount, isAmount: true });
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
  if (amount.gt(most)) return { field, message: `comes to ${plain(amount)}; ${plain(most)} is left of the line` };
  if (amount.lte(0)) return { field, message: 'must come to more than 0' };
  return noteLine(line, partOfLeft(left, amount, behavior, currency), { units, amount, isAmount: false });
}

/**
 * A line of a credit note on a replaced invoice, for that line of the invoice in its place: the same part, but no more
 * than is left of that line and of the invoice. Null: nothing is. Pure.
 * @param room what is left of the invoice, with tax
 */
export function partAgain(
  invoice: CreditedInvoice,
  line: LineRow,
  noted: CreditNoteLineRow,
  room: Decimal,
): CreditNoteLine | null {
  const { behavior, currency } = invoice;
  const { left, most } = leftOfLine(invoice, line);
  const was = { net: noted.amount, tax: noted.taxAmount };
  const amount = Decimal.min(quoted(was, behavior), most);
  if (amount.lte(0)) return null;
  const isSame = amount.lt(most) && noted.taxRate.eq(line.taxRate) && was.tax.lte(left.tax);
  const part = upTo(isSame ? was : partOfLeft(left, amount, behavior, currency), room, currency);
  const isWhole = quoted(part, behavior).eq(quoted(was, behavior));
  const units = isWhole ? noted.quantity : ONE;
  return noteLine(line, part, { units, amount: quoted(part, behavior), isAmount: noted.isAmount || !isWhole });
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
