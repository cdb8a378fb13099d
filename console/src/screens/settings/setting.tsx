import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/session.ts';
import type { Organization } from '../../api/types.ts';
import { Form, type FormProps } from '../../shape/form.tsx';
import { Sheet } from '../../shape/page.tsx';
import { wholeOf } from '../../shape/whole.ts';

type Change = FormProps<'PATCH /v0/organizations/{id}'>;

/** The merchant as it is, with the tag of its state. */
export interface Present {
  readonly merchant: Organization;
  readonly etag: string | undefined;
}

interface SettingProps extends Present, Pick<Change, 'labels' | 'inputs' | 'send'> {
  readonly title: string;
  readonly fields: readonly string[];
  /** The least role of who may change it. */
  readonly needs?: 'member' | 'admin';
  /** Above the fields. */
  readonly children?: ReactNode;
  readonly saved?: () => void;
}

/** The API replaces the address, and each setting with fields of its own, as a whole. */
const isWhole = (path: string): boolean => path === 'address' || path.startsWith('settings.');

/** A part of the settings: its present state in fields, and a button that saves this part alone. */
export function Setting({
  title,
  fields,
  needs = 'admin',
  merchant,
  etag,
  children,
  saved,
  send,
  ...form
}: SettingProps) {
  const may = useMay(needs);
  const [saves, setSaves] = useState(0);
  return (
    <Sheet title={title}>
      <div className="stack">
        {children}
        {saves > 0 && (
          <p className="note good" role="status" key={saves} tabIndex={-1} ref={(note) => note?.focus()}>
            Saved.
          </p>
        )}
        <fieldset disabled={!may} aria-label={title}>
          <Form
            key={saves}
            operation="PATCH /v0/organizations/{id}"
            path={{ id: merchant.id }}
            fields={fields}
            before={merchant}
            etag={etag}
            send={(body) => (send ?? ((each) => each))(wholeOf(merchant, body, isWhole))}
            verb="Save"
            done={() => {
              setSaves(saves + 1);
              saved?.();
            }}
            {...form}
          />
        </fieldset>
        {!may && <p className="soft fine">Only {needs === 'admin' ? 'admins' : 'members and admins'} change this.</p>}
      </div>
    </Sheet>
  );
}
