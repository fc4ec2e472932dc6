import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

/** What the view shows now, for the window's title: a conversation, a run. */
export const subtitle = signal<string | undefined>(undefined);

/** Names what the view shows in the window's title, as long as it is shown. */
export function useSubtitle(text: string | undefined): void {
  useEffect(() => {
    subtitle.value = text;
    return () => {
      subtitle.value = undefined;
    };
  }, [text]);
}
