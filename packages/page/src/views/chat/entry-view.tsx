import type { AnswerEntry, ChatEntry, PersonEntry } from '../../../../../src/features/page/wire/chat.ts';
import { Button } from '../../components/button.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { Time } from '../../components/time.tsx';
import { say } from '../../lib/language.ts';
import { CallCard } from './call-card.tsx';
import { CardView } from './open-card.tsx';
import { SentFileView } from './sent-file.tsx';
import { ShownFile } from './shown-file.tsx';
import type { Thread } from './thread.ts';
import { chatWords } from './words.ts';

interface EntryViewProps {
  readonly entry: ChatEntry;
  readonly thread: Thread;
  /** Nothing stands below it. */
  readonly isLast: boolean;
}

/** Something that stands in a conversation. */
export function EntryView({ entry, thread, isLast }: EntryViewProps) {
  switch (entry.type) {
    case 'person':
      return <Said entry={entry} />;
    case 'answer':
    case 'notice':
      return <Answer entry={entry} thread={thread} isLast={isLast} />;
    case 'card':
      return <CardView entry={entry} thread={thread} />;
    case 'call':
      return <CallCard entry={entry} thread={thread} />;
  }
}

function Said({ entry: { name, isOwn, text, files, quote, at, isCommand } }: { readonly entry: PersonEntry }) {
  const words = say(chatWords);
  const shown = isOwn ? words.you : name;
  return (
    <article class={isOwn ? 'chat-entry chat-said chat-own' : 'chat-entry chat-said'} aria-label={shown}>
      <header class="chat-who">
        <span>{shown}</span> <Time at={at} />
      </header>
      {quote !== undefined && (
        <blockquote class="chat-quote" aria-label={words.quoted(quote.name)}>
          {quote.name !== '' && <strong>{quote.name}: </strong>}
          {quote.text}
        </blockquote>
      )}
      {text !== '' && <p class={isCommand ? 'chat-text chat-command' : 'chat-text'}>{text}</p>}
      {files.map((file, index) => (
        <SentFileView key={index} file={file} />
      ))}
    </article>
  );
}

interface AnswerProps {
  readonly entry: AnswerEntry;
  readonly thread: Thread;
  readonly isLast: boolean;
}

function Answer({ entry, thread, isLast }: AnswerProps) {
  const words = say(chatWords);
  const { type, at, markdown, files, buttons } = entry;
  const isNotice = type === 'notice';
  const isWritable = thread.sessionId !== undefined;
  return (
    <article
      class={isNotice ? 'chat-entry chat-notice' : 'chat-entry chat-answer'}
      aria-label={isNotice ? words.system : words.assistant}
    >
      <header class="chat-who">
        <span>{isNotice ? words.system : words.assistant}</span> <Time at={at} />
      </header>
      {markdown !== '' && <Markdown text={markdown} />}
      {files.map((file, index) => (
        <ShownFile key={index} file={file} entryId={entry.id} thread={thread} />
      ))}
      {buttons.length > 0 && (
        <div class="chat-buttons">
          {buttons.map(({ label, line }) =>
            isWritable ? (
              <Button key={line} onPress={() => void thread.send(line, [])}>
                {label}
              </Button>
            ) : (
              <span key={line} class="chat-note">
                {label}
              </span>
            ),
          )}
        </div>
      )}
      {isLast && isWritable && !isNotice && thread.turn.value.id === '' && (
        <Button style="quiet" icon="again" onPress={() => thread.regenerate()}>
          {words.again}
        </Button>
      )}
    </article>
  );
}
