import { type Route, Text, Type } from '../http/index.ts';
import { portalLinkRoutes } from './api-routes.ts';
import { pageMaker } from './frame/visit.ts';
import type { PortalDependencies } from './links/dependencies.ts';
import { balancesPage } from './pages/balances.ts';
import { addCard, cardsPage, chooseCard, removeCard } from './pages/cards.ts';
import { detailsPage, saveDetails } from './pages/details.ts';
import { invoicePage, invoicesPage } from './pages/invoices.ts';
import { overviewPage } from './pages/overview.ts';
import { changePortal, previewPage, subscriptionPage } from './pages/subscription.ts';
import { usagePage } from './pages/usage.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { DETAIL_FIELDS } from './words/page-words.ts';

/** The form itself reports longer texts. */
const DETAILS = Object.fromEntries(DETAIL_FIELDS.map((field) => [field, Type.Optional(Text({ maxLength: 2000 }))]));

/** Every route of the customer portal. */
export function portalRoutes(dependencies: PortalDependencies): readonly Route[] {
  const { show, act } = pageMaker(dependencies);
  return [
    ...portalLinkRoutes(dependencies),
    ...signInRoutes(dependencies),
    show('/portal', 'showPortal', 'The open invoices and the plans of a customer', (visit) =>
      overviewPage(dependencies, visit),
    ),
    show('/portal/invoices', 'listPortalInvoices', 'The invoices of a customer', invoicesPage),
    show(
      '/portal/invoices/:invoiceId',
      'showPortalInvoice',
      'An invoice, with the calculation of each figure',
      (visit) => invoicePage(dependencies, visit),
    ),
    show('/portal/subscriptions/:subscriptionId', 'showPortalSubscription', 'A plan, and its next invoice', (visit) =>
      subscriptionPage(dependencies, visit),
    ),
    show(
      '/portal/subscriptions/:subscriptionId/preview',
      'previewPortalChange',
      'The effect of a change, without making it',
      (visit) => previewPage(dependencies, visit),
    ),
    act(
      '/portal/subscriptions/:subscriptionId/change',
      'changePortalSubscription',
      'Makes the change of the preview',
      'any',
      (visit, form) => changePortal(dependencies, visit, form),
    ),
    show('/portal/cards', 'listPortalCards', 'The cards of a customer', cardsPage),
    act('/portal/cards', 'addPortalCard', 'Leads to the page on which a card is entered', {}, (visit) =>
      addCard(dependencies, visit),
    ),
    act(
      '/portal/cards/:cardId/default',
      'choosePortalCard',
      'Makes a card the one that is charged first',
      {},
      chooseCard,
    ),
    act('/portal/cards/:cardId/remove', 'removePortalCard', 'Forgets a card', {}, removeCard),
    show('/portal/usage', 'showPortalUsage', 'The usage of each metric, day by day', (visit) =>
      usagePage(dependencies, visit),
    ),
    show('/portal/balances', 'showPortalBalances', 'The balance of each entitlement, and of billing credits', (visit) =>
      balancesPage(dependencies, visit),
    ),
    show('/portal/details', 'showPortalDetails', 'The billing details of a customer', detailsPage),
    act('/portal/details', 'savePortalDetails', 'Saves the billing details', DETAILS, (visit, form) =>
      saveDetails(dependencies, visit, form),
    ),
  ];
}
