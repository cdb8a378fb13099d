import { type Decimal, sum } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { figuresOf, pluralOf, TERMS } from '../look/index.ts';
import { type Html, html } from './html.ts';
import { FRAME_WORDS } from './words.ts';

/** A line of a bill. */
export interface PageLine {
  /** `part` reduces or adds to the line before it; `whole` is about the bill as a whole. */
  readonly kind: 'fee' | 'usage' | 'part' | 'whole';
  readonly description: string;
  readonly amount: Decimal;
  /** The values of the dimensions by which usage was billed apart; null where events had none. */
  readonly group?: Readonly<Record<string, string | null>> | null;
  /** `1,200 tokens × €3.00 per 1,000,000`. */
  readonly calculation?: string | null;
  /** What explains the amount beside that. */
  readonly notes?: readonly string[];
}

/** A row below the lines: a sum, a tax, what was paid. */
export interface PageTotal {
  readonly label: string;
  readonly amount: Decimal;
  readonly isStrong?: boolean;
}

/** What is paid for, as every page shows it. The lines, and the rows below them up to the total, add up. */
export interface PageBill {
  readonly currency: string;
  readonly lines: readonly PageLine[];
  /** Of a grouped invoice: the sum of each of its sections. They are no rows that add up with the others. */
  readonly sections?: readonly PageTotal[];
  /** The subtotal, each tax, and the total; empty where nothing is known of taxes. */
  readonly totals: readonly PageTotal[];
  /** The days that all lines are about; absent where they differ. */
  readonly period?: string | null;
  /** The sentences about its taxes. */
  readonly notes?: readonly string[];
}

const LINES_SHOWN = 12;
/** A shorter list is shown whole, so that a fold always hides several lines. */
const FOLDS_FROM = 16;

/**
 * The lines of a bill, fees first, and its totals below them. A long list is folded, and the fold says what the hidden
 * lines come to. Taxes and totals are never folded.
 * @param further rows below the total, such as what is left to pay
 */
export function billTable(locale: Locale, bill: PageBill, further: readonly PageTotal[] = []): Html {
  const { money } = figuresOf(locale);
  const { currency, notes = [] } = bill;
  const words = FRAME_WORDS[locale];
  const lines = feesFirst(bill.lines);
  const shown = lines.length < FOLDS_FROM ? lines : lines.slice(0, LINES_SHOWN);
  const folded = lines.slice(shown.length);
  const rowsOf = (some: readonly PageLine[]) =>
    some.map(
      (line) =>
        html`<tr><th scope="row"${line.kind === 'part' ? html` class="part"` : null}><span dir="auto">${line.description}</span>${detailsOf(line)}</th><td>${money(line.amount, currency)}</td></tr>\n`,
    );
  const totalRow = ({ label, amount, isStrong }: PageTotal) =>
    html`<tr${isStrong === true ? html` class="strong"` : null}><th scope="row">${label}</th><td>${money(amount, currency)}</td></tr>\n`;
  const { sections = [] } = bill;
  const fold =
    folded.length === 0
      ? null
      : html`<details><summary><span>${`${folded.length} ${pluralOf(locale, folded.length, words.moreLines)}`}</span> <span class="figure">${money(sum(folded.map(({ amount }) => amount)), currency)}</span></summary><table>
<caption class="unseen">${words.otherLines}</caption><tbody>${rowsOf(folded)}</tbody></table></details>`;
  return html`${bill.period == null ? null : html`<p class="soft">${bill.period}</p>`}<table>
<caption class="unseen">${words.whatYouPayFor}</caption><tbody>${rowsOf(shown)}</tbody></table>
${fold}${
  sections.length === 0
    ? null
    : html`<table class="totals"><caption class="unseen">${TERMS[locale].subtotal}</caption><tbody>${sections.map(totalRow)}</tbody></table>\n`
}<table class="totals"><caption class="unseen">${words.inAll}</caption><tbody>${[...bill.totals, ...further].map(totalRow)}</tbody></table>
${notes.map((note) => html`<p class="note" dir="auto">${note}</p>`)}`;
}

const RANKS = { fee: 0, usage: 1, part: 1, whole: 2 } as const;

/** Fees before usage, and what is about the bill as a whole at its end; a part stays behind its line. */
function feesFirst(lines: readonly PageLine[]): PageLine[] {
  const stacks: PageLine[][] = [];
  for (const line of lines) {
    const before = line.kind === 'part' ? stacks.at(-1) : undefined;
    if (before) before.push(line);
    else stacks.push([line]);
  }
  const rankOf = ([first]: readonly PageLine[]): number => RANKS[(first as PageLine).kind];
  return stacks.toSorted((one, other) => rankOf(one) - rankOf(other)).flat();
}

function detailsOf({ group, calculation, notes = [] }: PageLine): Html[] {
  const dimensions = Object.entries(group ?? {}).map(([name, value]) => `${name}: ${value ?? '–'}`);
  return [
    ...(dimensions.length === 0 ? [] : [dimensions.join(' · ')]),
    ...(calculation ? [calculation] : []),
    ...notes,
  ].map((text) => html`<span class="note" dir="auto">${text}</span>`);
}
