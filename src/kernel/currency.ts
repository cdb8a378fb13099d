/**
 * ISO 4217 as of 2026-01-01 (with XCG, ZWG and SLE, without HRK, BGN and ANG): active codes by their minor digits.
 * Metals, bond units, units of account (XDR, XUA, XSU, XAD) and the codes for tests and for none are left out. Our own
 * table, because `Intl` follows spending habits (HUF, IDR and thirty more show 0 digits there) and not the standard.
 */
const CODES_BY_MINOR_DIGITS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP
    COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD
    KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK
    NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT
    TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const minorDigitsByCode: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_MINOR_DIGITS).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code) => [code, Number(digits)] as const),
  ),
);

/** Every active ISO 4217 code, sorted. */
export const currencyCodes: readonly string[] = [...minorDigitsByCode.keys()].toSorted();

/** Is this an active ISO 4217 code (upper case)? */
export const isCurrency = (code: string): boolean => minorDigitsByCode.has(code);

/** Digits after the point of the currency's minor unit (ISO 4217). @throws for an unknown code. */
export function minorDigits(currency: string): number {
  const digits = minorDigitsByCode.get(currency);
  if (digits === undefined) throw new RangeError(`${currency} is no ISO 4217 currency.`);
  return digits;
}
