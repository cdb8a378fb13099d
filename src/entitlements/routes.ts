import type { Route } from '../http/index.ts';
import type { InvoicingDependencies } from '../invoicing/index.ts';
import { entitlementWriteRoutes } from './changes/write-routes.ts';
import type { EntitlementDependencies } from './entitlement/dependencies.ts';
import { grantRoutes } from './grants/grant-routes.ts';
import { purchaseRoutes } from './purchases/routes.ts';
import { entitlementReadRoutes } from './read-routes.ts';
import { reservationRoutes } from './reservations/reservation-routes.ts';

/** Every route about entitlements (§4, Entitlements and grants; api.md, Entitlements). */
export const entitlementRoutes = (
  dependencies: EntitlementDependencies,
  invoicing: InvoicingDependencies,
): readonly Route[] => [
  ...entitlementReadRoutes(dependencies),
  ...entitlementWriteRoutes(dependencies),
  ...grantRoutes,
  ...purchaseRoutes(invoicing),
  ...reservationRoutes,
];
