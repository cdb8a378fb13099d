import type { Route } from '../http/index.ts';
import type { DueKind } from '../jobs/index.ts';
import { sessionsDue } from './completion.ts';
import type { PaymentHandlers } from './handlers.ts';
import { methodRoutes } from './method-routes.ts';
import { pageRoutes } from './page/routes.ts';
import { returnsDue } from './returns.ts';
import { sandboxProvider } from './sandbox-provider.ts';
import { type PaymentEnvironment, sessionRoutes } from './session-routes.ts';

export interface Payments {
  readonly routes: readonly Route[];
  /** Sessions that run out, then money that goes back. */
  readonly dueKinds: readonly DueKind[];
}

/** Wires payments into an environment. Those upstream hand in what to do when a session of theirs ends. */
export function createPayments({
  handlers,
  ...environment
}: PaymentEnvironment & { readonly handlers: PaymentHandlers }): Payments {
  const parts = { handlers, provider: sandboxProvider };
  return {
    routes: [...sessionRoutes(parts, environment), ...methodRoutes(environment), ...pageRoutes(parts, environment)],
    dueKinds: [sessionsDue(parts), returnsDue(sandboxProvider)],
  };
}
