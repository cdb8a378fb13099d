/** Account numbers as people type them: in groups, in small letters. */

/** Without spaces, in capitals. */
export const compact = (text: string): string => text.replace(/\s/g, '').toUpperCase();

/** How long an IBAN is, by its country (the IBAN registry of SWIFT). */
const LENGTHS =
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 ' +
  'FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 ' +
  'LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 ' +
  'SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30';

const lengths: ReadonlyMap<string, number> = new Map(
  LENGTHS.split(' ').map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** The fault of an IBAN; null if there is none (ISO 13616). */
export function ibanProblem(text: string): string | null {
  const iban = compact(text);
  if (!/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(iban)) return 'must be an IBAN, such as DE89 3704 0044 0532 0130 00';
  const country = iban.slice(0, 2);
  const length = lengths.get(country);
  if (length === undefined) return `must be of a country that has IBANs, which ${country} is not`;
  if (iban.length !== length) return `must have ${length} characters in ${country}, and has ${iban.length}`;
  return remainder(iban) === 1 ? null : 'must have the right check digits: one character or more are mistyped';
}

/** The first four characters go to the end, letters count from 10, and the whole is divided by 97 (ISO 7064). */
function remainder(iban: string): number {
  let left = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    left = (left * (value > 9 ? 100 : 10) + value) % 97;
  }
  return left;
}

/** The fault of a BIC; null if there is none (ISO 9362). */
export const bicProblem = (text: string): string | null =>
  /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(compact(text))
    ? null
    : 'must be a BIC of 8 or 11 characters, such as COBADEFFXXX';
