/** The bank's answer to a use of a card; null: it accepts. */
export interface BankRefusal {
  readonly code: string;
  readonly declineCode: string;
  readonly message: string;
}

interface TestCard {
  readonly brand: string;
  readonly last4: string;
  /** When the customer is there. */
  readonly present: BankRefusal | null;
  /** When the merchant alone charges the stored card. */
  readonly absent: BankRefusal | null;
}

const declined: BankRefusal = {
  code: 'card_declined',
  declineCode: 'generic_decline',
  message: 'Your card was declined.',
};
const insufficient: BankRefusal = {
  code: 'card_declined',
  declineCode: 'insufficient_funds',
  message: 'Your card has insufficient funds.',
};
const expired: BankRefusal = {
  code: 'expired_card',
  declineCode: 'expired_card',
  message: 'Your card has expired.',
};
const processing: BankRefusal = {
  code: 'processing_error',
  declineCode: 'processing_error',
  message: 'An error occurred while processing your card. Try again in a little bit.',
};
const authentication: BankRefusal = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};
const stolen: BankRefusal = {
  code: 'card_declined',
  declineCode: 'stolen_card',
  message: 'Your card was declined.',
};

/** The cards of customers in tests. Their last digits are those of Stripe's own test cards. */
export const CARDS = {
  visa: { brand: 'visa', last4: '4242', present: null, absent: null },
  mastercard: { brand: 'mastercard', last4: '4444', present: null, absent: null },
  declined: { brand: 'visa', last4: '0002', present: declined, absent: declined },
  insufficientFunds: { brand: 'visa', last4: '9995', present: insufficient, absent: insufficient },
  expired: { brand: 'visa', last4: '0069', present: expired, absent: expired },
  stolen: { brand: 'visa', last4: '9979', present: stolen, absent: stolen },
  processingError: { brand: 'visa', last4: '0119', present: processing, absent: processing },
  declinedLater: { brand: 'visa', last4: '0341', present: null, absent: declined },
  insufficientLater: { brand: 'visa', last4: '9996', present: null, absent: insufficient },
  authenticated: { brand: 'visa', last4: '3184', present: null, absent: authentication },
} as const satisfies Readonly<Record<string, TestCard>>;

export type CardName = keyof typeof CARDS;
