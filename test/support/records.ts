import type { Tables } from './tables.ts';

/** The records of billing, in the order of their creation. */
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
  ['merchant_counter', 'kind'],
  ['due_failure', 'kind, id'],
];

const OF_INVOICE = (column: string) =>
  `(select seq from invoice i where (i.merchant_id, i.id) = (t.merchant_id, t.${column}))`;

/** The other records: of money, of grants, of plans; and the stored answers. */
export const EVERYTHING_BILLED: typeof TABLES = [
  ['payment_charge', 'seq'],
  ['payment_receipt', 'seq'],
  ['sandbox_provider_record', 'created_at, kind, amount, token'],
  ['ledger_transaction', 'seq'],
  ['ledger_entry', 'seq'],
  ['wallet', 'balance, currency'],
  ['entitlement', 'seq'],
  ['entitlement_grant', 'seq'],
  ['grant_purchase', 'created_at, amount'],
  [
    'subscription_version',
    '(select seq from subscription s where (s.merchant_id, s.id) = (t.merchant_id, t.subscription_id)), seq',
  ],
  ['subscription_change', 'seq'],
  ['unused_credit', 'seq'],
  ['payment_method', 'seq'],
  ['document_job', OF_INVOICE('id')],
  ['receipt_job', `${OF_INVOICE('invoice_id')}, position`],
  ['invoice_overdue', OF_INVOICE('id')],
  ['dunning_end', OF_INVOICE('id')],
];

/** Values made of ids, and the frozen terms with ids as keys; the rates stand on the lines. */
const LEFT_OUT = `- 'seq' - 'line_seq' - 'usage_mark' - 'transaction_id' - 'recorded_at' - 'changed_at' - 'content_hash' - 'terms'`;
const ID = /\b(?:[a-z]+_)+[0-9A-Za-z]{16,}\b/g;

/**
 * All that billing wrote for a merchant, a line a row, with every id replaced by its kind and the place at which it is
 * met first: two merchants for whom the same happened have the same text. Rows about customers are of wall time and
 * left out.
 */
export async function billingRecords(tables: Tables, merchantId: string, more: typeof TABLES = []): Promise<string[]> {
  const labels = new Map<string, string>();
  const label = (id: string): string => {
    const known = labels.get(id) ?? `${id.split('_')[0]}#${labels.size}`;
    labels.set(id, known);
    return known;
  };
  const lines: string[] = [];
  for (const [name, order] of [...TABLES, ...more]) {
    const rows = await tables.query<{ row: string }>(
      `select (to_jsonb(t) ${LEFT_OUT})::text as row from ${name} t where merchant_id = $1 order by ${order}`,
      [merchantId],
    );
    for (const { row } of rows)
      if (!row.includes('"customer.created.v0"')) lines.push(`${name} ${row.replace(ID, label)}`);
  }
  return lines;
}
