import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** The refusals of approvals; if two apply, the first in the list answers. */
export const approvalErrors = {
  APPROVAL_PENDING: { status: 409, message: 'An approval is pending.' },
  SNAPSHOT_STALE: { status: 409, message: 'The resource has changed since this snapshot was taken.' },
  SELF_APPROVAL: { status: 403, message: 'A requester cannot decide on their own request.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof approvalErrors> {}
}
