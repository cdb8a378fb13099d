import { Button, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Operation } from '../api/client.ts';
import { useBodyForm } from '../api/document.ts';
import { useMay } from '../api/session.ts';
import { Form, type FormProps } from './form.tsx';
import { Facts } from './page.tsx';

export interface DeedProps<O extends Operation> extends Omit<FormProps<O>, 'verb' | 'cancel' | 'done'> {
  /** The word on the button that opens it. */
  readonly label: string;
  /** The word on the button that does it; absent: the label. */
  readonly verb?: string;
  /** Whom and what it is about: customer, number, amount. */
  readonly facts?: readonly (readonly [name: string, value: ReactNode])[];
  /** What happens, beside what the reference of the API says; most important first. */
  readonly effects?: readonly string[];
  /** Sentences of the reference that are not about this one. */
  readonly without?: RegExp;
  /** Can it be undone, and how? */
  readonly undo?: string;
  /** Fields above the form that choose whom it is about; the form comes when that is known (`isChosen`). */
  readonly choose?: ReactNode;
  readonly isChosen?: boolean;
  /** The least role of who may do it. */
  readonly needs?: 'member' | 'admin';
  readonly isPrimary?: boolean;
  readonly done?: FormProps<O>['done'];
}

/**
 * Something that changes a thing or moves money: a button, and a dialog which says what will happen, to whom, how much,
 * and whether it can be undone. Who may not do it does not see it.
 */
export function Deed<O extends Operation>({ label, needs = 'member', isPrimary = false, ...deed }: DeedProps<O>) {
  const [isOpen, setOpen] = useState(false);
  const may = useMay(needs);
  if (!may) return null;
  const close = () => setOpen(false);
  return (
    <>
      <Button aria-haspopup="dialog" variant={isPrimary ? 'filled' : 'default'} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <Modal opened onClose={close} title={label} size="lg">
          <Dialog {...(deed as DeedProps<O>)} label={label} close={close} />
        </Modal>
      )}
    </>
  );
}

/** The sentences of the reference that are no news for programs alone. */
const forPeople = (description: string): readonly string[] =>
  description
    .split(/(?<=\.)\s+/)
    .map((each) => each.replaceAll(/`([A-Z]+)`/g, '$1'))
    .filter((each) => each !== '' && !/`|\b[1-5]\d\d\b|answer|not sent/i.test(each));

function Dialog<O extends Operation>({
  label,
  verb,
  facts,
  effects,
  without,
  undo,
  choose,
  isChosen = true,
  close,
  done,
  ...form
}: DeedProps<O> & { readonly close: () => void }) {
  const description = useBodyForm(form.operation)?.description ?? '';
  const isMoney = effects !== undefined || undo !== undefined;
  return (
    <div className="stack">
      {choose}
      {facts && <Facts of={facts} />}
      {isMoney && isChosen && (
        <div className="note warn stack tight">
          <strong>What happens</strong>
          <ul className="effects">
            {(effects ?? []).map((each) => (
              <li key={each}>{each}</li>
            ))}
            {forPeople(description)
              .filter((each) => !without?.test(each))
              .map((each) => (
                <li key={each}>{each}</li>
              ))}
            {undo !== undefined && <li>{undo}</li>}
          </ul>
        </div>
      )}
      {isChosen && (
        <Form
          key={JSON.stringify(form.initial)}
          {...(form as unknown as FormProps<O>)}
          verb={verb ?? label}
          cancel={close}
          done={(reply) => {
            close();
            done?.(reply);
          }}
        />
      )}
    </div>
  );
}
