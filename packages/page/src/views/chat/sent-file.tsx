import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SentFile } from '../../../../../src/features/page/wire/chat.ts';
import { Icon } from '../../components/icon.tsx';
import { say } from '../../lib/language.ts';
import { fetchPicture } from './files.ts';
import { chatWords } from './words.ts';

/** A file that came with a message: a picture as one, where its file is still there. */
export function SentFileView({ file: { kind, name, transcript, note, picture } }: { readonly file: SentFile }) {
  const words = say(chatWords);
  const shown = name ?? words.attachmentKinds[kind];
  const address = usePicture(picture);
  return (
    <figure class="chat-file">
      {address !== undefined && <img src={address} alt={words.pictureOf(shown)} />}
      <figcaption>
        <Icon name="attach" /> <bdi>{shown}</bdi>
        {transcript !== undefined && <q>{transcript}</q>}
        {note !== undefined && <em>{note}</em>}
      </figcaption>
    </figure>
  );
}

/** The address of what was fetched, as long as it is shown. */
function usePicture(path: string | undefined): string | undefined {
  const address = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    void fetchPicture(path).then((blob) => {
      if (blob !== undefined && !leaving.signal.aborted) address.value = URL.createObjectURL(blob);
    });
    return () => {
      leaving.abort();
      const made = address.peek();
      if (made !== undefined) URL.revokeObjectURL(made);
      address.value = undefined;
    };
  }, [path]);
  return address.value;
}
