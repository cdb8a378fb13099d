import type { Tx } from '../../db/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { type Decimal, ONE, sum } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { openSessionOf, sessionUrl } from '../../payments/index.ts';
import { bearsTax, type OneOffLine } from '../calculation/one-off-lines.ts';
import { upfrontCharges } from '../difference/due.ts';
import { loadOwnDue } from '../drafts/billing-state.ts';
import { calculateInvoice, outsideItemsFor } from '../drafts/calculate-invoice.ts';
import { freezeFor } from '../drafts/freeze-terms.ts';
import type { DividedUsage } from '../drafts/held-credits.ts';
import { holdCredits } from '../drafts/preview.ts';
import { saveCalculation } from '../drafts/save-calculations.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoiceOf, selectLines, updateInvoice } from '../invoice/invoices.sql.ts';
import { purposeOf } from '../invoice/purposes.ts';
import { issueInvoice } from '../issue/issue.ts';
import { type OneOffInvoice, openOneOff } from '../issue/make-one-off.ts';
import { withOutsideAnswer } from '../outside-tax/answer.ts';
import { checkSession } from '../paying/sessions.ts';
import type { BillingTerms } from '../terms/billing-terms.ts';

/** The charges at the start of a subscription. */
export interface UpfrontOrder {
  readonly terms: BillingTerms;
  /** Put into the customer's wallet with the same payment; 0: nothing. */
  readonly prefund: Decimal;
  /**
   * The handler in `InvoicingDependencies.purposes` that waits for it, and hears of it by the subscription's id: the
   * invoice is then an offer. Null if the subscription is already active: an ordinary invoice.
   */
  readonly awaitedBy: string | null;
  /** Money that has come already pays it: under this id it is issued, and no session is opened for it. */
  readonly paidAs?: string;
}

/** Does a subscription have charges at its start? Also if they are 0. */
export const asksUpfront = ({ terms, prefund }: Pick<UpfrontOrder, 'terms' | 'prefund'>): boolean =>
  prefund.gt(0) || upfrontCharges(terms).length > 0;

/**
 * Makes the upfront invoice of a subscription (domain.md §3, "Upfront payment"): the charges in advance of its first
 * periods, and a line for the wallet. It is issued at once, unless the merchant requires approvals; where it comes to 0
 * it is paid, and what waited for it has happened when this returns.
 * @param now effective now for the subscription
 * @returns a refusal where it could only be paid by card and the merchant takes none (NO_PAYMENT_PROVIDER), or a
 *   redirect URL is not allowed. Whoever answers with one must roll back.
 */
export async function makeUpfrontInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { terms, prefund, awaitedBy, paidAs }: UpfrontOrder,
  now: Instant,
): Promise<Result<OneOffInvoice>> {
  purposeOf(dependencies, awaitedBy);
  const opened = await openOneOff(
    tx,
    {
      ...terms,
      ...(paidAs !== undefined && { id: paidAs }),
      kind: 'upfront',
      lines: prefund.gt(0) ? [topUp(prefund)] : [],
      livesBySession: awaitedBy !== null,
      purpose: awaitedBy === null ? null : { type: awaitedBy, id: terms.subscriptionId },
      autoApprove: true,
      billsFrom: terms.bounds.startedAt,
    },
    now,
  );
  const rates = await freezeFor(dependencies, tx, terms, opened, now);
  const due = await loadOwnDue(tx, terms, opened, rates, null);
  const held = await holdCredits(dependencies, tx, [opened], { lock: true });
  const [divided] = (await held.divide(tx, dependencies.source, [{ terms, invoice: opened }])) as [DividedUsage];
  const facts = { terms, invoice: opened, billing: due, frozen: rates, usage: [], divided };
  const unanswered = await held.freeze(tx, dependencies.source, facts);
  const items = outsideItemsFor(due, unanswered, opened, []);
  const when = opened.livesBySession ? 'now' : 'later';
  const frozen = await withOutsideAnswer(dependencies.taxProviders, tx, opened, unanswered, { items, when }, now);
  if (frozen === null) {
    const waiting = await updateInvoice(tx, opened, { terms: unanswered, nextActionAt: now }, now);
    return ok({ invoice: waiting, session: null });
  }
  const draft = await saveCalculation(tx, opened, calculateInvoice(due, frozen, opened, []), frozen, now);
  if (draft.livesBySession && draft.grandTotal.gt(0)) {
    const checked = await checkSession(dependencies, tx, terms.checkout, now);
    if (!checked.ok) return checked;
  }
  const { requiredApprovals } = await merchantSettings(tx);
  if (requiredApprovals.invoice.length > 0) return ok({ invoice: draft, session: null });
  const invoice = await issueInvoice(
    dependencies,
    tx,
    draft,
    'autoApprove',
    now,
    paidAs === undefined ? undefined : null,
  );
  return ok({ invoice, session: (await openSessionOf(tx, invoice.id)) ?? null });
}

const topUp = (amount: Decimal): OneOffLine => ({
  displayName: 'Prepaid balance',
  quantity: ONE,
  unitPrice: amount,
  type: 'wallet_top_up',
});

/** The payment of a customer before the subscription is active, in the invoice's currency, as decimal text. */
export interface UpfrontPayment {
  readonly amount: string;
  /** In-advance charges, with their tax, less the wallet's share. */
  readonly upfrontCharges: string;
  readonly walletCharge: string;
  /** By which it can be paid now. */
  readonly session: { readonly id: string; readonly url: string } | null;
}

/** The amount of an upfront invoice, and the ways to pay it. */
export async function describeUpfront(
  dependencies: InvoicingDependencies,
  tx: Tx,
  invoice: InvoiceRow,
): Promise<UpfrontPayment> {
  const { id, currency, unpaidAmount: unpaid, grandTotal: total } = invoice;
  const lines = await selectLines(tx, id);
  const wallet = sum(lines.filter((line) => !bearsTax(line)).map(({ totalAmount }) => totalAmount));
  const session = await openSessionOf(tx, id);
  const asked = unpaid.gt(0) ? unpaid : total; // what the wallet has paid of the charges is asked of nobody
  return {
    amount: formatMoney(asked, currency),
    upfrontCharges: formatMoney(asked.minus(wallet), currency),
    walletCharge: formatMoney(wallet, currency),
    session: session ? { id: session.id, url: sessionUrl(dependencies.publicUrl, session.id) } : null,
  };
}

/** The invoice that a subscription waits for. */
export const upfrontInvoiceOf = (tx: Tx, awaitedBy: string, subscriptionId: string): Promise<InvoiceRow | undefined> =>
  selectInvoiceOf(tx, { type: awaitedBy, id: subscriptionId });
