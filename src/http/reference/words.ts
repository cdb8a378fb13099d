import { kindWords } from '../../kernel/ids.ts';

/** The meaning of a field, where an example helps with a value of it. */
export type FieldWord = string | readonly [words: string, example: unknown];

/** The meanings of the fields of a resource by their names: option `x-fields` of its schemas. */
export type FieldWords = Readonly<Record<string, FieldWord>>;

/** The meaning itself, without its example. */
export const wordsOf = (word: FieldWord | undefined): string | undefined =>
  typeof word === 'string' ? word : word?.[0];

/** Fields that mean the same in every resource. A schema that says more of one of them wins. */
export const SHARED_WORDS: FieldWords = {
  id: 'The id of this resource. It never changes.',
  object: 'The name of the type of this resource.',
  createdAt: 'When the resource was created.',
  updatedAt: 'When the resource was last changed.',
  merchantId: 'The id of the merchant that owns this resource.',
  customerId: 'The id of the customer.',
  productId: 'The id of the product.',
  planId: 'The id of the plan.',
  subscriptionId: 'The id of the subscription.',
  invoiceId: 'The id of the invoice.',
  itemId: 'The id of the item.',
  featureId: 'The id of the feature.',
  billableMetricId: 'The id of the billable metric.',
  feeId: 'The id of the fee.',
  priceId: 'The id of the price.',
  entitlementId: 'The id of the entitlement.',
  grantId: 'The id of the grant.',
  orderId: 'The id of the order.',
  userId: 'The id of the user.',
  keyId: 'The id of the API key.',
  testClockId: 'The id of the test clock whose simulated time applies. Without one the wall clock applies.',
  currency: ['The currency: an ISO 4217 code.', 'EUR'],
};

/** The same names as filters of a list. */
export const QUERY_WORDS: FieldWords = {
  merchantId:
    'Only resources of this merchant. Default: your own organization; an operator without it gets all merchants.',
  customerId: 'Only resources of this customer.',
  productId: 'Only resources of this product.',
  planId: 'Only resources of this plan.',
  subscriptionId: 'Only resources of this subscription.',
  invoiceId: 'Only resources of this invoice.',
  itemId: 'Only resources of this item.',
  featureId: 'Only resources of this feature.',
  billableMetricId: 'Only resources of this billable metric.',
  feeId: 'Only resources of this fee.',
  entitlementId: 'Only resources of this entitlement.',
  orderId: 'Only resources of this order.',
  userId: 'Only resources of this user.',
  testClockId: 'Only resources on this test clock.',
  currency: 'Only resources in this currency: an ISO 4217 code.',
};

/** The same names in the body of a request. */
export const BODY_WORDS: FieldWords = {
  merchantId: 'The merchant that owns the resource. Default: your own organization; an operator must send it.',
};

const PATH_WORDS: FieldWords = {
  id: 'The id of the resource.',
  versionNumber: 'The number of the version; the first is 1.',
  provider: 'The name of the provider.',
  keyId: 'The id of the API key.',
};

/** The meaning of a parameter of a path. @param kind the kind of the resource, where the policy of the route says it */
export const pathWords = (name: string, kind: string | undefined): string =>
  kind === undefined && name in PATH_WORDS
    ? (wordsOf(PATH_WORDS[name]) as string)
    : `The id of the ${kindWords(kind ?? name.replace(/Id$/, ''))}.`;
