import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { type FieldError, invalid, ok, type Result } from '../../kernel/result.ts';
import { type Instant, type InstantText, instantOrNull, isBefore } from '../../kernel/time.ts';
import type { InvoiceListQuery } from '../invoice/schemas.ts';
import type { InvoiceStatus } from '../invoice/states.ts';

/** A range of which either end may be open. */
export interface Range<T> {
  readonly from: T | null;
  readonly to: T | null;
}

/** The invoices of a list. */
export interface InvoiceFilters {
  readonly status?: InvoiceStatus | undefined;
  readonly subscriptionId?: string | undefined;
  readonly customerId?: string | undefined;
  /** Who pays it; before its issue, who pays for its customer now. */
  readonly payerId?: string | undefined;
  readonly invoiceNumber?: string | undefined;
  /** Times: the start is within, the end is not. */
  readonly issued: Range<Instant>;
  readonly due: Range<Instant>;
  /** The grand total: both ends are within. */
  readonly amount: Range<Decimal>;
  readonly unpaid?: boolean | undefined;
  readonly overdue?: boolean | undefined;
  /** Changed at this time or later. */
  readonly updatedFrom: Instant | null;
  /** Only those whose next step is due. */
  readonly isReady: boolean;
  readonly now: Instant;
}

/** Reads the filters of a list of invoices; every range that holds nothing is named. */
export function readInvoiceFilters(query: InvoiceListQuery, now: Instant): Result<InvoiceFilters> {
  const { status, subscriptionId, customerId, payerId, invoiceNumber, unpaid, overdue } = query;
  const issued = timesOf(query.issuedFrom, query.issuedTo);
  const due = timesOf(query.dueFrom, query.dueTo);
  const amount = { from: amountOf(query.amountFrom), to: amountOf(query.amountTo) };
  const errors: FieldError[] = [];
  if (isEmpty(issued)) errors.push({ field: 'issuedTo', message: 'must be after issuedFrom' });
  if (isEmpty(due)) errors.push({ field: 'dueTo', message: 'must be after dueFrom' });
  if (amount.from !== null && amount.to?.lt(amount.from))
    errors.push({ field: 'amountTo', message: 'must not be less than amountFrom' });
  if (errors.length > 0) return invalid(errors);
  const isReady = query.nextActionAt === 'ready';
  const updatedFrom = instantOrNull(query.updatedFrom);
  return ok({
    status,
    updatedFrom,
    subscriptionId,
    customerId,
    payerId,
    invoiceNumber,
    issued,
    due,
    amount,
    unpaid,
    overdue,
    isReady,
    now,
  });
}

const timesOf = (from: InstantText | undefined, to: InstantText | undefined): Range<Instant> => ({
  from: instantOrNull(from),
  to: instantOrNull(to),
});
const amountOf = (text: string | undefined): Decimal | null => (text === undefined ? null : decimal(text));

const isEmpty = ({ from, to }: Range<Instant>): boolean => from !== null && to !== null && !isBefore(from, to);
