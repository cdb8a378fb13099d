import type { Tx } from '../../db/index.ts';
import { type Decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { roundTo } from '../../kernel/money.ts';
import { type Instant, isAfter, isBefore, type Period } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { type OpenSpending, usesOf } from '../calculation/credit-use-lines.ts';
import { lateUntil, spentKey, spentUntil } from '../calculation/due-lines.ts';
import type { GivenBack } from '../credit-notes/unused-credit.ts';
import { type CreditFor, selectCreditsFor } from '../difference/billing-credits.sql.ts';
import type { DueCharge } from '../difference/due.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenCredit, FrozenCredits, FrozenRival, FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoices } from '../invoice/invoices.sql.ts';
import type { BurningCredit } from '../owed/burn.ts';
import { asBilled, cellOf, chargesInArrears } from '../owed/charges.ts';
import { appliesTo, hasPlan, isAmong, namesCharges } from '../terms/applies-to.ts';
import { endOf } from '../terms/billing-credit.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { versionsOf } from '../timeline/segments.ts';
import type { ReadPeriod } from '../usage/late-usage.ts';
import { type PeriodToRead, readUsageOfEach } from '../usage/read-usage.ts';
import { byAge } from './billing-order.ts';
import type { BillingOfInvoice } from './billing-state.ts';
import { type Beside, inputOf } from './calculate-invoice.ts';

/** An invoice whose lines credits may pay, with the facts of its calculation. */
export interface InvoiceToPay {
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow;
  readonly billing: BillingOfInvoice & { readonly read?: readonly ReadPeriod[] };
  readonly frozen: FrozenTerms;
  readonly usage: readonly BilledUsage[];
  readonly divided: DividedUsage;
  /** What stands beside its charges; credits for unused time among it may give back to billing credits. */
  readonly beside?: Pick<Beside, 'credits'>;
}

/** The instants at which the spending of an invoice is divided, and its usage until those inside its period. */
export interface DividedUsage {
  readonly bounds: readonly Instant[];
  readonly until: readonly { readonly at: Instant; readonly usage: readonly BilledUsage[] }[];
}

/** An open invoice, and what it would spend of credits. */
export interface OpenInvoice {
  readonly terms: BillingTerms;
  readonly invoice: Pick<InvoiceRow, 'id'>;
  readonly spendings: readonly OpenSpending[];
}

/**
 * The credits of some customers, what calculations took of them one after another, and what those to come would take.
 */
export class HeldCredits {
  readonly #credits: readonly CreditFor[];
  readonly #taken = new Map<string, Decimal>();
  readonly #open: Map<string, OpenInvoice>;

  private constructor(credits: readonly CreditFor[], open: readonly OpenInvoice[] = []) {
    this.#credits = credits;
    this.#open = new Map(open.map((each) => [each.invoice.id, each]));
  }

  /**
   * The credits that some invoices may use.
   * @param lock nothing else takes of them until the transaction ends
   */
  static async load(
    tx: Tx,
    invoices: readonly Pick<InvoiceRow, 'id' | 'customerId'>[],
    { lock }: { readonly lock: boolean },
  ): Promise<HeldCredits> {
    const customerIds = [...new Set(invoices.map(({ customerId }) => customerId))];
    if (customerIds.length === 0) return new HeldCredits([]);
    return new HeldCredits(await selectCreditsFor(tx, customerIds, { without: invoices.map(({ id }) => id), lock }));
  }

  /** Whose credits pay several subscriptions, and are not used up. */
  get sharedOwners(): string[] {
    const shared = this.#credits.filter((credit) => credit.subscriptionId === null && this.#left(credit).gt(0));
    return [...new Set(shared.map(({ customerId }) => customerId))];
  }

  /** The same credits, of which nothing is taken yet, and open invoices that would take of them, too. */
  with(open: readonly OpenInvoice[]): HeldCredits {
    return new HeldCredits(this.#credits, open);
  }

  /** The same as before anything was taken. */
  copy(): HeldCredits {
    return this.with([...this.#open.values()]);
  }

  /** What is left of the credits for open invoices, in the order in which they burn. */
  get burning(): BurningCredit[] {
    return this.#inOrder.map((credit) => ({
      ...{ id: credit.id, from: credit.effectiveAt, until: endOf(credit), left: this.#left(credit) },
    }));
  }

  /**
   * How the spending of some invoices is divided.
   * @param beside others that may use the same credits: it is divided at their ends, too
   * @returns the periods whose usage is to be read, and what follows from it, in the order of the invoices
   */
  dividing(all: readonly PeriodToRead[], beside: readonly Pick<InvoiceRow, 'customerId' | 'periodEnd'>[] = []) {
    const ends = this.#endsByOwner(beside);
    const asked = all.map(({ terms, invoice }) => {
      const credits = this.#for(terms);
      const owners = [...new Set(credits.map(({ customerId }) => customerId))];
      const bounds = boundsOf(
        credits,
        owners.flatMap((owner) => ends.get(owner) ?? []),
      );
      const inside = insideOf(bounds, { start: invoice.periodStart, end: invoice.periodEnd });
      return { bounds, inside, parts: untilEach(terms, invoice, inside) };
    });
    return {
      parts: asked.flatMap(({ parts }) => parts),
      dividedBy: (read: readonly BilledUsage[][]): DividedUsage[] => {
        const inOrder = read.values();
        return asked.map(({ bounds, inside }) => ({
          bounds,
          until: inside.map((at) => ({ at, usage: inOrder.next().value ?? [] })),
        }));
      },
    };
  }

  /** The same with the usage, read by itself. */
  async divide(tx: Tx, source: BillingSource, all: readonly PeriodToRead[]): Promise<DividedUsage[]> {
    const { parts, dividedBy } = this.dividing(all);
    return dividedBy(await readUsageOfEach(tx, source, parts));
  }

  /** The terms of a calculation with the credits that may pay it. */
  async freeze(tx: Tx, source: BillingSource, facts: InvoiceToPay): Promise<FrozenTerms> {
    const { billingCredits: _, ...frozen } = facts.frozen;
    const credits = this.#for(facts.terms);
    if (credits.length === 0) return frozen;
    const spent = await spentBy(tx, source, { ...facts, frozen });
    const back = (facts.beside?.credits ?? []).flatMap(({ givesBack }) => givesBack ?? []);
    const rivals = this.#rivalsOf(facts);
    if (rivals.length === 0) {
      const held = credits.map((credit) => this.#frozen(credit, facts.terms, back));
      return { ...frozen, billingCredits: { held, spent } };
    }
    const own = new Map(credits.map((credit) => [credit.id, credit]));
    const named = new Set([...own.keys(), ...rivals.flatMap(({ creditIds }) => creditIds)]);
    const held = this.#inOrder
      .filter(({ id }) => named.has(id))
      .map((credit) => this.#frozen(own.get(credit.id) ?? credit, own.has(credit.id) ? facts.terms : null, back));
    return { ...frozen, billingCredits: { held, spent, rivals } };
  }

  /** Counts what the calculation of an invoice takes, and gives back. */
  take({ id: invoiceId }: Pick<InvoiceRow, 'id'>, { lines }: Pick<Calculation, 'lines'>): void {
    this.#open.delete(invoiceId);
    for (const [id, used] of usesOf(lines)) this.#taken.set(id, (this.#taken.get(id) ?? ZERO).plus(used));
  }

  /** The ends of some invoices, each once, by those whose credits they may use. */
  #endsByOwner(invoices: readonly Pick<InvoiceRow, 'customerId' | 'periodEnd'>[]): ReadonlyMap<string, Instant[]> {
    const ofCustomers = Map.groupBy(invoices, ({ customerId }) => customerId);
    const found = new Map<string, Map<string, Instant>>();
    for (const { customerId: owner, forCustomerId } of this.#credits)
      for (const { periodEnd } of ofCustomers.get(forCustomerId) ?? [])
        found.set(owner, (found.get(owner) ?? new Map<string, Instant>()).set(periodEnd.toString(), periodEnd));
    return new Map([...found].map(([owner, ends]) => [owner, [...ends.values()]]));
  }

  #for(terms: BillingTerms): readonly CreditFor[] {
    const { customerId, clockId, currency } = terms;
    return this.#credits.filter(
      (credit) =>
        credit.forCustomerId === customerId &&
        credit.currency === currency &&
        credit.testClockId === clockId &&
        isAmong(terms, credit),
    );
  }

  /** Each credit once: a customer's own before those of who pays for it. */
  get #inOrder(): CreditFor[] {
    const isOfPayer = new Set(this.#credits.flatMap((each) => (each.customerId === each.forCustomerId ? [] : each.id)));
    const once = [...new Map(this.#credits.map((credit) => [credit.id, credit])).values()];
    return once.toSorted((a, b) => Number(isOfPayer.has(a.id)) - Number(isOfPayer.has(b.id)));
  }

  #left({ id, amount, used, held, released }: CreditFor): Decimal {
    return amount
      .minus(used)
      .minus(held)
      .minus(released ?? ZERO)
      .minus(this.#taken.get(id) ?? ZERO);
  }

  /** What other open invoices would take at the times of an invoice, or before. */
  #rivalsOf({ terms, invoice }: InvoiceToPay): FrozenRival[] {
    const others = [...this.#open.values()].filter((other) => other.invoice.id !== invoice.id);
    const all = others.flatMap(({ terms: of, spendings }) =>
      spendings
        .filter(({ time }) => !isAfter(time.start, invoice.periodEnd))
        .map((spending) => ({ ...spending, isOlder: byAge(of, terms) < 0 })),
    );
    const alike = Map.groupBy(all, ({ time, isFee, isOlder: older, creditIds }) =>
      [time.start, time.end, isFee, older, ...creditIds].join(' '),
    );
    return [...alike.values()].map((those): FrozenRival => {
      const [{ time, isFee, isOlder: older, creditIds }] = those as [(typeof those)[number]];
      const amount = plain(sum(those.map((each) => each.amount)));
      return {
        ...{ start: time.start.toString(), end: time.end.toString(), isFee, isOlder: older },
        amount,
        creditIds,
      };
    });
  }

  /**
   * @param terms of the subscription that it may pay; null: none, it pays rivals alone
   * @param back what the invoice gives back, which may pay its charges again
   */
  #frozen(credit: CreditFor, terms: BillingTerms | null, back: readonly GivenBack[]): FrozenCredit {
    const { id, name, effectiveAt, appliesTo: of } = credit;
    const returned = back.filter(({ billingCreditId }) => billingCreditId === id);
    const isForAll = terms !== null && !namesCharges(of) && of.planIds.length === 0;
    const prices = (terms === null ? [] : versionsOf(terms)).flatMap((version) =>
      version.prices.filter((price) => appliesTo(of, { planId: version.planId, price })).map((price) => price.id),
    );
    return {
      ...{ id, name, from: effectiveAt.toString(), until: endOf(credit)?.toString() ?? null },
      left: plain(this.#left(credit).plus(sum(returned.map(({ amount }) => amount)))),
      priceIds: isForAll ? null : [...new Set(prices)],
      paysMinimum: terms !== null && !namesCharges(of) && hasPlan(of, terms.planId),
    };
  }
}

/** The instants at which credits begin or end, and others, in their order. */
function boundsOf(credits: readonly CreditFor[], others: readonly Instant[]): Instant[] {
  const all = [...others, ...credits.flatMap((credit) => [credit.effectiveAt, endOf(credit) ?? []].flat())];
  const known = new Map(all.map((at) => [at.toString(), at]));
  return [...known.values()].toSorted(Temporal.Instant.compare);
}

/** What the charges of usage of an invoice come to until the instants inside their periods. */
async function spentBy(
  tx: Tx,
  source: BillingSource,
  { terms, invoice, billing, frozen, usage, divided: { bounds, until } }: InvoiceToPay,
): Promise<FrozenCredits['spent']> {
  const input = inputOf(billing, frozen, invoice, usage, { manual: [] });
  const spent: FrozenCredits['spent'] = {};
  const ofUsage = billing.due.filter(({ charge }) => charge.price.metric !== null);
  const read = new Map(until.map((part) => [part.at, part.usage]));
  for (const due of ofUsage.filter(({ late }) => late === undefined)) {
    const inside = insideOf([...read.keys()], due.charge.period); // before its period it spends nothing
    if (inside.length > 0)
      spent[spentKey(due)] = asSpent(invoice, inside, (at) => spentUntil(input, due, read.get(at) ?? []));
  }
  for (const due of ofUsage.filter(({ late }) => late !== undefined && late.earlier === undefined)) {
    const then = billing.read?.find((period) => isOfPeriod(due, terms, period));
    const within = then ? insideOf(bounds, due.charge.period) : [];
    if (!then || within.length === 0) continue;
    const { now, before } = await readLate(tx, source, terms, { due, then, within });
    spent[spentKey(due)] = asSpent(invoice, within, (_, place) =>
      lateUntil(input, due, now[place] ?? [], before[place] ?? []),
    );
  }
  return spent;
}

const insideOf = (bounds: readonly Instant[], { start, end }: Period): Instant[] =>
  bounds.filter((at) => isAfter(at, start) && isBefore(at, end));

const untilEach = (terms: BillingTerms, invoice: InvoiceRow, inside: readonly Instant[]) =>
  inside.map((at) => ({ terms, invoice: { ...invoice, periodEnd: at } }));

const asSpent = (
  { currency }: InvoiceRow,
  inside: readonly Instant[],
  amountAt: (at: Instant, place: number) => Decimal,
): FrozenCredits['spent'][string] =>
  inside.map((at, place) => ({
    at: at.toString(),
    amount: plain(roundTo(amountAt(at, place), currency, 'half-away-from-zero')),
  }));

/** Is a correction of a closed period that was read as a whole? */
function isOfPeriod({ charge }: DueCharge, terms: BillingTerms, { invoice, parts }: ReadPeriod): boolean {
  const then = asBilled(terms, invoice);
  return (
    parts.length === 1 &&
    chargesInArrears(then, cellOf(then, invoice), invoice.periodEnd).some(
      ({ price, period }) => price.id === charge.price.id && period.start.equals(charge.period.start),
    )
  );
}

interface LateToRead {
  readonly due: DueCharge;
  readonly then: ReadPeriod;
  readonly within: readonly Instant[];
}

/** The usage of a closed period until some instants, as it is now and as the last bill of it knew it. */
async function readLate(
  tx: Tx,
  source: BillingSource,
  terms: BillingTerms,
  { due, then: { invoice, invoices }, within }: LateToRead,
): Promise<Record<'now' | 'before', BilledUsage[][]>> {
  const billing = await selectInvoices(
    tx,
    (due.late?.items ?? []).map(({ invoiceId }) => invoiceId),
  );
  const marks = [...invoices, ...billing.values()].flatMap(({ usageMark }) => usageMark ?? []);
  const acceptedUpTo = marks.reduce((last, mark) => (mark > last ? mark : last), 0n);
  const parts = untilEach(asBilled(terms, invoice), invoice, within);
  return {
    now: await readUsageOfEach(tx, source, parts),
    before: await readUsageOfEach(tx, source, parts, { acceptedUpTo }),
  };
}
