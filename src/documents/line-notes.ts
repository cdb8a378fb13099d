import { decimal, plain } from '../kernel/decimal.ts';
import type { Locale } from '../kernel/locale.ts';
import { roundTo } from '../kernel/money.ts';
import { type DisplayUnit, type Figures, figuresOf, priceFor, quantityIn } from '../look/index.ts';
import type { DecimalText, LineWorkings, ShareOfTime } from './document.ts';
import { DOCUMENT_WORDS, type DocumentWords } from './words.ts';

/** The part of a line that its notes describe. */
interface Noted {
  readonly kind: 'minimum' | 'maximum' | 'other';
  readonly quantity: DecimalText;
  readonly amount: DecimalText;
  readonly workings?: LineWorkings | null | undefined;
}

/** How notes are written: the words and figures of a language, and amounts of a currency. */
interface Written {
  readonly words: DocumentWords['notes'];
  readonly quantity: Figures['quantity'];
  readonly percent: Figures['percent'];
  readonly period: Figures['period'];
  readonly price: (text: DecimalText) => string;
  /** A number of its units. */
  readonly units: (text: DecimalText) => string;
}

/**
 * The calculation of a line in sentences that a reader can check with a calculator. They are on the document and in the
 * explanation of the API. They use the stored workings of the calculation: nothing is computed again.
 */
export function notesOf(line: Noted, currency: string, locale: Locale): string[] {
  const { workings } = line;
  if (!workings) return [];
  const figures = figuresOf(locale);
  const written: Written = {
    ...figures,
    words: DOCUMENT_WORDS[locale].notes,
    price: (text) => figures.amount(text, currency),
    units: (text) => unitsIn(text, workings.display, figures),
  };
  const { words, price } = written;
  const { share, whole, discount, soFar } = workings;
  const notes: (string | null | undefined | false)[] = [
    workings.list && words.listPrice(price(priceFor(workings.list.unitPrice, workings.display?.per ?? 1))),
    share && whole && !workings.limit && words.shareOf(shareText(share, written), price(whole)),
    workings.included && includedNote(workings.included, line.quantity, written),
    workings.flatShare && words.flat(shareText(workings.flatShare, written)),
    workings.packages && packagesNote(workings.packages, written),
    workings.percentage && percentageNote(workings.percentage, written),
    workings.others && words.others(workings.others.groups.join('; '), workings.others.more),
    discount && words.percentOf(written.percent(discount.percent), price(discount.of)),
    workings.limit && limitNote(line.kind, workings, written),
    soFar && words.soFar(price(soFar.total), price(soFar.before)),
    workings.byHand && byHandNote(workings.byHand.amount, line.amount, written),
    ...(workings.rows ? rowsNotes(workings.rows, line.amount, currency, written) : []),
    ...(workings.credit ? creditNotes(workings.credit, line.amount, written) : []),
  ];
  return notes.filter((note) => typeof note === 'string');
}

/** `12.4 × 1M tokens`; of one unit the number alone. */
const unitsIn = (text: DecimalText, display: DisplayUnit | undefined, { quantity }: Figures): string =>
  display ? `${quantity(quantityIn(text, display))}\u00a0× ${display.name}` : quantity(text);

const UNITS = [
  { seconds: 86_400, name: 'days' },
  { seconds: 3_600, name: 'hours' },
] as const;

/** `14 of 31 days`; in hours or seconds where it is no whole number of days. */
function shareText({ part, whole }: ShareOfTime, { words, quantity }: Written): string {
  for (const { seconds, name } of UNITS) {
    const [ofPart, ofWhole] = [decimal(part).div(seconds), decimal(whole).div(seconds)];
    if (ofPart.isInteger() && ofWhole.isInteger())
      return words.time[name](quantity(plain(ofPart)), quantity(plain(ofWhole)));
  }
  return words.time.seconds(quantity(part), quantity(whole));
}

function includedNote(
  { units, allowance, share }: NonNullable<LineWorkings['included']>,
  used: DecimalText,
  written: Written,
): string {
  const { words, units: counted } = written;
  const charged = decimal(used).minus(units);
  const note = words.included(counted(units), counted(plain(charged)));
  return share ? `${note} (${words.includedShare(shareText(share, written), counted(allowance))})` : note;
}

const packagesNote = (
  { count, size, price }: NonNullable<LineWorkings['packages']>,
  { words, quantity, price: shown }: Written,
): string => words.packages(quantity(count), decimal(count).eq(1), quantity(size), shown(price));

function percentageNote(
  of: NonNullable<LineWorkings['percentage']>,
  { words, quantity, percent, price }: Written,
): string {
  const within = ({ least, most }: { readonly least?: DecimalText; readonly most?: DecimalText }) => [
    ...(least === undefined ? [] : [words.least(price(least))]),
    ...(most === undefined ? [] : [words.most(price(most))]),
  ];
  const { each } = of;
  if (each) {
    const fixed = of.fixed === undefined ? '' : ` + ${price(of.fixed)}`;
    const free = each.free === undefined ? [] : [words.freeEvents(quantity(each.free), decimal(each.free).eq(1))];
    const one = [`${words.ofEach(percent(of.percent))}${fixed}`, ...within(each), ...free].join(', ');
    return [one, ...within(of)].join('; ');
  }
  const fixed = of.fixed === undefined ? '' : ` + ${quantity(of.events ?? '0')} × ${price(of.fixed)}`;
  return [`${words.percentOf(percent(of.percent), quantity(of.of))}${fixed}`, ...within(of)].join(', ');
}

function limitNote(kind: Noted['kind'], { limit, share, whole }: LineWorkings, written: Written): string | null {
  if (!limit) return null;
  const { words, price } = written;
  const scaled = share && whole ? ` (${words.shareOf(shareText(share, written), price(whole))})` : '';
  return kind === 'maximum'
    ? `${words.maximum(price(limit.reached), price(limit.amount))}${scaled}`
    : words.minimum(`${price(limit.amount)}${scaled}`, price(limit.reached));
}

/**
 * Lines of one price share one rounding: the exact amount of a line that is not rounded by itself, and on the last one
 * the sum.
 */
function rowsNotes(
  { exact, all }: NonNullable<LineWorkings['rows']>,
  shown: DecimalText,
  currency: string,
  { words, price }: Written,
): string[] {
  const isOwn = roundTo(decimal(exact), currency, 'half-away-from-zero').eq(shown);
  const own = isOwn ? [] : [words.exactly(price(exact))];
  const isRounded = all && !decimal(all.exact).eq(all.amount);
  return isRounded ? [...own, words.rounded(all.count, price(all.exact), price(all.amount))] : own;
}

/** The note of a line that was reduced because the invoice was too small. */
function byHandNote(all: DecimalText, shown: DecimalText, { words, price }: Written): string | null {
  const left = decimal(all).minus(shown);
  return left.isZero() ? null : words.carried(price(all), price(plain(left)));
}

function creditNotes(credit: NonNullable<LineWorkings['credit']>, shown: DecimalText, written: Written): string[] {
  const { words, price, period } = written;
  const note = words.credit({
    share: credit.share === null ? words.part : shareText(credit.share, written),
    of: credit.billed === null ? words.theCharge : price(credit.billed),
    number: credit.invoiceNumber,
    period: period(Temporal.Instant.from(credit.from), Temporal.Instant.from(credit.to)),
    before: decimal(credit.before).isZero() ? null : price(credit.before),
  });
  const notes = credit.notes ?? [];
  if (notes.length === 0) return [note];
  const named = notes.map(({ number, amount: part }) => words.onNote(price(part), number)).join(', ');
  return [note, words.creditInAll(price(credit.amount), price(plain(decimal(shown).abs())), named)];
}
