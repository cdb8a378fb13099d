import type { Tx } from '../../db/index.ts';
import type { CalculationInput } from '../calculation/calculation.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectBilledUsageOfInvoices, selectInvoices } from '../invoice/invoices.sql.ts';
import type { BillingSource } from '../terms/billing-terms.ts';
import { inputAgain } from './calculate-stored.ts';
import { plansOf } from './plans-then.ts';

/** The most plans of then that are tried for each member. */
const MOST = 20;

/**
 * What the members of a grouped invoice were calculated from, in the order of its lines. Where the plan of then is not
 * known, the first is of the most likely one of each member, and the others take another one of a single member.
 */
export async function inputsOfMembers(
  tx: Tx,
  source: BillingSource,
  { sections }: InvoiceRow,
  lines: readonly LineRow[],
): Promise<CalculationInput[][]> {
  const ids = sections.flatMap(({ invoiceIds }) => invoiceIds);
  const members = await selectInvoices(tx, ids);
  const usage = await selectBilledUsageOfInvoices(tx, ids);
  const each: CalculationInput[][] = [];
  for (const id of ids) {
    const member = members.get(id) as InvoiceRow;
    const own = lines.filter(({ memberId }) => memberId === id);
    const terms = await source.terms(tx, member.subscriptionId as string);
    const plans = plansOf(
      terms,
      member,
      own.map(({ periodEnd }) => periodEnd),
    ).slice(0, MOST);
    const inputs = [];
    for (const then of plans)
      inputs.push(await inputAgain(tx, then, member.terms as FrozenTerms, member, own, usage.get(id) ?? []));
    each.push(inputs);
  }
  const likely = each.map(([first]) => first as CalculationInput);
  const others = each.flatMap((inputs, place) => inputs.slice(1).map((input) => likely.with(place, input)));
  return [likely, ...others];
}
