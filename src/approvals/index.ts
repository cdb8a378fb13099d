/** All that other domains may use of approvals. */
export { approvalErrors } from './errors.ts';
export { cancelApprovals, findGivenKinds, findMissingKinds, findMissingKindsOf } from './given.ts';
export type { ApprovalDependencies, ApprovalResource, LockedResource, ResourceState } from './resource.ts';
export { approvalRoutes } from './routes.ts';
