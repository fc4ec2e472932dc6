import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ShownFileFacts } from '../../../../../src/features/page/wire/chat.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { say } from '../../lib/language.ts';
import { sizeText } from '../../lib/numbers.ts';
import { saveFile } from '../../lib/save-file.ts';
import { toast } from '../../lib/toasts.ts';
import { fetchFile } from './files.ts';
import type { Thread } from './thread.ts';
import { chatWords } from './words.ts';

interface ShownFileProps {
  readonly file: ShownFileFacts;
  /** Of the message that shows it. */
  readonly entryId: string;
  /** What is shown in a session is kept for a while; what is shown elsewhere, its platform has. */
  readonly thread: Thread;
}

/** Pictures of these kinds cannot do anything but be seen. */
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
/** Larger ones are fetched when somebody asks for them. In bytes. */
const largestPicture = 5 * 2 ** 20;

/** A file that the assistant shows: a picture as one, others to download. */
export function ShownFile({ file, entryId, thread }: ShownFileProps) {
  const { sessionId, shownFiles } = thread;
  const words = say(chatWords);
  const address = useSignal<string | undefined>(undefined);
  const isPicture = sessionId !== undefined && pictures.has(file.mediaType) && file.size <= largestPicture;
  const shown = shownFiles.value;
  useEffect(() => {
    if (!isPicture || address.peek() !== undefined) return;
    const leaving = new AbortController();
    void fetchFile(sessionId, entryId, file.name).then((blob) => {
      if (blob !== undefined && !leaving.signal.aborted)
        address.value = URL.createObjectURL(new Blob([blob], { type: file.mediaType }));
    });
    return () => leaving.abort();
  }, [entryId, file.name, isPicture, shown]);
  useEffect(
    () => () => {
      const made = address.peek();
      if (made !== undefined) URL.revokeObjectURL(made);
    },
    [],
  );
  const download = async (): Promise<void> => {
    const blob = sessionId === undefined ? undefined : await fetchFile(sessionId, entryId, file.name);
    if (blob === undefined) toast(words.fileGone(file.name), 'fault');
    else saveFile(blob, file.name);
  };
  return (
    <figure class="chat-shown-file">
      {address.value !== undefined && <img src={address.value} alt={words.pictureOf(file.name)} />}
      <figcaption>
        <Icon name="file" /> <span>{file.name}</span> <small>{sizeText(file.size)}</small>
        {sessionId !== undefined && (
          <Button style="quiet" icon="download" onPress={() => void download()}>
            {words.download(file.name)}
          </Button>
        )}
      </figcaption>
    </figure>
  );
}
