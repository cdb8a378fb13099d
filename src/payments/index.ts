export { isCallOpen } from './await-outcome.ts';
export { byProviderClient, writeOutcome } from './calls/dependencies.ts';
export { nextLookUp } from './calls/look-ups.ts';
export { ProviderCallQueue, type ProviderClient } from './calls/provider-client.ts';
export { defaultMethodOf, defaultMethodsOf, intendCharges, performCharge } from './charges/charges.ts';
export { paymentErrors } from './errors.ts';
export { countExceptions } from './exceptions/exceptions.sql.ts';
export { endOf as endOfLink } from './links/links.ts';
export { createPayments, type Payments, type RemoteOptions } from './payments.ts';
export type { DeclineReason } from './provider/provider.ts';
export { type ProviderAccount, ProviderAway, ProviderRefused, type RemoteProvider } from './provider/remote.ts';
export type { ChargeOrigin, FinishedCharge } from './records/charges.sql.ts';
export type {
  CompletedPayment,
  EntityDescription,
  EntityOfSession,
  EntityStanding,
  EntityToLock,
  PaymentHandlers,
} from './records/handlers.ts';
export type { PaymentMethod } from './records/method.ts';
export { selectMethod as findMethod } from './records/methods.sql.ts';
export { listMethods, makeDefault, removeMethod } from './records/methods.ts';
export { type PaymentReceipt, RECORDED_METHODS } from './records/receipts.sql.ts';
export {
  findReceipt,
  findRecorded,
  findReversed,
  listReceiptsOf,
  lockPayment,
  newReceiptId,
  recordReceipt,
  reverseReceipt,
} from './records/record.ts';
export { type RedirectRules, redirectProblems } from './records/redirect-urls.ts';
export { RETURN_STATUSES, type ReturnStatus } from './records/return-states.ts';
export type { EntityType, PaymentSession } from './records/session.ts';
export type { SessionStatus } from './records/session-states.ts';
export { changedSessions } from './records/sessions.sql.ts';
export type { LeftOfPayment } from './returns/left-of-payment.ts';
export type { PartReturn } from './returns/part-returns.sql.ts';
export { partsOfPayments, requestPartReturn, stopPartReturns } from './returns/part-returns.ts';
export { isDisputed, receiptsOf, requestReturn, returnedByHand, stopReturn } from './returns/returns.ts';
export { PaymentSessionReply, publicSession } from './sessions/replies.ts';
export {
  cancelSessions,
  DEFAULT_SESSION_MINUTES,
  endOpenSession,
  expireSessions,
  findSession,
  isOver,
  openSession,
  openSessionOf,
  openSessions,
  openSessionsOf,
  type PaymentOpening,
  payableSessionOf,
  type SetupOpening,
  sessionUrl,
} from './sessions/sessions.ts';
export { checkTakesCards, checkTakesCardsNow, openSetup } from './sessions/setup.ts';
export { digitsOf as stripeDigits } from './stripe/amounts.ts';
export {
  calling as callingStripe,
  callingPlainly as callingStripePlainly,
  isInvalidRequest,
  openClient as openStripeClient,
  refusedOr,
  type StripeOptions,
} from './stripe/client.ts';
export { createStripeProvider } from './stripe/provider.ts';
