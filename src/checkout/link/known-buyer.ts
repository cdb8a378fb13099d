import { ConsumerBody, CustomerExternalId } from '../../customers/index.ts';
import { Address, OneOf, type Static, Strict, Text, Type } from '../../http/index.ts';
import { LOCALES } from '../../kernel/locale.ts';

const { name, email } = ConsumerBody.properties;

/** What is known of the person that a link is for; the page asks for the rest, and shows this to be changed. */
export const KnownBuyer = Strict(
  {
    name: Type.Optional(name),
    email: Type.Optional(email),
    address: Type.Optional(Address),
    taxId: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    externalId: Type.Optional(CustomerExternalId),
    locale: Type.Optional(OneOf(LOCALES)),
  },
  { $id: 'CheckoutBuyer' },
);
export type KnownBuyer = Static<typeof KnownBuyer>;
