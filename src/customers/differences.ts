import { canonicalJson } from '../http/index.ts';
import type { Customer, NewCustomer } from './customer.ts';
import { readTaxRates } from './tax-rates.ts';

/** A field of a creation, its sent value, and the customer's value. */
type Comparison = readonly [field: string, sent: unknown, stands: unknown];

/** A field that was not sent contradicts nothing; null counts as not sent (api.md, Null). */
const contradicting = (comparisons: readonly Comparison[]): string[] =>
  comparisons
    .filter(([, sent, stands]) => sent !== undefined && sent !== null && canonicalJson(sent) !== canonicalJson(stands))
    .map(([field]) => field);

const ofConsumer = ({ organization }: Customer, consumer: NewCustomer['consumer']): Comparison[] => [
  ['consumer.name', consumer?.name, organization.name],
  ...Object.entries(consumer?.address ?? {}).map(
    ([part, sent]) =>
      [`consumer.address.${part}`, sent, organization.address?.[part as keyof typeof organization.address]] as const,
  ),
];

/**
 * The fields of a customer found by its e-mail address that a creation contradicts: its name and its address (api.md).
 */
export const nameOrAddressDifferences = (customer: Customer, input: NewCustomer): string[] =>
  contradicting(ofConsumer(customer, input.consumer));

/** Every field in which a creation says something else than the customer with its externalId. */
export function allDifferences(customer: Customer, input: NewCustomer): string[] {
  const { consumer, consumerId, taxId, taxRates, taxExempt, taxExemptReason } = input;
  const { currency, locale, buyerReference, payerId, invoiceGrouping, notificationSettings, metadata } = input;
  return contradicting([
    ...ofConsumer(customer, consumer),
    ['consumer.email', consumer?.email.toLowerCase(), customer.organization.email],
    ['consumer.phone', consumer?.phone, customer.organization.phone],
    ['consumerId', consumerId, customer.consumerId],
    ['taxId', taxId, customer.taxId],
    ['taxRates', taxRates === undefined ? undefined : readTaxRates(taxRates), customer.taxRates],
    ['taxExempt', taxExempt, customer.taxExempt],
    ['taxExemptReason', taxExemptReason, customer.taxExemptReason],
    ['currency', currency, customer.currency],
    ['locale', locale, customer.locale],
    ['buyerReference', buyerReference, customer.buyerReference],
    ['payerId', payerId, customer.payerId],
    ['invoiceGrouping', invoiceGrouping, customer.invoiceGrouping],
    [
      'notificationSettings',
      notificationSettings && { ...customer.notificationSettings, ...notificationSettings },
      customer.notificationSettings,
    ],
    ['metadata', metadata, customer.metadata],
  ]);
}
