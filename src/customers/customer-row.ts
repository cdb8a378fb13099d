import type { Locale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import type { TaxVerdict } from './tax-address.ts';

/** How invoices are joined: `customer`, all that one customer pays. */
export const INVOICE_GROUPINGS = ['customer'] as const;
export type InvoiceGrouping = (typeof INVOICE_GROUPINGS)[number];

export interface CustomerRow {
  id: string;
  merchantId: string;
  consumerId: string;
  externalId: string | null;
  taxId: string | null;
  taxRates: Record<string, number>;
  /** No sale to it has tax. */
  taxExempt: boolean;
  /** Why, as its documents say it; null: in the merchant's words, else the common ones. */
  taxExemptReason: string | null;
  currency: string | null;
  /** The language of the customer; null if it is not set. */
  locale: Locale | null;
  buyerReference: string | null;
  /** The customer of the merchant that pays its invoices; null: it pays them itself. */
  payerId: string | null;
  /** Are the invoices that it pays joined? Null: each subscription has its own. */
  invoiceGrouping: InvoiceGrouping | null;
  notificationSettings: Partial<Record<NotificationKind, boolean>>;
  metadata: Record<string, string | number | boolean>;
  /** The verdict of the merchant's tax provider on an address; null: none. */
  taxVerdict: TaxVerdict | null;
  createdAt: Instant;
  updatedAt: Instant;
}

export type NotificationKind = 'invoiceIssued' | 'invoicePaid' | 'renewalReminder';
