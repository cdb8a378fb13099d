/** An event as it came in, checked and complete; every way in (JSON, a source) makes this of it. */
export interface IncomingEvent {
  /** Its namespace: the organization whose event it is. */
  readonly merchantId: string;
  readonly type: string;
  readonly source: string;
  /**
   * The id of a customer or subscription, or any other text, which then belongs to no customer. Wins over
   * `externalSubject`.
   */
  readonly subject: string | null;
  readonly externalSubject: string | null;
  readonly externalId: string | null;
  /** As `formatInstant` writes it. */
  readonly at: string;
  /** Was `at` sent? If not, a retry is compared without it. */
  readonly isTimeSent: boolean;
  readonly idempotencyKey: string;
  /** The source that is the scope of the key. Absent: the whole namespace. */
  readonly keySource?: string | undefined;
  /** An object, as `canonicalText` writes it. */
  readonly data: string;
}
