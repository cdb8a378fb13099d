import { Select } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useRead } from '../../api/queries.ts';
import type { EntitlementHistory } from '../../api/types.ts';
import { shortId } from '../../frame/to.tsx';
import { Day, Moment, Quantity, quantityText } from '../../look/figures.tsx';
import { Chart } from '../../shape/chart.tsx';
import { Table } from '../../shape/list.tsx';
import { Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';

type Window = EntitlementHistory['windows'][number];

const SIZES = [
  ['HOUR', 'Hours'],
  ['DAY', 'Days'],
  ['MONTH', 'Months'],
] as const;

/** How the grants were used up: the balance of each at the end of each window, and the usage in it. */
export function History({ id }: { readonly id: string }) {
  const [windowSize, setSize] = useState<(typeof SIZES)[number][0]>('DAY');
  const asked = useRead('GET /v1/entitlements/{id}/history', { path: { id }, query: { windowSize } }, { keeps: true });
  return (
    <Sheet
      title="Balance over time"
      flush
      actions={
        <Select
          aria-label="Windows"
          w="7rem"
          allowDeselect={false}
          value={windowSize}
          onChange={(value) => setSize((value ?? 'DAY') as typeof windowSize)}
          data={SIZES.map(([value, label]) => ({ value, label }))}
        />
      }
    >
      <Part of={asked} lines={8}>
        {({ windows }) =>
          windows.length === 0 ? (
            <p className="empty soft">Nothing yet.</p>
          ) : (
            <BurnDown windows={windows} isHours={windowSize === 'HOUR'} />
          )
        }
      </Part>
    </Sheet>
  );
}

function BurnDown({ windows, isHours }: { readonly windows: readonly Window[]; readonly isHours: boolean }) {
  const series = useMemo(() => {
    const ids = [...new Set(windows.flatMap(({ grants }) => grants.map(({ grantId }) => grantId)))];
    return ids.map((grantId) => ({
      name: shortId(grantId),
      points: windows.map(({ from, grants }) => {
        const grant = grants.find((each) => each.grantId === grantId);
        return [new Date(from).getTime(), Number(grant?.balance ?? 0)] as const;
      }),
    }));
  }, [windows]);
  return (
    <>
      {series.length > 0 && (
        <div className="foot">
          <Chart
            label="Balance by grant at the end of each window"
            series={series}
            xKind={isHours ? 'time' : 'day'}
            kind="bars"
          />
        </div>
      )}
      <div className="tall">
        <Table
          caption="Balance over time"
          rows={windows.toReversed()}
          rowKey={({ from }) => from}
          columns={[
            { name: 'From', cell: ({ from }) => (isHours ? <Moment at={from} /> : <Day at={from} />) },
            { name: 'Used', cell: ({ usage }) => <Quantity value={usage} />, isFigure: true },
            { name: 'Beyond', cell: ({ overage }) => <Quantity value={overage} />, isFigure: true },
            { name: 'Balance', cell: ({ balanceAtEnd }) => <Quantity value={balanceAtEnd} />, isFigure: true },
            {
              name: 'By grant: used, left',
              cell: ({ grants }) => (
                <span>
                  {grants.map(({ grantId, burned, balance }) => (
                    <span className="block fine" key={grantId} title={grantId}>
                      {shortId(grantId)}: {quantityText(burned)}, {quantityText(balance)}
                    </span>
                  ))}
                </span>
              ),
            },
          ]}
        />
      </div>
    </>
  );
}
