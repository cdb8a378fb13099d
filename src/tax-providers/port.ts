import type { Decimal } from '../kernel/decimal.ts';
import type { Instant } from '../kernel/time.ts';
import type { ProviderAccount } from '../payments/index.ts';

/**
 * The port to tax providers outside our database (docs/decisions/0116). Nobody calls a provider inside a transaction.
 * Amounts are in major units, and currencies are ISO 4217 codes in capital letters, whatever the provider's form is.
 *
 * Every call ends within 10 s. It answers, or throws an error of the payment port: `ProviderAway` (nobody knows whether
 * the call had an effect; it may be repeated under the same key) or `ProviderRefused` (it had none, and never will).
 */
export interface TaxProvider {
  readonly name: TaxProviderName;
  /** The integration that holds the keys: `provider` of PUT /v0/merchantIntegrations. */
  readonly integration: string;
  /** Can this account calculate tax? */
  probe(account: ProviderAccount): Promise<TaxReadiness>;
  /** Is there a tax rate for this address? It records nothing. */
  validateAddress(account: ProviderAccount, address: TaxAddress): Promise<AddressVerdict>;
  /** Calculates tax and records nothing. An address without a rate is an answer. */
  calculate(account: ProviderAccount, request: TaxRequest): Promise<TaxAnswer>;
  /** Records a sale as it was calculated. The same key again answers the same record. */
  commit(account: ProviderAccount, request: CommitRequest): Promise<TaxRecorded>;
  /** Reverses a record, wholly or in part. The same key again answers the same record. */
  createCreditNote(account: ProviderAccount, request: CreditNoteRequest): Promise<TaxRecorded>;
  /** Makes a credit note as if it had never been. The same key again answers the same record. */
  voidCreditNote(account: ProviderAccount, request: VoidRequest): Promise<TaxRecorded>;
}

export type TaxProviderName = 'stripe_tax';

export type TaxReadiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** The place of a customer; `country` is an ISO 3166-1 code. */
export interface TaxAddress {
  readonly line1: string | null;
  readonly line2: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly zipCode: string | null;
  readonly country: string;
}

export interface AddressVerdict {
  readonly valid: boolean;
  /** Why it is not; null where it is. */
  readonly message: string | null;
}

/** The subject of a tax question. No amount is negative, and at least one is above 0. */
export interface TaxRequest {
  readonly currency: string;
  readonly behavior: 'exclusive' | 'inclusive';
  readonly customer: { readonly address: TaxAddress; readonly taxId: string | null };
  /** The merchant has declared the sale exempt. */
  readonly isExempt: boolean;
  readonly items: readonly TaxItem[];
}

export interface TaxItem {
  /** Unique in the request. */
  readonly reference: string;
  /** With tax where the behavior is inclusive. */
  readonly amount: Decimal;
  /** As the plan says it (`defaultTaxCode`); null: the account's own. */
  readonly taxCode: string | null;
}

export type TaxAnswer =
  | {
      readonly kind: 'calculated';
      /** The provider's id of the calculation, by which it is committed. */
      readonly reference: string;
      /** Until then it can be committed. */
      readonly expiresAt: Instant | null;
      readonly items: readonly TaxedItem[];
    }
  | { readonly kind: 'address_invalid'; readonly message: string };

export interface TaxedItem {
  readonly reference: string;
  readonly tax: Decimal;
  /** Percent, of all jurisdictions together. */
  readonly rate: Decimal;
}

export interface CommitRequest {
  /** The invoice's id. */
  readonly key: string;
  /** Of the calculation. */
  readonly calculation: string;
  readonly currency: string;
}

export interface CreditNoteRequest {
  readonly key: string;
  /** The id of the reversed record. */
  readonly original: string;
  readonly currency: string;
  readonly behavior: 'exclusive' | 'inclusive';
  /** The credited part, 0 or above. */
  readonly part: TaxedAmount;
  /** The parts of earlier valid credit notes, in their order: items bear a share of their remainder. */
  readonly earlier: readonly TaxedAmount[];
}

export interface TaxedAmount {
  readonly net: Decimal;
  readonly tax: Decimal;
}

export interface VoidRequest {
  readonly key: string;
  /** Of the credit note. */
  readonly creditNote: string;
  readonly currency: string;
}

/** The record of a provider. */
export interface TaxRecorded {
  readonly reference: string;
  /** All tax of it: above 0 for a sale, below 0 for a credit note. */
  readonly tax: Decimal;
  /** The provider's own document; null: it gives none, and ours is the document. */
  readonly document: { readonly permalink: string | null; readonly pdfUrl: string } | null;
}
