import { FreeMap, Strict, Type, validate } from '../http/index.ts';
import { isJsonObject } from '../kernel/json.ts';
import { type Adapter, Reader } from './adapter.ts';
import { checkStandardWebhook } from './signatures.ts';

const Anything = Type.Unsafe<unknown>({});
/** domain.md §7. Its fields are read one by one; here it is only told which there are. */
const GenericBody = Strict({
  id: Anything,
  customerExternalId: Anything,
  amount: Anything,
  currency: Anything,
  occurredAt: Anything,
  data: Type.Optional(Type.Union([FreeMap(), Type.Null()])),
});

/** Any system of the merchant's own, signed as Standard Webhooks. */
export const genericAdapter: Adapter = {
  check: checkStandardWebhook,
  read: (body) => {
    const reader = new Reader(body);
    const unknown = validate('body', GenericBody, body).filter(({ field }) => !(field in READ));
    const revenue = {
      externalEventId: reader.id('id'),
      paymentReference: null,
      customerExternalId: reader.id('customerExternalId'),
      amount: reader.amount('amount'),
      currency: reader.currency('currency'),
      attributes: isJsonObject(body.data) ? body.data : {},
    };
    const occurredAt = reader.time('occurredAt');
    reader.errors.push(...unknown);
    return reader.done(revenue, occurredAt);
  },
};

/** The fields of the reader. */
const READ = { id: 1, customerExternalId: 1, amount: 1, currency: 1, occurredAt: 1 };
