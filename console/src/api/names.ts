import { useQuery } from '@tanstack/react-query';
import { request } from './client.ts';

/** Ids whose names are asked for together, in one call for all that is on the screen. */
let waiting = new Map<string, ((name: string | null) => void)[]>();
const MOST = 100;

async function askFor(batch: typeof waiting): Promise<void> {
  const ids = [...batch.keys()];
  for (let index = 0; index < ids.length; index += MOST) {
    const part = ids.slice(index, index + MOST);
    let names: Readonly<Record<string, string | null>> = {};
    try {
      const { value } = await request('GET', `/console/api/v0/names?ids=${part.join(',')}`);
      names = (value as { names: typeof names }).names;
    } catch {
      // a page stands without names too: ids are shown
    }
    for (const id of part) for (const tell of batch.get(id) ?? []) tell(names[id] ?? null);
  }
}

const nameOf = (id: string): Promise<string | null> =>
  new Promise((tell) => {
    if (waiting.size === 0)
      queueMicrotask(() => {
        const batch = waiting;
        waiting = new Map();
        void askFor(batch);
      });
    waiting.set(id, [...(waiting.get(id) ?? []), tell]);
  });

const NAMED = /^(?:cus|sub|plan|prod|feat|bm|org|usr|price|fee|tc|inv|cpn)_/;

/** The name of a thing by its id; undefined while it is not known, and where it has none. */
export function useName(id: string | null | undefined, known?: string | null): string | undefined {
  const { data } = useQuery({
    queryKey: ['name', id],
    queryFn: () => nameOf(id as string),
    enabled: !known && id !== null && id !== undefined && NAMED.test(id),
    staleTime: 60_000,
  });
  return known || data || undefined;
}
