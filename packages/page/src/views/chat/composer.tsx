import type { MessageFile } from '@keyturn/client';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { say } from '../../lib/language.ts';
import { sizeText } from '../../lib/numbers.ts';
import { store, stored } from '../../lib/storage.ts';
import { toast } from '../../lib/toasts.ts';
import { mostFiles, readFile } from './files.ts';
import type { Thread } from './thread.ts';
import { chatWords } from './words.ts';

interface ComposerProps {
  readonly thread: Thread;
  readonly onSent: () => void;
}

/** Where a message is written. What was begun is kept until it is sent. */
export function Composer({ thread, onSent }: ComposerProps) {
  const words = say(chatWords);
  const item = `keyturn.draft.${thread.id}`;
  const draft: Draft = { item, text: useSignal(stored(item) ?? ''), files: useSignal<readonly MessageFile[]>([]) };
  const isOver = useSignal(false);
  const { text, files } = draft;
  const isRunning = thread.turn.value.id !== '' && !thread.turn.value.isOver;
  return (
    <form
      class={isOver.value ? 'chat-composer chat-composer-over' : 'chat-composer'}
      onSubmit={(event) => {
        event.preventDefault();
        send(draft, thread, onSent);
      }}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void add(event.dataTransfer?.files, files);
      }}
    >
      <Chosen files={files} />
      <div class="chat-composer-line">
        <Picker files={files} />
        <Field
          draft={draft}
          placeholder={isOver.value ? words.dropHere : words.placeholder}
          onSend={() => send(draft, thread, onSent)}
          lastSaid={() => lastOwn(thread)}
        />
        {isRunning && (
          <Button icon="stop" onPress={() => thread.stop()}>
            {words.stop}
          </Button>
        )}
        <Button
          style="primary"
          icon="send"
          type="submit"
          isDisabled={text.value.trim() === '' && files.value.length === 0}
        >
          {words.send}
        </Button>
      </div>
    </form>
  );
}

/** A message that is being written. */
interface Draft {
  /** Under which this browser keeps its text. */
  readonly item: string;
  readonly text: Signal<string>;
  readonly files: Signal<readonly MessageFile[]>;
}

function write({ item, text }: Draft, now: string): void {
  text.value = now;
  store(item, now === '' ? undefined : now);
}

function send(draft: Draft, thread: Thread, onSent: () => void): void {
  const { text, files } = draft;
  if (text.peek().trim() === '' && files.peek().length === 0) return;
  void thread.send(text.peek(), files.peek());
  write(draft, '');
  files.value = [];
  onSent();
}

interface FieldProps {
  readonly draft: Draft;
  readonly placeholder: string;
  readonly onSend: () => void;
  /** What the person has said last. */
  readonly lastSaid: () => string | undefined;
}

function Field({ draft, placeholder, onSend, lastSaid }: FieldProps) {
  const { text, files } = draft;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => fit(field.current), [text.value]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also chooses what an input method offers.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      onSend();
      return;
    }
    const last = event.key === 'ArrowUp' && text.peek() === '' ? lastSaid() : undefined;
    if (last === undefined) return;
    event.preventDefault();
    write(draft, last);
  };
  return (
    <textarea
      ref={field}
      rows={1}
      aria-label={say(chatWords).message}
      placeholder={placeholder}
      value={text.value}
      onInput={({ currentTarget }) => write(draft, currentTarget.value)}
      onKeyDown={onKeyDown}
      onPaste={(event) => {
        if ((event.clipboardData?.files.length ?? 0) === 0) return;
        event.preventDefault();
        void add(event.clipboardData?.files, files);
      }}
    />
  );
}

function Picker({ files }: { readonly files: Signal<readonly MessageFile[]> }) {
  const words = say(chatWords);
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon="attach" name={words.attach} onPress={() => picker.current?.click()} />
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={words.attach}
        onChange={({ currentTarget }) => {
          void add(currentTarget.files, files).then(() => {
            currentTarget.value = '';
          });
        }}
      />
    </>
  );
}

/** The files that go with the message. */
function Chosen({ files }: { readonly files: Signal<readonly MessageFile[]> }) {
  const words = say(chatWords);
  if (files.value.length === 0) return null;
  return (
    <ul class="chat-chosen">
      {files.value.map((file) => (
        <li key={file.name}>
          <span>{file.name ?? words.attachmentKinds[file.type]}</span> <small>{sizeText(file.bytes.length)}</small>
          <IconButton
            icon="close"
            name={words.removeFile(file.name ?? '')}
            onPress={() => {
              files.value = files.peek().filter((one) => one !== file);
            }}
          />
        </li>
      ))}
    </ul>
  );
}

async function add(chosen: FileList | null | undefined, files: Signal<readonly MessageFile[]>): Promise<void> {
  const words = say(chatWords);
  for (const file of chosen ?? []) {
    if (files.peek().length >= mostFiles) {
      toast(words.tooManyFiles(mostFiles), 'fault');
      return;
    }
    try {
      files.value = [...files.peek(), await readFile(file)];
    } catch {
      toast(words.unreadableFile(file.name), 'fault');
    }
  }
}

/** What the person has said last, to say it in other words. */
function lastOwn({ entries, outgoing }: Thread): string | undefined {
  const sent = outgoing.messages.peek().at(-1)?.text;
  if (sent !== undefined) return sent;
  const last = entries.peek().findLast((entry) => entry.type === 'person' && entry.isOwn && entry.text !== '');
  return last?.type === 'person' ? last.text : undefined;
}

/** As high as its text, up to where the style sheet ends it. */
function fit(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight}px`;
}
