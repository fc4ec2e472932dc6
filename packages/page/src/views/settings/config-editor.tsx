import { useEffect, useRef, useState } from 'preact/hooks';
import type { FaultWire } from '../../../../../src/features/page/wire/settings.ts';
import { Skeleton } from '../../components/empty.tsx';
import { Notice } from '../../components/notice.tsx';
import { ask } from '../../lib/ask.ts';
import { language, say } from '../../lib/language.ts';
import type { CodeEditor } from './editor/code-mirror.ts';
import { isSchema, type Schema } from './editor/config-schema.ts';
import { settingsWords } from './words.ts';

export interface EditorHandle {
  goTo(line: number, column: number): void;
}

interface ConfigEditorProps {
  readonly text: string;
  /** Whether the text is the one that somebody has typed last. */
  readonly isTyped: () => boolean;
  readonly faults: readonly FaultWire[];
  readonly onInput: (text: string) => void;
  readonly handle: { current: EditorHandle | null };
}

type Opening = 'opening' | 'open' | 'failed';

/** The editor, which is loaded when it is first shown. */
export function ConfigEditor({ text, isTyped, faults, onInput, handle }: ConfigEditorProps) {
  const words = say(settingsWords).text;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | undefined>(undefined);
  const input = useRef(onInput);
  const first = useRef(text);
  const [opening, setOpening] = useState<Opening>('opening');
  input.current = onInput;
  first.current = text;
  const spoken = language.value;
  useEffect(() => {
    let isMeant = true;
    void openEditor(place, { text: () => first.current, onChange: (typed) => input.current(typed) }).then((opened) => {
      if (!isMeant) return opened?.destroy();
      editor.current = opened;
      handle.current = opened ?? null;
      setOpening(opened === undefined ? 'failed' : 'open');
    });
    return () => {
      isMeant = false;
      editor.current?.destroy();
      editor.current = undefined;
      handle.current = null;
    };
  }, [handle, spoken]);
  // What is typed is in the editor first: only what comes from elsewhere is put into it.
  useEffect(() => {
    if (!isTyped()) editor.current?.setText(text);
  }, [text, isTyped]);
  useEffect(() => editor.current?.setFaults(faults), [faults, opening]);
  return (
    <>
      {opening === 'opening' && <Skeleton lines={8} />}
      {opening === 'failed' && <Notice kind="danger">{words.loadFailed}</Notice>}
      <div ref={place} class="settings-editor" />
    </>
  );
}

interface EditorWishes {
  readonly text: () => string;
  readonly onChange: (text: string) => void;
}

/** Undefined: it could not be loaded, or its place is gone. */
async function openEditor(
  place: { readonly current: HTMLDivElement | null },
  { text, onChange }: EditorWishes,
): Promise<CodeEditor | undefined> {
  try {
    const [{ createCodeEditor }, schema] = await Promise.all([import('./editor/code-mirror.ts'), configSchema()]);
    if (place.current === null) return undefined;
    const { text: words, phrases } = say(settingsWords);
    return createCodeEditor(place.current, { text: text(), schema, label: words.label, phrases, onChange });
  } catch {
    // Said where it would stand.
    return undefined;
  }
}

async function configSchema(): Promise<Schema> {
  const { schema } = await ask<{ readonly schema: unknown }>('settings/schema');
  return isSchema(schema) ? schema : {};
}
