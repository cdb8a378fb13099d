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

/** A sentence with the names of fields as their labels: `left of amountOff` is `left of “Amount off”`. */
export const namesInWords = (text: string): string =>
  text.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => `“${wordsOf(name)}”`);

const CADENCES = new Map([
  ['P0D', 'once'],
  ['P1D', 'daily'],
  ['P1W', 'weekly'],
  ['P1M', 'monthly'],
  ['P3M', 'every 3 months'],
  ['P6M', 'every 6 months'],
  ['P1Y', 'yearly'],
]);

/** The units of durations, as they end one: `PT1H` is an hour. */
export const UNITS: ReadonlyMap<string, string> = new Map([
  ['TM', 'minute'],
  ['TH', 'hour'],
  ['D', 'day'],
  ['W', 'week'],
  ['M', 'month'],
  ['Y', 'year'],
]);

/** `1 year` for `P1Y`, `1 day, 12 hours` for `P1DT12H`; one with seconds stays as it is. */
export const durationWords = (duration: string): string =>
  duration.includes('S')
    ? duration
    : [...duration.matchAll(/(\d+)([A-Z])/g)]
        .map(({ 1: many, 2: unit, index }) => {
          const isOfTime = duration.slice(0, index).includes('T');
          return `${many} ${UNITS.get(isOfTime ? `T${unit}` : `${unit}`)}${many === '1' ? '' : 's'}`;
        })
        .join(', ');

/** `monthly` for `P1M`. */
export const cadenceWords = (cadence: string): string => CADENCES.get(cadence) ?? `every ${durationWords(cadence)}`;

/** The values of dimensions: `model: large, region: none`. */
export const groupText = (group: Readonly<Record<string, string | null>> | null | undefined): string =>
  Object.entries(group ?? {})
    .map(([name, value]) => `${name}: ${value ?? 'none'}`)
    .join(', ');
