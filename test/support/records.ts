import type { Tables } from './snapshots.ts';

/** What billing wrote, in the order in which it did. */
const TABLES: readonly (readonly [name: string, order: string])[] = [
  ['subscription', 'seq'],
  ['invoice', 'seq'],
  ['invoice_line', '(select seq from invoice i where (i.merchant_id, i.id) = (t.merchant_id, t.invoice_id)), position'],
  [
    'invoice_usage',
    `(select seq from invoice i where (i.merchant_id, i.id) = (t.merchant_id, t.invoice_id)),
     (select seq from price p where (p.merchant_id, p.id) = (t.merchant_id, t.price_id)), group_key`,
  ],
  ['credit_note', 'seq'],
  ['payment_session', 'seq'],
  ['outbox', 'seq'],
  ['merchant_counter', 'series'],
  ['due_failure', 'kind, id'],
];

/** What is made of ids, and the frozen terms, whose keys are ids: the rates stand on the lines. */
const LEFT_OUT = `- 'seq' - 'usage_mark' - 'snapshot_hash' - 'terms'`;
const ID = /\b(?:org|cus|sub|inv|li|ps|plan|pver|price|prod|fee|bm|tc|wev|crn)_[0-9A-Za-z]{16,}\b/g;

/**
 * All that billing wrote for a merchant, a line a row, with every id replaced by its kind and the place at which it is met
 * first: two merchants for whom the same happened have the same text. Rows about customers are of wall time and left out.
 */
export async function billingRecords(tables: Tables, merchantId: string): Promise<string[]> {
  const labels = new Map<string, string>();
  const label = (id: string): string => {
    const known = labels.get(id) ?? `${id.split('_')[0]}#${labels.size}`;
    labels.set(id, known);
    return known;
  };
  const lines: string[] = [];
  for (const [name, order] of TABLES) {
    const rows = await tables.query<{ row: string }>(
      `select (to_jsonb(t) ${LEFT_OUT})::text as row from ${name} t where merchant_id = $1 order by ${order}`,
      [merchantId],
    );
    for (const { row } of rows)
      if (!row.includes('"customer.created.v0"')) lines.push(`${name} ${row.replace(ID, label)}`);
  }
  return lines;
}
