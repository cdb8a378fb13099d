import { billedParty } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { sumsInWords, taxSentences } from '../../documents/index.ts';
import type { MerchantOrganization } from '../../identity/index.ts';
import { decimal, plain, sum } from '../../kernel/decimal.ts';
import type { Locale } from '../../kernel/locale.ts';
import { formatMoney } from '../../kernel/money.ts';
import { isBefore } from '../../kernel/time.ts';
import { figuresOf, lineNameIn, pluralOf, priceFor, quantityIn, scaleOf, TERMS, unitOf } from '../../look/index.ts';
import type { PageBill, PageLine } from '../../pages/index.ts';
import { inOrderOfTime, notesOfLine, withCreditNotes } from '../calculation/line-notes.ts';
import { HAS_UNITS, untaxedWords, whyUntaxed } from '../documents/describe-document.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectLines } from '../invoice/invoices.sql.ts';
import { sellerParty } from '../issue/seller.ts';
import { INVOICE_WORDS } from './words.ts';

/** A page is for reading; the document has all lines of a large invoice. */
const MOST_LINES = 200;

/**
 * An invoice as its customer sees it on a page: its lines with what explains them, its taxes and its total, and why
 * there is no tax. The lines beyond the limit are one line.
 */
export async function billForCustomers(
  tx: Tx,
  merchant: MerchantOrganization,
  invoice: InvoiceRow,
  locale: Locale,
): Promise<PageBill> {
  const rows = await withCreditNotes(
    tx,
    invoice,
    inOrderOfTime(invoice, await selectLines(tx, invoice.id, -1, MOST_LINES)),
  );
  const { currency, terms, taxes } = invoice;
  const seller = invoice.seller ?? sellerParty(merchant);
  const buyer = invoice.buyer ?? (await billedParty(tx, invoice.customerId));
  const taxIncluded = terms?.taxBehavior === 'inclusive';
  const amountOf = ({ totalAmount, totalPrice }: LineRow) => (taxIncluded ? totalAmount : totalPrice);
  const periods = new Set(rows.map((row) => periodOf(row, locale)));
  const scales = scalesOf(rows, currency);
  const lines = rows.map(
    (row): PageLine => ({
      kind: kindOf(row),
      description: lineNameIn(locale, row.displayName),
      amount: amountOf(row),
      group: row.groupValues,
      calculation: calculationOf(row, currency, locale, scales.get(listOf(row)) ?? 1),
      notes: [
        ...sectionOf(invoice, row),
        ...(periods.size > 1 ? [periodOf(row, locale)] : []),
        ...notesOfLine(row, invoice, locale),
      ].filter((note) => note !== null),
    }),
  );
  const more = invoice.itemCount - rows.length;
  const remainder = (taxIncluded ? invoice.grandTotal : invoice.subtotal).minus(sum(rows.map(amountOf)));
  const description = `${more} ${pluralOf(locale, more, INVOICE_WORDS[locale].moreLines)}`;
  const ofTaxes = taxes.map(({ rate }) => ({ taxRate: rate }));
  return {
    currency,
    lines: [...lines, ...(more > 0 ? [{ kind: 'whole' as const, description, amount: remainder }] : [])],
    sections: invoice.sections.map(({ name, subtotal }) => ({
      ...{ label: `${TERMS[locale].subtotal}: ${name}`, amount: decimal(subtotal) },
    })),
    totals: totalsOf(invoice, seller, locale),
    period: periods.size === 1 ? ([...periods][0] ?? null) : null,
    notes: taxSentences({
      ...{ locale, seller, buyer, taxIncluded },
      lines: [
        ...rows.map((row) => ({ taxRate: row.taxRate.toFixed(), untaxed: whyUntaxed(invoice, row) })),
        ...(more > 0 ? ofTaxes : []),
      ],
      ...untaxedWords(invoice, merchant.settings.invoiceNotes),
    }),
  };
}

/** The name of the section of a line. */
const sectionOf = ({ sections }: InvoiceRow, { subscriptionId = null }: LineRow): string[] =>
  sections.filter((each) => each.subscriptionId === subscriptionId).map(({ name }) => name);

/** Where there is no tax, a row of 0 says nothing: the sentences below say why. */
function totalsOf(invoice: InvoiceRow, seller: NonNullable<InvoiceRow['seller']>, locale: Locale): PageBill['totals'] {
  const { currency, terms, grandTotal, totalTax } = invoice;
  const money = (amount: InvoiceRow['subtotal']) => formatMoney(amount, currency);
  const isInclusive = terms?.taxBehavior === 'inclusive';
  const [subtotal, ...taxes] = sumsInWords({
    ...{ locale, currency, seller, taxes: invoice.taxes },
    taxIncluded: isInclusive,
    subtotal: money(invoice.subtotal),
    totalTax: money(totalTax),
  });
  return [
    { label: isInclusive && subtotal ? subtotal.label : TERMS[locale].subtotal, amount: invoice.subtotal },
    ...(totalTax.isZero() ? [] : taxes.map(({ label, amount }) => ({ label, amount: decimal(amount) }))),
    { label: TERMS[locale].total, amount: grandTotal, isStrong: true },
  ];
}

function kindOf({ appliesToLineId, type, eventType }: LineRow): PageLine['kind'] {
  if (appliesToLineId !== null) return 'part';
  if (type === 'commitment' || type === 'true_up' || eventType === 'discount') return 'whole';
  return eventType;
}

const periodOf = ({ periodStart, periodEnd }: LineRow, locale: Locale): string | null =>
  isBefore(periodStart, periodEnd) ? figuresOf(locale).period(periodStart, periodEnd) : null;

/** The lines of one price are one list, whose prices have one scale. */
const listOf = ({ priceId, id }: LineRow): string => priceId ?? id;

const scalesOf = (rows: readonly LineRow[], currency: string): ReadonlyMap<string, number> =>
  new Map(
    [...Map.groupBy(rows, listOf)].map(([list, of]) => [
      list,
      scaleOf(
        of.filter(hasUnits).flatMap((row) => row.tiers?.map((tier) => decimal(tier.unitPrice)) ?? [row.unitPrice]),
        currency,
      ),
    ]),
  );

const hasUnits = ({ type }: LineRow): boolean => HAS_UNITS.has(type);

/**
 * `1,200 tokens × €3.00 per 1,000,000`; of tiers, a term for each; nothing for a line that is an amount, or one unit at
 * its price. Packages and percentages have notes of their own, so only their quantity is said.
 */
function calculationOf(row: LineRow, currency: string, locale: Locale, scale: number): string | null {
  if (!hasUnits(row)) return null;
  const { money, quantity } = figuresOf(locale);
  const { display } = row.workings ?? {};
  if (display) {
    const term = (units: string, price: Parameters<typeof priceFor>[0]) =>
      `${quantity(quantityIn(units, display))}\u00a0× ${display.name} ${TERMS[locale].at(money(priceFor(price, display.per), currency))}`;
    return row.tiers !== null && row.workings?.soFar === undefined
      ? tiersInTerms(row.tiers, term, (flat) => money(flat, currency))
      : term(plain(row.quantity), row.unitPrice);
  }
  const per = scale === 1 ? '' : ` ${TERMS[locale].per(quantity(String(scale)))}`;
  const unit = row.metricUnit === '' ? '' : `\u00a0${unitOf(row.metricUnit, row.quantity, locale)}`;
  const counted = `${quantity(row.quantity)}${unit}`;
  const price = (each: Parameters<typeof priceFor>[0]) => `${money(priceFor(each, scale), currency)}${per}`;
  const { packages, percentage, soFar } = row.workings ?? {};
  if (row.tiers !== null && row.tiers.length > 0 && soFar === undefined)
    return tiersInTerms(
      row.tiers,
      (units, each) => `${quantity(units)} × ${price(each)}`,
      (flat) => money(flat, currency),
    );
  if (packages !== undefined || percentage !== undefined || row.tiers !== null) return counted;
  if (row.metricUnit === '' && row.quantity.eq(1)) return null;
  return `${counted} × ${price(row.unitPrice)}`;
}

/** A term for each tier that bears anything, and its flat price. */
const tiersInTerms = (
  tiers: NonNullable<LineRow['tiers']>,
  term: (units: string, unitPrice: string) => string,
  money: (amount: string) => string,
): string =>
  tiers
    .filter((tier) => !decimal(tier.quantity).isZero() || !decimal(tier.flatPrice).isZero())
    .map(({ quantity, unitPrice, flatPrice }) => {
      const flat = decimal(flatPrice).isZero() ? '' : ` + ${money(flatPrice)}`;
      return `${term(quantity, unitPrice)}${flat}`;
    })
    .join(' + ');
