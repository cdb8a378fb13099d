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

/** A confirmation by a register, with the name and the address of the holder where the register says them. */
export interface Confirmed {
  readonly name: string | null;
  readonly address: string | null;
  readonly confirmedAt: Instant;
}

/** A register of VAT numbers, which can be asked over the network. It never rejects. */
export interface TaxIdRegister {
  check(number: VatNumber): Promise<RegisterAnswer>;
}
