import { type Sql, sql, type Tx } from '../db/index.ts';

/** Something of the catalog that a text finds. */
export interface FoundInCatalog {
  readonly type: 'product' | 'plan' | 'feature' | 'billableMetric';
  readonly id: string;
  readonly name: string;
  /** The key of a feature, and the event type of a metric. */
  readonly key: string | null;
  /** 2: the beginning of the name; 3: of the key; 4: a part of one. */
  readonly rank: number;
}

/** The names of products, plans, features, billable metrics, fees and prices by their ids. */
export const selectCatalogNames = (tx: Tx, ids: readonly string[]): Promise<{ id: string; name: string }[]> => {
  const named = (table: string, name = sql`name`): Sql =>
    sql`select id, ${name} as name from ${sql.table(table)}
         where merchant_id = ${tx.merchantId} and id = any (${[...ids]}::text[])`;
  return tx.rows(sql`${named('product')} union all ${named('plan')} union all ${named('feature')}
    union all ${named('billable_metric')} union all ${named('fee')}
    union all ${named('price', sql`invoice_display_name`)}`);
};

/** So few characters find beginnings alone. */
const FEW_CHARACTERS = 2;

/**
 * Products, plans, features and billable metrics whose name or key begins with a text, or has it in it, in any case;
 * the best first. It reads the catalog of the merchant, which is small beside its customers and invoices.
 */
export function selectInCatalog(tx: Tx, text: string, most: number): Promise<FoundInCatalog[]> {
  const named = (type: FoundInCatalog['type'], table: string, key: Sql, more = sql`true`): Sql => sql`
    select ${type}::text as type, seq, id, name, ${key} as key, lower(name) as low_name, lower(${key}) as low_key
      from ${sql.table(table)} where merchant_id = ${tx.merchantId} and ${more}`;
  const none = sql`null::text`;
  return tx.rows<FoundInCatalog>(sql`
    select type, id, name, key, rank
      from (select named.*,
                   case when starts_with(low_name, part) then 2
                        when starts_with(low_key, part) then 3
                        when char_length(part) > ${FEW_CHARACTERS}
                             and (strpos(low_name, part) > 0 or strpos(low_key, part) > 0) then 4 end as rank
              from (select lower(${text}) as part) asked, lateral (
                ${named('product', 'product', none)} union all ${named('plan', 'plan', none)}
                union all ${named('feature', 'feature', sql`key`, sql`deleted_at is null`)}
                union all ${named('billableMetric', 'billable_metric', sql`event_type`)}) named) found
     where rank is not null order by rank, low_name collate "C", type, seq limit ${most}`);
}
