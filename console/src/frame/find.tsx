import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useRead } from '../api/queries.ts';
import type { SearchResult } from '../api/types.ts';
import { wordsOf } from '../look/words.ts';
import { placeOf, usePlace } from './places.ts';
import { SCREENS } from './screens.ts';

const TYPING_MILLISECONDS = 150;

/** Opens the search, from a button. */
export interface Find {
  readonly open: () => void;
  readonly dialog: React.ReactNode;
}

/** Ctrl-K: any id, number, name or e-mail address, and the pages by their names. */
export function useFind(): Find {
  const [isOpen, { open, close }] = useDisclosure();
  useHotkeys([['mod+K', open]], []);
  return {
    open,
    dialog: isOpen && (
      <Modal opened onClose={close} title="Find anything" size="lg">
        <Search close={close} />
      </Modal>
    ),
  };
}

interface Place {
  readonly path: string;
  readonly title: string;
  readonly detail?: string | null;
  readonly kind: string;
}

/** The page of a result: its own, or that of the invoice or the customer that it belongs to. */
const placesOf = ({ id, invoiceId, customerId, title, detail, type }: SearchResult): readonly Place[] => {
  const path = [id, invoiceId, customerId].map((each) => each && placeOf(each)).find((each) => each);
  return path ? [{ path, title, detail, kind: wordsOf(type) }] : [];
};

function Search({ close }: { readonly close: () => void }) {
  const navigate = useNavigate();
  const place = usePlace();
  const [query, setQuery] = useState('');
  const [chosen, choose] = useState(0);
  const text = query.trim();
  const [asked] = useDebouncedValue(text, TYPING_MILLISECONDS);
  const { data, isFetching } = useRead(
    'GET /v0/search',
    { query: { q: asked, limit: 12 } },
    { enabled: asked !== '', keeps: true },
  );
  const pages = SCREENS.filter(({ menu }) => menu?.toLowerCase().includes(text.toLowerCase()));
  const found: readonly Place[] = [
    ...(asked === '' ? [] : (data?.data ?? [])).flatMap(placesOf),
    ...pages.map(({ path, menu = '' }) => ({ path, title: menu, kind: 'Page' })),
  ];
  const at = Math.min(chosen, found.length - 1);
  const go = ({ path }: Place) => {
    close();
    void navigate({ to: place(path) });
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      choose((at + step + found.length) % Math.max(found.length, 1));
    }
    const here = found[at];
    if (event.key === 'Enter' && here) go(here);
  };
  return (
    <>
      <TextInput
        size="md"
        data-autofocus
        role="combobox"
        aria-label="Find"
        aria-expanded={found.length > 0}
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
        placeholder="An id, a number, a name, an e-mail address, or a page"
        value={query}
        onKeyDown={press}
        onChange={({ target }) => {
          setQuery(target.value);
          choose(0);
        }}
      />
      <div id="found" role="listbox" aria-label="Found" className="found">
        {found.map((each, index) => (
          <button
            type="button"
            role="option"
            id={`found-${index}`}
            key={each.path}
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => go(each)}
          >
            <span>
              {each.title}
              {each.detail && <span className="soft"> · {each.detail}</span>}
            </span>
            <span className="soft fine">{each.kind}</span>
          </button>
        ))}
      </div>
      {found.length === 0 && (
        <p className="foot soft" role="status">
          {isFetching || asked !== text ? 'Looking…' : 'Nothing found'}
        </p>
      )}
    </>
  );
}
