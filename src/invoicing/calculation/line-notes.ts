import type { Tx } from '../../db/index.ts';
import { notesOf } from '../../documents/index.ts';
import { plain } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import { formatMoney } from '../../kernel/money.ts';
import { selectNotesOfCredits } from '../credit-notes/unused-credits.sql.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';

/** The facts of an invoice that the notes of its lines depend on. */
export interface LineContext {
  readonly currency: string;
  readonly terms: Pick<FrozenTerms, 'taxBehavior'> | null;
}

/** The kinds of lines that are limits; a commitment is the minimum of a period, a true-up of a term. */
const KINDS: Readonly<Record<string, 'minimum' | 'maximum'>> = {
  minimum: 'minimum',
  commitment: 'minimum',
  true_up: 'minimum',
  maximum: 'maximum',
};

/** The calculation of a line in sentences: the same on the document and in the explanation. */
export const notesOfLine = (line: LineRow, { currency, terms }: LineContext, locale: Locale): string[] =>
  notesOf(
    {
      kind: KINDS[line.type] ?? 'other',
      quantity: plain(line.quantity),
      amount: formatMoney(terms?.taxBehavior === 'inclusive' ? line.totalAmount : line.totalPrice, currency),
      workings: line.workings,
    },
    currency,
    locale,
  );

/** The lines of an invoice. Credits of unused time name the credit notes over their excess. */
export async function linesWithCredits(tx: Tx, invoice: InvoiceRow): Promise<LineRow[]> {
  const lines = await selectLines(tx, invoice.id);
  return withCreditNotes(tx, invoice, lines);
}

/** Lines as `linesWithCredits` has them. */
export async function withCreditNotes(tx: Tx, invoice: InvoiceRow, lines: readonly LineRow[]): Promise<LineRow[]> {
  const credits = lines.flatMap(({ workings }) => workings?.credit?.id ?? []);
  if (credits.length === 0) return [...lines];
  const notes = Map.groupBy(await selectNotesOfCredits(tx, credits), ({ creditId }) => creditId);
  return lines.map((line) => {
    const credit = line.workings?.credit;
    const found = credit && notes.get(credit.id);
    if (!found) return line;
    const named = found.map(({ number, amount }) => ({ number, amount: formatMoney(amount, invoice.currency) }));
    return { ...line, workings: { ...line.workings, credit: { ...credit, notes: named } } };
  });
}

type Ordered = Pick<LineRow, 'id' | 'appliesToLineId' | 'periodStart' | 'subscriptionId'>;

/** Each line, and directly behind it what takes something off it. */
function withParts<Line extends Ordered>(lines: readonly Line[]): Line[] {
  const ids = new Set(lines.map(({ id }) => id));
  const parts = Map.groupBy(lines, ({ appliesToLineId: of }) => (of !== null && ids.has(of) ? of : null));
  const following = (line: Line): Line[] => [line, ...(parts.get(line.id) ?? []).flatMap(following)];
  return (parts.get(null) ?? []).flatMap(following);
}

/**
 * The lines as a reader expects them: by the beginning of their time, each with its discounts, coupons and billing
 * credits behind it. Lines of one time stay in the order of the calculation, those of an invoice by hand in the order
 * that they were sent in, and those of a grouped invoice in the order of its sections.
 */
export const inOrderOfTime = <Line extends Ordered>(
  { kind }: Pick<InvoiceRow, 'kind'>,
  lines: readonly Line[],
): Line[] => {
  if (kind === 'ad_hoc') return [...lines];
  const sections = [...Map.groupBy(lines, ({ subscriptionId = null }) => subscriptionId).values()];
  return sections.flatMap((own) =>
    withParts(own.toSorted((a, b) => Temporal.Instant.compare(a.periodStart, b.periodStart))),
  );
};
