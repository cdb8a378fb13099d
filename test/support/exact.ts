/** Fractions of big integers: the arithmetic of oracles, without code of the program's arithmetic. */
export interface Exact {
  readonly over: bigint;
  /** Above 0. */
  readonly under: bigint;
}

const divisorOf = (a: bigint, b: bigint): bigint => {
  let [x, y] = [a < 0n ? -a : a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
};

/** A fraction in its lowest terms. */
export function exact(over: bigint, under = 1n): Exact {
  const sign = under < 0n ? -1n : 1n;
  const common = divisorOf(over, under * sign) * sign;
  return { over: over / common, under: under / common };
}

/** Reads a decimal text, or a fraction of two. */
export function read(text: string): Exact {
  const [over = '', under] = text.split('/');
  if (under !== undefined) return exact(BigInt(over), BigInt(under));
  const [whole = '', fraction = ''] = text.split('.');
  return exact(BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}

export const NOTHING = exact(0n);

export const plus = (a: Exact, b: Exact): Exact => exact(a.over * b.under + b.over * a.under, a.under * b.under);
export const minus = (a: Exact, b: Exact): Exact => exact(a.over * b.under - b.over * a.under, a.under * b.under);
export const times = (a: Exact, b: Exact): Exact => exact(a.over * b.over, a.under * b.under);
export const isAbove = (a: Exact, b: Exact): boolean => a.over * b.under > b.over * a.under;
export const least = (a: Exact, b: Exact): Exact => (isAbove(a, b) ? b : a);
export const most = (a: Exact, b: Exact): Exact => (isAbove(a, b) ? a : b);

/** The next integer at or above it. */
export const ceiling = ({ over, under }: Exact): bigint =>
  -(-over / under) + (over > 0n && over % under !== 0n ? 1n : 0n);

/** The nearest integer; of two the one away from zero. */
export function nearest({ over, under }: Exact): bigint {
  const magnitude = over < 0n ? -over : over;
  const rounded = (2n * magnitude + under) / (2n * under);
  return over < 0n ? -rounded : rounded;
}
