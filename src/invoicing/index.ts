/** All that other domains may use of invoicing. */

export { findCreditBalances } from './billing-credits/billing-credits.ts';
export { BUYS_CREDIT, creditPurchases } from './billing-credits/purchases.ts';
export { creditTopUps, TOPS_UP_CREDITS } from './billing-credits/top-ups.ts';
export {
  hasCreditWatches,
  insertWatch as watchCredits,
  selectWatchedCustomers as findWatchedCustomers,
  wakeCredits,
} from './billing-credits/watch.sql.ts';
export { findCredits } from './billing-credits/watch.ts';
export {
  lockUnissuedUnder,
  selectIssuedUnderAdjustment as findIssuedUnderAdjustment,
} from './calculation/discounts.sql.ts';
export { type LineContext, notesOfLine } from './calculation/line-notes.ts';
export type { OneOffLine, OneOffLineType } from './calculation/one-off-lines.ts';
export { invoicePaymentHandlers } from './collecting/payment-handlers.ts';
export { selectWaitingReceipts as findWaitingReceipts } from './collecting/receipts.sql.ts';
export { selectCommitmentsOfOrder as findCommitmentsOfOrder } from './commitments/commitments.sql.ts';
export { updateToSettle as wakeCommitments } from './commitments/prepaid.sql.ts';
export { PREPAID_DATE, prepaidDates } from './commitments/prepaid.ts';
export { giveCredits } from './credits/give-credits.ts';
export { selectIsBilledAt as isBilledAt, selectLastService as findLastService } from './difference/billed.sql.ts';
export { type CommittedPrices, findCommittedPrices } from './difference/committed-prices.ts';
export { selectOrderItems as findOrderItems } from './difference/order-items.sql.ts';
export type { OrderCredit, OrderItem } from './difference/order-items.ts';
export { agreedPriceOf, countsUnits } from './documents/describe-document.ts';
export type { DocumentOwner } from './documents/document-owner.ts';
export { documentOf, eInvoiceOfDocument } from './documents/documents.ts';
export { payUrl } from './documents/present.ts';
export { calculateAgain } from './drafts/start-calculations.ts';
export { invoicingErrors } from './errors.ts';
export type {
  CancellationCause,
  InvoiceFact,
  InvoiceMails,
  InvoicingDependencies,
  NotifiedInvoice,
  PurposeHandler,
} from './invoice/dependencies.ts';
export { type InvoiceRow, localeOf } from './invoice/invoice.ts';
export type { LineRow } from './invoice/invoice-line.ts';
export {
  changedUpfront,
  lockInvoice,
  lockInvoicesIn,
  lockInvoicesOf,
  selectInvoice as findInvoice,
  selectLastNumbers as findLastNumbers,
  selectOpenInvoicesOfCustomer as findOpenInvoicesOfCustomer,
  updateAutoApprove,
  updateNextNumber as moveNumberOn,
} from './invoice/invoices.sql.ts';
export { InvoiceLineItem, InvoiceReply } from './invoice/schemas.ts';
export { decideAction } from './issue/actions.ts';
export { alignPeriods } from './issue/align-periods.ts';
export { invoiceApprovals } from './issue/approvals.ts';
export { cancelInvoice } from './issue/cancel.ts';
export { creditCarriedLines } from './issue/carry-over.ts';
export { closeWhatIsOver, followChanges, redoDrafts } from './issue/follow-change.ts';
export { makeOneOffInvoice, type NewOneOffInvoice, type OneOffInvoice } from './issue/make-one-off.ts';
export { openFirstInvoices } from './issue/open.ts';
export { creditOrderItems, makeOrderInvoice, updateOrderDrafts } from './issue/order-invoices.ts';
export { billLateUsage } from './issue/supplementary.ts';
export {
  asksUpfront,
  describeUpfront,
  makeUpfrontInvoice,
  type UpfrontPayment,
  upfrontInvoiceOf,
} from './one-off/upfront.ts';
export { couponWindow, ownPeriodAt } from './owed/coupon-window.ts';
export { windowOf as windowOfRedemption } from './owed/coupons.ts';
export { billForCustomers } from './page/bill.ts';
export type { Standing } from './page/standing.ts';
export { chargeAtOnce } from './paying/card-charge.ts';
export { selectWaitingDebts as findWaitingDebts } from './paying/debts.sql.ts';
export { checkLimits, dimensionsOf, normaliseProperties } from './rating/index.ts';
export {
  type CustomerInvoice,
  type ListedInvoice,
  listCustomerInvoices,
  listDueInvoices,
  type OpenInvoice,
  totalsAsOfNow,
  viewAsOfNow,
  viewCustomerInvoice,
} from './reading/customer-invoices.ts';
export {
  type BilledPeriod,
  selectNextToClose as findNextToClose,
  selectNextToCloseOfEach as findNextToCloseOfEach,
  selectOldestOpenPeriods as findOldestOpenPeriods,
  selectSeriesPeriods as findSeriesPeriods,
} from './reading/open-invoices.sql.ts';
export {
  type NumberedDocument,
  selectByNumber as findByNumber,
  selectCreditNoteById as findCreditNote,
  selectFirstPaid as findFirstPaid,
  selectFirstPriced as findFirstPriced,
  selectInvoiceNumbers as findInvoiceNumbers,
  selectUnpaidSums as findUnpaidSums,
} from './reading/overview.sql.ts';
export { showInvoice } from './reading/read.ts';
export { type Recomputed, recomputeInvoices } from './reading/recompute.ts';
export { type CouponDiscount, discountsOfRedemptions } from './reading/redemptions.ts';
export {
  findPeriodTotal,
  findPeriodTotals,
  findRunningPeriod,
  findUsagePeriod,
  type RunningPeriod,
} from './reading/running.ts';
export { simulateInvoice } from './reading/simulate.ts';
export { estimateNextInvoice, estimateRenewal, showNextInvoice } from './reading/upcoming.ts';
export { invoiceRoutes } from './routes.ts';
export { invoicingDueKinds } from './steps.ts';
export {
  type AppliesTo,
  AppliesToBody,
  AppliesToReply,
  appliesTo,
  checkChosen,
  hasPlan,
  namesCharges,
} from './terms/applies-to.ts';
export type {
  Adjustment,
  BilledPrice,
  BilledRedemption,
  BilledVersion,
  BillingSource,
  BillingTerms,
  CreditMode,
  FindUsageSources,
  Pause,
  PaymentTerms,
  PriceOverride,
  Proration,
  SeriesBounds,
} from './terms/billing-terms.ts';
export { PriceOverrideReply, PriceOverridesBody } from './terms/price-override-schema.ts';
export {
  holdsAt,
  mergeOverrides,
  NO_BOUND,
  saySame,
  withOverrides,
} from './terms/price-overrides.ts';
export { afterPauses, endOfPause, partsByPauses, pauseAt } from './timeline/pauses.ts';
export { boundsOfSeries, cadenceOfPrice, cadencesOf, versionsOf } from './timeline/segments.ts';
export { periodHolding, periodOf } from './timeline/series.ts';
export { lockBilling, lockBillingNow } from './usage/billing-lock.sql.ts';
export { findBilling } from './usage/event-billing.ts';
export { selectUsageTakenByInvoices as findUsageTakenByInvoices } from './usage/late-usage.sql.ts';
export { lateUsageDueAt } from './usage/late-usage.ts';
export {
  findCancelledPeriods,
  findClosedPeriods,
  findReadSeries,
  markHeldToBeReadAgain,
  markToBeReadAgain,
} from './usage/read-again.ts';
