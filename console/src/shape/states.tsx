import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, ConnectionLost } from '../api/errors.ts';
import { wordsOf } from '../look/words.ts';

const WIDTHS = [88, 61, 73, 46, 82, 57, 69, 50];

/** A view that is on its way: shown after a quarter of a second, so that quick answers do not flicker. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading">
      {WIDTHS.slice(0, lines).map((width) => (
        <div className="bone" key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

/** A view that failed: what the server said, and what to try. */
export function Failed({ error, reset }: { readonly error: unknown; readonly reset?: (() => void) | undefined }) {
  const isRefused = error instanceof ApiError;
  const title =
    error instanceof ConnectionLost
      ? 'No connection'
      : isRefused && error.status === 404
        ? 'Not found'
        : isRefused && error.status === 403
          ? 'Not allowed'
          : 'This could not be shown';
  return (
    <div className="note bad stack tight" role="alert">
      <strong>{title}</strong>
      <span>{error instanceof Error ? error.message : String(error)}</span>
      {isRefused &&
        error.fields
          .filter(({ message }) => message !== error.message)
          .map(({ field, message }) => (
            <span key={field}>
              {wordsOf(field)} {message}
            </span>
          ))}
      {isRefused && error.requestId !== null && <code>Request {error.requestId}</code>}
      {reset && (
        <span>
          <Button variant="default" onClick={reset}>
            Try again
          </Button>
        </span>
      )}
    </div>
  );
}

/** An address without a page. */
export const Missing = () => (
  <div className="main">
    <div className="note" role="alert">
      There is no such page. <a href="/console">To the start</a>
    </div>
  </div>
);

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** A part of a page in its states: on its way, failed, or there. The other parts of the page stand beside a failure. */
export function Part<T>({
  of,
  children,
  lines,
}: {
  readonly of: Asked<T>;
  readonly children: (value: T) => ReactNode;
  readonly lines?: number;
}) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) return <Failed error={of.error} reset={() => void of.refetch()} />;
  return <Loading {...(lines !== undefined && { lines })} />;
}
