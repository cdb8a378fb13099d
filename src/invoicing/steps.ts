import type { Tx } from '../db/index.ts';
import type { DueKind, StepResult } from '../jobs/index.ts';
import { type Instant, isAfter } from '../kernel/time.ts';
import { creditWatchDueKind } from './billing-credits/watch.ts';
import { dunningDueKinds } from './collecting/dunning-steps.ts';
import { retryCharge } from './collecting/pay-now.ts';
import { commitmentDueKind } from './commitments/prepaid.ts';
import { trueUpDueKind } from './commitments/true-ups.ts';
import { asksCommitment } from './difference/due.ts';
import { renderCreditNote, renderIssued, renderReceipt } from './documents/documents.ts';
import { startCalculations } from './drafts/start-calculations.ts';
import { type TermsOf, termsOfInvoices } from './drafts/terms-of-invoices.ts';
import { tryCalculations } from './drafts/try-calculations.ts';
import { type ChangedInvoice, unchanged } from './invoice/changed-invoice.ts';
import type { InvoicingDependencies } from './invoice/dependencies.ts';
import type { InvoiceRow } from './invoice/invoice.ts';
import { lockInvoices, updateInvoices } from './invoice/invoices.sql.ts';
import type { InvoiceStatus } from './invoice/states.ts';
import { publishOverdue } from './invoice/webhooks.ts';
import { selectWeights } from './invoice/weights.sql.ts';
import { closeUsages, endPeriods } from './issue/close.ts';
import { issueChanged } from './issue/issue.ts';
import { isJoining, joinInvoices } from './issue/join.ts';
import { taxAddressDueKind } from './outside-tax/addresses.ts';
import { asksProvider } from './outside-tax/answer.ts';
import { askFor } from './outside-tax/quotes.ts';
import { taxRecordDueKind } from './outside-tax/records.ts';
import { lockBillingOfInvoicesNow } from './usage/billing-lock.sql.ts';

/** Invoices of one merchant in one transaction. */
const MOST_INVOICES = 200;
/** And so many lines of theirs, about. */
const MOST_LINES = 10_000;

/**
 * The background jobs of invoicing: invoices change their status, and issued ones, credit notes and payments get their
 * documents.
 */
export const invoicingDueKinds = (dependencies: InvoicingDependencies): DueKind[] => [
  commitmentDueKind(dependencies), // before the invoices that its credits pay
  {
    kind: 'invoice',
    list: {
      most: MOST_INVOICES,
      weight: { most: MOST_LINES, of: weigh },
      steps: (tx, records, now) => stepInvoices(dependencies, tx, records, now),
    },
    lockParents: lockBillingOfDue,
    step: async (tx, record, now) => {
      const [result] = await stepInvoices(dependencies, tx, [record], now);
      return result && !result.isLater ? result.followUp : undefined;
    },
  },
  taxRecordDueKind(dependencies.taxProviders),
  taxAddressDueKind(dependencies.taxProviders),
  {
    kind: 'invoice_document',
    isSlow: true,
    step: (tx, { id }, now) => renderIssued(dependencies, tx, id, now),
  },
  {
    kind: 'credit_note_document',
    isSlow: true,
    step: (tx, { id }, now) => renderCreditNote(dependencies, tx, id, now),
  },
  {
    kind: 'receipt_document',
    isSlow: true,
    step: (tx, { id }, now) => renderReceipt(dependencies, tx, id, now),
  },
  ...dunningDueKinds(dependencies),
  trueUpDueKind(dependencies), // after the invoices that end with a segment
  creditWatchDueKind(dependencies),
];

/** The lines that the next steps of some invoices of one merchant hold, about. */
async function weigh(
  tx: Tx,
  records: readonly { readonly merchantId: string; readonly id: string }[],
): Promise<number[]> {
  const [first] = records;
  if (!first) return [];
  return selectWeights(
    tx,
    records.map(({ id }) => id),
  );
}

/** An invoice whose subscription is being billed by another process waits. */
async function lockBillingOfDue(
  tx: Tx,
  records: readonly { readonly merchantId: string; readonly id: string }[],
): Promise<ReadonlySet<string>> {
  const [first] = records;
  if (!first) return new Set();
  return lockBillingOfInvoicesNow(
    tx,
    records.map(({ id }) => id),
  );
}

/**
 * The next steps of some invoices of one merchant that are due. Of several of one customer one goes first, and the
 * others wait: they are paid from one wallet, and credits go from one to the next.
 */
export async function stepInvoices(
  dependencies: InvoicingDependencies,
  tx: Tx,
  records: readonly { readonly merchantId: string; readonly id: string }[],
  now: Instant,
): Promise<StepResult[]> {
  const [first] = records;
  if (!first) return [];
  const locked = await lockInvoices(
    tx,
    records.map(({ id }) => id),
  );
  const termsOf = await termsOfInvoices(tx, dependencies.source, locked.filter(isBilled));
  const firsts = firstOfEach(locked, termsOf);
  const asking = await moveInvoices(dependencies, tx, { invoices: firsts, termsOf }, now);
  const stepped = new Set(firsts.map(({ id }) => id));
  return records.map(({ id }): StepResult => {
    if (!stepped.has(id)) return { isLater: true };
    const invoice = asking.find((each) => each.id === id);
    return { isLater: false, ...(invoice && { followUp: askFor(dependencies.taxProviders, invoice) }) };
  });
}

/** Is its next step one of billing, which asks for the terms of its subscription? */
const isBilled = ({ status, subscriptionId }: InvoiceRow): boolean =>
  subscriptionId !== null && BILLED_STATES.includes(status);

/** Of each customer the oldest invoice; one that asks a commitment comes last. */
function firstOfEach(invoices: readonly InvoiceRow[], termsOf: TermsOf): InvoiceRow[] {
  const asks = (invoice: InvoiceRow) =>
    invoice.kind === 'subscription' && isBilled(invoice) && asksCommitment(termsOf(invoice), invoice);
  const customers = [...Map.groupBy(invoices, ({ customerId }) => customerId).values()];
  return customers.map((those) => (those.find((invoice) => !asks(invoice)) ?? those[0]) as InvoiceRow);
}

/**
 * Moves due invoices of different customers through their states (domain.md §4). From the end of the period to the
 * issued invoice, only a grace period and an external tax provider need waiting. So this is one transaction, and each
 * invoice is stored once.
 * @returns the invoices that wait for a tax provider, which is asked when this transaction has committed
 */
async function moveInvoices(
  dependencies: InvoicingDependencies,
  tx: Tx,
  { invoices, termsOf }: { readonly invoices: readonly InvoiceRow[]; readonly termsOf: TermsOf },
  now: Instant,
): Promise<InvoiceRow[]> {
  const inStatus = (status: InvoiceStatus) => invoices.filter((invoice) => invoice.status === status);
  const idle = invoices.find(({ status }) => !DUE_STATES.includes(status));
  if (idle) throw new Error(`Invoice ${idle.id} is due, but status ${idle.status} has no background job.`);
  const { source } = dependencies;
  let all = invoices.map(unchanged);
  all = await advanceDue(all, 'ACTIVE', now, (those) => endPeriods(tx, termsOf, those, 'endPeriod', now));
  all = await advanceDue(all, 'CLOSING', now, (those) => closeUsages(tx, { source, termsOf }, those, now));
  all = await advanceDue(all, 'CLOSED', now, (those) =>
    startCalculations(dependencies, tx, { pending: those, termsOf }, now),
  );
  all = await advanceDue(all, 'CALCULATING', now, (those) =>
    tryCalculations(dependencies, tx, { pending: those, termsOf }, now, true),
  );
  const isReady = (change: ChangedInvoice) => isDueIn(change, 'DRAFT', now);
  const isAlone = (change: ChangedInvoice) => isReady(change) && !isJoining(change.after);
  await updateInvoices(
    tx,
    all.filter((change) => change.before !== change.after && !isAlone(change)),
  );
  const joining = all.filter((change) => isReady(change) && isJoining(change.after)).map(({ after }) => after);
  const joined = await joinInvoices(dependencies, tx, joining, now);
  await issueChanged(dependencies, tx, [...all.filter(isAlone), ...joined], 'autoApprove', now);
  await publishOverdue(tx, inStatus('ISSUED'), now);
  for (const invoice of inStatus('PAYMENT_FAILED')) await retryCharge(dependencies, tx, invoice, now);
  return all.map(({ after }) => after).filter(asksProvider);
}

const isDueIn = ({ after }: ChangedInvoice, status: InvoiceStatus, now: Instant): boolean =>
  after.status === status && after.nextActionAt !== null && !isAfter(after.nextActionAt, now);

/** Advances the invoices that are due in a state. The others stay as they are. */
async function advanceDue(
  all: readonly ChangedInvoice[],
  status: InvoiceStatus,
  now: Instant,
  advance: (due: readonly ChangedInvoice[]) => Promise<ChangedInvoice[]>,
): Promise<ChangedInvoice[]> {
  const due = all.filter((change) => isDueIn(change, status, now));
  if (due.length === 0) return [...all];
  const advanced = await advance(due);
  return all.map((change) => advanced[due.indexOf(change)] ?? change);
}

/** From the end of the period to the calculated invoice. */
const BILLED_STATES: readonly InvoiceStatus[] = ['ACTIVE', 'CLOSING', 'CLOSED', 'CALCULATING'];

/** These statuses have a background job. */
const DUE_STATES: readonly InvoiceStatus[] = [...BILLED_STATES, 'DRAFT', 'ISSUED', 'PAYMENT_FAILED'];
