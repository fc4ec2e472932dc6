import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ConversationList, ListedConversation } from '../../../../../src/features/page/wire/chat.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { Fault } from '../../components/notice.tsx';
import { Time } from '../../components/time.tsx';
import { ask } from '../../lib/ask.ts';
import { channelName } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { followLink } from '../../lib/place.ts';
import { useAsked } from '../../lib/query.ts';
import { toast } from '../../lib/toasts.ts';
import { ChannelMark } from './channels.tsx';
import { listRevision } from './list-revision.ts';
import { chatWords } from './words.ts';

interface ConversationSideProps {
  /** The id of the conversation that is shown. */
  readonly chosen: string | undefined;
  readonly onNew: () => void;
}

/** The person's conversations, of all channels, the latest first. */
export function ConversationSide({ chosen, onNew }: ConversationSideProps) {
  const words = say(chatWords);
  const wanted = useSignal('');
  const older = useSignal<readonly ListedConversation[]>([]);
  const rest = useSignal<string | undefined>(undefined);
  const { data, error, again } = useAsked<ConversationList>('conversations', ['runs', 'waiting']);
  useEffect(() => again(), [listRevision.value]);
  useEffect(() => {
    if (data !== undefined && older.peek().length === 0) rest.value = data.before;
  }, [data]);
  const more = async (): Promise<void> => {
    try {
      const next = await ask<ConversationList>(`conversations?before=${encodeURIComponent(rest.peek() ?? '')}`);
      older.value = [...older.peek(), ...next.conversations];
      rest.value = next.before;
    } catch {
      toast(words.loadFailed, 'fault');
    }
  };
  const all = withoutDoubles([...(data?.conversations ?? []), ...older.value]);
  const name = wanted.value.trim();
  // Of those that are not loaded, the daemon knows the names.
  const search = useAsked<ConversationList>(name === '' ? undefined : `conversations?q=${encodeURIComponent(name)}`, [
    'runs',
  ]);
  const found = name === '' ? all : foundOf(name, all, search.data?.conversations ?? []);
  return (
    <section class="chat-side" aria-label={words.conversations}>
      <div class="chat-side-head">
        <Button style="primary" icon="plus" onPress={onNew}>
          {words.newChat}
        </Button>
        <input
          type="search"
          class="chat-search"
          placeholder={words.search}
          aria-label={words.search}
          value={wanted.value}
          onInput={({ currentTarget }) => {
            wanted.value = currentTarget.value;
          }}
        />
      </div>
      {error !== undefined && data === undefined && <Fault error={error} again={again} />}
      {data === undefined && error === undefined && <Skeleton lines={8} />}
      {data !== undefined && all.length === 0 && (
        <Empty icon="chat" title={words.none}>
          {words.noneHelp}
        </Empty>
      )}
      {all.length > 0 && found.length === 0 && !search.isLoading && <p class="chat-none">{words.noneFound}</p>}
      <ul class="chat-list">
        {found.map((one) => (
          <li key={one.id}>
            <Listed conversation={one} isChosen={one.id === chosen} />
          </li>
        ))}
      </ul>
      {search.data?.before !== undefined && <p class="chat-none">{words.foundMore}</p>}
      {rest.value !== undefined && name === '' && (
        <Button onPress={() => void more()}>{words.moreConversations}</Button>
      )}
    </section>
  );
}

function Listed({ conversation, isChosen }: { readonly conversation: ListedConversation; readonly isChosen: boolean }) {
  const { id, channel, kind, lastAt, lastText, isRunning, waiting } = conversation;
  const words = say(chatWords);
  return (
    <a
      class="chat-listed"
      href={`/chat/${encodeURIComponent(id)}`}
      aria-current={isChosen ? 'page' : undefined}
      onClick={followLink}
    >
      <ChannelMark channel={channel} />
      <span class="chat-listed-text">
        <span class="chat-listed-title">{nameOf(conversation)}</span>
        <span class="chat-listed-last">{lastText ?? ''}</span>
        <span class="chat-listed-facts">
          {isRunning && waiting === 0 && (
            <span class="chat-runs" role="img" aria-label={words.runs} title={words.runs} />
          )}
          {waiting > 0 && (
            <span class="chat-listed-waits">
              {words.waits(waiting)}
              {' · '}
            </span>
          )}
          {channelName(channel)}
          {kind === 'group' && ` · ${words.group}`} · <Time at={lastAt} />
        </span>
      </span>
    </a>
  );
}

export function nameOf({ title, channel }: Pick<ListedConversation, 'title' | 'channel'>): string {
  return title ?? say(chatWords).untitled(channelName(channel));
}

/** Those of a name, the latest first. */
function foundOf(
  name: string,
  known: readonly ListedConversation[],
  found: readonly ListedConversation[],
): readonly ListedConversation[] {
  const here = known.filter((one) => nameOf(one).toLowerCase().includes(name.toLowerCase()));
  return withoutDoubles([...found, ...here]).toSorted((one, other) => other.lastAt - one.lastAt);
}

/** What has been said to lately stands in two pages of the list. */
function withoutDoubles(conversations: readonly ListedConversation[]): readonly ListedConversation[] {
  const byId = new Map<string, ListedConversation>();
  for (const one of conversations) if (!byId.has(one.id)) byId.set(one.id, one);
  return [...byId.values()];
}
