import {
  Address,
  type FieldWords,
  Formed,
  Id,
  ListQuery,
  Metadata,
  Name,
  Nullable,
  NumberOut,
  OneOf,
  Strict,
  Text,
  Timestamp,
  Type,
  UpdatedFrom,
} from '../http/index.ts';
import { Email, Percent, Phone } from '../identity/index.ts';
import { idPattern } from '../kernel/ids.ts';
import { LOCALES } from '../kernel/locale.ts';
import { INVOICE_GROUPINGS } from './customer-row.ts';
import type { TaxRatesInput } from './tax-rates.ts';

const MOST_TAX_RATES = 200;
const TAX_RATE_KEY = `^default$|${idPattern('plan')}|${idPattern('billableMetric')}`;

/** Percentages by plan id, metric id or `default`; one number is the default. */
export const TaxRatesBody = Type.Unsafe<TaxRatesInput>({
  anyOf: [
    Percent,
    {
      type: 'object',
      maxProperties: MOST_TAX_RATES,
      propertyNames: Formed(TAX_RATE_KEY, 'must be default, a plan id (plan_…) or a billable metric id (bm_…)'),
      additionalProperties: Percent,
    },
  ],
});

/** The merchant's own name for a customer: any text. Events can only name one of letters, digits, `_` and `-` (§4). */
export const CustomerExternalId = Text({ minLength: 1, maxLength: 255 });

const CUSTOMER_FIELDS: FieldWords = {
  consumerId: 'The organization behind the customer. It has the name and the addresses.',
  consumer: 'The organization behind a new customer. Send it, or `consumerId`.',
  name: ['The name of the person or company, 1 to 255 characters.', 'Delft Design'],
  email: ['The e-mail address. Without an `externalId` it finds a customer that exists already.', 'ap@agency.example'],
  phone: ['The telephone number. Null: none.', '+31 15 2140000'],
  address: 'The postal address. Taxes need at least its country.',
  billingEmails: ['The addresses that receive invoices.', ['ap@agency.example']],
  externalId: [
    'The id of the customer in your own system, 1 to 255 characters. Usage events name it in ' +
      '`externalSubject`. Null: none.',
    'workspace-1',
  ],
  taxId: [
    'The tax id, such as a VAT number. Any text is accepted; `taxIdStatus` has the result of the check. Null: none.',
    'NL001234567B01',
  ],
  taxIdCheckedAt: 'When a register last answered. Absent: none has.',
  taxRates: [
    'Tax rates in percent by plan id, metric id or `default`: 20 is 20 %. One number is the default. A ' +
      'change replaces all of them.',
    { default: 21 },
  ],
  taxExempt: ['`true`: no sale to the customer has tax. Default: `false`.', false],
  taxExemptReason: [
    'Why, in the words of the documents, 1 to 500 characters. Null: `settings.invoiceNotes.exempt` of the merchant, ' +
      'else "Exempt from VAT".',
    'Exempt: international organization (Article 151 of Directive 2006/112/EC)',
  ],
  validTaxAddress: 'Is the address good enough for taxes?',
  currency: ['The currency of the customer: an ISO 4217 code. Absent or null: none of its own.', 'EUR'],
  locale: 'The language of emails, pages and documents. Absent or null: English.',
  buyerReference: ['The reference of the customer for its invoices. Absent or null: none.', 'PO-2026-17'],
  payerId: [
    'The customer that pays: invoices are addressed to it, and it pays them. Their lines stay of this customer. Null: ' +
      'this customer pays itself.',
    'cus_8c3d5e0f1a2b4c6d',
  ],
  invoiceGrouping: [
    '`customer`: invoices of periods that end at one instant are joined in one, with a section for each subscription; ' +
      'also those of the customers for which this one pays. Null: each subscription has its own.',
    'customer',
  ],
  organization: 'The organization behind the customer.',
  notificationSettings: 'The emails that the customer receives.',
  invoiceIssued: ['An email for each issued invoice. Default: `true`.', true],
  invoicePaid: ['An email for each payment. Default: `true`.', true],
  renewalReminder: ['An email before a renewal. Default: `true`.', true],
  metadata: ['Data of your own. A change replaces all of it.', { segment: 'agency' }],
  warnings: 'Parts of the request that were accepted but will not work as you may expect.',
  field: ['The path of the field.', 'externalId'],
  message: 'The warning, for a person.',
  customerId: 'The same as `id`.',
};

const CUSTOMER_FILTERS: FieldWords = {
  organizationId: 'Only the customers of this organization. The id of the merchant means all of its customers.',
  name: 'Only customers with this text in their name, in any case; at least 3 characters.',
  email: 'Only customers with this text in an e-mail address, in any case; at least 3 characters.',
  externalId: 'Only the customer with this id in your own system.',
  payerId: 'Only the customers for which this customer pays.',
};

const NotificationSettingsBody = Strict({
  invoiceIssued: Type.Optional(Type.Boolean()),
  invoicePaid: Type.Optional(Type.Boolean()),
  renewalReminder: Type.Optional(Type.Boolean()),
});

const terms = {
  externalId: Type.Optional(Nullable(CustomerExternalId)),
  taxId: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 100 }))),
  taxRates: Type.Optional(TaxRatesBody),
  taxExempt: Type.Optional(Type.Boolean()),
  taxExemptReason: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 500 }))),
  currency: Type.Optional(Nullable(Type.String({ format: 'currency' }))),
  locale: Type.Optional(Nullable(OneOf(LOCALES))),
  buyerReference: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 200 }))),
  payerId: Type.Optional(Nullable(Id('customer'))),
  invoiceGrouping: Type.Optional(Nullable(OneOf(INVOICE_GROUPINGS))),
  notificationSettings: Type.Optional(NotificationSettingsBody),
  metadata: Type.Optional(Metadata),
};

/** A consumer as a creation describes it. */
export const ConsumerBody = Strict({
  name: Name,
  email: Email,
  phone: Type.Optional(Nullable(Phone)),
  address: Address,
});

export const CustomerCreateBody = Strict(
  {
    merchantId: Type.Optional(Id('organization')),
    consumer: Type.Optional(ConsumerBody),
    consumerId: Type.Optional(Id('organization')),
    ...terms,
  },
  {
    $id: 'CustomerCreate',
    'x-fields': CUSTOMER_FIELDS,
    examples: [
      {
        externalId: 'workspace-1',
        consumer: {
          name: 'Delft Design',
          email: 'ap@agency.example',
          address: { line1: 'Oude Delft 9', city: 'Delft', zipCode: '2611 BE', country: 'NL' },
        },
        currency: 'EUR',
        metadata: { segment: 'agency' },
      },
    ],
    'x-some-of': ['consumer', 'consumerId'],
  },
);

export const CustomerUpdateBody = Strict(terms, {
  $id: 'CustomerChange',
  'x-fields': CUSTOMER_FIELDS,
  examples: [{ taxRates: { default: 21 }, notificationSettings: { renewalReminder: false } }],
});

const MIN_SEARCH = 3;

export const CustomerFilterQuery = ListQuery(
  {
    merchantId: Type.Optional(Id('organization')),
    organizationId: Type.Optional(Id('organization')),
    name: Type.Optional(Text({ minLength: MIN_SEARCH, maxLength: 255 })),
    email: Type.Optional(Text({ minLength: MIN_SEARCH, maxLength: 254 })),
    externalId: Type.Optional(CustomerExternalId),
    payerId: Type.Optional(Id('customer')),
    updatedFrom: Type.Optional(UpdatedFrom),
  },
  { fields: CUSTOMER_FILTERS },
);

const ValidTaxAddress = Type.Object(
  {
    valid: Type.Boolean({ description: 'Is the address good enough for taxes?', examples: [true] }),
    message: Type.String({ description: 'The missing parts of the address. Empty: none is missing.', examples: [''] }),
  },
  { $id: 'ValidTaxAddress', description: 'Is the address good enough for taxes?' },
);

const customerFields = {
  id: Id('customer'),
  object: Type.Literal('customer'),
  merchantId: Id('organization'),
  consumerId: Id('organization'),
  externalId: Type.Optional(Type.String()),
  taxId: Nullable(Type.String()),
  taxIdStatus: Type.Optional(
    OneOf(['valid', 'invalid', 'unchecked'], {
      description:
        'Absent without a tax id. `valid`: a register has confirmed it. `invalid`: its check digits are wrong, or ' +
        'the register does not know it. `unchecked`: no register has answered yet, or there is none.',
    }),
  ),
  taxIdCheckedAt: Type.Optional(Timestamp),
  taxRates: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: NumberOut }),
  taxExempt: Type.Boolean(),
  taxExemptReason: Nullable(Type.String()),
  validTaxAddress: ValidTaxAddress,
  currency: Type.Optional(Type.String()),
  locale: Type.Optional(OneOf(LOCALES)),
  buyerReference: Type.Optional(Type.String()),
  payerId: Nullable(Id('customer')),
  invoiceGrouping: Nullable(OneOf(INVOICE_GROUPINGS)),
  organization: Type.Object({
    id: Id('organization'),
    name: Type.String(),
    address: Type.Optional(Address),
    billingEmails: Type.Array(Type.String()),
    phone: Type.Optional(Type.String()),
  }),
  notificationSettings: Type.Object({
    invoiceIssued: Type.Boolean(),
    invoicePaid: Type.Boolean(),
    renewalReminder: Type.Boolean(),
  }),
  metadata: Metadata,
  warnings: Type.Optional(
    Type.Array(Type.Object({ field: Type.String(), message: Type.String() }), {
      description: 'Parts of the request that were accepted but may not work as you expect.',
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const CustomerReply = Type.Object(customerFields, {
  $id: 'Customer',
  description: 'A consumer as the customer of one merchant: its tax, its terms and its wallet.',
  'x-fields': CUSTOMER_FIELDS,
});

/** The answer to a creation: the customer plus its id by the name that other bodies use (api.md). */
export const CustomerCreatedReply = Type.Object(
  { ...customerFields, customerId: Id('customer') },
  { $id: 'CustomerCreated', description: 'A new customer with its consumer.', 'x-fields': CUSTOMER_FIELDS },
);
