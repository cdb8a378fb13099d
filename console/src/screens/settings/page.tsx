import { Tabs } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTagged } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { useMerchantId } from '../../frame/places.ts';
import { Page } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Branding } from './branding.tsx';
import { Plans } from './inputs.tsx';
import { type Present, Setting } from './setting.tsx';
import { Stripe } from './stripe.tsx';

const LABELS = {
  name: 'Name that customers see',
  billingEmails: 'E-mails for invoices and alerts',
  taxId: 'Tax id',
  'address.line1': 'Street and number',
  'address.line2': 'Second line',
  'address.city': 'City',
  'address.state': 'State or region',
  'address.zipCode': 'Postal code',
  'address.country': 'Country',
  'settings.defaultTaxRate': 'Tax rate in percent',
  'settings.taxProvider': 'Who calculates tax',
  'settings.taxRegistrations': 'Registrations',
  'settings.invoiceNotes.exempt': 'Of an exempt customer',
  'settings.invoiceNotes.reverseCharge': 'Of reverse charge',
  'settings.invoiceNotes.outside': 'Of a sale outside the scope',
  'settings.invoicePrefix': 'Beginning of invoice numbers',
  'settings.lateUsageDays': 'Days for late usage',
  'settings.requiredApprovals.invoice': 'Before an invoice is issued',
  'settings.requiredApprovals.order': 'Before an order holds',
  'settings.dunning.retryAfterDays': 'Days between attempts',
  'settings.dunning.finally': 'After the last attempt',
  'settings.paymentProvider': 'Provider',
  'settings.redirectHosts': 'Hosts to come back to',
  'settings.bankTransfer.holder': 'Account holder',
  'settings.bankTransfer.iban': 'IBAN',
  'settings.bankTransfer.account': 'Account number',
  'settings.bankTransfer.bic': 'BIC',
  'settings.bankTransfer.bank': 'Bank',
  'settings.bankTransfer.note': 'Note for the payer',
  'settings.portal.planChange.plans': 'Plans to change to',
  'settings.portal.planChange.effective': 'A change of plan holds',
  'settings.portal.quantities': 'Customers change quantities',
  'settings.portal.cancellation': 'Customers end a subscription',
  'settings.mail.attachDocuments': 'Attach the PDF',
  'settings.mail.zeroInvoices': 'Mail invoices over 0 too',
  'settings.mail.portalLinks': 'Lead to the customer portal',
};

/** Without plans there is no change of plan: the API takes null for that. */
const withoutEmptyPlans = (body: Record<string, unknown>): Record<string, unknown> => {
  const { settings } = body as { settings?: { portal?: { planChange?: { plans?: readonly string[] } | null } | null } };
  const portal = settings?.portal;
  if (!portal?.planChange || portal.planChange.plans?.length) return body;
  return { ...body, settings: { ...settings, portal: { ...portal, planChange: null } } };
};

const TABS: readonly (readonly [id: string, name: string, content: (present: Present) => ReactNode])[] = [
  [
    'organization',
    'Organization',
    (present) => (
      <Setting
        title="Your organization"
        fields={['name', 'legalName', 'taxId', 'address.*', 'billingEmails', 'phone', 'defaultCurrency']}
        labels={LABELS}
        needs="member"
        {...present}
      />
    ),
  ],
  [
    'taxes',
    'Taxes',
    (present) => (
      <>
        <Setting
          title="Rate and provider"
          fields={['settings.defaultTaxRate', 'settings.taxProvider']}
          labels={LABELS}
          {...present}
        />
        <Setting
          title="Where you are registered for tax"
          fields={['settings.taxRegistrations']}
          labels={LABELS}
          {...present}
        >
          <p className="soft fine">Keep ended registrations in the list.</p>
        </Setting>
        <Setting
          title="Sentences on documents without tax"
          fields={['settings.invoiceNotes.*']}
          labels={LABELS}
          {...present}
        />
      </>
    ),
  ],
  [
    'invoices',
    'Invoices',
    (present) => (
      <>
        <Setting title="Numbers" fields={['settings.invoicePrefix']} labels={LABELS} {...present} />
        <Setting
          title="After a declined charge"
          fields={['settings.dunning.retryAfterDays', 'settings.dunning.finally']}
          labels={LABELS}
          {...present}
        />
        <Setting title="Approvals" fields={['settings.requiredApprovals.*']} labels={LABELS} {...present} />
        <Setting title="Late usage" fields={['settings.lateUsageDays']} labels={LABELS} {...present} />
      </>
    ),
  ],
  ['branding', 'Branding', (present) => <Branding {...present} />],
  [
    'payments',
    'Payments',
    (present) => (
      <>
        <Setting
          title="Provider of payments"
          fields={['settings.paymentProvider', 'settings.redirectHosts']}
          labels={LABELS}
          {...present}
        />
        <Stripe merchantId={present.merchant.id} />
        <Setting title="Bank transfer" fields={['settings.bankTransfer.*']} labels={LABELS} {...present} />
      </>
    ),
  ],
  [
    'customers',
    'Portal and mails',
    (present) => (
      <>
        <Setting
          title="What customers change in their portal"
          fields={['settings.portal.*']}
          labels={LABELS}
          inputs={{ 'settings.portal.planChange.plans': Plans }}
          send={withoutEmptyPlans}
          {...present}
        />
        <Setting title="Mails to customers" fields={['settings.mail.*']} labels={LABELS} {...present} />
      </>
    ),
  ],
];

/** Everything that a merchant sets, each part with its own button. */
export function Settings() {
  const { tab = 'organization' } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const id = useMerchantId();
  const asked = useTagged('GET /v0/organizations/{id}', { path: { id } });
  return (
    <Page title="Settings" about={<code>{id}</code>}>
      <Environment />
      <Tabs
        value={tab}
        onChange={(value) => void navigate({ to: '.', search: { tab: value ?? undefined } as never, replace: true })}
        keepMounted={false}
      >
        <Tabs.List>
          {TABS.map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(([value, , content]) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <Part of={asked} lines={8}>
              {({ value: merchant, etag }) => <div className="stack">{content({ merchant, etag })}</div>}
            </Part>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}

/** Which of the two worlds this is, and how to get to the other one. */
function Environment() {
  const { data: session } = useSession();
  if (!session) return null;
  const isSandbox = session.environment === 'sandbox';
  return (
    <div className={isSandbox ? 'note warn stack tight' : 'note stack tight'}>
      <strong>{isSandbox ? 'This is the sandbox' : 'This is production'}</strong>
      <span>
        {isSandbox
          ? 'Its customers, keys and settings are its own. No real money moves, and mails are not sent.'
          : 'Real money moves, and customers get mails. Its customers, keys and settings are its own.'}
      </span>
      <span>
        {isSandbox ? 'Production' : 'The sandbox'} has the same console at another address: by default port{' '}
        <code>{isSandbox ? '4400' : '4401'}</code>; here you are at <code>{window.location.host}</code>. The server
        names both addresses when it starts.
      </span>
    </div>
  );
}
