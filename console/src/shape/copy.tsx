import { Button, Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** Copies a text to the clipboard. */
export function Copy({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <Button variant="default" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : 'Copy'}</span>
    </Button>
  );
}

interface OnceProps {
  readonly title: string;
  /** The secret; null: there is nothing to show. */
  readonly text: string | null;
  readonly children: ReactNode;
  readonly close: () => void;
}

/** A secret that is shown this once: a dialog that closes by its button alone. */
export function Once({ title, text, children, close }: OnceProps) {
  if (text === null) return null;
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className="stack">
        <p className="note warn">{children}</p>
        <pre className="curl code">{text}</pre>
        <div className="row">
          <Copy text={text} />
          <Button onClick={close}>I have stored it</Button>
        </div>
      </div>
    </Modal>
  );
}
