import type { Address } from '../http/index.ts';
import type { Organization } from '../identity/index.ts';
import { OUTSIDE_ID } from '../kernel/ids.ts';
import type { Locale } from '../kernel/locale.ts';
import { formatInstant } from '../kernel/time.ts';
import type { CustomerRow, NotificationKind } from './customers.sql.ts';
import type { ValidTaxAddress } from './tax-address.ts';
import { readTaxRates, type TaxRates, type TaxRatesInput, writeTaxRates } from './tax-rates.ts';
import { decideTaxAddress } from './tax-verdict.ts';

/** What the customer is written to about; everything is on until it is turned off. */
export type NotificationSettings = Readonly<Record<NotificationKind, boolean>>;

/** A consumer organization as one merchant's customer (§2). */
export interface Customer extends Omit<CustomerRow, 'taxRates' | 'notificationSettings'> {
  readonly taxRates: TaxRates;
  readonly notificationSettings: NotificationSettings;
  readonly organization: Consumer;
  readonly validTaxAddress: ValidTaxAddress;
}

/** The consumer's particulars as a customer shows them. */
export interface Consumer {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly address: Address | null;
  readonly billingEmails: readonly string[];
  readonly phone: string | null;
  readonly taxId: string | null;
}

/** The fields that a merchant says about a customer of its own. */
export interface CustomerTerms {
  externalId?: string | null;
  taxId?: string | null;
  taxRates?: TaxRatesInput;
  currency?: string | null;
  locale?: Locale | null;
  notificationSettings?: Partial<NotificationSettings>;
  metadata?: Record<string, string | number | boolean>;
}

/** A consumer described, to be found by its e-mail address or made, or one named by its id: exactly one of the two. */
export interface NewCustomer extends CustomerTerms {
  consumer?: { name: string; email: string; phone?: string | null; address?: Address | null };
  consumerId?: string;
}

/** A customer from its row and its consumer. */
export function toCustomer(row: CustomerRow, consumer: Organization): Customer {
  const { id, name, email, address, billingEmails, phone, taxId } = consumer;
  return {
    ...row,
    taxRates: readTaxRates(row.taxRates),
    notificationSettings: {
      invoiceIssued: true,
      invoicePaid: true,
      renewalReminder: true,
      ...row.notificationSettings,
    },
    organization: { id, name, email, address, billingEmails, phone, taxId },
    validTaxAddress: decideTaxAddress(address, row.taxVerdict),
  };
}

const NAMEABLE = new RegExp(OUTSIDE_ID);

/** The specification takes any `externalId` of a customer, and events can only name some of them (decision 0041). */
const warningsOf = ({ externalId }: Customer): { warnings?: { field: string; message: string }[] } =>
  externalId === null || NAMEABLE.test(externalId) ? {} : { warnings: [{ field: 'externalId', message: UNNAMEABLE }] };

const UNNAMEABLE =
  'Events cannot name this customer: externalSubject takes letters, digits, underscores and hyphens. Send its id as subject.';

/** A customer as answers show it (fields.md): a field that has nothing to say is left out, save the nullable taxId. */
export const publicCustomer = (customer: Customer) => ({
  id: customer.id,
  object: 'customer' as const,
  merchantId: customer.merchantId,
  consumerId: customer.consumerId,
  ...(customer.externalId !== null && { externalId: customer.externalId }),
  taxId: customer.taxId,
  taxRates: writeTaxRates(customer.taxRates),
  validTaxAddress: customer.validTaxAddress,
  ...(customer.currency !== null && { currency: customer.currency }),
  ...(customer.locale !== null && { locale: customer.locale }),
  organization: {
    id: customer.organization.id,
    name: customer.organization.name,
    ...(customer.organization.address !== null && { address: customer.organization.address }),
    billingEmails: customer.organization.billingEmails,
    ...(customer.organization.phone !== null && { phone: customer.organization.phone }),
  },
  notificationSettings: customer.notificationSettings,
  metadata: customer.metadata,
  ...warningsOf(customer),
  createdAt: formatInstant(customer.createdAt),
  updatedAt: formatInstant(customer.updatedAt),
});
