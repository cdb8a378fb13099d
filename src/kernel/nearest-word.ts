/**
 * The known word that was probably meant by a misspelt one; null where none is near. Near is one edit (a letter more,
 * less or other, or two neighbours exchanged) for each three letters, and never more than three. The first of equally
 * near words.
 */
export function nearestWord(word: string, known: Iterable<string>): string | null {
  const written = word.toLowerCase();
  let nearest: string | null = null;
  let fewest = Math.min(3, Math.floor(written.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - written.length) >= fewest) continue;
    const edits = editsBetween(written, candidate.toLowerCase());
    if (edits < fewest) [nearest, fewest] = [candidate, edits];
  }
  return nearest;
}

/** How many edits make one word of the other, exchanged neighbours counted as one (optimal string alignment). */
export function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const counts = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const above = rows[row - 1] as number[];
      const isSame = one[row - 1] === other[column - 1];
      let edits = Math.min(
        (above[column] as number) + 1,
        (counts[column - 1] as number) + 1,
        (above[column - 1] as number) + (isSame ? 0 : 1),
      );
      if (row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1])
        edits = Math.min(edits, (rows[row - 2]?.[column - 2] as number) + 1);
      counts.push(edits);
    }
    rows.push(counts);
  }
  return rows[one.length]?.[other.length] as number;
}
