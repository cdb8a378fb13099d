import { Database, type Scope, type Tx } from '../../src/db/index.ts';

/** The number of statements in the transactions of lists of background jobs, by merchant, in their order. */
export class CountedDatabase extends Database {
  readonly lists: { readonly merchantId: string; readonly statements: number }[] = [];

  override async transaction<T>(
    scope: Scope,
    work: (tx: Tx) => Promise<T>,
    options?: Parameters<Database['transaction']>[2],
  ): Promise<T> {
    if (options?.byKeys !== 'a list' || typeof scope === 'string') return super.transaction(scope, work, options);
    let statements = 0;
    const counted = (tx: Tx): Tx =>
      new Proxy(tx, {
        get(target, name: keyof Tx) {
          if (['rows', 'maybe', 'one', 'run'].includes(name)) statements += 1;
          const found = target[name];
          return typeof found === 'function' ? found.bind(target) : found;
        },
      });
    const value = await super.transaction(
      scope,
      (tx) => {
        statements = 0;
        return work(counted(tx));
      },
      options,
    );
    this.lists.push({ merchantId: scope.merchants[0] as string, statements });
    return value;
  }
}
