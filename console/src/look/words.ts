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

/** Values that say too little in their own words, by the field that has them. */
const VALUES: Readonly<Record<string, string>> = {
  'anchor.keep': 'As before the pause',
  'anchor.restart': 'Begin anew',
  'availableOn.issue': 'With the invoice',
  'availableOn.payment': 'With its payment',
  'credit.invoice': 'On the next invoice',
  'credit.wallet': 'Into the wallet',
  'credit.none': 'Not at all',
  'duration.once': 'In one period',
  'duration.periods': 'In some periods',
  'duration.forever': 'In all periods',
  'effective.periodEnd': 'With the end of the period',
  'finally.keep': 'Nothing more',
  'finally.write_off': 'Write the invoice off',
  'finally.terminate': 'Terminate the subscription',
  'onEnd.owed': 'All that is missing',
  'onEnd.prorated': 'The part that is over',
  'onEnd.waived': 'Nothing more',
  'proration.second': 'By the second',
  'proration.day': 'By the day',
  'proration.none': 'Not at all',
  'settlement.refund': 'Refund the payment',
  'settlement.wallet': 'Into the wallet',
  'settlement.reduce': 'Reduce what is open',
  'trueUp.segment': 'At the end of each segment',
  'trueUp.term': 'At the end of the term',
  'usage.bill': 'Is billed',
  'usage.free': 'Is free',
};

const lastName = (field: string): string => field.slice(field.lastIndexOf('.') + 1);

/** A value of a field with a fixed choice, as a person reads it. */
export const valueWords = (field: string, value: string): string =>
  VALUES[`${lastName(field)}.${value}`] ?? wordsOf(value);

/** Do the words of its values say what a field is for? The reference names the values by their own words. */
export const saysItself = (field: string): boolean =>
  Object.keys(VALUES).some((name) => name.startsWith(`${lastName(field)}.`));

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
