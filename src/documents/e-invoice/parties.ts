import { countryCode } from '../../kernel/country.ts';
import { cleanLine, numberOf } from '../../look/index.ts';
import type { InvoiceDocument, Party } from '../document.ts';
import { isOutsideOfTax } from './tax-category.ts';
import { type Child, type Element, element, elementWith } from './xml.ts';

const MOST = 1000; // of a name or a line of an address: what EN 16931 does not bound, a reader does

/** Text that a stranger wrote, fit for a machine and for its reader; null where nothing is left of it. */
export const cleanText = (text: string | null | undefined, most: number = MOST): string | null => {
  const clean = cleanLine(text ?? '', most);
  return clean === '' ? null : clean;
};

const optional = (name: string, text: string | null): Child => text !== null && element(name, text);

/** BG-4: the seller, under its legal name. */
export function sellerOf(document: InvoiceDocument): Element {
  const { seller } = document;
  const name = cleanText(seller.legalName) ?? cleanText(seller.name) ?? '–';
  const trading = cleanText(seller.name);
  const taxId = cleanText(seller.taxId);
  const known = numberOf({ ...seller, taxId });
  // BR-O-2 admits no VAT number beside what is not subject to tax; it stands as the number of a tax office.
  const number = known && isOutsideOfTax(document) ? { ...known, scheme: 'FC' } : known;
  return element(
    'ram:SellerTradeParty',
    // BR-CO-26 wants an identifier, and a tax id that is no VAT number is none.
    optional('ram:ID', cleanText(seller.id) ?? (number?.scheme === 'FC' ? taxId : null)),
    element('ram:Name', name),
    trading !== null &&
      trading !== name &&
      element('ram:SpecifiedLegalOrganization', element('ram:TradingBusinessName', trading)),
    contactOf(seller, trading),
    addressOf(seller),
    emailAddressOf(seller),
    number !== null && registration(number),
  );
}

/** BG-7: the buyer. A tax id that is no VAT number has no place of its own there; it stands as an identifier. */
export function buyerOf(document: InvoiceDocument): Element {
  const { buyer } = document;
  const taxId = cleanText(buyer.taxId);
  const number = numberOf({ ...buyer, taxId });
  const isVat = number?.scheme === 'VA' && !isOutsideOfTax(document); // BR-O-2 admits none there
  const legal = cleanText(buyer.legalName);
  const name = legal ?? cleanText(buyer.name) ?? '–';
  const trading = cleanText(buyer.name);
  return element(
    'ram:BuyerTradeParty',
    !isVat && optional('ram:ID', taxId),
    element('ram:Name', name),
    trading !== null &&
      trading !== name &&
      element('ram:SpecifiedLegalOrganization', element('ram:TradingBusinessName', trading)),
    phoneOf(buyer),
    addressOf(buyer),
    emailAddressOf(buyer),
    isVat && registration(number),
  );
}

const registration = ({ scheme, text }: { scheme: string; text: string }): Element =>
  element('ram:SpecifiedTaxRegistration', elementWith('ram:ID', { schemeID: scheme }, text));

/** BG-6: whom to ask. XRechnung wants the name, the phone and the email address (BR-DE-5 to BR-DE-7). */
function contactOf({ phone, emails }: Party, name: string | null): Child {
  const [number, email] = [cleanText(phone), cleanText(emails?.[0])];
  if (number === null && email === null) return null;
  return element(
    'ram:DefinedTradeContact',
    optional('ram:PersonName', name),
    number !== null && telephone(number),
    email !== null && element('ram:EmailURIUniversalCommunication', element('ram:URIID', email)),
  );
}

/** BG-9, of which a phone is known. */
function phoneOf(party: Party): Child {
  const phone = cleanText(party.phone);
  return phone !== null && element('ram:DefinedTradeContact', telephone(phone));
}

const telephone = (number: string): Element =>
  element('ram:TelephoneUniversalCommunication', element('ram:CompleteNumber', number));

function addressOf({ address }: Party): Element {
  const code = countryCode(address?.country);
  return element(
    'ram:PostalTradeAddress',
    optional('ram:PostcodeCode', cleanText(address?.zipCode)),
    optional('ram:LineOne', cleanText(address?.line1)),
    optional('ram:LineTwo', cleanText(address?.line2)),
    optional('ram:CityName', cleanText(address?.city)),
    optional('ram:CountryID', code),
    optional('ram:CountrySubDivisionName', cleanText(address?.state)),
  );
}

/** The address of a delivery: XRechnung wants the town with the country (BR-DE-10, BR-DE-11). */
export const townOf = ({ address }: Party): Element =>
  element(
    'ram:PostalTradeAddress',
    optional('ram:PostcodeCode', cleanText(address?.zipCode)),
    optional('ram:CityName', cleanText(address?.city)),
    optional('ram:CountryID', countryCode(address?.country)),
  );

/** The electronic address of the party (BT-34, BT-49). */
function emailAddressOf({ emails }: Party): Child {
  const email = cleanText(emails?.[0]);
  return (
    email !== null && element('ram:URIUniversalCommunication', elementWith('ram:URIID', { schemeID: 'EM' }, email))
  );
}
