import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { newId } from '../../kernel/ids.ts';
import { next } from '../../kernel/state-table.ts';
import { type InvoiceTrigger, invoicePassages, invoiceStates, invoiceStatuses, invoiceTriggers } from './states.ts';

/** The guards of the database itself. They also stop a colleague with a console. */
let env: TestEnvironment;
let owner: pg.Client;
let merchantId: string;
let customerId: string;
beforeAll(async () => {
  env = await openTestEnvironment({ audited: false });
  const merchant = await env.merchant();
  merchantId = merchant.id;
  const customer = await merchant.post('/v0/customers', {
    consumer: { name: 'A', email: 'a@example.com', address: {} },
  });
  const other = await merchant.post('/v0/customers', {
    consumer: { name: 'B', email: 'b@example.com', address: {} },
  });
  [customerId] = [customer.body.id, other.body.id].toSorted() as [string];
  owner = new pg.Client({ connectionString: env.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await env.close();
});

async function invoice(columns: Record<string, unknown> = {}): Promise<string> {
  const id = newId('invoice');
  const row = {
    merchant_id: merchantId,
    id,
    kind: 'ad_hoc',
    status: 'DRAFT',
    customer_id: customerId,
    currency: 'USD',
    billing_cadence: 'P0D',
    billing_anchor: '2025-01-01',
    period_number: 0,
    period_start: '2025-01-01',
    period_end: '2025-02-01',
    grace_period_end: '2025-02-01',
    sequence_number: 0,
    auto_approve: true,
    payment_term_days: 0,
    subtotal: 10,
    total_tax: 2,
    grand_total: 12,
    created_at: '2025-01-01',
    updated_at: '2025-01-01',
    ...columns,
  };
  const names = Object.keys(row);
  await owner.query(
    `insert into invoice (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
  return id;
}

/** A check of the row may refuse first. */
const orCheck = (says: string) => new RegExp(`${says}|violates check constraint`);

const change = (id: string, set: string) => owner.query(`update invoice set ${set} where id = $1`, [id]);
const ISSUED = { status: 'ISSUED', invoice_number: null as string | null, issued_at: '2025-02-01' };

describe('the database and the table of states', () => {
  it('know the same edges and passages', async () => {
    const { rows } = await owner.query('select from_status, to_status from invoice_edge');
    const inDatabase = rows.map(({ from_status, to_status }) => `${from_status} → ${to_status}`);
    const inCode = invoiceStatuses.flatMap((status) =>
      (Object.keys(invoiceTriggers) as InvoiceTrigger[]).flatMap((trigger) => {
        const to = next(invoiceStates, status, trigger);
        return to.ok && to.value !== status ? [`${status} → ${to.value}`] : [];
      }),
    );
    const passages = invoicePassages.map(([from, to]) => `${from} → ${to}`);
    expect(inDatabase.toSorted()).toEqual([...new Set([...inCode, ...passages])].toSorted());
  });

  it.each([
    { from: 'DRAFT', to: 'PAID' },
    { from: 'PAID', to: 'DRAFT' },
    { from: 'CANCELLED', to: 'DRAFT' },
    { from: 'ACTIVE', to: 'PAID' },
    { from: 'CLOSED', to: 'CLOSING' },
  ])('refuse a step from $from to $to', async ({ from, to }) => {
    const id = await invoice({ status: from });
    await expect(change(id, `status = '${to}'`)).rejects.toThrow(`cannot go from ${from} to ${to}`);
  });
});

describe('an issued invoice', () => {
  it.each([
    'subtotal = 20, grand_total = 22',
    "invoice_number = 'INV-9'",
    "due_at = '2030-01-01'",
    "issued_at = '2030-01-01'",
    `seller = '{"name": "Someone else"}'`,
    "period_end = '2025-01-15'",
    'payment_term_days = 90',
    'customer_id = (select max(id) from customer)',
  ])('does not change: %s', async (set) => {
    const id = await invoice({ ...ISSUED, invoice_number: `N-${newId('invoice')}` });
    await expect(change(id, set)).rejects.toThrow('is issued and does not change');
  });

  it('keeps its lines, and is never deleted', async () => {
    const id = await invoice();
    const line = (name: string) =>
      owner.query(
        `insert into invoice_line (merchant_id, invoice_id, id, position, event_type, line_item_type, type, display_name, metric_name,
           metric_unit, metric_description, quantity, unit_price, total_price, tax_rate, total_tax, total_amount, period_start, period_end)
         values ($1, $2, $3, 0, 'fee', 'charge', 'charge', 'x', '', '', '', 1, 10, 10, 20, 2, 12, '2025-01-01', '2025-02-01')`,
        [merchantId, id, name],
      );
    await line('li_1');
    await change(id, `status = 'ISSUED', invoice_number = 'K-1', issued_at = '2025-02-01'`);
    await expect(line('li_2')).rejects.toThrow('is issued; its lines');
    await expect(owner.query('delete from invoice_line where invoice_id = $1', [id])).rejects.toThrow(
      'is issued; its lines',
    );
    await expect(
      owner.query('update invoice_line set total_price = 9, total_amount = 11 where invoice_id = $1', [id]),
    ).rejects.toThrow('is issued');
    await expect(owner.query('delete from invoice where id = $1', [id])).rejects.toThrow(
      'is issued and is never deleted',
    );
  });

  it('takes payments, and gives none back', async () => {
    const id = await invoice({ ...ISSUED, invoice_number: 'P-1' });
    await change(id, 'paid_amount = 5');
    await expect(change(id, 'paid_amount = 4')).rejects.toThrow('does not fall');
    await expect(change(id, 'paid_amount = 13')).rejects.toThrow(/check constraint/);
  });

  it('returns only the wallet’s payment at its cancellation', async () => {
    const id = await invoice({
      ...ISSUED,
      invoice_number: 'P-2',
      paid_amount: 7,
      wallet_applied: 5,
      credited_amount: 2,
    });
    for (const less of ['paid_amount = 2', "status = 'CANCELLED', paid_amount = 2"])
      await expect(change(id, less)).rejects.toThrow(orCheck('does not fall'));
    await expect(change(id, "status = 'CANCELLED', paid_amount = 3, wallet_applied = 0")).rejects.toThrow(
      orCheck('does not fall'),
    );
    await change(id, "status = 'CANCELLED', paid_amount = 2, wallet_applied = 0");
    await expect(change(id, 'paid_amount = 1')).rejects.toThrow(orCheck('does not fall'));
  });
});

describe('an invoice that lives by its session', () => {
  const issued = () => invoice({ ...ISSUED, lives_by_session: true });
  const number = () => `S-${newId('invoice')}`;

  it('gets its number and its hash once, as it is paid', async () => {
    const id = await issued();
    const first = number();
    await change(id, `status = 'PAID', paid_amount = 12, invoice_number = '${first}', content_hash = 'h'`);
    await expect(change(id, `invoice_number = '${number()}'`)).rejects.toThrow(
      orCheck('is issued and does not change'),
    );
    await expect(change(id, 'invoice_number = null')).rejects.toThrow(orCheck('is issued and does not change'));
    await expect(change(id, `content_hash = 'other'`)).rejects.toThrow(orCheck('is issued and does not change'));
    const { rows } = await owner.query('select invoice_number, content_hash from invoice where id = $1', [id]);
    expect(rows).toEqual([{ invoice_number: first, content_hash: 'h' }]);
  });

  it.each([
    'subtotal = 20, grand_total = 22',
    "issued_at = '2030-01-01'",
    'lives_by_session = false',
    "one_off = '{}'",
  ])('does not change otherwise: %s', async (set) => {
    await expect(change(await issued(), set)).rejects.toThrow(orCheck('is issued and does not change'));
  });

  it('gets none before, and is not paid without', async () => {
    const id = await issued();
    await expect(change(id, `invoice_number = '${number()}'`)).rejects.toThrow(
      orCheck('is issued and does not change'),
    );
    await expect(change(id, `status = 'CANCELLED', invoice_number = '${number()}'`)).rejects.toThrow('does not change');
    await expect(change(id, "status = 'PAID', paid_amount = 12")).rejects.toThrow(/invoice_issue_has_number/);
  });

  it('is the only one that is issued without a number', async () => {
    await expect(invoice(ISSUED)).rejects.toThrow(/invoice_issue_has_number/);
    const draft = await invoice();
    await expect(change(draft, "status = 'ISSUED', issued_at = '2025-02-01'")).rejects.toThrow(
      /invoice_issue_has_number/,
    );
    const numbered = await invoice({ ...ISSUED, invoice_number: number() });
    await expect(change(numbered, 'lives_by_session = true')).rejects.toThrow(orCheck('is issued and does not change'));
  });
});

it.each([
  { why: 'totals that do not add up', columns: { subtotal: 10, total_tax: 2, grand_total: 13 } },
  { why: 'a period that runs backwards', columns: { period_end: '2024-12-01' } },
  { why: 'a number without a date of issue', columns: { invoice_number: 'X-1' } },
])('refuses $why', async ({ columns }) => {
  await expect(invoice(columns)).rejects.toThrow(/check constraint/);
});
