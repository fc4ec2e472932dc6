import { useState } from 'preact/hooks';
import { Select } from '../../components/field.tsx';
import { say } from '../../lib/language.ts';
import { canPush, type NotifyMode, notifyMode, notifyModes, setNotifyMode } from '../../lib/notify.ts';
import { toast } from '../../lib/toasts.ts';
import { waitingWords } from './words.ts';

/** Whether this browser tells when something waits, and how much of it. */
export function Notifying() {
  const words = say(waitingWords);
  const [isAsking, ask] = useState(false);
  if (!('Notification' in globalThis)) return null;
  const choose = async (mode: NotifyMode): Promise<void> => {
    ask(true);
    try {
      if (!(await setNotifyMode(mode))) toast(words.notifyDenied, 'fault');
    } catch (error) {
      toast(words.pushFailed({ reason: error instanceof Error ? error.message : String(error) }), 'fault');
    }
    ask(false);
  };
  const isPushable = canPush();
  return (
    <div class="waiting-notify" title={isPushable ? words.notifyHint : `${words.notifyHint} ${words.noPush}`}>
      <Select
        label={words.notify}
        value={notifyMode.value}
        isDisabled={isAsking}
        onChoose={(mode) => void choose(mode)}
        options={notifyModes
          .filter((value) => value !== 'push' || isPushable)
          .map((value) => ({ value, label: words.notifyModes[value] }))}
      />
    </div>
  );
}
