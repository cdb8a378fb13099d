import { countryCode } from '../../kernel/country.ts';
import { hasVatNumber, manyLines } from '../../look/index.ts';
import type { InvoiceDocument } from '../document.ts';
import { isPaymentOnAccount } from '../tax-notes.ts';
import { DOCUMENT_WORDS } from '../words.ts';
import { hasTwoDigits } from './amounts.ts';
import { dateIn } from './dates.ts';
import { deliveryOf } from './delivery.ts';
import { linesOf } from './lines.ts';
import { buyerOf, cleanText, sellerOf } from './parties.ts';
import { monetaryTotals, settlementOf } from './settlement.ts';
import { categoriesOf, isOutsideOfTax, taxGroups } from './tax-category.ts';
import { type Child, type Element, element, elementWith, xmlOf } from './xml.ts';

/** An e-invoice, or why there is none: `missing` names the fields that the law wants and the parties do not have. */
export type EInvoice =
  | { readonly xml: string }
  | { readonly withheld: 'legal_details_missing'; readonly missing: readonly string[] }
  | { readonly withheld: 'not_representable'; readonly because: string };

/** The profile: EN 16931 itself, which is also the profile of that name of Factur-X 1.0. */
const GUIDELINE = 'urn:cen.eu:en16931:2017';

const NAMESPACES = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:qdt': 'urn:un:unece:uncefact:data:standard:QualifiedDataType:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
};

/** UNCL 1001: a commercial invoice, a prepayment invoice, and a credit note. */
const TYPE_CODES = { invoice: '380', onAccount: '386', creditNote: '381' };

const MOST_NOTE = 5000;

/**
 * The e-invoice of a document: UN/CEFACT Cross Industry Invoice D16B as EN 16931 uses it. Pure: the same document gives
 * the same text. Where it could only be made by leaving out what EN 16931 demands or by changing a figure, there is
 * none.
 */
export function eInvoiceOf(document: InvoiceDocument): EInvoice {
  const known = made.get(document);
  if (known) return known;
  const electronic = makeEInvoice(document);
  made.set(document, electronic);
  return electronic;
}

/** The e-invoice is in the file and stored separately: one document is asked for it twice, and never changed. */
const made = new WeakMap<InvoiceDocument, EInvoice>();

function makeEInvoice(document: InvoiceDocument): EInvoice {
  const missing = missingDetails(document);
  if (missing.length > 0) return { withheld: 'legal_details_missing', missing };
  const because = obstacle(document);
  return because === null ? { xml: xmlOf(rootOf(document)) } : { withheld: 'not_representable', because };
}

/**
 * BR-9 and BR-11: both have a country. BR-S-2, BR-Z-2, BR-E-2: who says something about tax is registered for it, and
 * so is a buyer who owes it (BR-AE-2).
 */
function missingDetails(document: InvoiceDocument): string[] {
  const { seller, buyer } = document;
  const missing: string[] = [];
  if (countryCode(seller.address?.country) === null) missing.push('seller.address.country');
  if (cleanText(seller.taxId) === null && !isOutsideOfTax(document)) missing.push('seller.taxId');
  if (countryCode(buyer.address?.country) === null) missing.push('buyer.address.country');
  if (!hasVatNumber(buyer) && document.lines.map(categoriesOf(document)).includes('AE')) missing.push('buyer.taxId');
  return missing;
}

function obstacle(document: InvoiceDocument): string | null {
  if (document.lines.length === 0) return 'It has no lines, and an e-invoice has at least one (BR-16).';
  if (!hasTwoDigits(document)) return 'An amount has three digits, and an e-invoice has at most two (BR-DEC).';
  const { lines, tax, total } = monetaryTotals(document, taxGroups(document));
  const agrees = lines.eq(document.subtotal) && tax.eq(document.totalTax) && total.eq(document.grandTotal);
  return agrees ? null : 'Its totals are not those of its lines (BR-CO-10 to BR-CO-15).';
}

function rootOf(document: InvoiceDocument): Element {
  const reference = cleanText(document.buyer.buyerReference);
  return elementWith(
    'rsm:CrossIndustryInvoice',
    NAMESPACES,
    element(
      'rsm:ExchangedDocumentContext',
      element('ram:GuidelineSpecifiedDocumentContextParameter', element('ram:ID', GUIDELINE)),
    ),
    element(
      'rsm:ExchangedDocument',
      element('ram:ID', cleanText(document.number) ?? '–'),
      element('ram:TypeCode', typeCodeOf(document)),
      dateIn('ram:IssueDateTime', document.issuedAt),
      notesOf(document),
    ),
    element(
      'rsm:SupplyChainTradeTransaction',
      linesOf(document),
      element(
        'ram:ApplicableHeaderTradeAgreement',
        reference !== null && element('ram:BuyerReference', reference),
        sellerOf(document),
        buyerOf(document),
      ),
      deliveryOf(document),
      settlementOf(document),
    ),
  );
}

function typeCodeOf(document: InvoiceDocument): string {
  if (document.kind === 'credit_note') return TYPE_CODES.creditNote;
  return isPaymentOnAccount(document) ? TYPE_CODES.onAccount : TYPE_CODES.invoice;
}

/** BG-1: further information for the reader. */
const notesOf = ({ locale, environment, reason, notes, footer }: InvoiceDocument): Child =>
  [
    environment === 'sandbox' ? DOCUMENT_WORDS[locale].sandbox : null,
    reason,
    ...[notes, footer].map((text) => textOf(text)),
  ].map((note) => {
    const text = cleanText(note, MOST_NOTE);
    return text !== null && element('ram:IncludedNote', element('ram:Content', text));
  });

const textOf = (text: string | null | undefined): string =>
  manyLines(text ?? '', MOST_NOTE, 40)
    .join(' ')
    .replaceAll('\u200b', '');
