import { findPayers } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { type Decimal, plain, ZERO } from '../../kernel/decimal.ts';
import { type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import type { Calculation } from '../calculation/calculation.ts';
import { spentUntil } from '../calculation/due-lines.ts';
import {
  type CreditFor,
  type CreditOwner,
  hasBillingCredits,
  selectCreditsFor,
} from '../difference/billing-credits.sql.ts';
import type { BilledUsage } from '../invoice/billed-usage.ts';
import type { FrozenCredit, FrozenCredits, FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { appliesTo, hasPlan, namesCharges } from '../terms/applies-to.ts';
import { endOf } from '../terms/billing-credit.ts';
import type { BillingSource, BillingTerms } from '../terms/billing-terms.ts';
import { versionsOf } from '../timeline/segments.ts';
import { readUsageOfEach } from '../usage/read-usage.ts';
import type { BillingOfInvoice } from './billing-state.ts';
import { inputOf } from './calculate-invoice.ts';

/** An invoice whose lines credits may pay, with the facts of its calculation. */
export interface InvoiceToPay {
  readonly terms: BillingTerms;
  readonly invoice: InvoiceRow;
  readonly billing: BillingOfInvoice;
  readonly frozen: FrozenTerms;
  readonly usage: readonly BilledUsage[];
}

/** The credits of some customers, and what calculations took of them one after another. */
export class HeldCredits {
  readonly #credits: readonly CreditFor[];
  readonly #taken = new Map<string, Decimal>();

  private constructor(credits: readonly CreditFor[]) {
    this.#credits = credits;
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
    if (!(await hasBillingCredits(tx))) return new HeldCredits([]);
    const customerIds = [...new Set(invoices.map(({ customerId }) => customerId))];
    const payers = await findPayers(tx, customerIds);
    const owners = customerIds.flatMap((customerId): CreditOwner[] => {
      const payerId = payers.get(customerId);
      return [{ customerId, ownerId: customerId }, ...(payerId ? [{ customerId, ownerId: payerId }] : [])];
    });
    return new HeldCredits(await selectCreditsFor(tx, owners, { without: invoices.map(({ id }) => id), lock }));
  }

  /** The same credits, of which nothing is taken yet. */
  copy(): HeldCredits {
    return new HeldCredits(this.#credits);
  }

  /** The terms of a calculation with the credits that may pay it. */
  async freeze(tx: Tx, source: BillingSource, facts: InvoiceToPay): Promise<FrozenTerms> {
    const { billingCredits: _, ...frozen } = facts.frozen;
    const credits = this.#for(facts.terms);
    if (credits.length === 0) return frozen;
    const held = credits.map((credit) => this.#frozen(credit, facts.terms));
    const spent = await spentBy(tx, source, { ...facts, frozen }, boundsOf(credits));
    return { ...frozen, billingCredits: { held, spent } };
  }

  /** Counts what a calculation takes, and gives back. */
  take({ lines }: Pick<Calculation, 'lines'>): void {
    for (const { workings, totalPrice } of lines) {
      const { billingCreditId: id } = workings?.use ?? {};
      if (id !== undefined) this.#taken.set(id, (this.#taken.get(id) ?? ZERO).minus(totalPrice));
    }
  }

  #for({ customerId, subscriptionId, clockId, currency }: BillingTerms): readonly CreditFor[] {
    return this.#credits.filter(
      (credit) =>
        credit.forCustomerId === customerId &&
        credit.currency === currency &&
        credit.testClockId === clockId &&
        (credit.subscriptionId === null || credit.subscriptionId === subscriptionId),
    );
  }

  #frozen(credit: CreditFor, terms: BillingTerms): FrozenCredit {
    const { id, name, amount, used, held, released, effectiveAt, appliesTo: of } = credit;
    const isForAll = !namesCharges(of) && of.planIds.length === 0;
    const prices = versionsOf(terms).flatMap((version) =>
      version.prices.filter((price) => appliesTo(of, { planId: version.planId, price })).map((price) => price.id),
    );
    return {
      ...{ id, name, from: effectiveAt.toString(), until: endOf(credit)?.toString() ?? null },
      left: plain(
        amount
          .minus(used)
          .minus(held)
          .minus(released ?? ZERO)
          .minus(this.#taken.get(id) ?? ZERO),
      ),
      priceIds: isForAll ? null : [...new Set(prices)],
      paysMinimum: !namesCharges(of) && hasPlan(of, terms.planId),
    };
  }
}

/** The instants at which credits begin or end, in their order. */
function boundsOf(credits: readonly CreditFor[]): Instant[] {
  const all = credits.flatMap((credit) => [credit.effectiveAt, endOf(credit) ?? []].flat());
  const known = new Map(all.map((at) => [at.toString(), at]));
  return [...known.values()].toSorted(Temporal.Instant.compare);
}

/** What the charges of usage of an invoice come to until the instants inside its period. */
async function spentBy(
  tx: Tx,
  source: BillingSource,
  { terms, invoice, billing, frozen, usage }: InvoiceToPay,
  bounds: readonly Instant[],
): Promise<FrozenCredits['spent']> {
  const charges = billing.due.filter(({ charge, late }) => charge.price.metric !== null && late === undefined);
  const inside = bounds.filter((at) => isAfter(at, invoice.periodStart) && isBefore(at, invoice.periodEnd));
  if (charges.length === 0 || inside.length === 0) return {};
  const parts = inside.map((at) => ({ terms, invoice: { ...invoice, periodEnd: at } }));
  const read = await readUsageOfEach(tx, source, parts);
  const input = inputOf(billing, frozen, invoice, usage, { manual: [] });
  return Object.fromEntries(
    charges.map((due) => [
      due.charge.price.id,
      inside.map((at, place) => ({ at: at.toString(), amount: plain(spentUntil(input, due, read[place] ?? [])) })),
    ]),
  );
}
