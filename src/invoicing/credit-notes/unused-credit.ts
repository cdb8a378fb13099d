import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { Correction } from '../difference/billed.ts';
import type { ShareOfTime } from '../rating/index.ts';

/** A credit of the lines of a price on an invoice: for unused time, or for a closed period with less usage. */
export interface UnusedCreditRow {
  merchantId: string;
  id: string;
  seq: bigint;
  /** Null: it is of a billing schedule, which `source_key` names. */
  subscriptionId: string | null;
  /** The invoice that billed it. */
  invoiceId: string;
  /** Null: the commitment of the plan. */
  priceId: string | null;
  chargedFrom: Instant;
  chargedTo: Instant;
  unusedFrom: Instant;
  unusedTo: Instant;
  displayName: string;
  /** Net of tax, all of it. */
  amount: Decimal;
  taxAmount: Decimal;
  /** Percent. */
  taxRate: Decimal;
  /** The part of it in credit notes on the invoice that billed it. */
  notedAmount: Decimal;
  notedTax: Decimal;
  /** The facts of its calculation; null of credits from before they were stored. */
  workings: { readonly share: ShareOfTime | null; readonly billed: string; readonly before: string } | null;
  /** The credit of each kind of line; null: it credits time. */
  correction: Correction | null;
  /** Of a correction: its units at one price; null: no price tells its amount. */
  quantity: Decimal | null;
  unitPrice: Decimal | null;
  /** The source of the lines in a billing schedule; null: they are of a subscription. */
  sourceKey: string | null;
  /** A credit note of a person: a reduction of the line, which counts as billed. */
  isNote?: boolean;
  /** The invoice with the remainder as a line; null: none. */
  targetInvoiceId: string | null;
  createdAt: Instant;
}

/** A credit, and the number of the invoice that billed. */
export interface CreditOn extends UnusedCreditRow {
  billedNumber: string | null;
}
