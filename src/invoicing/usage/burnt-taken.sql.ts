import { recordset, sql, type Tx } from '../../db/index.ts';
import type { Decimal } from '../../kernel/decimal.ts';
import type { Instant, Period } from '../../kernel/time.ts';
import type { BilledUsage, TakenUnits } from '../invoice/billed-usage.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { WholePeriod } from './burnt-units.ts';

interface TakenRow {
  priceId: string;
  billingCadence: string;
  billingAnchor: Instant;
  periodNumber: number;
  entitlementId: string;
  takenFrom: Instant;
  takenTo: Instant;
  units: Decimal;
}

/** Units that a price of a period does not charge, as they are stored. */
export interface StoredTaken extends TakenUnits {
  readonly priceId: string;
  readonly period: WholePeriod;
}

/**
 * The burnt units in some time that invoices of other series do not charge. Every close of a period holds the
 * subscription's lock on late usage, so two simultaneous ones see each other's units.
 */
export async function selectTakenByOthers(
  tx: Tx,
  { merchantId, billingCadence: cadence, subscriptionId }: InvoiceRow,
  { start, end }: Period,
): Promise<StoredTaken[]> {
  const rows = await tx.rows<TakenRow>(sql`
    select t.price_id, i.billing_cadence, i.billing_anchor, i.period_number, t.entitlement_id, t.taken_from, t.taken_to,
      t.units
      from burnt_taken t join invoice i on i.merchant_id = t.merchant_id and i.id = t.invoice_id
     where i.merchant_id = ${merchantId} and i.subscription_id = ${subscriptionId} and i.billing_cadence <> ${cadence}
       and t.taken_from < ${end} and t.taken_to > ${start}
     order by t.taken_from, i.seq, t.price_id`);
  return rows.map((row) => ({
    priceId: row.priceId,
    period: row,
    entitlementId: row.entitlementId,
    stretch: { start: row.takenFrom, end: row.takenTo },
    units: row.units,
  }));
}

/** Stores the units that prices of a period do not charge, in place of the stored ones, also for its earlier parts. */
export async function replaceTaken(tx: Tx, invoice: InvoiceRow, usage: readonly BilledUsage[]): Promise<void> {
  const known = usage.filter(({ taken }) => taken !== undefined);
  if (known.length === 0) return;
  const rows = known.flatMap(({ priceId, taken = [] }) =>
    taken.map(({ entitlementId, stretch, units }) => ({
      merchantId: invoice.merchantId,
      invoiceId: invoice.id,
      priceId,
      entitlementId,
      takenFrom: stretch.start.toString(),
      takenTo: stretch.end.toString(),
      units: units.toFixed(),
    })),
  );
  const priceIds = JSON.stringify(known.map(({ priceId }) => priceId));
  await tx.run(sql`
    delete from burnt_taken t using invoice i
     where t.merchant_id = ${invoice.merchantId} and i.merchant_id = t.merchant_id and i.id = t.invoice_id
       and i.subscription_id = ${invoice.subscriptionId} and i.billing_cadence = ${invoice.billingCadence}
       and i.billing_anchor = ${invoice.billingAnchor} and i.period_number = ${invoice.periodNumber}
       and ${priceIds}::jsonb ? t.price_id`);
  await tx.run(sql`
    insert into burnt_taken select * from jsonb_populate_recordset(null::burnt_taken, ${recordset(rows)})`);
}
