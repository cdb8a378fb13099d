/** All that other domains may use of approvals. */
export { approvalErrors } from './errors.ts';
export {
  cancelApprovals,
  findApprovedContents,
  findGivenKinds,
  findMissingKinds,
  findMissingKindsOf,
} from './given.ts';
export { requestApprovals } from './request.ts';
export type { ApprovalDependencies, ApprovalResource, LockedResource, ResourceState } from './resource.ts';
export { approvalRoutes } from './routes.ts';
