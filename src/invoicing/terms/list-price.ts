/** Between the id of a price and the variant of it: neither is in an id. */
export const VARIANT = '~';

/** The id of a price in the catalog, from the key by which billing tells its variants apart (decision 0255). */
export const listPriceId = <Key extends string | null>(key: Key): Key => (key?.split(VARIANT, 1)[0] ?? null) as Key;
