/** The owner of a document: an invoice, a credit note to it, or a payment of it. */
export interface DocumentOwner {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly creditNoteId?: string;
  readonly paymentId?: string;
}
