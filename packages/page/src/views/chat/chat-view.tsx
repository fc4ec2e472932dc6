import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { say } from '../../lib/language.ts';
import { goTo, segments } from '../../lib/place.ts';
import { ConversationSide } from './conversation-list.tsx';
import './chat.css';
import { newSessionId } from './session-id.ts';
import { ThreadView } from './thread-view.tsx';
import { chatWords } from './words.ts';

/** All conversations of the person, and one of them. */
export function ChatView() {
  const [, chosen] = segments.value;
  const fresh = useSignal(newSessionId());
  const id = chosen ?? `device:${fresh.value}`;
  const begin = useMemo(
    () => () => {
      fresh.value = newSessionId();
      goTo(`/chat/device:${fresh.value}`);
    },
    [fresh],
  );
  // A chat that was begun has an address from its first message on: then another one begins here.
  useEffect(() => {
    if (chosen === `device:${fresh.peek()}`) fresh.value = newSessionId();
  }, [chosen]);
  return (
    <div class={chosen === undefined ? 'chat chat-all' : 'chat chat-one'}>
      <h1 class="unseen">{say(chatWords).title}</h1>
      <ConversationSide chosen={chosen} onNew={begin} />
      <ThreadView key={id} id={id} />
    </div>
  );
}
