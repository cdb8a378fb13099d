import { insertion, jsonb, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { StoredAnswer, StoredRequest } from './stored.ts';

/** A calculation that is asked of a provider. */
export interface QuoteRow {
  readonly merchantId: string;
  readonly seq: bigint;
  /** Null: a request waits for it, whose invoice is not made yet. */
  readonly invoiceId: string | null;
  readonly print: string;
  readonly provider: 'stripe_tax';
  readonly request: StoredRequest;
  /** Null: none yet. */
  readonly answer: StoredAnswer | null;
}

export type NewQuote = Pick<QuoteRow, 'merchantId' | 'invoiceId' | 'print' | 'provider' | 'request' | 'answer'>;

const COLUMNS = sql`merchant_id, seq, invoice_id, print, provider, request, answer`;

/** One that is there already stays. */
export const insertQuote = (tx: Tx, quote: NewQuote, now: Instant): Promise<number> =>
  tx.run(sql`
    ${insertion('tax_quote', { ...withJsonb(quote, 'request', 'answer'), createdAt: now })}
    on conflict (merchant_id, invoice_id, print) where invoice_id is not null do nothing`);

export const selectQuote = (
  tx: Tx,
  { merchantId, invoiceId, print }: { merchantId: string; invoiceId: string; print: string },
): Promise<QuoteRow | undefined> =>
  tx.maybe<QuoteRow>(sql`
    select ${COLUMNS} from tax_quote
     where merchant_id = ${merchantId} and invoice_id = ${invoiceId} and print = ${print}`);

/** The newest quote of an invoice. */
export const selectNewestQuote = (tx: Tx, invoiceId: string): Promise<QuoteRow | undefined> =>
  tx.maybe<QuoteRow>(sql`
    select ${COLUMNS} from tax_quote
     where merchant_id = ${tx.merchantId} and invoice_id = ${invoiceId} order by seq desc limit 1`);

/** The first answer stays. */
export const updateAnswer = (tx: Tx, { merchantId, seq }: QuoteRow, answer: StoredAnswer): Promise<number> =>
  tx.run(sql`
    update tax_quote set answer = ${jsonb(answer)}
     where merchant_id = ${merchantId} and seq = ${seq} and answer is null`);

/** Gives a quote that no invoice has to one: of two at once each takes another. */
export const claimQuote = (
  tx: Tx,
  { merchantId, invoiceId, print }: { merchantId: string; invoiceId: string; print: string },
): Promise<QuoteRow | undefined> =>
  tx.maybe<QuoteRow>(sql`
    update tax_quote set invoice_id = ${invoiceId}
     where merchant_id = ${merchantId}
       and seq = (select seq from tax_quote
                   where merchant_id = ${merchantId} and print = ${print} and invoice_id is null
                   order by seq limit 1 for update skip locked)
    returning ${COLUMNS}`);
