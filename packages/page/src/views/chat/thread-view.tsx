import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Button, IconButton } from '../../components/button.tsx';
import { Empty, Skeleton } from '../../components/empty.tsx';
import { Fault, Notice } from '../../components/notice.tsx';
import { channelName } from '../../lib/channels.ts';
import { say } from '../../lib/language.ts';
import { changes } from '../../lib/live.ts';
import { followLink, goTo, segments } from '../../lib/place.ts';
import { useSubtitle } from '../../lib/title.ts';
import { ChannelMark } from './channels.tsx';
import { Composer } from './composer.tsx';
import { nameOf } from './conversation-list.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { isBegunHere } from './session-id.ts';
import { Thread } from './thread.ts';
import { ThreadLog } from './thread-log.tsx';
import { chatWords } from './words.ts';

/** One conversation, to read and, if it is one of this page, to write in. */
export function ThreadView({ id }: { readonly id: string }) {
  const words = say(chatWords);
  const thread = useMemo(() => new Thread(id), [id]);
  useEffect(() => {
    void thread.open();
    return () => thread.close();
  }, [thread]);
  const revision = changes(`conversation:${id}`).value;
  useEffect(() => {
    if (revision > 0 && thread.isLoaded.peek()) void thread.refresh();
  }, [thread, revision]);
  const conversation = thread.conversation.value;
  useSubtitle(conversation === undefined ? undefined : nameOf(conversation));
  const fault = thread.fault.value;
  // Of one that begins here, nothing is stored.
  const isMissing = fault?.status === 404 && !isBegunHere(id);
  return (
    <section class="chat-thread" aria-labelledby="chat-thread-name">
      <ThreadHead thread={thread} isMissing={isMissing} />
      {!thread.isLoaded.value && <Skeleton lines={6} />}
      {isMissing && <Empty icon="chat" title={words.notHere} />}
      {fault !== undefined && fault.status !== 404 && <Fault error={fault} again={() => void thread.open()} />}
      {thread.isLoaded.value && (fault === undefined || fault.status === 404) && !isMissing && (
        <ThreadLog thread={thread} />
      )}
      {thread.ended.value !== undefined && (
        <Notice kind="danger" actions={<Button onPress={() => thread.reconnect()}>{words.connectAgain}</Button>}>
          {words.closed(thread.ended.value)}
        </Notice>
      )}
      {thread.sessionId !== undefined && !isMissing && (
        <Composer
          thread={thread}
          onSent={() => {
            if (segments.peek().length < 2) goTo(`/chat/${id}`, { replace: true });
          }}
        />
      )}
      {thread.sessionId === undefined && conversation !== undefined && (
        <p class="chat-elsewhere">{words.elsewhere(channelName(conversation.channel))}</p>
      )}
    </section>
  );
}

function ThreadHead({ thread, isMissing }: { readonly thread: Thread; readonly isMissing: boolean }) {
  const words = say(chatWords);
  const isNaming = useSignal(false);
  const conversation = thread.conversation.value;
  const unnamed = isMissing ? words.unknown : words.newChat;
  return (
    <header class="chat-head">
      <a class="chat-back" href="/chat" onClick={followLink} aria-label={words.back}>
        ‹
      </a>
      {conversation !== undefined && <ChannelMark channel={conversation.channel} />}
      <h2 id="chat-thread-name">{conversation === undefined ? unnamed : nameOf(conversation)}</h2>
      {conversation !== undefined && thread.sessionId !== undefined && (
        <IconButton
          icon="edit"
          name={words.rename}
          onPress={() => {
            isNaming.value = true;
          }}
        />
      )}
      {isNaming.value && conversation !== undefined && (
        <RenameDialog
          conversation={conversation}
          onClose={() => {
            isNaming.value = false;
          }}
          onNamed={() => void thread.refresh()}
        />
      )}
    </header>
  );
}
