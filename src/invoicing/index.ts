/** All that other domains may use of invoicing. */

export { decideAction } from './actions.ts';
export { issuedUnderAdjustment, lockUnissuedUnder } from './adjustments.sql.ts';
export { calculateAgain } from './calculation.ts';
export { chargeAtOnce } from './charging.ts';
export { closePeriod, cutPeriod } from './close.ts';
export { type CreditMode, giveCredits } from './credits.ts';
export type { DocumentOwner } from './documents.sql.ts';
export { documentOf, eInvoiceOfDocument } from './documents.ts';
export { cancelInvoice, dropUnbilledInvoice } from './drop.ts';
export { invoicingErrors } from './errors.ts';
export { findBilling } from './event-billing.ts';
export { boundsOfSeries, cadencesOf } from './history.ts';
export {
  type InvoiceRow,
  lockInvoice,
  lockInvoicesIn,
  openInvoicesOfCustomer,
  updateAutoApprove,
} from './invoices.sql.ts';
export { usageTakenByInvoices } from './late-usage.sql.ts';
export { lateUsageDueAt } from './late-usage.ts';
export { makeOneOffInvoice, type NewOneOffInvoice, type OneOffInvoice } from './one-off.ts';
export type { OneOffLine, OneOffLineType } from './one-off-lines.ts';
export { openFirstInvoices } from './open.ts';
export type { CancellationCause, InvoiceFact, InvoiceLetters, InvoicingParts, PurposeHandler } from './parts.ts';
export { invoicePaymentHandlers } from './payment-handlers.ts';
export { closeWhatIsOver, followChange, redoDrafts } from './plan-change.ts';
export { payUrl } from './present.ts';
export { readInvoice } from './read.ts';
export { type Recomputed, recomputeInvoices } from './recompute.ts';
export { invoiceRoutes } from './routes.ts';
export { Invoice, InvoiceLineItem } from './schemas.ts';
export { periodHolding, periodOf, type SeriesBounds } from './series.ts';
export { simulateInvoice } from './simulate.ts';
export type { BilledPrice, BilledVersion, BillingSource, BillingTerms, Proration } from './source.ts';
export { invoicingDueKinds } from './steps.ts';
export { billLateUsage } from './supplementary.ts';
export { estimateRenewal } from './upcoming.ts';
export {
  asksUpfront,
  describeUpfront,
  makeUpfrontInvoice,
  type UpfrontPayment,
  upfrontInvoiceOf,
} from './upfront.ts';
