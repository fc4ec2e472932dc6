import { useEffect, useRef, useState } from 'preact/hooks';
import type { CheckWire, ConfigTextWire, FaultWire } from '../../../../../src/features/page/wire/settings.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton } from '../../components/empty.tsx';
import { Fault, Notice } from '../../components/notice.tsx';
import { tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { useAsked } from '../../lib/query.ts';
import { ConfigEditor, type EditorHandle } from './config-editor.tsx';
import { FaultList } from './fault-list.tsx';
import { type Draft, draft, proposeText, unlessRefused, writes } from './saving.ts';
import { SecretForm } from './secret-form.tsx';
import { settingsWords } from './words.ts';

/** How long after the last key that was pressed, in ms: longer for a long text, which takes longer. */
function pauseFor(text: string): number {
  return 400 + text.length / 200;
}

/** The config as text: faults are shown while it is typed, and changes before they are saved. */
export function TextTab({ file }: { readonly file: string }) {
  const { data, error, again } = useAsked<ConfigTextWire>('settings/text', ['settings']);
  const words = say(settingsWords);
  const written = writes.value;
  useEffect(() => {
    if (written > 0) again();
  }, [written, again]);
  if (error !== undefined) return <Fault error={error} again={again} />;
  if (data === undefined) return <Skeleton lines={8} />;
  return (
    <section class="settings-text" aria-label={words.tabs.text}>
      <p class="settings-faint">{words.fileOf({ file })}</p>
      {data.text === null ? (
        <Notice kind="warning" title={words.text.unshown}>
          <FaultList faults={data.faults} />
        </Notice>
      ) : (
        <Editing now={data} text={data.text} />
      )}
      <SecretForm />
    </section>
  );
}

function Editing({ now, text }: { readonly now: ConfigTextWire; readonly text: string }) {
  const words = say(settingsWords).text;
  const written = draft.value;
  const shown = written?.text ?? text;
  const base = written?.base ?? now;
  const check = useCheck(shown);
  const editor = useRef<EditorHandle | null>(null);
  const isChanged = written !== undefined && written.text !== base.text;
  const isStale = isChanged && base.stamp !== now.stamp;
  useWarningBeforeLeaving(isChanged);
  return (
    <>
      {isStale && (
        <Notice
          kind="warning"
          title={words.differsNow}
          actions={
            <>
              <Button onPress={() => setDraft({ base: now, text: shown })}>{words.mine}</Button>
              <Button onPress={() => setDraft(undefined)}>{words.theirs}</Button>
            </>
          }
        >
          {null}
        </Notice>
      )}
      <p class="settings-faint">{words.hint}</p>
      <p class="settings-faint">{words.secrets}</p>
      <ConfigEditor
        text={shown}
        isTyped={isTyped}
        faults={check?.faults ?? []}
        handle={editor}
        onInput={(typed) => setDraft({ base, text: typed })}
      />
      <Verdict check={check} onGo={({ line, column }) => editor.current?.goTo(line ?? 1, column ?? 1)} />
      <div class="settings-actions">
        <Button
          style="primary"
          isDisabled={!isChanged || isStale || (check?.faults.length ?? 1) > 0}
          onPress={() => void proposeText(base, shown)}
        >
          {words.review}
        </Button>
        <Button isDisabled={!isChanged} onPress={() => setDraft(undefined)}>
          {words.discard}
        </Button>
      </div>
    </>
  );
}

function isTyped(): boolean {
  return draft.peek() !== undefined;
}

function setDraft(next: Draft | undefined): void {
  draft.value = next;
}

interface VerdictProps {
  /** Undefined: it is being checked. */
  readonly check: CheckWire | undefined;
  readonly onGo: (fault: FaultWire) => void;
}

/** What the daemon says of the text as it is. */
function Verdict({ check, onGo }: VerdictProps) {
  const words = say(settingsWords).text;
  if (check === undefined)
    return (
      <p class="settings-faint" role="status">
        {words.checking}
      </p>
    );
  const { faults, warnings } = check;
  return (
    <div role="status" class="settings-verdict">
      {faults.length === 0 ? <p>{words.usable}</p> : <p>{words.faults({ count: faults.length })}</p>}
      <FaultList faults={faults} onGo={onGo} />
      {warnings.length > 0 && (
        <details>
          <summary>{words.warnings}</summary>
          <ul class="settings-list">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

interface Checked {
  readonly text: string;
  readonly check: CheckWire;
}

/** The daemon's own check of the text, once nobody has typed for a moment. Undefined while it is not known. */
function useCheck(text: string): CheckWire | undefined {
  const [checked, setChecked] = useState<Checked>();
  useEffect(() => {
    let isMeant = true;
    const timer = setTimeout(() => {
      void unlessRefused(async () => {
        const check = await tell<CheckWire>('settings/check', { text });
        if (isMeant) setChecked({ text, check });
      });
    }, pauseFor(text));
    return () => {
      isMeant = false;
      clearTimeout(timer);
    };
  }, [text]);
  return checked?.text === text ? checked.check : undefined;
}

function useWarningBeforeLeaving(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    addEventListener('beforeunload', stay);
    return () => removeEventListener('beforeunload', stay);
  }, [isNeeded]);
}

function stay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
