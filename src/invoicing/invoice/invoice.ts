import type { Decimal } from '../../kernel/decimal.ts';
import { DEFAULT_LOCALE, type Locale } from '../../kernel/locale.ts';
import type { Instant, InstantText } from '../../kernel/time.ts';
import type { FrozenTerms } from './frozen-terms.ts';
import type { InvoiceStatus } from './states.ts';

export type InvoiceKind = 'subscription' | 'upfront' | 'ad_hoc' | 'order' | 'grouped';

export interface InvoiceRow {
  merchantId: string;
  id: string;
  kind: InvoiceKind;
  status: InvoiceStatus;
  customerId: string;
  /** Who pays it, from its issue on; null: its customer. */
  payerId: string | null;
  subscriptionId: string | null;
  clockId: string | null;
  currency: string;
  billingCadence: string;
  billingAnchor: Instant;
  periodNumber: number;
  periodStart: Instant;
  periodEnd: Instant;
  gracePeriodEnd: Instant;
  sequenceNumber: number;
  autoApprove: boolean;
  paymentTermDays: number;
  terms: FrozenTerms | null;
  subtotal: Decimal;
  totalTax: Decimal;
  grandTotal: Decimal;
  paidAmount: Decimal;
  unpaidAmount: Decimal;
  walletApplied: Decimal;
  /** The credits on the unpaid amount; they count as paid. */
  creditedAmount: Decimal;
  /** The lines by which it collects what payments and credits pay no longer: no revenue. */
  collectedDebt: Decimal;
  itemCount: number;
  taxes: TaxRecord[];
  contentHash: string | null;
  invoiceNumber: string | null;
  seller: PartyRecord | null;
  buyer: PartyRecord | null;
  issuedAt: Instant | null;
  dueAt: Instant | null;
  paidAt: Instant | null;
  overdueAt: Instant | null;
  failureReason: string | null;
  failureDetail: string | null;
  calculationAttempts: number;
  /** The order of acceptance up to which usage was read; null until then. */
  usageMark: bigint | null;
  /** Of a cancelled invoice that is billed again: from this place in the order of billing on it counts for nothing. */
  rebilledFrom: bigint | null;
  /** The invoice that it replaces, and the one that replaces it; null: none. */
  reissueOfId: string | null;
  reissuedAsId: string | null;
  /** Its lines are those of the invoice that it replaces, and no calculation of its own. */
  isCopy: boolean;
  /** The grouped invoice on which its lines stand; null: they stand on it. */
  groupedIntoId: string | null;
  /** Of a grouped invoice: its subscriptions, in the order of its lines; else none. */
  sections: readonly SectionRecord[];
  paymentInFlight: boolean;
  /** How many automatic charges were declined: which retry comes next. */
  failedAttempts: number;
  paysOnline: boolean;
  documentFailure: string | null;
  /** The record of an external tax provider; null: none. */
  outsideTax: OutsideTaxRecord | null;
  metadata: Record<string, unknown>;
  /** Row 18 of domain.md §4: it ends with its payment session, and has no number until it is paid. */
  livesBySession: boolean;
  /** The handler in `InvoicingDependencies.purposes` that hears of the invoice. */
  purposeType: string | null;
  purposeId: string | null;
  /** The inputs of an invoice without a period; null for those of periods. */
  oneOff: OneOffRecord | null;
  idempotencyKey: string | null;
  idempotencyPrint: Buffer | null;
  nextActionAt: Instant | null;
  createdAt: Instant;
  updatedAt: Instant;
}

/** A subscription on a grouped invoice, as it was joined. */
export interface SectionRecord {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly name: string;
  /** Before tax, as decimal text. */
  readonly subtotal: string;
  /** The invoices whose lines it has: several where the subscription has several series. */
  readonly invoiceIds: readonly string[];
}

/** The record of a tax provider for an invoice; amounts as decimal text. */
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
  /** Of a seller: the country of its tax id, where a registration says it. */
  taxIdCountry?: string;
  address?: Record<string, string>;
  emails?: string[];
  phone?: string;
  /** Of a buyer: the language of its documents and mails; English where it is not said. */
  locale?: Locale;
  /** For a buyer: its own reference for its invoices. */
  buyerReference?: string;
  /** Of a buyer that pays for another customer: the name of that one. */
  servedName?: string;
  /** Of a buyer: why sales to it have no tax, where the invoice is exempt. */
  taxExemptReason?: string;
}

/** An invoice as each of its subscriptions sees it: of a grouped one once for each section, else itself. */
export const bySubscription = (invoice: InvoiceRow): InvoiceRow[] =>
  invoice.kind === 'grouped'
    ? invoice.sections.map(({ subscriptionId }) => ({ ...invoice, subscriptionId }))
    : [invoice];

/** The subscriptions whose charges stand on an invoice. */
export const subscriptionsOf = ({ subscriptionId, sections }: Pick<InvoiceRow, 'subscriptionId' | 'sections'>) =>
  subscriptionId === null ? sections.map((section) => section.subscriptionId) : [subscriptionId];

/** The subscription and the customer of a line: those of its section, else of its invoice. */
export function ownerOfLine(
  { memberId = null }: { readonly memberId?: string | null },
  { sections, subscriptionId, customerId }: Pick<InvoiceRow, 'sections' | 'subscriptionId' | 'customerId'>,
): Pick<InvoiceRow, 'subscriptionId' | 'customerId'> {
  const section = memberId === null ? undefined : sections.find(({ invoiceIds }) => invoiceIds.includes(memberId));
  return section
    ? { subscriptionId: section.subscriptionId, customerId: section.customerId }
    : { subscriptionId, customerId };
}

/** Whose money is asked, and to whom it is given back (commercial.md §8). */
export const payerOf = ({ payerId, customerId }: Pick<InvoiceRow, 'payerId' | 'customerId'>): string =>
  payerId ?? customerId;

/** The language of an issued invoice: the customer's at its issue, so that later changes do not reach its documents. */
export const localeOf = ({ buyer }: Pick<InvoiceRow, 'buyer'>): Locale => buyer?.locale ?? DEFAULT_LOCALE;

/** Tax of one rate, as decimal strings. */
export interface TaxRecord {
  rate: string;
  base: string;
  amount: string;
}

/** The inputs of a one-off invoice, with decimals as text: the same at every calculation. */
export interface OneOffRecord {
  /** The plan whose tax rates count (domain.md §4, Tax). */
  planId: string | null;
  /** No line has tax; false: they have, also if the customer is exempt; absent: as the customer is. */
  taxExempt?: boolean;
  /** The time of the supply, where it was said. */
  serviceFrom?: InstantText;
  serviceTo?: InstantText;
  lines: OneOffLineRecord[];
  /** The billing credit that it buys. */
  buys?: BoughtCredit;
}

/** A billing credit that a paid invoice makes; amounts as decimal text, net of tax. */
export interface BoughtCredit {
  source: 'purchase' | 'top_up';
  amount: string;
  price: string;
  expiresAt: InstantText | null;
  /** How long it lasts from its payment, where no instant is named. */
  expiresAfter: string | null;
}

/** The date of a prepaid commitment that a line asks, by its place. */
export interface PrepaymentOfLine {
  readonly commitmentId: string;
  readonly date: number;
}

/** Which segment of a commitment a line asks, and why so much; amounts are decimal text. */
export interface TrueUpOfLine {
  readonly commitmentId: string;
  readonly segment: number;
  /** What has to be spent, and what was. */
  readonly amount: string;
  readonly spent: string;
  /** What earlier invoices asked, and what this one asks. */
  readonly before: string;
  readonly asked: string;
}

export interface OneOffLineRecord {
  displayName: string;
  quantity: string;
  unitPrice: string;
  itemId: string | null;
  taxRate: string | null;
  type: string;
  /** The subject of a line on an order's invoice. */
  sourceKey?: string;
  /** Of the same: the amount of the line, rounded; its unit price may be an average. */
  amount?: string;
  /** Of a prepaid date. */
  prepayment?: PrepaymentOfLine;
  /** Of what is missing to a commitment. */
  trueUp?: TrueUpOfLine;
  /** The time of the line, where it has one of its own. */
  periodStart?: InstantText;
  periodEnd?: InstantText;
}

/** The columns that a change may set beside the status. */
export type InvoiceChanges = Partial<Omit<InvoiceRow, 'merchantId' | 'id' | 'status' | 'updatedAt' | 'unpaidAmount'>>;

/** The fields of a new invoice; the others have defaults. */
export type NewInvoice = Pick<
  InvoiceRow,
  | 'merchantId'
  | 'id'
  | 'kind'
  | 'status'
  | 'customerId'
  | 'subscriptionId'
  | 'clockId'
  | 'currency'
  | 'billingCadence'
  | 'billingAnchor'
  | 'periodNumber'
  | 'periodStart'
  | 'periodEnd'
  | 'gracePeriodEnd'
  | 'sequenceNumber'
  | 'autoApprove'
  | 'paymentTermDays'
  | 'nextActionAt'
> &
  Partial<
    Pick<
      InvoiceRow,
      | 'metadata'
      | 'livesBySession'
      | 'purposeType'
      | 'purposeId'
      | 'oneOff'
      | 'idempotencyKey'
      | 'idempotencyPrint'
      | 'terms'
      | 'usageMark'
      | 'reissueOfId'
      | 'isCopy'
    >
  >;

/** The same of a period, which gets its id as it is stored. */
export type NewPeriod = Omit<NewInvoice, 'id'>;

/** Was the invoice made with its lines? A calculation keeps them. An upfront invoice of a subscription has prices. */
export const hasGivenLines = ({ oneOff, kind }: Pick<InvoiceRow, 'oneOff' | 'kind'>): boolean =>
  oneOff !== null && kind !== 'upfront';
