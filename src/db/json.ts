/**
 * `JSON.parse` that loses no digit: a number that a JavaScript number holds exactly stays one; any other is kept as the
 * text that was sent (`JSON.rawJSON`), and `JSON.stringify` writes it back as it came.
 */
export function parseExactJson(text: string): unknown {
  if (!MAY_BE_INEXACT.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    return isExact(value, source) ? value : JSON.rawJSON(source);
  });
}

/**
 * A number of 16 characters or more, or with an exponent of three digits: at most 15 digits and an exponent of two are
 * always exact. Few texts have such a number, and asking for the source of each number costs ten times the parse.
 */
const MAY_BE_INEXACT = /(?:^|[[:,])\s*-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/;
const INTEGER = /^-?(?:0|[1-9]\d{0,14})$/;

/**
 * At most 15 significant digits survive the way into a double and back (IEEE 754); up to there the shortest text has
 * them.
 */
function isExact(value: number, source: string): boolean {
  if (INTEGER.test(source)) return true;
  if (!Number.isFinite(value)) return false;
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && !(value === 0 && digits.length > 0);
}
