import type { Decimal } from '../kernel/decimal.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant, isBefore, parseInstant } from '../kernel/time.ts';

/** The kinds of facts, as the table of facts has them. */
export const FACT_KINDS = [
  'invoice',
  'creditNote',
  'payment',
  'wallet',
  'subscription',
  'entitlement',
  'alert',
  'order',
  'change',
  'mail',
  'webhook',
] as const;

/** The kinds of entries of a timeline. */
export const KINDS = ['usage', ...FACT_KINDS] as const;
export type Kind = (typeof KINDS)[number];

/** The place of an entry: the latest first. */
export interface Place {
  readonly at: Instant;
  /** The order of facts of one instant; 0 for usage, of which the ids decide. */
  readonly seq: bigint;
  readonly id: string;
}

/** An entry of a timeline, without its words. */
export interface Entry extends Place {
  readonly kind: Kind;
  readonly what: string;
  readonly resourceId: string | null;
  readonly invoiceId: string | null;
  readonly amount: Decimal | null;
  /** Null: the amount is in units, or there is none. */
  readonly currency: string | null;
  readonly count: number | null;
  readonly label: string | null;
  readonly userId: string | null;
}

/** Does an entry stand behind a place, which is null for the top of the timeline? */
export const isBehind = (entry: Place, place: Place | null): boolean => place === null || byPlace(entry, place) > 0;

/** The latest first. */
export const byPlace = (a: Place, b: Place): number => {
  if (!a.at.equals(b.at)) return isBefore(a.at, b.at) ? 1 : -1;
  if (a.seq !== b.seq) return a.seq < b.seq ? 1 : -1;
  return a.id < b.id ? 1 : a.id === b.id ? 0 : -1;
};

/** A place as the text of a cursor. */
export const cursorOf = ({ at, seq, id }: Place): string =>
  Buffer.from(`${formatInstant(at)} ${seq} ${id}`, 'utf8').toString('base64url');

/** The place of a cursor; a validation error for any other text. */
export function readCursor(text: string): Result<Place> {
  const parts = /^(\S+) (\d{1,18}) (.+)$/su.exec(Buffer.from(text, 'base64url').toString('utf8'));
  const at = parts && parseInstant(parts[1] as string);
  return parts === null || at === null
    ? invalidField('before', 'must be the nextCursor of a page')
    : ok({ at, seq: BigInt(parts[2] as string), id: parts[3] as string });
}
