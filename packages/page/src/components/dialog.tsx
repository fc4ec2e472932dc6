import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import './dialog.css';
import { say } from '../lib/language.ts';
import { Button, IconButton } from './button.tsx';
import { componentWords } from './words.ts';

interface DialogProps {
  readonly title: string;
  /** It was closed: by its button, by Escape, or by a press beside it. Draw it no longer. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Its buttons. */
  readonly foot?: ComponentChildren;
}

/** Stands before the page until it is closed. Then the focus is where it was. */
export function Dialog({ title, onClose, children, foot }: DialogProps) {
  const place = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const dialog = place.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={place}
      class="dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === place.current) onClose();
      }}
    >
      <div class="dialog-box">
        <div class="dialog-head">
          <h2 id={heading}>{title}</h2>
          <IconButton icon="close" name={say(componentWords).close} onPress={onClose} />
        </div>
        <div class="dialog-body">{children}</div>
        {foot !== undefined && <div class="dialog-foot">{foot}</div>}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** What its button says: the thing that will be done. */
  readonly action: string;
  readonly isDanger?: boolean;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks once more. */
export function Confirm({ title, children, action, isDanger = false, isBusy, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{say(componentWords).cancel}</Button>
          <Button style={isDanger ? 'danger' : 'primary'} isBusy={isBusy === true} onPress={onConfirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
