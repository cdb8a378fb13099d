import { type Exact, exact, minus, plus, read, times } from '../support/exact.ts';
import type { Resource } from '../support/shop.ts';
import type { Lived } from './drive.ts';
import type { Dice } from './generate.ts';
import { DAY, DIGITS, type Life, type Of, type Step, secondsOf } from './life.ts';
import type { Owed } from './owed.ts';

/** The same life with billing credits at random places of it. */
export function withCredits(life: Life, dice: Dice): Life {
  const steps: Step[] = [];
  const subs: string[] = [];
  let now = 0;
  const isAlone = dice.once(3); // one credit for everything, before there is anything to pay
  const amount = (units: number) =>
    life.currency === 'JPY' ? String(units) : (units + dice.between(0, 99) / 100).toFixed(2);
  const credit = (): Step => ({
    do: 'credit',
    amount: amount(dice.of(5, 30, 200, 1_000)),
    ...(dice.once(3) && { from: now + dice.of(-20, -3, 4, 15) * DAY }),
    ...(dice.once(3) && { days: dice.of(25, 40, 80) }),
    ...(dice.once(4) && dice.some(life.prices)),
    ...(dice.once(3) && { isPaid: true }),
    ...(dice.once(3) && { priority: dice.of(-1, 1) }),
    ...(dice.once(5)
      ? { isOfPayer: true as const }
      : subs.length > 0 && dice.once(4) && { sub: dice.of(...(subs as [string, ...string[]])) }),
  });
  if (isAlone || dice.once(2)) steps.push({ do: 'credit', amount: amount(dice.of(30, 200, 1_000, 20_000)) });
  for (const step of life.steps) {
    if (!isAlone && dice.once(8)) steps.push(dice.once(6) ? { do: 'voidCredit', at: dice.between(0, 3) } : credit());
    if (step.do === 'advance') now = step.to;
    if (step.do === 'subscribe') subs.push(step.sub);
    steps.push(step);
  }
  return { ...life, steps };
}

/** The same life with billing credits that are bought at random places of it. */
export function withBought(life: Life, dice: Dice): Life {
  const amount = () => String(dice.of(5, 40, 300, 2_000));
  const credit = (): Step => ({
    ...{ do: 'credit', amount: amount(), isBought: true },
    ...(dice.once(3) && { days: dice.of(10, 40, 80) }),
  });
  const steps = life.steps.flatMap((step) => (dice.once(7) ? [step, credit()] : [step]));
  return { ...life, steps: [...steps, credit()] };
}

const ISSUED = new Set(['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF']);

/** The name of the price that a line of a credit pays, or of which it gives back. */
function priceOf(line: Resource, { lines }: Resource): string | null {
  const of = lines.find(({ id }: Resource) => id === line.appliesToLineId) ?? line;
  return /^p\d+(?=$|:)/.exec(of.invoiceDisplayName)?.[0] ?? null;
}

/**
 * What credits pay by the lines of invoices, each use; of one credit at most what it has. More is on lines only where
 * the void of a credit note made an invoice stand again whose credit was used elsewhere: that is a debt.
 */
function usesOf(life: Life, lived: Lived) {
  const unit = exact(10n ** BigInt(DIGITS[life.currency]));
  const minor = (text: string): bigint => {
    const { over, under } = times(read(text.replace('-', '')), unit);
    return text.startsWith('-') ? -over / under : over / under;
  };
  const refunded = new Set(
    lived.notes
      .filter(({ kind, status }) => ['refund', 'reissue'].includes(kind) && status !== 'VOIDED')
      .map(({ invoiceId }) => invoiceId),
  );
  const standing = lived.invoices.filter(({ id, status }) => ISSUED.has(status) && !refunded.has(id));
  const parts = lived.notes.filter(({ kind, status }) => ['credit', 'partial'].includes(kind) && status !== 'VOIDED');
  /** What credit notes gave back of a line, without or with its tax; 0 or below. */
  const backOf = ({ id }: Resource, figure: 'amount' | 'total'): bigint =>
    parts
      .flatMap(({ lines }) => lines as Resource[])
      .filter(({ appliesToLineId }) => appliesToLineId === id)
      .reduce((total, line) => total + minor(line[figure]), 0n);
  const uses = standing.flatMap((invoice) =>
    invoice.lines
      .filter(({ type }: Resource) => type === 'billing_credit')
      .map((line: Resource) => ({
        ...{ invoice, line },
        amount: -minor(line.totalPrice) + backOf(line, 'amount'),
        gross: -minor(line.totalAmount) + backOf(line, 'total'),
      })),
  );
  const sum = (all: readonly { readonly amount: bigint }[]) => all.reduce((total, { amount }) => total + amount, 0n);
  const isVoided = lived.notes.some(({ status }) => status === 'VOIDED');
  const paidBy = (credit: Resource) => {
    const own = uses.filter(({ line }) => line.billingCreditId === credit.id);
    const used = sum(own);
    // Of a commitment, what went on or back is not there any more, which the credit does not say: its uses do.
    const isOff = credit.source === 'commitment' && isVoided && used > minor(credit.usedAmount);
    const most = isOff ? minor(credit.usedAmount) : minor(credit.amount);
    const has = refunded.has(credit.invoiceId) ? 0n : most;
    return { own, used, missing: used > has ? used - has : 0n };
  };
  return { uses, paidBy, minor };
}

/** What is owed because credits that had it back had paid something else when an invoice stood again. */
export function missingOfCredits(life: Life, lived: Lived): bigint {
  const { paidBy } = usesOf(life, lived);
  return lived.credits.reduce((total, credit) => total + paidBy(credit).missing, 0n);
}

/**
 * What must hold of billing credits (commercial.md §3): what they say that they paid is on invoices, never more than
 * they had, and never more than the charges owe in the end. Each pays service of its time, of the prices that it is
 * for. One that is for everything pays everything, as far as it goes.
 */
export function creditsPay(life: Life, lived: Lived, owed: readonly Owed[]): string[] {
  const { uses, paidBy, minor } = usesOf(life, lived);
  const isVoided = lived.notes.some(({ status }) => status === 'VOIDED');
  const wrong: string[] = [];
  for (const credit of lived.credits) {
    const name = `credits: ${credit.name} of ${credit.amount}`;
    const { own, used, missing } = paidBy(credit);
    const amount = minor(credit.amount);
    if (used - missing !== minor(credit.usedAmount))
      wrong.push(`${name} says ${credit.usedAmount} used; lines say ${used}`);
    if (used < 0n || (missing > 0n && !isVoided))
      wrong.push(
        `${name} paid ${used}: ${own.map(({ invoice, line, amount: of }) => `${of} ${line.invoiceDisplayName} ${line.periodStart} on ${invoice.kind} ${invoice.periodEnd} ${invoice.issuedAt} ${invoice.status}`).join('; ')}`,
      );
    const fields = ['remaining', 'usedAmount', 'pendingAmount', 'expiredAmount', 'voidedAmount'] as const;
    const all = fields.reduce((total, part) => total + minor(credit[part]), 0n);
    if (all !== amount) wrong.push(`${name} comes to ${fields.map((part) => `${part} ${credit[part]}`).join(', ')}`);
    wrong.push(
      ...own.flatMap(({ line, invoice }) => outside(life, lived, credit, line, invoice)).map((why) => `${name} ${why}`),
    );
  }
  return [
    ...wrong,
    ...aboveOwed(life, lived, owed, uses),
    ...leftOver(life, lived, uses, minor),
    ...givenBackByNotes(life, lived, minor),
  ];
}

/**
 * A credit note by quantity gives to the credits their share of the units that it takes (commercial.md §7), where
 * nothing had given back anything of the invoice before.
 */
function givenBackByNotes({ taxBehavior }: Life, { deeds, notes, invoices }: Lived, minor: (text: string) => bigint) {
  const isBack = (line: Resource) => line.type === 'billing_credit' && minorIsBack(line);
  const quoted = (lines: readonly Resource[], net: string, gross: string) =>
    lines.reduce((sum, line) => sum - minor(line[taxBehavior === 'inclusive' ? gross : net]), 0n);
  return deeds.flatMap(({ step }) => {
    const units = step.do === 'note' ? step.noted?.units : undefined;
    const note = units && notes.find(({ id }) => id === (step as Of<'note'>).noted?.noteId);
    const noted = note?.lines[0].appliesToLineId;
    const invoice = note && invoices.find(({ lines }) => lines.some(({ id }: Resource) => id === noted));
    const isAlone = notes.filter(({ invoiceId }) => invoiceId === note?.invoiceId).length === 1;
    if (!invoice || !isAlone || invoices.some(({ lines }) => lines.some(isBack))) return [];
    const { id, quantity } = invoice.lines.find((line: Resource) => line.id === noted);
    const uses = invoice.lines.filter(
      (line: Resource) => line.type === 'billing_credit' && line.appliesToLineId === id,
    );
    const should = times(
      times(exact(quoted(uses, 'totalPrice', 'totalAmount')), read(units)),
      invert(read(String(quantity))),
    );
    const is = quoted(note.lines.slice(1), 'amount', 'total');
    const off = minus(should, exact(is)); // of a half unit the credit or the money bears the rounding
    return 2n * (off.over < 0n ? -off.over : off.over) <= off.under
      ? []
      : [`credits: a note of ${units} of ${quantity} gave back ${is} of ${uses.length} uses`];
  });
}

const invert = ({ over, under }: Exact): Exact => exact(under, over);

/** Does a use lie outside the window of its credit, or pay what it is not for, or for whom? */
function outside(life: Life, lived: Lived, credit: Resource, line: Resource, invoice: Resource): string[] {
  if (minorIsBack(line)) return [];
  const at = (time: string) => secondsOf(life, time);
  // A void changes no issued invoice.
  const voidedAt = invoice.issuedAt <= credit.voidedAt ? null : credit.voidedAt;
  const ends = [credit.expiresAt, voidedAt].map((time) => (time ? at(time) : Number.POSITIVE_INFINITY));
  const [from, until] = [at(credit.effectiveAt), Math.min(...ends)];
  const [start, end] = [at(line.periodStart), at(line.periodEnd)];
  // A fee is spent at its start, the minimum of a plan at its end.
  const paid = invoice.lines.find(({ id }: Resource) => id === line.appliesToLineId);
  const isFee = paid?.eventType === 'fee' && !['commitment', 'minimum', 'true_up'].includes(paid.type);
  const isIn = isFee ? from <= start && start < until : from < Math.max(end, start + 1) && start < until;
  return [
    ...(isIn ? [] : [`pays ${line.periodStart}/${line.periodEnd} on ${invoice.id}`]),
    ...(isFor(credit, paid ?? line) ? [] : [`pays ${line.priceId}`]),
    ...([null, invoice.subscriptionId ?? paid?.subscriptionId].includes(credit.subscriptionId)
      ? []
      : [`pays ${invoice.subscriptionId}, and is of ${credit.subscriptionId}`]),
    ...(credit.customerId === lived.payerId && ![invoice.payerId, invoice.customerId].includes(lived.payerId)
      ? [`pays ${invoice.id}, which the customer pays`]
      : []),
  ];
}

/** Is a credit for a line, by any of the lists that it has? */
export const isFor = ({ appliesTo }: Resource, { priceId, eventSourceId }: Resource): boolean => {
  const ids = [appliesTo.priceIds, appliesTo.feeIds, appliesTo.billableMetricIds].flat();
  return ids.length === 0 || ids.includes(priceId) || ids.includes(eventSourceId);
};

const minorIsBack = ({ totalPrice }: Resource): boolean => !totalPrice.startsWith('-');

/** Credits pay no more of a price than it owes in the end. */
function aboveOwed(
  life: Life,
  lived: Lived,
  owed: readonly Owed[],
  uses: readonly { invoice: Resource; line: Resource; amount: bigint; gross: bigint }[],
): string[] {
  const subOf = new Map([...lived.subscriptionIds].map(([sub, id]) => [id, sub]));
  const paid = new Map<string, Exact>();
  for (const { invoice, line, amount, gross } of uses) {
    const price = priceOf(line, invoice);
    if (price === null) continue;
    const key = `${subOf.get(invoice.subscriptionId)} ${price}`;
    const asQuoted = exact(life.taxBehavior === 'inclusive' ? gross : amount);
    paid.set(key, plus(paid.get(key) ?? exact(0n), asQuoted));
  }
  return owed.flatMap(({ sub, price, amount, roundings, isOpen }) => {
    const is = paid.get(`${sub} p${price}`);
    if (is === undefined || isOpen) return [];
    const most = plus(amount, exact(BigInt(roundings + 1)));
    return is.over * most.under <= most.over * is.under
      ? []
      : [`credits: ${sub} p${price} owes ${amount.over}/${amount.under}, and credits pay ${is.over}/${is.under}`];
  });
}

/** One credit for everything pays all of it, as far as it goes, where nothing was ever taken back. */
function leftOver(
  { prices }: Life,
  { credits, invoices, notes, deeds, neverActive }: Lived,
  uses: readonly { readonly amount: bigint }[],
  minor: (text: string) => bigint,
): string[] {
  const [credit] = credits;
  const first = deeds[0]?.step;
  const isPlain = ({ from, days, prices: some, sub, isOfPayer }: Of<'credit'>) =>
    from === undefined && days === undefined && !some && !sub && !isOfPayer;
  if (!credit || credits.length > 1 || first?.do !== 'credit' || !isPlain(first) || neverActive.size > 0) return [];
  const takesBack = ({ totalPrice, type }: Resource) =>
    type === 'credit' ||
    type === 'manual' ||
    (type !== 'billing_credit' && type !== 'coupon' && type !== 'adjustment' && totalPrice.startsWith('-'));
  const all = invoices.flatMap(({ lines }) => lines as Resource[]);
  const isOdd = invoices.some(({ status, subscriptionId }) => !ISSUED.has(status) || subscriptionId === null);
  if (notes.length > 0 || isOdd || all.some(takesBack)) return [];
  const charged = all
    .filter(({ type }) => type !== 'billing_credit')
    .reduce((total, { totalPrice }) => total + minor(totalPrice), 0n);
  const amount = minor(credit.amount);
  const used = uses.reduce((total, use) => total + use.amount, 0n);
  const should = charged < amount ? charged : amount;
  // What it kept for a fee in arrears, which burns at its start, an end may have left.
  const isLeft = used < should && prices.some(({ metric, term }) => metric === undefined && term === 'in_arrears');
  return used === should || isLeft ? [] : [`credits: one of ${amount} paid ${used} of ${charged} (minor units)`];
}
