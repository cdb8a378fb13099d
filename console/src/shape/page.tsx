import { type ReactNode, useEffect } from 'react';
import { To } from '../frame/to.tsx';

interface PageProps {
  readonly title: string;
  /** Beside the title: the state. */
  readonly state?: ReactNode;
  /** Below the title: id, dates. */
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  /** The list that the thing is of. */
  readonly up?: { readonly path: string; readonly name: string };
  readonly children: ReactNode;
}

/** A page: where it belongs, its title, what can be done, and its parts. */
export function Page({ title, state, about, actions, up, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Reckoner`;
  }, [title]);
  return (
    <>
      {up && (
        <nav aria-label="Above" className="fine">
          <To path={up.path}>{up.name}</To>
        </nav>
      )}
      <div className="page-head">
        <div className="titles">
          <div className="row">
            <h1>{title}</h1>
            {state}
          </div>
          {about && <div className="soft fine">{about}</div>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      <div className="stack">{children}</div>
    </>
  );
}

/** A part of a page with its heading. */
export function Sheet({
  title,
  actions,
  children,
  flush = false,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  readonly flush?: boolean;
}) {
  return (
    <section className={flush ? 'sheet flush' : 'sheet'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions && <span className="row fine">{actions}</span>}
      </header>
      {children}
    </section>
  );
}

/** A figure that stands out. */
export const Figure = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="tile">
    <div className="label">{label}</div>
    <div className="value">{children}</div>
  </div>
);

/** Names and values of a thing; what has no value is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {of
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
    </dl>
  );
}

const Fact = ({ name, value }: { readonly name: string; readonly value: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);
