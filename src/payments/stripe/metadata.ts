import type { Stripe } from 'stripe';

/** Our subject of a payment at Stripe. Without either, another program created it. */
export interface OwnMarks {
  /** Of a charge of a stored card. */
  readonly key: string | null;
  /** Of a page. */
  readonly sessionId: string | null;
}

/** The names in `metadata` at Stripe; docs/stripe.md prints them. */
export const MARKS = {
  key: 'reckoner_key',
  session: 'reckoner_session',
  invoice: 'reckoner_invoice',
  customer: 'reckoner_customer',
} as const;

/** Reads our marks from an object of Stripe. */
export const marksOf = (metadata: Stripe.Metadata | null | undefined): OwnMarks => ({
  key: metadata?.[MARKS.key] ?? null,
  sessionId: metadata?.[MARKS.session] ?? null,
});

/** Did we make this object? */
export const isOurs = (metadata: Stripe.Metadata | null | undefined): boolean => {
  const { key, sessionId } = marksOf(metadata);
  return key !== null || sessionId !== null;
};
