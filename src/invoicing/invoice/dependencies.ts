import type { Tx } from '../../db/index.ts';
import type { DocumentRenderer } from '../../documents/index.ts';
import type { EnvironmentName, MerchantSettings } from '../../identity/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { TaxProviderDependencies } from '../../tax-providers/index.ts';
import type { BillingSource } from '../terms/billing-terms.ts';
import type { CreditNoteRow } from './credit-note.ts';
import type { InvoiceRow } from './invoice.ts';

/** The cause of a cancellation: by hand, or the expired payment session of an offer. */
export type CancellationCause = 'byHand' | 'sessionExpired';

/**
 * The handler of an invoice's purpose in an earlier domain. Each call is in the transaction that moves the invoice,
 * which is locked; an error rolls back the move, and with it the payment. `now` is effective now for the invoice.
 */
export interface PurposeHandler {
  /** May a person issue the draft? @returns a refusal while its purpose waits for an approval */
  mayIssue?(tx: Tx, invoice: InvoiceRow): Promise<Result<undefined>>;
  /** The invoice is ISSUED. */
  issued?(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void>;
  /** The invoice will be PAID: locks what other invoices lock before they draw a number. */
  settling?(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void>;
  /** The invoice is PAID. @returns ids for the data of `invoice.paid.v0`, e.g. `{grantId}`. */
  paid(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<Readonly<Record<string, string>>>;
  /** The invoice is CANCELLED. */
  cancelled?(tx: Tx, invoice: InvoiceRow, why: CancellationCause, now: Instant): Promise<void>;
  /**
   * A payment is reversed that had paid the invoice: what it made is undone.
   * @returns WALLET_SPENT where some of that is used
   */
  reversed?(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<Result<undefined>>;
  /**
   * It is refunded now, cancelled by a person, or all of what it sold is credited: what it made is undone.
   * @returns WALLET_SPENT where some of that is used
   */
  givenBack?(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<Result<undefined>>;
  /** A charge of a stored card for it was declined. @returns the invoice as it is then */
  declined?(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<InvoiceRow>;
  /** Another invoice takes its place and serves its purpose. Absent: none can, because something was bought with it. */
  reissued?(tx: Tx, invoice: InvoiceRow, by: InvoiceRow, now: Instant): Promise<void>;
  /** Its charges count again: its refund is voided, or it is paid after it was written off. */
  standsAgain?(tx: Tx, invoice: InvoiceRow, now: Instant): Promise<void>;
  /**
   * Locks the purpose of the invoice before the invoice: for callers with this order elsewhere.
   * @param wait false: throws 55P03 if another process has it
   */
  lock?(tx: Tx, purpose: { merchantId: string; purposeId: string }, wait: boolean): Promise<void>;
}

/** The consequence of a declined charge. */
export type AfterDecline =
  /** The next automatic retry; null: none. */
  | { readonly kind: 'fails'; readonly retryAt: Instant | null; readonly failedAttempts: number }
  /** The last retry failed: the merchant's settings decide. */
  | { readonly kind: 'ends'; readonly by: MerchantSettings['dunning']['finally']; readonly failedAttempts: number }
  /** A charge by request in between, or after the end: only the reason changes. */
  | { readonly kind: 'stands' };

/** The event of an invoice for an email to its customer. */
export type InvoiceFact =
  /** ISSUED; its wallet has paid its share, and its card is being charged or its session is open. */
  | { readonly kind: 'issued' }
  /**
   * PAID: by a payment, by the wallet as it was issued, by a credit note, or because nothing was asked (`wallet`).
   */
  | { readonly kind: 'paid'; readonly by: 'payment'; readonly paymentId: string }
  | { readonly kind: 'paid'; readonly by: 'wallet' | 'credit' }
  | { readonly kind: 'partPaid'; readonly paymentId: string }
  /** A recorded payment is reversed, and the invoice is not written off. */
  | { readonly kind: 'reversed'; readonly paymentId: string }
  /** A charge of a stored card was declined, and the invoice has become, or stays, PAYMENT_FAILED. */
  | {
      readonly kind: 'declined';
      readonly chargeId: string;
      /** Null: there was none to charge. */
      readonly paymentMethodId: string | null;
      readonly reason: string | null;
      readonly next: AfterDecline;
    }
  /** `intoWallet`: the part that is in the wallet again; the remainder is refunded the way it was paid. */
  | { readonly kind: 'refunded'; readonly note: CreditNoteRow; readonly intoWallet: Decimal }
  | { readonly kind: 'refundVoided'; readonly note: CreditNoteRow; readonly stopped: Decimal; readonly left: Decimal }
  /** `off`: the deduction from the unpaid amount; `returned`: back as it was paid; the remainder is in the wallet. */
  | {
      readonly kind: 'credited';
      readonly note: CreditNoteRow;
      readonly off: Decimal;
      readonly returned?: Decimal;
      readonly intoWallet: Decimal;
    }
  /** Without a number there is no credit note. */
  /** `intoWallet`: the wallet's share, which it has again. */
  | { readonly kind: 'cancelled'; readonly note: CreditNoteRow | null; readonly intoWallet: Decimal }
  | { readonly kind: 'writtenOff' };

/** An invoice with the event that its customer is notified of. */
export interface NotifiedInvoice {
  readonly invoice: InvoiceRow;
  readonly fact: InvoiceFact;
}

/** The writer of emails to customers: called in the transaction of the event; an error rolls that back. */
export interface InvoiceMails {
  /** Writes the mails about events of some invoices of one merchant. */
  notifyAll(tx: Tx, notified: readonly NotifiedInvoice[], now: Instant): Promise<void>;
  notify(tx: Tx, invoice: InvoiceRow, fact: InvoiceFact, now: Instant): Promise<void>;
}

/** An order that a request names, as far as commitments and subscriptions of it must agree with it. */
export interface NamedOrder {
  readonly customerId: string;
  readonly currency: string;
  readonly testClockId: string | null;
  readonly cancelledAt: Instant | null;
}

/** The dependencies of invoicing beside the transaction. */
export interface InvoicingDependencies {
  readonly environment: EnvironmentName;
  /** The base of links, without a slash at the end. */
  readonly publicUrl: string;
  readonly source: BillingSource;
  readonly renderer: DocumentRenderer;
  readonly mails: InvoiceMails;
  /** Ends a subscription because an invoice of it was not paid. `now` is effective now for it. */
  endUnpaid(tx: Tx, subscription: { merchantId: string; subscriptionId: string }, now: Instant): Promise<void>;
  /** By the `type` of the purpose for which an invoice was made (`makeOneOffInvoice`). */
  readonly purposes: Readonly<Record<string, PurposeHandler>>;
  /** Locks the order that a body names in `orderId`; 403, 404. */
  lockNamedOrder(tx: Tx, id: string, wall: Instant): Promise<Result<NamedOrder>>;
  /** How tax providers outside our database are called. */
  readonly taxProviders: TaxProviderDependencies;
}
