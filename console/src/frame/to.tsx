import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useName } from '../api/names.ts';
import { placeOf, usePlace } from './places.ts';

export interface ToProps {
  /** The page of the merchant, such as `/invoices`, with a query where it has one. */
  readonly path: string;
  readonly children: ReactNode;
  readonly className?: string;
}

/** A link to a page of the merchant in the address bar. */
export function To({ path, children, className }: ToProps) {
  const place = usePlace();
  const [to = '', query] = place(path).split('?');
  return (
    <Link
      to={to}
      search={query === undefined ? {} : Object.fromEntries(new URLSearchParams(query))}
      {...(className && { className })}
    >
      {children}
    </Link>
  );
}

/** A resource by its name or its id: a link where it has a page. */
export function Ref({
  id,
  name,
}: {
  readonly id: string | null | undefined;
  readonly name?: string | null | undefined;
}) {
  const known = useName(id, name);
  if (!id) return <span className="soft">—</span>;
  const path = placeOf(id);
  const text = known ?? <code title={id}>{shortId(id)}</code>;
  return path === null ? text : <To path={path}>{text}</To>;
}

/** An id with its beginning and its end: the whole stands in the title and behind the link. */
export const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 9)}…${id.slice(-4)}` : id);
