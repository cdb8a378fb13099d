import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { ExplainedLine, Invoice, InvoiceLineItem } from '../../api/types.ts';
import { Ref, To } from '../../frame/to.tsx';
import { Moment, Money, moneyText, Period, Quantity, quantityText } from '../../look/figures.tsx';
import { groupText, wordsOf } from '../../look/words.ts';
import { saveCsv } from '../../shape/csv.ts';
import { Table } from '../../shape/list.tsx';
import { Facts, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { textOf } from '../../shape/values.ts';

type Place = { readonly line?: string | undefined; readonly hour?: string | undefined };

/** Line and hour that are open, in the address bar: each step can be sent to a colleague. */
function useOpen(): readonly [Place, (next: Place) => void] {
  const { line, hour, tab } = useSearch({ strict: false }) as Place & { tab?: string };
  const navigate = useNavigate();
  return [{ line, hour }, (next) => void navigate({ to: '.', search: { tab, ...next } as never })];
}

/** Why the invoice is what it is: total, lines, tiers, usage by day and hour, events. */
export function Explanation({ invoice }: { readonly invoice: Invoice }) {
  const { id, currency } = invoice;
  const asked = useRead('GET /v2/invoices/{id}/explain', { path: { id } });
  const lines = useRead('GET /v2/invoices/{id}/lineItems', { path: { id }, query: { limit: 100 } });
  const [open, show] = useOpen();
  return (
    <Part of={asked} lines={8}>
      {(explained) => {
        const chosen = explained.lines.find(({ lineItemId }) => lineItemId === open.line);
        const itemOf = (lineId: string | undefined) => lines.data?.lineItems.find(({ id: its }) => its === lineId);
        const item = itemOf(open.line);
        if (chosen)
          return (
            <div className="stack">
              <LineSheet line={chosen} currency={currency} back={() => show({})} />
              {chosen.usageByHour && (
                <UsageSheet
                  line={chosen}
                  invoice={invoice}
                  item={item}
                  hour={open.hour}
                  choose={(hour) => show({ line: open.line, hour })}
                />
              )}
            </div>
          );
        return (
          <Sheet
            title="Lines"
            flush
            actions={
              <Button
                variant="default"
                onClick={() =>
                  saveCsv(`${invoice.invoiceNumber ?? id}-lines`, [
                    [
                      'Line',
                      'Subscription',
                      'Group',
                      'From',
                      'To',
                      'Quantity',
                      'Unit price',
                      'Amount',
                      'Tax rate',
                      'Tax',
                      'Total',
                      'Notes',
                    ],
                    ...linesOf(explained.lines).map(({ line, discount }) => [
                      discount?.description ?? line.invoiceDisplayName,
                      line.subscriptionId,
                      groupText(line.group),
                      line.periodStart,
                      line.periodEnd,
                      discount ? null : line.quantity,
                      discount ? null : line.unitPrice,
                      (discount ?? line).amount,
                      (discount ?? line).tax.rate,
                      (discount ?? line).tax.amount,
                      (discount ?? line).total,
                      (discount ?? line).notes.join('; '),
                    ]),
                  ])
                }
              >
                Export CSV
              </Button>
            }
          >
            {explained.lines.length === 0 ? (
              <p className="empty soft">The invoice has no lines yet.</p>
            ) : (
              <Table
                rows={rowsOf(explained.lines, invoice.sections)}
                rowKey={(row) =>
                  'section' in row ? row.section.subscriptionId : (row.discount ?? row.line).lineItemId
                }
                columns={[
                  {
                    name: 'Line',
                    cell: (row) =>
                      'section' in row ? (
                        <SectionName of={row.section} />
                      ) : row.discount ? (
                        <DiscountName discount={row.discount} item={itemOf(row.discount.lineItemId)} />
                      ) : (
                        <LineName line={row.line} />
                      ),
                  },
                  {
                    name: 'Quantity',
                    cell: (row) =>
                      'section' in row || row.discount !== null ? null : <Quantity value={row.line.quantity} />,
                    isFigure: true,
                  },
                  {
                    name: 'Tax',
                    cell: (row) => ('section' in row ? null : `${quantityText((row.discount ?? row.line).tax.rate)}%`),
                    isFigure: true,
                  },
                  {
                    name: 'Amount',
                    cell: (row) =>
                      'section' in row ? (
                        <strong>
                          <Money value={row.section.subtotal} currency={currency} />
                        </strong>
                      ) : row.discount ? (
                        <Money value={row.discount.amount} currency={currency} />
                      ) : (
                        <button
                          type="button"
                          className="plain"
                          onClick={() => show({ line: row.line.lineItemId })}
                          aria-label={`Explain ${row.line.invoiceDisplayName}, ${moneyText(row.line.amount, currency)}`}
                        >
                          <Money value={row.line.amount} currency={currency} />
                        </button>
                      ),
                    isFigure: true,
                  },
                ]}
              />
            )}
            <dl className="totals">
              <Total name="Subtotal" value={explained.subtotal} currency={currency} />
              {explained.taxes.map(({ rate, base, amount }) => (
                <Total
                  key={`${rate}-${base}`}
                  name={`Tax ${quantityText(rate)}% on ${moneyText(base, currency)}`}
                  value={amount}
                  currency={currency}
                />
              ))}
              <Total name="Total" value={explained.grandTotal} currency={currency} isLast />
            </dl>
            {explained.place && (
              <p className="foot soft fine">
                Tax: {wordsOf(explained.place.treatment)}
                {explained.place.country && `, ${explained.place.country}`}. {explained.place.because}
              </p>
            )}
            {explained.recalculation && (
              <p className={explained.recalculation.isSame ? 'foot good fine' : 'foot bad fine'}>
                Calculated again from the events: {moneyText(explained.recalculation.grandTotal, currency)}
                {explained.recalculation.isSame ? ', the same.' : ', which differs.'}
              </p>
            )}
          </Sheet>
        );
      }}
    </Part>
  );
}

type Discount = ExplainedLine['discounts'][number];

type Section = Invoice['sections'][number];

/** Each line, and below it what takes something off it: discounts, coupons, billing credits. */
const linesOf = (lines: readonly ExplainedLine[]) =>
  lines.flatMap((line): { readonly line: ExplainedLine; readonly discount: Discount | null }[] => [
    { line, discount: null },
    ...line.discounts.map((discount) => ({ line, discount })),
  ]);

/** The lines of each subscription of a grouped invoice below its name and its subtotal, then the others. */
function rowsOf(lines: readonly ExplainedLine[], sections: readonly Section[]) {
  const within = sections.flatMap((section) => [
    { section },
    ...linesOf(lines.filter(({ subscriptionId }) => subscriptionId === section.subscriptionId)),
  ]);
  const names = new Set(sections.map(({ subscriptionId }) => subscriptionId as string | null));
  return [...within, ...linesOf(lines.filter(({ subscriptionId }) => !names.has(subscriptionId)))];
}

const SectionName = ({ of: { subscriptionId, customerId, name } }: { readonly of: Section }) => (
  <span>
    <strong>
      <Ref id={subscriptionId} name={name} />
    </strong>
    <span className="soft fine block">
      <Ref id={customerId} />
    </span>
  </span>
);

interface DiscountProps {
  readonly discount: Discount;
  readonly item: InvoiceLineItem | undefined;
}

const DiscountName = ({ discount: { description, notes }, item }: DiscountProps) => (
  <span className="soft">
    {description}
    <span className="fine block">
      {item?.couponId ? 'Coupon' : item?.billingCreditId ? 'Billing credit' : 'Discount'}
    </span>
    {notes.map((note) => (
      <span className="fine block" key={note}>
        {note}
      </span>
    ))}
  </span>
);

function LineName({ line }: { readonly line: ExplainedLine }) {
  return (
    <span>
      {line.invoiceDisplayName}
      <span className="soft fine block">
        {line.group && `${groupText(line.group)} · `}
        <Period start={line.periodStart} end={line.periodEnd} />
      </span>
      {line.notes.map((note) => (
        <span className="soft fine block" key={note}>
          {note}
        </span>
      ))}
    </span>
  );
}

const Total = ({
  name,
  value,
  currency,
  isLast = false,
}: {
  readonly name: string;
  readonly value: string;
  readonly currency: string;
  readonly isLast?: boolean;
}) => (
  <div className={isLast ? 'last' : undefined}>
    <dt>{name}</dt>
    <dd>
      <Money value={value} currency={currency} />
    </dd>
  </div>
);

/** One line: from the quantity over the price to the amount. */
function LineSheet({
  line,
  currency,
  back,
}: {
  readonly line: ExplainedLine;
  readonly currency: string;
  readonly back: () => void;
}) {
  const money = (value: string) => <Money value={value} currency={currency} />;
  return (
    <Sheet
      title={line.invoiceDisplayName}
      actions={
        <Button variant="default" onClick={back}>
          All lines
        </Button>
      }
    >
      <div className="stack">
        <p className="formula figure">
          {Object.keys(line.workings ?? {}).some((name) => name !== 'display') || (line.tiers?.length ?? 0) > 1
            ? null
            : `${quantityText(line.quantity)} × ${moneyText(line.unitPrice, currency)} = `}
          <strong>{moneyText(line.amount, currency)}</strong>
        </p>
        <Facts
          of={[
            ['Period', <Period key="period" start={line.periodStart} end={line.periodEnd} />],
            ['Group', line.group && groupText(line.group)],
            ['Quantity', <Quantity key="quantity" value={line.quantity} />],
            ['Price', line.price && <code>{`${wordsOf(line.price.model)} · ${line.price.id}`}</code>],
            ['Earlier part', line.earlier && money(line.earlier.amount)],
            ['Tax', `${quantityText(line.tax.rate)}% = ${moneyText(line.tax.amount, currency)}`],
            ['With tax', money(line.total)],
            ...Object.entries(line.workings ?? {})
              .filter(([name]) => name !== 'trueUp' && name !== 'prepayment') // ids alone: the line has the name
              .map(([name, value]) => [wordsOf(name), workingText(value)] as const),
            ['Notes', line.notes.length > 0 && line.notes.join('; ')],
          ]}
        />
        {line.tiers && (
          <Table
            caption="Tiers"
            rows={line.tiers}
            rowKey={({ above }) => above}
            columns={[
              {
                name: 'Tier',
                cell: ({ above, upTo }) =>
                  upTo === null ? `above ${quantityText(above)}` : `${quantityText(above)} – ${quantityText(upTo)}`,
              },
              { name: 'Units', cell: ({ quantity }) => <Quantity value={quantity} />, isFigure: true },
              { name: 'Unit price', cell: ({ unitPrice }) => money(unitPrice), isFigure: true },
              { name: 'Flat', cell: ({ flatPrice }) => money(flatPrice), isFigure: true },
              { name: 'Amount', cell: ({ amount }) => money(amount), isFigure: true },
            ]}
          />
        )}
        {line.discounts.map((discount) => (
          <p key={discount.lineItemId}>
            Discount {discount.description}: {moneyText(discount.amount, currency)}
          </p>
        ))}
      </div>
    </Sheet>
  );
}

const workingText = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([name, part]) => `${wordsOf(name).toLowerCase()} ${workingText(part)}`)
        .join(', ')
    : String(value);

interface UsageProps {
  readonly line: ExplainedLine;
  readonly invoice: Invoice;
  readonly item: InvoiceLineItem | undefined;
  readonly hour: string | undefined;
  readonly choose: (hour: string | undefined) => void;
}

/** The usage of a line, hour by hour, and the events of an hour. */
function UsageSheet({ line, invoice, item, hour, choose }: UsageProps) {
  const hours = line.usageByHour ?? [];
  const most = Math.max(...hours.map(({ value }) => Number(value)), 0);
  const chosen = hours.find(({ from }) => from === hour);
  if (chosen)
    return (
      <Sheet
        title={`Events`}
        flush
        actions={
          <Button variant="default" onClick={() => choose(undefined)}>
            All hours
          </Button>
        }
      >
        <p className="foot soft fine">
          <Moment at={chosen.from} /> – <Moment at={chosen.to} />: <Quantity value={chosen.value} /> from{' '}
          {quantityText(chosen.eventCount)} events
        </p>
        {item && <Events item={item} invoice={invoice} from={chosen.from} to={chosen.to} />}
      </Sheet>
    );
  return (
    <Sheet
      title="Usage by hour"
      flush
      actions={
        <Button
          variant="default"
          onClick={() =>
            saveCsv(`${invoice.invoiceNumber ?? invoice.id}-usage`, [
              ['From', 'To', 'Usage', 'Events'],
              ...hours.map((each) => [each.from, each.to, each.value, each.eventCount]),
            ])
          }
        >
          Export CSV
        </Button>
      }
    >
      {hours.length === 0 ? (
        <p className="empty soft">No event counted in this period.</p>
      ) : (
        <div className="tall">
          <Table
            caption="Usage by hour"
            rows={hours}
            rowKey={({ from }) => from}
            columns={[
              {
                name: 'Hour',
                cell: ({ from }) => (
                  <button type="button" className="plain" onClick={() => choose(from)} aria-label={`Events of ${from}`}>
                    <Moment at={from} />
                  </button>
                ),
              },
              { name: 'Events', cell: ({ eventCount }) => <Quantity value={eventCount} />, isFigure: true },
              { name: 'Usage', cell: ({ value }) => <Quantity value={value} />, isFigure: true },
              {
                name: ' ',
                isWide: true,
                cell: ({ value }) => (
                  <span className="bar" style={{ width: `${most > 0 ? (Number(value) / most) * 100 : 0}%` }} />
                ),
              },
            ]}
          />
        </div>
      )}
    </Sheet>
  );
}

function Events({
  item,
  invoice,
  from,
  to,
}: {
  readonly item: InvoiceLineItem;
  readonly invoice: Invoice;
  readonly from: string;
  readonly to: string;
}) {
  const asked = useRead('GET /v0/billableMetrics/{id}/events', {
    path: { id: item.billableMetricId },
    query: { from, to, subject: invoice.customerId, limit: 100 },
  });
  const metric = useRead('GET /v0/billableMetrics/{id}', { path: { id: item.billableMetricId } });
  return (
    <Part of={asked}>
      {({ data }) => {
        const paths = Object.entries(metric.data?.groupBy ?? {});
        const isOfGroup = (event: { data: unknown }) =>
          Object.entries(item.group ?? {}).every(([name, value]) => {
            const path = paths.find(([each]) => each === name)?.[1];
            return path === undefined || textOf(at(event.data, path) ?? '') === String(value ?? '');
          });
        return (
          <Table
            caption="Events"
            rows={data.filter(isOfGroup)}
            rowKey={({ id }) => id}
            columns={[
              { name: 'Time', cell: ({ time }) => <Moment at={time} seconds /> },
              { name: 'Event', cell: ({ id }) => <To path={`/usage/events/${id}`}>{<code>{id}</code>}</To> },
              { name: 'Data', cell: (event) => <code>{JSON.stringify(event.data)}</code> },
            ]}
          />
        );
      }}
    </Part>
  );
}

/** The value at `$.a.b`. */
const at = (data: unknown, path: string): unknown =>
  path
    .replace(/^\$\.?/, '')
    .split('.')
    .reduce<unknown>((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], data);
