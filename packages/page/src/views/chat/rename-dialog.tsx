import { useSignal } from '@preact/signals';
import type { ListedConversation } from '../../../../../src/features/page/wire/chat.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { tell } from '../../lib/ask.ts';
import { say } from '../../lib/language.ts';
import { toast } from '../../lib/toasts.ts';
import { nameOf } from './conversation-list.tsx';
import { listChanged } from './list-revision.ts';
import { chatWords } from './words.ts';

interface RenameDialogProps {
  readonly conversation: ListedConversation;
  readonly onClose: () => void;
  readonly onNamed: () => void;
}

/** Gives a conversation another name. */
export function RenameDialog({ conversation, onClose, onNamed }: RenameDialogProps) {
  const words = say(chatWords);
  const title = useSignal(nameOf(conversation));
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await tell(`conversations/${encodeURIComponent(conversation.id)}/title`, { title: title.peek() });
      listChanged();
      onNamed();
      onClose();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'fault');
    }
  };
  return (
    <Dialog title={words.rename} onClose={onClose}>
      <form class="chat-rename" onSubmit={(event) => void save(event)}>
        <label>
          {words.renameTitle}
          <input
            value={title.value}
            maxLength={80}
            onInput={({ currentTarget }) => {
              title.value = currentTarget.value;
            }}
          />
        </label>
        <Button style="primary" type="submit">
          {words.save}
        </Button>
      </form>
    </Dialog>
  );
}
