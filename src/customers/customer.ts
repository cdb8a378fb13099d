import type { Address } from '../http/index.ts';
import type { Organization } from '../identity/index.ts';
import { OUTSIDE_ID } from '../kernel/ids.ts';
import type { Locale } from '../kernel/locale.ts';
import { formatInstant } from '../kernel/time.ts';
import type { CustomerRow, InvoiceGrouping, NotificationKind } from './customer-row.ts';
import type { ValidTaxAddress } from './tax-address.ts';
import { isAbout, type TaxIdCheck, type TaxIdSubject } from './tax-ids/check.ts';
import { readTaxRates, type TaxRates, type TaxRatesInput, writeTaxRates } from './tax-rates.ts';
import { decideTaxAddress } from './tax-verdict.ts';

/** The subjects of emails to the customer; each is on until it is turned off. */
export type NotificationSettings = Readonly<Record<NotificationKind, boolean>>;

/** A consumer organization as one merchant's customer (§2). */
export interface Customer extends Omit<CustomerRow, 'taxRates' | 'notificationSettings'> {
  readonly taxRates: TaxRates;
  readonly notificationSettings: NotificationSettings;
  readonly organization: Consumer;
  readonly validTaxAddress: ValidTaxAddress;
  /** The check of its tax id; null if it has none. */
  readonly taxIdCheck: TaxIdKnowledge | null;
}

/** The present result of the check of a tax id. */
export type TaxIdKnowledge = Pick<TaxIdCheck, 'status' | 'reason' | 'checkedAt'>;

const NOTHING_KNOWN: TaxIdKnowledge = { status: 'unchecked', reason: null, checkedAt: null };

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
  taxExempt?: boolean;
  taxExemptReason?: string | null;
  currency?: string | null;
  locale?: Locale | null;
  buyerReference?: string | null;
  payerId?: string | null;
  invoiceGrouping?: InvoiceGrouping | null;
  notificationSettings?: Partial<NotificationSettings>;
  metadata?: Record<string, string | number | boolean>;
}

/** A consumer described, to be found by its e-mail address or made, or one named by its id: exactly one of the two. */
export interface NewCustomer extends CustomerTerms {
  consumer?: { name: string; email: string; phone?: string | null; address?: Address | null };
  consumerId?: string;
}

/** The tax id by which a customer is taxed: the merchant's own word for it comes before the organization's. */
export function taxIdOf(
  { taxId: own }: Pick<CustomerRow, 'taxId'>,
  { taxId: ofOrganization, address }: Pick<Organization, 'taxId' | 'address'>,
): TaxIdSubject | null {
  const taxId = own ?? ofOrganization;
  return taxId === null ? null : { taxId, country: address?.country ?? null };
}

/** The result of a check for a tax id; it does not apply to another id. */
export const knowledgeOf = (subject: TaxIdSubject | null, check: TaxIdCheck | undefined): TaxIdKnowledge | null =>
  subject && (check && isAbout(check, subject) ? check : NOTHING_KNOWN);

/** A customer from its row, its consumer and the check of its tax id. */
export function toCustomerReply(row: CustomerRow, consumer: Organization, check: TaxIdCheck | undefined): Customer {
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
    taxIdCheck: knowledgeOf(taxIdOf(row, consumer), check),
  };
}

const NAMEABLE = new RegExp(OUTSIDE_ID);

interface Warning {
  readonly field: string;
  readonly message: string;
}

/** The specification takes any `externalId` and any `taxId`; events can only name some of the first (decision 0041). */
function warningsOf({ externalId, taxIdCheck }: Customer): { warnings?: Warning[] } {
  const warnings: Warning[] = [];
  if (externalId !== null && !NAMEABLE.test(externalId)) warnings.push({ field: 'externalId', message: UNNAMEABLE });
  if (taxIdCheck?.status === 'invalid')
    warnings.push({ field: 'taxId', message: taxIdCheck.reason ?? 'It is not valid.' });
  return warnings.length === 0 ? {} : { warnings };
}

const UNNAMEABLE =
  'Events cannot use this externalId: externalSubject allows letters, digits, underscores and hyphens. Send ' +
  'the id of the customer as subject.';

/** A customer as answers show it: a field that has nothing to say is left out, save the nullable taxId. */
export const publicCustomer = (customer: Customer) => ({
  id: customer.id,
  object: 'customer' as const,
  merchantId: customer.merchantId,
  consumerId: customer.consumerId,
  ...(customer.externalId !== null && { externalId: customer.externalId }),
  taxId: customer.taxId,
  ...(customer.taxIdCheck && { taxIdStatus: customer.taxIdCheck.status }),
  ...(customer.taxIdCheck?.checkedAt && { taxIdCheckedAt: formatInstant(customer.taxIdCheck.checkedAt) }),
  taxRates: writeTaxRates(customer.taxRates),
  taxExempt: customer.taxExempt,
  taxExemptReason: customer.taxExemptReason,
  validTaxAddress: customer.validTaxAddress,
  ...(customer.currency !== null && { currency: customer.currency }),
  ...(customer.locale !== null && { locale: customer.locale }),
  ...(customer.buyerReference !== null && { buyerReference: customer.buyerReference }),
  payerId: customer.payerId,
  invoiceGrouping: customer.invoiceGrouping,
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
