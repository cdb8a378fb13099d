import type { Mail } from '../../api/types.ts';
import { Ref } from '../../frame/to.tsx';
import { Moment } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { wordsOf } from '../../look/words.ts';
import { type Filter, List } from '../../shape/list.tsx';
import { Page } from '../../shape/page.tsx';

const KINDS = [
  'invoiceIssued',
  'invoicePaid',
  'paymentReceived',
  'paymentReversed',
  'paymentFailed',
  'invoiceRefunded',
  'refundVoided',
  'invoiceCredited',
  'invoiceCancelled',
  'renewalReminder',
  'trialEnding',
  'alertTriggered',
  'alertReached',
  'portalLink',
] as const satisfies readonly Mail['kind'][];
const STATES = ['held', 'pending', 'sent', 'failed', 'withdrawn'] as const satisfies readonly Mail['status'][];

const choices = (names: readonly string[]): NonNullable<Filter['choices']> =>
  names.map((each) => [each, wordsOf(each)] as const);

/** The mails to customers, newest first; the sandbox keeps them and sends none. */
export function Mails() {
  return (
    <Page title="Mails">
      <List
        operation="GET /v0/mails"
        file="mails"
        rowKey={({ id }) => id}
        filters={[
          { name: 'kind', label: 'Kind', choices: choices(KINDS) },
          { name: 'status', label: 'Status', choices: choices(STATES) },
          { name: 'customerId', label: 'Customer', pick: 'cus_' },
        ]}
        columns={[
          {
            name: 'Subject',
            cell: ({ id, subject }) => <Ref id={id} name={subject} />,
            value: ({ subject }) => subject,
          },
          { name: 'To', cell: ({ to }) => to.join(', '), value: ({ to }) => to.join(' ') },
          { name: 'Status', cell: ({ status }) => <Status of={status} />, value: ({ status }) => status },
          { name: 'Kind', cell: ({ kind }) => wordsOf(kind), value: ({ kind }) => kind },
          {
            name: 'Customer',
            cell: ({ customerId }) => <Ref id={customerId} />,
            value: ({ customerId }) => customerId,
          },
          { name: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} />, value: ({ createdAt }) => createdAt },
        ]}
        empty={{
          text: 'Customers get a mail when an invoice is issued, paid, or not paid. The sandbox keeps each mail and sends none.',
          example: { method: 'GET', path: '/v0/mails' },
        }}
      />
    </Page>
  );
}
