const JSON_TYPE = 'application/json';

/**
 * Does the caller ask for this type of answer rather than for JSON (`Accept`, RFC 9110 §12.5.1)? It has to name the
 * type: a range such as any type at all is answered as always.
 */
export function prefers(type: string, accept: string | undefined): boolean {
  const ranges = (accept ?? '').slice(0, MOST_CHARACTERS).split(',').map(readRange);
  const weightOf = (named: string): number =>
    Math.max(0, ...ranges.filter((range) => range.type === named).map(({ weight }) => weight));
  return weightOf(type) > weightOf(JSON_TYPE);
}

const MOST_CHARACTERS = 1000;

/** A weight that cannot be read is none. */
function readRange(text: string): { type: string; weight: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1';
  return { type, weight: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}
