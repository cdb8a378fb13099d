import {
  Address,
  Formed,
  Id,
  ListQuery,
  Metadata,
  Name,
  Nullable,
  OneOf,
  Strict,
  Text,
  Timestamp,
  Type,
} from '../http/index.ts';
import { Email, Percent, Phone } from '../identity/index.ts';
import { idPattern } from '../kernel/ids.ts';
import { LOCALES } from '../kernel/locale.ts';
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

const NotificationSettingsBody = Strict({
  invoiceIssued: Type.Optional(Type.Boolean()),
  invoicePaid: Type.Optional(Type.Boolean()),
  renewalReminder: Type.Optional(Type.Boolean()),
});

const terms = {
  externalId: Type.Optional(Nullable(CustomerExternalId)),
  taxId: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 100 }))),
  taxRates: Type.Optional(TaxRatesBody),
  currency: Type.Optional(Nullable(Type.String({ format: 'currency' }))),
  locale: Type.Optional(Nullable(OneOf(LOCALES))),
  buyerReference: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 200 }))),
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

export const CustomerCreate = Strict(
  {
    merchantId: Type.Optional(Id('organization')),
    consumer: Type.Optional(ConsumerBody),
    consumerId: Type.Optional(Id('organization')),
    ...terms,
  },
  { $id: 'CustomerCreate', 'x-some-of': ['consumer', 'consumerId'] },
);

export const CustomerChangeBody = Strict(terms, { $id: 'CustomerChange' });

const MIN_SEARCH = 3;

export const CustomerFilterQuery = ListQuery({
  merchantId: Type.Optional(Id('organization')),
  organizationId: Type.Optional(Id('organization')),
  name: Type.Optional(Text({ minLength: MIN_SEARCH, maxLength: 255 })),
  email: Type.Optional(Text({ minLength: MIN_SEARCH, maxLength: 254 })),
  externalId: Type.Optional(CustomerExternalId),
});

const ValidTaxAddress = Type.Object(
  { valid: Type.Boolean(), message: Type.String({ description: 'What is missing; empty where nothing is.' }) },
  { $id: 'ValidTaxAddress' },
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
        'Absent without a tax id. `valid`: a register has confirmed it. `invalid`: its check digits are wrong, or the ' +
        'register does not know it. `unchecked`: no register has answered yet, or there is none.',
    }),
  ),
  taxIdCheckedAt: Type.Optional(Timestamp),
  taxRates: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: { type: 'number' } }),
  validTaxAddress: ValidTaxAddress,
  currency: Type.Optional(Type.String()),
  locale: Type.Optional(OneOf(LOCALES)),
  buyerReference: Type.Optional(Type.String()),
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
      description: 'What was accepted and will not do what it seems to.',
    }),
  ),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const CustomerBody = Type.Object(customerFields, { $id: 'Customer' });

/** The answer to a creation: the customer plus its id by the name that other bodies use (api.md). */
export const CustomerCreated = Type.Object(
  { ...customerFields, customerId: Id('customer') },
  { $id: 'CustomerCreated' },
);
