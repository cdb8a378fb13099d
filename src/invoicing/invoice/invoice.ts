import type { Decimal } from '../../kernel/decimal.ts';
import { DEFAULT_LOCALE, type Locale } from '../../kernel/locale.ts';
import type { Instant } from '../../kernel/time.ts';
import type { FrozenTerms } from './frozen-terms.ts';
import type { InvoiceStatus } from './states.ts';

export type InvoiceKind = 'subscription' | 'upfront' | 'ad_hoc' | 'order';

export interface InvoiceRow {
  merchant_id: string;
  id: string;
  kind: InvoiceKind;
  status: InvoiceStatus;
  customer_id: string;
  subscription_id: string | null;
  clock_id: string | null;
  currency: string;
  billing_cadence: string;
  billing_anchor: Instant;
  period_number: number;
  period_start: Instant;
  period_end: Instant;
  grace_period_end: Instant;
  sequence_number: number;
  auto_approve: boolean;
  payment_term_days: number;
  terms: FrozenTerms | null;
  subtotal: Decimal;
  total_tax: Decimal;
  grand_total: Decimal;
  paid_amount: Decimal;
  unpaid_amount: Decimal;
  wallet_applied: Decimal;
  /** What credit notes took off what was unpaid; counts as paid. */
  credited_amount: Decimal;
  item_count: number;
  taxes: TaxRecord[];
  snapshot_hash: string | null;
  invoice_number: string | null;
  seller: PartyRecord | null;
  buyer: PartyRecord | null;
  issued_at: Instant | null;
  due_at: Instant | null;
  paid_at: Instant | null;
  overdue_at: Instant | null;
  failure_reason: string | null;
  failure_detail: string | null;
  calculation_attempts: number;
  /** The order of acceptance up to which usage was read; null until then. */
  usage_mark: bigint | null;
  payment_in_flight: boolean;
  /** How many automatic charges were declined: which retry comes next. */
  failed_attempts: number;
  pays_online: boolean;
  document_failure: string | null;
  /** What a tax provider outside our database has recorded; null: nothing. */
  outside_tax: OutsideTaxRecord | null;
  metadata: Record<string, unknown>;
  /** Row 18 of domain.md §4: it ends with its payment session, and has no number until it is paid. */
  lives_by_session: boolean;
  /** Who of `InvoicingParts.purposes` hears what becomes of it. */
  purpose_type: string | null;
  purpose_id: string | null;
  /** What an invoice without a period is calculated from; null for those of periods. */
  one_off: OneOffRecord | null;
  idempotency_key: string | null;
  idempotency_print: Buffer | null;
  next_action_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
}

/** What a tax provider has recorded of an invoice; amounts as decimal text. */
export interface OutsideTaxRecord {
  provider: string;
  /** As it was calculated, and billed. */
  estimatedTax: string;
  /** As it is recorded; null until then. */
  actualTax: string | null;
  reconciledAt: string | null;
  /** Why it is not recorded, in words; null: nothing is wrong. */
  problem: string | null;
  /** The provider's own document, where it gives one. */
  permalink: string | null;
  pdfUrl: string | null;
}

/** A party of an invoice as it was at issue. */
export interface PartyRecord {
  name: string;
  legalName?: string;
  taxId?: string;
  address?: Record<string, string>;
  emails?: string[];
  phone?: string;
  /** Of a buyer: the language of its documents and mails; English where it is not said. */
  locale?: Locale;
  /** Of a buyer: what it wants its invoices to say. */
  buyerReference?: string;
}

/** The language of an issued invoice: the customer's at its issue, so that later changes do not reach its documents. */
export const localeOf = ({ buyer }: Pick<InvoiceRow, 'buyer'>): Locale => buyer?.locale ?? DEFAULT_LOCALE;

/** Tax of one rate, as decimal strings. */
export interface TaxRecord {
  rate: string;
  base: string;
  amount: string;
}

/** What a one-off invoice is made of, with decimals as text: the same at every calculation. */
export interface OneOffRecord {
  /** The plan whose tax rates count (domain.md §4, Tax). */
  planId: string | null;
  /** No line bears tax. */
  taxExempt?: boolean;
  lines: OneOffLineRecord[];
}

export interface OneOffLineRecord {
  displayName: string;
  quantity: string;
  unitPrice: string;
  itemId: string | null;
  taxRate: string | null;
  type: string;
  /** What a line of an order's invoice is for; the other fields below stand with it. */
  sourceKey?: string;
  /** What the line comes to, rounded; its unit price may be an average. */
  amount?: string;
  periodStart?: string;
  periodEnd?: string;
}

/** The columns that a change may set beside the status. */
export type InvoiceChanges = Partial<
  Omit<InvoiceRow, 'merchant_id' | 'id' | 'status' | 'updated_at' | 'unpaid_amount'>
>;

/** What a new invoice is made of; the rest has defaults. */
export type NewInvoice = Pick<
  InvoiceRow,
  | 'merchant_id'
  | 'id'
  | 'kind'
  | 'status'
  | 'customer_id'
  | 'subscription_id'
  | 'clock_id'
  | 'currency'
  | 'billing_cadence'
  | 'billing_anchor'
  | 'period_number'
  | 'period_start'
  | 'period_end'
  | 'grace_period_end'
  | 'sequence_number'
  | 'auto_approve'
  | 'payment_term_days'
  | 'next_action_at'
> &
  Partial<
    Pick<
      InvoiceRow,
      | 'metadata'
      | 'lives_by_session'
      | 'purpose_type'
      | 'purpose_id'
      | 'one_off'
      | 'idempotency_key'
      | 'idempotency_print'
    >
  >;
