import { useState } from 'preact/hooks';
import { Select } from '../../components/field.tsx';
import { say } from '../../lib/language.ts';
import { type NotifyMode, notifyMode, notifyModes, setNotifyMode } from '../../lib/notify.ts';
import { toast } from '../../lib/toasts.ts';
import { waitingWords } from './words.ts';

/** Whether this browser tells when something waits, and how much of it. */
export function Notifying() {
  const words = say(waitingWords);
  const [isAsking, ask] = useState(false);
  if (!('Notification' in globalThis)) return null;
  const choose = async (mode: NotifyMode): Promise<void> => {
    ask(true);
    const isAllowed = await setNotifyMode(mode);
    ask(false);
    if (!isAllowed) toast(words.notifyDenied, 'fault');
  };
  return (
    <div class="waiting-notify" title={words.notifyHint}>
      <Select
        label={words.notify}
        value={notifyMode.value}
        isDisabled={isAsking}
        onChoose={(mode) => void choose(mode)}
        options={notifyModes.map((value) => ({ value, label: words.notifyModes[value] }))}
      />
    </div>
  );
}
