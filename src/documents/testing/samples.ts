import { type Decimal, decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { type TaxBehavior, taxLines } from '../../tax/index.ts';
import type { DocumentLine, InvoiceDocument, ReceiptDocument } from '../document.ts';

const at = (date: string): Temporal.Instant => Temporal.Instant.from(`${date}T00:00:00Z`);

const november = { periodStart: at('2025-11-01'), periodEnd: at('2025-12-01') };

export const platformFee: DocumentLine = {
  description: 'Platform fee, Team plan',
  periodStart: at('2025-12-01'),
  periodEnd: at('2026-01-01'),
  quantity: '1',
  unitPrice: '250',
  amount: '250.00',
  taxRate: '19',
  kind: 'fee',
};

export const inputTokens: DocumentLine = {
  description: 'Input tokens',
  ...november,
  quantity: '18240512',
  unit: 'tokens',
  unitPrice: '0.000012',
  amount: '218.89',
  taxRate: '19',
  kind: 'usage',
  group: { model: 'atlas-large', region: null },
};

export const tieredRequests: DocumentLine = {
  description: 'API requests',
  ...november,
  quantity: '1250000',
  unit: 'requests',
  unitPrice: '0.000336',
  amount: '420.00',
  taxRate: '19',
  kind: 'usage',
  tiers: [
    { from: '0', upTo: '100000', quantity: '100000', unitPrice: '0', amount: '0.00' },
    { from: '100000', upTo: '1000000', quantity: '900000', unitPrice: '0.0004', flatPrice: '10', amount: '370.00' },
    { from: '1000000', upTo: null, quantity: '250000', unitPrice: '0.0002', amount: '50.00' },
  ],
};

export const launchDiscount: DocumentLine = {
  description: 'Launch discount, 35 percent',
  quantity: '1',
  unitPrice: '-147.00',
  amount: '-147.00',
  taxRate: '19',
  kind: 'discount',
};

const seats: DocumentLine = {
  description: 'Seats added on 12 November',
  periodStart: at('2025-11-12'),
  periodEnd: at('2025-12-01'),
  quantity: '3',
  unit: 'seats',
  unitPrice: '19',
  amount: '57.00',
  taxRate: '7',
  kind: 'fee',
};

/** An invoice of one page with a bit of everything. */
export const invoice: InvoiceDocument = {
  locale: 'en',
  kind: 'invoice',
  number: 'INV-000123',
  issuedAt: Temporal.Instant.from('2025-12-01T09:30:00Z'),
  dueAt: Temporal.Instant.from('2025-12-15T09:30:00Z'),
  currency: 'EUR',
  ...november,
  seller: {
    name: 'Northwind Models',
    legalName: 'Northwind Models GmbH',
    taxId: 'DE 123 456 789',
    address: { line1: 'Torstraße 140', city: 'Berlin', zipCode: '10119', country: 'DE' },
    emails: ['billing@northwind.example'],
  },
  buyer: {
    name: 'Έρευνα & Ανάπτυξη Α.Ε.',
    taxId: 'EL094259216',
    address: { line1: 'Λεωφόρος Συγγρού 12', city: 'Αθήνα', zipCode: '117 42', country: 'GR' },
  },
  lines: [platformFee, inputTokens, tieredRequests, seats, launchDiscount],
  taxes: [
    { rate: '19', base: '741.89', amount: '140.96' },
    { rate: '7', base: '57.00', amount: '3.99' },
  ],
  subtotal: '798.89',
  totalTax: '144.95',
  grandTotal: '943.84',
  paidAmount: '20.00',
  unpaidAmount: '923.84',
  walletApplied: '20.00',
  paymentTermDays: 14,
  paymentUrl: 'https://pay.northwind.example/s/ps_01JD8X4Z7Q2M',
  notes: 'Thank you for building with us.\nQuestions? Just reply to the e-mail this invoice came with.',
  footer: 'Northwind Models GmbH · Amtsgericht Charlottenburg HRB 123456',
  color: '#0b6e4f',
  environment: 'production',
};

/** The invoice, to be paid by transfer. */
export const transferred: InvoiceDocument = {
  ...invoice,
  paymentUrl: null,
  bankTransfer: {
    holder: 'Northwind Models GmbH',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    bank: 'Commerzbank',
    note: 'Transfers from abroad: charges are borne by the payer.',
  },
};

/** A credit note over the whole of another invoice, in a currency of three digits. */
export const creditNote: InvoiceDocument = {
  ...invoice,
  kind: 'credit_note',
  number: 'CN-000004',
  dueAt: null,
  currency: 'KWD',
  lines: [{ ...platformFee, amount: '250.000', taxRate: '8.875' }],
  taxes: [{ rate: '8.875', base: '250.000', amount: '22.188' }],
  subtotal: '250.000',
  totalTax: '22.188',
  grandTotal: '272.188',
  paidAmount: '0.000',
  unpaidAmount: '0.000',
  walletApplied: null,
  paymentUrl: null,
  notes: null,
  original: { number: 'INV-000099', issuedAt: Temporal.Instant.from('2025-11-03T00:00:00Z') },
  reason: 'The export failed for two days.',
};

/** Names and words in scripts that go other ways. */
export const worldwide: InvoiceDocument = {
  ...invoice,
  currency: 'JPY',
  seller: {
    name: 'شركة النور للتقنية',
    taxId: '300012345600003',
    address: { line1: 'طريق الملك فهد 123', city: 'الرياض', zipCode: '11564', country: 'SA' },
  },
  buyer: { name: '上海星辰科技有限公司', address: { line1: '浦东新区世纪大道100号', city: '上海市', country: 'CN' } },
  lines: [
    {
      ...inputTokens,
      description: 'خدمة الحوسبة GPU A100 (ساعات) 2025',
      unit: 'ساعة',
      amount: '36150',
      taxRate: '10',
      group: { منطقة: 'الرياض', model: '大模型' },
    },
    { ...platformFee, description: 'カスタムモデル利用料', amount: '3000', taxRate: '10' },
  ],
  taxes: [{ rate: '10', base: '39150', amount: '3915' }],
  subtotal: '39150',
  totalTax: '3915',
  grandTotal: '43065',
  paidAmount: '43065',
  unpaidAmount: '0',
  walletApplied: null,
};

/** An unpaid document with the taxes and totals of its lines. Amounts that include tax become net. */
export function totalled(document: InvoiceDocument, behavior: TaxBehavior = 'exclusive'): InvoiceDocument {
  const money = (amount: Decimal): string => formatMoney(amount, document.currency);
  const { lines, taxes } = taxLines(
    document.lines.map((line) => ({
      amount: decimal(line.amount),
      taxRate: line.untaxed === 'prepayment' ? null : decimal(line.taxRate),
    })),
    behavior,
    document.currency,
  );
  const subtotal = sum(lines.map(({ net }) => net));
  const totalTax = sum(lines.map(({ tax }) => tax));
  const grandTotal = money(subtotal.plus(totalTax));
  return {
    ...document,
    lines: document.lines.map((line, index) => ({ ...line, amount: money(lines[index]?.net ?? ZERO) })),
    taxes: taxes.map(({ rate, base, amount }) => ({ rate: plain(rate), base: plain(base), amount: plain(amount) })),
    subtotal: money(subtotal),
    totalTax: money(totalTax),
    grandTotal,
    paidAmount: money(ZERO),
    unpaidAmount: grandTotal,
    walletApplied: null,
  };
}

/** The invoice with so many lines, all different. */
export const invoiceOf = (lines: number): InvoiceDocument =>
  totalled({
    ...invoice,
    lines: Array.from({ length: lines }, (_, index) => {
      const line = invoice.lines[index % invoice.lines.length] as DocumentLine;
      return { ...line, description: `${index + 1}. ${line.description}`, quantity: `${1000 + index}` };
    }),
  });

/** The receipt of the second payment of the invoice, more than was due. */
export const receipt: ReceiptDocument = {
  locale: 'en',
  kind: 'receipt',
  number: 'INV-000123-R2',
  issuedAt: Temporal.Instant.from('2025-12-12T09:30:00Z'),
  receivedAt: at('2025-12-11'),
  currency: 'EUR',
  seller: invoice.seller,
  buyer: invoice.buyer,
  invoice: { number: invoice.number, issuedAt: invoice.issuedAt, total: '943.84' },
  amount: '950.00',
  walletAmount: '26.16',
  paidBefore: '20.00',
  remaining: '0.00',
  method: 'card',
  card: { brand: 'visa', last4: '4242' },
  reference: 'RF18 5390',
  footer: invoice.footer,
  color: invoice.color,
  environment: 'production',
};
