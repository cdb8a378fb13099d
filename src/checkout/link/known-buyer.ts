import { ConsumerBody, CustomerExternalId } from '../../customers/index.ts';
import { Address, OneOf, type Static, Strict, Text, Type } from '../../http/index.ts';
import { LOCALES } from '../../kernel/locale.ts';

const { name, email } = ConsumerBody.properties;

/** The known details of a link's buyer; the page asks for the rest, and lets the buyer change these. */
export const KnownBuyer = Strict(
  {
    name: Type.Optional(name),
    email: Type.Optional(email),
    address: Type.Optional(Address),
    taxId: Type.Optional(Text({ minLength: 1, maxLength: 100 })),
    externalId: Type.Optional(CustomerExternalId),
    locale: Type.Optional(OneOf(LOCALES)),
  },
  {
    $id: 'CheckoutBuyer',
    description: 'The known details of one person. The form is filled in with them, and the link works once.',
    'x-fields': {
      name: 'The name of the person or company.',
      email: 'The email address for invoices.',
      address: 'The billing address.',
      taxId: 'The tax number.',
      externalId: 'Your own name for the customer. Usage events name it as `externalSubject`.',
      locale: 'The language of the page and of the emails.',
    },
  },
);
export type KnownBuyer = Static<typeof KnownBuyer>;
