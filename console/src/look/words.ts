const UPPER = new Map(
  ['id', 'url', 'pdf', 'iban', 'bic', 'api', 'csv', 'xml', 'ip'].map((word) => [word, word.toUpperCase()] as const),
);

/** The name of a field or a value of the API as a person reads it: `externalId` is `External ID`. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([a-z])(\d)/g, '$1 $2')
    .split(/[\s_.]+/)
    .filter((word) => word !== '')
    .map((word) => UPPER.get(word.toLowerCase()) ?? word.toLowerCase());
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const CADENCES = new Map([
  ['P0D', 'once'],
  ['P1D', 'daily'],
  ['P1W', 'weekly'],
  ['P1M', 'monthly'],
  ['P3M', 'every 3 months'],
  ['P6M', 'every 6 months'],
  ['P1Y', 'yearly'],
]);

const UNITS = new Map([
  ['Y', 'year'],
  ['M', 'month'],
  ['W', 'week'],
  ['D', 'day'],
]);

/** `1 year` for `P1Y`; one with hours stays as it is. */
export const durationWords = (duration: string): string =>
  duration.includes('T')
    ? duration
    : duration
        .replaceAll(/(\d+)([YMWD])/g, (_, many: string, unit: string) => {
          const name = UNITS.get(unit);
          return `, ${many} ${name}${many === '1' ? '' : 's'}`;
        })
        .replace('P, ', '');

/** `monthly` for `P1M`. */
export const cadenceWords = (cadence: string): string => CADENCES.get(cadence) ?? `every ${durationWords(cadence)}`;

/** The values of dimensions: `model: large, region: none`. */
export const groupText = (group: Readonly<Record<string, string | null>> | null | undefined): string =>
  Object.entries(group ?? {})
    .map(([name, value]) => `${name}: ${value ?? 'none'}`)
    .join(', ');
