import type { StatementEntry, StatementWhat } from '../../documents/index.ts';
import { type Decimal, ZERO } from '../../kernel/decimal.ts';
import type { Instant } from '../../kernel/time.ts';
import type { CustomerTransaction } from '../../ledger/index.ts';

/** The kinds of entries of a statement. */
export const ENTRY_TYPES = [
  'invoice',
  'credit_note',
  'payment',
  'refund',
  'reversal',
  'wallet',
  'receipt',
  'write_off',
  'billing_credit',
] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** An entry of a statement without the balance after it. Above 0: the customer owes more. */
export interface Entry extends Pick<StatementEntry, 'date' | 'what' | 'invoice' | 'note' | 'name'> {
  readonly type: EntryType;
  readonly id: string;
  readonly amount: Decimal;
  /** An amount that moved and is not the change of the balance. */
  readonly moved: Decimal | null;
}

/** A credit note as a statement names it. */
export interface NamedNote {
  readonly id: string;
  readonly number: string;
  readonly total: Decimal;
  readonly invoiceId: string;
}

/** The names behind the ids of transactions. */
export interface Names {
  /** The number of an invoice; null: it has none. */
  readonly numberOf: (invoiceId: string | null) => string | null;
  /** The credit note of an id. */
  readonly noteOf: (id: string) => NamedNote | undefined;
  /** The credit note by which an invoice was cancelled. */
  readonly cancellationOf: (invoiceId: string | null) => NamedNote | undefined;
  /** The receipt of which a part was applied. */
  readonly receiptOf: (applicationId: string) => string | undefined;
}

/** A use of a billing credit by an invoice, its grant, or its void. */
export interface CreditFact {
  readonly at: Instant;
  readonly id: string;
  readonly what: 'creditGranted' | 'creditUsed' | 'creditVoided';
  readonly name: string;
  /** Above 0: granted or used; below 0: given back. */
  readonly amount: Decimal;
  readonly invoiceNumber: string | null;
}

type Made = Pick<Entry, 'type' | 'id' | 'what' | 'amount'> & Partial<Pick<Entry, 'moved'>>;

/**
 * The entries of a transaction of the ledger: together they are its change of the balance. A document stands with its
 * total, money with what came or left, and the remainder is named by where it went.
 */
export function entriesOf(transaction: CustomerTransaction, names: Names): Entry[] {
  const note = noteOf(transaction, names);
  const invoice = names.numberOf(note?.invoiceId ?? transaction.invoiceId);
  const facts = { date: transaction.at, invoice, note: note?.number ?? null, name: null };
  return partsOf(transaction, note, names)
    .filter(({ amount, moved }) => !amount.isZero() || moved?.gt(0))
    .map((part) => ({ ...facts, moved: null, ...part }));
}

/** The id in a key: `refund:crn_…`. */
const idIn = ({ key }: CustomerTransaction): string => key.split(':')[1] ?? key;

const noteOf = (transaction: CustomerTransaction, names: Names): NamedNote | undefined =>
  transaction.key.startsWith('cancel:')
    ? names.cancellationOf(transaction.invoiceId)
    : /^(?:refund|credit|partial|reissue|void):/.test(transaction.key)
      ? names.noteOf(idIn(transaction))
      : undefined;

function partsOf(transaction: CustomerTransaction, note: NamedNote | undefined, names: Names): Made[] {
  const { reason, change, cash, invoiceId, toCollect } = transaction;
  const id = idIn(transaction);
  switch (reason) {
    case 'invoice_issued':
      return [
        { type: 'invoice', id: invoiceId ?? id, what: 'invoice', amount: change.minus(toCollect) },
        { type: 'reversal', id: invoiceId ?? id, what: 'collected', amount: toCollect },
      ];
    case 'invoice_cancelled':
    case 'credit':
    case 'refund':
    case 'refund_voided':
      if (note) return partsOfNote(transaction, note);
      return [
        toCollect.isZero()
          ? walletPart(transaction)
          : { type: 'reversal', id: invoiceId ?? id, what: 'creditElsewhere', amount: toCollect },
      ];
    case 'invoice_written_off':
      return [{ type: 'write_off', id: invoiceId ?? id, what: 'writtenOff', amount: change }];
    case 'payment':
      return [
        { type: 'payment', id, what: 'payment', amount: cash.negated() },
        { type: 'write_off', id: invoiceId ?? id, what: 'noLoss', amount: change.plus(cash) },
      ];
    case 'payment_reversed':
      return reversedParts(transaction, names);
    case 'receipt':
      return [{ type: 'receipt', id, what: 'receipt', amount: change }];
    case 'receipt_applied':
      return [receiptPart(transaction, names, 'receiptApplied')];
    case 'receipt_returned':
      return [{ type: 'receipt', id, what: 'receiptReturned', amount: change }];
    default:
      return [walletPart(transaction)];
  }
}

/** A credit note with its total, the money that goes back because of it, and what is neither. */
function partsOfNote(transaction: CustomerTransaction, note: NamedNote): Made[] {
  const { change, goingBack, wallet, toCollect, reason, id, invoiceId } = transaction;
  const isVoid = reason === 'refund_voided';
  const credited = isVoid ? note.total : note.total.negated();
  const refunded = goingBack.negated();
  const other = change.minus(credited).minus(refunded).minus(toCollect);
  const isOfWallet = !wallet.isZero();
  const parts: Made[] = [
    { type: 'credit_note', id: note.id, what: isVoid ? 'creditNoteVoided' : 'creditNote', amount: credited },
    { type: 'refund', id: note.id, what: isVoid ? 'refundStopped' : 'refund', amount: refunded },
    { type: 'reversal', id: note.invoiceId, what: 'notCollected', amount: toCollect },
    isOfWallet
      ? { type: 'wallet', id, what: other.gt(0) ? 'walletTaken' : 'walletFilled', amount: other, moved: other.abs() }
      : { type: 'write_off', id: invoiceId ?? id, what: other.gt(0) ? 'noLoss' : 'lossAgain', amount: other },
  ];
  return parts;
}

/** A payment is undone; its top-up leaves the wallet, and the receipt of which it was waits again. */
function reversedParts(transaction: CustomerTransaction, names: Names): Made[] {
  const { key, change, cash, invoiceId } = transaction;
  if (key.startsWith('given_back:')) return [receiptPart(transaction, names, 'receiptWaits')];
  if (!key.startsWith('reversed:')) return [walletPart(transaction)];
  const id = idIn(transaction);
  return [
    { type: 'reversal', id, what: 'paymentReversed', amount: cash.negated() },
    { type: 'write_off', id: invoiceId ?? id, what: 'lossAgain', amount: change.plus(cash) },
  ];
}

/** A part of a receipt; one that fills the wallet of the same customer changes no balance. */
function receiptPart(transaction: CustomerTransaction, names: Names, what: StatementWhat): Made {
  const { change, wallet } = transaction;
  const id = names.receiptOf(idIn(transaction)) ?? idIn(transaction);
  return { type: 'receipt', id, what, amount: change, moved: change.isZero() ? wallet.abs() : change.abs() };
}

/** What the wallet gets or gives. Against the debt of an invoice it changes no balance. */
function walletPart({ id, reason, change, wallet }: CustomerTransaction): Made {
  const moved = wallet.isZero() ? change.abs() : wallet.abs();
  const isFilled = wallet.isZero() ? change.lt(0) : wallet.lt(0);
  const what = isFilled ? 'walletFilled' : 'walletTaken';
  if (moved.isZero()) return { type: 'wallet', id, what, amount: ZERO };
  if (reason === 'wallet_applied') return { type: 'wallet', id, what: 'walletApplied', amount: change, moved };
  const isBack = reason === 'invoice_cancelled' && isFilled;
  return { type: 'wallet', id, what: isBack ? 'walletBack' : what, amount: change, moved };
}

/** A fact of a billing credit, which changes no balance. */
export const entryOfCredit = ({ at, id, what, name, amount, invoiceNumber }: CreditFact): Entry => ({
  date: at,
  type: 'billing_credit',
  id,
  what: what === 'creditUsed' && amount.lt(0) ? 'creditBack' : what,
  invoice: invoiceNumber,
  note: null,
  name,
  amount: ZERO,
  moved: amount.abs(),
});

/** An invoice over nothing, of which nothing is booked. */
export interface EmptyInvoice {
  readonly at: Instant;
  readonly id: string;
  readonly number: string;
}

/** It stands on the statement all the same. */
export const entryOfEmpty = ({ at, id, number }: EmptyInvoice): Entry => ({
  ...{ date: at, type: 'invoice', id, what: 'invoice', invoice: number, note: null, name: null, moved: null },
  amount: ZERO,
});

/** Entries that follow each other and tell the same thing are one: the excess of a payment is booked apart. */
export function joined(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries) {
    const last = kept.at(-1);
    if (last && entry.type === 'payment' && last.what === entry.what && last.id === entry.id)
      kept[kept.length - 1] = { ...last, amount: last.amount.plus(entry.amount) };
    else kept.push(entry);
  }
  return kept;
}
