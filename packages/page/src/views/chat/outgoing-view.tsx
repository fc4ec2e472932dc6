import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { say } from '../../lib/language.ts';
import type { OutgoingMessage } from './outgoing.ts';
import type { Thread } from './thread.ts';
import { chatWords } from './words.ts';

/** A message on its way, or one that was not taken. */
export function OutgoingView({ message, thread }: { readonly message: OutgoingMessage; readonly thread: Thread }) {
  const words = say(chatWords);
  const { text, files, state, reason } = message;
  return (
    <article class="chat-entry chat-said chat-own chat-outgoing" aria-label={words.you}>
      {text !== '' && <p class="chat-text">{text}</p>}
      {files.map((file, index) => (
        <p key={index} class="chat-file">
          <Icon name="attach" /> <span>{file.name ?? words.attachmentKinds[file.type]}</span>
        </p>
      ))}
      {state === 'sending' && <p class="chat-note">{sendingWords(thread)}</p>}
      {state === 'refused' && (
        <div class="chat-refused" role="alert">
          <span>{words.refused(reason ?? words.notSent)}</span>
          <Button icon="again" onPress={() => void thread.retry(message)}>
            {words.retry}
          </Button>
          <Button style="quiet" onPress={() => thread.outgoing.remove(message.id)}>
            {words.discard}
          </Button>
        </div>
      )}
    </article>
  );
}

function sendingWords({ state, load }: Thread): string {
  const words = say(chatWords);
  if (state.value !== 'open') return words.sentLater;
  if (load.total.value === 0) return words.sending;
  return words.uploading(Math.floor((1 - load.left.value / load.total.value) * 100));
}
