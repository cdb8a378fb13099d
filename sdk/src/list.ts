/** A page of a list, as the API answers it. */
export interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly nextAfter: string | null };
}

/** The most that the API gives in a page. */
const MOST_OF_PAGE = 100;

type ItemOf<Page> = Page extends { data: readonly (infer Item)[] } ? Item : never;

/**
 * A list: `await` reads a page, `for await` reads every record to the end. Records that come or go meanwhile neither
 * repeat nor hide another (`after`).
 */
export class List<Page> implements PromiseLike<Page>, AsyncIterable<ItemOf<Page>> {
  readonly #read: (more: Readonly<Record<string, unknown>>) => Promise<unknown>;
  readonly #asked: { readonly limit?: number };

  /** @param read a page, with further parameters of the query */
  constructor(
    read: (more: Readonly<Record<string, unknown>>) => Promise<unknown>,
    asked: { readonly limit?: number } = {},
  ) {
    this.#read = read;
    this.#asked = asked;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page
  then<A = Page, B = never>(
    done?: ((page: Page) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return (this.#read({}) as Promise<Page>).then(done, failed);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ItemOf<Page>, void, undefined> {
    const { limit = MOST_OF_PAGE } = this.#asked;
    let after: string | null | undefined;
    do {
      const { data, pagination } = (await this.#read({ limit, after })) as PageOf<ItemOf<Page>>;
      yield* data;
      after = pagination.nextAfter;
    } while (after !== null);
  }

  /** Every record; for lists that fit into memory. */
  async all(): Promise<ItemOf<Page>[]> {
    const all: ItemOf<Page>[] = [];
    for await (const each of this) all.push(each);
    return all;
  }
}
