import type { Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import type { Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { PageBill, PageDownload } from '../../pages/index.ts';
import type { DeclineReason } from '../provider/provider.ts';
import type { FinishedCharge } from './charges.sql.ts';
import type { EntityType, PaymentSession } from './session.ts';

/** A successful payment, for the handlers. */
export interface CompletedPayment {
  readonly merchantId: string;
  readonly session: PaymentSession;
  /** The money's own record, `pay_…`. */
  readonly receiptId: string;
  readonly amount: Decimal;
  readonly currency: string;
  readonly methodKind: 'card';
  /** The stored method, where one was stored. */
  readonly paymentMethodId: string | null;
  /** The session waited for the bank before (`processing`). */
  readonly wasProcessing: boolean;
}

/** The customer's view of the subject of a session. */
export interface EntityDescription {
  /** Its name: `Invoice`, `Subscription to Pro`. */
  readonly title: string;
  /** The name of the merchant as customers know it. */
  readonly seller: string;
  /** The address of the merchant's logo, relative to `/pay/`; absent if it has none. */
  readonly logo?: string;
  readonly number?: string | null;
  readonly bill: PageBill;
  /** Who pays it: the name, the address and the tax id, line by line. */
  readonly buyer?: readonly string[];
  readonly dueAt?: Instant | null;
  readonly amount: Decimal;
  /** The payer, if no customer exists yet. */
  readonly payer?: { readonly name: string; readonly email: string };
  /** The consequence, in a sentence: the time of the next invoice, or the start of a subscription. */
  readonly note?: string;
  /** The language that its customer has read so far, where no customer says otherwise. */
  readonly locale?: Locale;
  /** The present status, regardless of one session; absent if the session is all there is. */
  readonly standing?: EntityStanding;
}

/** The status of the subject of a session. Addresses are relative to `/pay/`. */
export interface EntityStanding {
  /** Can a card pay it now, by this session or by the next one? */
  readonly isPayable: boolean;
  /** It is paid, and `text` says when. */
  readonly isPaid: boolean;
  /** `This invoice is paid`. */
  readonly heading: string;
  /** A sentence for the customer beside it. */
  readonly text: string;
  /** Its own page: a GET shows it, a POST leads to a session by which it can be paid. */
  readonly page: string;
  readonly downloads: readonly PageDownload[];
}

/** The subject of a session. */
export interface EntityOfSession {
  readonly merchantId: string;
  readonly sessionId: string;
  readonly entityType: EntityType;
  readonly entityId: string;
}

/** The same; without a session where a stored card is charged. */
export type EntityToLock = Omit<EntityOfSession, 'sessionId'> & Partial<Pick<EntityOfSession, 'sessionId'>>;

/**
 * The handlers of the domains that opened the sessions; they know the entity, payments does not. Each is called in the
 * transaction that moves the session. `now` is effective now for the session.
 */
export interface PaymentHandlers {
  /**
   * Makes what a session is for, where nothing of it was there before: its customer, and what it pays. Called before
   * the card is kept and the receipt is written, of sessions in mode `setup` too. A refusal undoes the payment.
   */
  prepare?(tx: Tx, session: PaymentSession, now: Instant): Promise<Result<void>>;
  /** A card was stored by a session in mode `setup`. */
  cardStored?(tx: Tx, session: PaymentSession, now: Instant): Promise<void>;
  /** The money came. A refusal undoes the payment: nothing was charged and the session is as it was. */
  completed(tx: Tx, event: CompletedPayment, now: Instant): Promise<Result<void>>;
  /** A customer has paid, and the bank answers later: until then nothing else may pay. */
  processing?(tx: Tx, event: { merchantId: string; session: PaymentSession }, now: Instant): Promise<void>;
  /** A card was declined; the customer may try another until the session expires. */
  declined(
    tx: Tx,
    event: { merchantId: string; session: PaymentSession; reason: DeclineReason; wasProcessing: boolean },
    now: Instant,
  ): Promise<void>;
  /** A stored card was charged for an invoice, which `lockNow` holds, or was declined. */
  charged(tx: Tx, event: FinishedCharge, now: Instant): Promise<void>;
  /**
   * All money of a payment was refunded at the provider. `wall` is wall time.
   * @returns whether that refunds its invoice, so that the payment's return is requested now
   */
  refundedOutside?(
    tx: Tx,
    payment: { merchantId: string; invoiceId: string; receiptId: string },
    wall: Instant,
  ): Promise<boolean>;
  /**
   * Sessions of one merchant expired by time or by POST …/expire, not because others took their places. Of those in
   * mode `setup` only the ones for subscriptions are told.
   */
  expired(tx: Tx, sessions: readonly PaymentSession[], now: Instant): Promise<void>;
  /**
   * For the hosted page, in mode `setup` too, at this wall time, in the customer's language; `asked` is the browser's,
   * for a customer who has none.
   * @returns null where there is no such entity
   */
  describe(
    tx: Tx,
    entity: EntityOfSession & { readonly asked: Locale },
    now: Instant,
  ): Promise<EntityDescription | null>;
  /**
   * Takes the locks of upstream's own records, before payments locks the session: upstream opens and expires sessions
   * while it holds an invoice, so the other order would be a deadlock (found and run anew by the database, a second
   * later).
   */
  lock?(tx: Tx, entity: EntityToLock): Promise<void>;
  /**
   * The same for due work of one merchant, which holds the rows of the sessions already, so that it must not wait for
   * upstream's.
   * @throws 55P03 where somebody has them: the step is taken again later.
   */
  lockNow?(tx: Tx, entities: readonly EntityToLock[]): Promise<void>;
}
