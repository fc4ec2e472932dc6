import './toast-list.css';
import { IconButton } from '../components/button.tsx';
import { say } from '../lib/language.ts';
import { closeToast, toasts } from '../lib/toasts.ts';
import { shellWords } from './words.ts';

/** Says what was just done. It is there from the beginning, so that readers of the screen listen to it. */
export function ToastList() {
  const words = say(shellWords);
  return (
    <section class="toast-list" aria-live="polite" aria-label={words.messages}>
      {toasts.value.map(({ id, kind, text }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <span>{text}</span>
          <IconButton icon="close" name={words.closeToast} onPress={() => closeToast(id)} />
        </div>
      ))}
    </section>
  );
}
