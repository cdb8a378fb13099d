/** Whose document: an invoice's, that of a credit note to it, or the receipt of a payment of it. */
export interface DocumentOwner {
  readonly merchantId: string;
  readonly invoiceId: string;
  readonly creditNoteId?: string;
  readonly paymentId?: string;
}
