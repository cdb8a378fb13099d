/**
 * The name of a subscription as far as it says something of its own. Most merchants put it together of the plan and the
 * customer (`Nordlys: Scale`), and a customer reads both already.
 * @param known the names of its plan and its customer
 * @returns null where the name repeats those and no more
 */
export function ownNameOf(name: string, known: readonly string[]): string | null {
  const left = known
    .filter((each) => each !== '')
    .toSorted((one, other) => other.length - one.length)
    .reduce((text, each) => text.replaceAll(each.toLowerCase(), ''), name.toLowerCase());
  return /[\p{L}\p{N}]/u.test(left) ? name : null;
}
