import { Button, Select } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { Plan, Price } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { To } from '../../frame/to.tsx';
import { Deed } from '../../shape/deed.tsx';
import { Table } from '../../shape/list.tsx';
import { Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { PriceWords } from './price-words.tsx';
import { Simulation } from './simulation.tsx';
import { type ChangesSearch, changesOf, searchOf, type VersionChanges, without, withPrice } from './version-changes.ts';

/** The next version of a plan: the prices of the default one with changes, tried on customers before they hold. */
export function NewVersion() {
  const { id } = useParams({ strict: false }) as { id: string };
  const asked = useRead('GET /v0/plans/{id}', { path: { id } });
  return <Part of={asked}>{(plan) => <Composer plan={plan} />}</Part>;
}

function Composer({ plan }: { readonly plan: Plan }) {
  const search = useSearch({ strict: false }) as ChangesSearch;
  const changes = changesOf(search);
  const navigate = useNavigate();
  const change = (next: VersionChanges) => void navigate({ to: '.', search: searchOf(next) as never, replace: true });
  return (
    <Page
      up={{ path: `/catalog/plans/${plan.id}`, name: plan.name }}
      title={`New version of ${plan.name}`}
      about="It begins with the prices of the version for new subscriptions. Published versions never change."
      actions={<Publish plan={plan} changes={changes} />}
    >
      <Prices plan={plan} changes={changes} change={change} search={search} />
      <Simulation plan={plan} changes={changes} />
    </Page>
  );
}

function Publish({ plan, changes }: { readonly plan: Plan; readonly changes: VersionChanges }) {
  const navigate = useNavigate();
  const place = usePlace();
  const common = {
    operation: 'POST /v0/plans/{id}/versions',
    path: { id: plan.id },
    facts: [
      ['Plan', plan.name],
      ['Changed prices', String(changes.replace.length)],
      ['New prices', String(changes.add.length)],
      ['Removed prices', String(changes.remove.length)],
    ],
    fields: ['minimumAmount'],
    labels: { minimumAmount: `All prices together at least, in each period (${plan.currency})` },
    initial: { minimumAmount: plan.minimumAmount ?? '' },
  } as const;
  const fixed = {
    ...(changes.add.length > 0 && { addPrices: changes.add }),
    ...(changes.remove.length > 0 && { removePrices: changes.remove }),
    ...(changes.replace.length > 0 && { replacePrices: changes.replace }),
  };
  const done = ({ versionNumber }: { readonly versionNumber: number }) =>
    void navigate({ to: place(`/catalog/plans/${plan.id}/versions/${versionNumber}`) });
  return (
    <>
      <Deed
        {...common}
        label="Save as a draft"
        fixed={{ ...fixed, publish: false }}
        effects={['Nobody gets a draft before it is published.']}
        done={done}
      />
      <Deed
        {...common}
        label="Publish"
        fixed={fixed}
        effects={[
          'New subscriptions get the version.',
          'Present subscriptions keep their version until you move them.',
        ]}
        undo="The version for new subscriptions can be an older one again."
        isPrimary
        done={done}
      />
    </>
  );
}

interface PricesProps {
  readonly plan: Plan;
  readonly changes: VersionChanges;
  readonly change: (next: VersionChanges) => void;
  readonly search: ChangesSearch;
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly before: Price | undefined;
  readonly now: Price | undefined;
  readonly isAsBefore: boolean;
}

function rowsOf(plan: Plan, { add, remove, replace }: VersionChanges, saved: ReadonlyMap<string, Price>): Row[] {
  return [
    ...plan.prices.map((price) => {
      const other = replace.find(({ replacesPriceId }) => replacesPriceId === price.id);
      const isGone = remove.includes(price.id);
      return {
        id: price.id,
        state: isGone ? 'removed' : other ? 'changed' : 'as before',
        before: price,
        now: isGone ? undefined : other ? saved.get(other.withPriceId) : price,
        isAsBefore: !isGone && !other,
      };
    }),
    ...add
      .filter((id) => !plan.prices.some((price) => price.id === id)) // just published
      .map((id) => ({ id, state: 'new', before: undefined, now: saved.get(id), isAsBefore: false })),
  ];
}

/** The prices of the new version, each beside the one before. */
function Prices({ plan, changes, change, search }: PricesProps) {
  const ids = [...changes.add, ...changes.replace.map(({ withPriceId }) => withPriceId)];
  const saved = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['GET /v0/prices/{id}', { id }, null],
      queryFn: () => call('GET /v0/prices/{id}', { path: { id } }),
    })),
    combine: (all) => new Map(all.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  });
  const rows = rowsOf(plan, changes, saved);
  const query = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ).toString();
  const editor = (more: string) => `/catalog/plans/${plan.id}/price?${[query, more].filter(Boolean).join('&')}`;
  const words = (price: Price | undefined) =>
    price ? <PriceWords price={price} currency={plan.currency} cadence={plan.billingCadence} /> : '—';
  return (
    <Sheet title="Prices" flush actions={<To path={editor('')}>Make a price</To>}>
      <Table
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            name: 'Price',
            cell: ({ before, now, state }) => <Named name={(now ?? before)?.invoiceDisplayName} state={state} />,
          },
          { name: 'Today', cell: ({ before }) => words(before) },
          { name: 'In the new version', cell: ({ before, now }) => (before === now ? 'the same' : words(now)) },
          {
            name: 'Change',
            cell: ({ id, now, isAsBefore, before }) => (
              <span className="row">
                {isAsBefore && <To path={editor(`replaces=${id}`)}>Change</To>}
                {!isAsBefore && now && <To path={editor(`edit=${now.id}`)}>Change again</To>}
                {isAsBefore ? (
                  <Button
                    variant="default"
                    onClick={() => change({ ...changes, remove: [...changes.remove, id] })}
                    aria-label={`Remove ${before?.invoiceDisplayName}`}
                  >
                    Remove
                  </Button>
                ) : (
                  <Button variant="default" onClick={() => change(without(changes, id))}>
                    {before ? 'As before' : 'Leave out'}
                  </Button>
                )}
              </span>
            ),
          },
        ]}
      />
      <div className="foot pair">
        <SavedPrices
          plan={plan}
          taken={[...ids, ...plan.prices.map(({ id }) => id)]}
          choose={(id) => change(withPrice(changes, id))}
        />
      </div>
    </Sheet>
  );
}

const Named = ({ name, state }: { readonly name: string | undefined; readonly state: string }) => (
  <>
    {name ?? '…'}
    <span className="block fine soft figure">{state}</span>
  </>
);

interface SavedPricesProps {
  readonly plan: Plan;
  readonly taken: readonly string[];
  readonly choose: (id: string) => void;
}

/** Adds a price that is saved already. */
function SavedPrices({ plan, taken, choose }: SavedPricesProps) {
  const { data } = useRead('GET /v0/prices', { query: { limit: 100 } });
  const free = (data?.data ?? []).filter(({ id }) => !taken.includes(id));
  return (
    <Select
      label="Add a saved price"
      description={`A price of the same product, such as one of another plan. Its amounts are then in ${plan.currency}.`}
      placeholder="Choose a price"
      searchable
      value={null}
      onChange={(id) => id && choose(id)}
      data={free.map(({ id, invoiceDisplayName, model }) => ({
        value: id,
        label: `${invoiceDisplayName} (${model}, ${id.slice(-4)})`,
      }))}
      nothingFoundMessage="Nothing found"
    />
  );
}
