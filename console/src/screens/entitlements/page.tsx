import { useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { EntitlementDetail, MeteredEntitlementDetail } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Grants } from './grants.tsx';
import { History } from './history.tsx';
import { Reservations } from './reservations.tsx';

/** One entitlement: what is left and of which grants, how it was used, and what can be given or taken. */
export function EntitlementPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useRead('GET /v1/entitlements/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {(entitlement) => (
        <Page
          up={{ path: '/entitlements', name: 'Entitlements' }}
          title={entitlement.featureKey}
          state={<Status of={entitlement.status} />}
          about={
            <>
              <Ref id={entitlement.customerId} /> · <code>{id}</code>
            </>
          }
          actions={
            entitlement.featureType === 'metered' && entitlement.status === 'active' ? (
              <Reset entitlement={entitlement} />
            ) : null
          }
        >
          {entitlement.featureType === 'metered' && <Figures entitlement={entitlement} />}
          <div className="columns">
            <div className="stack">
              {entitlement.featureType === 'metered' ? (
                <>
                  <History id={id} />
                  <Grants entitlement={entitlement} />
                  <Reservations entitlement={entitlement} />
                </>
              ) : (
                <Sheet title="What it gives">
                  {entitlement.featureType === 'static' ? (
                    <pre className="curl code">{JSON.stringify(entitlement.config, null, 2)}</pre>
                  ) : (
                    <p>Access, while it is active. There is nothing to count.</p>
                  )}
                </Sheet>
              )}
            </div>
            <About entitlement={entitlement} />
          </div>
        </Page>
      )}
    </Part>
  );
}

function Figures({ entitlement }: { readonly entitlement: MeteredEntitlementDetail }) {
  const tiles = [
    ['Balance', entitlement.balance],
    ['Used in this period', entitlement.usageInPeriod],
    ['Reserved', entitlement.reserved],
    ['Beyond the balance', entitlement.overage],
  ] as const;
  return (
    <div className="tiles">
      {tiles.map(([label, value]) => (
        <div className="tile" key={label}>
          <div className="label">{label}</div>
          <div className="value">
            <Quantity value={value} />
          </div>
        </div>
      ))}
    </div>
  );
}

function About({ entitlement }: { readonly entitlement: EntitlementDetail }) {
  const metered = entitlement.featureType === 'metered' ? entitlement : undefined;
  return (
    <Sheet title="Details">
      <Facts
        of={[
          ['Customer', <Ref key="customer" id={entitlement.customerId} />],
          ['Feature', <Ref key="feature" id={entitlement.featureId} />],
          ['Access', entitlement.hasAccess ? 'Yes' : 'No'],
          ['At balance 0', metered && (metered.isSoftLimit ? 'Access continues' : 'Access ends')],
          ['Plan', entitlement.planId ? <Ref key="plan" id={entitlement.planId} /> : 'None: made by hand'],
          ['Subscription', entitlement.subscriptionId && <Ref key="subscription" id={entitlement.subscriptionId} />],
          ['Begins', <Moment key="from" at={entitlement.activeFrom} />],
          ['Ends', entitlement.activeTo && <Moment at={entitlement.activeTo} />],
          ['Usage period since', metered?.currentPeriodStart && <Moment at={metered.currentPeriodStart} />],
          ['Next reset', metered && (metered.currentPeriodEnd ? <Moment at={metered.currentPeriodEnd} /> : 'By hand')],
          ['Last reset', metered?.lastResetAt && <Moment at={metered.lastResetAt} />],
          [
            'Metrics',
            metered?.billableMetrics.map((each) => (
              <span className="block" key={each}>
                <Ref id={each} />
              </span>
            )),
          ],
          [
            'Metadata',
            Object.keys(entitlement.metadata).length > 0 && <code>{JSON.stringify(entitlement.metadata)}</code>,
          ],
        ]}
      />
    </Sheet>
  );
}

const RESET_FIELDS = ['effectiveAt', 'retainAnchor', 'preserveOverage'];
const RESET_LABELS = {
  effectiveAt: 'When',
  retainAnchor: 'Keep the days of later resets',
  preserveOverage: 'Take what was used beyond the balance from the new period',
};

function Reset({ entitlement }: { readonly entitlement: MeteredEntitlementDetail }) {
  const { id, balance, usageInPeriod, overage, customerId, featureKey } = entitlement;
  return (
    <Deed
      label="Reset"
      verb="Reset the usage"
      operation="POST /v1/entitlements/{id}/reset"
      path={{ id }}
      facts={[
        ['Feature', featureKey],
        ['Customer', <Ref key="customer" id={customerId} />],
        ['Balance now', quantityText(balance)],
      ]}
      fields={RESET_FIELDS}
      labels={RESET_LABELS}
      effects={[
        `Usage goes from ${quantityText(usageInPeriod)} to 0, and usage beyond the balance from ${quantityText(overage)} to 0.`,
        'The allowance is given anew.',
      ]}
      undo="This cannot be undone."
      isDangerous
    />
  );
}
