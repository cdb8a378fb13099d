import type { Database, Tx } from '../db/index.ts';
import { findLogo } from '../identity/index.ts';
import { type DocumentOwner, documentOf, type InvoicingDependencies } from '../invoicing/index.ts';
import type { Instant } from '../kernel/time.ts';
import type { MailKind } from './kinds.ts';
import type { Attachment, InlineLogo } from './smtp.ts';

/** A document that goes with a mail: an invoice's, a credit note's or the receipt of a payment. */
export interface AttachmentRecord {
  readonly document: 'invoice' | 'creditNote' | 'receipt';
  readonly invoiceId: string;
  /** Of the credit note or the payment; of an invoice its own. */
  readonly id: string;
  readonly fileName: string;
}

/** A mail, as far as its files are concerned. */
interface MailWithFiles {
  readonly merchantId: string;
  readonly kind: MailKind;
  /** With the present one. */
  readonly attempts: number;
  readonly attachments: readonly AttachmentRecord[];
}

/** The files, or why the mail is sent later. */
export type LoadedAttachments =
  | { readonly isReady: true; readonly files: readonly Attachment[]; readonly logo: InlineLogo | null }
  | { readonly isReady: false; readonly error: string };

/** Reads the documents of a mail as it is sent; what nobody has rendered yet is rendered now. */
export type LoadAttachments = (database: Database, mail: MailWithFiles, now: Instant) => Promise<LoadedAttachments>;

/**
 * A mail waits for a document that could not be rendered for this many attempts, and then goes without it: six
 * minutes.
 */
const ATTEMPTS_WITH_DOCUMENTS = 2;
/** Of all files of a mail; mail servers refuse messages of some 10 MB and more, and encoding adds a third. */
const MOST_BYTES = 5 * 1024 * 1024;

/**
 * Loads documents in transactions of their own, beside the mail's. What is not there and will not be (too many
 * lines) is left out, as is what would make the message too large: the mail leads to the page that has it.
 */
export const attachmentsFrom =
  (dependencies: InvoicingDependencies): LoadAttachments =>
  async (database, { merchantId, kind, attempts, attachments }, now) => {
    const files: Attachment[] = [];
    let bytes = 0;
    for (const record of attachments) {
      const document = await database.transaction({ merchants: [merchantId] }, (tx) =>
        documentOf(dependencies, tx, ownerOf(merchantId, record), now),
      );
      if (document.ok && bytes + document.value.length <= MOST_BYTES) {
        bytes += document.value.length;
        files.push({ fileName: record.fileName, content: document.value });
      }
      const reason = !document.ok && document.refusal.kind === 'code' ? document.refusal.details?.reason : undefined;
      if (reason === 'render_failed' && attempts <= ATTEMPTS_WITH_DOCUMENTS)
        return { isReady: false, error: `${record.fileName} could not be rendered.` };
    }
    const logo = await database.transaction({ merchants: [merchantId] }, (tx) => logoOf(tx, kind));
    return { isReady: true, files, logo };
  };

/** The merchant's logo for a mail of it. Mail programs draw no SVG; of such a logo a mail has the merchant's name. */
export async function logoOf(tx: Tx, kind: MailKind): Promise<InlineLogo | null> {
  if (kind === 'alertTriggered') return null; // it is from Reckoner
  const logo = await findLogo(tx);
  return logo?.contentType === 'image/png' ? logo : null;
}

const ownerOf = (merchantId: string, { document, invoiceId, id }: AttachmentRecord): DocumentOwner => ({
  merchantId,
  invoiceId,
  ...(document === 'creditNote' && { creditNoteId: id }),
  ...(document === 'receipt' && { paymentId: id }),
});

/** A name for a file, of what every mail program takes: `INV-000042.pdf`. */
export const fileNameOf = (name: string): string =>
  `${name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+/, '') || 'document'}.pdf`;
