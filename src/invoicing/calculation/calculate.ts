import { Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import type { FrozenCredits, FrozenOutsideTax, OutsideTaxAnswer } from '../invoice/frozen-terms.ts';
import type { TaxRecord } from '../invoice/invoice.ts';
import type { CalculatedLine, Calculation, CalculationInput, DraftLine } from './calculation.ts';
import { commitmentDrafts, type DraftsOfDue } from './commitment-lines.ts';
import { couponDrafts } from './coupon-lines.ts';
import {
  asAlone,
  type BeforeCredits,
  creditUseDrafts,
  type OpenSpending,
  spendingsOfInvoice,
  usesOf,
  withoutExcess,
} from './credit-use-lines.ts';
import { draftsOf } from './due-lines.ts';
import { asAmount, otherDraft } from './line-content.ts';
import { inTwo } from './one-price.ts';
import { type OutsideItem, type OutsideLine, outsideItems, outsideTaxes } from './outside-items.ts';
import { type InvoiceTotals, invoiceTotals, type TotalLine } from './totals.ts';
import { trueUpDrafts } from './true-up-lines.ts';

/**
 * Rates, limits, taxes and totals an invoice of charges (domain.md §2, §4). Pure: the preview of an open period, the
 * calculation of a closed one and the recomputation by an auditor are this one function.
 */
export function calculate(input: CalculationInput): Calculation {
  const [calculation] = calculateTogether([input]);
  return calculation as Calculation;
}

/**
 * The same of some invoices that are one document (docs/decisions/0246): their tax is rounded over all of it, and what
 * one has to its credit pays the charges of another. Each has the taxes of the document.
 * @param inputs in one currency, with one tax behavior; several only with our own rates
 */
export function calculateTogether(inputs: readonly CalculationInput[]): Calculation[] {
  const all = calculated(
    inputs,
    inputs.map(({ billingCredits }) => billingCredits),
  );
  const overdrawn = overdrawnBy(inputs, all);
  if (overdrawn.size === 0) return all;
  const most = inputs.map((input) => asAlone(input.billingCredits, overdrawn, ownUses(input, calculate(input))));
  return calculated(
    inputs.map((input, place) => ({ ...input, billingCredits: most[place] })),
    most,
  );
}

/**
 * Credits of which the lines of some invoices take more than is left, because the tax is rounded over all of them: what
 * one took alone was off what was left for the next.
 */
function overdrawnBy(inputs: readonly CalculationInput[], calculations: readonly Calculation[]): ReadonlySet<string> {
  const left = new Map<string, Decimal>();
  const taken = new Map<string, Decimal>();
  for (const [place, input] of inputs.entries()) {
    if (inputs.length === 1 || input.billingCredits === undefined) continue;
    const { lines } = calculations[place] as Calculation;
    const [own, all] = [ownUses(input, { lines }), usesOf(lines)];
    for (const { id, left: had } of input.billingCredits.held) {
      const back = (own.get(id) ?? ZERO).minus(all.get(id) ?? ZERO); // beside its charges; it may pay them again
      left.set(id, Decimal.max(left.get(id) ?? ZERO, decimal(had).minus(back)));
    }
    for (const [id, used] of all) taken.set(id, (taken.get(id) ?? ZERO).plus(used));
  }
  return new Set([...left].flatMap(([id, most]) => (taken.get(id)?.gt(most) ? id : [])));
}

/** @param had the credits of each before anything was taken from them because of rounding */
function calculated(inputs: readonly CalculationInput[], had: readonly (FrozenCredits | undefined)[]): Calculation[] {
  const [first] = inputs;
  if (!first) return [];
  const { currency } = first;
  const each = inputs.map((input) => ({ input, drafts: allDrafts(input) }));
  const { totals, credits } = totalsOf(
    each.flatMap(({ drafts }) => drafts),
    first,
  );
  let before = 0;
  const totalled = each.map(({ input, drafts }) => {
    const lines = drafts.map((draft, index) => withCut(draft, totals.lines[before + index] as TotalLine, currency));
    before += drafts.length;
    return { input, drafts, lines };
  });
  const less = totalled.map(({ input, lines }, place) => {
    return withoutExcess(input.billingCredits, had[place], ownUses(input, { lines }));
  });
  if (less.some((credit) => credit !== null))
    return calculated(
      inputs.map((input, place) => ({ ...input, billingCredits: less[place] ?? input.billingCredits })),
      had,
    );
  return totalled.map(({ drafts, lines }) => ({
    lines,
    appliesTo: drafts.map(({ appliesTo }) => (appliesTo === null ? null : drafts.indexOf(appliesTo))),
    ids: drafts.map(({ id }) => id ?? null),
    subtotal: sum(lines.map(({ totalPrice }) => totalPrice)),
    totalTax: sum(lines.map(({ totalTax }) => totalTax)),
    grandTotal: sum(lines.map(({ totalAmount }) => totalAmount)),
    taxes: recordsOf(totals.taxes),
    ...(credits && { outsideCredits: credits }),
  }));
}

/** What the charges of an invoice take of credits: what stands beside them is in what was left already. */
const ownUses = ({ others = [] }: CalculationInput, { lines }: Pick<Calculation, 'lines'>) =>
  usesOf(lines.slice(0, lines.length - others.length));

/** The calculations of some invoices as the one document that they are. */
export function asOne(calculations: readonly Calculation[]): Calculation {
  const total = (of: (calculation: Calculation) => Calculation['subtotal']) => sum(calculations.map(of));
  return {
    lines: calculations.flatMap(({ lines }) => lines),
    subtotal: total(({ subtotal }) => subtotal),
    totalTax: total(({ totalTax }) => totalTax),
    grandTotal: total(({ grandTotal }) => grandTotal),
    taxes: calculations[0]?.taxes ?? [],
  };
}

/** The items of an invoice that a provider is asked to tax. */
export const outsideItemsOf = (input: CalculationInput & { readonly outside: FrozenOutsideTax }): OutsideItem[] =>
  outsideItems(allDrafts(input), input.outside, input.currency);

/** The taxes of an invoice as they are stored. */
export const recordsOf = (taxes: InvoiceTotals['taxes']): TaxRecord[] =>
  taxes.map(({ rate, base, amount }) => ({ rate: plain(rate), base: plain(base), amount: plain(amount) }));

/**
 * The totals of lines: by our rates, or with the taxes of a provider. Lines that take back what was billed keep the tax
 * that was billed, also with a provider; what they come to is told it by itself.
 */
export function totalsOf(
  lines: readonly OutsideLine[],
  { outside, taxBehavior, currency }: Pick<CalculationInput, 'outside' | 'taxBehavior' | 'currency'>,
): { totals: InvoiceTotals; credits?: NonNullable<OutsideTaxAnswer['credits']> | undefined } {
  if (!outside) return { totals: invoiceTotals(lines, taxBehavior, currency) };
  const taxed = outsideTaxes(lines, outside, outside.answer, currency);
  const after = lines.map((line, place) => ({ ...line, ...taxed[place] }));
  const { lines: totalled, ...totals } = invoiceTotals(after, taxBehavior, currency);
  const own = totalled.map((line, place) => {
    const before = lines[place] as OutsideLine;
    return { ...line, cut: before.amount.minus(line.amount) };
  });
  const credited = own.filter((_, place) => taxed[place] === null && lines[place]?.taxRate !== null);
  const [net, tax] = [sum(credited.map((line) => line.net)), sum(credited.map((line) => line.tax))];
  const credits = net.isZero() && tax.isZero() ? undefined : { net: plain(net), tax: plain(tax) };
  return { totals: { ...totals, lines: own }, credits };
}

/** What an invoice would spend of billing credits: what they may pay of it, each part by its own time. */
export const openSpendings = (input: CalculationInput): OpenSpending[] =>
  spendingsOfInvoice(input, beforeCredits(input).before);

/** The lines before billing credits, in the groups of an invoice. */
function beforeCredits(input: CalculationInput) {
  const charges = input.charges.map((due) => ({ due, drafts: draftsOf(input, due) }));
  const isLate = ({ due }: DraftsOfDue): boolean => due.late !== undefined;
  const minimums = (input.commitments ?? []).map((commitment) => {
    const { isLate, period } = commitment;
    return { isLate, start: period.start, drafts: commitmentDrafts(input, commitment, charges) };
  });
  const ofMinimums = (late: boolean): DraftLine[] =>
    minimums.filter((each) => each.isLate === late).flatMap(({ drafts }) => drafts);
  const coupons = couponDrafts(input, charges, minimums);
  const trueUps = trueUpDrafts(input);
  const before: BeforeCredits = {
    charges,
    minimums: { own: [...ofMinimums(false), ...trueUps], late: ofMinimums(true) },
    coupons: [...coupons.own, ...coupons.late],
  };
  const ofCharges = (late: boolean): DraftLine[] =>
    charges.filter((each) => isLate(each) === late).flatMap(({ drafts }) => drafts);
  return {
    before,
    own: [...ofCharges(false), ...before.minimums.own, ...coupons.own],
    late: [...ofCharges(true), ...before.minimums.late, ...coupons.late],
  };
}

/** All lines before totals. */
function allDrafts(input: CalculationInput): DraftLine[] {
  const { before, own, late } = beforeCredits(input);
  const uses = creditUseDrafts(input, before);
  return [...own, ...uses.own, ...late, ...uses.late, ...(input.others ?? []).map(otherDraft)];
}

/** A line stores the amount that a total of 0 cut off it: it is credited in another way, or lost. */
function withCut(draft: DraftLine, total: TotalLine, currency: string): CalculatedLine {
  const line = draft.stored(total);
  const { cut } = total;
  if (cut.isZero() || draft.cut === undefined) return line;
  if (draft.cut === 'lost') return { ...line, workings: { ...line.workings, lost: plain(cut) } };
  const part = partOf(draft, line, total, currency);
  return { ...line, ...part, workings: { ...line.workings, ...part.workings, cut: plain(cut) } };
}

/**
 * A line that bears a part of a correction: the units of the part at their price, else its amount. A charge of the
 * period itself says all of its units, whatever it comes to.
 */
function partOf(
  { told, type }: DraftLine,
  { quantity, workings }: CalculatedLine,
  { amount, cut }: TotalLine,
  currency: string,
): Partial<CalculatedLine> {
  if (told === undefined) return type === 'credit' || type === 'coupon' ? { unitPrice: amount } : {};
  const parts = inTwo(told, amount.plus(cut), amount, currency);
  if (parts === null) return asAmount(amount, decimal(workings?.takenBack?.units ?? quantity));
  const { part, rest } = parts;
  const takenBack = { units: plain(quantity), noted: plain(rest.units) };
  return { quantity: part.units, unitPrice: part.unitPrice, workings: { takenBack } };
}
