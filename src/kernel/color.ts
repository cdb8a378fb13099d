/** The accent where a merchant has none, or one that is no colour. */
export const DEFAULT_ACCENT = '#2a5b8c';

const BLACK = '#000000';
const PAPER = '#ffffff';

/** `#rgb` or `#rrggbb` as lower-case `#rrggbb`; anything else is the default accent. */
export function accentColor(color: string | null | undefined): string {
  const text = (color ?? '').trim().toLowerCase();
  if (/^#[0-9a-f]{6}$/.test(text)) return text;
  if (/^#[0-9a-f]{3}$/.test(text)) return text.replace(/[0-9a-f]/g, '$&$&');
  return DEFAULT_ACCENT;
}

/** Relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2). */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** White where it reads well on the accent (4.5, WCAG 2.2 AA), else black, which then reads better still. */
export const textOn = (accent: string): string => (contrast(accent, PAPER) >= 4.5 ? PAPER : BLACK);

/** A colour on the way from one to another: a `share` of 0 is the first, of 1 the second. */
export function mix(from: string, to: string, share: number): string {
  const channels = [1, 3, 5].map((at) => {
    const [start, end] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16)) as [number, number];
    return Math.round(start + (end - start) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

const SHARES = Array.from({ length: 26 }, (_, step) => step / 25);

/**
 * The colour nearest to the given one that can be read as text on each of the grounds (4.5, WCAG 2.2 AA): darker where
 * the grounds are light, lighter where they are dark.
 */
export function readableOn(color: string, grounds: readonly [string, ...string[]]): string {
  const end = textOn(grounds[0]);
  const reads = (candidate: string) => grounds.every((ground) => contrast(candidate, ground) >= 4.5);
  return SHARES.map((share) => mix(color, end, share)).find(reads) ?? end;
}
