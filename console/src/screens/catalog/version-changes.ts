/** What the next version of a plan has instead of the default one: it stands in the address bar. */
export interface VersionChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly replace: readonly { readonly replacesPriceId: string; readonly withPriceId: string }[];
}

/** The address bar as far as it says the changes. */
export interface ChangesSearch {
  readonly add?: string | undefined;
  readonly remove?: string | undefined;
  /** `price_old~price_new` for each, with commas between. */
  readonly replace?: string | undefined;
}

const listOf = (text: string | undefined): readonly string[] => (text ? text.split(',') : []);

/** Reads the changes from the address bar. */
export const changesOf = ({ add, remove, replace }: ChangesSearch): VersionChanges => ({
  add: listOf(add),
  remove: listOf(remove),
  replace: listOf(replace).flatMap((each) => {
    const [replacesPriceId, withPriceId] = each.split('~');
    return replacesPriceId && withPriceId ? [{ replacesPriceId, withPriceId }] : [];
  }),
});

/** Writes them for the address bar. */
export const searchOf = ({ add, remove, replace }: VersionChanges): ChangesSearch => ({
  add: add.join(',') || undefined,
  remove: remove.join(',') || undefined,
  replace:
    replace.map(({ replacesPriceId, withPriceId }) => `${replacesPriceId}~${withPriceId}`).join(',') || undefined,
});

/** With a price in place of another one of the default version, or as a further one. */
export function withPrice(changes: VersionChanges, priceId: string, replacesPriceId?: string): VersionChanges {
  if (!replacesPriceId) return { ...changes, add: [...new Set([...changes.add, priceId])] };
  return {
    add: changes.add,
    remove: changes.remove.filter((each) => each !== replacesPriceId),
    replace: [
      ...changes.replace.filter((each) => each.replacesPriceId !== replacesPriceId),
      { replacesPriceId, withPriceId: priceId },
    ],
  };
}

/** With the price of the default version as it is; a further price is left out. */
export const without = ({ add, remove, replace }: VersionChanges, priceId: string): VersionChanges => ({
  add: add.filter((each) => each !== priceId),
  remove: remove.filter((each) => each !== priceId),
  replace: replace.filter(({ replacesPriceId }) => replacesPriceId !== priceId),
});
