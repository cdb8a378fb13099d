import type { Route } from '../http/index.ts';
import type { Chore, DueKind } from '../jobs/index.ts';
import { awaitOutcome, type PaidInvoice } from './await-outcome.ts';
import type { RemoteDependencies } from './calls/dependencies.ts';
import { ProviderCallQueue } from './calls/provider-client.ts';
import { chargesDue } from './charges/charges.ts';
import { checkoutsDue } from './checkouts/checkouts.ts';
import { exceptionRoutes } from './exceptions/routes.ts';
import { withLinks } from './links/links.ts';
import { linkRoutes } from './links/routes.ts';
import { disputeRoute } from './notices/dispute-route.ts';
import { noticesDue } from './notices/notices.ts';
import { noticeRoutes } from './notices/routes.ts';
import { sandboxDisputesDue } from './notices/sandbox-disputes.ts';
import { pageRoutes } from './page/routes.ts';
import { sandboxProvider } from './provider/sandbox-provider.ts';
import type { PaymentHandlers } from './records/handlers.ts';
import { comparisonChore } from './returns/after-restore.ts';
import { partReturnsDue } from './returns/part-returns.ts';
import { returnsDue } from './returns/returns.ts';
import { unmatchedReturnsDue } from './returns/unmatched.ts';
import { sessionsDue } from './sessions/completion.ts';
import { methodRoutes } from './sessions/method-routes.ts';
import { type PaymentEnvironment, sessionRoutes } from './sessions/session-routes.ts';

export interface Payments {
  readonly routes: readonly Route[];
  /** Charges of stored cards: their invoices wait for the outcome, so they come before all else (domain.md §8). */
  readonly chargeDueKind: DueKind;
  /** Sessions that run out, then money that goes back. */
  readonly dueKinds: readonly DueKind[];
  readonly chores: readonly Chore[];
  /** Makes the calls to providers outside that are intended for an invoice, and waits for their outcomes. */
  awaitOutcome(of: PaidInvoice, signal: AbortSignal): Promise<void>;
  /** When no provider outside is being called any more. */
  idle(): Promise<void>;
  /** Ends the calls to providers outside. */
  close(): Promise<void>;
}

/** How providers outside our database are reached. */
export interface RemoteOptions extends Omit<RemoteDependencies, 'providerClient'> {
  /** Called after a call to a provider, or the storage of its outcome, has failed. */
  readonly onTrouble: (error: Error) => void;
}

/** Wires payments into an environment. Those upstream hand in what to do when a session of theirs ends. */
export function createPayments({
  handlers,
  remote: { onTrouble, ...options },
  ...environment
}: PaymentEnvironment & { readonly handlers: PaymentHandlers; readonly remote: RemoteOptions }): Payments {
  const providerClient = new ProviderCallQueue(options.now, onTrouble);
  const remote = { ...options, providerClient };
  const dependencies = { handlers: withLinks(handlers), provider: sandboxProvider, remote };
  return {
    routes: [
      ...sessionRoutes(dependencies, environment),
      ...methodRoutes(environment),
      ...linkRoutes(environment),
      ...pageRoutes(dependencies, environment),
      ...noticeRoutes(remote),
      ...(environment.environment === 'sandbox' ? [disputeRoute] : []),
      ...exceptionRoutes(dependencies),
    ],
    chargeDueKind: chargesDue(dependencies),
    dueKinds: [
      sessionsDue(dependencies),
      returnsDue(dependencies),
      partReturnsDue(dependencies),
      noticesDue(dependencies),
      checkoutsDue(dependencies),
      unmatchedReturnsDue(remote),
      sandboxDisputesDue,
    ],
    chores: [comparisonChore(remote)],
    awaitOutcome: (of, signal) => awaitOutcome(dependencies, of, signal),
    idle: () => providerClient.idle(),
    close: () => providerClient.close(),
  };
}
