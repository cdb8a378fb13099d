import { setTimeout as sleep } from 'node:timers/promises';
import { effectiveNow } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import type { DueKind, FollowUp } from '../../jobs/index.ts';
import { type Decimal, decimal, plain } from '../../kernel/decimal.ts';
import { next } from '../../kernel/state-table.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { byProviderClient, nextLookUp, ProviderAway, ProviderRefused, writeOutcome } from '../../payments/index.ts';
import {
  type TaxConnection,
  type TaxProviderDependencies,
  type TaxRecorded,
  taxConnectionOf,
} from '../../tax-providers/index.ts';
import type { CreditNoteRow } from '../invoice/credit-note.ts';
import type { InvoiceRow, OutsideTaxRecord } from '../invoice/invoice.ts';
import { lockInvoice, selectInvoice, updateInvoice } from '../invoice/invoices.sql.ts';
import { type RecordEvent, recordStates } from './record-states.ts';
import {
  insertRecords,
  lockRecord,
  type NewTaxRecord,
  scheduleNextTaxRecord,
  selectEarlier,
  selectOpenRecord,
  selectRecord,
  sumRecordedTax,
  type TaxRecordRow,
  updateNoteOutside,
  updateRecord,
} from './records.sql.ts';

/*
 * The records of issued invoices and their credit notes at a tax provider (docs/decisions/0119): stored with them, and
 * sent by a background job, each once.
 */

/** Invoices have their numbers: a provider that has calculated their tax is to record the sales. */
export async function recordInvoices(tx: Tx, invoices: readonly InvoiceRow[], now: Instant): Promise<void> {
  const records = invoices.flatMap(recordsOf);
  if (records.length > 0) await insertRecords(tx, records, now);
}

/** The content of `outside_tax` of an invoice as it gets its number; undefined without a tax provider. */
export const outsideTaxAtIssue = ({ terms, totalTax: tax }: InvoiceRow): OutsideTaxRecord | undefined =>
  terms?.outside?.answer?.reference == null
    ? undefined
    : {
        provider: terms.outside.provider,
        estimatedTax: plain(tax),
        actualTax: null,
        reconciledAt: null,
        problem: null,
        permalink: null,
        pdfUrl: null,
      };

function recordsOf(invoice: InvoiceRow): NewTaxRecord[] {
  const { terms, subtotal, totalTax: tax } = invoice;
  const outside = terms?.outside;
  if (outside?.answer?.reference == null) return [];
  const { credits } = outside.answer;
  const back = { net: decimal(credits?.net ?? 0), tax: decimal(credits?.tax ?? 0) };
  const sale = recordOf(invoice, {
    ...{ id: invoice.id, kind: 'invoice', afterId: null, creditNoteId: null },
    ...{ net: subtotal.minus(back.net), tax: tax.minus(back.tax) },
  });
  const taken = { id: `${invoice.id}:credits`, kind: 'credits', afterId: invoice.id, creditNoteId: null } as const;
  return credits ? [sale, recordOf(invoice, { ...taken, ...back })] : [sale];
}

const recordOf = (
  { merchantId, id: invoiceId, currency, clockId, terms }: InvoiceRow,
  fields: Pick<NewTaxRecord, 'id' | 'kind' | 'afterId' | 'creditNoteId' | 'net' | 'tax'>,
): NewTaxRecord => {
  const provider = terms?.outside?.provider;
  if (!provider) throw new Error(`No provider taxes invoice ${invoiceId}.`);
  return { merchantId, invoiceId, currency, clockId, provider, ...fields };
};

/** A credit note is issued: where the provider records the sale, it is to take it back. */
export async function recordCreditNote(tx: Tx, invoice: InvoiceRow, note: CreditNoteRow, now: Instant): Promise<void> {
  if (invoice.terms?.outside?.answer?.reference == null || note.total.isZero()) return;
  const [net, tax] = [note.amount.negated(), note.taxAmount.negated()];
  const fields = { id: note.id, kind: 'credit_note', afterId: invoice.id, creditNoteId: note.id } as const;
  await insertRecords(tx, [recordOf(invoice, { ...fields, net, tax })], now);
}

/** A void credit note: its sale is valid again. */
export async function recordVoid(tx: Tx, invoice: InvoiceRow, note: CreditNoteRow, now: Instant): Promise<void> {
  if (!(await selectRecord(tx, note.id))) return;
  const fields = { id: `${note.id}:void`, kind: 'void', afterId: note.id, creditNoteId: note.id } as const;
  await insertRecords(tx, [recordOf(invoice, { ...fields, net: note.amount, tax: note.taxAmount })], now);
}

/** Sends the records to their providers. */
export const taxRecordDueKind = (dependencies: TaxProviderDependencies): DueKind => ({
  kind: 'tax_record',
  step: (tx, { id }, now) => stepRecord(dependencies, tx, id, now),
});

/** It commits that the provider is asked, and when it is asked again; the call follows. */
async function stepRecord(
  dependencies: TaxProviderDependencies,
  tx: Tx,
  id: string,
  now: Instant,
): Promise<FollowUp | undefined> {
  const record = await selectRecord(tx, id);
  if (!record) throw new Error(`Tax record ${id} no longer exists.`);
  const since = record.sentAt ?? record.createdAt;
  const { lookUps, at } = nextLookUp(since, record.lookUps, now);
  const wait = { status: record.status, lookUps, nextActionAt: at } as const;
  const earlier = await selectEarlier(tx, record);
  const original = earlier.find((each) => each.id === record.afterId) ?? null;
  if (original?.status === 'failed') {
    await fail(tx, record, 'The record to reverse was never recorded.', now);
    return;
  }
  // In their order: how the items bear a part follows from the parts before it.
  if (earlier.some(({ status }) => status === 'waiting' || status === 'sent')) {
    await updateRecord(tx, record, wait, now);
    return;
  }
  const connection = await taxConnectionOf(tx, dependencies, record.provider);
  if (!connection) {
    await updateRecord(tx, record, { ...wait, problem: 'The tax provider is not connected.' }, now);
    return;
  }
  const invoice = await selectInvoice(tx, record.invoiceId);
  if (!invoice) throw new Error(`Invoice ${record.invoiceId} no longer exists.`);
  const sent = await updateRecord(tx, record, { ...wait, status: moved(record, 'send'), sentAt: now }, now);
  return byProviderClient(dependencies, { merchantId: tx.merchantId, clockId: record.clockId }, async () => {
    const outcome = await ask(connection, sent, invoice, { original, earlier });
    await recordTaxOutcome(dependencies, sent, outcome);
  });
}

const POLL_MILLISECONDS = 100;
const LONGEST_POLL_MILLISECONDS = 800;

/**
 * Sends the open records of an invoice, unless a background job does, and waits for the answers. A record with a
 * problem is not waited for.
 */
export async function awaitTaxRecords(
  dependencies: TaxProviderDependencies,
  { merchantId, invoiceId }: { readonly merchantId: string; readonly invoiceId: string },
  signal: AbortSignal,
): Promise<void> {
  for (let pause = POLL_MILLISECONDS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_POLL_MILLISECONDS)) {
    const { isOver, send } = await writeOutcome(dependencies, merchantId, async (tx, wall) => {
      const open = await selectOpenRecord(tx, invoiceId);
      const record = open && (await lockRecord(tx, open.id));
      if (record?.problem !== null) return { isOver: true };
      if (record.status !== 'waiting') return { isOver: false };
      const now = await effectiveNow(tx, record.clockId, wall);
      return { isOver: false, send: await stepRecord(dependencies, tx, record.id, now) };
    });
    if (isOver) return;
    await send?.();
    await sleep(pause, undefined, { signal }).catch(() => undefined);
  }
}

/** Is the provider still to record something of the invoice? */
export const isTaxRecordOpen = async (tx: Tx, invoiceId: string): Promise<boolean> =>
  (await selectOpenRecord(tx, invoiceId)) !== undefined;

/** A credit note that is answered before the provider has answered keeps its own number as its id there. */
export async function keepOwnNumber(tx: Tx, note: CreditNoteRow): Promise<CreditNoteRow> {
  if (note.outsideTax !== null || !(await selectRecord(tx, note.id))) return note;
  const outsideTax = { reference: note.number, permalink: null, pdfUrl: null };
  await updateNoteOutside(tx, note, outsideTax);
  return { ...note, outsideTax };
}

const moved = ({ id, status }: TaxRecordRow, event: RecordEvent) => {
  const to = next(recordStates, status, event);
  if (!to.ok) throw new Error(`Tax record ${id} is ${status}; ${event} does not apply.`);
  return to.value;
};

type Outcome =
  | { readonly kind: 'recorded'; readonly recorded: TaxRecorded }
  /** The outcome of the call is unknown, or the merchant's key does not work now. */
  | { readonly kind: 'away'; readonly problem: string }
  | { readonly kind: 'refused'; readonly problem: string };

/** The earlier records of the invoice. */
interface Before {
  /** The record that it reverses; null of a sale. */
  readonly original: TaxRecordRow | null;
  readonly earlier: readonly TaxRecordRow[];
}

async function ask(
  connection: TaxConnection,
  record: TaxRecordRow,
  invoice: InvoiceRow,
  before: Before,
): Promise<Outcome> {
  try {
    return { kind: 'recorded', recorded: await call(connection, record, invoice, before) };
  } catch (error) {
    if (error instanceof ProviderAway) return { kind: 'away', problem: error.message };
    if (error instanceof ProviderRefused)
      return { kind: error.about === 'account' ? 'away' : 'refused', problem: error.message };
    throw error;
  }
}

function call(
  { provider, account }: TaxConnection,
  { id: key, kind, currency, net, tax }: TaxRecordRow,
  { terms }: InvoiceRow,
  { original, earlier }: Before,
): Promise<TaxRecorded> {
  const calculation = terms?.outside?.answer?.reference ?? '';
  if (kind === 'invoice') return provider.commit(account, { key, calculation, currency });
  const reference = original?.reference ?? '';
  if (kind === 'void') return provider.voidCreditNote(account, { key, creditNote: reference, currency });
  return provider.createCreditNote(account, {
    ...{ key, original: reference, currency },
    behavior: terms?.taxBehavior ?? 'exclusive',
    part: { net: net.negated(), tax: tax.negated() },
    earlier: inForce(earlier).map((each) => ({ net: each.net.negated(), tax: each.tax.negated() })),
  });
}

/** Credit notes that were recorded and are not void. */
const inForce = (earlier: readonly TaxRecordRow[]): TaxRecordRow[] => {
  const isVoid = (id: string) => earlier.some((each) => each.kind === 'void' && each.afterId === id);
  return earlier.filter(
    ({ id, kind, status }) => (kind === 'credits' || kind === 'credit_note') && status === 'done' && !isVoid(id),
  );
};

/** Stores the answer of the provider; idempotent. */
const recordTaxOutcome = (
  dependencies: TaxProviderDependencies,
  { merchantId, id, invoiceId, clockId }: TaxRecordRow,
  outcome: Outcome,
): Promise<void> =>
  writeOutcome(dependencies, merchantId, async (tx, wall) => {
    const now = await effectiveNow(tx, clockId, wall);
    const invoice = await lockInvoice(tx, invoiceId);
    const record = await lockRecord(tx, id);
    if (!invoice || !record) throw new Error(`Tax record ${id} was deleted, which nothing does.`);
    if (record.status !== 'sent') return;
    if (outcome.kind === 'away') {
      const { status, nextActionAt } = record;
      await updateRecord(tx, record, { status, nextActionAt, problem: outcome.problem }, now);
      await noteProblem(tx, invoice, record, outcome.problem, now);
      return;
    }
    if (outcome.kind === 'refused') {
      await fail(tx, record, outcome.problem, now);
      await noteProblem(tx, invoice, record, outcome.problem, now);
      return;
    }
    const { reference, tax, document } = outcome.recorded;
    const done = { status: moved(record, 'record'), reference, recordedTax: tax, nextActionAt: null };
    await scheduleNextTaxRecord(tx, await updateRecord(tx, record, done, now), now);
    const { permalink = null, pdfUrl = null } = document ?? {};
    if (record.kind === 'credit_note')
      await updateNoteOutside(tx, { merchantId, id: record.creditNoteId as string }, { reference, permalink, pdfUrl });
    if (record.kind === 'invoice' || record.kind === 'credits')
      await noteRecorded(tx, invoice, record.kind === 'invoice' ? { permalink, pdfUrl } : {}, now);
  });

async function fail(tx: Tx, record: TaxRecordRow, problem: string, now: Instant): Promise<void> {
  const failed = { status: moved(record, 'refuse'), nextActionAt: null, problem };
  await scheduleNextTaxRecord(tx, await updateRecord(tx, record, failed, now), now);
}

/** The fault of a sale is stored with the invoice; the fault of a credit note with its record. */
async function noteProblem(
  tx: Tx,
  invoice: InvoiceRow,
  { kind }: TaxRecordRow,
  problem: string,
  now: Instant,
): Promise<void> {
  if (kind === 'credit_note' || kind === 'void' || invoice.outsideTax === null) return;
  await updateInvoice(tx, invoice, { outsideTax: { ...invoice.outsideTax, problem } }, now);
}

/** The provider has recorded all of the invoice, or a part of it. */
async function noteRecorded(
  tx: Tx,
  invoice: InvoiceRow,
  document: { permalink?: string | null; pdfUrl?: string | null },
  now: Instant,
): Promise<void> {
  const { outsideTax: before } = invoice;
  if (!before) throw new Error(`Invoice ${invoice.id} is taxed by no provider.`);
  const actual: Decimal | null = await sumRecordedTax(tx, invoice.id);
  const recorded = actual === null ? {} : { actualTax: plain(actual), reconciledAt: formatInstant(now) };
  await updateInvoice(tx, invoice, { outsideTax: { ...before, problem: null, ...document, ...recorded } }, now);
}
