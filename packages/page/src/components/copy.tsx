import { say } from '../lib/language.ts';
import { toast } from '../lib/toasts.ts';
import { IconButton } from './button.tsx';
import { componentWords } from './words.ts';

/** Puts a text where it can be pasted from. `name`: what is copied, if that is not plain from where it stands. */
export function Copy({ text, name }: { readonly text: string; readonly name?: string }) {
  const words = say(componentWords);
  return <IconButton icon="copy" name={name ?? words.copy} onPress={() => void copyText(text)} />;
}

/** Copies, and says so. */
export async function copyText(text: string): Promise<void> {
  const words = say(componentWords);
  try {
    await navigator.clipboard.writeText(text);
    toast(words.copied);
  } catch {
    // Only pages of this machine, or behind TLS, may write to the clipboard.
    toast(words.notCopied, 'fault');
  }
}
