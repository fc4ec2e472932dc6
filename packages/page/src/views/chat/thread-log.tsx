import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChatEntry } from '../../../../../src/features/page/wire/chat.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Markdown } from '../../components/markdown/markdown.tsx';
import { say } from '../../lib/language.ts';
import { toast } from '../../lib/toasts.ts';
import { LiveCallCard } from './call-card.tsx';
import { EntryView } from './entry-view.tsx';
import { OutgoingView } from './outgoing-view.tsx';
import { followEnd, type Scrolled } from './scrolling.ts';
import type { Thread } from './thread.ts';
import { unstoredText } from './unstored.ts';
import { chatWords } from './words.ts';

/** What was said, and what is being said. It stays at its end while it grows, unless the person has scrolled up. */
export function ThreadLog({ thread }: { readonly thread: Thread }) {
  const words = say(chatWords);
  const place = useRef<HTMLDivElement>(null);
  const scrolled = useSignal<Scrolled>({ isAtEnd: true, hasNews: false });
  useEffect(() => {
    return place.current === null ? undefined : followEnd(place.current, scrolled);
  }, []);
  const entries = thread.entries.value;
  const isEmpty = entries.length === 0 && thread.outgoing.messages.value.length === 0 && thread.turn.value.id === '';
  const toEnd = (): void => place.current?.scrollTo({ top: place.current.scrollHeight });
  return (
    <div class="chat-log-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with keys */}
      <div class="chat-log" ref={place} role="log" aria-live="off" aria-label={words.thread} tabIndex={0}>
        <div class="chat-log-inner">
          {thread.before.value !== undefined && (
            <div class="chat-earlier">
              <Button isBusy={thread.isLoadingEarlier.value} onPress={() => void loadEarlier(thread, place.current)}>
                {words.earlier}
              </Button>
            </div>
          )}
          {isEmpty && (
            <Empty icon="chat" title={words.begin}>
              {words.beginHelp}
            </Empty>
          )}
          <Entries entries={entries} thread={thread} />
          <Unstored thread={thread} />
        </div>
      </div>
      {!scrolled.value.isAtEnd && (
        <button type="button" class="chat-to-end" onClick={toEnd}>
          {scrolled.value.hasNews ? words.toEnd : words.toEndPlain}
        </button>
      )}
      <Spoken thread={thread} />
    </div>
  );
}

function Entries({ entries, thread }: { readonly entries: readonly ChatEntry[]; readonly thread: Thread }) {
  const last = entries.findLast(({ type }) => type === 'answer');
  return (
    <>
      {entries.map((entry) => (
        <EntryView key={entry.id} entry={entry} thread={thread} isLast={entry === last && entry === entries.at(-1)} />
      ))}
    </>
  );
}

/** What is not stored yet: the messages on their way, the text that grows, the calls of sub-runs. */
function Unstored({ thread }: { readonly thread: Thread }) {
  const words = say(chatWords);
  const turn = thread.turn.value;
  const entries = thread.entries.value;
  const text = turn.isTorn ? '' : unstoredText(turn.text, entries);
  const calls = turn.calls.filter(({ id }) => !entries.some((entry) => entry.type === 'call' && entry.callId === id));
  const isGoingOn = turn.id !== '' && !turn.isOver;
  return (
    <>
      {thread.outgoing.messages.value.map((message) => (
        <OutgoingView key={message.id} message={message} thread={thread} />
      ))}
      {turn.thinking !== '' && isGoingOn && (
        <details class="chat-thinking">
          <summary>{words.thinking}</summary>
          <Markdown text={turn.thinking} isGrowing />
        </details>
      )}
      {isGoingOn && calls.map((call) => <LiveCallCard key={call.id} call={call} />)}
      {text !== '' && (
        <article class="chat-entry chat-answer" aria-label={words.assistant}>
          <header class="chat-who">
            <span>{words.assistant}</span>
          </header>
          <Markdown text={text} isGrowing={isGoingOn} />
        </article>
      )}
      {turn.isTorn && isGoingOn && <p class="chat-note">{words.lost}</p>}
      {turn.fault !== undefined && entries.at(-1)?.type !== 'notice' && (
        <p class="chat-note chat-fault" role="alert">
          {turn.fault}
        </p>
      )}
      {isGoingOn && text === '' && <p class="chat-writing">{words.writing}</p>}
    </>
  );
}

/** Readers of the screen hear that it begins and ends; the text they read when they like. */
function Spoken({ thread }: { readonly thread: Thread }) {
  const words = say(chatWords);
  const was = useRef('');
  const { id, isOver, isWaiting } = thread.turn.value;
  if (id !== '') was.current = isOver ? (isWaiting ? words.waitsForYou : words.answered) : words.writing;
  return (
    <p class="unseen" role="status">
      {was.current}
    </p>
  );
}

/** What is read stays where it is, while older things come above it. */
async function loadEarlier(thread: Thread, place: HTMLElement | null): Promise<void> {
  if (place === null) return;
  const fromEnd = place.scrollHeight - place.scrollTop;
  try {
    await thread.loadEarlier();
  } catch {
    toast(say(chatWords).loadFailed, 'fault');
    return;
  }
  requestAnimationFrame(() => place.scrollTo({ top: place.scrollHeight - fromEnd }));
}
