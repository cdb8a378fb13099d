/**
 * A list goes in as `{name:Array(…)}`, which ClickHouse refuses where it cannot read it; of JSON it would make an empty
 * one.
 */
export type Parameter = string | readonly bigint[] | readonly (string | null)[];

/** A ClickHouse refuses a field of a form beyond 128 KiB, and a parameter is one. */
const MOST_BYTES = 100_000;

/** The values of a statement, beside its text. */
export class Parameters {
  readonly values: Record<string, Parameter> = {};

  /** @returns the value as an expression of this type */
  one(name: string, type: string, value: string | bigint | number): string {
    this.values[name] = String(value);
    return `{${name}:${type}}`;
  }

  /** @returns the list as an expression, of as many parameters as it needs */
  list(name: string, type: string, values: readonly bigint[] | readonly (string | null)[]): string {
    const parts = split(values as readonly (bigint | string | null)[]).map((part, index) => {
      this.values[`${name}_${index}`] = part as Parameter;
      return `{${name}_${index}:Array(${type})}`;
    });
    return parts.length === 1 ? `${parts[0]}` : `arrayConcat(${parts.join(', ')})`;
  }
}

/** A list in parts, none of which is too large unless one value alone is. There is at least one. */
function split<T extends bigint | string | null>(values: readonly T[]): T[][] {
  let last: T[] = [];
  const parts = [last];
  let bytes = 0;
  for (const value of values) {
    const size = sizeOf(value);
    if (bytes + size > MOST_BYTES && last.length > 0) {
      last = [];
      parts.push(last);
      bytes = 0;
    }
    last.push(value);
    bytes += size;
  }
  return parts;
}

/** At most: a text is quoted, and each of its bytes may need a backslash. */
const sizeOf = (value: bigint | string | null): number =>
  typeof value === 'string' ? 2 * Buffer.byteLength(value) + 3 : String(value).length + 1;
