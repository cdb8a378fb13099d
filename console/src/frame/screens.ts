import type { ComponentType } from 'react';

/** A page of a merchant: its path below the merchant, and the file with its component, which is loaded when needed. */
export interface Screen {
  readonly path: string;
  readonly load: () => Promise<ComponentType>;
  /** The word in the menu; absent: reached by links. */
  readonly menu?: string;
  /** Opens a group in the menu. */
  readonly group?: string;
  /** In the sandbox alone. */
  readonly sandbox?: true;
}

/** Every page, in the order of the menu. */
export const SCREENS: readonly Screen[] = [
  { path: '/', menu: 'Home', load: async () => (await import('../screens/home/page.tsx')).Home },
  {
    path: '/customers',
    menu: 'Customers',
    group: 'Billing',
    load: async () => (await import('../screens/customers/list.tsx')).Customers,
  },
  { path: '/customers/$id', load: async () => (await import('../screens/customers/page.tsx')).CustomerPage },
  {
    path: '/subscriptions',
    menu: 'Subscriptions',
    load: async () => (await import('../screens/subscriptions/list.tsx')).Subscriptions,
  },
  {
    path: '/subscriptions/new',
    load: async () => (await import('../screens/subscriptions/create.tsx')).NewSubscriptionPage,
  },
  {
    path: '/subscriptions/$id',
    load: async () => (await import('../screens/subscriptions/page.tsx')).SubscriptionPage,
  },
  { path: '/invoices', menu: 'Invoices', load: async () => (await import('../screens/invoices/list.tsx')).Invoices },
  { path: '/invoices/$id', load: async () => (await import('../screens/invoices/page.tsx')).InvoicePage },
  {
    path: '/usage/events',
    menu: 'Events',
    group: 'Usage',
    load: async () => (await import('../screens/usage/events.tsx')).Events,
  },
  { path: '/usage/events/$id', load: async () => (await import('../screens/usage/event.tsx')).EventPage },
  {
    path: '/usage/metrics',
    menu: 'Metric explorer',
    load: async () => (await import('../screens/usage/explorer.tsx')).Explorer,
  },
  {
    path: '/usage/unbilled',
    menu: 'Unbilled',
    load: async () => (await import('../screens/usage/unbilled.tsx')).Unbilled,
  },
  {
    path: '/catalog/plans',
    menu: 'Plans',
    group: 'Catalog',
    load: async () => (await import('../screens/catalog/plans.tsx')).Plans,
  },
  { path: '/catalog/plans/$id', load: async () => (await import('../screens/catalog/plan.tsx')).PlanPage },
  {
    path: '/catalog/plans/$id/price',
    load: async () => (await import('../screens/catalog/price-editor.tsx')).PriceEditor,
  },
  {
    path: '/catalog/plans/$id/new-version',
    load: async () => (await import('../screens/catalog/new-version.tsx')).NewVersion,
  },
  {
    path: '/catalog/plans/$id/versions/$version',
    load: async () => (await import('../screens/catalog/versions.tsx')).VersionPage,
  },
  {
    path: '/catalog/plans/$id/migrations/$migration',
    load: async () => (await import('../screens/catalog/migrations.tsx')).MigrationPage,
  },
  {
    path: '/catalog/products',
    menu: 'Products',
    load: async () => (await import('../screens/catalog/products.tsx')).Products,
  },
  { path: '/catalog/products/$id', load: async () => (await import('../screens/catalog/products.tsx')).ProductPage },
  {
    path: '/catalog/metrics',
    menu: 'Metrics',
    load: async () => (await import('../screens/catalog/metrics.tsx')).Metrics,
  },
  { path: '/catalog/metrics/$id', load: async () => (await import('../screens/catalog/metric.tsx')).MetricPage },
  {
    path: '/catalog/features',
    menu: 'Features',
    load: async () => (await import('../screens/catalog/features.tsx')).Features,
  },
  { path: '/catalog/features/$id', load: async () => (await import('../screens/catalog/features.tsx')).FeaturePage },
  {
    path: '/catalog/coupons',
    menu: 'Coupons',
    load: async () => (await import('../screens/catalog/coupons.tsx')).Coupons,
  },
  {
    path: '/entitlements',
    menu: 'Entitlements',
    group: 'Access',
    load: async () => (await import('../screens/entitlements/list.tsx')).Entitlements,
  },
  {
    path: '/entitlements/$id',
    load: async () => (await import('../screens/entitlements/page.tsx')).EntitlementPage,
  },
  {
    path: '/clocks',
    menu: 'Test clocks',
    sandbox: true,
    load: async () => (await import('../screens/clocks/list.tsx')).Clocks,
  },
  { path: '/clocks/$id', load: async () => (await import('../screens/clocks/page.tsx')).ClockPage },
  {
    path: '/developers/api-keys',
    menu: 'API keys',
    group: 'Developers',
    load: async () => (await import('../screens/developers/api-keys.tsx')).ApiKeys,
  },
  {
    path: '/developers/webhooks',
    menu: 'Webhooks',
    load: async () => (await import('../screens/developers/endpoints.tsx')).Endpoints,
  },
  {
    path: '/developers/webhooks/$id',
    load: async () => (await import('../screens/developers/endpoint.tsx')).EndpointPage,
  },
  {
    path: '/developers/webhook-events',
    menu: 'Webhook events',
    load: async () => (await import('../screens/developers/webhook-events.tsx')).WebhookEvents,
  },
  {
    path: '/developers/webhook-events/$id',
    load: async () => (await import('../screens/developers/webhook-event.tsx')).WebhookEventPage,
  },
  {
    path: '/developers/webhook-inbox',
    menu: 'Webhook inbox',
    sandbox: true,
    load: async () => (await import('../screens/developers/webhook-inbox.tsx')).WebhookInbox,
  },
  {
    path: '/developers/mails',
    menu: 'Mails',
    load: async () => (await import('../screens/developers/mails.tsx')).Mails,
  },
  { path: '/developers/mails/$id', load: async () => (await import('../screens/developers/mail.tsx')).MailPage },
  {
    path: '/developers/audit-log',
    menu: 'Audit log',
    load: async () => (await import('../screens/developers/audit-log.tsx')).AuditLog,
  },
  {
    path: '/settings',
    menu: 'Organization',
    group: 'Settings',
    load: async () => (await import('../screens/settings/page.tsx')).Settings,
  },
  {
    path: '/settings/members',
    menu: 'Members',
    load: async () => (await import('../screens/settings/members.tsx')).Members,
  },
  { path: '/settings/members/you', load: async () => (await import('../screens/settings/you.tsx')).You },
];
