import type { DocumentLine, InvoiceDocument } from '../document.ts';
import {
  creditNote,
  inputTokens,
  invoice,
  invoiceOf,
  launchDiscount,
  platformFee,
  tieredRequests,
  totalled,
  transferred,
  worldwide,
} from './samples.ts';

const untaxed = (more: Partial<DocumentLine> = {}): DocumentLine => ({ ...platformFee, taxRate: '0', ...more });

const german = {
  name: 'Müller GmbH',
  taxId: 'DE987654321',
  address: { line1: 'Hauptstraße 1', city: 'Köln', zipCode: '50667', country: 'DE' },
  emails: ['rechnung@mueller.example'],
};
const unregistered = { ...invoice.seller, id: 'org_1', taxId: null };

const made = (more: Partial<InvoiceDocument>, behavior?: 'inclusive'): InvoiceDocument =>
  totalled({ ...invoice, buyer: german, ...more }, behavior);

/**
 * A document for each kind of sale, party, amount and payment of an e-invoice. `scripts/check-e-invoices.ts` runs the
 * official rules over all of them.
 */
export const eInvoiceCases: Readonly<Record<string, InvoiceDocument>> = {
  'all-kinds-of-lines': invoice,
  domestic: made({ lines: [platformFee] }),
  'reverse-charge': made({ buyer: invoice.buyer, lines: [untaxed(), untaxed({ untaxed: 'exempt' })] }),
  'reverse-charge-and-prepayment': made({
    buyer: invoice.buyer,
    lines: [untaxed(), untaxed({ untaxed: 'prepayment', amount: '5.00', unitPrice: '5' })],
  }),
  exempt: made({ lines: [untaxed({ untaxed: 'exempt' })] }),
  'exempt-beside-taxed': made({ lines: [platformFee, untaxed({ untaxed: 'exempt' })] }),
  'zero-rate': made({ lines: [untaxed()] }),
  'zero-rate-beside-taxed': made({ lines: [platformFee, untaxed()] }),
  'out-of-scope': made({ seller: unregistered, lines: [untaxed()] }),
  'out-of-scope-abroad': made({ seller: unregistered, buyer: invoice.buyer, lines: [untaxed()] }),
  'outside-of-reach': made({ seller: { ...invoice.seller, id: 'org_1' }, untaxedBy: 'outside', lines: [untaxed()] }),
  'outside-of-reach-beside-taxed': made({ untaxedBy: 'outside', lines: [untaxed(), platformFee] }),
  'top-up': made({ lines: [untaxed({ untaxed: 'prepayment', quantity: '1', description: 'Wallet top-up' })] }),
  'top-up-unregistered': made({ seller: unregistered, lines: [untaxed({ untaxed: 'prepayment' })] }),
  discounts: made({ lines: [platformFee, { ...launchDiscount, amount: '-87.50', unitPrice: '-87.50' }] }),
  'discount-of-all': made({ lines: [platformFee, { ...launchDiscount, amount: '-250.00', unitPrice: '-250' }] }),
  tiers: made({ lines: [tieredRequests] }),
  'tiers-and-groups': made({ lines: [tieredRequests, inputTokens] }),
  'tax-included': made(
    { taxIncluded: true, lines: [platformFee, { ...platformFee, taxRate: '7', amount: '9.99' }] },
    'inclusive',
  ),
  'many-rates': made({
    lines: ['19', '7', '8.875', '0'].map((taxRate) => ({ ...platformFee, taxRate, amount: '33.33' })),
  }),
  'rate-in-two-ways': made({ lines: [platformFee, { ...platformFee, taxRate: '19.00' }] }),
  'no-units': made({ lines: [{ ...inputTokens, quantity: '0', amount: '0.00' }] }),
  'credit-of-unused-time': made({
    lines: [platformFee, { ...platformFee, isAmount: true, unitPrice: '-83.33', amount: '-83.33', kind: 'discount' }],
  }),
  'credit-note': totalled({
    ...creditNote,
    currency: 'EUR',
    buyer: german,
    lines: [{ ...platformFee, amount: '250.00' }],
  }),
  'credit-note-over-a-part': totalled({
    ...creditNote,
    ...{ currency: 'EUR', buyer: german, reason: null },
    lines: [{ ...platformFee, isAmount: true, amount: '12.34', unitPrice: '12.34' }],
  }),
  'credit-note-reverse-charge': totalled({
    ...creditNote,
    ...{ currency: 'EUR', lines: [untaxed({ amount: '250.00' })] },
  }),
  'no-digits': made({ currency: 'JPY', lines: [{ ...platformFee, unitPrice: '36150', amount: '36150' }] }),
  'three-digits': made({ currency: 'KWD', lines: [untaxed({ unitPrice: '36.5', amount: '36.500' })] }),
  'in-dollars': made({ currency: 'USD', lines: [platformFee] }),
  transfer: { ...transferred, buyer: german },
  'transfer-without-iban': { ...transferred, buyer: german, bankTransfer: { account: '000123456 / 021000021' } },
  'transfer-in-dollars': made({ currency: 'USD', paymentUrl: null, bankTransfer: transferred.bankTransfer ?? null }),
  'no-means-of-payment': made({ paymentUrl: null, bankTransfer: null }),
  'due-on-receipt': made({ paymentTermDays: 0, dueAt: invoice.issuedAt }),
  'no-due-date': made({ dueAt: null, paymentTermDays: 1 }),
  'paid-by-the-wallet': {
    ...invoice,
    ...{ buyer: german, paidAmount: '943.84', unpaidAmount: '0.00', walletApplied: '943.84', paymentUrl: null },
  },
  'day-of-supply': made({
    ...{ serviceFrom: invoice.issuedAt, serviceTo: invoice.issuedAt, periodStart: null, periodEnd: null },
    lines: [{ ...platformFee, periodStart: null, periodEnd: null }],
  }),
  'days-of-supply': made({
    ...{ serviceFrom: invoice.periodStart, serviceTo: invoice.issuedAt, periodStart: null, periodEnd: null },
    lines: [{ ...platformFee, periodStart: null, periodEnd: null }],
  }),
  'fee-in-advance-and-usage': made({
    lines: [platformFee, { ...inputTokens, notes: ['500 included', '35% of 44.71'] }],
  }),
  'small-business': made({ seller: unregistered, lines: [untaxed()], invoiceNotes: { exempt: '§ 19 UStG' } }),
  'no-period': made({ periodStart: null, periodEnd: null }),
  'buyer-without-address-parts': made({ buyer: { name: 'B', address: { country: 'FR' } } }),
  'buyer-of-the-united-states': made({
    buyer: { name: 'Acme Inc.', taxId: '12-3456789', address: { state: 'CA', zipCode: '94105', country: 'US' } },
  }),
  'seller-with-an-office-number': made({ seller: { ...invoice.seller, taxId: '12/345/67890' } }),
  'greek-seller': made({
    seller: { ...invoice.seller, taxId: 'EL094259216', address: { city: 'Αθήνα', country: 'GR' } },
  }),
  'seller-and-buyer-by-phone': made({
    seller: { ...invoice.seller, phone: '+49 30 1234567' },
    buyer: { ...german, phone: '+49 221 7654321', legalName: 'Müller Handelsgesellschaft mbH' },
  }),
  'long-names': made({
    seller: { ...invoice.seller, legalName: 'Gesellschaft für Abrechnung '.repeat(40) },
    lines: [{ ...platformFee, description: 'A description that goes on and on. '.repeat(60) }],
    notes: `${'Note '.repeat(300)}\n\nEnd`,
  }),
  'signs-of-markup': made({ lines: [{ ...platformFee, description: '<b>"A" & \'B\'</b> ]]>' }] }),
  'other-scripts': worldwide,
  'many-lines': invoiceOf(120),
  'for-a-german-authority': made({
    seller: { ...invoice.seller, phone: '+49 30 1234567' },
    buyer: { ...german, buyerReference: '04011000-12345-34' },
  }),
  sandbox: made({ environment: 'sandbox' }),
};
