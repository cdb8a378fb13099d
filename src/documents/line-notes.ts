import { decimal, plain } from '../kernel/decimal.ts';
import type { DecimalText, LineWorkings, ShareOfTime } from './document.ts';
import { amount, period, quantity } from './format.ts';

/** What of a line its notes are about. */
interface Noted {
  readonly kind: 'minimum' | 'maximum' | 'other';
  readonly quantity: DecimalText;
  readonly amount: DecimalText;
  readonly workings?: LineWorkings | null | undefined;
}

/**
 * How the amount of a line came about, in sentences that a reader can check with a calculator. They stand on the
 * document and in what the API explains, and are made of what the calculation kept: nothing is computed again.
 */
export function notesOf(line: Noted, currency: string): string[] {
  const { workings } = line;
  if (!workings) return [];
  const price = (text: DecimalText): string => amount(text, currency);
  const notes: (string | null | undefined | false)[] = [
    workings.share && workings.whole && !workings.limit && `${shareText(workings.share)} of ${price(workings.whole)}`,
    workings.included && includedNote(workings.included, line.quantity),
    workings.flatShare && `Flat prices for ${shareText(workings.flatShare)}`,
    workings.packages && packagesNote(workings.packages, price),
    workings.percentage && percentageNote(workings.percentage, price),
    workings.others && othersNote(workings.others),
    workings.discount && `${quantity(workings.discount.percent)}% of ${price(workings.discount.of)}`,
    workings.limit && limitNote(line.kind, workings, price),
    workings.soFar && `${price(workings.soFar.total)} in all, less ${price(workings.soFar.before)} billed before`,
    workings.byHand && byHandNote(workings.byHand.amount, line.amount, price),
    ...(workings.rows ? rowsNotes(workings.rows, line.amount, price) : []),
    ...(workings.credit ? creditNotes(workings.credit, line.amount, price) : []),
  ];
  return notes.filter((note) => typeof note === 'string');
}

type Price = (text: DecimalText) => string;

const UNITS = [
  { seconds: 86_400, name: 'days' },
  { seconds: 3_600, name: 'hours' },
] as const;

/** `14 of 31 days`; in hours or seconds where it is no whole number of days. */
function shareText({ part, whole }: ShareOfTime): string {
  for (const { seconds, name } of UNITS) {
    const counts = [part, whole].map((text) => decimal(text).div(seconds));
    if (counts.every((count) => count.isInteger()))
      return `${counts.map((count) => quantity(plain(count))).join(' of ')} ${name}`;
  }
  return `${quantity(part)} of ${quantity(whole)} seconds`;
}

function includedNote({ units, allowance, share }: NonNullable<LineWorkings['included']>, used: DecimalText): string {
  const charged = decimal(used).minus(units);
  const note = `${quantity(units)} included, ${quantity(plain(charged))} charged`;
  return share ? `${note} (included: ${shareText(share)} of ${quantity(allowance)})` : note;
}

function packagesNote({ count, size, price }: NonNullable<LineWorkings['packages']>, shown: Price): string {
  return `${quantity(count)} ${decimal(count).eq(1) ? 'package' : 'packages'} of ${quantity(size)} at ${shown(price)}`;
}

function percentageNote(of: NonNullable<LineWorkings['percentage']>, price: Price): string {
  const fixed = of.fixed === undefined ? '' : ` + ${quantity(of.events ?? '0')} × ${price(of.fixed)}`;
  const bounds = [
    of.least === undefined ? null : `at least ${price(of.least)}`,
    of.most === undefined ? null : `at most ${price(of.most)}`,
  ].filter((bound) => bound !== null);
  return [`${quantity(of.percent)}% of ${quantity(of.of)}${fixed}`, ...bounds].join(', ');
}

const othersNote = ({ groups, more }: NonNullable<LineWorkings['others']>): string =>
  `Others: ${groups.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;

function limitNote(kind: Noted['kind'], { limit, share, whole }: LineWorkings, price: Price): string | null {
  if (!limit) return null;
  const scaled = share && whole ? ` (${shareText(share)} of ${price(whole)})` : '';
  return kind === 'maximum'
    ? `${price(limit.reached)}, limited to ${price(limit.amount)}${scaled}`
    : `Minimum ${price(limit.amount)}${scaled} less ${price(limit.reached)}`;
}

/**
 * Lines of one price share one rounding: what each comes to before it, and on the last one what they come to together.
 */
function rowsNotes({ exact, all }: NonNullable<LineWorkings['rows']>, shown: DecimalText, price: Price): string[] {
  const own = decimal(exact).eq(shown) ? [] : [`Exactly ${price(exact)}`];
  const isRounded = all && !decimal(all.exact).eq(all.amount);
  return isRounded
    ? [...own, `The ${all.count} lines of this price come to ${price(all.exact)}, rounded to ${price(all.amount)}`]
    : own;
}

/** Where the invoice was too small for all of a line. */
function byHandNote(all: DecimalText, shown: DecimalText, price: Price): string | null {
  const left = decimal(all).minus(shown);
  return left.isZero() ? null : `${price(all)} in all, of which ${price(plain(left))} is carried over`;
}

function creditNotes(credit: NonNullable<LineWorkings['credit']>, shown: DecimalText, price: Price): string[] {
  const [start, end] = [Temporal.Instant.from(credit.from), Temporal.Instant.from(credit.to)];
  const share = credit.share === null ? 'Part' : shareText(credit.share);
  const of = credit.billed === null ? 'the charge' : price(credit.billed);
  const on = credit.invoiceNumber === null ? '' : ` on ${credit.invoiceNumber}`;
  const less = decimal(credit.before).isZero() ? '' : `, less ${price(credit.before)} credited before`;
  const notes = [`${share} of ${of} billed${on} for ${period(start, end)}${less}`];
  const rest = credit.notes ?? [];
  if (rest.length === 0) return notes;
  const named = rest.map(({ number, amount: part }) => `${price(part)} on credit note ${number}`).join(', ');
  return [...notes, `${price(credit.amount)} in all: ${price(plain(decimal(shown).abs()))} here, ${named}`];
}
