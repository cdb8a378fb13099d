import type { Tx } from '../../db/index.ts';
import { type BodyKey, keyColumns } from '../../http/index.ts';
import { merchantSettings } from '../../identity/index.ts';
import { newId } from '../../kernel/ids.ts';
import { ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import { openSessionOf, type PaymentSession } from '../../payments/index.ts';
import { type OneOffContent, recordOneOff } from '../calculation/one-off-lines.ts';
import { calculateKept } from '../calculation/one-off-terms.ts';
import type { UnusedCreditRow } from '../credit-notes/unused-credit.ts';
import { insertUnusedCredit } from '../credit-notes/unused-credits.sql.ts';
import { creditLinesOn } from '../credits/credit-lines.ts';
import { saveCalculation } from '../drafts/save-calculations.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceKind, InvoiceRow } from '../invoice/invoice.ts';
import { insertInvoice, updateInvoice } from '../invoice/invoices.sql.ts';
import { purposeOf } from '../invoice/purposes.ts';
import { firstStatus } from '../invoice/states.ts';
import { checkSession } from '../paying/sessions.ts';
import type { SessionOptions } from '../terms/session-options.ts';
import { issueInvoice } from './issue.ts';

/** The inputs of an invoice without a period. */
export interface NewOneOffInvoice extends OneOffContent {
  /** The id, if it was promised before the invoice; default: a new one. */
  readonly id?: string;
  readonly merchantId: string;
  readonly customerId: string;
  readonly subscriptionId: string | null;
  readonly clockId: string | null;
  readonly kind: Exclude<InvoiceKind, 'subscription'>;
  readonly currency: string;
  /** The credits of other invoices on its lines. */
  readonly credits?: readonly Omit<UnusedCreditRow, 'seq' | 'targetInvoiceId'>[];
  readonly paymentTermDays: number;
  /** Row 18 of domain.md §4: the invoice ends when its session expires, and has no number until it is paid. */
  readonly livesBySession: boolean;
  /** Its purpose: the handler of this type in `InvoicingDependencies.purposes` hears of the invoice. */
  readonly purpose: { readonly type: string; readonly id?: string } | null;
  readonly autoApprove: boolean;
  /** For an upfront invoice: the instant at which its charges became due. */
  readonly billsFrom?: Instant;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The options of its payment session, if it is issued at once; null: it has none, a stored card pays. */
  readonly session?: Pick<SessionOptions, 'redirectUrls' | 'expiresAt'> | null;
  /** Unique by the database; creators of invoices under keys first look for an earlier one. */
  readonly idempotency?: BodyKey;
}

/** An invoice that was made, and the session by which it can be paid now. */
export interface OneOffInvoice {
  readonly invoice: InvoiceRow;
  readonly session: PaymentSession | null;
}

/**
 * Makes an invoice that bills no period (domain.md §4): calculated at once, and issued in the same transaction unless
 * it waits for an approval. A total of 0 is paid at once, so that its purpose is fulfilled when this returns. With an
 * external tax provider, a background job continues with the invoice; for an offer, this function waits.
 * @param now effective now for the purpose of the invoice
 * @returns a refusal if the lines are less than 0 (400, field `lines`), a redirect URL is not allowed (400), the
 *   session would already be over (400, field `expiresAt`), or only a card could pay it and the merchant takes none
 *   (NO_PAYMENT_PROVIDER). After a refusal the caller must roll back.
 */
export async function makeOneOffInvoice(
  dependencies: InvoicingDependencies,
  tx: Tx,
  order: NewOneOffInvoice,
  now: Instant,
): Promise<Result<OneOffInvoice>> {
  purposeOf(dependencies, order.purpose?.type ?? null);
  if (order.livesBySession || order.session) {
    const checked = await checkSession(dependencies, tx, order.session ?? {}, now);
    if (!checked.ok) return checked;
  }
  const opened = await openOneOff(tx, order, now);
  for (const credit of order.credits ?? []) await insertUnusedCredit(tx, { ...credit, targetInvoiceId: opened.id });
  const when = order.livesBySession ? 'now' : 'later';
  const calculated = await calculateKept(dependencies, tx, opened, when, now, await creditLinesOn(tx, opened));
  if (!calculated.ok) return calculated;
  const { calculation, frozen, waits } = calculated.value;
  if (waits) {
    const waiting = await updateInvoice(tx, opened, { terms: frozen, nextActionAt: now }, now);
    return ok({ invoice: waiting, session: null });
  }
  const draft = await saveCalculation(tx, opened, calculation, frozen, now);
  const { requiredApprovals } = await merchantSettings(tx);
  if (!isIssuedAtOnce(order, requiredApprovals.invoice)) return ok({ invoice: draft, session: null });
  const invoice = await issueInvoice(dependencies, tx, draft, 'autoApprove', now, order.session);
  return ok({ invoice, session: (await openSessionOf(tx, invoice.id)) ?? null });
}

/** Purchases, top-ups and payment links never wait for an approval; nothing else is issued before the last is given. */
export const isIssuedAtOnce = (
  order: Pick<NewOneOffInvoice, 'kind' | 'livesBySession' | 'autoApprove'>,
  requiredApprovals: readonly string[],
): boolean =>
  (order.kind === 'ad_hoc' && order.livesBySession) || (order.autoApprove && requiredApprovals.length === 0);

/** Without a period the four times are the creation, the cadence is P0D and the number in the sequence 0. */
export async function openOneOff(tx: Tx, order: NewOneOffInvoice, now: Instant): Promise<InvoiceRow> {
  const invoice = await insertInvoice(
    tx,
    {
      merchantId: order.merchantId,
      id: order.id ?? newId('invoice'),
      kind: order.kind,
      status: firstStatus.other,
      customerId: order.customerId,
      subscriptionId: order.subscriptionId,
      clockId: order.clockId,
      currency: order.currency,
      billingCadence: 'P0D',
      billingAnchor: order.billsFrom ?? now,
      periodNumber: 0,
      periodStart: now,
      periodEnd: now,
      gracePeriodEnd: now,
      sequenceNumber: 0,
      autoApprove: isIssuedAtOnce(order, []),
      paymentTermDays: order.paymentTermDays,
      metadata: { ...order.metadata },
      livesBySession: order.livesBySession,
      purposeType: order.purpose?.type ?? null,
      purposeId: order.purpose?.id ?? null,
      oneOff: recordOneOff(order),
      ...keyColumns(order.idempotency ?? null),
      nextActionAt: null,
    },
    now,
  );
  if (!invoice) throw new Error('A one-off invoice has no period that another could have taken.');
  return invoice;
}
