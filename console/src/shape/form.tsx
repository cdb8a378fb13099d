import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Call, Operation, Reply } from '../api/client.ts';
import { useBodyForm } from '../api/document.ts';
import { ApiError } from '../api/errors.ts';
import { useDeed } from '../api/queries.ts';
import { Ref } from '../frame/to.tsx';
import { namesInWords, wordsOf } from '../look/words.ts';
import { Input, type InputProps, labelOf } from './fields.tsx';
import { Loading } from './states.tsx';
import { bodyOf, shownValue, type Values, valueAt } from './values.ts';

export interface OwnInputProps extends InputProps {
  /** What would be sent now. */
  readonly body: Record<string, unknown>;
}

export interface FormProps<O extends Operation> {
  readonly operation: O;
  readonly path?: Call<O>['path'];
  /** The fields in their order; absent: all. A name ends in `*` for all below it: `consumer.*`. */
  readonly fields?: readonly string[];
  /** Further fields, behind a word. */
  readonly more?: readonly string[];
  /** The thing that is changed; absent: a new one is made. */
  readonly before?: unknown;
  readonly etag?: string | undefined;
  /** What stands in the fields at first. */
  readonly initial?: Values;
  /** Sent with it, and not shown. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Fields that must be filled in here, beside those that the API requires. */
  readonly required?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Inputs of our own, by the paths of their fields; they see all that has been typed. */
  readonly inputs?: Readonly<Record<string, ComponentType<OwnInputProps>>>;
  /** What is sent, from what has been typed. */
  readonly send?: (body: Record<string, unknown>) => Record<string, unknown>;
  /** Shown between the fields and the button, from what has been typed. */
  readonly preview?: (body: Record<string, unknown>) => ReactNode;
  /** The preview stands beside the fields, where there is room. */
  readonly isBeside?: boolean;
  /** Asked before it is sent: a sentence that says why it is not sent yet, or null. */
  readonly check?: (body: Record<string, unknown>) => Promise<string | null>;
  readonly done: (reply: Reply<O>) => void;
  readonly cancel?: (() => void) | undefined;
}

const takes = (names: readonly string[], path: string): boolean =>
  names.some((name) => name === path || (name.endsWith('*') && path.startsWith(name.slice(0, -1))));

/**
 * A form of an operation: its fields and words come from the API's own document, its errors stand beside the fields. Of
 * two people who change one thing the second is told what the first has changed.
 */
export function Form<O extends Operation>(props: FormProps<O>) {
  const {
    operation,
    path,
    fields: names,
    more = [],
    before,
    etag,
    initial,
    fixed,
    labels = {},
    required = [],
    verb,
    isDangerous,
    inputs: own = {},
    send = (each) => each,
    preview,
    isBeside = false,
    check,
    done,
    cancel,
  } = props;
  const form = useBodyForm(operation);
  const deed = useDeed(operation);
  const client = useQueryClient();
  const all = form?.fields;
  const shown = useMemo(() => {
    const found = (all ?? []).filter(({ path: each }) => each !== 'merchantId' && each !== 'idempotencyKey');
    const main = names
      ? found.filter((each) => takes(names, each.path))
      : found.filter((each) => !takes(more, each.path));
    const order = (each: string) => names?.findIndex((name) => takes([name], each)) ?? 0;
    return {
      main: main.toSorted((a, b) => order(a.path) - order(b.path)),
      more: found.filter((each) => takes(more, each.path)),
    };
  }, [all, names, more]);
  const start = useMemo(
    () =>
      Object.fromEntries(
        [...shown.main, ...shown.more].map((field) => [field.path, shownValue(field, valueAt(before, field.path))]),
      ),
    [shown, before],
  );
  const [typed, setTyped] = useState<Values>({ ...initial });
  const [problem, setProblem] = useState<string | null>(null);
  const box = useRef<HTMLFormElement>(null);
  const values = { ...start, ...typed };
  const error = deed.error;
  const fieldErrors = error instanceof ApiError ? error.fields : [];
  const errorOf = (each: string, isItself = false): string | undefined => {
    const found = fieldErrors.find(({ field }) => field === each || (!isItself && field.startsWith(`${each}.`)));
    const said = found && namesInWords(found.message.replace(/ or null$/, ''));
    return said && said.charAt(0).toUpperCase() + said.slice(1);
  };
  const everyField = [...shown.main, ...shown.more];
  const others = fieldErrors.filter(
    ({ field }) => !everyField.some((each) => field === each.path || field.startsWith(`${each.path}.`)),
  );
  useEffect(() => {
    if (error) box.current?.querySelector<HTMLElement>('[aria-invalid="true"], [role="alert"]')?.focus();
  }, [error]);

  const current = (): Record<string, unknown> => {
    try {
      return { ...bodyOf(everyField, values, before === undefined ? undefined : start), ...fixed };
    } catch {
      return {};
    }
  };
  const [isChecking, setChecking] = useState(false);
  const submit = async (event: { preventDefault: () => void }) => {
    event.preventDefault();
    setProblem(null);
    let body: Record<string, unknown>;
    try {
      body = { ...bodyOf(everyField, values, before === undefined ? undefined : start), ...fixed };
    } catch (wrong) {
      setProblem(`This is not JSON: ${(wrong as Error).message}`);
      return;
    }
    try {
      if (check) {
        setChecking(true);
        const reason = await check(body).finally(() => setChecking(false));
        if (reason !== null) return setProblem(reason);
      }
      done(await deed.mutateAsync({ ...(path && { path }), body: send(body), ifMatch: etag } as never));
    } catch {
      // shown from the state of the deed, or of the preview
    }
  };
  if (!form) return <Loading lines={5} />;
  const inputs = (fields: typeof shown.main) =>
    fields.map((field) => {
      const input = {
        field: required.includes(field.path) ? { ...field, isRequired: true } : field,
        label: labels[field.path] ?? labelOf(field),
        value: values[field.path],
        change: (value: unknown) => setTyped((others) => ({ ...others, [field.path]: value })),
        error: errorOf(field.path, field.kind === 'rows'),
        errorIn: (below: string) => errorOf(`${field.path}.${below}`),
      };
      const Own = own[field.path];
      return Own ? <Own key={field.path} {...input} body={current()} /> : <Input key={field.path} {...input} />;
    });
  return (
    <form className="stack" ref={box} onSubmit={(event) => void submit(event)} noValidate>
      {(error || problem !== null) && (
        <div className="note bad stack tight" role="alert" tabIndex={-1}>
          <span>
            {problem ??
              (fieldErrors.length > 0 && others.length === 0
                ? 'Some fields need another look.'
                : error?.message.replace('; see details.blockers', ''))}
          </span>
          {others.map(({ field, message }) => (
            <span key={field}>
              {wordsOf(field)}: {message}
            </span>
          ))}
          {error instanceof ApiError && <Blockers of={error.details.blockers} />}
          {error instanceof ApiError && error.status === 412 && (
            <Changed details={error.details} again={() => void client.invalidateQueries()} />
          )}
        </div>
      )}
      {everyField.length + (preview ? 1 : 0) > 0 && (
        <div className={isBeside ? 'columns even' : 'stack'}>
          {everyField.length > 0 && (
            <div className="stack">
              <div className="fields">{inputs(shown.main)}</div>
              {shown.more.length > 0 && (
                <details>
                  <summary>More</summary>
                  <div className="fields more">{inputs(shown.more)}</div>
                </details>
              )}
            </div>
          )}
          {preview?.(current())}
        </div>
      )}
      <div className="row">
        <Button type="submit" loading={deed.isPending || isChecking} {...(isDangerous && { 'data-danger': true })}>
          {verb}
        </Button>
        {cancel && (
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}

const MOST_BLOCKERS = 5;

/** What holds a thing, so that it cannot be deleted or changed. */
function Blockers({ of }: { readonly of: unknown }) {
  const blockers = Array.isArray(of)
    ? (of as readonly {
        type: string;
        count: number;
        items: readonly { id: string; name?: string; invoiceDisplayName?: string }[];
      }[])
    : [];
  return blockers.map(({ type, count, items }) => (
    <span key={type}>
      {wordsOf(type)}: {count}.{' '}
      {items.slice(0, MOST_BLOCKERS).map(({ id, name, invoiceDisplayName }) => (
        <span key={id}>
          <Ref id={id} name={name ?? invoiceDisplayName} />{' '}
        </span>
      ))}
    </span>
  ));
}

/** What somebody else has changed in the meantime. */
function Changed({
  details,
  again,
}: {
  readonly details: Readonly<Record<string, unknown>>;
  readonly again: () => void;
}) {
  const changed = Array.isArray(details.changed)
    ? (details.changed as readonly { field: string; now?: unknown }[])
    : [];
  return (
    <>
      {changed.map(({ field, now }) => (
        <span key={field}>
          {wordsOf(field)} is now <code>{typeof now === 'string' ? now : JSON.stringify(now)}</code>
        </span>
      ))}
      <span>
        <Button variant="default" onClick={again}>
          Load the present state; what you typed stays
        </Button>
      </span>
    </>
  );
}
