import type { Route } from '../http/index.ts';
import { portalLinkRoutes } from './api-routes.ts';
import { doorRoutes } from './door-routes.ts';
import { invoicePage, invoicesPage } from './invoices.ts';
import { overviewPage } from './overview.ts';
import type { PortalParts } from './parts.ts';
import { pageMaker } from './visit.ts';

/** Every route of the customer portal. */
export function portalRoutes(parts: PortalParts): readonly Route[] {
  const { show } = pageMaker(parts);
  return [
    ...portalLinkRoutes(parts),
    ...doorRoutes(parts),
    show('/portal', 'showPortal', 'What is to pay, and the plans of a customer', (visit) => overviewPage(parts, visit)),
    show('/portal/invoices', 'listPortalInvoices', 'The invoices of a customer', invoicesPage),
    show('/portal/invoices/:invoiceId', 'showPortalInvoice', 'An invoice, and where each figure comes from', (visit) =>
      invoicePage(parts, visit),
    ),
  ];
}
