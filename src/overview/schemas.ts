import {
  DecimalOut,
  type FieldWords,
  Id,
  MapOf,
  Nullable,
  OneOf,
  type Static,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { ID_PREFIXES, type IdKind } from '../kernel/ids.ts';
import { STEPS } from './checklist.ts';

export const SearchQuery = Strict(
  {
    q: Text(),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
    merchantId: Type.Optional(Id('organization')),
  },
  {
    'x-fields': {
      q: [
        'An id, a number of an invoice or a credit note, or a part of a name, an e-mail address, an `externalId` or a ' +
          'key. 1 to 200 characters without the spaces around them.',
        'acme',
      ],
      limit: 'How many results the answer has at most.',
      merchantId:
        'Only results of this merchant. Default: your own organization; an operator without it finds exact ids alone, and ' +
        'no events.',
    },
  },
);
export type SearchQuery = Static<typeof SearchQuery>;

const SearchResult = Type.Object(
  {
    object: Type.Literal('searchResult'),
    type: OneOf(Object.keys(ID_PREFIXES) as IdKind[]),
    id: Type.String(),
    merchantId: Id('organization'),
    title: Type.String(),
    detail: Nullable(Type.String()),
    customerId: Nullable(Id('customer')),
    invoiceId: Nullable(Id('invoice')),
  },
  {
    $id: 'SearchResult',
    description: 'A resource that a search has found.',
    'x-fields': {
      type: 'The kind of the resource. `refund` is a credit note.',
      title: ['The name or the number of the resource; its id, if it has neither.', 'Acme GmbH'],
      detail: ['What tells it from others: an e-mail address, a status, a key. Null: nothing.', 'billing@acme.example'],
      customerId: 'The id of its customer; of a customer its own. Null: it belongs to none.',
      invoiceId: 'The id of its invoice; of an invoice its own. Null: it belongs to none.',
    },
  },
);

export const SearchReply = Type.Object(
  {
    object: Type.Literal('searchResults'),
    query: Type.String(),
    data: Type.Array(SearchResult),
    hasMore: Type.Boolean(),
  },
  {
    $id: 'SearchResults',
    description: 'The results of a search, the best first.',
    'x-fields': {
      query: ['The text that was searched for, without the spaces around it.', 'acme'],
      data:
        'The results: the resource with this id, then whole numbers, beginnings of names, beginnings of other texts, ' +
        'and parts.',
      hasMore: 'Are there more results than `limit`?',
    },
  },
);
export type SearchReply = Static<typeof SearchReply>;

export const NamesQuery = Strict(
  { ids: Text(), merchantId: Type.Optional(Id('organization')) },
  {
    'x-fields': {
      ids: ['The ids, separated by commas: 1 to 100.', 'cus_8c3d5e0f1a2b4c6d,plan_8c3d5e0f1a2b4c6d'],
    },
  },
);

export const NamesReply = Type.Object(
  { object: Type.Literal('names'), names: MapOf(Type.String(), Nullable(Type.String())) },
  {
    $id: 'Names',
    description: 'The names of resources.',
    'x-fields': {
      names: [
        'The name by each id; of an invoice its number, of a user the name or the e-mail address. Null: it has none, ' +
          'or the merchant has no such resource.',
        { plan_8c3d5e0f1a2b4c6d: 'Growth' },
      ],
    },
  },
);
export type NamesReply = Static<typeof NamesReply>;

export const OverviewQuery = Strict({ merchantId: Type.Optional(Id('organization')) });

const COUNT_WORDS = (words: Readonly<Record<string, string>>): FieldWords =>
  Object.fromEntries(Object.entries(words).map(([name, text]) => [name, [text, 3] as const]));

const Sums = Type.Array(
  Type.Object(
    { currency: Type.String(), count: Type.Integer(), amount: DecimalOut },
    {
      $id: 'OverviewSum',
      description: 'Invoices in one currency.',
      'x-fields': {
        count: ['The number of the invoices.', 3],
        amount: ['The sum of their unpaid amounts with tax, in major units.', '357.00'],
      },
    },
  ),
);

export const OverviewReply = Type.Object(
  {
    object: Type.Literal('overview'),
    merchantId: Id('organization'),
    at: Timestamp,
    unpaid: Sums,
    overdue: Sums,
    failedPayments: Sums,
    invoices: Type.Object(
      { failed: Type.Integer(), draft: Type.Integer() },
      {
        'x-fields': COUNT_WORDS({
          failed: 'Invoices whose calculation failed: `GET /v2/invoices?status=FAILED`.',
          draft: 'Invoices that wait for approval: `GET /v2/invoices?status=DRAFT`.',
        }),
      },
    ),
    parkedJobs: Type.Array(
      Type.Object(
        { kind: Type.String(), count: Type.Integer() },
        {
          'x-fields': {
            kind: ['The kind of the background job.', 'invoice'],
            count: ['The number of the jobs.', 1],
          },
        },
      ),
    ),
    webhookEndpoints: Type.Object(
      { failing: Type.Integer(), disabled: Type.Integer() },
      {
        'x-fields': COUNT_WORDS({
          failing: 'Endpoints with a `failingSince`: `GET /v0/webhookEndpoints?status=enabled`.',
          disabled:
            'Endpoints that were disabled because they failed or answered 410: ' +
            '`GET /v0/webhookEndpoints?status=disabled`.',
        }),
      },
    ),
    mails: Type.Object(
      { held: Type.Integer(), failed: Type.Integer() },
      {
        'x-fields': COUNT_WORDS({
          held: 'Emails that no server has taken: `GET /v0/mails?status=held`. In the sandbox all of them.',
          failed: 'Emails that could not be sent: `GET /v0/mails?status=failed`.',
        }),
      },
    ),
    subscriptions: Type.Object(
      { active: Type.Integer(), pendingPayment: Type.Integer(), ending: Type.Integer() },
      {
        'x-fields': COUNT_WORDS({
          active: 'Active subscriptions: `GET /v0/subscriptions?status=active`.',
          pendingPayment:
            'Subscriptions that wait for their first payment: `GET /v0/subscriptions?status=pending_payment`.',
          ending: 'Active subscriptions that will end: `GET /v0/subscriptions?ending=true`.',
        }),
      },
    ),
    revenue: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          months: Type.Array(
            Type.Object(
              { month: Timestamp, netRevenue: DecimalOut },
              {
                'x-fields': {
                  month: 'The start of the month, in UTC.',
                  netRevenue: ['The net revenue of the month without tax, in major units.', '1200.00'],
                },
              },
            ),
          ),
        },
        { 'x-fields': { months: 'The last twelve months, the present one last.' } },
      ),
    ),
    events: Type.Array(
      Type.Object(
        { day: Type.String({ format: 'date' }), count: Type.Integer() },
        {
          'x-fields': {
            day: ['The day, in UTC.', '2026-01-31'],
            count: ['The number of events with a `timestamp` of this day.', 1200],
          },
        },
      ),
    ),
    checklist: Type.Array(
      Type.Object(
        { step: OneOf(STEPS), done: Type.Boolean(), at: Nullable(Timestamp) },
        {
          'x-fields': {
            step:
              '`eventReceived`: a usage event was accepted. `eventPriced`: an invoice has usage of more than 0. ' +
              '`clockAdvanced`: a test clock was advanced (sandbox only). `invoicePaid`: an invoice was paid. ' +
              '`webhookDelivered`: an endpoint has taken a webhook.',
            done: ['Was it done?', true],
            at: 'When it was first done; on a test clock its time. Null: not yet.',
          },
        },
      ),
    ),
  },
  {
    $id: 'Overview',
    description: 'What a merchant has, and what needs a person.',
    'x-fields': {
      at: 'The time of the figures.',
      unpaid: 'Invoices for which money is still asked, by currency: `GET /v2/invoices?unpaid=true`.',
      overdue: 'Those of them that are overdue: `GET /v2/invoices?overdue=true`.',
      failedPayments: 'Those of them whose last charge was declined: `GET /v2/invoices?status=PAYMENT_FAILED`.',
      invoices: 'Invoices that need a person.',
      parkedJobs:
        'Background jobs that gave up after their last attempt, by kind. No list has them; the log of the program ' +
        'and its metrics do.',
      webhookEndpoints: 'Endpoints that take no webhooks at present.',
      mails: 'Emails that did not leave.',
      subscriptions: 'Subscriptions by status.',
      revenue: 'The net revenue by month and currency, as `GET /v0/revenue` reports it. Empty: there is none.',
      events: 'The usage events of the last 30 days, today last: `GET /v0/events` with `from` and `to`.',
      checklist: 'The steps of a first trial, from the records of the merchant.',
    },
  },
);
export type OverviewReply = Static<typeof OverviewReply>;
