import { type Exact, exact, isAbove, minus, most, nearest, plus, read, times } from '../support/exact.ts';
import type { Resource } from '../support/shop.ts';
import type { Lived } from './drive.ts';
import type { Dice } from './generate.ts';
import { historiesOf } from './history.ts';
import { DAY, DIGITS, type Life, type Of, type Step, secondsOf } from './life.ts';

/** The same life with prepaid commitments beside some of its subscriptions. */
export function withPrepaid(life: Life, dice: Dice): Life {
  let now = 0;
  let made = 0;
  const amount = (units: number) =>
    life.currency === 'JPY' ? String(units) : (units + dice.between(0, 99) / 100).toFixed(2);
  const prepay = (sub: string): Step => {
    const parts = dice.of(1, 1, 2, 3);
    const isWhole = parts === 1 && dice.once(2);
    let at = isWhole ? -DAY : now + dice.of(0, 0, -5, 3, 20) * DAY + dice.of(0, 0, 3_600);
    const bounds = [at];
    for (let part = 0; part < parts; part += 1) {
      at += isWhole ? 3_000 * DAY : dice.between(20, 60) * DAY;
      bounds.push(at);
    }
    const amounts = Array.from({ length: parts }, () => amount(dice.of(20, 300, 3_000)));
    made += 1;
    return {
      do: 'prepay',
      sub,
      bounds,
      amounts,
      ...(dice.once(3) && { dates: amounts.map(() => now + dice.between(-5, 90) * DAY) }),
      ...(dice.once(3) && { isOnPayment: true }),
      ...(dice.once(3) && { rollover: { fraction: dice.of('0.5', '0.333', '1'), days: dice.between(1, 15) } }),
      onEnd: dice.of('owed', 'prorated', 'prorated', 'waived'),
      ...(dice.once(4) && dice.some(life.prices)),
    };
  };
  const steps = life.steps.flatMap((step): Step[] => {
    if (step.do === 'advance') now = step.to;
    if (step.do === 'subscribe' && dice.once(2)) return [step, prepay(step.sub)];
    if (step.do === 'advance' && made > 0 && dice.once(8)) return [step, { do: 'endPrepaid', at: dice.between(0, 3) }];
    return [step];
  });
  return { ...life, steps };
}

/** A prepaid commitment that was made, with what its end should be by the deeds. */
interface Made {
  readonly step: Of<'prepay'>;
  readonly commitment: Resource;
  /** When it ended before its term; null: it did not. */
  readonly early: number | null;
}

/**
 * What must hold of prepaid commitments (commercial.md §4): the money that their dates ask is the money of their
 * segments, as far as they lasted; what makes the billing credits is that money; and each credit has the window of its
 * segment, or of its rollover. That credits pay nothing outside their window is `creditsPay`.
 */
export function prepaidIsAsked(life: Life, lived: Lived): string[] {
  const histories = historiesOf(life, lived.deeds, lived.neverActive);
  const lastNow = Math.max(...lived.deeds.map(({ at }) => at));
  return lived.prepaid.flatMap(({ step, commitment, endedAt }): string[] => {
    if (lived.neverActive.has(step.sub)) return [];
    const history = histories.find(({ sub }) => sub === step.sub);
    const ended = history && history.endedAt !== null ? history.end : null; // also where it was told to later
    const ends = [ended, endedAt].filter((at) => at !== null);
    const end = ends.length > 0 ? Math.min(...ends) : null;
    const early = end !== null && end < (step.bounds.at(-1) as number) ? end : null;
    const made: Made = { step, commitment, early };
    const said = commitment.endedAt === null ? null : secondsOf(life, commitment.endedAt);
    return [
      ...(said === early ? [] : [`prepaid: ${commitment.name} ended at ${said}, and should at ${early}`]),
      ...moneyOf(life, lived, made, lastNow),
      ...creditsOf(life, lived, made),
      ...paidWhole(life, lived, made),
    ].map((fault) => `${fault} (${JSON.stringify(step)})`);
  });
}

const sum = (all: readonly Exact[]): Exact => all.reduce(plus, exact(0n));
const minorOf =
  (life: Life) =>
  (text: string): Exact => {
    const amount = times(read(text.replace('-', '')), exact(10n ** BigInt(DIGITS[life.currency])));
    return text.startsWith('-') ? minus(exact(0n), amount) : amount;
  };
const equal = (one: Exact, other: Exact): boolean => minus(one, other).over === 0n;
const shown = ({ over, under }: Exact): string => `${over}${under === 1n ? '' : `/${under}`}`;

/** The amounts of segments as far as a prorated commitment lasted. */
function lasted(life: Life, { step: { bounds, amounts }, early }: Made): Exact[] {
  return amounts.map((text, place) => {
    const amount = minorOf(life)(text);
    const [start, end] = [bounds[place] as number, bounds[place + 1] as number];
    if (early === null || end <= early) return amount;
    const over = BigInt(Math.max(0, early - start));
    return exact(nearest(times(amount, exact(over, BigInt(end - start)))));
  });
}

const linesOf = (lived: Lived, { commitment }: Made): { line: Resource; invoice: Resource }[] =>
  lived.invoices.flatMap((invoice) =>
    (invoice.lines as Resource[])
      .filter(({ type, commitmentId }) => type === 'prepayment' && commitmentId === commitment.id)
      .map((line) => ({ line, invoice })),
  );

/** What credit notes over parts took off the lines of dates. */
const notedOf = (life: Life, lived: Lived, ids: ReadonlySet<string>): Exact =>
  sum(
    lived.notes
      .filter(({ kind, status }) => kind === 'partial' && status !== 'VOIDED')
      .flatMap(({ lines }) => lines as Resource[])
      .filter(({ appliesToLineId }) => ids.has(appliesToLineId))
      .map(({ amount }) => minorOf(life)(amount)),
  );

const isGivenBack = ({ notes }: Lived, { id, status }: Resource): boolean =>
  status === 'CANCELLED' ||
  notes.some((note) => note.invoiceId === id && note.kind === 'refund' && note.status !== 'VOIDED');

function moneyOf(life: Life, lived: Lived, made: Made, lastNow: number): string[] {
  const { step, commitment, early } = made;
  const minor = minorOf(life);
  const lines = linesOf(lived, made);
  const agreed = step.amounts.map((text, place) => ({
    at: (step.dates ?? step.bounds)[place] as number,
    amount: minor(text),
  }));
  const horizon = early !== null && step.onEnd === 'owed' ? Number.POSITIVE_INFINITY : lastNow;
  const isAsked = ({ at }: { at: number }) => at <= horizon && (early === null || step.onEnd === 'owed' || at < early);
  // The end may find the invoice of its own instant issued, or not made yet.
  const isOfEnd = ({ at, amount }: { at: number; amount: Exact }) =>
    at === early && lines.some(({ line }) => equal(minor(line.totalPrice), amount));
  const isProrated = early !== null && step.onEnd === 'prorated';
  const target = sum(lasted(life, made));
  const ofDates = sum(agreed.filter((each) => isAsked(each) || isOfEnd(each)).map(({ amount }) => amount));
  const is = sum(lines.map(({ line }) => minor(line.totalPrice)));
  // A draft that the end found is cancelled, and what is asked then stands for it.
  const should = isProrated ? most(ofDates, target) : ofDates;
  const name = `prepaid: ${commitment.name}`;
  if (!equal(is, should)) return [`${name} asked ${shown(is)}, and should ask ${shown(should)}`];
  if (!isProrated || lines.some(({ invoice }) => isGivenBack(lived, invoice))) return [];
  const kept = minus(is, notedOf(life, lived, new Set(lines.map(({ line }) => line.id))));
  const used = sum(ownCredits(lived, made).map(({ usedAmount }) => minor(usedAmount)));
  const isBelow = isAbove(target, kept) || isAbove(used, kept);
  const isMuch = isAbove(kept, target) && isAbove(target, used);
  return isBelow || (isMuch && lived.notes.every(({ kind }) => kind === 'partial'))
    ? [`${name} kept ${shown(kept)} of ${shown(is)}; ${shown(target)} is over and ${shown(used)} is used`]
    : [];
}

const ownCredits = ({ credits }: Lived, { commitment }: Made): readonly Resource[] =>
  credits.filter(({ commitmentId }) => commitmentId === commitment.id);

function creditsOf(life: Life, lived: Lived, made: Made): string[] {
  const { step, commitment, early } = made;
  const minor = minorOf(life);
  const at = (time: string) => secondsOf(life, time);
  const name = `prepaid: ${commitment.name}`;
  const wrong: string[] = [];
  const isProrated = early !== null && step.onEnd === 'prorated';
  const sums = { own: step.amounts.map(() => exact(0n)), rolled: step.amounts.map(() => exact(0n)) };
  const used = step.amounts.map(() => exact(0n));
  const given = linesOf(lived, made).filter(({ invoice }) => isGivenBack(lived, invoice));
  const undone = new Set(given.map(({ invoice }) => invoice.id));
  for (const credit of ownCredits(lived, made)) {
    const { effectiveAt, expiresAt, category, source, amount } = credit;
    const [from, until] = [at(effectiveAt), at(expiresAt)];
    if (category !== 'paid' || source !== 'commitment')
      wrong.push(`${name} made a credit that is ${category} ${source}`);
    const segment = step.bounds.findIndex(
      (bound, place) =>
        place < step.amounts.length &&
        bound === from &&
        (until === step.bounds[place + 1] || (isProrated && until === early)),
    );
    const rolled = step.bounds.findIndex(
      (bound, place) => place > 0 && bound === from && step.rollover && until === from + step.rollover.days * DAY,
    );
    if (segment === -1 && rolled === -1) wrong.push(`${name} made a credit of ${effectiveAt}/${expiresAt}`);
    if (segment === -1 && rolled === -1) continue;
    const isUndone = undone.has(credit.invoiceId) || (credit.voidedAt !== null && minor(credit.usedAmount).over === 0n);
    const place = segment === -1 ? rolled - 1 : segment;
    const of = segment === -1 ? sums.rolled : sums.own;
    used[place] = plus(used[place] as Exact, minor(credit.usedAmount));
    if (!isUndone) of[place] = plus(of[place] as Exact, minor(amount));
  }
  for (const [place, text] of step.amounts.entries()) {
    const whole = minor(text);
    const [own, rolled, paid] = [sums.own[place], sums.rolled[place], used[place]] as [Exact, Exact, Exact];
    if (isAbove(own, whole)) wrong.push(`${name} made credits of ${shown(own)} for a segment of ${text}`);
    if (isAbove(paid, whole)) wrong.push(`${name} paid ${shown(paid)} with a segment of ${text}`);
    const share = times(whole, read(step.rollover?.fraction ?? '0'));
    if (isAbove(rolled, plus(share, exact(BigInt(step.amounts.length)))))
      wrong.push(`${name} carried ${shown(rolled)} over of a segment of ${text}`);
  }
  return wrong;
}

/** One that is there before everything, for everything and for all of the life, pays everything as far as it goes. */
function paidWhole(life: Life, lived: Lived, made: Made): string[] {
  const { step, commitment } = made;
  const { invoices, notes, credits, neverActive, subscriptionIds, prepaid, deeds } = lived;
  const minor = minorOf(life);
  const isWhole = step.bounds.length === 2 && (step.bounds[0] as number) < 0 && !step.prices && !step.dates;
  const isAlone = prepaid.length === 1 && credits.every(({ commitmentId }) => commitmentId === commitment.id);
  const isCut = step.isOnPayment === true || deeds.some(({ step: { do: what } }) => what === 'endPrepaid');
  if (!isWhole || !isAlone || isCut || step.onEnd === 'prorated' || neverActive.size > 0 || notes.length > 0) return [];
  const start = deeds.findIndex((deed) => deed.step === step);
  const before = deeds.slice(0, start).some(({ step: { do: what } }) => what !== 'subscribe' && what !== 'payer');
  const own = invoices.filter(({ subscriptionId }) => subscriptionId === subscriptionIds.get(step.sub));
  const takesBack = ({ totalPrice, type }: Resource) =>
    ['credit', 'manual', 'prepaid'].includes(type) ||
    (!['billing_credit', 'coupon', 'adjustment'].includes(type) && totalPrice.startsWith('-'));
  const billed = own.filter(({ lines }) => lines.every(({ type }: Resource) => type !== 'prepayment'));
  const isOdd = own.some(({ status, kind }) => !ISSUED.has(status) || kind === 'upfront');
  if (before || isOdd || billed.some(({ lines }) => lines.some(takesBack))) return [];
  const lines = billed.flatMap((invoice) => invoice.lines as Resource[]);
  const charged = sum(lines.filter(({ type }) => !NO_CHARGES.has(type)).map(({ totalPrice }) => minor(totalPrice)));
  const used = sum(lines.filter(({ type }) => type === 'billing_credit').map(({ totalPrice }) => minor(totalPrice)));
  const amount = minor(step.amounts[0] as string);
  const should = isAbove(charged, amount) ? amount : charged;
  return equal(minus(exact(0n), used), should)
    ? []
    : [`prepaid: ${commitment.name} of ${shown(amount)} paid ${shown(used)} of ${shown(charged)}`];
}

const ISSUED = new Set(['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF']);
/** What no billing credit pays. */
const NO_CHARGES: ReadonlySet<string> = new Set(['billing_credit', 'reversed_payment']);
