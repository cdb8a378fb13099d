import type { Instant } from '../../kernel/time.ts';

/** A VAT number as a register takes it. */
export interface VatNumber {
  /** `DE`, `EL`, `XI`. */
  readonly prefix: string;
  /** The number after the prefix. */
  readonly number: string;
}

/** The answer of a register. `unavailable` is no answer: nothing is known then, and nothing follows from it. */
export type RegisterAnswer =
  | { readonly outcome: 'valid'; readonly name: string | null; readonly address: string | null }
  | { readonly outcome: 'invalid' }
  | { readonly outcome: 'unavailable'; readonly reason: string };

/** An answer that was stored when it came. */
export interface KeptAnswer {
  readonly outcome: 'valid' | 'invalid';
  readonly name: string | null;
  readonly address: string | null;
  readonly answeredAt: Instant;
}

/** A register of VAT numbers, which can be asked over the network. It never rejects. */
export interface TaxIdRegister {
  check(number: VatNumber): Promise<RegisterAnswer>;
}
