import { Select, Tabs } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { addressOf, type Reply } from '../../api/client.ts';
import { useRead } from '../../api/queries.ts';
import type { Invoice, InvoiceLineItem } from '../../api/types.ts';
import { usePlace } from '../../frame/places.ts';
import { Ref } from '../../frame/to.tsx';
import { Day, isPositive, Moment, Money, moneyText, Period } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { Deed } from '../../shape/deed.tsx';
import { type InputProps, Rows } from '../../shape/fields.tsx';
import type { OwnInputProps } from '../../shape/form.tsx';
import { Table } from '../../shape/list.tsx';
import { Facts, Figure, Page, Sheet } from '../../shape/page.tsx';
import { Part } from '../../shape/states.tsx';
import { Explanation } from './explanation.tsx';

const titleOf = ({ invoiceNumber, kind }: Invoice): string =>
  invoiceNumber === null ? `${wordsOf(kind)} invoice` : `Invoice ${invoiceNumber}`;

/** One invoice: what the customer sees beside what we know, each amount with its reasons, and what can be done. */
export function InvoicePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { tab = 'amounts' } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const asked = useRead('GET /v2/invoices/{id}', { path: { id } });
  return (
    <Part of={asked}>
      {(invoice) => (
        <Page
          up={{ path: '/invoices', name: 'Invoices' }}
          title={titleOf(invoice)}
          state={<Status of={invoice.status} />}
          about={<code>{invoice.id}</code>}
          actions={<Actions invoice={invoice} />}
        >
          {invoice.failureReason && (
            <p className="note bad">
              {wordsOf(invoice.failureReason)}
              {invoice.failureDetail && `: ${invoice.failureDetail}`}
            </p>
          )}
          <div className="tiles">
            {(['grandTotal', 'paidAmount', 'unpaidAmount'] as const).map((figure) => (
              <Figure key={figure} label={FIGURES[figure]}>
                <Money value={invoice[figure]} currency={invoice.currency} />
              </Figure>
            ))}
          </div>
          <Tabs
            value={tab}
            onChange={(value) =>
              void navigate({ to: '.', search: { tab: value ?? undefined } as never, replace: true })
            }
            keepMounted={false}
          >
            <Tabs.List>
              <Tabs.Tab value="amounts">Amounts</Tabs.Tab>
              <Tabs.Tab value="customer">Customer's view</Tabs.Tab>
              <Tabs.Tab value="payments">Payments</Tabs.Tab>
              <Tabs.Tab value="changes">Changes</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="amounts" pt="md">
              <div className="columns">
                <Explanation invoice={invoice} />
                <About invoice={invoice} />
              </div>
            </Tabs.Panel>
            <Tabs.Panel value="customer" pt="md">
              <div className="columns">
                <CustomerView invoice={invoice} />
                <About invoice={invoice} />
              </div>
            </Tabs.Panel>
            <Tabs.Panel value="payments" pt="md">
              <Payments id={id} currency={invoice.currency} />
            </Tabs.Panel>
            <Tabs.Panel value="changes" pt="md">
              <Changes id={id} />
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Part>
  );
}

const FIGURES = { grandTotal: 'Total', paidAmount: 'Paid or credited', unpaidAmount: 'Unpaid' };

function About({ invoice }: { readonly invoice: Invoice }) {
  const { id, pdfUrl } = invoice;
  return (
    <Sheet title="Details">
      <Facts
        of={[
          ['Customer', <Ref key="customer" id={invoice.customerId} />],
          ['Subscription', invoice.subscriptionId && <Ref key="subscription" id={invoice.subscriptionId} />],
          ['Kind', wordsOf(invoice.kind)],
          ['Period', <Period key="period" start={invoice.periodStart} end={invoice.periodEnd} />],
          ['Replaces', invoice.reissueOfId && <Ref key="replaces" id={invoice.reissueOfId} />],
          ['Replaced by', invoice.reissuedAsId && <Ref key="replaced" id={invoice.reissuedAsId} />],
          ['Joined into', invoice.groupedIntoId && <Ref key="joined" id={invoice.groupedIntoId} />],
          ['Next step', invoice.nextActionAt && <Moment at={invoice.nextActionAt} />],
          ['Issued', invoice.issuedAt && <Day at={invoice.issuedAt} />],
          ['Due', invoice.dueAt && <Day at={invoice.dueAt} />],
          ['Paid', invoice.paidAt && <Moment at={invoice.paidAt} />],
          [
            'From the wallet',
            isPositive(invoice.walletApplied) && <Money value={invoice.walletApplied} currency={invoice.currency} />,
          ],
          [
            'Document',
            pdfUrl ? (
              <a key="pdf" href={addressOf('GET /v2/invoices/{id}/pdf', { path: { id } })}>
                PDF
              </a>
            ) : (
              invoice.documentWithheldReason && wordsOf(invoice.documentWithheldReason)
            ),
          ],
          ['Payment page', invoice.paymentUrl && <a href={invoice.paymentUrl}>Open</a>],
        ]}
      />
    </Sheet>
  );
}

/** The page that the customer has, as it is. */
function CustomerView({ invoice: { permalink, invoiceNumber, id } }: { readonly invoice: Invoice }) {
  if (permalink === null) return <p className="note">The customer sees this invoice when it is issued.</p>;
  const { pathname } = new URL(permalink);
  return (
    <iframe
      className="customer-view"
      title={`Page of invoice ${invoiceNumber ?? id} for the customer`}
      src={pathname}
    />
  );
}

/** Was it recorded by a person, and does it stand? */
const isRecorded = ({
  method,
  status,
  returnStatus,
}: Reply<'GET /v2/invoices/{id}/payments'>['data'][number]): boolean =>
  method !== 'card' && status === 'completed' && returnStatus === 'none';

function Payments({ id, currency }: { readonly id: string; readonly currency: string }) {
  const payments = useRead('GET /v2/invoices/{id}/payments', { path: { id } });
  const notes = useRead('GET /v2/invoices/{id}/creditNotes', { path: { id } });
  return (
    <div className="stack">
      <Sheet title="Payments" flush>
        <Part of={payments}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="empty soft">Nothing has been paid.</p>
            ) : (
              <Table
                rows={data}
                rowKey={(row) => row.id}
                columns={[
                  { name: 'Received', cell: ({ receivedAt }) => <Moment at={receivedAt} /> },
                  {
                    name: 'Method',
                    cell: ({ method, reference }) => `${wordsOf(method)}${reference ? ` · ${reference}` : ''}`,
                  },
                  {
                    name: 'Money back',
                    cell: ({ status, returnStatus }) => {
                      const back = status === 'reversed' ? status : returnStatus;
                      return back === 'none' ? '—' : <Status of={back} />;
                    },
                  },
                  {
                    name: 'Receipt',
                    cell: (row) => (
                      <a
                        href={addressOf('GET /v2/invoices/{id}/payments/{paymentId}/receipt', {
                          path: { id, paymentId: row.id },
                        })}
                      >
                        PDF
                      </a>
                    ),
                  },
                  {
                    name: 'Amount',
                    cell: ({ amount }) => <Money value={amount} currency={currency} />,
                    isFigure: true,
                  },
                  {
                    name: '',
                    cell: (row) =>
                      isRecorded(row) ? (
                        <Deed
                          label="Reverse"
                          verb="Reverse the payment"
                          operation="POST /v2/invoices/{id}/payments/{paymentId}/reverse"
                          path={{ id, paymentId: row.id }}
                          facts={[['Amount', moneyText(row.amount, currency)]]}
                          fields={['reason', 'reversedAt']}
                          fixed={{ idempotencyKey: crypto.randomUUID() }}
                          effects={['The invoice is owed again.']}
                          undo="Undone by recording the payment again."
                          isDangerous
                        />
                      ) : null,
                  },
                ]}
              />
            )
          }
        </Part>
      </Sheet>
      <Sheet title="Credit notes" flush>
        <Part of={notes}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="empty soft">None.</p>
            ) : (
              <Table
                rows={data}
                rowKey={(row) => row.id}
                columns={[
                  {
                    name: 'Number',
                    cell: (row) => (
                      <a
                        href={addressOf('GET /v2/invoices/{id}/refunds/{refundId}/pdf', {
                          path: { id, refundId: row.id },
                        })}
                      >
                        {row.number} (PDF)
                      </a>
                    ),
                  },
                  {
                    name: 'Kind',
                    cell: ({ kind, lines }) => (
                      <span>
                        {wordsOf(kind)}
                        {lines.map((line) => (
                          <span className="soft fine block" key={line.id}>
                            {line.displayName}: <Money value={line.amount} currency={currency} />
                          </span>
                        ))}
                      </span>
                    ),
                  },
                  {
                    name: 'Status',
                    cell: ({ status }) => <Status of={status === 'VOIDED' ? 'voided' : 'completed'} />,
                  },
                  { name: 'Reason', cell: ({ reason }) => reason ?? '—' },
                  { name: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
                  { name: 'Total', cell: (row) => <Money value={row.total} currency={currency} />, isFigure: true },
                  {
                    name: '',
                    cell: (row) =>
                      row.kind === 'refund' && row.status === 'ISSUED' ? (
                        <Deed
                          label="Void"
                          verb="Void the refund"
                          operation="POST /v2/invoices/{id}/refunds/{refundId}/void"
                          path={{ id, refundId: row.id }}
                          facts={[
                            ['Credit note', row.number],
                            ['Amount', moneyText(row.total, currency)],
                          ]}
                          effects={[]}
                          isDangerous
                        />
                      ) : row.kind === 'partial' && row.status === 'ISSUED' ? (
                        <Deed
                          label="Void"
                          verb="Void the credit note"
                          operation="POST /v2/invoices/{id}/creditNotes/{creditNoteId}/void"
                          path={{ id, creditNoteId: row.id }}
                          facts={[
                            ['Credit note', row.number],
                            ['Amount', moneyText(row.total, currency)],
                          ]}
                          effects={[]}
                          isDangerous
                        />
                      ) : null,
                  },
                ]}
              />
            )
          }
        </Part>
      </Sheet>
    </div>
  );
}

function Changes({ id }: { readonly id: string }) {
  const asked = useRead('GET /v0/auditLog', { query: { resourceId: id, limit: 100 } });
  return (
    <Sheet title="Changes by people" flush>
      <Part of={asked}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty soft">Nobody has changed anything by hand.</p>
          ) : (
            <Table
              rows={data}
              rowKey={(row) => row.id}
              columns={[
                { name: 'When', cell: ({ createdAt }) => <Moment at={createdAt} seconds /> },
                { name: 'What', cell: ({ operation }) => wordsOf(operation) },
                { name: 'Who', cell: ({ userId, customerId }) => <Ref id={userId ?? customerId} /> },
                { name: 'Request', cell: ({ requestId }) => <code>{requestId}</code> },
              ]}
            />
          )
        }
      </Part>
    </Sheet>
  );
}

/** What can be done with the invoice in its state; each in a dialog that says what it will do. */
function Actions({ invoice }: { readonly invoice: Invoice }) {
  const { id, status, currency } = invoice;
  const notes = useRead('GET /v2/invoices/{id}/creditNotes', { path: { id } }, { enabled: status === 'PAID' });
  const isRefunded = notes.data?.data.some((note) => note.kind === 'refund' && note.status === 'ISSUED') ?? true;
  const lines = useRead(
    'GET /v2/invoices/{id}/lineItems',
    { path: { id } },
    { enabled: ['ISSUED', 'PAYMENT_FAILED', 'PAID'].includes(status) },
  );
  const charge = lines.data?.lineItems.find(({ type, totalAmount }) => type === 'charge' && isPositive(totalAmount));
  const is = (...states: Invoice['status'][]) => states.includes(status);
  const path = { id };
  const navigate = useNavigate();
  const place = usePlace();
  const inputs = useMemo(() => ({ lines: creditedLinesOf(invoice) }), [invoice]);
  const facts = [
    ['Invoice', invoice.invoiceNumber ?? id],
    ['Customer', <Ref key="customer" id={invoice.customerId} />],
    ['Total', moneyText(invoice.grandTotal, currency)],
    ['Unpaid', moneyText(invoice.unpaidAmount, currency)],
  ] as const;
  const isOwed = is('ISSUED', 'PAYMENT_FAILED') && isPositive(invoice.unpaidAmount);
  return (
    <>
      {is('ACTIVE') && (
        <Deed
          label="Close now"
          operation="POST /v2/invoices/{id}/closeNow"
          path={path}
          facts={facts}
          effects={[]}
          undo="This cannot be undone."
        />
      )}
      {is('DRAFT') && (
        <Deed
          label="Approve"
          operation="POST /v2/invoices/{id}/approve"
          path={path}
          facts={facts}
          effects={[]}
          isPrimary
        />
      )}
      {is('DRAFT', 'FAILED') && (
        <Deed
          label="Calculate again"
          operation="POST /v2/invoices/{id}/recalculate"
          path={path}
          facts={facts}
          effects={[]}
        />
      )}
      {isOwed && (
        <>
          <Deed
            label="Record a payment"
            operation="POST /v2/invoices/{id}/payments"
            path={path}
            facts={facts}
            effects={[]}
            fields={['amount', 'method', 'reference', 'receivedAt']}
            initial={{ amount: invoice.unpaidAmount, method: 'bank_transfer' }}
            fixed={{ idempotencyKey: crypto.randomUUID() }}
            isPrimary
          />
          <Deed
            label="Charge the card"
            operation="POST /v2/invoices/{id}/pay"
            path={path}
            facts={facts}
            effects={[`${moneyText(invoice.unpaidAmount, currency)} is charged.`]}
            undo="Undone by a refund."
          />
          <Deed
            label="Write off"
            operation="POST /v2/invoices/{id}/writeOff"
            path={path}
            facts={facts}
            effects={[`${moneyText(invoice.unpaidAmount, currency)} is given up.`]}
            isDangerous
          />
        </>
      )}
      {is('DRAFT', 'ISSUED', 'PAYMENT_FAILED') && (
        <Deed
          label="Cancel"
          verb="Cancel the invoice"
          operation="POST /v2/invoices/{id}/cancel"
          path={path}
          facts={facts}
          effects={[]}
          undo="This cannot be undone."
          isDangerous
        />
      )}
      {is('ISSUED', 'PAYMENT_FAILED', 'PAID') && invoice.invoiceNumber !== null && charge && (
        <Deed
          label="Credit a part"
          verb="Make the credit note"
          operation="POST /v2/invoices/{id}/creditNotes"
          path={path}
          facts={facts}
          effects={[]}
          fields={['lines', 'reason', 'settlement']}
          initial={{ lines: [{ lineItemId: charge.id, amount: charge.totalPrice }] }}
          inputs={inputs}
          fixed={{ idempotencyKey: crypto.randomUUID() }}
          undo="It can be voided; money that is on its way is then owed again."
          isDangerous
        />
      )}
      {is('ISSUED', 'PAYMENT_FAILED', 'PAID') && invoice.invoiceNumber !== null && !invoice.reissuedAsId && (
        <Deed
          label="Reissue"
          verb="Issue a corrected invoice"
          operation="POST /v2/invoices/{id}/reissue"
          path={path}
          facts={facts}
          effects={['A credit note is over this invoice, and a corrected one takes its place.']}
          undo="This cannot be undone."
          done={({ id: reissued }) => void navigate({ to: place(`/invoices/${reissued}`) })}
          isDangerous
        />
      )}
      {is('PAID') && !isRefunded && (
        <Deed
          label="Refund"
          verb={`Refund ${moneyText(invoice.grandTotal, currency)}`}
          operation="POST /v2/invoices/{id}/refunds"
          path={path}
          facts={facts}
          effects={[`${moneyText(invoice.grandTotal, currency)} goes back to the customer.`]}
          undo="It can be voided only while the money is not on its way."
          isDangerous
        />
      )}
    </>
  );
}

/** The credited charges of an invoice, by their names. */
function creditedLinesOf({ id, currency, sections }: Invoice) {
  const sectionOf = ({ subscriptionId }: InvoiceLineItem) =>
    sections.find((each) => each.subscriptionId === subscriptionId)?.name;
  function Charge({ value, change, error }: InputProps) {
    const { data } = useRead('GET /v2/invoices/{id}/lineItems', { path: { id } });
    const charges = (data?.lineItems ?? []).filter(({ totalPrice }) => isPositive(totalPrice));
    return (
      <Select
        label="Charge"
        className="long"
        data={charges.map((line) => ({
          value: line.id,
          label: [line.invoiceDisplayName, sectionOf(line), moneyText(line.totalPrice, currency)]
            .filter(Boolean)
            .join(' · '),
        }))}
        value={(value as string | undefined) ?? null}
        onChange={(each) => change(each ?? undefined)}
        error={error}
        withAsterisk
      />
    );
  }
  return (props: OwnInputProps) => <Rows {...props} inputs={{ lineItemId: Charge }} />;
}
