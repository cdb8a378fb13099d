/** An event as it came in, checked and complete; every way in (JSON, a source) makes this of it. */
export interface IncomingEvent {
  /** Its namespace: the organization whose event it is. */
  readonly merchantId: string;
  readonly type: string;
  readonly source: string;
  /**
   * A customer's or subscription's id, or any other text, which then counts for nobody. Wins over `externalSubject`.
   */
  readonly subject: string | null;
  readonly externalSubject: string | null;
  readonly externalId: string | null;
  /** As `formatInstant` writes it. */
  readonly at: string;
  /** Was `at` sent? If not, it is no part of what a retry is compared by. */
  readonly isTimeSent: boolean;
  readonly idempotencyKey: string;
  /** The source that is the scope of the key. Absent: the whole namespace. */
  readonly keySource?: string | undefined;
  /** An object, as `canonicalText` writes it. */
  readonly data: string;
}
