import type { Route } from '../http/index.ts';
import type { InvoicingParts } from '../invoicing/index.ts';
import { entitlementWriteRoutes } from './changes/write-routes.ts';
import type { EntitlementParts } from './entitlement/parts.ts';
import { grantRoutes } from './grants/grant-routes.ts';
import { purchaseRoutes } from './purchases/routes.ts';
import { entitlementReadRoutes } from './read-routes.ts';
import { reservationRoutes } from './reservations/reservation-routes.ts';

/** Every route about entitlements (§4, Entitlements and grants; api.md, Entitlements). */
export const entitlementRoutes = (parts: EntitlementParts, invoicing: InvoicingParts): readonly Route[] => [
  ...entitlementReadRoutes(parts),
  ...entitlementWriteRoutes(parts),
  ...grantRoutes,
  ...purchaseRoutes(invoicing),
  ...reservationRoutes,
];
