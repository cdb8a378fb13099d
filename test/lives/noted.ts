import { type Exact, exact, minus, plus, read, times } from '../support/exact.ts';
import { type Agreed, agreedIn } from './agreed.ts';
import { type Deed, type History, heldSpans, historiesOf, periodsOf, type Span } from './history.ts';
import { DIGITS, type Life, type NotedLine } from './life.ts';
import type { Bill } from './owed.ts';
import { billedAnew, unpaused } from './paused.ts';

/** A credit note on a line, which was not voided. */
export interface Noted extends NotedLine {
  /** The deeds until then. */
  readonly before: readonly Deed[];
}

export function notesIn(deeds: readonly Deed[]): Noted[] {
  const voided = new Set(deeds.flatMap(({ step }) => (step.do === 'voidNote' ? (step.noteId ?? []) : [])));
  return deeds.flatMap(({ step }, place) =>
    step.do === 'note' && step.noted && !voided.has(step.noted.noteId)
      ? [{ ...step.noted, before: deeds.slice(0, place) }]
      : [],
  );
}

/** The amount of a note in minor units, as its price quotes it. */
export const minorOf = ({ currency }: Pick<Life, 'currency'>, { amount }: Noted): Exact =>
  times(read(amount), exact(10n ** BigInt(DIGITS[currency])));

/** What the notes of a subscription take off what its prices owe. */
export interface Taken {
  /** Of the catalog. */
  readonly price: number;
  readonly amount: Exact;
  readonly because: string;
}

interface OfNotes {
  readonly lived: Life;
  readonly agreed: Agreed;
  readonly history: History;
  readonly notes: readonly Noted[];
  /** By the price's number in the agreed life. */
  readonly bills: readonly (readonly Bill[])[];
}

/**
 * A note is a reduction of the line that it names (commercial.md §7). Of a fee it goes with the time of the line: what
 * of it is unused later takes its share of the note with it. Of usage it is worth what it says, and less usage takes
 * the line to what the note left at most.
 */
export function takenOff({ lived, agreed, history, notes, bills }: OfNotes): {
  taken: Taken[];
  /** What lines that came to less than their notes count for a commitment. */
  excess: Bill[];
} {
  const excess: Bill[] = [];
  const own = notes.filter(({ price }) => price !== 'minimum');
  const fees = own.filter(({ price }) => lived.prices[price as number]?.metric === undefined);
  const taken = fees.map((note): Taken => {
    const share = note.from === note.to ? exact(1n) : keptOf(lived, agreed, history, note);
    const amount = times(minorOf(lived, note), share);
    const because = `note of ${note.amount} × ${share.over}/${share.under}`;
    return { price: note.price as number, amount, because };
  });
  const ofBills = Map.groupBy(
    own.filter((note) => !fees.includes(note)),
    (note) => billedBy(agreed, bills, note),
  );
  for (const [of, those] of ofBills) {
    const same = of === null ? [] : bills[of.index]?.filter(({ whole }) => whole?.from === of.from);
    const owed = (same ?? []).map(({ amount }) => amount).reduce(plus, exact(0n));
    const noted = those.map((note) => minorOf(lived, note)).reduce(plus);
    const isMore = minus(noted, owed).over > 0n;
    taken.push({
      price: those[0]?.price as number,
      amount: isMore ? owed : noted,
      because: `notes of ${those.map(({ amount }) => amount).join(' + ')} off ${owed.over}/${owed.under}`,
    });
    const [first] = same ?? [];
    if (isMore && first) excess.push({ ...first, amount: minus(noted, owed), general: exact(0n) });
  }
  return { taken, excess };
}

/** The price in its variant, and the period, that a line of usage billed. */
function billedBy({ listed }: Agreed, bills: OfNotes['bills'], { price, from }: Noted) {
  const found = bills.flatMap((all, index) => (listed[index] === price ? all.map((bill) => ({ bill, index })) : []));
  const inside = ({ from: start, to }: Span) => start <= from && from < to;
  const own =
    found.find(({ bill }) => bill.spans.some(inside)) ?? found.find(({ bill }) => bill.whole && inside(bill.whole));
  return own ? known(own.index, own.bill.whole?.from as number) : null;
}

const places = new Map<string, { readonly index: number; readonly from: number }>();
/** One object for each place, so that they can be keys. */
function known(index: number, from: number) {
  const key = `${index} ${from}`;
  const found = places.get(key) ?? { index, from };
  places.set(key, found);
  return found;
}

/** The part of the time that a line of a fee had at its note that it still has in the end. */
function keptOf(lived: Life, agreed: Agreed, history: History, note: Noted): Exact {
  const before = agreedIn(lived, historiesOf(lived, note.before, new Set()));
  const then = before.histories.find(({ sub }) => sub === history.sub);
  if (!then) return exact(0n);
  const [at, end] = [timeOf(before, then, note), timeOf(agreed, history, note)];
  return at === 0 ? exact(0n) : exact(BigInt(end), BigInt(at));
}

/**
 * The length of a line's time that a history has, on the terms that were billed: what a pause takes is credited, and
 * what follows it is another line.
 */
function timeOf({ life, listed }: Agreed, history: History, { price, from, to, quantity, issuedAt }: Noted): number {
  let total = 0;
  for (const period of periodsOf(life, history, to + 1))
    for (const [index, of] of listed.entries()) {
      if (of !== price) continue;
      for (const span of unpaused(heldSpans(life, history, period, index, Number(quantity)), history))
        for (const known of history.known?.(index, span) ?? [])
          for (const part of billedAnew(history, period, known)) {
            const overlap = Math.min(part.to, to) - Math.max(part.from, from);
            if (overlap > 0 && part.since <= issuedAt) total += overlap;
          }
    }
  return total;
}
