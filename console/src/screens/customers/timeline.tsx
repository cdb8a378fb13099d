import { Button, MultiSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Reply } from '../../api/client.ts';
import { placeOf } from '../../frame/places.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Day, Moment, Money, Quantity } from '../../look/figures.tsx';
import { wordsOf } from '../../look/words.ts';
import { Failed, Loading } from '../../shape/states.tsx';

type Entry = Reply<'GET /v0/customers/{id}/timeline'>['data'][number];

const KINDS = [
  'usage',
  'invoice',
  'creditNote',
  'payment',
  'wallet',
  'subscription',
  'entitlement',
  'change',
  'mail',
  'webhook',
  'alert',
  'order',
];

/** All that has happened to a customer, the latest first. */
export function Timeline({ id }: { readonly id: string }) {
  const [kinds, setKinds] = useState<string[]>([]);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['timeline', id, kinds],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) =>
      call('GET /v0/customers/{id}/timeline', {
        path: { id },
        query: {
          limit: 50,
          ...(kinds.length > 0 && { kinds: kinds.join(',') }),
          ...(pageParam !== undefined && { before: pageParam }),
        },
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const entries = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className="sheet flush" aria-label="Timeline">
      <div className="filters">
        <MultiSelect
          label="Kinds"
          placeholder={kinds.length === 0 ? 'All' : ''}
          data={KINDS.map((each) => ({ value: each, label: wordsOf(each) }))}
          value={kinds}
          onChange={setKinds}
          clearable
        />
      </div>
      {error && <Failed error={error} reset={() => void refetch()} />}
      {!data && !error && <Loading lines={8} />}
      {data && entries.length === 0 && <p className="empty soft">Nothing has happened.</p>}
      <ol className="timeline">
        {entries.map((each) => (
          <Line key={each.id} entry={each} />
        ))}
      </ol>
      {hasNextPage && (
        <div className="pager">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Earlier
          </Button>
        </div>
      )}
    </section>
  );
}

function Line({ entry }: { readonly entry: Entry }) {
  const { at, title, resourceId, invoiceId, amount, currency, count, userId, actor, kind } = entry;
  const path = [resourceId, invoiceId].map((id) => id && placeOf(id)).find((each) => each);
  return (
    <li>
      <span className="soft">{kind === 'usage' ? <Day at={at} /> : <Moment at={at} />}</span>
      <span>
        <span className="soft fine">{wordsOf(kind)} · </span>
        {path ? <To path={path}>{title}</To> : title}
        {actor === 'user' && userId && (
          <span className="soft fine">
            {' '}
            by <Ref id={userId} />
          </span>
        )}
        {actor === 'customer' && <span className="soft fine"> by the customer</span>}
      </span>
      <span className="right">
        {amount !== null ? (
          <Money value={amount} currency={currency} />
        ) : count !== null ? (
          <Quantity value={count} />
        ) : null}
      </span>
    </li>
  );
}
