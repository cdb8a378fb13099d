import type { Route } from '../http/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { chargesDue } from './charges.ts';
import { sessionsDue } from './completion.ts';
import type { PaymentHandlers } from './handlers.ts';
import { linkRoutes } from './link-routes.ts';
import { withLinks } from './links.ts';
import { methodRoutes } from './method-routes.ts';
import { pageRoutes } from './page/routes.ts';
import { returnsDue } from './returns.ts';
import { sandboxProvider } from './sandbox-provider.ts';
import { type PaymentEnvironment, sessionRoutes } from './session-routes.ts';

export interface Payments {
  readonly routes: readonly Route[];
  /** Charges of stored cards: their invoices wait for the outcome, so they come before all else (domain.md §8). */
  readonly chargeDueKind: DueKind;
  /** Sessions that run out, then money that goes back. */
  readonly dueKinds: readonly DueKind[];
}

/** Wires payments into an environment. Those upstream hand in what to do when a session of theirs ends. */
export function createPayments({
  handlers,
  ...environment
}: PaymentEnvironment & { readonly handlers: PaymentHandlers }): Payments {
  const parts = { handlers: withLinks(handlers), provider: sandboxProvider };
  return {
    routes: [
      ...sessionRoutes(parts, environment),
      ...methodRoutes(environment),
      ...linkRoutes(environment),
      ...pageRoutes(parts, environment),
    ],
    chargeDueKind: chargesDue(parts),
    dueKinds: [sessionsDue(parts), returnsDue(sandboxProvider)],
  };
}
