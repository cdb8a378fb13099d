import type { Resource, Shop } from './shop.ts';

type Kind = 'data_review' | 'financial_review' | 'push';

/** A request for an approval of an order or an invoice. */
export const requestApproval = (
  maker: Shop,
  resource: Resource,
  kind: Kind = 'data_review',
  fields: Record<string, unknown> = {},
): Promise<Resource> =>
  maker.create('/v0/approvals', { resourceType: resource.object, resourceId: resource.id, kind, ...fields });

export const decideApproval = (
  checker: Shop,
  approval: Resource,
  decision: 'approved' | 'rejected' | 'cancelled',
  note?: string,
): Promise<Resource> =>
  checker.change(`/v0/approvals/${approval.id}`, { decision, ...(note !== undefined && { note }) });

/** Requested by one, approved by the other. */
export const approve = async (maker: Shop, checker: Shop, resource: Resource, kind: Kind = 'data_review') =>
  decideApproval(checker, await requestApproval(maker, resource, kind), 'approved');
