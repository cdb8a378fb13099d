import type { CodesOf, ErrorTable } from '../kernel/result.ts';

/** What approvals refuse; where two apply, the first listed answers. */
export const approvalErrors = {
  APPROVAL_PENDING: { status: 409, message: 'An approval is pending.' },
  SNAPSHOT_STALE: { status: 409, message: 'The resource has changed since this snapshot was taken.' },
  SELF_APPROVAL: { status: 403, message: 'Nobody decides on a request of their own.' },
} as const satisfies ErrorTable;

declare module '../kernel/result.ts' {
  interface ErrorCodes extends CodesOf<typeof approvalErrors> {}
}
