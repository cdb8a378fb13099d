import { type Exact, exact, minus, nearest, plus, read, times } from '../support/exact.ts';
import type { Resource } from '../support/shop.ts';
import { trueUpsAreOwed, wideTrueUpsAreOwed } from './committed.ts';
import { creditsPay, missingOfCredits } from './credits.ts';
import type { Lived } from './drive.ts';
import { historiesOf } from './history.ts';
import { DIGITS, type Life, secondsOf } from './life.ts';
import { type Owed, owedOf } from './owed.ts';
import { isPausedThroughout } from './paused.ts';
import { prepaidIsAsked } from './prepaid.ts';
import { creditsBurnInTime } from './shared.ts';
import { topUpsAreDue } from './topped.ts';

/** The faults of a lived life, each as one sentence; the first word is the kind. */
export function judge(life: Life, whole: Lived): string[] {
  const lived = withoutReplaced(withoutMembers(whole));
  const apart = bySubscriptions(lived);
  const owed = owedOf(life, lived.deeds, lived.neverActive);
  return [
    ...lived.wrong,
    ...unfinished(lived),
    ...billedIsOwed(life, apart, owed),
    ...rates(life, apart),
    ...taxes(life, lived),
    ...totals(life, lived),
    ...money(life, whole),
    ...statements(life, whole),
    ...twice(life, apart),
    ...notesWithinInvoices(life, lived),
    ...payers(life, apart),
    ...joined(life, whole),
    ...oneOffs(life, lived),
    ...emptyEnds(life, apart),
    ...quantities(life, lived),
    ...creditsPay(life, apart, owed),
    ...creditsBurnInTime(life, apart),
    ...topUpsAreDue(life, lived),
    ...prepaidIsAsked(life, lived),
    ...trueUpsAreOwed(life, apart, owed),
    ...wideTrueUpsAreOwed(life, apart, owed),
  ];
}

/** An invoice that is joined has no lines of its own, and asks nothing. */
const withoutMembers = (lived: Lived): Lived => ({
  ...lived,
  invoices: lived.invoices.filter(({ groupedIntoId }) => !groupedIntoId),
});

/** A grouped invoice as an invoice of each of its subscriptions: what is billed is read from lines. */
const bySubscriptions = (lived: Lived): Lived => ({
  ...lived,
  invoices: lived.invoices.flatMap((invoice) =>
    invoice.kind !== 'grouped'
      ? [invoice]
      : invoice.sections.map(({ subscriptionId }: Resource) => ({
          ...{ ...invoice, subscriptionId, payerId: invoice.customerId === lived.payerId ? lived.payerId : null },
          lines: invoice.lines.filter((line: Resource) => line.subscriptionId === subscriptionId),
        })),
  ),
});

/**
 * Invoices of one payer that close at one instant are one document (commercial.md §8): none of them is issued beside a
 * grouped one, but what failed before or came to be due later. Its sections are the sums of their lines, and a member
 * is cancelled, empty and without a number.
 */
function joined(life: Life, { invoices, deeds, subscriptionIds }: Lived): string[] {
  if (!life.isGrouped) return [];
  const sums = invoices.flatMap(({ id, sections, lines, currency }) =>
    sections.flatMap(({ subscriptionId, subtotal }: Resource) => {
      const own = lines.filter((line: Resource) => line.subscriptionId === subscriptionId);
      const is = own.reduce((total: bigint, { totalPrice }: Resource) => total + minor(life, totalPrice), 0n);
      return is === minor(life, subtotal) ? [] : [`joined: a section of ${id} has ${is} ${currency}, not ${subtotal}`];
    }),
  );
  const groups = new Map(invoices.filter(({ kind }) => kind === 'grouped').map((invoice) => [invoice.id, invoice]));
  const members = invoices.flatMap(({ id, groupedIntoId: of, status, invoiceNumber, lines, periodEnd }) => {
    if (!of) return [];
    const isGone = status === 'CANCELLED' && invoiceNumber === null && lines.length === 0;
    return isGone && groups.get(of)?.periodEnd === periodEnd ? [] : [`joined: ${id} is ${status} beside ${of}`];
  });
  // What a person ends at the instant at which others have closed comes after them.
  const acted = new Set(deeds.flatMap(({ step, at }) => (step.do === 'advance' ? [] : [at])));
  const own = invoices.filter(
    ({ kind, invoiceNumber, reissueOfId, periodEnd }) =>
      kind === 'subscription' && invoiceNumber && !reissueOfId && !acted.has(secondsOf(life, periodEnd)),
  );
  const asks = new Map(
    deeds.flatMap(({ step }) => (step.do === 'subscribe' ? [[subscriptionIds.get(step.sub), step.asks]] : [])),
  );
  const alike = Map.groupBy(own, (each) =>
    [
      asks.get(each.subscriptionId),
      each.customerId,
      each.payerId,
      each.periodEnd,
      each.gracePeriodEnd,
      each.issuedAt,
      each.paymentTermDays,
    ].join(),
  );
  const beside = [...alike.values()].flatMap((those) =>
    those.length > 1 ? [`joined: ${those.map(({ id }) => id).join(' and ')} end at one instant, and are apart`] : [],
  );
  return [...sums, ...members, ...beside];
}

/** An invoice that another one replaces bills nothing, and what credits it credits nothing that is owed. */
function withoutReplaced(lived: Lived): Lived {
  const replaced = new Set(lived.invoices.flatMap(({ id, reissuedAsId }) => (reissuedAsId ? [id] : [])));
  return {
    ...lived,
    invoices: lived.invoices.filter(({ id }) => !replaced.has(id)),
    notes: lived.notes.filter(({ invoiceId }) => !replaced.has(invoiceId)),
  };
}

/** An amount in minor units. */
const minor = (life: Life, text: string): bigint => {
  const { over, under } = times(read(text.replace('-', '')), exact(10n ** BigInt(DIGITS[life.currency])));
  return text.startsWith('-') ? -over / under : over / under;
};

const shown = (life: Life, { over, under }: Exact): string => {
  const units = Number((over * 10_000n) / under) / 10_000 / 10 ** DIGITS[life.currency];
  return units.toFixed(DIGITS[life.currency] + (under === 1n ? 0 : 2));
};

const GIVEN_UP = new Set(['CANCELLED', 'WRITTEN_OFF', 'FAILED']);
/** An invoice without an effect: it was never issued, or wholly credited before any payment. */
const GONE = new Set(['CANCELLED']);

function unfinished({ invoices }: Lived): string[] {
  return invoices
    .filter(({ status }) => ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING', 'DRAFT', 'FAILED'].includes(status))
    .map(({ id, status, failureReason }) => `unfinished: invoice ${id} is ${status} ${failureReason ?? ''}`);
}

/** The price of a line: by its name, which credits and limits begin with. A commitment is of no price. */
const priceOf = ({ type, invoiceDisplayName, displayName }: Resource): string | null => {
  if (type === 'billing_credit') return null;
  const name = invoiceDisplayName ?? displayName ?? '';
  if (/^C\d+(: coupon given back)?$/.test(name)) return 'coupon';
  if (/: (K\d+|Billing credit)$/.test(name)) return null; // a credit note gives back to a billing credit
  return /^p\d+(?=$|:)/.exec(name)?.[0] ?? (name.startsWith('Minimum commitment') ? 'minimum' : null);
};

/** What goes into the wallet beside a credit note: a coupon takes it of the invoice still. */
const isBeside = ({ displayName }: Resource): boolean => /^C\d+$/.test(displayName);

const keyOf = ({ sub, price }: Owed): string => `${sub} ${typeof price === 'string' ? price : `p${price}`}`;

/** Invoices that credits can no longer correct; faults on them stay. */
function frozen({ invoices, notes }: Lived): Set<string> {
  return new Set([...invoices.filter(({ status }) => GIVEN_UP.has(status)).map(({ id }) => id), ...refundedOf(notes)]);
}

const takesBack = ({ type, totalPrice }: Resource): boolean =>
  type === 'credit' ||
  (type === 'late_usage' && totalPrice.startsWith('-')) ||
  (type === 'billing_credit' && !totalPrice.startsWith('-'));

/** Has it lines of its own? */
const isOverPart = ({ kind }: Resource): boolean => kind === 'credit' || kind === 'partial';

const refundedOf = (notes: Lived['notes']): Set<string> =>
  new Set(
    notes.filter(({ kind, status }) => kind === 'refund' && status !== 'VOIDED').map(({ invoiceId }) => invoiceId),
  );

/** Billed = owed, per subscription and price: lines, also of invoices that were given up, less credits. */
function billedIsOwed(life: Life, lived: Lived, owed: readonly Owed[]): string[] {
  const subOf = new Map([...lived.subscriptionIds].map(([sub, id]) => [id, sub]));
  const byId = Map.groupBy(lived.invoices, ({ id }) => id);
  // A line of a note that names no line of its invoice, as of a coupon, is of the subscription of the others.
  const invoiceOf = (note: Resource, { appliesToLineId }: Resource): Resource => {
    const those = byId.get(note.invoiceId) ?? [];
    const all = note.lines.map((line: Resource) => line.appliesToLineId);
    const of = (named: readonly string[]) =>
      those.find(({ lines }) => lines.some(({ id }: Resource) => named.includes(id)));
    return of([appliesToLineId]) ?? of(all) ?? (those[0] as Resource);
  };
  const isFrozen = frozen(lived);
  const refunded = refundedOf(lived.notes);
  const isInclusive = life.taxBehavior === 'inclusive';
  const net = (line: Resource) =>
    isInclusive
      ? minor(life, line.totalAmount ?? line.amount) +
        (line.totalAmount === undefined ? minor(life, line.taxAmount) : 0n)
      : minor(life, line.totalPrice ?? line.amount);
  const billed = new Map<string, { amount: bigint; held: bigint; working: string[] }>();
  const add = (invoice: Resource, line: Resource, sign: bigint) => {
    const price = priceOf(line);
    if (price === null) return;
    const key = `${subOf.get(invoice.subscriptionId)} ${price}`;
    const found = billed.get(key) ?? { amount: 0n, held: 0n, working: [] };
    const amount = sign * net(line);
    found.amount += amount;
    if (isFrozen.has(invoice.id) && sign > 0n) found.held += amount > 0n ? amount : 0n;
    found.working.push(
      `${line.type ?? 'note'} ${line.periodStart.slice(0, 16)}/${line.periodEnd.slice(0, 16)} ` +
        `${shown(life, exact(amount))} on ${invoice.kind} ${invoice.periodEnd.slice(0, 16)} ${invoice.status}`,
    );
    billed.set(key, found);
  };
  for (const invoice of lived.invoices) {
    if (lived.neverActive.has(subOf.get(invoice.subscriptionId) ?? '')) continue;
    // A refund and a cancellation give back the credits and corrections that their invoice bore.
    const isUndone = refunded.has(invoice.id) || GONE.has(invoice.status);
    const back = new Set(isUndone ? invoice.lines.filter(takesBack).map(({ id }: Resource) => id) : []);
    for (const line of invoice.lines) if (!back.has(line.id) && !back.has(line.appliesToLineId)) add(invoice, line, 1n);
  }
  for (const note of lived.notes)
    if (isOverPart(note) && note.status !== 'VOIDED')
      // What a credit note cannot bear of a credit goes into the wallet: its line for that bills no coupon.
      for (const line of note.lines) if (!isBeside(line)) add(invoiceOf(note, line), line, -1n);
  const known = new Map(owed.map((each) => [keyOf(each), each]));
  const heldBy = (key: string) =>
    [...billed].reduce(
      (total, [other, { held }]) => total + (other.startsWith(`${key.split(' ')[0]} `) ? held : 0n),
      0n,
    );
  return [...new Set([...known.keys(), ...billed.keys()])].flatMap((key) => {
    const is = billed.get(key) ?? { amount: 0n, held: 0n, working: [] };
    const should = known.get(key);
    const credits = is.working.filter((line) => /^(note|credit)/.test(line)).length;
    // Charges that were given up stay as they were billed, also where their time or their usage came to less: they
    // count for a commitment, and coupons take their part of them.
    const isOfAll = should?.price === 'minimum' || should?.price === 'coupon';
    const given = isOfAll ? heldBy(key) : 0n;
    return isRight(life, should, is, credits, given)
      ? []
      : [
          `billed: ${key} was billed ${shown(life, exact(is.amount))}, ` +
            `and owed is ${shown(life, should?.amount ?? exact(0n))}` +
            `${is.held > 0n ? ` (${shown(life, exact(is.held))} on invoices given up)` : ''}\n` +
            `    owed: ${should?.because.join('\n          ') ?? 'nothing'}\n` +
            `    billed: ${is.working.join('\n            ')}`,
        ];
  });
}

function isRight(
  life: Life,
  owed: Owed | undefined,
  { amount, held }: { amount: bigint; held: bigint },
  credits: number,
  given: bigint,
): boolean {
  const should = owed?.amount ?? exact(0n);
  const off = minus(exact(amount), should);
  // An odd amount that was billed and credited in parts is rounded with each of them.
  const isUsage =
    owed !== undefined && (typeof owed.price === 'string' || life.prices[owed.price]?.metric !== undefined);
  const inParts = isUsage || (credits > 0 && !life.isEven);
  const tolerance = inParts ? BigInt((owed?.roundings ?? 0) + (isUsage ? 0 : credits)) : 0n;
  const isAbove = off.over > tolerance * off.under;
  const isBelow = -off.over > (tolerance + given) * off.under;
  if (owed?.isOpen && amount === 0n) return true;
  if (isBelow) return false;
  return !isAbove || off.over <= (held + tolerance) * off.under;
}

/** Who pays an invoice is who paid for the customer at its issue (commercial.md §8). */
function payers(life: Life, { invoices, deeds, payerId }: Lived): string[] {
  return invoices.flatMap(({ id, subscriptionId, issuedAt, payerId: is }) => {
    const isOnClock = issuedAt !== null && subscriptionId !== null;
    const isPaidFor = !isOnClock ? null : switchedAt(deeds, 'payer', secondsOf(life, issuedAt));
    const should = isPaidFor ? payerId : null;
    return isPaidFor === null || is === should ? [] : [`payer: of invoice ${id} it is ${is}, and should be ${should}`];
  });
}

/** A line that collects what a billing credit no longer pays, because it was used elsewhere. */
const isDebtOfCredit = ({ type, invoiceDisplayName }: Resource): boolean =>
  type === 'reversed_payment' && String(invoiceDisplayName).endsWith('used elsewhere');

/** Was the customer exempt from tax, or paid for, at a second of the life? Null: that changed in this very second. */
function switchedAt(deeds: Lived['deeds'], what: 'exempt' | 'payer', second: number): boolean | null {
  const changes = deeds.flatMap(({ step, at }) => (step.do === what ? [{ is: step.is, at }] : []));
  if (changes.some(({ at }) => at === second)) return null;
  return changes.findLast(({ at }) => at < second)?.is ?? false;
}

/**
 * A charge has the rate of its price, else of the plan; 0 % if the customer was exempt as its invoice was calculated:
 * the upfront one as it was made, the others at their issue.
 */
function rates(life: Life, { invoices, deeds }: Lived): string[] {
  return invoices.flatMap(({ id, kind, subscriptionId, reissueOfId, createdAt, issuedAt, lines }) => {
    if (reissueOfId) return []; // at the rates of the one that it replaces, or of the calculation
    const at = kind === 'upfront' ? createdAt : issuedAt;
    if (subscriptionId === null || at === null) return [];
    const [exempt, paidFor] = (['exempt', 'payer'] as const).map((what) =>
      switchedAt(deeds, what, secondsOf(life, at)),
    );
    if (exempt === null || paidFor === null) return [];
    const isExempt = exempt && !paidFor; // who pays is not, and its status holds (commercial.md §8)
    return lines.flatMap((line: Resource) => {
      const price = priceOf(line);
      const takesBack = line.lineItemType === 'refund' || (price === 'minimum' && Number(line.totalPrice) <= 0);
      if (price === null || price === 'coupon' || takesBack) return []; // at the rate that was billed
      const own = price === 'minimum' ? undefined : life.prices[Number(price.slice(1))]?.taxRate;
      const should = isExempt ? 0 : (own ?? life.taxRate);
      return Number(line.taxRate) === should
        ? []
        : [`rate: ${price} (${line.type}) on invoice ${id} has ${line.taxRate} %, not ${should} %`];
    });
  });
}

/**
 * For each rate of an invoice, the lines' amounts are summed and the tax is rounded once; credits have their own tax.
 */
function taxes(life: Life, { invoices }: Lived): string[] {
  return invoices.flatMap((invoice) => {
    const charges = invoice.lines.filter(
      (line: Resource) => line.lineItemType !== 'refund' && line.type !== 'wallet_top_up',
    );
    const isOfPlans = invoice.subscriptionId !== null || invoice.kind === 'grouped';
    const isInclusive = life.taxBehavior === 'inclusive' && isOfPlans && !invoice.lines.some(isPrepayment);
    const isMixed = charges.some(
      ({ type, totalPrice }: Resource) =>
        ['late_usage', 'commitment', 'true_up'].includes(type) && totalPrice.startsWith('-'),
    );
    if (isMixed) return [];
    return [...Map.groupBy(charges, ({ taxRate }: Resource) => String(taxRate))].flatMap(([rate, lines]) => {
      const sum = (field: string) => lines.reduce((total, line: Resource) => total + minor(life, line[field]), 0n);
      const percent = read(rate);
      const base = isInclusive ? sum('totalAmount') : sum('totalPrice');
      const over = isInclusive ? plus(percent, exact(100n)) : exact(100n);
      const should = nearest(times(exact(base), times(percent, exact(over.under, over.over))));
      const is = sum('totalTax');
      return is === should
        ? []
        : [`tax: invoice ${invoice.id} has ${is} of tax at ${rate} % on ${base}, not ${should} (minor units)`];
    });
  });
}

/** Lines sum to totals, and paid and unpaid amounts to the whole. */
function totals(life: Life, { invoices }: Lived): string[] {
  return invoices.flatMap((invoice) => {
    const of = (text: string) => minor(life, text);
    const sum = (field: string) => invoice.lines.reduce((total: bigint, line: Resource) => total + of(line[field]), 0n);
    const [net, tax, gross] = [of(invoice.subtotal), of(invoice.totalTax), of(invoice.grandTotal)];
    const isSum = sum('totalPrice') === net && sum('totalTax') === tax && net + tax === gross && gross >= 0n;
    const isPaid = of(invoice.paidAmount) + of(invoice.unpaidAmount) === gross;
    return isSum && isPaid
      ? []
      : [
          `totals: of invoice ${invoice.id} (${invoice.status}) do not sum: ` +
            `${invoice.subtotal} + ${invoice.totalTax} = ` +
            `${invoice.grandTotal} = ${invoice.paidAmount} + ${invoice.unpaidAmount}`,
        ];
  });
}

/** The returned and returning payments. A refund that was voided before stopped some of them. */
const LEAVING = new Set(['requested', 'manual', 'returned']);

/**
 * Money in = money out + wallet + the merchant's money: the billed less the credited and the unpaid amount, and less
 * what the customer owes again after the void of a refund. A reversed payment never came in. What was spent of its
 * excess paid for nothing: it is owed until an invoice collects it, and what such a line asks bills nothing. What
 * billing credits cannot pay is collected by such lines, too, and is the merchant's.
 */
function money(life: Life, lived: Lived): string[] {
  const { invoices, notes, payments: all, wallet, owedAgain, toCollect } = lived;
  const sum = (texts: readonly string[]) => texts.reduce((total, text) => total + minor(life, text), 0n);
  const payments = all.filter(({ status }) => status !== 'reversed');
  const paidIn = sum(payments.map(({ amount }) => amount));
  // What the cardholder's bank has taken of a refunded payment has gone back already.
  const refunded = refundedOf(notes);
  const isGone = ({ returnStatus, dispute, invoiceId }: Resource) =>
    LEAVING.has(returnStatus) || (dispute?.status === 'lost' && refunded.has(invoiceId));
  // Without the refund, which was voided, what the bank took is the merchant's loss again; the rest has left.
  const isLoss = ({ returnStatus, dispute, invoiceId }: Resource) =>
    LEAVING.has(returnStatus) && dispute?.status === 'lost' && !refunded.has(invoiceId);
  const partsOf = (those: readonly Resource[]) =>
    those.flatMap(({ returns }) => returns).filter(({ status }: Resource) => LEAVING.has(status));
  const parts = partsOf(payments);
  // Nor does a note on a part give back once more what the bank has taken.
  const byBank = payments
    .filter((payment) => payment.dispute?.status === 'lost' && !isGone(payment))
    .map((payment) => {
      const ofNotes = notes.filter(
        ({ kind, invoiceId, status, settlement, createdAt }) =>
          kind === 'partial' &&
          invoiceId === payment.invoiceId &&
          status !== 'VOIDED' &&
          [null, 'refund'].includes(settlement) &&
          createdAt >= payment.createdAt,
      );
      const sent = partsOf(payments.filter(({ invoiceId }) => invoiceId === payment.invoiceId));
      const left = sum(ofNotes.map(({ total }) => total)) - sum(sent.map(({ amount }: Resource) => amount));
      const taken = minor(life, payment.dispute.amount);
      return left < taken ? left : taken;
    })
    .filter((amount) => amount > 0n)
    .reduce((total, amount) => total + amount, 0n);
  const paidOut = sum([
    ...payments.filter(isGone).map(({ appliedAmount }) => appliedAmount),
    ...payments.filter(isLoss).map(({ dispute }) => `-${dispute.amount}`),
    ...parts.map(({ amount }: Resource) => amount),
  ]);
  const inForce = invoices.filter(({ status }) => !GONE.has(status));
  const billed = sum(inForce.map(({ grandTotal }) => grandTotal));
  const ids = new Set(inForce.map(({ id }) => id));
  const credited = sum(
    notes.filter(({ status, invoiceId }) => status !== 'VOIDED' && ids.has(invoiceId)).map(({ total }) => total),
  );
  const unpaid = sum(inForce.map(({ unpaidAmount }) => unpaidAmount));
  // What a replaced invoice collected waits for the one in its place.
  const replaced = new Set(notes.flatMap(({ kind, invoiceId }) => (kind === 'reissue' ? invoiceId : [])));
  const collected = sum(
    inForce
      .filter(({ id }) => !replaced.has(id))
      .flatMap(({ lines }) => lines.filter(({ type }: Resource) => type === 'reversed_payment'))
      .map(({ totalAmount }: Resource) => totalAmount),
  );
  const isOwed = minor(life, owedAgain) + minor(life, toCollect) - missingOfCredits(life, lived);
  const isKept = billed - collected - credited - minor(life, lived.carried) - unpaid - isOwed;
  const off = paidIn - paidOut - byBank - minor(life, wallet) - isKept;
  // A debt of a credit that was collected by an invoice that nobody pays any more: what the credit has back of it later
  // is nobody's money.
  const forgiven = inForce
    .filter(({ id, status }) => refunded.has(id) || status === 'WRITTEN_OFF')
    .flatMap(({ lines }) => lines.filter(isDebtOfCredit));
  const most = sum(forgiven.map(({ totalAmount }: Resource) => totalAmount));
  return off === 0n || (off > 0n && off <= most)
    ? []
    : [
        `money: ${paidIn} in, ${paidOut} out, ${minor(life, wallet)} in the wallet; ` +
          `billed ${billed}, credited ${credited}, unpaid ${unpaid}, owed again ${owedAgain}: off by ${off} (minor units)`,
      ];
}

/**
 * A statement ends in what is unpaid, less the wallet; it has every invoice and credit note once, with its total; and
 * one that is split at an instant joins.
 */
function statements(life: Life, { statements: all, invoices, notes, wallet, owedAgain, toCollect }: Lived): string[] {
  const faults: string[] = [];
  for (const { whole, halves } of all) {
    let balance = 0n;
    for (const entry of whole.entries) {
      balance += minor(life, entry.amount);
      if (minor(life, entry.balance) !== balance)
        faults.push(`statement: ${entry.description} leaves ${entry.balance}`);
    }
    if (minor(life, whole.openingBalance) !== 0n || minor(life, whole.closingBalance) !== balance)
      faults.push(`statement: it goes from ${whole.openingBalance} to ${whole.closingBalance}, and not to ${balance}`);
    for (const [before, after] of halves)
      if (
        before?.closingBalance !== after?.openingBalance ||
        after?.closingBalance !== whole.closingBalance ||
        JSON.stringify([...before.entries, ...after.entries]) !== JSON.stringify(whole.entries)
      )
        faults.push(`statement: it does not join at ${before?.to}`);
  }
  const open = invoices.filter(
    ({ status, invoiceNumber }) => invoiceNumber !== null && ['ISSUED', 'PAYMENT_FAILED'].includes(status),
  );
  const unpaid = open.reduce((sum, { unpaidAmount }) => sum + minor(life, unpaidAmount), 0n);
  const should = unpaid + minor(life, owedAgain) + minor(life, toCollect) - minor(life, wallet);
  const is = all.reduce((sum, { whole }) => sum + minor(life, whole.closingBalance), 0n);
  if (is !== should) faults.push(`statement: it ends in ${is}, and what is unpaid less the wallet is ${should}`);
  const documents = [
    ...invoices
      .filter(({ invoiceNumber }) => invoiceNumber !== null)
      .map(({ id, grandTotal }) => ['invoice', id, minor(life, grandTotal)]),
    ...notes
      .filter(({ total }) => minor(life, total) !== 0n)
      .map(({ id, total }) => ['credit_note', id, -minor(life, total)]),
  ].map(String);
  const stated = all
    .flatMap(({ whole }) => whole.entries as Resource[])
    .filter(({ type, description }) => ['invoice', 'credit_note'].includes(type) && !description.endsWith('voided'))
    .map(({ type, id, amount }) => String([type, id, minor(life, amount)]));
  if (documents.toSorted().join(' ') !== stated.toSorted().join(' '))
    faults.push(
      `statement: its documents are ${stated.toSorted().join(' ')}, and not ${documents.toSorted().join(' ')}`,
    );
  return faults;
}

/**
 * Money that goes back twice (domain.md §4): by late usage on a later invoice and by a refund of the invoice that
 * billed the usage, or by a refund at the provider and by the cardholder's bank.
 */
function twice(life: Life, { invoices, notes, charges }: Lived): string[] {
  const of = (text: string) => minor(life, text);
  const refunded = refundedOf(notes);
  const late = invoices.flatMap((invoice) =>
    invoice.lines
      .filter(({ type }: Resource) => type === 'late_usage')
      .map((line: Resource) => ({ ...line, subscriptionId: invoice.subscriptionId })),
  );
  const back = invoices
    .filter(({ id }) => refunded.has(id))
    .flatMap((invoice) =>
      invoice.lines
        .filter(({ type }: Resource) => type === 'charge')
        .flatMap((line: Resource) => {
          const same = late.filter(
            (other: Resource) =>
              other.subscriptionId === invoice.subscriptionId &&
              priceOf(other) === priceOf(line) &&
              other.periodStart === line.periodStart &&
              other.periodEnd === line.periodEnd,
          );
          const sum = same.reduce((total: bigint, { totalPrice }: Resource) => total + of(totalPrice), 0n);
          return sum < 0n
            ? [`twice: late usage took ${sum} of ${priceOf(line)} back, and invoice ${invoice.id} was refunded too`]
            : [];
        }),
    );
  const gone = charges
    .filter(({ amount, left }) => of(left) > of(amount))
    .map(({ amount, left }) => `twice: ${left} left of a card payment of ${amount}`);
  return [...back, ...gone];
}

/** No credit note is above its invoice. */
function notesWithinInvoices(life: Life, { invoices, notes }: Lived): string[] {
  return invoices.flatMap(({ id, grandTotal }) => {
    const own = notes.filter(({ invoiceId, status }) => invoiceId === id && status !== 'VOIDED');
    const total = own.reduce((sum, note) => sum + minor(life, note.total), 0n);
    return total <= minor(life, grandTotal) ? [] : [`notes: ${total} credited on invoice ${id} of ${grandTotal}`];
  });
}

/**
 * An invoice without a subscription comes to its lines, without tax for a customer that was exempt then. A reissue has
 * the tax of its own time.
 */
function oneOffs(life: Life, { invoices, deeds }: Lived): string[] {
  let [isExempt, isPaidFor] = [false, false];
  const asked = deeds.flatMap(({ step }) => {
    if (step.do === 'exempt') isExempt = step.is;
    if (step.do === 'payer') isPaidFor = step.is;
    return step.do === 'oneOff' ? [{ ...step, ...(isExempt && !isPaidFor && { taxRate: 0 }) }] : [];
  });
  return asked.flatMap(({ unitPrice, quantity, taxRate }, place) => {
    const line = invoices
      .flatMap(({ lines, reissueOfId }) => lines.map((each: Resource) => ({ ...each, reissueOfId })))
      .find(({ invoiceDisplayName }: Resource) => invoiceDisplayName === `one-off ${place}`);
    const unit = exact(10n ** BigInt(DIGITS[life.currency]));
    const price = nearest(times(times(read(unitPrice), read(quantity)), unit));
    const tax = nearest(times(exact(price), times(read(String(taxRate)), exact(1n, 100n))));
    const isTaxed = line?.reissueOfId || minor(life, line?.totalTax ?? '0') === tax;
    const isRight = line && minor(life, line.totalPrice) === price && isTaxed;
    return isRight ? [] : [`one-off: ${place} is ${line?.totalPrice} + ${line?.totalTax}, not ${price} + ${tax}`];
  });
}

/**
 * The invoice of an ended subscription without a line is cancelled and has no number (domain.md §4, row 11); while the
 * subscription goes on, it is numbered. An end that was set later changes no issued invoice. So is the invoice of a
 * time that was paused throughout, also with lines of 0 (commercial.md §6).
 */
function emptyEnds(life: Life, { invoices, deeds, neverActive, subscriptionIds }: Lived): string[] {
  const start = Date.parse(life.start) / 1000;
  const secondOf = (time: string) => Date.parse(time) / 1000 - start;
  const histories = new Map(historiesOf(life, deeds, neverActive).map((each) => [subscriptionIds.get(each.sub), each]));
  return invoices.flatMap(
    ({ id, subscriptionId, kind, periodStart, periodEnd, status, invoiceNumber, issuedAt, lines }) => {
      const history = histories.get(subscriptionId);
      if (history === undefined) return [];
      const time = { from: secondOf(periodStart), to: secondOf(periodEnd) };
      const isPaused = kind === 'subscription' && isPausedThroughout(time, history);
      // A correction that is cut to 0 is credited by a note with the issue.
      if (isPaused && lines.every(({ type, totalAmount }: Resource) => type === 'charge' && Number(totalAmount) === 0))
        return status === 'CANCELLED' ? [] : [`empty: invoice ${id} of a pause is ${status} and asks nothing`];
      if (lines.length > 0) return [];
      const { end, endedAt } = history;
      const isOver = end !== null && end <= secondOf(periodEnd);
      const isNumbered = invoiceNumber !== null;
      const wasOver = isOver && (endedAt === null || (isNumbered && secondOf(issuedAt) > endedAt));
      if (isNumbered)
        return wasOver ? [`empty: invoice ${id} of an ended plan is ${invoiceNumber} and has no line`] : [];
      return status === 'CANCELLED' && isOver ? [] : [`empty: invoice ${id} is ${status}, has no line and no number`];
    },
  );
}

/** Is it of a prepaid date? Those are net of tax, whatever the prices are. */
const isPrepayment = ({ invoiceDisplayName, displayName }: Resource): boolean =>
  (invoiceDisplayName ?? displayName).endsWith(': prepayment');

/**
 * The units of a correction at their price come to its amount, on the invoice and on credit notes. So does every line
 * of a credit note.
 */
function quantities(life: Life, { invoices, notes }: Lived): string[] {
  const unit = exact(10n ** BigInt(DIGITS[life.currency]));
  const corrections = invoices.flatMap(({ lines }) =>
    lines.filter(({ type, totalPrice }: Resource) => type === 'late_usage' && totalPrice.startsWith('-')),
  );
  const ofNotes = notes.flatMap((note) => (isOverPart(note) ? note.lines : []));
  return [...corrections, ...ofNotes].flatMap(({ id, quantity, unitPrice, ...line }: Resource) => {
    const gross = line.totalAmount ?? line.total;
    const isInclusive = life.taxBehavior === 'inclusive' && !isPrepayment(line);
    const amount = minor(life, isInclusive ? gross : (line.totalPrice ?? line.amount));
    const product = times(times(read(String(quantity)), read(unitPrice)), unit);
    return nearest(product) === amount ? [] : [`units: line ${id} says ${quantity} × ${unitPrice} for ${amount}`];
  });
}
