import { assignments, insertion, pageOfRows, sql, type Tx, withJsonb } from '../../db/index.ts';
import type { PageRequest } from '../../http/index.ts';
import type { Instant } from '../../kernel/time.ts';
import type { VersionStatus } from './version-states.ts';
import type { VersionTerms } from './version-terms.ts';

/** A version of a plan: a set of prices and its terms, which never change. */
export interface PlanVersion extends VersionTerms {
  readonly id: string;
  readonly merchantId: string;
  readonly planId: string;
  /** 1, 2, 3 … within the plan. */
  readonly versionNumber: number;
  readonly status: VersionStatus;
  readonly basedOnVersionId: string | null;
  readonly publishedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

const COLUMNS = sql`id, merchant_id, plan_id, version_number, status,
  based_on_version_id, minimum_amount, currency_minimums, trial_requires_payment_method, trial_end_behavior,
  published_at, created_at, updated_at`;

export async function insertVersion(tx: Tx, version: PlanVersion, priceIds: readonly string[]): Promise<void> {
  await tx.run(insertion('plan_version', withJsonb(version, 'currencyMinimums'), COLUMNS));
  await tx.run(sql`
    insert into plan_version_price (merchant_id, version_id, price_id, position)
    select ${version.merchantId}, ${version.id}, price_id, position
      from unnest(${[...priceIds]}::text[]) with ordinality as given (price_id, position)`);
}

export const selectVersion = (tx: Tx, id: string) =>
  tx.maybe<PlanVersion>(sql`select ${COLUMNS} from plan_version where merchant_id = ${tx.merchantId} and id = ${id}`);

/** Some versions; unknown ids are left out. */
export const selectVersionsById = (tx: Tx, ids: readonly string[]): Promise<PlanVersion[]> =>
  tx.rows<PlanVersion>(
    sql`select ${COLUMNS} from plan_version where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`,
  );

/** The terms of some versions, by the version's id. */
export async function selectVersionTerms(
  tx: Tx,
  merchantIds: readonly string[],
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, VersionTerms>> {
  const rows = await tx.rows<VersionTerms & { id: string }>(sql`
    select id, minimum_amount, currency_minimums, trial_requires_payment_method, trial_end_behavior
      from plan_version
     where merchant_id = any(${[...merchantIds]}) and id = any(${[...versionIds]})`);
  return new Map(rows.map(({ id, ...terms }) => [id, terms]));
}

export const selectVersionByNumber = (tx: Tx, planId: string, versionNumber: number) =>
  tx.maybe<PlanVersion>(sql`
    select ${COLUMNS} from plan_version
     where merchant_id = ${tx.merchantId} and plan_id = ${planId} and version_number = ${versionNumber}`);

export const selectVersions = (tx: Tx, planId: string, page: PageRequest) =>
  pageOfRows<PlanVersion>(
    tx,
    {
      kind: 'planVersion',
      select: COLUMNS,
      from: sql`plan_version`,
      exists: sql`merchant_id = ${tx.merchantId} and plan_id = ${planId}`,
      order: { keys: [{ by: sql`version_number`, type: 'int' }], direction: 'desc' },
    },
    page,
  );

export const selectVersionIds = (tx: Tx, planId: string): Promise<string[]> =>
  tx.values<string>(sql`
    select id from plan_version where merchant_id = ${tx.merchantId} and plan_id = ${planId}`);

/** The number after the newest; the plan's row must be locked. */
export const selectNextVersionNumber = (tx: Tx, planId: string): Promise<number> =>
  tx.value<number>(sql`
    select max(version_number) + 1 as next from plan_version
     where merchant_id = ${tx.merchantId} and plan_id = ${planId}`);

export const updateVersion = (
  tx: Tx,
  version: PlanVersion,
  change: { status?: VersionStatus; publishedAt?: Instant },
  now: Instant,
) =>
  tx.one<PlanVersion>(sql`
    update plan_version set ${assignments({ status: change.status, publishedAt: change.publishedAt, updatedAt: now })}
     where merchant_id = ${version.merchantId} and id = ${version.id} and status = ${version.status}
    returning ${COLUMNS}`);
