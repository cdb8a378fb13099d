import { useParams } from '@tanstack/react-router';
import { useRead, useTagged } from '../../api/queries.ts';
import type { Plan, PlanVersion, PlanVersionPriceSlot, PlanVersionSummary } from '../../api/types.ts';
import { To } from '../../frame/to.tsx';
import { Moment, Money, Quantity } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Table } from '../../shape/list.tsx';
import { Facts, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Migrate } from './migrations.tsx';
import { PriceInCurrencies, PriceWords } from './price-words.tsx';

const MOST_VERSIONS = 100;

/** Every version of a plan, and its numbers by the ids. */
export const useVersions = (planId: string) =>
  useRead('GET /v0/plans/{id}/versions', { path: { id: planId }, query: { limit: MOST_VERSIONS } });

const VersionLink = ({ planId, number }: { readonly planId: string; readonly number: number }) => (
  <To path={`/catalog/plans/${planId}/versions/${number}`}>Version {number}</To>
);

/** The versions of a plan, newest first. */
export function Versions({ plan }: { readonly plan: Plan }) {
  const asked = useVersions(plan.id);
  return (
    <Sheet title="Versions" flush>
      <Part of={asked}>
        {({ data }) => {
          const standard = data.find(({ isDefault }) => isDefault);
          return (
            <Table
              rows={data}
              rowKey={({ id }) => id}
              columns={[
                {
                  name: 'Version',
                  cell: ({ versionNumber, isDefault }) => (
                    <>
                      <VersionLink planId={plan.id} number={versionNumber} />
                      {isDefault && <span className="block fine soft figure">for new ones</span>}
                    </>
                  ),
                },
                { name: 'Status', cell: ({ status }) => <Status of={status} /> },
                { name: 'Published', cell: ({ publishedAt }) => <Moment at={publishedAt} /> },
                {
                  name: 'Subscriptions',
                  cell: ({ subscriptionCount }) => <Quantity value={subscriptionCount} />,
                  isFigure: true,
                },
                {
                  name: 'Move them',
                  cell: (version) =>
                    standard &&
                    !version.isDefault &&
                    version.subscriptionCount > 0 && <Migrate planId={plan.id} from={version} to={standard} />,
                },
              ]}
            />
          );
        }}
      </Part>
    </Sheet>
  );
}

/** One version of a plan: its prices, and what differs from the version that it was made of. */
export function VersionPage() {
  const { id, version: number } = useParams({ strict: false }) as { id: string; version: string };
  const plan = useRead('GET /v0/plans/{id}', { path: { id } });
  const asked = useTagged('GET /v0/plans/{id}/versions/{versionNumber}', { path: { id, versionNumber: number } });
  const all = useVersions(id);
  return (
    <Part of={plan}>
      {(found) => (
        <Part of={asked}>
          {({ value: version, etag }) => (
            <Page
              up={{ path: `/catalog/plans/${id}`, name: found.name }}
              title={`Version ${version.versionNumber} of ${found.name}`}
              state={<Status of={version.status} />}
              about={version.isDefault ? 'New subscriptions get this version.' : undefined}
              actions={<Actions plan={found} version={version} etag={etag} />}
            >
              <Sheet title="Details">
                <Facts
                  of={[
                    ['Published', version.publishedAt && <Moment at={version.publishedAt} />],
                    ['Made', <Moment key="made" at={version.createdAt} />],
                    ['Subscriptions', <Quantity key="count" value={version.subscriptionCount} />],
                    [
                      'At least in each period',
                      version.minimumAmount && <Money value={version.minimumAmount} currency={found.currency} />,
                    ],
                  ]}
                />
              </Sheet>
              <Differences plan={found} version={version} all={all.data?.data ?? []} />
              <Sheet title="Prices" flush>
                <Table
                  rows={version.prices}
                  rowKey={(price) => price.id}
                  columns={[
                    { name: 'Price', cell: ({ invoiceDisplayName }) => invoiceDisplayName },
                    {
                      name: 'What it costs',
                      cell: (price) => (
                        <PriceInCurrencies price={price} currency={found.currency} cadence={found.billingCadence} />
                      ),
                    },
                  ]}
                />
              </Sheet>
            </Page>
          )}
        </Part>
      )}
    </Part>
  );
}

interface ActionsProps {
  readonly plan: Plan;
  readonly version: PlanVersion;
  readonly etag: string | undefined;
}

function Actions({ plan, version, etag }: ActionsProps) {
  const { versionNumber, status, isDefault } = version;
  const common = {
    operation: 'PATCH /v0/plans/{id}/versions/{versionNumber}',
    path: { id: plan.id, versionNumber: String(versionNumber) },
    fields: [],
    before: version,
    etag,
    facts: [
      ['Plan', plan.name],
      ['Version', String(versionNumber)],
    ],
  } as const;
  return (
    <>
      {status === 'draft' && (
        <Deed
          {...common}
          label="Publish"
          fixed={{ status: 'published' }}
          effects={['The prices of the version never change again.']}
          isPrimary
        />
      )}
      {status === 'published' && !isDefault && (
        <Deed
          {...common}
          label="Use for new subscriptions"
          fixed={{ default: true }}
          effects={['New subscriptions get this version. Present ones keep theirs.']}
          undo="You can choose another version again."
        />
      )}
      {status !== 'archived' && !isDefault && (
        <Deed
          {...common}
          label="Archive"
          fixed={{ status: 'archived' }}
          effects={['No new subscription can get this version. Present ones keep it.']}
          isDangerous
        />
      )}
    </>
  );
}

/** The subject of a price, by which a changed price is found again. */
const subjectOf = ({ billableMetricId, feeId, invoiceDisplayName }: PlanVersionPriceSlot): string =>
  `${billableMetricId ?? feeId} ${invoiceDisplayName}`;

interface Difference {
  readonly name: string;
  readonly before: PlanVersionPriceSlot | undefined;
  readonly now: PlanVersionPriceSlot | undefined;
}

/** The prices that differ between two versions; a changed price stands beside the one before. */
function differencesOf(
  before: readonly PlanVersionPriceSlot[],
  now: readonly PlanVersionPriceSlot[],
): readonly Difference[] {
  const gone = before.filter(({ id }) => !now.some((each) => each.id === id));
  const come = now.filter(({ id }) => !before.some((each) => each.id === id));
  const partnerOf = (price: PlanVersionPriceSlot) => gone.find((each) => subjectOf(each) === subjectOf(price));
  const replaced = new Set(come.flatMap((price) => partnerOf(price)?.id ?? []));
  return [
    ...come.map((price) => ({ name: price.invoiceDisplayName, before: partnerOf(price), now: price })),
    ...gone
      .filter(({ id }) => !replaced.has(id))
      .map((price) => ({ name: price.invoiceDisplayName, before: price, now: undefined })),
  ];
}

interface DifferencesProps {
  readonly plan: Plan;
  readonly version: PlanVersion;
  readonly all: readonly PlanVersionSummary[];
}

/** What differs from the version that this one was made of. */
function Differences({ plan, version, all }: DifferencesProps) {
  const base = all.find(({ id }) => id === version.basedOnVersionId);
  const asked = useRead(
    'GET /v0/plans/{id}/versions/{versionNumber}',
    { path: { id: plan.id, versionNumber: String(base?.versionNumber ?? 0) } },
    { enabled: base !== undefined },
  );
  if (!base) return null;
  const words = (price: PlanVersionPriceSlot | undefined) =>
    price ? <PriceWords price={price} currency={plan.currency} cadence={plan.billingCadence} /> : '—';
  return (
    <Sheet title={`What differs from version ${base.versionNumber}`} flush>
      <Part of={asked}>
        {({ prices, minimumAmount }) => {
          const rows = differencesOf(prices, version.prices);
          return (
            <>
              {rows.length > 0 && (
                <Table
                  rows={rows}
                  rowKey={({ before, now }) => `${before?.id}${now?.id}`}
                  columns={[
                    {
                      name: 'Price',
                      cell: ({ name, before, now }) =>
                        `${name}: ${before === undefined ? 'new' : now === undefined ? 'removed' : 'changed'}`,
                    },
                    { name: `Version ${base.versionNumber}`, cell: ({ before }) => words(before) },
                    { name: `Version ${version.versionNumber}`, cell: ({ now }) => words(now) },
                  ]}
                />
              )}
              {minimumAmount !== version.minimumAmount && (
                <p className="foot">
                  At least in each period: <Money value={minimumAmount ?? '0'} currency={plan.currency} /> before,{' '}
                  <Money value={version.minimumAmount ?? '0'} currency={plan.currency} /> now.
                </p>
              )}
              {rows.length === 0 && minimumAmount === version.minimumAmount && (
                <p className="foot soft">Nothing: it has the same prices.</p>
              )}
            </>
          );
        }}
      </Part>
    </Sheet>
  );
}
