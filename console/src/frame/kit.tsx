import { Button, Modal, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { Moment, Money, Period, Quantity } from '../look/figures.tsx';
import { Status } from '../look/status.tsx';
import { Table } from '../shape/list.tsx';
import { Facts, Sheet } from '../shape/page.tsx';
import { Failed, Loading } from '../shape/states.tsx';

const COLOURS = 'ground sheet ink soft line tint accent accent-tint good good-tint bad bad-tint test test-tint'.split(
  ' ',
);
const STATES = ['PAID', 'ISSUED', 'ACTIVE', 'PAYMENT_FAILED', 'CANCELLED'];
const AMOUNTS = [
  ['1234567.89', 'EUR'],
  ['-12.5', 'USD'],
  ['1500', 'JPY'],
  ['0.0025', 'KWD'],
] as const;

/** Everything that pages are made of, on one page; in development alone. */
export function Kit() {
  const [isOpen, setOpen] = useState(false);
  return (
    <main className="main stack">
      <h1>The parts of the console</h1>
      <Sheet title="Type">
        <h1>Title of a page, 22</h1>
        <h2>Title of a part, 15</h2>
        <p>Text, 14. Figures stand in columns of one width: 1,111.11 and 8,888.88.</p>
        <p className="fine soft">Beside the point, 13</p>
        <code>inv_8c3d5e0f1a2b4c6d</code>
      </Sheet>
      <Sheet title="Colours">
        <div className="tiles">
          {COLOURS.map((each) => (
            <div key={each}>
              <div className="tile" style={{ background: `var(--${each})` }} />
              <code>{each}</code>
            </div>
          ))}
        </div>
      </Sheet>
      <Sheet title="States, by word and shape and colour">
        <div className="row">
          {STATES.map((each) => (
            <Status key={each} of={each} />
          ))}
        </div>
      </Sheet>
      <Sheet title="Figures" flush>
        <Table
          rows={AMOUNTS}
          rowKey={([, currency]) => currency}
          columns={[
            { name: 'Period', cell: () => <Period start="2026-01-31T00:00:00Z" end="2026-02-28T00:00:00Z" /> },
            { name: 'Moment', cell: () => <Moment at="2026-01-31T23:59:59Z" seconds /> },
            { name: 'Quantity', cell: () => <Quantity value="1234567.000000001" />, isFigure: true },
            {
              name: 'Amount',
              cell: ([value, currency]) => <Money value={value} currency={currency} />,
              isFigure: true,
            },
          ]}
        />
      </Sheet>
      <div className="columns even">
        <Sheet title="On its way">
          <Loading />
        </Sheet>
        <Sheet title="Failed">
          <Failed
            error={new ApiError(409, 'KEY_TAKEN', 'The key is taken.', [], {}, 'req-1')}
            reset={() => setOpen(false)}
          />
        </Sheet>
        <Sheet title="Empty" flush>
          <div className="empty">
            <span>A sentence that says what such a thing is, and how to make one.</span>
            <Button>Make one</Button>
          </div>
        </Sheet>
        <Sheet title="A record">
          <Facts
            of={[
              ['Name', 'An unusually long name of a company which nobody has shortened, with 80 letters'],
              ['Balance', <Money key="money" value="12.5" currency="EUR" />],
            ]}
          />
        </Sheet>
        <Sheet title="A form">
          <div className="fields">
            <TextInput label="Name" description="1 to 255 characters." required />
            <TextInput label="E-mail" error="must be an e-mail address" />
            <Select label="Language" data={['English', 'Deutsch']} />
          </div>
        </Sheet>
        <Sheet title="A dialog that moves money">
          <Button onClick={() => setOpen(true)}>Open</Button>
          <Modal opened={isOpen} onClose={() => setOpen(false)} title="Refund">
            <div className="stack">
              <Facts of={[['Total', <Money key="money" value="12.5" currency="EUR" />]]} />
              <div className="note warn">What happens, to whom, how much, and whether it can be undone.</div>
              <div className="row">
                <Button data-danger>Refund €12.50</Button>
                <Button variant="default" onClick={() => setOpen(false)}>
                  Cancel
                </Button>
              </div>
            </div>
          </Modal>
        </Sheet>
      </div>
    </main>
  );
}
