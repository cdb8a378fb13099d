import { customerNames, findPayers } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { canonicalJson } from '../../http/index.ts';
import { plain, sum } from '../../kernel/decimal.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { asOne, calculateTogether } from '../calculation/calculate.ts';
import type { CalculatedLine, Calculation } from '../calculation/calculation.ts';
import { selectCreditsOnInvoices } from '../credit-notes/unused-credits.sql.ts';
import { inputAgain } from '../drafts/calculate-stored.ts';
import { plansOf } from '../drafts/plans-then.ts';
import { termsOfInvoices } from '../drafts/terms-of-invoices.ts';
import { type ChangedInvoice, changed, moved, unchanged } from '../invoice/changed-invoice.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { FrozenTerms } from '../invoice/frozen-terms.ts';
import type { InvoiceRow, NewInvoice, SectionRecord } from '../invoice/invoice.ts';
import type { LineRow } from '../invoice/invoice-line.ts';
import { selectBilledUsageOfInvoices, selectLines, updateInvoices } from '../invoice/invoices.sql.ts';
import { publishInvoice } from '../invoice/webhooks.ts';
import type { NamedPaymentTerms } from '../terms/billing-terms.ts';
import {
  insertGrouped,
  lockJoinable,
  lockJoining,
  type MovedLine,
  selectIsAwaited,
  updateMovedLines,
} from './join.sql.ts';
import { updateCreditTargets } from './reissue.sql.ts';

/** The time that a draft waits at least for others that it is joined with. */
const A_WHILE = { minutes: 1 };

/** Is a draft joined with others? Not where a tax provider has calculated it: its record is of one invoice. */
export const isJoining = ({ kind, terms }: InvoiceRow): boolean =>
  kind === 'subscription' && terms?.isGrouped === true && terms.outside === undefined;

/**
 * Joins the drafts of one payer that end at one instant (commercial.md §8): who is calculated last joins all, and those
 * before wait. One that failed or waits for somebody holds nobody up.
 * @param drafts that are to be issued now, locked and stored; `isJoining` holds of each
 * @returns what is to be issued: grouped invoices, and drafts that there is nothing to join with
 */
export async function joinInvoices(
  dependencies: InvoicingDependencies,
  tx: Tx,
  drafts: readonly InvoiceRow[],
  now: Instant,
): Promise<ChangedInvoice[]> {
  if (drafts.length === 0) return [];
  const payers = await findPayers(
    tx,
    drafts.map(({ customerId }) => customerId),
  );
  const payerOf = ({ customerId }: InvoiceRow): string => payers.get(customerId) ?? customerId;
  await lockJoining(tx, [...new Set(drafts.map(payerOf))]);
  const issued: ChangedInvoice[] = [];
  const instants = Map.groupBy(drafts, (draft) => canonicalJson(instantOf(payerOf(draft), draft)));
  for (const those of instants.values()) {
    const [first] = those as [InvoiceRow];
    const payerId = payerOf(first);
    const locked = await lockJoinable(tx, payerId, first);
    if (locked === null || (await selectIsAwaited(tx, payerId, first)))
      await updateInvoices(
        tx,
        those.map((draft) => changed(draft, { nextActionAt: now.add(A_WHILE) }, now)),
      );
    else issued.push(...(await joinAll(dependencies, tx, payerId, locked.filter(isJoining), now)));
  }
  return issued;
}

const instantOf = (payerId: string, { currency, clockId, periodEnd, gracePeriodEnd }: InvoiceRow): string[] => [
  ...[payerId, currency, clockId ?? '', formatInstant(periodEnd), formatInstant(gracePeriodEnd)],
];

/** Joins the drafts of an instant by their terms. */
async function joinAll(
  dependencies: InvoicingDependencies,
  tx: Tx,
  payerId: string,
  drafts: readonly InvoiceRow[],
  now: Instant,
): Promise<ChangedInvoice[]> {
  const terms = await dependencies.source.paymentTerms(
    tx,
    drafts.map(({ subscriptionId }) => subscriptionId as string),
  );
  const issued: ChangedInvoice[] = [];
  for (const [key, those] of Map.groupBy(drafts, (draft) =>
    canonicalJson([...instantOf(payerId, draft), ...alikeIn(draft, terms)]),
  ))
    issued.push(...(await joinAlike(dependencies, tx, { payerId, key, terms }, those, now)));
  return issued;
}

/** What invoices on one document have in common: how they are paid, and how they are taxed. */
function alikeIn({ terms, subscriptionId }: InvoiceRow, of: ReadonlyMap<string, NamedPaymentTerms>): unknown[] {
  const { paymentTermDays, autoCharge, bankTransferOnly } = of.get(subscriptionId as string) as NamedPaymentTerms;
  const { taxBehavior, taxExempt = false, place } = terms as FrozenTerms;
  const { treatment, country, noteKey, registration } = place ?? {};
  return [
    ...[paymentTermDays, autoCharge, bankTransferOnly, taxBehavior, taxExempt],
    place ? { treatment, country, noteKey, registration } : null,
  ];
}

interface Alike {
  readonly payerId: string;
  readonly key: string;
  readonly terms: ReadonlyMap<string, NamedPaymentTerms>;
}

async function joinAlike(
  dependencies: InvoicingDependencies,
  tx: Tx,
  of: Alike,
  drafts: readonly InvoiceRow[],
  now: Instant,
): Promise<ChangedInvoice[]> {
  if (drafts.length === 1) return drafts.map(unchanged);
  // In the order of the lines, in which they are calculated again.
  const bySubscription = [...Map.groupBy(drafts, ({ subscriptionId }) => subscriptionId).values()].flat();
  const calculated = await calculateMembers(dependencies, tx, bySubscription);
  const [first] = drafts as [InvoiceRow];
  const opened = calculated && (await insertGrouped(tx, [of.key], groupedOf(of, drafts, first), now));
  if (!calculated || !opened) return drafts.map(unchanged);
  const lines = calculated.flatMap(movedLines).map((line, position) => ({ ...line, position }));
  await updateMovedLines(tx, opened.id, lines);
  for (const { member } of calculated) await updateCreditTargets(tx, member.id, opened.id);
  const joined = drafts.map((draft) => moved(draft, 'join', { ...NOTHING, groupedIntoId: opened.id }, now));
  await updateInvoices(tx, joined);
  for (const { after } of joined)
    await publishInvoice(tx, after, 'invoice.cancelled.v0', now, { groupedIntoId: opened.id });
  const { subtotal, totalTax, grandTotal, taxes } = asOne(calculated.map(({ calculation }) => calculation));
  const amounts = {
    ...{ subtotal, totalTax, grandTotal, taxes: [...taxes] },
    itemCount: lines.length,
    sections: await sectionsOf(tx, of, calculated),
    nextActionAt: now,
  };
  return [moved(opened, 'finishCalculation', amounts, now)];
}

const NOTHING = {
  ...{ subtotal: sum([]), totalTax: sum([]), grandTotal: sum([]), taxes: [], itemCount: 0 },
  ...{ contentHash: null, nextActionAt: null },
};

/** A draft with its lines, and with its amounts on the document. */
interface CalculatedMember {
  readonly member: InvoiceRow;
  readonly lines: readonly LineRow[];
  readonly calculation: Calculation;
}

/**
 * The amounts of some drafts on one document: the tax is rounded over all of it, and credits of one pay another.
 * @returns null where one does not come out as it was calculated: each is issued as it is
 */
async function calculateMembers(
  dependencies: InvoicingDependencies,
  tx: Tx,
  drafts: readonly InvoiceRow[],
): Promise<CalculatedMember[] | null> {
  const ids = drafts.map(({ id }) => id);
  const termsOf = await termsOfInvoices(tx, dependencies.source, drafts);
  const usage = await selectBilledUsageOfInvoices(tx, ids);
  const credits = await selectCreditsOnInvoices(tx, ids);
  const members = [];
  for (const member of drafts) {
    const lines = await selectLines(tx, member.id);
    const [then] = plansOf(termsOf(member), member);
    const known = [usage.get(member.id) ?? [], credits.get(member.id) ?? []] as const;
    const frozen = member.terms as FrozenTerms;
    members.push({
      member,
      lines,
      input: await inputAgain(tx, then ?? termsOf(member), frozen, member, lines, ...known),
    });
  }
  const calculations = calculateTogether(members.map(({ input }) => input));
  const calculated = members.map(({ member, lines }, place) => ({
    ...{ member, lines },
    calculation: calculations[place] as Calculation,
  }));
  return calculated.every(isSame) ? calculated : null;
}

const isSame = ({ lines, calculation }: CalculatedMember): boolean =>
  lines.length === calculation.lines.length &&
  calculation.lines.every(
    ({ type, priceId, periodStart }, place) =>
      lines[place]?.type === type && lines[place].priceId === priceId && lines[place].periodStart.equals(periodStart),
  );

/** A line keeps what it says unless more of it stands on the document; what a credit pays is the price of one. */
const movedLines = ({ member, lines, calculation }: CalculatedMember): MovedLine[] =>
  lines.map((line, place) => {
    const { quantity, unitPrice, workings, totalPrice, totalTax, totalAmount } = calculation.lines[
      place
    ] as CalculatedLine;
    const isAnew = line.type === 'credit' ? !totalPrice.eq(line.totalPrice) : line.type === 'billing_credit';
    const said = isAnew ? { ...line, quantity, unitPrice, workings } : line;
    const amounts = { totalPrice, totalTax, totalAmount };
    return { ...said, ...amounts, memberId: member.id, subscriptionId: member.subscriptionId as string };
  });

/** The grouped invoice before it has lines. Its period reaches from the first start of a member to their common end. */
function groupedOf(
  { payerId, terms }: Alike,
  drafts: readonly InvoiceRow[],
  first: InvoiceRow,
): Omit<NewInvoice, 'id'> {
  const longest = drafts.reduce((a, b) => (Temporal.Instant.compare(a.periodStart, b.periodStart) <= 0 ? a : b));
  const { merchantId, clockId, currency, periodEnd, gracePeriodEnd } = first;
  const { billingCadence, billingAnchor, periodStart } = longest;
  const { paymentTermDays } = terms.get(first.subscriptionId as string) as NamedPaymentTerms;
  return {
    ...{ merchantId, kind: 'grouped', status: 'CALCULATING', customerId: payerId, subscriptionId: null, clockId },
    ...{ currency, billingCadence, billingAnchor, periodNumber: 0, periodStart, periodEnd, gracePeriodEnd },
    ...{ sequenceNumber: 0, autoApprove: true, paymentTermDays, nextActionAt: null, terms: taxTermsOf(drafts) },
  };
}

/** The terms of the document: how it is taxed, which is alike, and the sources of all rates. */
function taxTermsOf(drafts: readonly InvoiceRow[]): FrozenTerms {
  const all = drafts.map(({ terms }) => terms as FrozenTerms);
  const { taxBehavior, taxExempt, place } = all[0] as FrozenTerms;
  const sources = all.flatMap((each) => Object.entries(each.place?.sources ?? {}));
  return {
    taxBehavior,
    taxRates: Object.fromEntries(all.flatMap(({ taxRates }) => Object.entries(taxRates))),
    ...(taxExempt && { taxExempt }),
    ...(place && { place: { ...place, sources: Object.fromEntries(sources) } }),
  };
}

/** The sections of a document: a subscription of another customer says whose it is. */
async function sectionsOf(
  tx: Tx,
  { payerId, terms }: Alike,
  calculated: readonly CalculatedMember[],
): Promise<SectionRecord[]> {
  const customerIds = [...new Set(calculated.map(({ member }) => member.customerId))];
  const names = new Map((await customerNames(tx, customerIds)).map(({ id, name }) => [id, name]));
  return [...Map.groupBy(calculated, ({ member }) => member.subscriptionId as string)].map(
    ([subscriptionId, those]) => {
      const { customerId } = (those[0] as CalculatedMember).member;
      const { name } = terms.get(subscriptionId) as NamedPaymentTerms;
      const customer = customerId === payerId ? null : names.get(customerId);
      return {
        ...{ subscriptionId, customerId, name: customer ? `${name} (${customer})` : name },
        subtotal: plain(sum(those.map(({ calculation }) => calculation.subtotal))),
        invoiceIds: those.map(({ member }) => member.id),
      };
    },
  );
}
