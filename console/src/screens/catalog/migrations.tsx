import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { PlanMigration, PlanMigrationCreate, PlanVersionSummary } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, quantityText } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { List, Table } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Failed, Part } from '../../shape/states.tsx';

interface MigrateProps {
  readonly planId: string;
  readonly from: PlanVersionSummary;
  readonly to: PlanVersionSummary;
}

/** Moves all subscriptions of a version to another one, with a preview of each. */
export function Migrate({ planId, from, to }: MigrateProps) {
  const navigate = useNavigate();
  const place = usePlace();
  const pathOf = (version: PlanVersionSummary) => ({ id: planId, versionNumber: String(version.versionNumber) });
  const before = useRead('GET /v0/plans/{id}/versions/{versionNumber}', { path: pathOf(from) });
  const after = useRead('GET /v0/plans/{id}/versions/{versionNumber}', { path: pathOf(to) });
  const goneFees = (before.data?.prices ?? []).filter(
    ({ id, feeId }) => feeId !== undefined && !after.data?.prices.some((each) => each.id === id),
  );
  // the new price of the same fee keeps the number of its units
  const replacePrices = goneFees.flatMap(({ id, feeId }) => {
    const next = after.data?.prices.find(
      (each) => each.feeId === feeId && !before.data?.prices.some((other) => other.id === each.id),
    );
    return next ? [{ replacesPriceId: id, withPriceId: next.id }] : [];
  });
  const fixed = {
    fromVersion: from.versionNumber,
    toVersion: to.versionNumber,
    ...(replacePrices.length > 0 && { replacePrices }),
  };
  return (
    <Deed
      label={`Move to version ${to.versionNumber}`}
      verb="Move the subscriptions"
      operation="POST /v0/plans/{id}/migrations"
      path={{ id: planId }}
      facts={[
        ['From', `version ${from.versionNumber}, ${quantityText(from.subscriptionCount)} subscriptions`],
        ['To', `version ${to.versionNumber}`],
      ]}
      effects={['Their customers pay the prices of the other version from then on.']}
      undo="Subscriptions that have moved keep the new version; another migration can move them back."
      fields={['effective', 'proration', 'credit']}
      labels={{ effective: 'When', proration: 'Fees are divided', credit: 'Unused time is credited' }}
      fixed={fixed}
      preview={(body) => <Preview key={JSON.stringify(body)} planId={planId} body={body} />}
      done={(migration) => void navigate({ to: place(`/catalog/plans/${planId}/migrations/${migration.id}`) })}
    />
  );
}

/** What a migration would do, asked when the person wants it. */
function Preview({ planId, body }: { readonly planId: string; readonly body: Record<string, unknown> }) {
  const tried = useMutation({
    mutationFn: () =>
      call('POST /v0/plans/{id}/migrations', {
        path: { id: planId },
        body: { ...body, dryRun: true } as unknown as PlanMigrationCreate,
      }),
  });
  return (
    <div className="stack tight">
      <span>
        <Button variant="default" onClick={() => tried.mutate()} loading={tried.isPending}>
          Preview
        </Button>
      </span>
      {tried.error && <Failed error={tried.error} />}
      {tried.data && <Outcomes of={tried.data} />}
    </div>
  );
}

function Outcomes({ of }: { readonly of: PlanMigration }) {
  const { progress, subscriptions, status, planId, id } = of;
  return (
    <div className="stack tight" role="status">
      <span>
        {quantityText(progress.total)} subscriptions: {quantityText(progress.done)} would move,{' '}
        {quantityText(progress.failed)} would stay.
        {status === 'running' && (
          <>
            {' '}
            The preview goes on: <To path={`/catalog/plans/${planId}/migrations/${id}`}>see each</To>.
          </>
        )}
      </span>
      {subscriptions?.length > 0 && (
        <div className="tall">
          <Table
            rows={subscriptions}
            rowKey={({ subscriptionId }) => subscriptionId}
            columns={[
              { name: 'Subscription', cell: ({ subscriptionId }) => <Ref id={subscriptionId} /> },
              { name: 'Outcome', cell: ({ outcome }) => <Status of={outcome} /> },
              { name: 'When', cell: ({ effectiveAt }) => <Moment at={effectiveAt} /> },
              { name: 'Why not', cell: ({ reason }) => (reason ? wordsOf(reason) : '—') },
            ]}
          />
        </div>
      )}
    </div>
  );
}

/** The migrations of a plan, previews too; nothing where there was none. */
export function Migrations({ planId }: { readonly planId: string }) {
  const { data } = useRead('GET /v0/plans/{id}/migrations', { path: { id: planId }, query: { limit: 20 } });
  if (!data || data.data.length === 0) return null;
  return (
    <Sheet title="Migrations" flush>
      <Table
        rows={data.data}
        rowKey={({ id }) => id}
        columns={[
          {
            name: 'Migration',
            cell: ({ id, fromVersion, toVersion, dryRun }) => (
              <To path={`/catalog/plans/${planId}/migrations/${id}`}>
                Version {fromVersion} to {toVersion}
                {dryRun && ' (preview)'}
              </To>
            ),
          },
          { name: 'Status', cell: ({ status }) => <Status of={status} /> },
          { name: 'Done', cell: ({ progress }) => progressWords(progress), isFigure: true },
          { name: 'Begun', cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
      />
    </Sheet>
  );
}

const progressWords = ({ total, done, failed }: PlanMigration['progress']): string =>
  `${quantityText(done)} of ${quantityText(total)}${failed > 0 ? `, ${quantityText(failed)} refused` : ''}`;

const OUTCOMES = ['applied', 'scheduled', 'refused', 'waiting', 'cancelled'] as const;
const RUNNING_MILLISECONDS = 2_000;

/** One migration with the outcome of each subscription. */
export function MigrationPage() {
  const { id, migration: migrationId } = useParams({ strict: false }) as { id: string; migration: string };
  const path = { id, migrationId };
  const [isOver, setOver] = useState(false);
  const every = isOver ? false : RUNNING_MILLISECONDS;
  const asked = useRead('GET /v0/plans/{id}/migrations/{migrationId}', { path }, { every });
  if (!isOver && asked.data && asked.data.status !== 'running') setOver(true);
  return (
    <Part of={asked}>
      {(migration) => (
        <Page
          up={{ path: `/catalog/plans/${id}`, name: 'The plan' }}
          title={`Version ${migration.fromVersion} to ${migration.toVersion}${migration.dryRun ? ' (preview)' : ''}`}
          state={<Status of={migration.status} />}
          about={progressWords(migration.progress)}
          actions={
            migration.status === 'running' && (
              <Deed
                label="Cancel"
                verb="Cancel the migration"
                operation="DELETE /v0/plans/{id}/migrations/{migrationId}"
                path={path}
                effects={['Subscriptions that have moved keep the new version; the others stay.']}
                isDangerous
              />
            )
          }
        >
          <List
            operation="GET /v0/plans/{id}/migrations/{migrationId}/subscriptions"
            path={path}
            file={`migration-${migrationId}`}
            every={every}
            rowKey={({ subscriptionId }) => subscriptionId}
            filters={[
              { name: 'outcome', label: 'Outcome', choices: OUTCOMES.map((each) => [each, wordsOf(each)] as const) },
            ]}
            columns={[
              {
                name: 'Subscription',
                cell: ({ subscriptionId }) => <Ref id={subscriptionId} />,
                value: ({ subscriptionId }) => subscriptionId,
              },
              { name: 'Outcome', cell: ({ outcome }) => <Status of={outcome} />, value: ({ outcome }) => outcome },
              {
                name: 'When',
                cell: ({ effectiveAt }) => <Moment at={effectiveAt} />,
                value: ({ effectiveAt }) => effectiveAt,
              },
              {
                name: 'Why not',
                cell: ({ reason }) => (reason ? wordsOf(reason) : '—'),
                value: ({ reason }) => reason,
              },
            ]}
            empty={{ text: 'No subscription had the version.' }}
          />
        </Page>
      )}
    </Part>
  );
}
