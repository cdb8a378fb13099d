import type { Locale } from '../kernel/locale.ts';
import { addressLines, isRightToLeft, manyLines, oneLine, taxIdText } from '../look/index.ts';
import type { Party } from './document.ts';

/** A stranger's text with its direction; ours is a plain string. */
export interface Text {
  text: string;
  rtl: boolean;
}

export interface PartyView {
  name: Text;
  lines: Text[];
}

/** The most characters of a text. */
export const MOST = {
  name: 160,
  addressLine: 160,
  description: 1000,
  unit: 40,
  group: 80,
  number: 64,
  note: 2000,
  footer: 300,
};
const MOST_EMAILS = 3;

/** A stranger's text on one line, cleaned, with its direction. */
export const strange = (text: string, most: number): Text => {
  const clean = oneLine(text, most);
  return { text: clean, rtl: isRightToLeft(clean) };
};

/** Is there a text that somebody could read? */
export const isPresent = (text: string | null | undefined): text is string => text != null && text.trim() !== '';

/** A stranger's text of some lines, cleaned. */
export const textLines = (text: string | null | undefined, most: number, mostLines: number): Text[] =>
  isPresent(text) ? manyLines(text, most, mostLines).map((line) => ({ text: line, rtl: isRightToLeft(line) })) : [];

/**
 * The address of a party, line by line as on an envelope.
 * @param other the other side of the document
 */
export function partyView(party: Party, other: Party, locale: Locale): PartyView {
  const lines = [
    party.legalName?.trim() === party.name.trim() ? null : party.legalName,
    ...addressLines(party.address, locale),
    taxIdText(locale, party, other),
    ...(party.emails ?? []).slice(0, MOST_EMAILS),
    party.phone,
  ];
  return {
    name: strange(party.name, MOST.name),
    lines: lines.filter(isPresent).map((line) => strange(line, MOST.addressLine)),
  };
}

/** The party under its legal name; the trading name stands above it already. */
export const legalParty = (party: Party): Party => ({
  ...party,
  name: isPresent(party.legalName) ? party.legalName : party.name,
  legalName: null,
});
