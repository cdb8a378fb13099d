import type { ShareOfTime, Workings } from '../rating/index.ts';

/** The calculation of a line. */
export interface LineWorkings extends Workings {
  readonly credit?: CreditWorkings;
  /** Of a negative line by hand: all of it; the line may hold less. */
  readonly byHand?: { readonly amount: string };
}

/** The credit of a charge that was billed before and is not used. */
export interface CreditWorkings {
  /** The credit: credit notes over the rest of it name it too. */
  readonly id: string;
  readonly invoiceNumber: string | null;
  /** The charge as it was billed: its time, RFC 3339, and its amount before tax. */
  readonly from: string;
  readonly to: string;
  readonly billed: string | null;
  /** The unused part of its time. */
  readonly share: ShareOfTime | null;
  /** All of the credit, before tax; the line may hold less. */
  readonly amount: string;
  /** The earlier credits of the charge. */
  readonly before: string;
  /** Credit notes over the excess of the line; known once they are issued. */
  readonly notes?: readonly { readonly number: string; readonly amount: string }[];
}
