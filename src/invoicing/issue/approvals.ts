import type { ApprovalResource, LockedResource } from '../../approvals/index.ts';
import type { Tx } from '../../db/index.ts';
import { ok } from '../../kernel/result.ts';
import { wrongState } from '../../kernel/state-table.ts';
import { approvalContent } from '../invoice/approval-content.ts';
import type { InvoicingDependencies } from '../invoice/dependencies.ts';
import type { InvoiceRow } from '../invoice/invoice.ts';
import { selectInvoice, selectLines } from '../invoice/invoices.sql.ts';
import { mayIssue } from '../invoice/purposes.ts';
import type { InvoiceStatus } from '../invoice/states.ts';
import { lockWithNow } from './actions.ts';
import { issueInvoice } from './issue.ts';

/** An invoice of these has left: only a push of it can still be approved. */
const ISSUED: readonly InvoiceStatus[] = ['ISSUED', 'PAYMENT_FAILED', 'PAID', 'WRITTEN_OFF'];

/** How approvals reach invoices (domain.md §4, row 10). */
export const invoiceApprovals = (dependencies: InvoicingDependencies): ApprovalResource => ({
  lock: async (tx, { merchantId, id }, wall) => {
    const locked = await lockWithNow(tx, id, wall, dependencies);
    if (!locked.ok) return locked;
    const { invoice, now } = locked.value;
    const lines = await selectLines(tx, id);
    const isDraft = invoice.status === 'DRAFT';
    const refused = (trigger: string, allowedFrom: readonly InvoiceStatus[]) =>
      wrongState({ thing: 'invoice', status: invoice.status, trigger, allowedFrom, done: null });
    return ok<LockedResource>({
      ...stateOf(invoice, lines),
      merchantId,
      id,
      customerId: invoice.customerId,
      now,
      isReleased: ISSUED.includes(invoice.status),
      entityIds: [
        ...new Set([
          id,
          invoice.customerId,
          ...(invoice.subscriptionId ? [invoice.subscriptionId] : []),
          ...lines.flatMap(({ itemId }) => (itemId === null ? [] : [itemId])),
        ]),
      ],
      request: async (kind) => {
        const allowed: readonly InvoiceStatus[] = kind === 'push' ? ['DRAFT', ...ISSUED] : ['DRAFT'];
        return allowed.includes(invoice.status) ? ok(undefined) : refused('requestApproval', allowed);
      },
      approve: async () => {
        if (!isDraft) return ok(undefined);
        const allowed = await mayIssue(dependencies, tx, invoice);
        return allowed.ok ? ok(await issueInvoice(dependencies, tx, invoice, 'completeApprovals', now)) : allowed;
      },
      reject: async () => ok(undefined),
      recall: async () => ok(undefined),
      withdraw: async () => (isDraft ? ok(undefined) : refused('cancelApproval', ['DRAFT'])),
    });
  },
  find: async (tx: Tx, { id }) => {
    const invoice = await selectInvoice(tx, id);
    return invoice ? stateOf(invoice, await selectLines(tx, id)) : null;
  },
});

/** Before its calculation an invoice has no hash, and nothing that could be approved. */
const stateOf = (invoice: InvoiceRow, lines: Parameters<typeof approvalContent>[1]) => ({
  content: approvalContent(invoice, lines),
  dataSnapshotHash: invoice.contentHash ?? '',
});
