import type { ReactNode } from 'react';

/** The frame of pages before the sign-in. */
export function Outside({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="outside">
      <div className="sheet stack">
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
