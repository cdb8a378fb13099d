import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { Subscription } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, dayText } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { Facts } from '../../shape/page.tsx';
import { Failed, Loading } from '../../shape/states.tsx';
import { Change } from './change.tsx';
import { InvoiceLines } from './lines.tsx';

const EDITED = ['name', 'autoCharge', 'bankTransferOnly', 'paymentTermDays', 'endingAt'];
const EDITED_MORE = [
  'autoApprove',
  'creditsRequired',
  'taxExempt',
  'renewalReminderEnabled',
  'renewalReminderDays',
  'metadata',
];
const LABELS = {
  autoCharge: 'Charge the card automatically',
  autoApprove: 'Approve invoices automatically',
  bankTransferOnly: 'Bank transfer only',
  paymentTermDays: 'Days to pay',
  endingAt: 'Ends',
  trialEnd: 'Trial until',
  resumesAt: 'Resumes',
};

/** Does its trial seem to run? The API decides. */
const isInTrial = ({ status, trialEnd }: Subscription): boolean =>
  status === 'active' && trialEnd !== null && Date.parse(trialEnd) > Date.now();

/** What can be done with a subscription in its state. */
export function Actions({
  subscription,
  etag,
}: {
  readonly subscription: Subscription;
  readonly etag: string | undefined;
}) {
  const { id, status, pausedAt } = subscription;
  if (status === 'terminated') return <PortalLink id={id} />;
  return (
    <>
      {status === 'active' && <Change subscription={subscription} />}
      <Deed
        label="Edit"
        verb="Save"
        operation="PATCH /v0/subscriptions/{id}"
        path={{ id }}
        before={subscription}
        etag={etag}
        fields={[
          ...EDITED,
          ...(isInTrial(subscription) ? ['trialEnd'] : []),
          ...(pausedAt === null ? [] : ['resumesAt']),
        ]}
        more={EDITED_MORE}
        labels={LABELS}
      />
      <PortalLink id={id} />
      {status === 'active' && <Reconcile id={id} />}
      {status === 'active' &&
        (pausedAt === null ? <Pause subscription={subscription} /> : <Resume subscription={subscription} />)}
      {status === 'active' && <EndLater subscription={subscription} etag={etag} />}
      <Terminate subscription={subscription} />
    </>
  );
}

const PortalLink = ({ id }: { readonly id: string }) => (
  <Deed
    label="Portal link"
    verb="Make a link"
    operation="POST /v0/subscriptions/{id}/portal"
    path={{ id }}
    effects={['Whoever has the link sees and pays the invoices of this customer, until it ends.']}
    done={({ url }) => window.open(url, '_blank', 'noopener')}
  />
);

/** The end of the open period of the plan, and the invoice of it as of now. */
const useOpenPeriod = ({ id, status }: Subscription) =>
  useRead('GET /v0/subscriptions/{id}/upcomingInvoice', { path: { id } }, { enabled: status === 'active' }).data;

/** Pauses it now or with its period. */
const Pause = ({ subscription: { id, name, customerId } }: { readonly subscription: Subscription }) => (
  <Deed
    label="Pause"
    verb="Pause"
    operation="POST /v0/subscriptions/{id}/pause"
    path={{ id }}
    fields={['effective', 'resumesAt', 'usage', 'credit']}
    more={['anchor', 'reason']}
    labels={{
      effective: 'Begins',
      resumesAt: 'Resumes',
      usage: 'Usage',
      credit: 'Credit for paid fees',
      anchor: 'Periods',
    }}
    initial={{ effective: 'now', usage: 'bill', credit: 'invoice', anchor: 'keep' }}
    facts={[
      ['Subscription', name],
      ['Customer', <Ref key="customer" id={customerId} />],
    ]}
    effects={[
      'Fees that are paid for that time are credited, as chosen below.',
      'The open invoice goes on. A period that is paused throughout has no invoice of 0.00.',
    ]}
    undo="It can be resumed at any time."
  />
);

/** Ends its pause, or withdraws one that is to come. */
const Resume = ({ subscription: { id, name, pausedAt, resumesAt } }: { readonly subscription: Subscription }) => (
  <Deed
    label="Resume"
    verb="Resume now"
    operation="POST /v0/subscriptions/{id}/resume"
    path={{ id }}
    labels={{ anchor: 'Periods' }}
    initial={{ anchor: 'keep' }}
    facts={[
      ['Subscription', name],
      ['Paused', pausedAt && <Day key="paused" at={pausedAt} />],
      ['Resumes', resumesAt && <Day key="resumes" at={resumesAt} />],
    ]}
    effects={['Fees in advance of the open period stand on its open invoice.']}
  />
);

/** Ends it with the open period: nothing is credited, because everything is used. */
function EndLater({ subscription, etag }: { readonly subscription: Subscription; readonly etag: string | undefined }) {
  const { id, name, customerId, endingAt } = subscription;
  const open = useOpenPeriod(subscription);
  if (!open || endingAt === open.periodEnd) return null;
  return (
    <Deed
      label="End with the period"
      verb={`End on ${dayText(open.periodEnd)}`}
      operation="PATCH /v0/subscriptions/{id}"
      path={{ id }}
      etag={etag}
      fields={[]}
      fixed={{ endingAt: open.periodEnd }}
      facts={[
        ['Subscription', name],
        ['Customer', <Ref key="customer" id={customerId} />],
        ['Ends', <Day key="end" at={open.periodEnd} />],
      ]}
      effects={[
        'The open period is the last one. Its invoice bills usage and fees in arrears, and no fees in advance for a time after it.',
        'Its entitlements end then, too.',
      ]}
      undo="Until then it can be undone: empty the field “Ends” under Edit."
    />
  );
}

/** Ends it now. The last invoice is shown as it is before the end; the credit is known when it has ended. */
function Terminate({ subscription }: { readonly subscription: Subscription }) {
  const { id, name, customerId, status } = subscription;
  const open = useOpenPeriod(subscription);
  return (
    <Deed
      label="Terminate"
      verb="Terminate now"
      operation="POST /v0/subscriptions/{id}/termination"
      path={{ id }}
      facts={[
        ['Subscription', name],
        ['Customer', <Ref key="customer" id={customerId} />],
        ['Ends', 'Now'],
        ['Open period', open && `${dayText(open.periodStart)} to now, instead of ${dayText(open.periodEnd)}`],
      ]}
      effects={
        status === 'pending_payment'
          ? ['It was never active: its unpaid invoice is cancelled, and nothing is billed.']
          : [
              'Fees in arrears are billed for the time until now, and usage until now.',
              'Charges in advance for the unused time are credited, as chosen below.',
            ]
      }
      undo="This cannot be undone."
      labels={{ credit: 'Credit for unused time' }}
      initial={{ credit: 'invoice' }}
      preview={() =>
        open ? (
          <section className="sheet flush" aria-label="The last invoice before the end">
            <header>
              <h2>The last invoice, as of now</h2>
            </header>
            <p className="foot soft fine">
              The end cuts its fees to the time until now, and drops fees in advance for the time after. The credit for
              unused time is known when the subscription has ended.
            </p>
            <InvoiceLines invoice={open} />
          </section>
        ) : null
      }
      isDangerous
    />
  );
}

/** Gives it the features of the default version of its plan; the server says before which ones. */
function Reconcile({ id }: { readonly id: string }) {
  return (
    <Deed
      label="Reconcile entitlements"
      verb="Reconcile"
      operation="POST /v0/subscriptions/{id}/reconciliations"
      path={{ id }}
      fields={[]}
      effects={[]}
      preview={() => <Reconciliation id={id} />}
    />
  );
}

function Reconciliation({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['reconciliation', id],
    queryFn: () => call('POST /v0/subscriptions/{id}/reconciliations', { path: { id }, body: { dryRun: true } }),
    retry: false,
  });
  if (error) return <Failed error={error} />;
  if (!data) return <Loading />;
  const found = Object.entries(data.features).filter(([, features]) => features.length > 0);
  if (found.every(([name]) => name === 'skipped'))
    return <p className="note">Nothing changes: it has the features of the default version already.</p>;
  return (
    <Facts
      of={found.map(([name, features]) => [wordsOf(name), features.map(({ featureKey }) => featureKey).join(', ')])}
    />
  );
}
