import { sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import type { BilledUsage, TakenUnits } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { WholePeriod } from './burnt-units.ts';

interface TakenRow {
  price_id: string;
  billing_cadence: string;
  billing_anchor: Instant;
  period_number: number;
  entitlement_id: string;
  taken_from: Instant;
  taken_to: Instant;
  units: Decimal;
}

/** Units that a price of a period does not charge, as they are stored. */
export interface StoredTaken extends TakenUnits {
  readonly priceId: string;
  readonly period: WholePeriod;
}

/**
 * What invoices of other series do not charge of the units that grants burnt in some time. Whoever closes a period holds
 * the subscription's lock on late usage, so two that close at once see what the other one took.
 */
export async function takenByOthers(
  tx: Tx,
  { merchant_id: merchantId, billing_cadence: cadence, subscription_id: subscriptionId }: InvoiceRow,
  { start, end }: Period,
): Promise<StoredTaken[]> {
  const rows = await tx.rows<TakenRow>(sql`
    select t.price_id, i.billing_cadence, i.billing_anchor, i.period_number, t.entitlement_id, t.taken_from, t.taken_to, t.units
      from burnt_taken t join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
     where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.billing_cadence <> ${cadence}
       and t.taken_from < ${end} and t.taken_to > ${start}
     order by t.taken_from, i.seq, t.price_id`);
  return rows.map((row) => ({
    priceId: row.price_id,
    period: row,
    entitlementId: row.entitlement_id,
    stretch: { start: row.taken_from, end: row.taken_to },
    units: row.units,
  }));
}

/** Stores what prices of a period do not charge, instead of what was stored of them before, also for its earlier parts. */
export async function saveTaken(tx: Tx, invoice: InvoiceRow, usage: readonly BilledUsage[]): Promise<void> {
  const known = usage.filter(({ taken }) => taken !== undefined);
  if (known.length === 0) return;
  const rows = known.flatMap(({ price_id, taken = [] }) =>
    taken.map(({ entitlementId, stretch, units }) => ({
      merchant_id: invoice.merchant_id,
      invoice_id: invoice.id,
      price_id,
      entitlement_id: entitlementId,
      taken_from: stretch.start.toString(),
      taken_to: stretch.end.toString(),
      units: units.toFixed(),
    })),
  );
  const priceIds = JSON.stringify(known.map(({ price_id }) => price_id));
  await tx.run(sql`
    delete from burnt_taken t using invoice i
     where t.merchant_id = ${invoice.merchant_id} and i.merchant_id = t.merchant_id and i.id = t.invoice_id
       and i.subscription_id = ${invoice.subscription_id} and i.billing_cadence = ${invoice.billing_cadence}
       and i.billing_anchor = ${invoice.billing_anchor} and i.period_number = ${invoice.period_number}
       and ${priceIds}::jsonb ? t.price_id`);
  await tx.run(sql`
    insert into burnt_taken select * from jsonb_populate_recordset(null::burnt_taken, ${JSON.stringify(rows)}::jsonb)`);
}
